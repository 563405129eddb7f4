"""What agents remember. In: what each was asked and answered, with its place in the run. Out: its memory, oldest first.

The order is that of the script, never that of the answers: what parallel branches add is in the order of the branches,
and a branch sees nothing of its siblings. So the same script gives the same memory, whatever came first.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cmp_to_key
from typing import TypeAlias

from prose_runtime.resolve.program import Unit
from prose_runtime.runtime.paths import Path, upwards
from prose_runtime.runtime.port import MemoryStore, Turn
from prose_runtime.syntax.nodes import For, Node, Parallel, Repeat, Stage

MEMORY_LIMIT = 1_000_000
"""The most bytes that the memory of one agent has, written as JSON. The oldest turns leave it first."""

_FRAME = 128
"""Bytes for what stands around the values of a turn."""

Owner: TypeAlias = "tuple[str, str, object]"
"""Scope ("run", "project" or "user"), name, and for the scope "run" the definition as it is bound."""


class InMemory:
    """Keeps memories as long as it is itself kept: what a run has without another `MemoryStore`."""

    def __init__(self) -> None:
        self._turns: dict[tuple[str, str], list[Turn]] = {}

    async def read(self, scope: str, name: str) -> Sequence[Turn]:
        """What is kept."""
        return tuple(self._turns.get((scope, name), ()))

    async def keep(self, scope: str, name: str, run: str, turns: Sequence[Turn]) -> int:
        """Replace what is kept of that run."""
        kept = merged(self._turns.get((scope, name), ()), run, turns)
        self._turns[scope, name] = newest(kept)
        return len(kept) - len(self._turns[scope, name])


def merged(kept: Iterable[Turn], run: str, turns: Sequence[Turn]) -> list[Turn]:
    """What is kept with the turns of one run replaced, in their place; a run that is new comes last."""
    result: list[Turn] = []
    place: int | None = None
    for turn in kept:
        if turn.run != run:
            result.append(turn)
        elif place is None:
            place = len(result)
    at = len(result) if place is None else place
    return [*result[:at], *turns, *result[at:]]


def newest(turns: Sequence[Turn], limit: int = MEMORY_LIMIT) -> list[Turn]:
    """The last turns whose size together is within the limit. One that is larger by itself takes no other's place."""
    left, kept = limit, []
    for turn in reversed(turns):
        size = size_of(turn)
        if size > limit:
            continue
        left -= size
        if left < 0:
            break
        kept.append(turn)
    return kept[::-1]


def size_of(turn: Turn) -> int:
    """Bytes that a turn takes up where it is kept, as JSON with the names of its fields."""
    held = [turn.asked, turn.context, turn.answered, turn.run, turn.key]
    return _FRAME + len(json.dumps(held, ensure_ascii=False).encode("utf-8", "replace"))


@dataclass(slots=True, eq=False)
class _Remembered:
    """A turn of this run, and where and when it came."""

    turn: Turn
    path: Path
    arrived: int


@dataclass(slots=True, eq=False)
class _Held:
    """One agent: what it had before this run (None: not read yet) and what this run added, with its size in bytes."""

    before: tuple[Turn, ...] | None = None
    added: list[_Remembered] = field(default_factory=list)
    size: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Memories:
    """The memories of one run. `run` is its name in what is kept; `units` know the order of their branches."""

    def __init__(self, store: MemoryStore, run: str, units: Iterable[Unit]) -> None:
        self._store = store
        self._run = run
        self._units = tuple(units)
        self._held: dict[Owner, _Held] = {}
        self._arrived = 0

    async def seen_from(self, owner: Owner, path: Path) -> tuple[Turn, ...]:
        """What an agent remembers at a place of the run: what was kept before, then this run's turns in the order of
        the script, without those of branches beside. Raises `ServiceError` when it cannot be read."""
        held = self._held.setdefault(owner, _Held())
        before = await self._before(owner, held)
        steps = _steps(path)
        seen = [item for item in self._in_order(held) if not _beside(_steps(item.path), steps)]
        return tuple(newest([*before, *(item.turn for item in seen)]))

    async def add(self, owner: Owner, path: Path, turn: Turn) -> int:
        """Remember a turn. Gives how many are not kept, because there is no more room for them. Raises `ServiceError`
        when it cannot be written."""
        held = self._held.setdefault(owner, _Held())
        self._arrived += 1
        held.added.append(_Remembered(turn, path, self._arrived))
        scope, name, _ = owner
        if scope == "run":
            held.size += size_of(turn)
            if held.size <= MEMORY_LIMIT:
                return 0
            return len(held.added) - len(newest([item.turn for item in self._in_order(held)]))
        async with held.lock:
            await self._before_unlocked(owner, held)
            turns = [item.turn for item in self._in_order(held)]
            return await self._store.keep(scope, name, self._run, turns)

    async def _before(self, owner: Owner, held: _Held) -> tuple[Turn, ...]:
        async with held.lock:
            return await self._before_unlocked(owner, held)

    async def _before_unlocked(self, owner: Owner, held: _Held) -> tuple[Turn, ...]:
        if held.before is None:
            scope, name, _ = owner
            kept = () if scope == "run" else await self._store.read(scope, name)
            held.before = tuple(turn for turn in kept if turn.run != self._run)
        return held.before

    def _in_order(self, held: _Held) -> list[_Remembered]:
        return sorted(held.added, key=cmp_to_key(self._compare))

    def _compare(self, one: _Remembered, other: _Remembered) -> int:
        """By branch where two stand in branches of one parallel, else by when they came."""
        for left, right in zip(_steps(one.path), _steps(other.path), strict=False):
            if left == right:
                continue
            if _same_parallel(left, right):
                return self._position(left) - self._position(right)
            break
        return one.arrived - other.arrived

    def _position(self, step: _Step) -> int:
        """Which branch of its parallel a step is, from 1."""
        _, number, node = step
        if isinstance(number, int):
            return number
        parts = next((unit.branch_segments[node] for unit in self._units if node in unit.branch_segments), ())
        return parts.index(number) + 1 if number in parts else 0


_Step: TypeAlias = "tuple[str, int | str, Node | None]"


def _steps(path: Path) -> list[_Step]:
    """The steps of a path from the outermost."""
    return [(segment, number, node) for _, segment, number, node in upwards(path)][::-1]


def _same_parallel(left: _Step, right: _Step) -> bool:
    return left[2] is right[2] and left[0] == right[0] and left[1] != right[1] and _is_parallel(left[2])


def _is_parallel(node: Node | None) -> bool:
    if isinstance(node, (For, Repeat)):
        return node.concurrent
    return isinstance(node, Parallel) or (isinstance(node, Stage) and node.operation == "pmap")


def _beside(one: Sequence[_Step], other: Sequence[_Step]) -> bool:
    """Whether the two stand in different branches of one parallel."""
    for left, right in zip(one, other, strict=False):
        if left != right:
            return _same_parallel(left, right)
    return False


def turns_as_json(turns: Iterable[Turn]) -> list[Mapping[str, object]]:
    """A memory as plain data: what was asked and answered, and what was given with it."""
    return [
        {"asked": turn.asked, "answered": turn.answered, **({} if turn.context is None else {"context": turn.context})}
        for turn in turns
    ]
