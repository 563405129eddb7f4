"""`prose test`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Prose = Callable[..., Any]

CASES = Path(__file__).resolve().parents[3] / "tests" / "cases" / "std"


def one_case() -> Path:
    return sorted(CASES.glob("refine-*.prose.md"))[0]


def test_a_case_that_passes(prose: Prose) -> None:
    ran = prose("test", one_case())
    assert ran.status == 0
    assert ran.out.splitlines()[0].endswith(": passed")
    assert ran.out.splitlines()[-1].startswith("1 case, none failed")
    assert len(prose("test", "--quiet", one_case()).out.splitlines()) == 1


def test_a_case_that_fails_says_why_and_is_status_1(prose: Prose, tmp_path: Path) -> None:
    text = one_case().read_text(encoding="utf-8")
    assert "rounds_used: 3" in text
    path = tmp_path / "wrong.prose.md"
    path.write_text(text.replace("rounds_used: 3", "rounds_used: 4"), encoding="utf-8")
    ran = prose("test", path)
    assert ran.status == 1
    assert "rounds_used" in ran.out
    assert "1 failed" in ran.out
    record = json.loads(prose("test", "--format", "json", path).out)
    assert (record["ok"], record["cases"][0]["verdict"]) == (False, "failed")


def test_no_case_at_all_is_wrong_use(prose: Prose, tmp_path: Path) -> None:
    assert prose("test", tmp_path).status == 2
    assert prose("test", tmp_path / "nowhere").status == 2
