"""The examples of docs/language.md and the cases of docs/writing-cases.md are run: what they say is what happens."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from prose_runtime.casebook import run_case
from prose_runtime.casebook.blocks import read_yaml
from prose_runtime.diagnostics import Diagnostic, has_errors
from prose_runtime.resolve import resolve
from prose_runtime.resolve.loader import NoLoader
from prose_runtime.runtime import Budget, Outcome, bind, execute
from prose_runtime.services import ScriptedService
from prose_runtime.source import SourceText
from prose_runtime.syntax import read

DOCS = Path(__file__).parent.parent / "docs"
_EXAMPLE = re.compile(
    r"```prose\n(?P<script>.*?)```\n(?:```yaml\n(?P<given>.*?)```\n)?(?P<says>[^\n]*(?:\n[^\n`#*|][^\n]*)*)", re.DOTALL
)
_GIVES = re.compile(r"Gives `(.*?)`\.(?: Warns `([\w-]+)`\.)?$")
_FAILS = re.compile(r"Fails with `([\w-]+)`\.$")
_REFUSED = re.compile(r"Refused with `([\w-]+)`\.$")


@dataclass(frozen=True)
class Example:
    line: int
    script: str
    given: dict[str, Any]
    says: str


def _examples() -> list[Example]:
    text = (DOCS / "language.md").read_text(encoding="utf-8")
    return [
        Example(
            text.count("\n", 0, match.start()) + 1,
            match["script"],
            read_yaml(match["given"]) if match["given"] else {},
            " ".join(match["says"].split()),
        )
        for match in _EXAMPLE.finditer(text)
    ]


def _run(example: Example) -> tuple[list[Diagnostic], Outcome | None]:
    services = {
        name: ScriptedService(replies, name=name) for name, replies in example.given.get("services", {}).items()
    }
    slots = "".join(f"- `{name}`\n" for name in services)
    config = "- `criteria` (string, default: none): none\n" if "criteria" in example.given.get("inputs", {}) else ""
    head = "---\nname: example\nkind: pattern\n---\n\n"
    sections = (f"### Slots\n\n{slots}\n" if slots else "") + (f"### Config\n\n{config}\n" if config else "")
    declared = example.given.get("requires", {})
    if declared:
        lines = "".join(f"    {name}: any -- given\n" for name in declared)
        sections += f"### Requires\n\n- Pattern instance receives:\n{lines}\n"
    source = SourceText("example", f"{head}{sections}### Delegation\n\n```prose\n{example.script}```\n")
    document, found = read(source)
    program, more = resolve(document, NoLoader())
    found += more
    if has_errors(found):
        return found, None
    inputs = {**example.given.get("inputs", {}), **declared}
    values = {"criteria": inputs.pop("criteria")} if config else {}
    plan, more = bind(
        program,
        services,
        inputs=inputs,
        config=values,
        budget=Budget(**example.given.get("budget", {})),
        judge=None,
    )
    found += more
    return found, None if has_errors(found) else asyncio.run(execute(plan))


@pytest.mark.parametrize("example", [pytest.param(each, id=f"line-{each.line}") for each in _examples()])
def test_example(example: Example) -> None:
    found, outcome = _run(example)
    refused = _REFUSED.match(example.says)
    if refused:
        assert refused[1] in [item.code for item in found if item.severity == "error"], [str(item) for item in found]
        assert outcome is None
        return
    assert outcome is not None, [str(item) for item in found]
    fails = _FAILS.match(example.says)
    if fails:
        assert outcome.error is not None, outcome.result
        assert outcome.error.name == fails[1], outcome.error
        return
    gives = _GIVES.match(example.says)
    assert gives, f"an example must say what it gives: {example.says}"
    assert outcome.status == "done", outcome.error
    assert outcome.result == json.loads(gives[1])
    assert gives[2] is None or gives[2] in [warning.code for warning in outcome.warnings]


def test_the_page_has_examples_for_every_chapter() -> None:
    text = (DOCS / "language.md").read_text(encoding="utf-8")
    chapters = [chapter for chapter in re.split(r"^## ", text, flags=re.MULTILINE)[1:] if chapter[0].isdigit()]
    assert len(chapters) == 8
    assert all("```prose\n" in chapter for chapter in chapters)


def _cases(page: Path) -> list[tuple[int, str]]:
    """The whole cases shown on a page, in fences of five backticks, with their lines."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^`{5}markdown\n(.*?)^`{5}$", text, re.DOTALL | re.MULTILINE)
    return [(text.count("\n", 0, match.start()) + 1, match[1]) for match in found]


@pytest.mark.parametrize(("line", "text"), _cases(DOCS / "writing-cases.md"))
def test_case_of_the_guide(line: int, text: str, tmp_path: Path) -> None:
    path = tmp_path / f"line-{line}.prose.md"
    path.write_text(text, encoding="utf-8")
    result = run_case(path)
    assert result.ok, result.problems
