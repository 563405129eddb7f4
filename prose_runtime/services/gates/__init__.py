"""Gates: deterministic checks as services, `gate:NAME?option=value`.

In: a text (see `gates.service`) and the options of the target. Out: `{passed, score, issues, suggestions}`.
"""

from prose_runtime.services.gates.service import GateService
from prose_runtime.services.gates.table import GATES, read_gate

__all__ = ["GATES", "GateService", "read_gate"]
