"""The wording of what a running script can do wrong. In: a name, a place, facts. Out: a `Failure`.

What expressions and conditions find stands in the table of codes (`faults.py`); here is what statements and calls find.
The name is what `err is NAME` sees in a script.
"""

from __future__ import annotations

from prose_runtime.runtime.errors import Failure
from prose_runtime.source import Span
from prose_runtime.syntax.nodes import Node

_MESSAGES: dict[str, str] = {
    "invariant": 'this breaks the invariant "{text}": {because}',
    "cannot-record": "`{name}` is {found}; only a list can be added to",
    "cannot-set": "{what} of {found} cannot be set",
    "cannot-take-apart": "names are taken out of {found}; only an object has named parts",
    "bad-count": "{found} is no number of rounds; it must be a whole number of at least 0",
    "not-a-collection": "{shown} is {found}; only a list or an object can be gone through",
    "loop-ceiling": "the loop has run {rounds} rounds and says no bound of its own; give it one: `(max: …)`",
    "bad-join": "these branches cannot be joined: {found}",
    "not-callable": "`{name}` is {found}, which cannot be called",
    "too-many-arguments": "`{name}` takes {takes} arguments by position, and {given} are given",
    "bad-modifier": "`{name}` takes {wanted}; this is {found}",
    "too-deep": "`{name}` is called {levels} levels deep; a recursion must end earlier",
    "no-memory": "`{name}` cannot be resumed: {because}; ask it first: `session: {name}`",
    "no-model": "nothing answers this session: no service `model` is bound{name}",
    "nothing-asked": 'this session asks nothing; give it a text: `prompt: "…"`',
    "undecided": "`{text}` cannot be decided: {because}",
}


def complaint(kind: str, span: Span, /, **facts: object) -> Failure:
    """The failure of that kind at a place of the script that is running."""
    return Failure(kind, _MESSAGES[kind].format(**facts), transient=False, node=Node(span))
