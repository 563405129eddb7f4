"""The regular expressions of the lexer. Those of names, numbers, texts and signs come from the grammar."""

from __future__ import annotations

import re
from functools import cache

from prose_runtime.source.node import node
from prose_runtime.source.pattern import pattern
from prose_runtime.syntax.script.table import load_table

NAME = r"[^\W\d]\w*(?:-+\w+)*"
BLANKS = pattern(r"[ \t]*")
LINE_END = pattern(r"\r\n|\n|\r")
TO_LINE_END = pattern(r"[^\r\n]*")
KEY_AHEAD = pattern(rf"{NAME}[ \t]*:")
# an object's next entry on a new line: a key, a quoted key, or a name alone
ENTRY_AHEAD = pattern(rf"{NAME}[ \t]*(?=[:,}}\r\n#]|\Z)|\"(?:[^\"\\\r\n]|\\.)*\"[ \t]*:")
# `for` is a keyword in a value only where a loop's head really follows
LOOP_HEAD = pattern(rf"[ \t]+(?:each[ \t]+)?{NAME}(?:[ \t]*,[ \t]*{NAME})?[ \t]+in(?![\w-])")
EACH = pattern(rf"[ \t]+each(?=[ \t]+{NAME}[ \t]*(?:,|[ \t]in(?![\w-])))")
PARALLEL_TAIL = pattern(r"[ \t]*(?::|\(|(?:for|repeat)(?![\w-]))")
LOOP_TAIL = pattern(r"[ \t]*(?::|\(|(?:for|until|while|up|as)(?![\w-]))")
MODIFIER_AHEAD = pattern(rf"\([ \t\r\n]*(?:{NAME}[ \t]*:|\))")
JOIN_AHEAD = pattern(r'\([ \t\r\n]*"')
AGENT_AHEAD = pattern(rf":(?:[ \t]*{NAME}|[ \t]*$)", re.MULTILINE)
SESSION_AHEAD = pattern(rf"{NAME}(?:[ \t]*:|\()|with[ \t]*\{{|:[ \t]*{NAME}|:[ \t]*$", re.MULTILINE)
LOOP_TEST = pattern(r"(?:until|while)(?![\w-])")
NAME_AHEAD = pattern(NAME)
OPERAND = pattern(rf"(?:{NAME}|[0-9]+(?:\.[0-9]+)?)?")
ELSE_IF = pattern(r"[ \t]+if(?![\w-])")
ELSE_AHEAD = pattern(r"(?<![\w-])else(?![\w-])")
SENTENCE_END = pattern(r"[.!?][ \t]*$")
FOREIGN_SIGN = pattern(r"===|!==|&&|\|\||[+\-*/%]=|!|;")
STRANGE = pattern(r"[^\w\s\"'#()\[\]{}:,.=|+\-]+|.", re.DOTALL)
SINGLE_QUOTED = pattern(r"'[^'\r\n]*'")
# the end of a loop's condition: `(max: 5)` and `as page`, in either order
MODIFIERS = pattern(rf"\([ \t\r\n]*{NAME}[ \t]*:")
COUNTER_TAIL = pattern(rf"[ \t]+as[ \t]+{NAME}[ \t\r\n]*$")
# A line that begins like this is a statement or a property, not the rest of the condition above it.
STATEMENT_AHEAD = pattern(
    rf"""(?:let|const)[ ]+[{{\w]|return(?![\w-])|call[ ]+["\w]|(?:if|elif)[ ].*:[ \t]*$
    |(?:else|try|finally|do|parallel|loop)[ ]*:|(?:repeat|loop|choice|parallel)[ ].*:[ \t]*$
    |for[ ].*[ ]in[ ]|(?:record|add)[ ].*[ ](?:in|to)[ ]|append[ ]|(?:break|continue)[ \t]*(?:\#|$)
    |throw(?:[ ]+["{{\w]|[ \t]*$)|catch(?:[ ]as[ ]\w+)?:|session[ ]*[:"]|resume[ ]*:|do[ ]+{NAME}[ ]*\(
    |{NAME}(?:\.{NAME})*[ ]*=(?!=)|{NAME}:(?:[ ]|[ \t]*$)|\|[ ]*\w""",
    re.VERBOSE | re.MULTILINE,
)
# What matters inside a condition: quoted texts and marked parts are skipped as wholes.
CONDITION_STEP = pattern(
    r'"""(?:[^\\"]|\\.|"(?!""))*"""|"(?:[^"\\\r\n]|\\[^\r\n])*"'
    r"|(?<!\w)'[^'\r\n]*'(?!\w)"
    r"|(?P<marked>\*\*\*.*?\*\*\*|\*\*(?!\*)[^\r\n]*?\*\*)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<colon>:(?=\s|\Z))|(?P<then>(?<![\w-])then(?![\w-]))"
    r"|(?P<comment>(?<=[ \t])\#(?=[ \t\r\n!]|\Z)[^\r\n]*)"
    r"|(?P<line>\r\n|\n|\r)",
    re.DOTALL,
)


def end_of(pattern: re.Pattern[str], text: str, at: int, stop: int) -> int:
    """Where a match of `pattern` at `at` ends; `at` where there is none."""
    match = pattern.match(text, at, stop)
    return match.end() if match else at


@node
class Lexicon:
    """The regular expressions that come from the grammar: `token` has a group for each kind of token."""

    token: re.Pattern[str]
    text: re.Pattern[str]
    number: re.Pattern[str]
    up_to: re.Pattern[str]
    signs: dict[str, str]


@cache
def lexicon() -> Lexicon:
    """The lexicon of the shipped grammar."""
    table = load_table()
    patterns = table.patterns
    signs = {text: name for text, name in table.words.items() if not text[0].isalpha()}
    token = re.compile(
        rf"(?P<blank>[ \t]+)|(?P<NAME>{patterns['NAME']})|(?P<line>\r\n|\n|\r)"
        rf"|(?P<COMPARE>{patterns['COMPARE']})(?!=)|(?P<TEXT>{patterns['TEXT']})"
        r"|(?P<sign>[:.,()\[\]{}=|+](?!=))|(?P<NUMBER>[0-9]+(?:\.[0-9]+)?)|(?P<minus>-(?!=))"
        rf"|(?P<TIMES>{patterns['TIMES']})(?!=)|(?P<comment>#[^\r\n]*)"
    )
    return Lexicon(
        token, re.compile(patterns["TEXT"]), re.compile(patterns["NUMBER"]), re.compile(patterns["UP_TO"]), signs
    )
