"""Single statements and expressions that are wrong by themselves.

In: the nodes of a script. Out: diagnostics about counts, modifiers, throws, duplicates, agents, stages and functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from prose_runtime.diagnostics.suggestions import did_you_mean, listed
from prose_runtime.resolve.builtins import FUNCTIONS
from prose_runtime.resolve.findings import Findings
from prose_runtime.resolve.passing import literal_value
from prose_runtime.resolve.program import Unit
from prose_runtime.resolve.sessions import SessionChecks
from prose_runtime.resolve.types import name_of
from prose_runtime.source import Span
from prose_runtime.syntax import children
from prose_runtime.syntax.nodes import (
    Agent,
    Apply,
    Block,
    Choice,
    Constant,
    Expression,
    For,
    Gate,
    Loop,
    Modifiers,
    Name,
    Node,
    Object,
    Parallel,
    Repeat,
    Resume,
    Session,
    Stage,
    Statement,
    Text,
    Throw,
    Try,
)

STAGES = ("map", "filter", "pmap", "reduce")
# What other languages have as functions, and what is written here.
FOREIGN_FUNCTIONS = {
    "gate": 'write `gate question: "…"`',
    "session": 'write `session "…"`',
    "resume": "write `resume: ` and the name of the agent",
    "range": "go through the numbers with `repeat n as i:`, or write a list: `[0, 1, 2]`",
    "print": "take the line out; `return` gives a result, and `record … in notes` keeps one",
    "str": 'put it into a text: `"{…}"`',
    "int": "write `number(…)`",
    "float": "write `number(…)`",
    "sorted": 'write `top(list, count, "score")`, which puts the highest first',
    "set": "write `distinct(…)`",
    "lower": "write `plain(…)`, or compare with `contains`, which looks past case",
    "enumerate": "write `for item, index in items:`",
    "append": "write `record item in items`",
}
JOINS = ("all", "first", "any")
FAILURES = ("fail-fast", "continue", "ignore")
AGENT_PROPERTIES = ("model", "prompt", "persist", "skills", "shape")
SHAPE_PROPERTIES = ("self", "delegates", "prohibited")


class Checks:
    """Looks at each node by itself."""

    def __init__(self, unit: Unit, findings: Findings) -> None:
        self.unit = unit
        self.findings = findings
        self._asked = SessionChecks(unit, findings)

    def run(self, nodes: Iterable[Node]) -> None:
        """Check every node of a script."""
        for node in nodes:
            check = _CHECKS.get(type(node))
            if check is not None:
                check(self, node)

    # ---- loops ----

    def repeat(self, node: Repeat) -> None:
        self._count(node.count, "repeat", least=0)
        self._modifiers(node.modifiers, None)

    def iterate(self, node: For) -> None:
        self._count(node.maximum, "max", least=0)
        self._modifiers(node.modifiers, None)

    def loop(self, node: Loop) -> None:
        self._count(node.maximum, "max", least=0)
        if node.maximum is None:
            head = self._head(node)
            self.findings.add("unbounded-loop", head)

    def _head(self, node: Loop) -> Span:
        if node.condition is not None:
            return Span(node.span.start, max(node.condition.span.end, node.span.start + 4))
        return Span(node.span.start, node.span.start + 4)

    def _count(self, value: Expression | None, what: str, least: int) -> None:
        if value is None:
            return
        known, literal = literal_value(value)
        if known and (not isinstance(literal, int) or isinstance(literal, bool) or literal < least):
            self.findings.add("bad-count", value.span, what=what, found=name_of(literal), least=least)

    # ---- parallel ----

    def parallel(self, node: Parallel) -> None:
        self._modifiers(node.modifiers, len(node.branches))

    def _modifiers(self, modifiers: Modifiers | None, branches: int | None) -> None:
        if modifiers is None:
            return
        for entry in modifiers.unknown:
            text = did_you_mean(entry.key, ("count", "on-fail"), "write `count:` or `on-fail:`")
            self.findings.add("unknown-modifier", entry.key_span, name=entry.key, help=text)
        join = self._word(modifiers.join, "join strategy", JOINS)
        self._word(modifiers.on_fail, "failure policy", FAILURES)
        if modifiers.count is None:
            return
        self._count(modifiers.count, "count", least=1)
        known, count = literal_value(modifiers.count)
        if join is not None and join != "any":
            self.findings.add("count-without-any", modifiers.count.span, join=join)
        elif known and branches is not None and isinstance(count, int) and count > branches:
            self.findings.add("count-too-large", modifiers.count.span, count=count, branches=branches)

    def _word(self, value: Expression | None, what: str, words: Sequence[str]) -> str | None:
        """The literal word of a modifier ("all" when left out); None when it is not known before the run."""
        if value is None:
            return "all"
        word = _text(value)
        if isinstance(value, Name) and self.unit.names.get(value) == "word":
            word = value.id
        if word is None:
            if isinstance(value, Constant):
                self._bad_word(value, what, name_of(value.value), "", words)
            return None
        if word not in words:
            self._bad_word(value, what, f'"{word}"', word, words)
            return None
        return word

    def _bad_word(self, value: Expression, what: str, found: str, word: str, words: Sequence[str]) -> None:
        text = did_you_mean(word, words, f"write one of {listed(words)}")
        self.findings.add("unknown-policy", value.span, what=what, found=found, help=text)

    # ---- declarations in scripts ----

    def agent(self, node: Agent) -> None:
        for entry in node.properties:
            self._known(entry.key, entry.key_span, AGENT_PROPERTIES, "an agent")
        for entry in node.shape:
            self._known(entry.key, entry.key_span, SHAPE_PROPERTIES, "a shape")
        self._once([(entry.key, entry.key_span) for entry in node.properties])
        self._once([(entry.key, entry.key_span) for entry in node.shape])
        self._asked.agent(node)

    def _known(self, key: str, span: Span, keys: Sequence[str], what: str) -> None:
        if key not in keys:
            text = did_you_mean(key, keys, f"{what} has {listed(keys)}")
            self.findings.add("unknown-property", span, name=key, what=what, help=text)

    def block(self, node: Block) -> None:
        self._once([(item.id, item.span) for item in node.parameters], "declared-twice")

    def object(self, node: Object) -> None:
        self._once([(entry.key, entry.key_span) for entry in node.entries])

    def _once(self, names: Sequence[tuple[str, Span]], code: str = "duplicate-property") -> None:
        first: dict[str, Span] = {}
        for name, span in names:
            if name in first:
                also = [self.findings.label(first[name], "given here first")]
                self.findings.add(code, span, also=also, name=name)
            first.setdefault(name, span)

    # ---- other statements and expressions ----

    def stage(self, node: Stage) -> None:
        start = Span(node.span.start, node.span.start + 1)
        if node.operation not in STAGES:
            text = did_you_mean(node.operation, STAGES, f"write one of {listed(STAGES)}")
            self.findings.add("unknown-stage", start, name=node.operation, help=text)
        elif node.operation == "reduce" and len(node.parameters) != 2:
            self.findings.add("reduce-parameters", start)

    def apply(self, node: Apply) -> None:
        function = FUNCTIONS.get(node.function)
        if function is not None:
            given = len(node.arguments)
            if not function.takes(given):
                takes, written = function.count(), function.written()
                self.findings.add(
                    "function-arguments", node.span, name=node.function, given=given, takes=takes, written=written
                )
            return
        known = [*FUNCTIONS, *self.unit.blocks]
        callable_ = self.unit.document.definition(node.function) is not None or any(
            slot.name == node.function for slot in self.unit.definition.slots
        )
        otherwise = f"write `call {node.function}(…)`" if callable_ else f"there are {', '.join(FUNCTIONS)}"
        text = f"write `do {node.function}(…)`" if node.function in self.unit.blocks else None
        text = text or (None if callable_ else self._foreign(node))
        text = text or did_you_mean(node.function, known, otherwise)
        self.findings.add("no-such-function", node.function_span, name=node.function, help=text)

    def _foreign(self, node: Apply) -> str | None:
        known, count = literal_value(node.arguments[0]) if len(node.arguments) == 1 else (False, None)
        if node.function == "range" and known and isinstance(count, int):
            return f"write `repeat {count} as i:`, or the numbers as a list: `[0, 1, 2]`"
        return FOREIGN_FUNCTIONS.get(node.function)

    def session(self, node: Session | Resume) -> None:
        self._asked.session(node)

    def gate(self, node: Gate) -> None:
        self._asked.gate(node)

    def choice(self, node: Choice) -> None:
        first: dict[str, Span] = {}
        for option in node.options:
            label = _text(option.label)
            if label is not None and label in first:
                also = [self.findings.label(first[label], "the first option of that label")]
                self.findings.add("duplicate-option", option.label.span, also=also, label=label)
            elif label is not None:
                first[label] = option.label.span


def check_throws(statements: Sequence[Statement], findings: Findings, caught: bool = False) -> None:
    """`throw` without a value is meant for a `catch`."""
    for statement in statements:
        _throws(statement, findings, caught)


def _throws(node: Node, findings: Findings, caught: bool) -> None:
    if isinstance(node, Throw):
        if node.value is None and not caught:
            findings.add("throw-outside-catch", node.span)
        return
    if isinstance(node, Try):
        check_throws(node.body, findings, caught)
        check_throws(node.catch or (), findings, True)
        check_throws(node.cleanup or (), findings, caught)
        return
    for child in children(node):
        if not isinstance(child, (Constant, Name, Text)):
            _throws(child, findings, caught and not isinstance(child, Block))


def _text(value: Expression) -> str | None:
    if isinstance(value, Text) and all(isinstance(part, str) for part in value.parts):
        return "".join(str(part) for part in value.parts)
    return None


_CHECKS: dict[type, Callable[[Checks, Any], None]] = {
    Repeat: Checks.repeat,
    For: Checks.iterate,
    Loop: Checks.loop,
    Parallel: Checks.parallel,
    Agent: Checks.agent,
    Block: Checks.block,
    Object: Checks.object,
    Stage: Checks.stage,
    Apply: Checks.apply,
    Choice: Checks.choice,
    Session: Checks.session,
    Resume: Checks.session,
    Gate: Checks.gate,
}
