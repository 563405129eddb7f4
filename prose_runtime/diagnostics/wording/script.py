"""The grammar of scripts."""

from __future__ import annotations

from prose_runtime.diagnostics.code import Code

CODES: tuple[Code, ...] = (
    Code(
        "english-script",
        "error",
        "this block holds sentences, not a script",
        "write the steps as statements (`let draft = call writer`), or take the word after the fence off",
    ),
    Code("missing-colon", "error", "the colon after `{word} …` is missing", "end the line with `:`"),
    Code("missing-equals", "error", "there is no `=` before `{found}`", "put `=` between the name and its value"),
    Code("missing-comma", "error", "there is no comma before `{found}`", "put a comma between the two values"),
    Code("missing-value", "error", "there is no value after `{after}`", "write one, `null` for none"),
    Code("missing-then", "error", "an `if` in a value needs `then` and `else`", "write `if … then … else …`"),
    Code("unfinished-line", "error", "the line ends after `{after}`", "write {missing} next"),
    Code("unexpected-text", "error", "`{found}` does not fit here", "{where}"),
    Code("unexpected-character", "error", "`{found}` means nothing in a script", "take it off, or put it in a text"),
    Code("unexpected-block", "error", "lines are indented below `{key}:`", "write an object: `{key}: {{ … }}`"),
    Code("unknown-statement", "error", "there is no statement `{found}`", "{instead}"),
    Code("foreign-comment", "error", "`{found}` begins no comment", "comments begin with `#`: write that"),
    Code("foreign-word", "error", "`{found}` is not ProseScript", "write `{instead}`"),
    Code(
        "retired-declaration",
        "error",
        "a script no longer declares its {word}s",
        "declare it in the document, under `{section}`",
    ),
    Code("stray-branch", "error", "`{word}` belongs to no {opener}", "put it below its {opener}, indented like it"),
    Code("bare-property", "error", "the property `{key}` belongs to no call", "indent it below its `call`"),
    Code("misplaced-line", "error", "`{found}` cannot stand here", "write {belongs}, or indent the line less"),
    Code("empty-body", "error", "there is nothing to do below `{word}`", "indent at least one statement below it"),
    Code(
        "empty-branch",
        "warning",
        "there is nothing to do below `{word}`",
        "indent a statement below it, or take the branch out",
    ),
    Code("try-alone", "error", "this `try` has neither `catch` nor `finally`", "add `catch as err:` below its body"),
    Code("wrong-indentation", "error", "this line {why}", "indent it like the lines of the block it belongs to"),
    Code("tab-indent", "error", "a tab indents this line", "indent with spaces"),
    Code("single-quotes", "error", "{found} stands in single quotes", 'use double quotes: "…"'),
    Code("unclosed-string", "error", "the text that begins here with {found} is not closed", "close it with {found}"),
    Code("unclosed-bracket", "error", "`{found}` is not closed", "close it with `{closer}`"),
    Code("unmatched-bracket", "error", "`{found}` closes nothing", "take it off, or open it with `{opener}`"),
    Code(
        "unknown-escape",
        "error",
        "`{found}` means nothing in a text",
        'write `\\\\` for a backslash; the others are `\\"`, `\\n`, `\\t`, `\\{{` and `\\}}`',
    ),
    Code(
        "minus-spacing",
        "error",
        "`{found}` is no subtraction: names may hold hyphens",
        "put blanks on both sides: `{written}`",
    ),
    Code("not-assignable", "error", "this cannot be given a value", "{instead}"),
    Code(
        "loop-modifier",
        "error",
        "`{found}` is no modifier of this loop",
        "write `(max: n)` behind the head of a `loop` or `for`",
    ),
    Code("number-too-long", "error", "this number has more than {limit} digits", "write it as a text"),
    Code("too-deep", "error", "more than {limit} {what} are inside each other", "move the inner part to a `block`"),
)
