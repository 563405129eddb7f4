"""A run with a journal: what is written, and what a run that goes on is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from prose_runtime import api
from prose_runtime.journal.file import JOURNAL, FileStore
from prose_runtime.journal.journal import RunJournal
from prose_runtime.journal.records import read_records
from prose_runtime.runtime import Outcome, execute


class Rounds:
    """Two services of `refine`; the scores are as given."""

    def __init__(self, *scores: float) -> None:
        self.scores = scores
        self.calls: list[str] = []

    def refiner(self, task_brief: str, current_result: Any = None) -> str:
        self.calls.append("refiner")
        return f"after {current_result}"

    def evaluator(self, result: str) -> dict[str, Any]:
        self.calls.append("evaluator")
        return {"score": self.scores[result.count("after") - 1], "suggestions": "more"}


def run(folder: Path, rounds: Rounds, open_journal: Callable[[FileStore, Any], RunJournal]) -> Outcome:
    bind = {"refiner": rounds.refiner, "evaluator": rounds.evaluator}
    prepared = api.prepare(api.load("std/refine"), bind=bind, inputs={"task_brief": "a haiku"})
    prepared.raise_for_errors()
    assert prepared.plan is not None
    store = FileStore(folder)
    store.take()
    try:
        return asyncio.run(execute(prepared.plan, journal=open_journal(store, prepared.plan), run_id="r"))
    finally:
        store.release()


def begin(store: FileStore, plan: Any) -> RunJournal:
    return RunJournal.begin(store, {"id": "r", "definition": "refine", "file": "f"}, {"inputs": dict(plan.inputs)}, {})


def go_on(store: FileStore, plan: Any) -> RunJournal:
    return RunJournal.go_on(store, {})


def test_cut_off_at_every_record_it_goes_on_without_asking_again(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", Rounds(0.2, 0.4, 0.9), begin)
    lines = (tmp_path / "whole" / JOURNAL).read_bytes().splitlines(keepends=True)
    assert [record["record"] for record in read_records(lines)][:4] == ["run", "given", "process", "started"]
    for kept in range(3, len(lines)):
        folder = tmp_path / str(kept)
        folder.mkdir()
        (folder / JOURNAL).write_bytes(b"".join(lines[:kept]))
        rounds = Rounds(0.2, 0.4, 0.9)
        outcome = run(folder, rounds, go_on)
        answered = sum(b'"record":"answered"' in line for line in lines[:kept])
        assert outcome.result == whole.result
        assert [item.to_json() for item in outcome.decisions] == [item.to_json() for item in whole.decisions]
        assert len(rounds.calls) == 6 - answered
        decided = [item["step"] for item in read_records(FileStore(folder).lines()) if item["record"] == "decided"]
        assert decided == [item.key for item in whole.decisions]
