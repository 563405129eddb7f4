"""Room `casebook` (layer 6): runs `kind: test` documents with scripted services and compares what comes out.

In: paths of files and folders. Out: a `CaseReport`. Nothing that a case names is started, imported or contacted:
its services are the replies that it holds. Only the command line of a `### Command` may name more, and it is run by the
`Runner` of whoever asks for that.
"""

from prose_runtime.casebook.case import Case
from prose_runtime.casebook.commands import Ran, Runner
from prose_runtime.casebook.discovery import find_cases
from prose_runtime.casebook.report import CaseReport, CaseResult
from prose_runtime.casebook.running import run_case, run_cases

__all__ = ["Case", "CaseReport", "CaseResult", "Ran", "Runner", "find_cases", "run_case", "run_cases"]
