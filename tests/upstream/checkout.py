"""A checkout of OpenProse that these tests read, where the environment names one. Nothing of it is kept here."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

NAMED = os.environ.get("PROSE_UPSTREAM", "")
CHECKOUT = Path(NAMED or ".")
PATTERNS = CHECKOUT / "packages" / "std" / "patterns"
SUITE = CHECKOUT / "tests" / "open-prose" / "smoke"
IS_THERE = bool(NAMED) and PATTERNS.is_dir() and (SUITE / "manifest.json").is_file()
needs_checkout = pytest.mark.skipif(
    not IS_THERE, reason="PROSE_UPSTREAM names no checkout of github.com/openprose/prose"
)


def smoke_cases() -> list[dict[str, Any]]:
    """The cases of the manifest; none where there is no checkout."""
    if not IS_THERE:
        return []
    cases: list[dict[str, Any]] = json.loads((SUITE / "manifest.json").read_text(encoding="utf-8"))["cases"]
    return cases


def published_files() -> list[Path]:
    """Every pattern file of the checkout, as paths below it."""
    return sorted(path.relative_to(CHECKOUT) for path in CHECKOUT.rglob("*.prose.md")) if IS_THERE else []
