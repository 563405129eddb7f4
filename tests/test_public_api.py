"""What `import prose_runtime` promises: these names, documented, and an import that costs nothing."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import prose_runtime

PUBLIC = [
    "Answer",
    "Budget",
    "Call",
    "CallRecord",
    "CheckFailed",
    "ClauseRecord",
    "DecisionRecord",
    "Diagnostic",
    "Loaded",
    "Outcome",
    "ProseError",
    "Registry",
    "RunError",
    "RunFailed",
    "RunWarning",
    "ScriptedService",
    "Service",
    "ServiceError",
    "SourceNotFound",
    "Usage",
    "__version__",
    "arun",
    "check",
    "load",
    "run",
    "service",
]
HEAVY = ["lark", "rich", "click", "asyncio", "yaml", "markdown_it", "prose_runtime.api", "dataclasses"]


def test_the_public_names_are_these() -> None:
    assert prose_runtime.__all__ == PUBLIC
    assert dir(prose_runtime) == sorted(PUBLIC)


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "__version__"])
def test_every_public_object_is_documented(name: str) -> None:
    thing = getattr(prose_runtime, name)
    assert thing.__doc__
    assert not thing.__doc__.startswith(f"{name}(")  # the one that dataclasses write by themselves


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "__version__"])
def test_every_public_method_is_documented(name: str) -> None:
    thing = getattr(prose_runtime, name)
    if not inspect.isclass(thing):
        return
    bare = [
        key
        for key, member in vars(thing).items()
        if not key.startswith("_")
        and (inspect.isfunction(member) or isinstance(member, property | classmethod | staticmethod))
        and not inspect.getdoc(member)
    ]
    assert bare == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = prose_runtime.nothing


def test_importing_is_light() -> None:
    code = f"import sys, prose_runtime; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert done.stdout.strip() == "[]"
