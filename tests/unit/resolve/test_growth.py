"""Work grows with a file and no faster: counted in calls of functions, which are the same on every machine.

The shapes are those of `benchmarks/shapes.py`, where `benchmarks/growth.py` takes the time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from prose_runtime import load
from prose_runtime.reports.explanation import explained, explanation_of
from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import SourceText
from prose_runtime.upgrading.layout import lay_out

SMALL, LARGE = 168, 672
MARGIN = 1.2
SPEC = spec_from_file_location("shapes", Path(__file__).parents[3] / "benchmarks" / "shapes.py")
assert SPEC is not None
assert SPEC.loader is not None
SHAPES_MODULE = module_from_spec(SPEC)
SPEC.loader.exec_module(SHAPES_MODULE)
SHAPES: dict[str, Callable[[int], str]] = SHAPES_MODULE.SHAPES


def counted(work: Callable[[], object]) -> int:
    """How many functions were called, those of C included."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def work_of(text: str) -> dict[str, int]:
    """What a text costs: its check, the page of what is known of it, its layout."""
    program = load(text).program
    return {
        "check": counted(lambda: load(text)),
        "explain": counted(lambda: explained(explanation_of(program.main))),
        "fmt": counted(lambda: lay_out(SourceText("generated.prose.md", text), Path("generated"), DiskLoader())),
    }


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_the_file(shape: str) -> None:
    work_of(SHAPES[shape](SMALL))  # what is done once a process is done
    small, large = work_of(SHAPES[shape](SMALL)), work_of(SHAPES[shape](LARGE))
    times = {step: large[step] / small[step] for step in small}
    assert max(times.values()) < MARGIN * LARGE / SMALL, times
