"""Conditions and how they are decided; values and expressions at run time."""

from __future__ import annotations

from prose_runtime.diagnostics.code import Code

_BEFORE: tuple[Code, ...] = (
    Code("empty-condition", "error", "this condition is empty", "write what must hold, such as `score >= threshold`"),
    Code(
        "single-equals",
        "error",
        "`=` binds a name; a condition compares with `==`",
        "write `==`",
    ),
    Code(
        "unbalanced-parentheses",
        "error",
        "a `{found}` in this condition has no partner",
        "add the missing `{missing}` or take this one out",
    ),
    Code(
        "unknown-name-in-condition",
        "error",
        "nothing called `{name}` is bound or declared here",
        "{advice}",
    ),
    Code(
        "word-names-a-value",
        "warning",
        "`{word}` is the name of a value here: its value is compared, not the word",
        'write `"{word}"` in quotes if you mean the word, or `== {word}` if you mean the value',
    ),
    Code(
        "compared-with-a-word",
        "note",
        'this compares `{subject}` with the word "{word}": any other short text is simply not that word',
        'to have it judged, write `{subject} reads as {word}`; if the word is a value, declare it: `"{word}" | …`',
    ),
    Code(
        "only-a-judge-can-decide",
        "note",
        "`{text}` compares nothing and reads no field: a judge will decide it",
        "{advice}",
    ),
    Code(
        "slot-not-asked-yet",
        "warning",
        "nothing has called `{name}` when this is decided, so what it says is false",
        "call it before",
    ),
    Code(
        "judge-needed",
        "error",
        "`{text}` can only be decided by a judge, and none is bound",
        "bind one with `--bind judge=TARGET`, or write a comparison: `score >= 0.8`, `result is empty`",
    ),
)

_RUNNING: tuple[Code, ...] = (
    Code(
        "missing-property",
        "warning",
        "there is no `{name}`: {found}; it reads as null",
        "make sure that the answer has it, or test `is present` first",
    ),
    Code(
        "null-in-comparison",
        "warning",
        "in this `{operator}` {which} null, which is below every number",
        "test `is present` first, or let the service always answer it",
    ),
    Code(
        "no-order",
        "error",
        "`{operator}` has no answer for {left} and {right}: {shown_left} and {shown_right}",
        "compare two numbers or two texts",
    ),
    Code(
        "wrong-operands",
        "error",
        "`{operator}` cannot take {left} and {right}: {shown_left} and {shown_right}",
        'use two numbers; `+` also joins two texts or two lists, and `"{{a}}{{b}}"` makes a text of anything',
    ),
    Code("wrong-operand", "error", "`{operator}` cannot take {found}: {shown}", "use a number"),
    Code(
        "division-by-zero",
        "error",
        "`{left} {operator} 0` has no answer",
        "test that the right side is not 0 first",
    ),
    Code(
        "number-too-large",
        "error",
        "the result of this `{operator}` is too large for a number",
        "use smaller numbers",
    ),
    Code(
        "index-out-of-range",
        "error",
        "there is no item {index}: the list has {items}, counted from 0",
        "test `xs.length` first, or go through the list with `for`",
    ),
    Code("index-not-a-number", "error", "a list is read by whole numbers, not by {found}", "use a number from 0 on"),
    Code("no-items", "error", "{found} has no item {index}", "read items of a list, or properties of an object"),
    Code("wrong-argument", "error", "`{function}` cannot take {found} here: {shown}", "use {wanted}"),
    Code("no-length", "error", "`len` cannot take {found}: {shown}", "use a list, a text or an object"),
    Code(
        "cannot-count",
        "error",
        "the {unit} of {found} cannot be counted: {shown}",
        "count the items of a list, or the words, lines or characters of a text",
    ),
    Code(
        "cannot-search",
        "error",
        "`{verb}` looks for a text or a number, not for {found}: {shown}",
        "name a text or a number",
    ),
    Code(
        "unreadable-verdict",
        "error",
        "`{text}` cannot be decided: {seen}",
        "let the service answer {ways}, or bind a judge with `--judge TARGET` (or `--bind judge=TARGET`)",
    ),
    Code(
        "unreadable-judgement",
        "error",
        "the judge's answer to `{text}` cannot be read: {seen}",
        "let the judge answer {form}",
    ),
)

CODES: tuple[Code, ...] = (*_BEFORE, *_RUNNING)
