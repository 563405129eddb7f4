"""Fixtures for pytest, there wherever `prose-runtime` is installed. `model_server` makes servers for one test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest


@pytest.fixture
def model_server() -> Iterator[Callable[..., Any]]:
    """Makes a `prose_runtime.testing.ModelServer` of its arguments; it ends with the test."""
    from prose_runtime.testing import ModelServer

    with ExitStack() as servers:
        yield lambda *given, **options: servers.enter_context(ModelServer(*given, **options))
