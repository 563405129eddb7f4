"""The names of one unit: what a name is where it is read, and whether it may be bound where it is bound.

In: the places of a script in the order of the text (from `flow.py`). Out: diagnostics, `Unit.names`, which names were
read, and the names that nothing declares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager

from prose_runtime.diagnostics import Edit, Fix
from prose_runtime.diagnostics.suggestions import did_you_mean
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.program import NameKind, Unit
from prose_runtime.resolve.state import Body, BodyKind, State
from prose_runtime.source import SourceText, Span
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.nodes import Assign, For, Name, Repeat

BUILTINS = frozenset({"config", "budget"})
COMPARED = 20_000  # names that those which are unknown are compared with
_WORD = pattern(r"[A-Za-z_][\w-]*")


class Scopes:
    """Looks names up and binds them. `fixed` are the read-only names of the loops, handlers and calls around."""

    def __init__(self, unit: Unit, findings: Findings, free: Mapping[str, Name], silenced: frozenset[str]) -> None:
        definition = unit.definition
        self.unit = unit
        self.findings = findings
        self.body = Body("script", None)
        self.fixed: dict[str, str] = {}
        self.errors: frozenset[str] = frozenset()
        self.used: set[str] = set()
        self.unknown: dict[str, list[tuple[Name, bool]]] = {}
        self.siblings: AbstractSet[str] = frozenset()
        self.parallel: For | Repeat | None = None
        self._silenced = silenced
        self._reported: set[str] = set()
        self._compared = 0
        self._declared: dict[str, NameKind] = dict.fromkeys(BUILTINS, "builtin")
        self._declared.update((slot.name, "slot") for slot in definition.slots)
        self._declared.update((item.name, "config") for item in unit.config)
        self._declared.update((item.name, "input") for item in unit.inputs)
        self._declared.update(dict.fromkeys(free, "input"))

    # ---- what conditions ask (`resolve.conditions.scope.ConditionScope`) ----

    @property
    def source(self) -> SourceText:
        """The file."""
        return self.unit.source

    def is_name(self, name: str) -> bool:
        """Whether a variable, an input or config of that name can be read here."""
        return self.kind(name) in ("variable", "input", "config")

    def is_slot(self, name: str) -> bool:
        """Whether it is a slot that nothing hides."""
        return self.kind(name) == "slot"

    def is_error(self, name: str) -> bool:
        """Whether it is the name of a `catch`."""
        return name in self.errors and name in self.fixed

    def is_criteria(self, name: str) -> bool:
        """Whether it is an input or config."""
        return self._declared.get(name) in ("input", "config")

    # ---- looking up ----

    def kind(self, name: str) -> NameKind | None:
        """What a name is here, or None."""
        if name in self.fixed or any(name in body.state.possible for body in self._bodies()):
            return "variable"
        return self._declared.get(name)

    def declared(self, name: str) -> NameKind | None:
        """What the unit declares under a name, whatever the script binds."""
        return self._declared.get(name)

    def visible(self) -> set[str]:
        """Every name that can be read here, slots included."""
        found = set(self._declared) | set(self.fixed)
        for body in self._bodies():
            found |= body.state.possible
        return found

    def _bodies(self) -> Iterator[Body]:
        body: Body | None = self.body
        while body is not None:
            yield body
            body = body.outer

    def read(self, name: Name, passed_on: bool = False) -> None:
        """A name is read. `passed_on`: only to be given as a property of a call."""
        self.used.add(name.id)
        kind = self.kind(name.id)
        if kind is None:
            self._missing(name, passed_on)
            return
        self.unit.names[name] = kind
        if kind == "variable" and self._may_be_unbound(name.id):
            self.warn_once("maybe-unbound", name.span, name=name.id)

    def note(self, names: Iterable[str], span: Span) -> None:
        """Names that a condition reads."""
        for name in names:
            self.used.add(name)
            if self.kind(name) == "variable" and self._may_be_unbound(name):
                self.warn_once("maybe-unbound", span, name=name)

    def warn_once(self, code: str, span: Span, name: str) -> None:
        """Report a name at the first place only."""
        if (code + name) not in self._reported:
            self._reported.add(code + name)
            self.findings.add(code, span, name=name)

    def _may_be_unbound(self, name: str) -> bool:
        if name in self.fixed or name in self._declared:
            return False
        return all(body.state.may_lack(name) for body in self._bodies())

    def _missing(self, name: Name, passed_on: bool) -> None:
        if name.id in self._silenced:
            return
        if name.id in self.siblings:
            self.warn_once("read-before-join", name.span, name.id)
            return
        self.unknown.setdefault(name.id, []).append((name, passed_on))

    def report_unknown(self, name: Name, bound_later: Name | None) -> None:
        """An unknown name, at the first place where it is read."""
        if bound_later is not None and bound_later.span.start > name.span.start:
            line = self.source.position(bound_later.span.start).line
            text = f"move the line that binds `{name.id}` (line {line}) before this one"
        else:
            text = self.meant(name.id, self._everything, f"bind it first: `let {name.id} = …`")
        self.findings.add("unknown-name", name.span, name=name.id, help=text)

    def meant(self, name: str, candidates: Callable[[], set[str]], otherwise: str) -> str:
        """The help line about an unknown name. Where there are very many of them, misspelling is not what is wrong, and
        comparing each with every name would take long."""
        known = candidates() if self._compared < COMPARED else set()
        self._compared += len(known)
        return did_you_mean(name, known, otherwise)

    def _everything(self) -> set[str]:
        return self.visible() | self.used.difference(self.unknown) | set(self._declared)

    # ---- binding ----

    def bind(self, name: Name, constant: bool = False, declares: bool = True, assign: Assign | None = None) -> None:
        """A name is bound here; `declares` for `let` and `const`, not for `=` and `record`."""
        if name.id in self.fixed:
            self.used.add(name.id)
            self.findings.add("read-only-name", name.span, name=name.id, what=self.fixed[name.id])
            return
        first = self._constant(name.id)
        if first is not None and first is not name:
            also = [self.findings.label(first.span, "the constant is bound here")]
            self.findings.add("const-rebound", name.span, also=also, name=name.id)
        elif self.body.kind != "script":
            self._check_outer(name, declares, assign)
        self.body.own.add(name.id)
        self.body.state.bind(name.id)
        if constant:
            self.body.state.constants[name.id] = name

    def change(self, root: Name) -> None:
        """A property or an item of a value is set, or an item recorded: the name must exist and be free to change."""
        if root.id in self.fixed:
            self.findings.add("read-only-name", root.span, name=root.id, what=self.fixed[root.id])
            return
        first = self._constant(root.id)
        if first is not None:
            also = [self.findings.label(first.span, "the constant is bound here")]
            self.findings.add("const-rebound", root.span, also=also, name=root.id)

    def _constant(self, name: str) -> Name | None:
        """Where a name was bound by `const`, if it was."""
        return next((body.state.constants[name] for body in self._bodies() if name in body.state.constants), None)

    def _check_outer(self, name: Name, declares: bool, assign: Assign | None) -> None:
        """A body of its own must not seem to change the names around it."""
        body: Body | None = self.body
        while body is not None and body.kind == "branch" and name.id not in body.own:
            body = body.outer
        if body is None or body.kind == "script" or name.id in body.own or not self._known_outside(body, name.id):
            return
        if body.kind == "each":
            if declares:
                self.warn_once("branch-local", name.span, name.id)
            else:
                fix = self._collecting_form(name.id, assign)
                self.findings.add("lost-assignment", name.span, name=name.id, fixes=[fix] if fix else [])
        elif not declares:
            self.warn_once("body-local", name.span, name.id)

    def _known_outside(self, body: Body, name: str) -> bool:
        outer = body.outer
        while outer is not None:
            if name in outer.state.possible:
                return True
            outer = outer.outer
        return self._declared.get(name) in ("input", "config")

    def _collecting_form(self, name: str, assign: Assign | None) -> Fix | None:
        loop = self.parallel
        if loop is None or assign is None or loop.body[-1] is not assign:
            return None
        start = loop.span.start
        edits = (
            Edit(Span(start, start), f"let {name} = "),
            Edit(Span(assign.span.start, assign.value.span.start), ""),
        )
        return Fix(f"collect the values: `let {name} = parallel …`", edits, safe=False)

    # ---- bodies ----

    @contextmanager
    def inside(self, kind: BodyKind, state: State | None = None) -> Iterator[Body]:
        """A body of its own, with the names around it readable."""
        body = Body(kind, self.body, state or State())
        self.body = body
        try:
            yield body
        finally:
            assert body.outer is not None
            self.body = body.outer

    @contextmanager
    def holding(self, names: Mapping[str, str]) -> Iterator[None]:
        """Read-only names for a while: each name with what it is."""
        before = self.fixed
        self.fixed = {**before, **names}
        try:
            yield
        finally:
            self.fixed = before


def words(text: str) -> frozenset[str]:
    """Everything in a text that could be a name."""
    return frozenset(_WORD.findall(text))
