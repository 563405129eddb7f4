"""Calls, and a folder of programs, for the tests of services."""

from __future__ import annotations

import asyncio
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prose_runtime.runtime.port import Call, Service


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes an executable Python program into the test's folder."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(f"#!{sys.executable}\n{text}")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return write


@pytest.fixture
def ask() -> Callable[..., Any]:
    """Makes one call of a service in an event loop of its own, closes the service and gives the answer's value."""

    def make(service: Service, inputs: dict[str, Any] | None = None, /, **about: Any) -> Any:
        async def run() -> Any:
            try:
                return (await service.call(Call(service.name, inputs or {}, **about))).value
            finally:
                await service.close()

        return asyncio.run(run())

    return make
