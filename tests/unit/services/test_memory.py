"""Memories on a disk: readable, masked, alone with their folder, and never out of their place."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path

import pytest

from prose_runtime.runtime.memory import MEMORY_LIMIT, size_of
from prose_runtime.runtime.port import ServiceError, Turn
from prose_runtime.services.memory import PLACE, DiskMemory
from prose_runtime.services.secrets import Masker


def _keep(store: DiskMemory, run: str, *asked: str, scope: str = "project") -> int:
    turns = [Turn(text, f"answer to {text}", None, run, f"key-{number}") for number, text in enumerate(asked)]
    return asyncio.run(store.keep(scope, "writer", run, turns))


def _asked(store: DiskMemory, scope: str = "project") -> list[object]:
    return [turn.asked for turn in asyncio.run(store.read(scope, "writer"))]


def test_it_is_read_as_it_was_kept(tmp_path: Path) -> None:
    store = DiskMemory(tmp_path, home=tmp_path / "home")
    assert _asked(store) == []
    _keep(store, "one", "a", "b")
    _keep(store, "two", "c")
    _keep(store, "one", "a", "b", "b2")
    assert _asked(DiskMemory(tmp_path)) == ["a", "b", "b2", "c"]
    assert _asked(store, "user") == []


def test_the_file_is_readable_and_its_owner_s_alone(tmp_path: Path) -> None:
    _keep(DiskMemory(tmp_path), "one", "a")
    path = tmp_path / PLACE / "writer" / "memory.json"
    assert json.loads(path.read_text()) == {
        "agent": "writer",
        "turns": [{"asked": "a", "answered": "answer to a", "run": "one", "key": "key-0"}],
    }
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {item.name for item in path.parent.iterdir()} == {"memory.json", ".lock"}


def test_the_users_own_is_in_the_home(tmp_path: Path) -> None:
    store = DiskMemory(tmp_path / "project", home=tmp_path)
    _keep(store, "one", "a", scope="user")
    assert (tmp_path / PLACE / "writer" / "memory.json").is_file()


def test_no_secret_is_written(tmp_path: Path) -> None:
    store = DiskMemory(tmp_path, masker=Masker({"API_KEY": "sesame-open-up"}))
    _keep(store, "one", "the key is sesame-open-up")
    assert "sesame" not in (tmp_path / PLACE / "writer" / "memory.json").read_text()


def test_the_oldest_turns_leave_first(tmp_path: Path) -> None:
    store = DiskMemory(tmp_path)
    half = "x" * (MEMORY_LIMIT // 4)
    assert _keep(store, "one", *(f"{number}{half}" for number in range(3))) == 2
    assert [str(text)[0] for text in _asked(store)] == ["2"]


def test_a_turn_larger_than_all_takes_nothing_else_away(tmp_path: Path) -> None:
    store = DiskMemory(tmp_path)
    assert _keep(store, "one", "a", "x" * (MEMORY_LIMIT + 1), "b") == 1
    assert _asked(store) == ["a", "b"]


@pytest.mark.parametrize("turn", [Turn(1, list(range(100_000)), [[1]] * 40_000, "r", "k"), Turn("", "", None, "r", "")])
def test_what_is_kept_can_be_read_again_however_full_it_is(tmp_path: Path, turn: Turn) -> None:
    store = DiskMemory(tmp_path)
    turns = [turn] * (MEMORY_LIMIT // size_of(turn) + 1)
    assert asyncio.run(store.keep("project", "writer", "r", turns)) == 1
    assert len(_asked(store)) == len(turns) - 1
    assert (tmp_path / PLACE / "writer" / "memory.json").stat().st_size <= MEMORY_LIMIT + 1_000


@pytest.mark.parametrize("text", ["", "[]", '{"turns": 3}', '{"turns": [{"asked": 1}]}', "{" * 100_000])
def test_a_file_that_is_no_memory_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / PLACE / "writer" / "memory.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(ServiceError, match="take it away") as raised:
        _asked(DiskMemory(tmp_path))
    assert str(path) in raised.value.message
    assert raised.value.name == "memory"


def test_a_link_out_of_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    project = tmp_path / "project"
    (project / PLACE).mkdir(parents=True)
    (project / PLACE / "writer").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ServiceError, match="out of"):
        _keep(DiskMemory(project), "one", "a")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / PLACE).mkdir(parents=True)
    (tmp_path / PLACE / "writer").symlink_to(tmp_path / PLACE / "writer")
    with pytest.raises(ServiceError, match="writer"):
        _keep(DiskMemory(tmp_path), "one", "a")


def test_only_who_keeps_something_in_a_home_needs_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    store = DiskMemory(tmp_path)
    assert _keep(store, "one", "a") == 0
    with pytest.raises(ServiceError, match="`persist: user`"):
        _keep(store, "one", "a", scope="user")


def test_runs_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    async def together() -> None:
        stores = [DiskMemory(tmp_path) for _ in range(8)]
        await asyncio.gather(
            *(
                store.keep("project", "writer", f"run{number}", [Turn(f"{number}", "x", None, f"run{number}", "k")])
                for number, store in enumerate(stores)
            )
        )

    asyncio.run(together())
    assert sorted(str(text) for text in _asked(DiskMemory(tmp_path))) == [str(number) for number in range(8)]
