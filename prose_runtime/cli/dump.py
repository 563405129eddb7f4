"""What a phase made, as an indented tree (`prose check --dump document|program|plan`).

In: a document, a program or a plan, and the text whose lines are meant. Out: lines of text. A thing that was shown
before is shown again only as its type and name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Set

from prose_runtime.api import Loaded
from prose_runtime.diagnostics.visible import cut, visible, visible_line
from prose_runtime.resolve import Unit
from prose_runtime.resolve.bounds import bounds_of
from prose_runtime.resolve.counting import ZERO
from prose_runtime.resolve.dump import dump_unit, render_program
from prose_runtime.resolve.needs import needs_of
from prose_runtime.source import SourceText, Span

_LONGEST = 100


def dump_phase(loaded: Loaded, phase: str) -> str:
    """What "document", "program" or "plan" is for a file. The plan of a file says how each step is decided and called;
    which services answer is known only to a run."""
    program = loaded.program
    if phase == "document":
        return dump(loaded.document, loaded.document.source)
    if phase == "program":
        return visible(render_program(program))
    return "\n\n".join(
        f"{unit.definition.kind} {unit.name} ({visible_line(unit.source.name)})\n{dump(_steps(unit), unit.source)}"
        for unit in program.units
    )


def _steps(unit: Unit) -> dict[str, object]:
    """What the runtime will do in a unit, by the place where it stands."""
    place = unit.source.position
    calls = {
        f"{place(call.span.start).line}:{place(call.span.start).column} {unit.segments.get(call, '')}": (
            f"{target.kind} {target.name}"
        )
        for call, target in unit.calls.items()
    }
    seen = dump_unit(unit)
    calls |= {f"{item['at']} {item.get('key', '')}": _asked(item) for item in seen.get("sessions", ())}
    calls |= {f"{item['at']} {item.get('key', '')}": f"a person: {item['asks']}" for item in seen.get("gates", ())}
    conditions = {
        f"{place(node.span.start).line}:{place(node.span.start).column} {plan.text}": f"{plan.how}, judge {plan.judge}"
        for node, plan in unit.conditions.items()
    }
    return {
        "inputs": [item.name for item in (*unit.inputs, *unit.passed_on)],
        "list slots": sorted(unit.list_slots),
        "calls": calls,
        "how many calls": _counted(unit),
        "conditions": conditions,
        "instances": {name: item.unit.name for name, item in unit.instances.items()},
        "needs": [
            f"{need.kind} {need.name}" + ("" if need.required else ", optional") for need in needs_of(unit.definition)
        ],
    }


def _counted(unit: Unit) -> dict[str, str]:
    """The fewest and the most calls, in all and of each."""
    bounds = bounds_of(unit)
    rows = [("in all", bounds.fewest_calls, bounds.most_calls)]
    rows += [(name, bounds.least.get(name, ZERO), count) for name, count in bounds.most.items()]
    return {
        name: f"at least {bounds.written(least, unit.source)}, at most {bounds.written(most, unit.source)}"
        for name, least, most in rows
    }


def _asked(item: Mapping[str, object]) -> str:
    """Who is asked in a session."""
    if "is" in item:
        return f"{item['target']} {item['is']}"
    who = next((f" as {key} {item[key]}" for key in ("agent", "part") if key in item), "")
    return f"{item.get('model', 'model')}{who}"


def dump(thing: object, source: SourceText) -> str:
    """The tree of `thing`; every place is `line:column` in `source`."""
    return "\n".join(_Dumper(source).lines("", thing, 0))


class _Dumper:
    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.seen: set[int] = set()

    def lines(self, label: str, thing: object, depth: int) -> Iterator[str]:
        head = f"{'  ' * depth}{label}{' ' if label else ''}"
        if dataclasses.is_dataclass(thing) and not isinstance(thing, type | Span | SourceText):
            yield from self._record(head, thing, depth)
        elif isinstance(thing, Mapping) and thing:
            if label:
                yield head.rstrip()
            for key, value in thing.items():
                name = visible_line(key) if isinstance(key, str) else self._inline(key)
                yield from self.lines(f"{name}:", value, depth + 1)
        elif isinstance(thing, list | tuple | Set) and not self._is_short(thing):
            yield head.rstrip()
            for value in thing:
                yield from self.lines("-", value, depth + 1)
        else:
            yield f"{head}{self._inline(thing)}"

    def _record(self, head: str, thing: object, depth: int) -> Iterator[str]:
        title = self._title(thing)
        if id(thing) in self.seen:
            yield f"{head}{title} (above)"
            return
        self.seen.add(id(thing))
        yield f"{head}{title}"
        for field in dataclasses.fields(thing):  # type: ignore[arg-type]
            value = getattr(thing, field.name)
            if field.name in ("span", "offsets") or value in (None, "", (), False) or _is_empty(value):
                continue
            yield from self.lines(f"{field.name}:", value, depth + 1)

    def _title(self, thing: object) -> str:
        span = getattr(thing, "span", None)
        place = f" {self._place(span)}" if isinstance(span, Span) else ""
        name = getattr(thing, "name", None)
        return f"{type(thing).__name__}{place}" + (f" `{visible_line(name)}`" if isinstance(name, str) else "")

    def _place(self, span: Span) -> str:
        start, end = self.source.position(span.start), self.source.position(span.end)
        return f"{start.line}:{start.column}-{end.line}:{end.column}"

    def _is_short(self, things: list[object] | tuple[object, ...] | Set[object]) -> bool:
        return all(isinstance(item, str | int | float | None) for item in things)

    def _inline(self, thing: object) -> str:
        if isinstance(thing, Span):
            return self._place(thing)
        if isinstance(thing, SourceText):
            return visible_line(thing.name)
        if dataclasses.is_dataclass(thing):
            return self._title(thing)
        if isinstance(thing, list | tuple | Set):
            ordered = sorted(map(repr, thing)) if isinstance(thing, Set) else map(repr, thing)
            return cut(visible_line(", ".join(ordered)), _LONGEST)
        return cut(visible_line(repr(thing)), _LONGEST)


def _is_empty(value: object) -> bool:
    return isinstance(value, list | dict | set | frozenset) and not value
