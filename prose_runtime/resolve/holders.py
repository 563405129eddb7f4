"""Which names may hold a service: an item of a list slot, a slot itself, or what was built from these.

In: the nodes of a script and the names of its slots. Out: for each such name, the slot it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from prose_runtime.resolve.bound import mentioned, targets
from prose_runtime.syntax.nodes import Assign, Block, Do, Expression, For, Let, Name, Node, Pipeline, Record


def holders(nodes: Iterable[Node], slots: Iterable[str], blocks: Mapping[str, Block]) -> dict[str, str]:
    """Names, by what is bound to them anywhere in the script. A name that no service can reach is left out."""
    held = {slot: slot for slot in slots}
    if not held:
        return {}
    flows = [(name, tuple(mentioned(value))) for node in nodes for name, value in _bindings(node, blocks)]
    changed = True
    while changed:
        changed = False
        for name, sources in flows:
            source = next((held[item] for item in sources if item in held), None)
            if source is not None and name not in held:
                held[name] = source
                changed = True
    return held


def _bindings(node: Node, blocks: Mapping[str, Block]) -> Iterator[tuple[str, Expression]]:
    if isinstance(node, (Let, Assign)):
        for target in targets(node):
            yield target.id, node.value
    elif isinstance(node, For):
        yield node.item.id, node.iterable
    elif isinstance(node, Record) and isinstance(node.into, Name):
        yield node.into.id, node.value
    elif isinstance(node, Do) and node.block in blocks:
        for parameter, argument in zip(blocks[node.block].parameters, node.arguments, strict=False):
            yield parameter.id, argument
    elif isinstance(node, Pipeline):
        for stage in node.stages:
            for name in stage.parameters or ("item",):
                yield name, node.source
