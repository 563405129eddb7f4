"""Putting an upgraded text in place of the old one, all of it or nothing.

In: a file, what was read from it and the new text. Out: the file, changed by one rename.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from prose_runtime.source import SourceText


class ChangedMeanwhile(Exception):
    """The file is not what was read any more."""


def encoded(source: SourceText) -> bytes:
    """The bytes of a text: UTF-8, with the byte-order mark that it had."""
    return (b"\xef\xbb\xbf" if source.had_bom else b"") + source.text.encode()


def replace_file(path: Path, before: bytes, after: bytes) -> None:
    """Write `after` where `before` stands, with the file's permissions; a link stays one.

    Raises `ChangedMeanwhile` if the file holds something else by now, and `OSError` where it cannot be written.
    """
    real = path.resolve()
    handle, temporary = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(real.stat().st_mode & 0o7777)
        if real.read_bytes() != before:
            raise ChangedMeanwhile(str(path))
        Path(temporary).replace(real)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
