"""Room `cli` (layer 8): the command `prose`, a file a command; the only place that prints.

In: the words of a command line. Out: a result on stdout, everything else on stderr, and an exit status.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from prose_runtime.version import __version__

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command line (default: the process's own) and end the process with its status.

    The version is answered before anything else is imported.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words in (["--version"], ["-V"]):
        with suppress(OSError):
            print(f"prose {__version__}", flush=True)
            sys.exit(0)
    from prose_runtime.cli.entry import perform
    from prose_runtime.cli.streams import open_missing_streams

    open_missing_streams()

    sys.exit(perform(words))
