"""The names of one body while it runs. In: what the unit was given. Out: values by name.

There is one frame for a script, a block or function call, a parallel branch and a pipeline item. A branch begins with a
copy of the names around it; what it adds to a list of theirs is kept in `added` and joins that list after the branch.
`grown_from` holds what such a name had before, so that a list that nobody else changed meanwhile is taken as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from prose_runtime.resolve.program import Unit
from prose_runtime.runtime.complaints import complaint
from prose_runtime.runtime.contracts import shown
from prose_runtime.runtime.errors import Failure
from prose_runtime.runtime.paths import Path
from prose_runtime.runtime.plan import BoundUnit
from prose_runtime.runtime.values import ListValue, ServiceRef, Value
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.nodes import Condition, Name, Node

if TYPE_CHECKING:
    from prose_runtime.runtime.run import Run
    from prose_runtime.runtime.strands import Strand
    from prose_runtime.runtime.watching import Watch

Step = str | int
Hidden = tuple[str, Any, bool, str | None]
"""A name that a loop or handler hides: its value, whether it is an input nobody gave, its single output."""


class Frame:
    """The names of a body, and where in the run it stands."""

    __slots__ = (
        "added",
        "bound",
        "failing",
        "grown_from",
        "home",
        "latest",
        "level",
        "names",
        "not_given",
        "outer",
        "own",
        "path",
        "run",
        "singles",
        "source",
        "strand",
        "unit",
        "watch",
    )

    def __init__(self, run: Run, strand: Strand, bound: BoundUnit, path: Path, level: int = 0) -> None:
        self.run = run
        self.strand = strand
        self.bound = bound
        self.unit: Unit = bound.unit
        self.source: SourceText = bound.unit.source
        self.path = path
        self.level = level
        self.names: dict[str, Value] = {}
        self.own: set[str] = set()
        self.added: list[tuple[str, tuple[Step, ...], Value]] = []
        self.grown_from: dict[str, Value] = {}
        self.latest: dict[str, Value] = {}
        self.singles: dict[str, str] = {}
        self.not_given: frozenset[str] = frozenset()
        self.outer: Frame | None = None
        self.home: Frame = self
        self.failing: Failure | None = None
        self.watch: Watch | None = None

    def inner(self, strand: Strand | None = None, path: Path | None = None) -> Frame:
        """A frame for a body inside of this one: it reads the names as they are now and binds its own."""
        frame = Frame(self.run, strand or self.strand, self.bound, path or self.path, self.level)
        frame.names = dict(self.names)
        frame.latest = dict(self.latest)
        frame.singles = dict(self.singles)
        frame.not_given = self.not_given
        frame.outer = self
        frame.home = self.home
        frame.failing = self.failing
        frame.watch = self.watch
        return frame

    # ---- reading -------------------------------------------------------------------------------------------

    def lookup(self, name: Name) -> Value:
        """The value of a name; null with a warning if no statement that ran has bound it."""
        try:
            return self.names[name.id]
        except KeyError:
            return self._unbound(name)

    def _unbound(self, name: Name) -> Value:
        if name.id == "budget":
            return self.run.budget_at(self.path)
        callee = next((target for node, target in self.bound.instances.items() if node.name == name.id), None)
        if callee is not None:
            return ServiceRef(callee.name, callee)
        self.warn("maybe-unbound", name.span, name=name.id)
        return None

    def has(self, name: str) -> bool:
        """Whether a value is bound to the name."""
        return name in self.names

    def slot_answer(self, slot: str) -> tuple[bool, Value]:
        """Whether a slot has answered in this body yet, and its latest answer."""
        return slot in self.latest, self.latest.get(slot)

    def slot_items(self, slot: str) -> ListValue | None:
        """The services of a list slot; None for a slot of one service, which is its latest answer."""
        held = self.bound.slots.get(slot)
        return held if isinstance(held, ListValue) else None

    def single_output(self, name: str) -> str | None:
        """The only declared output of the call that the name was bound to, so that `x.o` can be x."""
        return self.singles.get(name)

    def holds(self, condition: Condition) -> bool:
        """Whether a condition holds that can be decided without waiting."""
        return self.run.walk.holds(condition, self)

    def warn(self, code: str, span: Span, **facts: object) -> None:
        """Tell the author about something that did not stop the run."""
        self.run.warn(code, self.source, span, facts)

    def take_changes(self, key: str) -> None:
        """Names that a fork gives other values before this step."""
        for name, value in self.run.changes.pop(key, {}).items():
            self.bind(name, value)

    # ---- binding -------------------------------------------------------------------------------------------

    def bind(self, name: str, value: Value) -> None:
        """`let` and `=`."""
        self.names[name] = value
        self.own.add(name)
        if self.singles:
            self.singles.pop(name, None)
        if name in self.not_given:
            self.not_given -= {name}

    def hold(self, names: Mapping[str, Value]) -> None:
        """Names that a body is given: parameters of a block, the item of a branch or a stage."""
        for name, value in names.items():
            self.bind(name, value)

    def change(self, name: str, steps: tuple[Step, ...], value: Value, node: Node) -> None:
        """`a.b[0] = value`: the name gets a changed copy, nobody else's value changes."""
        self.bind(name, changed(self.names.get(name), steps, value, node))

    def append(self, name: str, steps: tuple[Step, ...], value: Value, node: Node) -> Value:
        """`record`: the name gets a longer list. Gives the longer list."""
        current = reached(self.names.get(name), steps, node)
        if not isinstance(current, ListValue):
            raise complaint("cannot-record", node.span, name=name, found=shown(current))
        outside = self.outer is not None and name not in self.own and name in self.outer.names
        if outside:
            self.added.append((name, steps, value))
            self.grown_from.setdefault(name, self.names[name])
        else:
            self.own.add(name)
        longer = current.append(value)
        self.names[name] = changed(self.names.get(name), steps, longer, node) if steps else longer
        return longer

    def take_added(self, inner: Frame, node: Node) -> None:
        """Add to the lists of this frame what a finished inner body added to them."""
        whole = {name for name, before in inner.grown_from.items() if self._takes_whole(name, before, inner)}
        for name in whole:
            self._take_whole(name, inner)
        for name, steps, value in inner.added:
            if name not in whole:
                self.append(name, steps, value, node)
        inner.added.clear()

    def _takes_whole(self, name: str, before: Value, inner: Frame) -> bool:
        return name not in inner.own and self.names.get(name) is before

    def _take_whole(self, name: str, inner: Frame) -> None:
        """Nobody changed the list since the inner body began: what that made of it is what this frame has now."""
        if self.outer is not None and name not in self.own and name in self.outer.names:
            self.grown_from.setdefault(name, self.names[name])
            self.added += [item for item in inner.added if item[0] == name]
        self.names[name] = inner.names[name]

    # ---- blocks --------------------------------------------------------------------------------------------

    def block(self, strand: Strand, path: Path) -> Frame:
        """A frame for a block that is done from here: it reads the names of the script, grown lists as seen here."""
        inner = self.home.inner(strand, path)
        inner.latest = dict(self.latest)
        inner.failing = self.failing
        for name in self.grown_from:
            if not self._shadows(name):
                inner.names[name] = self.names[name]
        return inner

    def take_from_block(self, inner: Frame, node: Node) -> None:
        """What a finished block added to lists of the script, as if the statements had stood here."""
        shadowed = {name for name, _, _ in inner.added if self._shadows(name)}
        if shadowed:
            for name, steps, value in inner.added:
                if name in shadowed:
                    self.home.append(name, steps, value, node)
            inner.added = [item for item in inner.added if item[0] not in shadowed]
            inner.grown_from = {name: was for name, was in inner.grown_from.items() if name not in shadowed}
        self.take_added(inner, node)
        self.latest.update(inner.latest)

    def _shadows(self, name: str) -> bool:
        """Whether a name of the script means another value here."""
        frame: Frame | None = self
        while frame is not None and frame is not self.home:
            if name in frame.own:
                return True
            frame = frame.outer
        return False

    # ---- names of loops ------------------------------------------------------------------------------------

    def set_aside(self, *names: str | None) -> list[Hidden]:
        """What the names of a loop or handler hide, to be put back after it."""
        hidden: list[Hidden] = []
        for name in names:
            if name is not None:
                missing = name in self.not_given
                hidden.append((name, self.names.get(name, _NOTHING), missing, self.singles.pop(name, None)))
                if missing:
                    self.not_given -= {name}
        return hidden

    def put_back(self, hidden: list[Hidden]) -> None:
        """Undo `set_aside`."""
        for name, value, missing, single in hidden:
            if value is _NOTHING:
                self.names.pop(name, None)
            else:
                self.names[name] = value
            if missing:
                self.not_given |= {name}
            if single is not None:
                self.singles[name] = single

    def bound_here(self) -> Mapping[str, Value]:
        """The names that the statements of this body have bound."""
        return {name: self.names[name] for name in self.names if name in self.own}


_NOTHING = object()


def reached(value: Value, steps: tuple[Step, ...], node: Node) -> Value:
    """What stands at a path inside of a value."""
    for step in steps:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, ListValue) and isinstance(step, int) and -1 < step < len(value):
            value = value[step]
        else:
            raise _unreachable(value, step, node)
    return value


def changed(value: Value, steps: tuple[Step, ...], new: Value, node: Node) -> Value:
    """A copy of a value with another value at a path inside of it."""
    if not steps:
        return new
    first, rest = steps[0], steps[1:]
    if isinstance(value, dict) and isinstance(first, str):
        if rest and first not in value:
            raise _unreachable(None, rest[0], node)
        return {**value, first: changed(value.get(first), rest, new, node)}
    if isinstance(value, ListValue) and isinstance(first, int) and -1 < first < len(value):
        return value.with_item(first, changed(value[first], rest, new, node))
    raise _unreachable(value, first, node)


def _unreachable(value: Value, step: Step, node: Node) -> Failure:
    what = f"item {step}" if isinstance(step, int) else f"the property `{step}`"
    return complaint("cannot-set", node.span, what=what, found=shown(value))
