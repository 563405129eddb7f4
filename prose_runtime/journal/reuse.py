"""Answers of another run, to be used again. In: its journal. Out: for the same question the answer that it was given.

Each answer is given once, so that a question that was asked three times has three answers. What was refused, or failed,
is never given.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from prose_runtime.journal.records import read_line, whole_lines
from prose_runtime.journal.telling import told_in
from prose_runtime.journal.values import Decoder
from prose_runtime.runtime.journaling import Told


@dataclass(slots=True)
class _Kept:
    step: str
    told: Told
    taken: bool = False


class Reusable:
    """`same`: whether a service is still what it was; `lines`: those of the journal."""

    def __init__(self, lines: Iterable[bytes], same: Callable[[str], bool], *, until: int | None = None) -> None:
        self._by_print: dict[str, deque[_Kept]] = defaultdict(deque)
        self._by_step: dict[tuple[str, str], deque[_Kept]] = defaultdict(deque)
        decoder = Decoder()
        prints: dict[tuple[str, int], str] = {}
        for number, line in enumerate(whole_lines(lines)):
            if until is not None and number >= until:
                break
            record = read_line(line)
            match record["record"]:
                case "text" | "list":
                    decoder.take(record)
                case "started" if same(record["service"]) and record.get("kind") != "gate":
                    prints[record["step"], record["attempt"]] = record["print"]
                case "answered":
                    asked = prints.pop((record["step"], record["attempt"]), None)
                    if asked is not None:
                        self._keep(record["step"], asked, told_in(record, decoder))

    def _keep(self, step: str, asked: str, told: Told) -> None:
        kept = _Kept(step, Told(told.answer, told.usage, reused=True))
        self._by_print[asked].append(kept)
        self._by_step[asked, step].append(kept)

    def take(self, step: str, asked: str) -> Told | None:
        """An answer to that question, the one that was given at the same place first."""
        for answers in (self._by_step.get((asked, step)), self._by_print.get(asked)):
            while answers:
                kept = answers.popleft()
                if not kept.taken:
                    kept.taken = True
                    return kept.told
        return None
