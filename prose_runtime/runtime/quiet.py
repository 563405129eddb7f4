"""When nothing moves any more. In: word of whatever moves. Out: one call, after many turns of the loop without any.

A run in which nobody is asked goes on by itself, turn after turn of the event loop, until every strand waits for
something that only the host can bring about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

TURNS = 3_000
"""Turns of the loop without any move; the longest way that a result takes through nested strands is a tenth of it."""


class Quiet:
    """Calls `then` once it is quiet. `moved` counts what moves; `watch` begins to look, and looks until it is quiet or
    `still` says that there is something to wait for."""

    __slots__ = ("_moves", "_still", "_then", "_watching", "turns")

    def __init__(self, then: Callable[[], None], still: Callable[[], bool], turns: int = TURNS) -> None:
        self._then = then
        self._still = still
        self._moves = 0
        self._watching = False
        self.turns = turns

    def moved(self) -> None:
        """Something moved."""
        self._moves += 1

    def watch(self) -> None:
        """Look from now on."""
        if not self._watching:
            self._watching = True
            asyncio.get_running_loop().call_soon(self._look, self._moves, 0)

    def _look(self, moves: int, turns: int) -> None:
        if not self._still():
            self._watching = False
        elif moves != self._moves:
            asyncio.get_running_loop().call_soon(self._look, self._moves, 0)
        elif turns < self.turns:
            asyncio.get_running_loop().call_soon(self._look, moves, turns + 1)
        else:
            self._watching = False
            self._then()
