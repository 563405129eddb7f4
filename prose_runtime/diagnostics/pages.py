"""The page of each code, and of each error that a run may end with. In: a code or an error's name. Out: the Markdown
that `prose explain CODE` shows.

The page of a code stands in `pages/<code>.md` and has one form: a title, a sentence or two, then Why, Wrong and Right.
That of an error stands in `pages/errors/<name>.md`: a title, a sentence or two, then When and What to do.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path

from prose_runtime.diagnostics.codes import CODES
from prose_runtime.source.pattern import pattern

FOLDER = Path(__file__).with_name("pages")

ERRORS = FOLDER / "errors"

_FORM = pattern(
    r"# (?P<code>[a-z][a-z0-9-]*)\n\n(?P<says>.+?)\n\n## Why\n\n(?P<why>.+?)\n\n"
    r"## Wrong\n\n(?P<wrong>.+?)\n\n## Right\n\n(?P<right>.+?)\n*",
    re.DOTALL,
)
_BLOCK = pattern(r"(?P<ticks>`{3,})(?P<language>markdown|console)\n(?P<content>.*?)\n(?P=ticks)", re.DOTALL)


class NoSuchPage(KeyError):
    """There is no such code. `nearest` are codes that are spelt like it."""

    def __init__(self, code: str, nearest: tuple[str, ...]) -> None:
        super().__init__(code)
        self.code = code
        self.nearest = nearest


class MalformedPage(ValueError):
    """A page does not have the form that all pages have."""


@dataclass(frozen=True, slots=True)
class Example:
    """The Wrong or the Right of a page: a document ("markdown") or command lines ("console")."""

    language: str
    content: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page taken apart."""

    code: str
    says: str
    why: str
    wrong: Example
    right: Example


def page(code: str) -> str:
    """The Markdown of the page of a code or an error. Raises `NoSuchPage` with the nearest names."""
    if code in CODES:
        return (FOLDER / f"{code}.md").read_text(encoding="utf-8")
    errors = error_names()
    if code in errors:
        return (ERRORS / f"{code}.md").read_text(encoding="utf-8")
    raise NoSuchPage(code, tuple(difflib.get_close_matches(code, [*CODES, *errors], n=3, cutoff=0.5)))


def error_names() -> tuple[str, ...]:
    """The errors of a run that have a page of their own, sorted; an error that is named like a code has the code's."""
    return tuple(sorted(path.stem for path in ERRORS.glob("*.md")))


def take_apart(text: str) -> Page:
    """The parts of a page. Raises `MalformedPage` and says which part is missing."""
    match = _FORM.fullmatch(text)
    if not match:
        missing = [title for title in ("Why", "Wrong", "Right") if f"\n\n## {title}\n\n" not in text]
        raise MalformedPage(f"no section {', '.join(missing)}" if missing else "no `# code` with a text at its top")
    wrong, right = (_example(part, match[part]) for part in ("wrong", "right"))
    return Page(match["code"], match["says"], match["why"], wrong, right)


def _example(part: str, text: str) -> Example:
    block = _BLOCK.search(text)
    if not block:
        raise MalformedPage(f"{part} holds no `markdown` or `console` block")
    return Example(block["language"], block["content"] + "\n")
