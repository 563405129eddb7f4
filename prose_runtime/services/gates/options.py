"""The options of a gate: `?name=value&name=value` after its name.

In: the text after `?`. Out: checked values. `%xx` is read; `+` is itself, since patterns are full of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from prose_runtime.services.faults import BindingFault, suggest


@dataclass(slots=True)
class Options:
    """Options by name, each with its values in order; `name` and `target` are for messages."""

    name: str
    target: str
    values: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str, *, name: str, target: str, known: Sequence[str]) -> Options:
        """Read the options. Raises `BindingFault` (`gate-option`) for one that the gate does not have."""
        found = cls(name, target)
        for part in filter(None, text.split("&")):
            key, sign, value = part.partition("=")
            if not sign:
                raise found.fault(f"the option `{part}` has no value", f"write `{key}=VALUE` (`&` in a value is `%26`)")
            if key not in known:
                raise found.fault(
                    f"it has no option `{key}`", suggest(key, known, otherwise="leave it out" if not known else "")
                )
            found.values.setdefault(key, []).append(unquote(value))
        return found

    def fault(self, reason: str, suggestion: str) -> BindingFault:
        return BindingFault("gate-option", name=self.name, target=self.target, reason=reason, suggestion=suggestion)

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(self.values.get(key, ()))

    def text(self, key: str, default: str | None = None) -> str | None:
        """The value of an option that stands once."""
        found = self.values.get(key, [])
        if len(found) > 1:
            raise self.fault(f"`{key}` is given {len(found)} times", f"give `{key}` once")
        return found[0] if found else default

    def needed(self, key: str, example: str) -> str:
        """The same, where the gate cannot do without."""
        found = self.text(key)
        if not found:
            raise self.fault(f"it needs `{key}`", f"write `{example}`")
        return found

    def count(self, key: str) -> int | None:
        """A whole number from 0 on."""
        found = self.text(key)
        if found is None:
            return None
        if not (found.isascii() and found.isdigit()) or len(found) > 12:
            raise self.fault(f"`{key}` is `{found}`, not a whole number", f"write `{key}=100`")
        return int(found)

    def flag(self, key: str) -> bool:
        """`yes` or `no`, by default no."""
        found = self.text(key, "no")
        if found not in ("yes", "no", "true", "false"):
            raise self.fault(f"`{key}` is `{found}`, neither yes nor no", f"write `{key}=yes`")
        return found in ("yes", "true")

    def seconds(self, default: float) -> float:
        """`seconds`: above 0, at most 600."""
        found = self.text("seconds")
        try:
            value = default if found is None else float(found)
        except ValueError:
            value = 0.0
        if not 0 < value <= 600:
            raise self.fault(f"`seconds` is `{found}`, not a number between 0 and 600", "write `seconds=5`")
        return value
