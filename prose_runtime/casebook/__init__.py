"""Room `casebook` (layer 6): runs `kind: test` documents with scripted services and compares what comes out.

In: paths of files and folders. Out: a `CaseReport`. Nothing that a case names is started, imported or contacted: its
services are the replies that it holds. Only two may name more, and whoever asks for cases gives both: the `Runner` of
command lines, and a `Binder` that knows further services.
"""

from prose_runtime.casebook.case import Case
from prose_runtime.casebook.commands import Ran, Runner
from prose_runtime.casebook.discovery import find_cases
from prose_runtime.casebook.problem import Problem
from prose_runtime.casebook.report import CaseReport, CaseResult
from prose_runtime.casebook.rounds import run_cases
from prose_runtime.casebook.running import run_case
from prose_runtime.casebook.subjects import Binder, Bound, Subject, Ways

__all__ = [
    "Binder",
    "Bound",
    "Case",
    "CaseReport",
    "CaseResult",
    "Problem",
    "Ran",
    "Runner",
    "Subject",
    "Ways",
    "find_cases",
    "run_case",
    "run_cases",
]
