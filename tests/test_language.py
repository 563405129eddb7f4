"""docs/language.md is run: every script, document and row of a table on that page does what stands beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pages import DOCS, Row, blocks, code, examples, file_of, tables, write_file

from prose_runtime import load
from prose_runtime.casebook.blocks import read_yaml
from prose_runtime.casebook.virtual_time import LoopClock, in_virtual_time
from prose_runtime.diagnostics import Diagnostic, has_errors
from prose_runtime.resolve import resolve
from prose_runtime.resolve.loader import NoLoader
from prose_runtime.resolve.program import Program
from prose_runtime.runtime import Budget, Outcome, bind, execute
from prose_runtime.services import ScriptedService
from prose_runtime.source import SourceText
from prose_runtime.syntax import read, walk
from prose_runtime.syntax.document import Document, Json
from prose_runtime.syntax.nodes import Node, Script
from prose_runtime.syntax.types import print_type

PAGE = DOCS / "language.md"
HEAD = "---\nname: example\nkind: pattern\n---\n\n"


@dataclass
class Shown:
    """What came of an example."""

    found: list[Diagnostic]
    outcome: Outcome | None = None
    services: dict[str, ScriptedService | list[ScriptedService]] = field(default_factory=dict)

    @property
    def refused(self) -> list[str]:
        return [item.code for item in self.found if item.severity == "error"]

    @property
    def ended(self) -> Outcome:
        assert self.outcome is not None, [str(item) for item in self.found]
        return self.outcome


def _document(script: str, given: dict[str, Any]) -> str:
    """The pattern around a script: slots of the services, config, and what it declares."""
    slots = "".join(f"- `{name}`\n" for name in given.get("services", {}) if name != "judge")
    config = "".join(f"- `{name}` (any, default: none): given\n" for name in given.get("config", {}))
    lists = [name for name, replies in given.get("services", {}).items() if isinstance(replies, dict)]
    declared = [
        *(f"{name}: string[] -- some" for name in lists),
        *(f"{n}: any -- x" for n in given.get("requires", {})),
    ]
    parts = {"Slots": slots, "Config": config}
    if declared:
        parts["Requires"] = "- Pattern instance receives:\n" + "".join(f"    {line}\n" for line in declared)
    sections = "".join(f"### {title}\n\n{text}\n" for title, text in parts.items() if text)
    return f"{HEAD}{sections}### Delegation\n\n```prose\n{script}```\n"


def _services(given: dict[str, Any]) -> dict[str, ScriptedService | list[ScriptedService]]:
    return {
        name: [ScriptedService(each, name=own) for own, each in replies.items()]
        if isinstance(replies, dict)
        else ScriptedService(replies, name=name)
        for name, replies in given.get("services", {}).items()
    }


def _show(text: str, given: dict[str, Any]) -> Shown:
    document, found = read(SourceText("example", text))
    program, more = resolve(document, NoLoader())
    return _ended(program, found + more, given)


def _ended(program: Program, found: list[Diagnostic], given: dict[str, Any]) -> Shown:
    shown = Shown(found, services=_services(given))
    if has_errors(shown.found):
        return shown
    services = dict(shown.services)
    plan, more = bind(
        program,
        services,
        inputs={**given.get("inputs", {}), **given.get("requires", {})},
        config=given.get("config", {}),
        budget=Budget(**given.get("budget", {})),
    )
    shown.found += more
    if not has_errors(shown.found):
        shown.outcome, _ = in_virtual_time(lambda: execute(plan, clock=LoopClock()))  # no order hangs on the machine
    return shown


# ---- what is said under an example -----------------------------------------------------------------------


def _gives(shown: Shown, value: str) -> None:
    assert shown.ended.status == "done", shown.ended.error
    assert shown.ended.result == json.loads(value)


def _fails(shown: Shown, name: str) -> None:
    assert shown.ended.error is not None, shown.ended.result
    assert shown.ended.error.name == name, shown.ended.error


def _refused(shown: Shown, name: str) -> None:
    assert name in shown.refused, [str(item) for item in shown.found]
    assert shown.outcome is None


def _warns(shown: Shown, name: str) -> None:
    assert name in [warning.code for warning in shown.ended.warnings]


def _reported(shown: Shown, name: str) -> None:
    assert name in [item.code for item in shown.found if item.severity != "error"], [str(item) for item in shown.found]


def _stops(shown: Shown, status: str) -> None:
    assert shown.ended.status == status


def _calls(shown: Shown, number: str) -> None:
    made = [call for call in shown.ended.calls if call.service != "judge"]
    assert len(made) == int(number)


def _receives(shown: Shown, name: str, value: str) -> None:
    received = [call.inputs for call in shown.ended.calls if call.service == name]
    assert json.loads(value) in received, received


SENTENCES: tuple[tuple[str, Callable[..., None]], ...] = (
    (r"Gives `(.*)`\.", _gives),
    (r"Fails with `([\w-]+)`\.", _fails),
    (r"Refused with `([\w-]+)`\.", _refused),
    (r"Warns `([\w-]+)`\.", _warns),
    (r"Reported as `([\w-]+)`\.", _reported),
    (r"Ends with the status `(\w+)`\.", _stops),
    (r"Makes (\d+) calls\.", _calls),
    (r"`([\w-]+)` receives `(.*)`\.", _receives),
)


def _hold(shown: Shown, sentences: list[str]) -> None:
    assert sentences, "an example must say what it gives"
    for sentence in sentences:
        for form, holds in SENTENCES:
            match = re.fullmatch(form, sentence)
            if match:
                holds(shown, *match.groups())
                break
        else:
            pytest.fail(f"what does this say? {sentence}")


def _params(language: str) -> list[Any]:
    return [
        pytest.param(block.text, read_yaml(given) if given else {}, says, id=f"line-{block.line}")
        for block, given, says in examples(PAGE, language)
        if file_of(PAGE, block) is None
    ]


@pytest.mark.parametrize(("script", "given", "says"), _params("prose"))
def test_script(script: str, given: dict[str, Any], says: list[str]) -> None:
    _hold(_show(_document(script, given), given), says)


@pytest.mark.parametrize(("text", "given", "says"), _params("markdown"))
def test_document(text: str, given: dict[str, Any], says: list[str], tmp_path: Path) -> None:
    """A document stands in a folder with the files of the page."""
    for block in blocks(PAGE):
        write_file(PAGE, block, tmp_path)
    path = tmp_path / "example.prose.md"
    path.write_text(text, encoding="utf-8")
    loaded = load(path)
    _hold(_ended(loaded.program, list(loaded.diagnostics), given), says)


# ---- tables ----------------------------------------------------------------------------------------------


def _rows(*headings: str) -> list[Any]:
    return [pytest.param(row, id=f"line-{row.line}") for row in tables(PAGE, *headings)]


def _expect(shown: Shown, cell: str) -> None:
    """A value, or `fails with`, `refused with` and a code."""
    said = re.fullmatch(r"(fails with|refused with) `([\w-]+)`", cell)
    if said:
        (_fails if said[1] == "fails with" else _refused)(shown, said[2])
    else:
        _gives(shown, code(cell))


def _given(row: Row) -> dict[str, Any]:
    return {"inputs": read_yaml(f"{{{code(row['with'])}}}") if row["with"] else {}}


def _declared(row: Row) -> dict[str, Any]:
    """The values of a condition: names must be declared to be read as such."""
    given = _given(row)["inputs"]
    return {
        "config": {n: v for n, v in given.items() if n == "criteria"},
        "requires": {n: v for n, v in given.items() if n != "criteria"},
    }


@pytest.mark.parametrize("row", [*_rows("expression", "gives"), *_rows("with", "expression", "gives")])
def test_expression(row: Row) -> None:
    given = _given(row)
    _expect(_show(_document(f"return {code(row['expression'])}\n", given), given), row["gives"])


@pytest.mark.parametrize("row", _rows("with", "condition", "holds"))
def test_condition(row: Row) -> None:
    given = _declared(row)
    script = f"if {code(row['condition'])}:\n  return true\nreturn false\n"
    shown = _show(_document(script, given), given)
    if row["holds"] == "a judge is asked":
        _refused(shown, "judge-needed")
        return
    _expect(shown, row["holds"])
    if row["decided by"]:
        assert [decision.how for decision in shown.ended.decisions] == [row["decided by"]]


@pytest.mark.parametrize("row", _rows("written", "the same as"))
def test_the_same_as(row: Row) -> None:
    one, other = (_script(code(row[heading])) for heading in ("written", "the same as"))
    assert list(_said(one)) == list(_said(other))


def _script(text: str) -> Script:
    lines = text.replace("⏎ ", "\n")
    document, found = read(SourceText("example", _document(f"{lines}\n", {})))
    assert not has_errors(found), [str(item) for item in found]
    assert document.main.script is not None
    return document.main.script


def _said(node: Node) -> Iterator[object]:
    """What a tree says, without how it was spelt and where it stands."""
    for each in walk(node):
        yield type(each)
        for name in ("id", "value", "target", "text", "key"):
            said = getattr(each, name, None)
            if isinstance(said, str | int):
                yield said


@pytest.mark.parametrize("row", _rows("script", "message"))
def test_message(row: Row) -> None:
    text = code(row["script"]).replace("⏎ ", "\n")
    given = {"services": {"worker": [1]}}
    shown = _show(_document(f"{text}\n", given), given)
    assert code(row["message"]) in [item.code for item in shown.found], [str(item) for item in shown.found]


@pytest.mark.parametrize("row", _rows("in a document", "message"))
def test_message_about_a_document(row: Row) -> None:
    text = code(row["in a document"]).replace("⏎ ", "\n") + "\n"
    shown = _show(text if text.startswith("---") else HEAD + text, {})
    assert code(row["message"]) in [item.code for item in shown.found], [str(item) for item in shown.found]


def _section(title: str, text: str, kind: str = "pattern") -> Document:
    document, _ = read(SourceText("example", f"---\nname: x\nkind: {kind}\n---\n\n### {title}\n\n{text}\n"))
    return document


@pytest.mark.parametrize("row", _rows("input", "name", "type", "required", "default"))
def test_input(row: Row) -> None:
    text = code(row["input"])
    listed = text if text.startswith("- ") else f"- Pattern instance receives:\n    {text}"
    (item,) = _section("Requires", listed).main.inputs
    assert item.name == code(row["name"])
    assert print_type(item.type) == code(row["type"])
    assert item.required is (row["required"] == "yes")
    _same_default(item.has_default, item.default, row["default"])


@pytest.mark.parametrize("row", _rows("config", "type", "default"))
def test_config(row: Row) -> None:
    (item,) = _section("Config", code(row["config"])).main.config
    assert print_type(item.type) == code(row["type"])
    _same_default(item.has_default, item.default, row["default"])


def _same_default(has: bool, default: Json, cell: str) -> None:
    assert (default if has else None) == (json.loads(code(cell)) if cell else None)


@pytest.mark.parametrize("row", _rows("output", "name", "type", "may be null", "may be left out"))
def test_output(row: Row) -> None:
    (item,) = _section("Returns", code(row["output"])).main.outputs
    assert (item.name, print_type(item.type)) == (code(row["name"]), code(row["type"]))
    assert item.nullable is (row["may be null"] == "yes")
    assert item.optional is (row["may be left out"] == "yes")


# ---- the page as a whole -----------------------------------------------------------------------------------


def test_every_chapter_has_examples() -> None:
    chapters = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    numbered = [chapter for chapter in chapters if chapter[0].isdigit()]
    assert len(numbered) == 9
    assert all("```prose\n" in chapter for chapter in numbered)


RUN = (
    ("expression", "gives"),
    ("with", "expression", "gives"),
    ("with", "condition", "holds"),
    ("written", "the same as"),
    ("script", "message"),
    ("in a document", "message"),
    ("input", "name", "type", "required", "default"),
    ("config", "type", "default"),
    ("output", "name", "type", "may be null", "may be left out"),
)


@pytest.mark.parametrize("headings", RUN, ids=" ".join)
def test_every_kind_of_table_is_there(headings: tuple[str, ...]) -> None:
    assert tables(PAGE, *headings)
