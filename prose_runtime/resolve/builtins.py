"""The functions of expressions, as data: what may be applied, to how many values, and what each gives.

In: nothing. Out: `FUNCTIONS`, by name. What they do stands in `runtime/builtins.py`, one function for each row.
"""

from __future__ import annotations

from typing import Literal

from prose_runtime.source.node import node

Given = Literal["number", "integer", "text", "list", "item", "service", "any"]


@node
class Builtin:
    """One function. Pure and total: what it cannot take is an error at that value, before anything else happens.

    - `parameters`: their names in order, for messages; the last `optional` of them may be left out.
    - `gives`: the kind of its result; each but `list` may also be null where the page says so.
    - `more`: any number of further values may follow.
    """

    name: str
    parameters: tuple[str, ...]
    gives: Given
    optional: int = 0
    more: bool = False

    @property
    def takes_list(self) -> bool:
        """Whether its first value is a list, so that a slot given to it is a list slot."""
        return self.name == "len" or self.parameters[0] in ("list", "services")

    def takes(self, given: int) -> bool:
        """Whether it may be applied to so many values."""
        return len(self.parameters) - self.optional <= given and (self.more or given <= len(self.parameters))

    def count(self) -> str:
        """How many values it takes, for a message."""
        least, most = len(self.parameters) - self.optional, len(self.parameters)
        if self.more:
            return f"{_values(least)} or more"
        return _values(most) if least == most else f"{least} to {_values(most)}"

    def written(self) -> str:
        """How it is written: `top(list, count, by)`."""
        return f"{self.name}({', '.join(self.parameters)})"


def _values(number: int) -> str:
    return "one value" if number == 1 else f"{number} values"


FUNCTIONS: dict[str, Builtin] = {
    item.name: item
    for item in (
        # ---- numbers ----
        Builtin("len", ("value",), "integer"),
        Builtin("min", ("list",), "item", more=True),
        Builtin("max", ("list",), "item", more=True),
        Builtin("sum", ("list",), "number"),
        Builtin("round", ("number", "digits"), "number", optional=1),
        # ---- lists ----
        Builtin("first", ("list", "count"), "list"),
        Builtin("last", ("list", "count"), "list"),
        Builtin("top", ("list", "count", "by"), "list", optional=1),
        Builtin("distinct", ("list",), "list"),
        Builtin("most_common", ("list",), "item"),
        Builtin("named", ("services", "name"), "service"),
        # ---- reading answers ----
        Builtin("field", ("value", "name", "otherwise"), "any", optional=1),
        Builtin("number", ("value",), "number"),
        Builtin("score", ("value",), "number"),
        Builtin("items", ("value",), "list"),
        Builtin("plain", ("text",), "text"),
        Builtin("first_line", ("text",), "text"),
    )
}
