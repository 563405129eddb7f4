"""`py:` targets: found, imported once and only then, and what is said when they are not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prose_runtime.services import BindingFault, service_from

Ask = Callable[..., Any]

CODE = """
import helper_beside
from dataclasses import dataclass

@dataclass
class Box:
    content: "str"

class Critic:
    def __call__(self, draft):
        return helper_beside.louder(draft)

critic = Critic()

def refiner(task_brief: str) -> Box:
    return Box(task_brief)

Settings = Critic
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "helper_beside.py").write_text("def louder(text):\n    return text + '!'\n")
    (tmp_path / "lib").mkdir()
    (tmp_path / "my services.py").write_text(CODE)
    (tmp_path / "random.py").write_text("raise RuntimeError('this must not be imported')\n")
    return tmp_path


def test_a_file_is_imported_with_what_stands_beside_it(folder: Path, ask: Ask) -> None:
    before = list(sys.path)
    made = service_from("py:./my services.py:critic", name="critic", base=folder)
    assert ask(made, {"draft": "a"}) == "a!"
    assert sys.path == before
    assert made.target == "py:./my services.py:critic"
    sys.modules.pop("helper_beside", None)


def test_two_targets_of_one_file_share_its_module(folder: Path, ask: Ask) -> None:
    first = service_from("py:my services.py:refiner", name="r", base=folder)
    again = service_from("py:./my services.py:refiner", name="q", base=folder)
    assert first._function is again._function  # type: ignore[attr-defined]
    assert ask(first, {"task-brief": "x"}) == {"content": "x"}
    sys.modules.pop("helper_beside", None)


def test_a_changed_file_is_imported_anew(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "changing.py"
    path.write_text("def run():\n    return 1\n")
    assert ask(service_from("py:./changing.py:run", name="s", base=tmp_path)) == 1
    path.write_text("def run():\n    return 'second'\n")
    assert ask(service_from("py:./changing.py:run", name="s", base=tmp_path)) == "second"


def test_a_module_of_the_folder_and_one_that_is_installed(tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "module_of_the_test.py").write_text("def run(x):\n    return x\n")
    assert ask(service_from("py:module_of_the_test:run", name="s", base=tmp_path), {"x": 1}) == 1
    assert str(tmp_path) not in sys.path
    assert ask(service_from("py:textwrap:dedent", name="s", base=tmp_path), {"text": "  a"}) == "a"


@pytest.mark.parametrize(
    ("target", "code", "said", "help_"),
    [
        ("py:./my services.py:refinr", "python-not-found", "has no `refinr`", "`refiner`"),
        ("py:./absent.py:run", "python-not-found", "no file absent.py in", "relative to"),
        ("py:helper_besid:run", "python-not-found", "no module `helper_besid`", "`helper_beside`"),
        ("py:./my services.py", "malformed-target", "does not name a function", "py:module:function"),
        ("py:helper_beside", "malformed-target", "does not name a function", "py:module:function"),
        ("py:", "malformed-target", "nothing follows", "py:module:function"),
        (
            "py:./my services.py:Settings",
            "not-a-service",
            "the class `Critic`",
            "write `critic = Critic()` in that module",
        ),
    ],
)
def test_what_is_missing_is_said(folder: Path, target: str, code: str, said: str, help_: str) -> None:
    with pytest.raises(BindingFault) as caught:
        service_from(target, name="refiner", base=folder)
    assert (caught.value.code, said in caught.value.message, help_ in caught.value.help) == (code, True, True), (
        caught.value.message,
        caught.value.help,
    )
    sys.modules.pop("helper_beside", None)


@pytest.mark.parametrize(
    ("text", "error", "line"),
    [
        ("x = 1\nraise OSError('down')\n", "OSError: down", 2),
        ("import not_there_at_all\n", "not_there_at_all", 1),
        ("\n\ndef f(:\n", "SyntaxError", 3),
        ("import sys\nsys.exit(2)\n", "SystemExit: 2", 2),
    ],
)
def test_a_failing_import_names_the_line(tmp_path: Path, text: str, error: str, line: int) -> None:
    (tmp_path / "broken.py").write_text(text)
    with pytest.raises(BindingFault) as caught:
        service_from("py:./broken.py:run", name="s", base=tmp_path)
    assert caught.value.code == "python-import-failed"
    assert error in caught.value.message
    assert f"broken.py:{line}" in caught.value.help


def test_the_fault_becomes_a_diagnostic(tmp_path: Path) -> None:
    with pytest.raises(BindingFault) as caught:
        service_from("py:./absent.py:run", name="critic", base=tmp_path)
    found = caught.value.diagnostic("--bind critic=…")
    assert found.source.name == "--bind critic=…"
    assert found.source.text == "py:./absent.py:run"
    assert str(found).startswith("--bind critic=…: error[python-not-found]")


def test_a_module_may_raise_anything_while_it_is_imported(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text("class Odd(BaseException): pass\nraise Odd('not today')\n")
    with pytest.raises(BindingFault, match="Odd: not today") as caught:
        service_from("py:./odd.py:run", name="critic", base=tmp_path)
    assert caught.value.help.endswith("odd.py:2")
