"""How checking grows with a file: generated patterns of 500, 1,000 and 5,000 statements, in many shapes.

    python benchmarks/growth.py                 # prints a table
    python benchmarks/growth.py --write         # and keeps it in benchmarks/figures.md
    python benchmarks/growth.py calls loops     # these shapes alone

For each shape the processor time of what `prose check` does, of the page of `prose explain`, and of `prose fmt`, for
each statement. Where work grows with the file and no faster, the numbers of a shape are about the same.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "benchmarks"))

from shapes import SHAPES  # noqa: E402

import prose_runtime as prose  # noqa: E402
from prose_runtime.reports.explanation import explained, explanation_of  # noqa: E402
from prose_runtime.services.loading import DiskLoader  # noqa: E402
from prose_runtime.source import SourceText  # noqa: E402
from prose_runtime.upgrading.layout import lay_out  # noqa: E402

FIGURES = ROOT / "benchmarks" / "figures.md"
HEADING = "## How checking grows"
SIZES = (500, 1_000, 5_000)


def main() -> None:
    """Measure, print, and keep the table where `--write` asks for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=f"of {', '.join(SHAPES)}; all if none is named")
    parser.add_argument("--write", action="store_true", help="keep the table in benchmarks/figures.md")
    parser.add_argument("--repeats", type=int, default=2, help="runs of each, the least of which counts (default 2)")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.shapes if name not in SHAPES]
    if unknown:
        parser.error(f"there is no shape {unknown[0]}")
    if arguments.write and arguments.shapes:
        parser.error("the table is kept whole: `--write` takes no shapes")
    names = arguments.shapes or list(SHAPES)
    measured({500: SHAPES[names[0]](500)}, 1)  # everything is imported
    rows = []
    for name in names:
        texts = {size: SHAPES[name](size) for size in SIZES}
        rows.append(f"| {name} | " + " | ".join(measured(texts, arguments.repeats)) + " |")
        print(rows[-1], flush=True)
    text = table(rows)
    if arguments.write:
        write(text)


def measured(texts: dict[int, str], repeats: int) -> list[str]:
    """For the check, the page and the layout: microseconds a statement at each size, the least of several runs."""
    steps: dict[str, list[str]] = {"check": [], "explain": [], "fmt": []}
    for size, text in texts.items():
        loaded = prose.load(text)
        work: dict[str, Callable[[], object]] = {
            "check": lambda text=text: prose.load(text),
            "explain": lambda loaded=loaded: explained(explanation_of(loaded.program.main)),
            "fmt": lambda text=text: lay_out(SourceText("generated.prose.md", text), Path("generated"), DiskLoader()),
        }
        for step, do in work.items():
            least = min(seconds(do) for _ in range(repeats))
            steps[step].append(f"{least / size * 1e6:.0f}")
    return [" / ".join(numbers) for numbers in steps.values()]


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one run, without what earlier ones left to be collected."""
    gc.collect()
    began = time.process_time()
    work()
    return time.process_time() - began


def table(rows: list[str]) -> str:
    """The section of the figures."""
    sizes = " / ".join(f"{size:,}" for size in SIZES)
    busy = os.getloadavg()[1]
    head = [
        HEADING,
        "",
        f"Microseconds of processor time for each statement of generated patterns, at {sizes} statements.",
        f"Load over the last five minutes, this program included: {busy:.1f}. `benchmarks/growth.py` says how,",
        "`benchmarks/shapes.py` what each shape is.",
        "",
        "| shape | check | explain | fmt |",
        "|---|---:|---:|---:|",
    ]
    return "\n".join([*head, *rows, ""])


def write(text: str) -> None:
    """Put the section in place of the one that is there."""
    before = FIGURES.read_text(encoding="utf-8").partition(HEADING)[0].rstrip()
    FIGURES.write_text(f"{before}\n\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main()
