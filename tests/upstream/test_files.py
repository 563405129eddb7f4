"""Every published file goes through the check without a crash, and every error is one that the file has.

`pytest tests/upstream/test_files.py -s` prints how many files of each kind there are, with how many errors and
warnings, and each error and warning with its place.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from checkout import CHECKOUT, PATTERNS, needs_checkout, published_files

from prose_runtime.api import load, load_all
from prose_runtime.diagnostics import in_order
from prose_runtime.reports.graph import graph_of
from prose_runtime.reports.graph_mermaid import graph_mermaid
from prose_runtime.reports.graph_text import graph_text

pytestmark = needs_checkout
ROOT = Path(__file__).parents[2]
FILES = published_files()
SEVERITIES = ("error", "warning", "note")

FAULTS = {
    ("packages/std/ops/wire.prose.md", "unknown-call"): "calls what no file of the checkout and no section defines",
    (
        "collect-renewal-signals.prose.md",
        "unexpected-text",
    ): "filters with words that no production of the language has",
    ("collect-renewal-signals.prose.md", "unknown-statement"): "a host's own function, written as a statement",
    ("prepare-renewal-brief.prose.md", "unknown-statement"): "a host's own function, written as a statement",
    ("vendor-renewals-prepared.prose.md", "unknown-statement"): "a host's own function, written as a statement",
}
"""Why each error is one of the file: the end of its path, the code."""

ODDITIES = {
    "dropped-section": "the published table of retired sections says that nothing reads it any more",
    "hides-standard": "a local file has the name of one of the library",
    "no-such-function": "expressions have no such function; in a responsibility a host may add it, so it is no error",
    "passed-on-name": "nothing declares the name that is passed on",
    "retired-kind": "the published table of retired kinds",
    "retired-section": "the published table of retired sections",
    "runtime-hint": "a function is stateless by its definition, and this one asks for memory",
    "unused-config": "the script never reads what is declared",
}
"""Why each code of a warning is right of all the files that have it."""


class Said(NamedTuple):
    """One message of the check; `file` is a path below the checkout."""

    file: str
    severity: str
    code: str
    line: int


@dataclass(frozen=True)
class Checked:
    """The kind of each file by its path, and what the check says of all of them, each message once."""

    kinds: dict[str, str]
    said: list[Said]

    def of(self, severity: str) -> list[Said]:
        return [each for each in self.said if each.severity == severity]


@pytest.fixture(scope="module")
def checked() -> Checked:
    loaded, missing = load_all([CHECKOUT / path for path in FILES], portable=True)
    assert missing == []
    said = in_order(item for each in loaded for item in each.diagnostics)
    kinds = {path.as_posix(): each.document.main.kind for path, each in zip(FILES, loaded, strict=True)}
    return Checked(kinds, [Said(_below(item.source.name), item.severity, item.code, item.line) for item in said])


def _below(name: str) -> str:
    path = Path(name)
    return path.relative_to(CHECKOUT).as_posix() if path.is_relative_to(CHECKOUT) else name


def test_the_table(checked: Checked, capsys: pytest.CaptureFixture[str]) -> None:
    files = Counter(checked.kinds.values())
    said = Counter((checked.kinds[each.file], each.severity) for each in checked.said)
    rows = [f"{'kind':16}{'files':>7}{'errors':>8}{'warnings':>10}{'notes':>7}"]
    for kind in sorted(files):
        errors, warnings, notes = (said[kind, severity] for severity in SEVERITIES)
        rows.append(f"{kind:16}{files[kind]:7}{errors:8}{warnings:10}{notes:7}")
    errors, warnings, notes = (len(checked.of(severity)) for severity in SEVERITIES)
    rows.append(f"{'all':16}{len(FILES):7}{errors:8}{warnings:10}{notes:7}")
    for severity in ("error", "warning"):
        places = sorted((each.code, f"{each.file}:{each.line}") for each in checked.of(severity))
        rows += ["", f"{severity}s", *(f"  {code:20} {place}" for code, place in places)]
    with capsys.disabled():
        sys.stdout.write("\n".join(["", *rows, ""]))
    assert sum(files.values()) == len(FILES) > 0
    assert sum(said.values()) == len(checked.said)


def test_every_error_is_one_of_the_file(checked: Checked) -> None:
    errors = {(each.file, each.code) for each in checked.of("error")}
    told = {error for error in errors if any(error[0].endswith(end) and error[1] == code for end, code in FAULTS)}
    assert sorted(errors - told) == []


def test_every_warning_is_right(checked: Checked) -> None:
    assert {each.code for each in checked.of("warning")} - set(ODDITIES) == set()


def test_the_command_line_says_the_same(checked: Checked) -> None:
    command = [sys.executable, "-m", "prose_runtime", "check", "--portable", "--format", "json", *map(str, FILES)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
    told: dict[str, Any] = json.loads(ran.stdout)
    assert ran.stderr == ""
    assert told["files"] == len(FILES)
    places = [Said(item["file"], item["severity"], item["code"], item["line"]) for item in told["diagnostics"]]
    assert sorted(places) == sorted(checked.said)
    assert ran.returncode == (2 if told["errors"] else 0)


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in sorted(PATTERNS.glob("*.prose.md"))])
def test_the_patterns_have_no_error_and_a_drawing(path: Path) -> None:
    loaded = load(path)
    assert [str(item) for item in loaded.diagnostics if item.severity == "error"] == []
    graph = graph_of(loaded.program.main)
    assert graph_text(graph)
    assert graph_mermaid(graph).startswith("flowchart TD")
