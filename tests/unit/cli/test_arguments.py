"""`--bind`, `--input` and `--config` taken apart."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from prose_runtime.cli.arguments import LARGEST_FILE, read_bindings, read_settings, split_targets, values_of
from prose_runtime.cli.faults import Fault
from prose_runtime.syntax.document import Json, Type

TEXT, INTEGER, NUMBER, BOOLEAN, OBJECT, ANY = (
    Type("string"),
    Type("integer"),
    Type("number"),
    Type("boolean"),
    Type("object"),
    Type("any"),
)


def value(word: str, declared: Type | None = None) -> Json:
    settings = read_settings([word], "--input")
    return values_of(settings, {name: declared for name in settings if declared})["n"]


@pytest.mark.parametrize(
    ("word", "declared", "expected"),
    [
        ("n=text", None, "text"),
        ("n=3", None, "3"),
        ("n=3", TEXT, "3"),
        ("n=3", ANY, "3"),
        ("n=3", INTEGER, 3),
        ("n=3", NUMBER, 3),
        ("n=0.5", NUMBER, 0.5),
        ("n=true", BOOLEAN, True),
        ("n=No", BOOLEAN, False),
        ("n=null", TEXT, "null"),
        ("n=", None, ""),
        ("n=a=b", None, "a=b"),
        ("n=a:=b", None, "a:=b"),
        ('n={"a": 1}', OBJECT, {"a": 1}),
        ('n=["a", "b"]', Type("list", item=TEXT), ["a", "b"]),
        ("n=one", Type("list", item=TEXT), ["one"]),
        ("n=[1, 2]", Type("list", item=INTEGER), [1, 2]),
        ("n=a,b", Type("list", item=TEXT), ["a,b"]),
        ("n=[a] b", Type("list", item=TEXT), ["[a] b"]),
        ("n=3", Type("list", item=INTEGER), [3]),
        ('n={"a": 1}', Type("list", item=OBJECT), [{"a": 1}]),
        ("n=a", Type("list"), ["a"]),
        ('n:="a"', Type("list", item=TEXT), "a"),
        ("n=accept", Type("choice", choices=("accept", "reject")), "accept"),
        ("n=text", Type("union", members=(TEXT, Type("null"))), "text"),
        ("n:=3", TEXT, 3),
        ("n:=null", None, None),
        ('n:=[1, {"a": null}]', None, [1, {"a": None}]),
        ("n=@@home", None, "@home"),
        ("n=a@b", None, "a@b"),
    ],
)
def test_values(word: str, declared: Type | None, expected: Json) -> None:
    read = value(word, declared)
    assert read == expected
    assert type(read) is type(expected)


@pytest.mark.parametrize(
    ("word", "declared"),
    [
        ("n=three", INTEGER),
        ("n=1.5", INTEGER),
        ("n=nan", NUMBER),
        ("n=inf", NUMBER),
        ("n=maybe", BOOLEAN),
        ("n=text", OBJECT),
        ("n:=text", None),
        ("n:=NaN", None),
        ("n:={'a': 1}", None),
        ("n:=" + "[" * 100_000, None),
        ("n", None),
        ("=3", None),
        ("3n=3", None),
    ],
)
def test_what_is_not_readable_is_a_fault_with_advice(word: str, declared: Type | None) -> None:
    with pytest.raises(Fault) as caught:
        value(word, declared)
    assert caught.value.status == 2
    assert caught.value.advice


def test_a_name_given_twice_is_a_fault() -> None:
    with pytest.raises(Fault, match="twice"):
        read_settings(["n=1", "n=2"], "--config")


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "brief.txt"
    file.write_bytes(b"\xef\xbb\xbfline\r\n@not-a-file\n")
    assert value(f"n=@{file}") == "line\r\n@not-a-file\n"


def test_a_file_with_json_is_read_as_such(tmp_path: Path) -> None:
    file = tmp_path / "brief.json"
    file.write_text('{"a": [1]}', encoding="utf-8")
    assert value(f"n:=@{file}") == {"a": [1]}
    assert value(f"n=@{file}", OBJECT) == {"a": [1]}


def test_a_missing_file_says_how_to_write_an_at_sign() -> None:
    with pytest.raises(Fault) as caught:
        value("n=@nobody")
    assert "No such file" in caught.value.message
    assert "n=@@" in caught.value.advice


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(Fault, match="not a regular file"):
            value(f"n=@{path}")


def test_a_file_has_a_largest_size(tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as stream:
        stream.truncate(LARGEST_FILE + 1)
    with pytest.raises(Fault, match="larger than 16 MiB"):
        value(f"n=@{file}")


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "latin"
    file.write_bytes(b"caf\xe9")
    with pytest.raises(Fault, match="not UTF-8"):
        value(f"n=@{file}")


def test_stdin_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"piped\n")))
    assert value("n=-") == "piped\n"
    with pytest.raises(Fault, match="both read stdin"):
        read_settings(["a=-", "b=-"], "--input")


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("py:a:b", ["py:a:b"]),
        ("py:a:b,py:./c.py:d", ["py:a:b", "py:./c.py:d"]),
        ("careful, quick", ["careful", "quick"]),
        ("careful,py:a:b", ["careful", "py:a:b"]),
        ("cmd:sort -k1,2", ["cmd:sort -k1,2"]),
        ("cmd:cut -f a,b", ["cmd:cut -f a,b"]),
        ("cmd:one,cmd:two", ["cmd:one", "cmd:two"]),
        ("http://host/?a=1,b", ["http://host/?a=1,b"]),
        ("gate:contains:a,b", ["gate:contains:a,b"]),
        ("./a.prose.md,std/refine,ask", ["./a.prose.md", "std/refine", "ask"]),
        ("./critic.prose.md#one,./critic.prose.md#two", ["./critic.prose.md#one", "./critic.prose.md#two"]),
        ("py:a:b,", ["py:a:b,"]),
    ],
)
def test_commas_part_targets_only_where_each_part_is_one(text: str, targets: list[str]) -> None:
    assert split_targets(text) == targets


def test_bindings_keep_their_order() -> None:
    assert read_bindings(["a=py:x:y", "r=one,two", "r=cmd:cat", "b=k=v"]) == {
        "a": "py:x:y",
        "r": ["one", "two", "cmd:cat"],
        "b": "k=v",
    }


@pytest.mark.parametrize("word", ["critic", "=py:a:b", "critic=", "2x=py:a:b"])
def test_a_binding_that_is_none(word: str) -> None:
    with pytest.raises(Fault, match="SLOT=TARGET"):
        read_bindings([word])
