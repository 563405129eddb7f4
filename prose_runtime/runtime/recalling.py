"""Steps and their journal. In: an attempt that is about to be made, or was. Out: what the journal tells of it.

A journal that fails ends the run: nothing goes on that would not be kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from prose_runtime.runtime.errors import Failure
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.journaling import Journal, NotKept, Step, Told
from prose_runtime.runtime.port import Usage
from prose_runtime.runtime.values import Value


async def turn(journal: Journal, key: str, attempt: int, frame: Frame) -> None:
    """Wait for the turn of an attempt in a run that is told. Raises `Stopped`."""
    try:
        await journal.turn(key, attempt)
    except asyncio.CancelledError:
        raise frame.strand.caught() from None
    except NotKept as error:
        raise frame.run.not_kept(error) from None
    frame.strand.check()


async def told_of(journal: Journal, step: Step, frame: Frame) -> Told | None:
    """How an attempt ended before, in this run or in the one whose answers are used again. Raises `Stopped`."""
    try:
        if journal.telling:
            told = await journal.told(step)
            if told is not None:
                return told
        told = journal.reused(step)
        if told is not None:
            journal.started(step)
            journal.answered(step, told.answer, told.usage, reused=True)
            await journal.secured()
        return told
    except asyncio.CancelledError:
        stopped = frame.strand.caught()
        journal.stopped(step, stopped.reason)
        raise stopped from None
    except NotKept as error:
        raise frame.run.not_kept(error) from None


async def begins(journal: Journal, step: Step, frame: Frame) -> None:
    """An attempt is about to be made: that is kept first."""
    await _write(journal, lambda: journal.started(step), frame)


async def gave(journal: Journal, step: Step, value: Value, usage: Usage, frame: Frame) -> None:
    """It gave an answer, which nothing has used yet."""
    await _write(journal, lambda: journal.answered(step, value, usage), frame)


async def failed(journal: Journal, step: Step, failure: Failure, told: Told, frame: Frame) -> None:
    """It failed."""
    if failure.step is None:
        failure.step = step.key, step.attempt
    await _write(journal, lambda: journal.failed(step, told), frame)


async def _write(journal: Journal, write: Callable[[], None], frame: Frame) -> None:
    try:
        write()
        await journal.secured()
    except asyncio.CancelledError:
        raise frame.strand.caught() from None
    except NotKept as error:
        raise frame.run.not_kept(error) from None
