"""What `prose` costs: whole processes at start-up, checking many files, and one call of a loop.

    python benchmarks/run.py            # prints a table
    python benchmarks/run.py --write    # and keeps it in benchmarks/figures.md

Every figure is the median of several runs on this machine, which the table names. The loop is compared with the same
loop written in plain asyncio in the same process, so that what is shown is the interpreter's own part.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import prose_runtime as prose  # noqa: E402
from prose_runtime.version import __version__  # noqa: E402

ROUNDS = 500
FILES = 500


def main() -> None:
    """Measure, print, and keep the table where `--write` asks for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="keep the table in benchmarks/figures.md")
    parser.add_argument("--repeats", type=int, default=7, help="runs of each figure (default 7)")
    arguments = parser.parse_args()
    rows = measure(arguments.repeats)
    text = table(rows)
    print(text)
    if arguments.write:
        (ROOT / "benchmarks" / "figures.md").write_text(text, encoding="utf-8")


def measure(repeats: int) -> list[tuple[str, str, str]]:
    """What was measured, the figure, and the bound it should keep."""
    version = _process(["--version"], repeats)
    with tempfile.TemporaryDirectory() as folder:
        one = _process(["check", str(_copies(Path(folder) / "one", 1))], repeats)
        many = _process(["check", str(_copies(Path(folder) / "many", FILES))], max(3, repeats // 2))
    per_file = (many - one) / (FILES - 1)
    loop, plain = _loops(repeats)
    return [
        ("`prose --version`, whole process", f"{version * 1000:.0f} ms", "< 100 ms"),
        ("`prose check` of one file, whole process", f"{one * 1000:.0f} ms", "< 350 ms"),
        (f"`prose check` of {FILES} files, whole process", f"{many:.2f} s", ""),
        ("each file beyond the first", f"{per_file * 1000:.2f} ms", "about 5 ms"),
        (f"`refine`, {ROUNDS} rounds: a call", f"{loop * 1e6:.1f} µs", ""),
        ("the same loop in plain asyncio: a call", f"{plain * 1e6:.2f} µs", ""),
        ("the interpreter's part: a call", f"{(loop - plain) * 1e6:.1f} µs", ""),
    ]


def _process(words: list[str], repeats: int) -> float:
    """Seconds of a whole process, median; the first run, which fills the caches, is not counted."""
    command = [sys.executable, "-m", "prose_runtime", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    # A user's Python keeps compiled modules; one that was told not to would be measured compiling them.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as cache:
        environment["PYTHONPYCACHEPREFIX"] = cache

        def once() -> None:
            subprocess.run(command, env=environment, capture_output=True, check=True)

        once()
        return _median(once, repeats)


def _median(action: Callable[[], None], repeats: int) -> float:
    seconds: list[float] = []
    for _ in range(repeats):
        began = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def _copies(folder: Path, count: int) -> Path:
    """Copies of the standard library's files, each under its own name."""
    folder.mkdir()
    files = sorted((ROOT / "std").rglob("*.prose.md"))
    for number in range(count):
        source = files[number % len(files)]
        text = source.read_text(encoding="utf-8").replace("\nname: ", f"\nname: n{number}-", 1)
        (folder / f"n{number}-{source.name}").write_text(text, encoding="utf-8")
    return folder


def _loops(repeats: int) -> tuple[float, float]:
    """Seconds a call: `refine` under the interpreter, and the same loop by hand."""
    pattern = prose.load("std/patterns/refine")
    asyncio.run(_refine(pattern))
    asyncio.run(_by_hand())
    calls = 2 * ROUNDS
    interpreted = _median(lambda: _expect(asyncio.run(_refine(pattern))), repeats) / calls
    plain = _median(lambda: _expect(asyncio.run(_by_hand())), repeats) / calls
    return interpreted, plain


def _expect(rounds: int) -> None:
    if rounds != ROUNDS:
        raise SystemExit(f"the loop ended after {rounds} rounds instead of {ROUNDS}")


async def _refiner(
    task_brief: str, current_result: str | None, current_score: float | None, improvement_suggestions: object = None
) -> str:
    return "draft"


async def _evaluator(task_brief: str, result: str) -> dict[str, object]:
    return {"score": 0.1, "suggestions": ["more"]}


async def _refine(pattern: prose.Loaded) -> int:
    outcome = await pattern.arun(
        bind={"refiner": _refiner, "evaluator": _evaluator},
        inputs={"task_brief": "x"},
        config={"max_rounds": ROUNDS},
    )
    outcome.raise_for_status()
    return int(outcome.result["rounds_used"])


async def _by_hand() -> int:
    result, score = None, 0.0
    for round_ in range(1, ROUNDS + 1):
        result = await _refiner("x", result, score)
        evaluation = await _evaluator("x", result)
        score = float(str(evaluation["score"]))
        if score >= 0.8:
            return round_
    return ROUNDS


def table(rows: list[tuple[str, str, str]]) -> str:
    """The figures as a Markdown table, with the machine they were taken on."""
    lines = [
        "# Figures",
        "",
        f"Version {__version__}, {date.today().isoformat()}, {_machine()}.",
        "",
        "| what | figure | bound |",
        "|---|---|---|",
        *(f"| {what} | {figure} | {bound} |" for what, figure, bound in rows),
        "",
    ]
    return "\n".join(lines)


def _machine() -> str:
    cores = os.cpu_count() or 1
    return (
        f"{platform.python_implementation()} {platform.python_version()} on {platform.system()} "
        f"{platform.machine()}, {_processor()}, {cores} core{'' if cores == 1 else 's'}"
    )


def _processor() -> str:
    """The processor's name, as far as the system tells it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "an unnamed processor"


if __name__ == "__main__":
    main()
