"""The fault tests use the small runner of the runtime's own tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "runtime"))
