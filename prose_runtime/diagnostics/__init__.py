"""Room `diagnostics` (layer 1): what is said to a user about a file, and how it is worded and shown."""

from prose_runtime.diagnostics.code import Code
from prose_runtime.diagnostics.codes import CODES, report
from prose_runtime.diagnostics.model import Diagnostic, Edit, Fix, Label, Severity, has_errors, in_order

__all__ = [
    "CODES",
    "Code",
    "Diagnostic",
    "Edit",
    "Fix",
    "Label",
    "Severity",
    "has_errors",
    "in_order",
    "report",
]
