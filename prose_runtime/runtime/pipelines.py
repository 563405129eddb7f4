"""Pipelines: `xs | map: … | filter: …`. In: a node and a frame. Out: the value of the last stage.

Each item has a frame of its own, like a parallel branch; only `pmap` runs the items at the same time.
"""

from __future__ import annotations

from prose_runtime.runtime.complaints import complaint
from prose_runtime.runtime.frame import Frame
from prose_runtime.runtime.loops import segment
from prose_runtime.runtime.parallel import item_branches
from prose_runtime.runtime.values import ListValue, Value, kind_of, show, truth
from prose_runtime.syntax.nodes import Pipeline, Stage


async def pipeline_value(node: Pipeline, frame: Frame) -> Value:
    """The source, taken through every stage from left to right."""
    value = await frame.run.walk.value(node.source, frame)
    for stage in node.stages:
        if not isinstance(value, ListValue):
            raise complaint("not-a-collection", stage.span, found=kind_of(value), shown=show(value))
        value = await _staged(stage, value, frame)
    return value


async def _staged(stage: Stage, value: ListValue, frame: Frame) -> Value:
    if stage.operation == "reduce":
        return await _reduced(stage, value, frame)
    name = stage.parameters[0] if stage.parameters else "item"
    if stage.operation == "pmap":
        return ListValue(await item_branches(stage, [{name: item} for item in value], stage.body, frame))
    results = [await _once(stage, number, {name: item}, frame) for number, item in enumerate(value, 1)]
    if stage.operation == "filter":
        return ListValue(item for item, result in zip(value, results, strict=True) if truth(result))
    return ListValue(results)


async def _reduced(stage: Stage, value: ListValue, frame: Frame) -> Value:
    """The first item is what the others are combined with."""
    if not len(value):
        return None
    names = stage.parameters if len(stage.parameters) == 2 else ("acc", "item")
    result = value[0]
    for number, item in enumerate(value[1:], 2):
        result = await _once(stage, number, {names[0]: result, names[1]: item}, frame)
    return result


async def _once(stage: Stage, number: int, names: dict[str, Value], frame: Frame) -> Value:
    inner = frame.inner(path=(frame.path, segment(stage, frame), number, stage))
    inner.hold(names)
    await frame.run.breathe(frame.strand)
    ended = await frame.run.walk.element(stage.body, inner)
    frame.take_added(inner, stage)
    frame.latest.update(inner.latest)
    return ended.plain
