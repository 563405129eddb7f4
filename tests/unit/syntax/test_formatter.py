"""The canonical layout: blanks alone change, twice is once, and what a file says stays."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from prose_runtime.services.loading import DiskLoader
from prose_runtime.source import SourceText
from prose_runtime.source.shipped import shipped
from prose_runtime.upgrading import Upgraded, lay_out

HEAD = "---\nname: x\nkind: function\n---\n\n### Execution\n\n```prose\n"
ROOT = Path(__file__).parents[3]
FILES = sorted([*shipped("std").rglob("*.prose.md"), *(ROOT / "tests" / "cases").rglob("*.prose.md")])


def laid(text: str) -> Upgraded:
    return lay_out(SourceText("x.prose.md", text), Path("x.prose.md"), DiskLoader())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if 1 > 2:\n      return 1\nreturn 2", "if 1 > 2:\n  return 1\nreturn 2"),
        (
            "repeat 2:\n if 1 > 2:\n    break\n let a = 1\nreturn 2",
            "repeat 2:\n  if 1 > 2:\n    break\n  let a = 1\nreturn 2",
        ),
        ("let  a   =  1\nreturn   a", "let a = 1\nreturn a"),
        ('let a = "two  blanks"\nreturn a', 'let a = "two  blanks"\nreturn a'),
        ("let a = 1     # why  it is\nreturn a # that", "let a = 1  # why  it is\nreturn a # that"),
        ("# a  comment\nreturn 1", "# a  comment\nreturn 1"),
        ("\n\nlet a = 1\n\n\n\nreturn a\n\n", "let a = 1\n\nreturn a"),
        ("let a = [\n      1,\n      2\n    ]\nreturn a", "let a = [\n  1,\n  2\n]\nreturn a"),
        (
            "return {\n    a: {\n        b: 1 },\n    c: [\n    2]\n    }",
            "return {\n  a: {\n    b: 1 },\n  c: [\n  2]\n}",
        ),
        ('let a = """\n  as   it is\n"""\nreturn a', 'let a = """\n  as   it is\n"""\nreturn a'),
        ("return 1   ", "return 1"),
    ],
)
def test_scripts(before: str, after: str) -> None:
    assert laid(f"{HEAD}{before}\n```\n").source.text == f"{HEAD}{after}\n```\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# Title\nWords.\n### Returns\n- `a`: it\n", "# Title\n\nWords.\n\n### Returns\n\n- `a`: it\n"),
        ("Words  \nbroken by hand.\n\n\n\nMore.\n", "Words  \nbroken by hand.\n\n\n\nMore.\n"),
        ("### Returns   \n\n\n\n- `a`: it", "### Returns\n\n- `a`: it\n"),
        ("```yaml\n# no heading\na:   1\n```\nWords.\n", "```yaml\n# no heading\na:   1\n```\n\nWords.\n"),
        ("- a\n\n  ```text\n  # no heading\n  ```\n- b\n", "- a\n\n  ```text\n  # no heading\n  ```\n- b\n"),
    ],
)
def test_the_markdown_round_them(before: str, after: str) -> None:
    head = "---\nname:   x\nkind: function\n---\n"
    assert laid(f"{head}\n{before}").source.text == f"{head}\n{after}"


def test_line_ends_stay() -> None:
    text = f"{HEAD}if 1 > 2:\n    return 1\nreturn 2\n```\n".replace("\n", "\r\n")
    assert laid(text).source.text == text.replace("    return", "  return")
    mixed = text.replace("\r\n", "\n", 1)
    assert laid(mixed).source.text == mixed


def test_a_script_with_an_error_is_left_as_it_is() -> None:
    text = f"{HEAD}if 1 > 2:\n     return    1\nlet = = 2\n```\n"
    assert laid(text).source.text == text


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in FILES])
def test_twice_is_once_and_words_stay(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    once = laid(text)
    assert once.refused == ""
    assert once.source.text.split() == text.split()
    assert laid(once.source.text).changes == ()


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in FILES if "std" in path.parts])
def test_the_library_is_laid_out(path: Path) -> None:
    assert laid(path.read_text(encoding="utf-8")).changes == ()


def test_shaken_scripts_come_back() -> None:
    luck = random.Random(3)
    text = (shipped("std") / "patterns" / "polish.prose.md").read_text(encoding="utf-8")
    begin, end = text.index("```prose\n") + 9, text.rindex("\n```")
    for _ in range(20):
        step = luck.choice([1, 3, 4, 7])
        lines = [
            " " * ((len(line) - len(line.lstrip())) // 2 * step) + line.lstrip() if line.strip() else ""
            for line in text[begin:end].split("\n")
        ]
        shaken = [
            part for line in lines for part in ([line, ""] if luck.random() < 0.1 and not line.strip() else [line])
        ]
        assert laid(text[:begin] + "\n".join(shaken) + text[end:]).source.text == text
