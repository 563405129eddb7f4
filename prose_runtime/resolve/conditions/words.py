"""The words that the classification knows: verdicts, states, units and the phrases of comparisons."""

from __future__ import annotations

from prose_runtime.resolve.conditions.tree import Order, StateName

# ---- verdicts --------------------------------------------------------------------------------------------

_FORMS: dict[str, str] = {
    "accept": "accept accepts accepted acceptable acceptance",
    "approve": "approve approves approved approval",
    "certify": "certify certifies certified",
    "pass": "pass passes passed",
    "proceed": "proceed proceeds proceeded",
    "reject": "reject rejects rejected rejection",
    "fail": "fail fails failed failure",
}
VERBS: dict[str, str] = {form: verb for verb, forms in _FORMS.items() for form in forms.split()[:3]}
"""Each form of a verdict verb, and the verb."""

BASES = frozenset(_FORMS)
PARTICIPLES: dict[str, str] = {forms.split()[2]: verb for verb, forms in _FORMS.items()}
PRESENT: dict[str, str] = {forms.split()[1]: verb for verb, forms in _FORMS.items()}
FAMILY: dict[str, str] = {form: verb for verb, forms in _FORMS.items() for form in forms.split()}
"""Each word that says the same as a verdict verb, and the verb."""

NEGATIVE_VERBS = frozenset({"reject", "fail"})

# ---- states ----------------------------------------------------------------------------------------------

STATES: dict[str, tuple[StateName, bool]] = {
    "present": ("present", False),
    "set": ("present", False),
    "defined": ("present", False),
    "absent": ("null", False),
    "missing": ("null", False),
    "unset": ("null", False),
    "null": ("null", False),
    "none": ("null", False),
    "empty": ("empty", False),
    "blank": ("empty", False),
    "nonempty": ("empty", True),
    "true": ("true", False),
    "false": ("false", False),
}
"""Words after `is`, the state they name, and whether they name its opposite."""

# ---- comparisons in words --------------------------------------------------------------------------------

_PHRASES: dict[Order, str] = {
    ">=": "at least | no less than | no fewer than | equal to or greater than"
    " | greater than or equal to | equal to or above | more than or equal to | equal to or more than",
    "<=": "at most | no more than | up to | less than or equal to"
    " | equal to or less than | equal to or below | fewer than or equal to",
    ">": "above | over | more than | greater than | higher than | larger than | bigger than | longer than",
    "<": "below | under | less than | fewer than | lower than | smaller than | shorter than",
    "==": "equal to | the same as | exactly",
    "!=": "different from | other than",
}
QUANTITIES: tuple[tuple[tuple[str, ...], Order], ...] = tuple(
    sorted(
        ((tuple(phrase.split()), order) for order, phrases in _PHRASES.items() for phrase in phrases.split(" | ")),
        key=lambda entry: -len(entry[0]),
    )
)
"""Phrases after `is` or `has`, the longest first, and the comparison they mean."""

COMPARING: dict[str, Order] = {
    "meets": ">=",
    "meet": ">=",
    "reaches": ">=",
    "reach": ">=",
    "exceeds": ">",
    "exceed": ">",
    "equals": "==",
    "equal": "==",
}
"""Verbs that compare."""

AFTERWARDS: dict[str, Order] = {
    "more": ">=",
    "higher": ">=",
    "above": ">=",
    "greater": ">=",
    "longer": ">=",
    "less": "<=",
    "fewer": "<=",
    "lower": "<=",
    "below": "<=",
    "shorter": "<=",
}
"""What may follow a number and `or`: `3 or more`."""

OPPOSITE: dict[Order, Order] = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}

SYMBOLS: dict[str, Order] = {
    "==": "==",
    "=": "==",
    "!=": "!=",
    "≠": "!=",
    "<": "<",
    "<=": "<=",
    "≤": "<=",
    ">": ">",
    ">=": ">=",
    "≥": ">=",
}

UNITS: dict[str, str] = {
    form: unit
    for unit, forms in {
        "items": "items item entries entry elements element",
        "words": "words word",
        "lines": "lines line",
        "characters": "characters character chars letters",
    }.items()
    for form in forms.split()
}
"""What can be counted in any list or text."""

NUMBERS: dict[str, int] = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
}
"""Numbers in words, read as such only where something is counted."""

SEARCHING: dict[str, str] = {"contains": "contain", "includes": "include", "contain": "contain", "include": "include"}

# ---- little words ----------------------------------------------------------------------------------------

BE = frozenset({"is", "are", "was", "were"})
NOT_BE = frozenset({"isn't", "aren't", "wasn't", "weren't"})
DO = frozenset({"does", "do", "did"})
NOT_DO = frozenset({"doesn't", "don't", "didn't"})
HAVE = frozenset({"has", "have", "had"})
NOT_HAVE = frozenset({"hasn't", "haven't", "hadn't"})
REPORT = frozenset({"reports", "report"})
SAY = frozenset({"says", "say", "said", "decides", "decide", "decided"})
ARTICLES = frozenset({"a", "an", "the", "any", "some"})
CLAUSE = frozenset(
    [
        "that",
        "which",
        "who",
        "whom",
        "whose",
        "if",
        "unless",
        "because",
        "with",
        "without",
        "to",
        "in",
        "of",
        "on",
        "for",
        "from",
        "by",
        "as",
        "at",
        "than",
        "but",
        "when",
        "while",
        "after",
        "before",
        "not",
        "no",
        "nor",
        "only",
        "never",
        "it",
        "this",
        "these",
        "those",
        "there",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "has",
        "have",
        "had",
        "does",
        "do",
        "did",
    ]
)
"""Words that make more of a phrase than a name for something; such a phrase is prose."""

CONSTANTS: dict[str, bool | None] = {"null": None, "true": True, "false": False}
BUILTINS = frozenset({"config", "budget"})
