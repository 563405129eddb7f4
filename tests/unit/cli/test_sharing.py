"""Several processes find what one finds, in the same order."""

from __future__ import annotations

from pathlib import Path

import pytest

from prose_runtime.cli import sharing

HEAD = "---\nname: {name}\nkind: pattern\n---\n\n### Slots\n\n- `writer`\n\n### Delegation\n\n```prose\n{script}\n```\n"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    scripts = ["return call writer", "return call writr", "let x = 1\nreturn call writer"]
    paths = [tmp_path / f"p{number}.prose.md" for number in range(9)]
    for number, path in enumerate(paths):
        path.write_text(HEAD.format(name=f"p{number}", script=scripts[number % 3]))
    return [*paths, tmp_path / "absent.prose.md"]


def test_the_order_and_the_messages_are_those_of_one_process(
    files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = sharing.checked(files, portable=False)
    monkeypatch.setattr(sharing, "FEWEST", 2)
    monkeypatch.setattr(sharing, "_processors", lambda: 3)
    shared = sharing.checked(files, portable=False)
    assert [str(item) for item in shared] == [str(item) for item in alone]
    assert {item.code for item in alone} == {"unknown-call", "unused-name", "no-such-file"}
    assert shared[0].source.text == alone[0].source.text


@pytest.mark.parametrize(
    ("files_of", "processors", "sizes"), [(0, 4, [0]), (5, 1, [5]), (7, 2, [4, 3]), (4, 4, [1] * 4)]
)
def test_every_file_is_in_one_part(files_of: int, processors: int, sizes: list[int]) -> None:
    paths = [Path(str(number)) for number in range(files_of)]
    parts = sharing._parts(paths, processors)
    assert [len(part) for part in parts] == sizes
    assert [path for part in parts for path in part] == paths
