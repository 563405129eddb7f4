"""`python -m mutation [PATTERN …]`: puts every mutant to the test, prints the survivors and the figures.

Exit status 1 where less than nine in ten of those that could be found were.
"""

from __future__ import annotations

import argparse
import os
import sys
from multiprocessing import Pool
from pathlib import Path
from tempfile import TemporaryDirectory

from mutation.edits import diff_of
from mutation.report import REQUIRED, Figures, table, total
from mutation.trial import equivalent, found_by, laboratory, mutants, original, patterns


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="all of them if none is named")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    arguments = parser.parse_args()
    names = arguments.patterns or patterns()
    unknown = sorted(set(names) - set(patterns()))
    if unknown:
        parser.error(f"there is no pattern {unknown[0]}")
    with Pool(arguments.jobs) as pool:
        figures = dict(zip(names, pool.imap(tried, names), strict=True))
    for each in figures.values():
        for survivor in each.survivors:
            print(survivor, end="\n\n")
    print(table(figures))
    sys.exit(total(figures.values()).share < REQUIRED)


def tried(pattern: str) -> Figures:
    """All mutants of one pattern."""
    figures = Figures()
    with TemporaryDirectory(prefix="prose-mutants-") as folder, laboratory(Path(folder)) as place:
        for mutant in mutants(pattern):
            figures.made += 1
            if mutant.key in equivalent(pattern):
                figures.equivalent += 1
                continue
            found = found_by(mutant, place)
            if found is not None:
                figures.found[found[0]] += 1
            else:
                diff = diff_of(mutant, original(pattern))
                figures.survivors.append(f"{pattern}:{mutant.line}: {mutant.kind}\n{diff}")
    return figures


if __name__ == "__main__":
    main()
