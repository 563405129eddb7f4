"""Where a value comes from, as data: the inputs, config values, answers and failures in it, and where each stands.

In: nothing. Out: `Source`, and what becomes of a set of them when a value is put into another or taken out of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Literal, NamedTuple, TypeAlias

from prose_runtime.syntax import nodes as n

Kind = Literal["input", "config", "answer", "failure"]
Way = Literal["same", "score", "made"]


class Source(NamedTuple):
    """One origin. `name`: the input, the config value, or who answered or failed; `part`: the property that was read of
    an answer, or ""; `call`: where it was asked for. `under`: the keys of the object in which it is, outermost first;
    `*` at the end stands for any further ones. `way`: of an answer, whether the value is that part itself ("same"),
    what `score` makes of it ("score"), or something that was made of it ("made")."""

    kind: Kind
    name: str
    part: str = ""
    call: n.Expression | None = None
    under: tuple[str, ...] = ()
    way: Way = "same"


Flow: TypeAlias = frozenset[Source]
Names: TypeAlias = "dict[str, Flow]"
NOTHING: Flow = frozenset()
_ANY = "*"
_NESTED = 4  # objects in objects that are told apart


def part_of(flow: Flow, name: str, alike: bool = False) -> Flow:
    """What a property of a value holds: of an answer that part of it, of an object what stands under that key.

    `alike`: also under a key that differs in its spelling only, as `field` reads it.
    """
    found: set[Source] = set()
    for source in flow:
        if source.under:
            key = source.under[0]
            if key == _ANY:
                found.add(source)
            elif key == name or (alike and _plain(key) == _plain(name)):
                found.add(source._replace(under=source.under[1:]))
        elif source.kind == "answer" and not source.part:
            found.add(source._replace(part=name, way="same" if source.way == "same" else "made"))
        else:
            found.add(_made(source))
    return frozenset(found)


def entries_of(flow: Flow) -> Flow:
    """What an entry of an object holds, whatever its key is."""
    return frozenset(
        _made(source._replace(under=source.under[1:]) if source.under and source.under[0] != _ANY else source)
        for source in flow
    )


def made_of(flow: Flow) -> Flow:
    """What is made of values: an item of a list, a list of them, a sum."""
    return frozenset(_made(source) for source in flow)


def _made(source: Source) -> Source:
    return source if source.way == "made" or source.kind != "answer" else source._replace(way="made")


def into(flow: Flow, key: str) -> Flow:
    """The same as an entry of an object."""
    return frozenset(source._replace(under=_within(key, source.under)) for source in flow)


def _within(key: str, under: tuple[str, ...]) -> tuple[str, ...]:
    longer = (key, *under)
    return longer if len(longer) <= _NESTED else (*longer[:_NESTED], _ANY)


def mixed(flow: Flow) -> Flow:
    """The same in a text, or under a key that is not known: whatever is read of it, it may be there."""
    return frozenset(_made(source._replace(under=(_ANY,))) for source in flow)


def single(flow: Flow, way: Way = "made") -> Flow:
    """The same in a value that has no parts, such as a number. `way`: what it is then of an answer."""
    return frozenset(
        source._replace(under=())
        if source.kind != "answer"
        else source._replace(under=(), way=way if source.way == "same" and not source.under else "made")
        for source in flow
    )


def joined(ends: Iterable[Mapping[str, Flow]]) -> Names:
    """Each name with what it holds on any of the ways."""
    found: Names = {}
    for end in ends:
        if not found:
            found = dict(end)
            continue
        different = end.items() - found.items()  # few: most names hold the same on all ways
        for name, flow in sorted(different, key=itemgetter(0)):
            held = found.get(name)
            found[name] = flow if held is None else held | flow
    return found


def _plain(key: str) -> str:
    return "".join(sign for sign in key.casefold() if sign.isalnum())
