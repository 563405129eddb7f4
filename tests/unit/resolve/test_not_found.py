"""Where was looked for a document is said in full, and no name twice."""

from __future__ import annotations

import pytest

from prose_runtime.resolve.loader import NotFound


@pytest.mark.parametrize(
    ("looked_in", "said"),
    [
        ((), "looked in no place at all"),
        (("a.prose.md",), "looked in a.prose.md"),
        (
            ("x/a.prose.md", "x/a/index.prose.md", "y/b.prose.md"),
            "looked in x/a.prose.md, x/a/index.prose.md, y/b.prose.md",
        ),
        (
            ("a.prose.md", "a/index.prose.md", "src/a.prose.md", "src/a/index.prose.md", "std/a.prose.md"),
            "looked in ., src, std for a.prose.md or a/index.prose.md",
        ),
        (
            ("p/a.prose.md", "p/b.prose.md", "q/c.prose.md", "q/d.prose.md"),
            "looked in p/a.prose.md, p/b.prose.md, q/c.prose.md, q/d.prose.md",
        ),
    ],
)
def test_places(looked_in: tuple[str, ...], said: str) -> None:
    assert NotFound(looked_in).because == said
