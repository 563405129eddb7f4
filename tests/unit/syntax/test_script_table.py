"""The stored table belongs to the grammar beside it."""

from __future__ import annotations

import json
import subprocess
import sys

from prose_runtime.source.shipped import shipped
from prose_runtime.syntax.script.build import BUILD
from prose_runtime.syntax.script.table import GRAMMAR, TABLE, build_table, load_table


def test_the_stored_table_is_that_of_the_grammar() -> None:
    folder = shipped("grammar")
    stored = json.loads((folder / TABLE).read_text(encoding="utf-8"))
    built = build_table((folder / GRAMMAR).read_text(encoding="utf-8"))
    assert stored == json.loads(json.dumps(built)), "run: python -m prose_runtime.syntax.script"


def test_each_rule_has_its_builder_and_each_builder_its_rule() -> None:
    named = {rule.name for rule in load_table().rules} - {"", "_"}
    assert named == set(BUILD)


def test_reading_a_script_imports_no_lark() -> None:
    program = (
        "import sys\n"
        "from prose_runtime.source import SourceText, Span\n"
        "from prose_runtime.syntax.fence import Fence\n"
        "from prose_runtime.syntax.script import parse_script\n"
        "text = 'let a = call b\\n  c: d\\n'\n"
        "whole = Span(0, len(text))\n"
        "script, found = parse_script(SourceText('x', text), Fence(whole, 'prose', whole))\n"
        "assert len(script.statements) == 1 and not found\n"
        "assert 'lark' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
