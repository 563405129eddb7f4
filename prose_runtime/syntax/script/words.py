"""Words that mean something in a script, and words of other languages that people write instead."""

from __future__ import annotations

# Words that can begin a line, and the token of each. `if` is told apart by where it stands.
STARTERS = {
    "let": "LET",
    "const": "CONST",
    "return": "RETURN",
    "throw": "THROW",
    "record": "RECORD",
    "append": "APPEND",
    "add": "ADD",
    "break": "BREAK",
    "continue": "CONTINUE",
    "use": "USE",
    "if": "_IF",
    "elif": "ELIF",
    "else": "ELSE",
    "choice": "CHOICE",
    "option": "OPTION",
    "try": "TRY",
    "catch": "CATCH",
    "finally": "FINALLY",
    "block": "BLOCK",
    "agent": "AGENT",
    "call": "CALL",
    "session": "SESSION",
    "resume": "RESUME",
    "gate": "GATE",
    "do": "DO",
    "parallel": "PARALLEL",
    "repeat": "REPEAT",
    "for": "FOR",
    "loop": "LOOP",
}

# Words that can begin a value, where what follows them fits.
VALUE_STARTERS = frozenset({"call", "session", "resume", "gate", "do", "parallel", "repeat", "for", "loop", "if"})

# Words that stand for the same thing wherever a value can stand.
OPERATOR_WORDS = {"and": "AND", "or": "OR", "not": "NOT", "true": "TRUE", "false": "FALSE", "null": "NULL"}

# Headers: words whose line (or part of a line) ends with a colon and a body.
HEADERS = frozenset(
    {
        "_IF",
        "_INLINE_IF",
        "ELIF",
        "ELSE",
        "CHOICE",
        "OPTION",
        "TRY",
        "CATCH",
        "FINALLY",
        "BLOCK",
        "AGENT",
        "PARALLEL",
        "REPEAT",
        "FOR",
        "LOOP",
    }
)
# Headers that may have an empty body without harm: nothing is done.
BRANCHES = frozenset({"_IF", "_INLINE_IF", "ELIF", "ELSE", "OPTION", "CATCH", "FINALLY"})

# Words that begin a line in other languages, when a name follows: what stands for them here.
FOREIGN_STARTERS = {
    "def": "block",
    "function": "block",
    "func": "block",
    "fn": "block",
    "var": "let",
    "while": "loop while",
    "until": "loop until",
    "foreach": "for each",
    "except": "catch",
    "raise": "throw",
    "switch": "choice",
    "elseif": "elif",
    "elsif": "elif",
    "import": "use",
}
FOREIGN_VALUES = {
    "True": "true",
    "False": "false",
    "None": "null",
    "nil": "null",
    "undefined": "null",
}
FOREIGN_SIGNS = {"&&": "and", "||": "or", "!": "not", "===": "==", "!==": "!=", "<>": "!="}

# Methods of other languages, and what is written instead of `{of}.method(…)`.
RECORDING = frozenset({"append", "push", "add"})
FOREIGN_METHODS = {
    **dict.fromkeys(RECORDING, "record … in {of}"),
    **dict.fromkeys(("concat", "extend"), "{of} = {of} + …"),
    **dict.fromkeys(("size", "len", "length", "count"), "{of}.length"),
}

OPENERS = {")": "(", "]": "[", "}": "{"}
CLOSERS = {"(": ")", "[": "]", "{": "}"}
CLOSER_NAMES = {")": "RPAR", "]": "RSQB", "}": "RBRACE"}


def spelt(terminal: str) -> str:
    """A keyword's terminal as a user writes it."""
    if terminal == "VBAR":
        return "|"
    word = terminal.lower().lstrip("_")
    return "if" if word.endswith("if") and word != "elif" else word
