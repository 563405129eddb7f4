"""How bodies are left. In: a statement. Out: whether it may leave the body that it stands in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prose_runtime.syntax import nodes as n


def bodies_of(node: n.Node) -> Iterable[Sequence[n.Node]]:
    """The bodies of a statement, each a row of statements."""
    for name in ("body", "otherwise", "catch", "cleanup"):
        body = getattr(node, name, None)
        if isinstance(body, tuple):
            yield body


def leaves(node: n.Node, in_loop: bool = False) -> bool:
    """Whether it may leave the body that it stands in. `in_loop`: a `break` or `continue` is one of a loop in it."""
    match node:
        case n.Break() | n.Continue():
            return not in_loop
        case n.Return() | n.Throw():
            return True
        case n.Block() | n.Let() | n.Assign() | n.Evaluate():
            return False  # a `return` in a loop that gives a value ends a round of it
        case n.For() | n.Repeat() | n.Loop():
            return any(leaves(part, True) for part in node.body)
        case _:
            return any(leaves(part, in_loop) for part in _within(node))


def ends(loop: n.Repeat | n.For | n.Loop, as_value: bool) -> bool:
    """Whether something in a loop may end it early. `as_value`: a `return` in it ends a round alone."""
    if isinstance(loop, n.Loop) and loop.condition is not None:
        return True
    return any(_ends(part, as_value, own=True) for part in loop.body)


def _ends(node: n.Node, as_value: bool, own: bool) -> bool:
    match node:
        case n.Return():
            return not as_value
        case n.Break():
            return own
        case n.Block() | n.Let() | n.Assign() | n.Evaluate():
            return False
        case n.For() | n.Repeat() | n.Loop():
            return any(_ends(part, as_value, own=False) for part in node.body)
        case _:
            return any(_ends(part, as_value, own) for part in _within(node))


def _within(node: n.Node) -> Iterable[n.Node]:
    """The statements of all bodies of a statement."""
    if isinstance(node, n.Parallel):
        yield from node.branches
    for part in (node, *getattr(node, "arms", ()), *getattr(node, "options", ())):
        for body in bodies_of(part):
            yield from body
