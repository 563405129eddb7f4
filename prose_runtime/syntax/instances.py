"""Pattern instances: fenced `yaml` under `### Patterns` (and the older `### Services`).

In: the fences. Out: `Instance` nodes with exact places. A slot's value is a name, a list, or a nested instance. Names
stay texts; config values are typed as JSON is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prose_runtime.diagnostics import Edit, Fix
from prose_runtime.diagnostics.suggestions import did_you_mean, listed
from prose_runtime.source import Span
from prose_runtime.syntax.blocks import Fenced
from prose_runtime.syntax.document import Binding, BoundList, BoundName, Instance, Setting
from prose_runtime.syntax.passage import join, lines_between
from prose_runtime.syntax.plain_yaml import YamlList, YamlMap, YamlNode, YamlText, read_yaml, typed
from prose_runtime.syntax.reports import Reports
from prose_runtime.syntax.sections import RawSection, fences

KEYS = ("name", "pattern", "with", "config")
_PATTERN_KEYS = ("pattern", "compose")
_YAML = ("yaml", "yml")


def read_instances(reports: Reports, sections: Iterable[RawSection]) -> tuple[Instance, ...]:
    """The instances in the order of the file, each name once."""
    instances: dict[str, Instance] = {}
    nameless: list[Instance] = []
    for section in sections:
        for fence in fences(section.blocks):
            if fence.language not in _YAML:
                continue
            for instance in _fence(reports, fence, names=section.key == "services"):
                if instance.name is None:
                    nameless.append(instance)
                elif instance.name in instances:
                    reports.twice("instance", instance.name, instance.span, instances[instance.name].span)
                else:
                    instances[instance.name] = instance
    return (*instances.values(), *nameless)


def _fence(reports: Reports, fence: Fenced, *, names: bool) -> Iterator[Instance]:
    """The instances of a fence. `names`: bare names stand among them, which say only that there are such files."""
    lines = lines_between(reports.source, fence.content, fence.indent)
    if not any(line.text.strip() for line in lines):
        return
    node, found = read_yaml(reports.source, join(lines, "\n"))
    reports.found += found
    for item in node.items if isinstance(node, YamlList) else [node] if node else []:
        if isinstance(item, YamlMap):
            instance = _instance(reports, item, nested=False)
            if instance is not None:
                yield instance
        elif not (names and isinstance(item, YamlText)):
            _mismatch(reports, item, "an instance", "`name`, `pattern`, `with` and `config`")


def _instance(reports: Reports, node: YamlMap, *, nested: bool) -> Instance | None:
    name = pattern = None
    bindings: list[Binding] = []
    settings: list[Setting] = []
    at = node.entries[0][0].span if node.entries else node.span
    for key, value in node.entries:
        if key.text == "name":
            name = _text(reports, value, "the name of an instance")
        elif key.text in _PATTERN_KEYS:
            if key.text == "compose":
                fix = Fix("write `pattern`", (Edit(key.span, "pattern"),))
                reports.add("retired-key", key.span, key=key.text, now="pattern", fixes=(fix,))
            pattern = _text(reports, value, "`pattern`")
        elif key.text == "with":
            bindings = list(_bindings(reports, value))
        elif key.text == "config":
            settings = list(_settings(reports, value))
        else:
            way_out = did_you_mean(key.text, KEYS, f"keep only {listed(KEYS)} here")
            reports.add("unknown-instance-key", key.span, key=key.text, way_out=way_out)
    if pattern is None:
        if not any(key.text in _PATTERN_KEYS for key, _ in node.entries):
            reports.add("incomplete-instance", at, missing="pattern", example="pattern: std/patterns/refine")
        return None
    if name is None and not nested and not any(key.text == "name" for key, _ in node.entries):
        reports.add("incomplete-instance", at, missing="name", example="name: reviewed-draft")
    return Instance(
        node.span, name.text if name else None, pattern.text, pattern.span, tuple(bindings), tuple(settings)
    )


def _text(reports: Reports, node: YamlNode, what: str) -> YamlText | None:
    if isinstance(node, YamlText) and node.text.strip():
        return node
    _mismatch(reports, node, what, "a text")
    return None


def _bindings(reports: Reports, node: YamlNode) -> Iterator[Binding]:
    if not isinstance(node, YamlMap):
        if not _empty(node):
            _mismatch(reports, node, "`with`", "`slot: service` lines")
        return
    for key, value in node.entries:
        bound = _bound(reports, value, key.text)
        if bound is not None:
            yield Binding(key.span.to(value.span), key.text, key.span, bound)


def _bound(reports: Reports, node: YamlNode, slot: str) -> BoundName | BoundList | Instance | None:
    if isinstance(node, YamlMap):
        return _instance(reports, node, nested=True)
    if isinstance(node, YamlText):
        if not node.text.strip():
            _mismatch(reports, node, f"the slot `{slot}`", "a name, a list of names, or an instance")
            return None
        return BoundName(node.span, node.text.strip())
    values: list[BoundName | Instance] = []
    for item in node.items:
        if isinstance(item, YamlList):
            _mismatch(reports, item, f"an item of the slot `{slot}`", "a name or an instance")
            continue
        bound = _bound(reports, item, slot)
        if bound is not None and not isinstance(bound, BoundList):
            values.append(bound)
    return BoundList(node.span, tuple(values))


def _settings(reports: Reports, node: YamlNode) -> Iterator[Setting]:
    if not isinstance(node, YamlMap):
        if not _empty(node):
            _mismatch(reports, node, "`config`", "`name: value` lines")
        return
    for key, value in node.entries:
        yield Setting(key.span.to(value.span), key.text, key.span, typed(value))


def _empty(node: YamlNode) -> bool:
    return isinstance(node, YamlText) and not node.text.strip()


def _mismatch(reports: Reports, node: YamlNode, what: str, wanted: str) -> None:
    if isinstance(node, YamlText):
        found = f"`{node.text}`" if node.text.strip() else "nothing"
    else:
        found = "a list" if isinstance(node, YamlList) else "a mapping"
    text = reports.source.text[node.span.start : node.span.end]
    first = text.split("\n", 1)[0].rstrip("\r")
    reports.add(
        "instance-shape", Span(node.span.start, node.span.start + len(first)), what=what, found=found, wanted=wanted
    )
