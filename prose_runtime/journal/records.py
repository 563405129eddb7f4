"""Records as lines and back. In: a record as plain data. Out: one line with its number and checksum, and the reverse.

The format is described in `docs/journal.md`; journals of older versions are read for ever.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from prose_runtime.diagnostics.exceptions import ProseError

FORMAT = 1
_CRC = b',"crc":"'
_TAIL = len(_CRC) + 8 + len(b'"}')
_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


class DamagedJournal(ProseError):
    """A line that is not as it was written. `line` counts from 1, or is None where it is not known."""

    def __init__(self, line: int | None, because: str) -> None:
        where = f" in line {line}" if line is not None else ""
        super().__init__(f"the journal is damaged{where}: {because}; restore the file from a copy")
        self.line = line


class NewerJournal(ProseError):
    """A journal of a version of the format that this one does not know."""


def pack(number: int, record: Mapping[str, Any]) -> bytes:
    """One line, its end included."""
    body = f'{{"n":{number},{_write(record)[1:-1]}'.encode()
    return b'%b,"crc":"%08x"}\n' % (body, zlib.crc32(body))


def whole_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines without a torn last one: it has no end, or nothing was written where it was to be."""
    before: bytes | None = None
    for line in lines:
        if before is not None:
            yield before
        before = line
    if before is not None and before.endswith(b"\n") and before.strip(b"\0\n"):
        yield before


def check_line(line: bytes, number: int) -> None:
    """Raises `DamagedJournal` for a line that is not as it was written, or not the one of that number."""
    body, ending = line[: -_TAIL - 1], line[-_TAIL - 1 :]
    if not ending.startswith(_CRC) or ending[len(_CRC) : -3] != b"%08x" % zlib.crc32(body):
        raise DamagedJournal(number + 1, "its checksum does not fit")
    if not body.startswith(b'{"n":%d,"record":"' % number):
        raise DamagedJournal(number + 1, f"it is not record {number}; a line is missing, or stands twice")


def kind_of(line: bytes) -> str:
    """The kind of record in a line that was checked."""
    start = line.index(b'"record":"') + 10
    return line[start : line.index(b'"', start)].decode()


def read_line(line: bytes) -> dict[str, Any]:
    """The record in a line that was checked."""
    record: dict[str, Any] = json.loads(line)
    return record


def read_records(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """All records, checked. Raises `DamagedJournal`, and `NewerJournal` for a format that is not known."""
    for number, line in enumerate(whole_lines(lines)):
        check_line(line, number)
        record = read_line(line)
        if number == 0:
            check_format(record)
        yield record


def check_format(header: Mapping[str, Any]) -> None:
    """Raises `NewerJournal` for a format that is not known, `DamagedJournal` for what is no first record."""
    if header.get("record") != "run":
        raise DamagedJournal(1, "it does not begin with the record of a run")
    if header.get("journal", 0) > FORMAT:
        by = header.get("prose", "?")
        raise NewerJournal(
            f"this journal was written by prose {by}, in a later format; update prose-runtime to read it"
        )
