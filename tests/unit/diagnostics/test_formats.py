"""Diagnostics as JSON and as SARIF."""

from __future__ import annotations

import json

from prose_runtime.diagnostics import CODES, Diagnostic, Edit, Fix, Label
from prose_runtime.diagnostics.as_json import as_object
from prose_runtime.diagnostics.sarif import as_sarif
from prose_runtime.source import SourceText, Span

CODE = next(iter(CODES), "unknown-slot")
SOURCE = SourceText("a folder/draft.prose.md", "one\nlet 𝒳 = critc\n")
OTHER = SourceText("other.prose.md", "- `topic`\n")
ITEM = Diagnostic(
    CODE,
    "error",
    "There is none.",
    (Label(SOURCE, Span(12, 17)), Label(OTHER, Span(2, 9), "declared here")),
    "Write `critic`.",
    (Fix("Write `critic`", (Edit(Span(12, 17), "critic"),), safe=False),),
)


def test_json_has_all_keys_and_counts_code_points() -> None:
    assert json.loads(json.dumps(as_object(ITEM))) == {
        "code": CODE,
        "severity": "error",
        "message": "There is none.",
        "help": "Write `critic`.",
        "file": "a folder/draft.prose.md",
        "line": 2,
        "column": 9,
        "end_line": 2,
        "end_column": 14,
        "labels": [
            {
                "file": "other.prose.md",
                "text": "declared here",
                "line": 1,
                "column": 3,
                "end_line": 1,
                "end_column": 10,
            }
        ],
        "fixes": [
            {
                "title": "Write `critic`",
                "safe": False,
                "edits": [{"replacement": "critic", "line": 2, "column": 9, "end_line": 2, "end_column": 14}],
            }
        ],
    }


def test_sarif_is_one_run_with_the_rules_that_occur() -> None:
    log = json.loads(json.dumps(as_sarif([ITEM, ITEM])))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run["tool"]["driver"]["name"] == "prose"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [CODE]
    first = run["results"][0]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == (CODE, 0, "error")
    assert first["message"]["text"] == "There is none. Write `critic`."
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20folder/draft.prose.md"
    assert place["region"] == {"startLine": 2, "startColumn": 9, "endLine": 2, "endColumn": 14}
    assert first["relatedLocations"][0]["message"]["text"] == "declared here"
    change = first["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert change["insertedContent"]["text"] == "critic"


def test_sarif_of_nothing_is_a_run_without_results() -> None:
    assert as_sarif([])["runs"][0]["results"] == []  # type: ignore[index]
