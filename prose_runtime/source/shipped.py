"""Where the files that travel with the package are: the standard library and the grammar.

An installed wheel holds them under `prose_runtime/_data/`; in a checkout they stand at its top.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


@cache
def shipped(name: str) -> Path:
    """The folder `name` ("std" or "grammar") of the installed package, else of the checkout."""
    inside = _PACKAGE / "_data" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
