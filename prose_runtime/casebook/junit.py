"""A report as JUnit XML, which build servers show. In: a `CaseReport`. Out: the text of the file.

What is not run, failed as expected, or was not checked where that is allowed is `skipped`; all else that is not good is
a `failure`.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from prose_runtime.casebook.report import CaseReport, CaseResult

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(report: CaseReport) -> str:
    """The XML document, with its declaration."""
    failures = sum(_is_failure(result) for result in report.results)
    skipped = sum(_is_skipped(result) for result in report.results)
    counts = {
        "tests": str(len(report.results)),
        "failures": str(failures),
        "errors": "0",
        "skipped": str(skipped),
        "time": f"{sum(result.seconds for result in report.results):.3f}",
    }
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "prose", **counts})
    for result in report.results:
        _case(suite, result)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _case(suite: ElementTree.Element, result: CaseResult) -> None:
    line = next((problem.line for problem in result.problems if problem.line), 1)
    facts = {
        "classname": ".".join(part for part in result.path.parent.parts if part not in ("/", "..")),
        "name": _clean(result.name),
        "file": str(result.path),
        "line": str(line),
        "time": f"{result.seconds:.3f}",
    }
    case = ElementTree.SubElement(suite, "testcase", {key: _clean(value) for key, value in facts.items()})
    told = result.unchecked if result.verdict == "not checked" else result.problems
    if _is_failure(result) or _is_skipped(result):
        tag = "failure" if _is_failure(result) else "skipped"
        message = result.reason or (str(told[0]) if told else result.verdict)
        entry = ElementTree.SubElement(case, tag, {"message": _clean(message), "type": result.verdict})
        entry.text = _clean("\n".join(str(problem) for problem in told))
    elif result.unchecked:
        ElementTree.SubElement(case, "system-out").text = _clean("\n".join(map(str, result.unchecked)))


def _is_failure(result: CaseResult) -> bool:
    return not result.ok and result.verdict != "not run"


def _is_skipped(result: CaseResult) -> bool:
    return result.verdict in ("not run", "failed as expected") or (result.verdict == "not checked" and result.ok)


def _clean(text: str) -> str:
    """XML has no way to write most control characters: each becomes the sign for what cannot be shown."""
    return _FORBIDDEN.sub("\ufffd", text)
