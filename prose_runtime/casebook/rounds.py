"""Running many cases. In: paths of files and folders. Out: a `CaseReport`, its results in the order of the paths.

Command lines are processes of their own: some run at a time, while the other cases run one after the other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from prose_runtime.casebook.commands import Runner
from prose_runtime.casebook.discovery import find_cases, told_of
from prose_runtime.casebook.report import CaseReport, CaseResult
from prose_runtime.casebook.running import run_case
from prose_runtime.casebook.subjects import Ways


def run_cases(
    paths: Iterable[Path | str],
    *,
    on_result: Callable[[CaseResult], None] | None = None,
    on_begin: Callable[[Path, int, int], None] | None = None,
    choose: Callable[[str], bool] | None = None,
    ways: Ways | None = None,
    command: Runner | None = None,
) -> CaseReport:
    """Run every case under the paths; `on_result` is called after each, in the order of the paths, `on_begin` before.

    `choose` is asked with the path and the name of a case whether to run it. `command` runs the command lines of cases
    that hold one, some at a time; without it such a case is not run.

    Raises `FileNotFoundError` for a path that is not there.
    """
    ways = ways or Ways(command)
    found = find_cases(Path(path) for path in paths)
    chosen = [path for path in found if choose is None or choose(told_of(path))]
    results: list[CaseResult] = []
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        begun = {path: pool.submit(run_case, path, ways=ways) for path in chosen if ways.command and _has_command(path)}
        try:
            for number, path in enumerate(chosen, 1):
                if on_begin is not None:
                    on_begin(path, number, len(chosen))
                result = begun[path].result() if path in begun else run_case(path, ways=ways)
                results.append(result)
                if on_result is not None:
                    on_result(result)
        finally:
            pool.shutdown(cancel_futures=True)
    return CaseReport(tuple(results), len(found))


def _has_command(path: Path) -> bool:
    """Whether a file may hold a `### Command`."""
    return b"### command" in path.read_bytes().lower()
