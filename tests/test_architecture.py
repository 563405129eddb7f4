"""The house holds: imports point down, modules stay small, only the rooms that may do a thing do it.

What must be larger or different says why in `EXCEPTIONS`, the one list of reasons.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "prose_runtime"

LAYERS = {
    "version": 0,
    "source": 0,
    "diagnostics": 1,
    "syntax": 2,
    "resolve": 3,
    "runtime": 4,
    "journal": 5,
    "services": 5,
    "casebook": 6,
    "reports": 6,
    "upgrading": 6,
    "api": 7,
    "testing": 7,
    "pytest_plugin": 8,
    "": 7,  # prose_runtime/__init__.py: the public names
    "cli": 8,
    "__main__": 9,
}
PURE_ROOMS = {"source", "diagnostics", "syntax", "resolve"}

LONGEST_FUNCTION = 80
USUAL_FUNCTION = 40
LONGEST_FILE = 600
USUAL_FILE = 250

# (rule, module or function): why. A reason that is no longer needed fails `test_every_exception_is_needed`.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("opens files", "diagnostics/pages.py"): "reads the pages that travel with the package, never a user's file",
    ("opens files", "syntax/script/table.py"): "reads the parser's table that travels with the package",
}

_FORBIDDEN_MODULES = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "base", "misc"}
_OPENING = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "fdopen", "mkdir", "unlink"}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def inside(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def room(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return "" if parts == ("__init__",) else parts[0]


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that a module imports, wherever the import stands."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            name = ".".join([*start, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{name}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and _called(node) == "import_module":
            yield from ((node.lineno, arg.value) for arg in node.args if _is_text(arg))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Qualified name and length in lines, decorators and docstring left out."""

    def visit(node: ast.AST, prefix: str) -> Iterator[tuple[str, int]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                doc = child.body[0].end_lineno - child.body[0].lineno + 1 if ast.get_docstring(child) else 0
                yield f"{inside(path)}:{prefix}{child.name}", child.end_lineno - child.lineno + 1 - doc
            named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            yield from visit(child, f"{prefix}{child.name}." if named else prefix)

    yield from visit(tree(path), "")


def target_room(name: str) -> str | None:
    parts = name.split(".")
    if parts[0] != "prose_runtime":
        return None
    if len(parts) == 1 or (parts[1] not in LAYERS and not (PACKAGE / parts[1]).exists()):
        return ""
    return parts[1]


def wrong_imports(path: Path) -> Iterator[str]:
    own = room(path)
    for line, name in imported(path):
        other = target_room(name)
        if other is None or other == own:
            continue
        if own == "" and other == "version":
            continue
        if other not in LAYERS:
            yield f"{inside(path)}:{line} imports {name}, a room without a layer"
        elif LAYERS[other] >= LAYERS[own] and not (own == "" and other == "api"):
            yield f"{inside(path)}:{line} imports {name}: {own} ({LAYERS[own]}) -> {other} ({LAYERS[other]})"


def test_every_room_has_a_layer() -> None:
    assert {room(path) for path in modules()} <= set(LAYERS)


def test_imports_point_down() -> None:
    assert [fault for path in modules() for fault in wrong_imports(path)] == []


def test_the_reader_of_imports_sees_all_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path / "prose_runtime")
    for folder in ("source", "runtime", "cli"):
        (tmp_path / "prose_runtime" / folder).mkdir(parents=True)
    path = tmp_path / "prose_runtime" / "source" / "bad.py"
    path.write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from prose_runtime.runtime import port\n"
        "def f():\n    import prose_runtime.cli\n    from ..runtime import x\n"
        "    from importlib import import_module\n    import_module('prose_runtime.runtime.y')\n",
        encoding="utf-8",
    )
    assert [fault.split(" ")[0] for fault in wrong_imports(path)] == [f"source/bad.py:{line}" for line in (3, 5, 6, 8)]


def test_only_syntax_knows_lark() -> None:
    knowing = {room(path) for path in modules() for _, name in imported(path) if name.split(".")[0] == "lark"}
    assert knowing <= {"syntax"}


def test_terminal_libraries_stay_in_the_command_line() -> None:
    knowing = {
        room(path) for path in modules() for _, name in imported(path) if name.split(".")[0] in ("rich", "click")
    }
    assert knowing <= {"cli"}


def test_only_the_command_line_prints() -> None:
    printing = [
        f"{inside(path)}:{node.lineno}"
        for path in modules()
        if room(path) not in ("cli", "__main__")
        for node in ast.walk(tree(path))
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print")
        or (isinstance(node, ast.Attribute) and ast.unparse(node) in ("sys.stdout", "sys.stderr"))
    ]
    assert printing == []


def opening(path: Path) -> list[int]:
    calls = [node for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
    methods = [node.lineno for node in calls if isinstance(node.func, ast.Attribute) and node.func.attr in _OPENING]
    return methods + [node.lineno for node in calls if isinstance(node.func, ast.Name) and node.func.id == "open"]


def test_reading_and_resolving_open_no_files_and_do_not_wait() -> None:
    faults = []
    for path in modules():
        if room(path) not in PURE_ROOMS:
            continue
        faults += [f"{inside(path)}:{line} imports {name}" for line, name in imported(path) if _waits(name)]
        if ("opens files", inside(path)) not in EXCEPTIONS:
            faults += [f"{inside(path)}:{line} opens a file" for line in opening(path)]
    assert faults == []


def _waits(name: str) -> bool:
    return name.split(".")[0] in ("asyncio", "threading", "subprocess", "socket", "concurrent", "multiprocessing")


def test_no_module_is_a_drawer() -> None:
    assert [inside(path) for path in modules() if path.stem in _FORBIDDEN_MODULES] == []


def test_every_module_says_what_it_is() -> None:
    assert [inside(path) for path in modules() if not ast.get_docstring(tree(path))] == []


def test_functions_are_short() -> None:
    lengths = dict(item for path in modules() for item in functions(path))
    assert statistics.median(lengths.values()) < 10
    assert {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION} == {}
    long = {name: length for name, length in lengths.items() if length > USUAL_FUNCTION}
    assert len(long) <= len(lengths) // 50, long


def test_files_are_short() -> None:
    lengths = {inside(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}
    assert sum(length > USUAL_FILE for length in lengths.values()) <= len(lengths) // 4


def test_every_exception_is_needed() -> None:
    stale = []
    for (rule, name), reason in EXCEPTIONS.items():
        assert reason, f"{rule} {name} has no reason"
        needed = (PACKAGE / name).exists() and bool(opening(PACKAGE / name))
        stale += [] if needed else [(rule, name)]
    assert stale == []
