"""What `prose` costs: whole processes, checking many files, and calls in memory.

    python benchmarks/run.py            # prints a table
    python benchmarks/run.py --write    # and keeps it in benchmarks/figures.md

Each figure is the median and the least of several runs on this machine, which the table names. Times are processor
time (user and system), which other programs on the machine disturb least. What runs in memory is compared with the same
work written by hand in plain asyncio in the same process, in turns with it, so that the ratio holds on other machines.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import prose_runtime as prose  # noqa: E402
from prose_runtime.version import __version__  # noqa: E402

ROUNDS = 1000
BRANCHES = 10_000
AT_ONCE = 100
ITEMS = 20_000
FILES = 500


@dataclass(frozen=True)
class Figure:
    """Seconds of several runs. `bound` is what it should keep; `by_hand` the seconds of the same work by hand."""

    what: str
    seconds: list[float]
    bound: str = ""
    by_hand: float | None = None


def main() -> None:
    """Measure, print, and keep the table where `--write` asks for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="keep the table in benchmarks/figures.md")
    parser.add_argument("--repeats", type=int, default=9, help="runs of each figure (default 9)")
    parser.add_argument("--note", default="", help="a sentence about the machine, for the head of the table")
    arguments = parser.parse_args()
    figures = [*processes(arguments.repeats), *in_memory(arguments.repeats), pace(arguments.repeats)]
    text = table(figures, arguments.note)
    print(text)
    if arguments.write:
        path = ROOT / "benchmarks" / "figures.md"
        _, heading, growth = path.read_text(encoding="utf-8").partition("\n## ")  # of `growth.py`
        path.write_text(text + heading + growth, encoding="utf-8")


# ---- whole processes -----------------------------------------------------------------------------------------------


def processes(repeats: int) -> list[Figure]:
    """Start-up, one file, many files."""
    with tempfile.TemporaryDirectory() as folder:
        caches = Path(folder) / "caches"
        many = _copies(Path(folder) / "many", FILES)
        version, _ = _process(["--version"], caches, repeats)
        one, one_waited = _process(["check", str(ROOT / "std" / "patterns" / "refine.prose.md")], caches, repeats)
        every, waited = _process(["check", str(many)], caches, repeats)
    beyond = [(whole - statistics.median(one_waited)) / (FILES - 1) for whole in waited]
    return [
        Figure("`prose --version`, whole process", version, "< 100 ms"),
        Figure("`prose check std/patterns/refine.prose.md`, whole process", one, "< 350 ms"),
        Figure(f"`prose check` of {FILES} files, processor time of all processes", every),
        Figure(f"`prose check` of {FILES} files, time until it ends", waited),
        Figure("… each file on top of start-up", beyond, "about 5 ms"),
    ]


def _process(words: list[str], caches: Path, repeats: int) -> tuple[list[float], list[float]]:
    """Processor seconds of whole processes, and seconds until they ended; the first one, which fills the caches, is
    not counted."""
    command = [sys.executable, "-m", "prose_runtime", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(caches)}
    # A user's Python keeps compiled modules; one that was told not to would be measured compiling them.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    worked: list[float] = []
    waited: list[float] = []
    for _ in range(repeats + 1):
        before, began = _children(), time.perf_counter()
        subprocess.run(command, env=environment, capture_output=True, check=True)
        waited.append(time.perf_counter() - began)
        worked.append(_children() - before)
    return worked[1:], waited[1:]


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _copies(folder: Path, count: int) -> Path:
    """Copies of the standard library's files, each under its own name."""
    folder.mkdir()
    files = sorted((ROOT / "std").rglob("*.prose.md"))
    for number in range(count):
        source = files[number % len(files)]
        text = source.read_text(encoding="utf-8").replace("\nname: ", f"\nname: n{number}-", 1)
        (folder / f"n{number}-{source.name}").write_text(text, encoding="utf-8")
    return folder


# ---- in memory, beside the same work by hand -----------------------------------------------------------------------

_PATTERN = """\
---
name: bench
kind: pattern
---

### Slots

- `worker`

### Delegation

```prose
{script}
```
"""
_FAN_OUT = f"let answers = parallel repeat {BRANCHES} as i:\n  call worker\n    number: i\nreturn answers.length"
_RECORD = f"let items = []\nrepeat {ITEMS} as i:\n  record i in items\nreturn call worker\n  number: items.length"


def in_memory(repeats: int) -> list[Figure]:
    """Services that answer at once: what is left is the interpreter's own part."""
    refine = prose.load("std/refine")
    fan_out, record = (prose.load(_PATTERN.format(script=script)) for script in (_FAN_OUT, _RECORD))
    return [
        _compared(f"`refine`, {ROUNDS} rounds: a call", 2 * ROUNDS, repeats, lambda: _refine(refine), _refine_by_hand),
        _compared(
            f"{BRANCHES} branches, {AT_ONCE} at once: a branch with its call",
            BRANCHES,
            repeats,
            lambda: _run(fan_out, BRANCHES),
            _fan_out_by_hand,
        ),
        _compared(f"`record` of {ITEMS} items: an item", ITEMS, repeats, lambda: _run(record, ITEMS), _record_by_hand),
    ]


