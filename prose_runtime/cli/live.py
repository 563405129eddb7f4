"""The live view: a tree on stderr that is redrawn in place, and stays as it was last when the run ends.

In: the run's events. Out: what a person sees. `rich` does the redrawing and is imported only here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.text import Text

from prose_runtime.cli.progress import Picture
from prose_runtime.runtime.budget import Budget
from prose_runtime.runtime.events import Event, RunFinished

_STYLES = {"inner": "dim", "running": "bold cyan", "done": "", "failed": "red", "decided": "yellow"}
_PER_SECOND = 8


class LiveProgress:
    """Draws the picture of a run a few times a second, from a thread of its own."""

    def __init__(self, budget: Budget) -> None:
        self._picture = Picture(budget)
        self._lock = Lock()
        self._began = time.perf_counter()
        self._seconds: float | None = None
        self._console = Console(stderr=True, highlight=False)
        self._live = self._new_live()

    def _new_live(self) -> Live:
        return Live(self, console=self._console, refresh_per_second=_PER_SECOND, vertical_overflow="crop")

    def __enter__(self) -> LiveProgress:
        self._began = time.perf_counter()
        self._live.start(refresh=True)
        return self

    def __exit__(self, *about: object) -> None:
        if self._seconds is None:
            self._seconds = time.perf_counter() - self._began
        self._live.stop()

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._picture.take(event)
            if isinstance(event, RunFinished):
                self._seconds = event.seconds

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        now = self._seconds if self._seconds is not None else time.perf_counter() - self._began
        width, height = options.max_width, max(console.size.height - 2, 3)
        with self._lock:
            head = self._picture.headline(now)
            lines = self._picture.tree.lines(width, height - 1, now)
        yield Text(head, style="bold", no_wrap=True, overflow="ellipsis")
        for line in lines:
            yield Text(line.text, style=_STYLES[line.state], no_wrap=True, overflow="ellipsis")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The picture stands still above a question, and goes on below its answer."""
        self._live.stop()
        try:
            yield
        finally:
            self._live = self._new_live()
            self._live.start(refresh=True)
