"""What became of a clause of a contract. In: a clause and how it was decided. Out: `ClauseRecord`, plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from prose_runtime.syntax.document import Json

How = Literal["checked", "judged", "not checked"]


@dataclass(slots=True)
class ClauseRecord:
    """One clause of the contract of a definition.

    - `kind`: "requires" or "ensures". `about`: the output or input whose description it is, or "".
    - `file`, `line`: where it stands, the line counted from 1.
    - `how`: decided by a rule ("checked"), by the judge ("judged"), or by nobody. `holds` is None for the last.
    - `because`: the reason, with the values that were seen. `times`: how often it came to be decided; a definition that
      is called again keeps its contract again. `holds` and `because` are those of the last time.
    """

    definition: str
    kind: Literal["requires", "ensures"]
    about: str
    text: str
    file: str
    line: int
    how: How = "not checked"
    holds: bool | None = None
    because: str = ""
    times: int = 0

    def to_json(self) -> dict[str, Json]:
        """Plain data."""
        return {
            "definition": self.definition,
            "kind": self.kind,
            "about": self.about,
            "text": self.text,
            "file": self.file,
            "line": self.line,
            "how": self.how,
            "holds": self.holds,
            "because": self.because,
            "times": self.times,
        }