def _compared(
    what: str,
    parts: int,
    repeats: int,
    interpreted: Callable[[], Coroutine[Any, Any, None]],
    by_hand: Callable[[], Coroutine[Any, Any, None]],
) -> Figure:
    """Both in turns. Seconds of one part."""
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(repeats + 1):
        ours.append(_seconds(interpreted) / parts)
        theirs.append(_seconds(by_hand) / parts)
    return Figure(what, ours[1:], by_hand=statistics.median(theirs[1:]))


def _seconds(work: Callable[[], Coroutine[Any, Any, None]]) -> float:
    began = time.process_time()
    asyncio.run(work())
    return time.process_time() - began


async def _refiner(
    task_brief: str, current_result: str | None, current_score: float | None, improvement_suggestions: object = None
) -> str:
    return "draft"


async def _evaluator(task_brief: str, result: str) -> dict[str, object]:
    return {"score": 0.1, "suggestions": ["more"]}


async def _worker(number: int) -> int:
    return number


async def _refine(pattern: prose.Loaded) -> None:
    outcome = await pattern.arun(
        bind={"refiner": _refiner, "evaluator": _evaluator},
        inputs={"task_brief": "x"},
        config={"max_rounds": ROUNDS},
    )
    outcome.raise_for_status()
    result: Any = outcome.result
    _expect(result["rounds_used"], ROUNDS)


async def _refine_by_hand() -> None:
    result, score, rounds = None, 0.0, 0
    suggestions: object = None
    while rounds < ROUNDS and score < 0.8:
        rounds += 1
        result = await _refiner("x", result, score, suggestions)
        evaluation = await _evaluator("x", result)
        score, suggestions = float(str(evaluation["score"])), evaluation.get("suggestions")
    _expect(rounds, ROUNDS)


async def _run(pattern: prose.Loaded, expected: int) -> None:
    outcome = await pattern.arun(bind={"worker": _worker}, budget=prose.Budget(max_parallel=AT_ONCE))
    outcome.raise_for_status()
    _expect(outcome.result, expected)


async def _fan_out_by_hand() -> None:
    permits = asyncio.Semaphore(AT_ONCE)

    async def branch(number: int) -> int:
        async with permits:
            return await _worker(number)

    _expect(len(await asyncio.gather(*(branch(number) for number in range(BRANCHES)))), BRANCHES)


async def _record_by_hand() -> None:
    items: list[int] = []
    for number in range(ITEMS):
        items.append(number)
    _expect(await _worker(len(items)), ITEMS)


def _expect(found: object, expected: object) -> None:
    if found != expected:
        raise SystemExit(f"a benchmark gave {found!r} instead of {expected!r}")


def pace(repeats: int) -> Figure:
    """How fast Python is here: figures of two machines, or of two days, can be compared by it."""

    def add() -> float:
        began = time.process_time()
        total = 0
        for number in range(1_000_000):
            total += number
        return time.process_time() - began

    return Figure("for comparison: a million additions in a Python loop", [add() for _ in range(repeats)])


# ---- the table -----------------------------------------------------------------------------------------------------


def table(figures: list[Figure], note: str = "") -> str:
    """The figures as a Markdown table, with the machine they were taken on."""
    lines = [
        "# Figures",
        "",
        f"Version {__version__}, {date.today().isoformat()}, {_machine()}. {_load()} {note}".rstrip(),
        "",
        "Processor time, user and system; other programs on the machine make it larger, so the least of several runs",
        "says most. The services in memory are async functions that answer at once; the last column is the same work",
        "by hand in plain asyncio, measured in turns with it. `benchmarks/run.py` says how.",
        "",
        "| what | median | least | should be | by hand |",
        "|---|---:|---:|---|---|",
        *map(_row, figures),
        "",
    ]
    return "\n".join(lines)


def _row(figure: Figure) -> str:
    middle, least = statistics.median(figure.seconds), min(figure.seconds)
    by_hand = f"{_shown(figure.by_hand)} (x {middle / figure.by_hand:.0f})" if figure.by_hand else ""
    return f"| {figure.what} | {_shown(middle)} | {_shown(least)} | {figure.bound} | {by_hand} |"


def _shown(seconds: float) -> str:
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def _machine() -> str:
    cores = os.cpu_count() or 1
    return (
        f"{platform.python_implementation()} {platform.python_version()} on {platform.system()} "
        f"{platform.machine()}, {_processor()}, {cores} core{'' if cores == 1 else 's'}"
    )


def _load() -> str:
    """What else the machine was doing meanwhile."""
    busy = os.getloadavg()[1] if hasattr(os, "getloadavg") else 0.0
    return f"Load over the last five minutes, this program included: {busy:.1f}."


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
