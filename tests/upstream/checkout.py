"""A checkout of OpenProse that these tests read, where the environment names one. Nothing of it is kept here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

NAMED = os.environ.get("PROSE_UPSTREAM", "")
CHECKOUT = Path(NAMED or ".")
needs_checkout = pytest.mark.skipif(
    not (CHECKOUT / "packages" / "std" / "patterns").is_dir(),
    reason="PROSE_UPSTREAM names no checkout of github.com/openprose/prose",
)
