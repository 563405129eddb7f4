"""One mutant put to the test: the check, the proofs of its invariants, and the cases of its pattern, in process.

The mutant stands in a copy of `std/` that takes the place of the shipped one, so it is read, found by name and run
exactly as the pattern itself is.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal
from unittest.mock import patch

import yaml

from mutation.edits import Mutant, mutants_of
from mutation.operators import Script
from prose_runtime import load
from prose_runtime.casebook import find_cases, run_case
from prose_runtime.casebook.reading import read_case
from prose_runtime.resolve.invariants import invariants_of
from prose_runtime.services import loading
from prose_runtime.source import SourceText
from prose_runtime.syntax import read

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "cases" / "std"
PATTERNS = ROOT / "std" / "patterns"
EQUIVALENT = Path(__file__).with_name("equivalent.yaml")

Finder = Literal["error", "warning", "proof", "case"]


def patterns() -> list[str]:
    """The patterns of the library by name."""
    return sorted(path.name.removesuffix(".prose.md") for path in PATTERNS.glob("*.prose.md"))


def original(pattern: str) -> str:
    """The text of a pattern as it is."""
    return (PATTERNS / f"{pattern}.prose.md").read_text(encoding="utf-8")


def mutants(pattern: str) -> list[Mutant]:
    """Every mutant of a pattern, in the order of its script."""
    text = original(pattern)
    document, _ = read(SourceText(pattern, text))
    return mutants_of(pattern, text, Script(text, document.main).edits())


def equivalent(pattern: str) -> Mapping[str, str]:
    """The keys of the mutants of a pattern that mean the same, each with the reason."""
    return {item["mutant"]: item["because"] for item in _equivalents().get(pattern, ())}


@cache
def _equivalents() -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = yaml.safe_load(EQUIVALENT.read_text(encoding="utf-8"))
    return found


@contextmanager
def laboratory(folder: Path) -> Iterator[Path]:
    """A copy of `std/` in place of the shipped one. Gives the folder of its patterns."""
    copy = folder / "std"
    shutil.copytree(ROOT / "std", copy)
    with patch.object(loading, "shipped", lambda name: copy if name == "std" else ROOT / name):
        yield copy / "patterns"


def found_by(mutant: Mutant, place: Path) -> tuple[Finder, str] | None:
    """What notices the mutant first, and where; None for a survivor. `place` is the folder of a `laboratory`."""
    file = place / f"{mutant.pattern}.prose.md"
    proved = _proved(original(mutant.pattern))
    file.write_text(mutant.text, encoding="utf-8")
    try:
        return _said(file) or _lost(mutant.text, proved) or _failed(mutant.pattern)
    finally:
        file.write_text(original(mutant.pattern), encoding="utf-8")


def _said(file: Path) -> tuple[Finder, str] | None:
    """What the check says. Of the pattern as it is, it says nothing."""
    found = load(file).diagnostics
    for severity in ("error", "warning"):
        for item in found:
            if item.severity == severity:
                return severity, item.code  # type: ignore[return-value]
    return None


@cache
def _proved(text: str) -> frozenset[str]:
    return frozenset(item.clause.text for item in invariants_of(load(text).program.main) if item.status == "proved")


def _lost(text: str, proved: frozenset[str]) -> tuple[Finder, str] | None:
    """An invariant that `prose explain` shows as proved, and the suite wants proved."""
    return next((("proof", lost) for lost in sorted(proved - _proved(text))), None)


def _failed(pattern: str) -> tuple[Finder, str] | None:
    for path in cases()[pattern]:
        if not run_case(path).ok:
            return "case", path.name.removesuffix(".prose.md")
    return None


@cache
def cases() -> dict[str, list[Path]]:
    """The cases of each pattern."""
    found: dict[str, list[Path]] = {pattern: [] for pattern in patterns()}
    for path in find_cases([CASES]):
        subject = read_case(path, path.read_text(encoding="utf-8")).subject or ""
        if subject.startswith("std/patterns/"):
            found[subject.removeprefix("std/patterns/")].append(path)
    return found
