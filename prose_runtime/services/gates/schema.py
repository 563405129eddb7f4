"""The gate `json-schema`: a clear subset of JSON Schema.

In: a schema file. Out: a check. A keyword that is not known here is refused when the gate is bound, never passed over.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from prose_runtime.runtime.schemas import KEYWORDS, unknown_keywords, violations
from prose_runtime.services.gates.options import Options
from prose_runtime.services.gates.texts import read_json
from prose_runtime.services.gates.verdict import PASSED, Check, Verdict

_LIMIT = 1_000_000
_MOST = 20


def json_schema(options: Options, schema: Path) -> Check:
    """`schema=FILE`: the text is JSON that fits the schema."""
    rules = _load(options, schema)

    async def check(text: str) -> Verdict:
        value, verdict = read_json(text)
        if verdict.issues:
            return verdict
        issues = [f"{path}: {issue}" for path, issue in violations(value, rules)]
        return Verdict(tuple(issues[:_MOST]), ("change these places",)) if issues else PASSED

    return check


def _load(options: Options, path: Path) -> Any:
    try:
        if path.stat().st_size > _LIMIT:
            raise options.fault(f"{path} is larger than {_LIMIT:,} bytes", "use a smaller schema")
        rules = json.loads(path.read_bytes())
    except OSError as error:
        raise options.fault(f"{path} cannot be read: {error.strerror}", "give the path of a JSON file") from None
    except (ValueError, RecursionError) as error:
        raise options.fault(f"{path} is not JSON: {error}", "mend the schema") from None
    for place, problem in unknown_keywords(rules):
        raise options.fault(f"{path} at {place}: {problem}", "use " + ", ".join(sorted(KEYWORDS)))
    return rules
