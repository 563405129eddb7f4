"""From a fence to its `Script`: the lexer, the parser, and what is said about the mistakes."""

from __future__ import annotations

from prose_runtime.diagnostics import Diagnostic, report
from prose_runtime.source import SourceText
from prose_runtime.syntax.fence import Fence
from prose_runtime.syntax.nodes import Script
from prose_runtime.syntax.script.builder import Builder
from prose_runtime.syntax.script.english import sentences
from prose_runtime.syntax.script.faults import Fault
from prose_runtime.syntax.script.lexer import Lexer
from prose_runtime.syntax.script.parser import Parser
from prose_runtime.syntax.script.recovery import read_lines, reported


def parse_script(source: SourceText, fence: Fence) -> tuple[Script, list[Diagnostic]]:
    """Read the script of a fence. Every fault of it is in the list, once; what could be read is in the tree.

    A fence of English sentences gives an empty script with `english` set and one `english-script`.
    """
    lexer = Lexer(source, fence)
    lexer.read()
    builder = Builder(source.text)
    parser = Parser(builder)
    found = read_lines(parser, lexer.tokens, lexer.lines, lexer.faults, source.text)
    statements = parser.finish()
    faults = [*lexer.faults, *found, *builder.faults]
    if faults:
        english = _english(source, fence, lexer, faults)
        if english is not None:
            return Script(fence.content, fence.language, (), english=True), [english]
        faults = sorted({(fault.code, fault.span): fault for fault in faults}.values(), key=lambda fault: fault.span)
    return Script(fence.content, fence.language, statements), [fault.worded(source) for fault in faults]


def _english(source: SourceText, fence: Fence, lexer: Lexer, faults: list[Fault]) -> Diagnostic | None:
    """The one diagnostic of a fence most of whose lines are sentences that do not parse."""
    alike, total, first = sentences(source.text, fence.content)
    if first is None or alike * 2 < total:
        return None
    places = sorted(fault.span.start for fault in faults)
    tokens = lexer.tokens
    bad = sum(reported(places, tokens[line.first][2], tokens[line.stop - 1][3]) for line in lexer.lines)
    if bad * 2 < len(lexer.lines):
        return None
    return report("english-script", source, first)
