"""Worker threads for calls that block: Python functions, programs, a person at the terminal.

In: a function without arguments. Out: its result, awaited. The threads are daemons of our own and not the
loop's executor: that has a handful of threads, which sleeping functions of a wide `parallel for` would fill,
and whose end waits for every function that hangs.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar, cast

_T = TypeVar("_T")
_Job = Callable[[], None]

# How long a thread without work stays, in seconds.
_IDLE = 10.0


class Threads:
    """Threads that are started when needed and kept while there is work. As many as there are calls at once:
    the run's `max_parallel` is what bounds them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[_Job | None]] = []
        self._closed = False

    async def run(self, function: Callable[[], _T], *, stop: Callable[[], None] | None = None) -> _T:
        """`function()` in a thread, with the caller's context variables.

        On cancellation `stop` is called (again for each further cancellation) and the end of the function is
        waited for. Without `stop` the function cannot be ended: it is left to itself and its answer is dropped.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[tuple[_T | None, BaseException | None]] = loop.create_future()
        context = contextvars.copy_context()

        def job() -> None:
            result: tuple[_T | None, BaseException | None]
            try:
                result = (context.run(function), None)
            except BaseException as error:  # handed to the caller, whatever it is
                result = (None, error)
            try:
                loop.call_soon_threadsafe(_settle, done, result)
            except RuntimeError:
                return  # the loop has ended: nobody waits any more

        self._submit(job)
        try:
            value, error = await (asyncio.shield(done) if stop else done)
        except asyncio.CancelledError:
            if stop is not None:
                await _drain(done, stop)
            raise
        if error is not None:
            raise error
        return cast(_T, value)

    def close(self) -> None:
        """End the threads that have no work; those that work end when they are done."""
        with self._lock:
            idle, self._idle = self._idle, []
            self._closed = True
        for queue in idle:
            queue.put(None)

    def _submit(self, job: _Job) -> None:
        with self._lock:
            self._closed = False
            queue = self._idle.pop() if self._idle else None
        if queue is None:
            queue = SimpleQueue()
            threading.Thread(target=self._work, args=(queue,), name=self._name, daemon=True).start()
        queue.put(job)

    def _work(self, queue: SimpleQueue[_Job | None]) -> None:
        while True:
            try:
                job = queue.get(timeout=_IDLE)
            except Empty:
                with self._lock:
                    if queue in self._idle:
                        self._idle.remove(queue)
                        return
                continue  # a job was given at this very moment
            if job is None:
                return
            job()
            del job  # its closure must not outlive it while the thread waits
            with self._lock:
                if self._closed:
                    return
                self._idle.append(queue)


def _settle(done: asyncio.Future[_T], result: _T) -> None:
    if not done.done():
        done.set_result(result)


async def _drain(done: asyncio.Future[_T], stop: Callable[[], None]) -> None:
    """Ask the function to stop and wait until it has; a further cancellation asks again."""
    stop()
    while not done.done():
        try:
            await asyncio.shield(done)
        except asyncio.CancelledError:
            stop()
