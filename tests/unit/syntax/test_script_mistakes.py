"""Each mistake in a script is said once, at its line and column, and hides no other."""

from __future__ import annotations

import pytest
from script_samples import FORMS, parse, places

from prose_runtime.syntax import nodes as n
from prose_runtime.syntax import walk

# the text, and what must be said about it: line, column, code
MISTAKES: list[tuple[str, list[tuple[int, int, str]]]] = [
    ("if ready\n  call a\n", [(1, 8, "missing-colon")]),
    ("for x in xs\n  call x\n", [(1, 11, "missing-colon")]),
    ("repeat 3\ncall a\n", [(1, 8, "missing-colon")]),
    ("if a is good\n  let b = call c\n    d: e\n", [(1, 12, "missing-colon")]),
    ("call a\n\tb: c\n", [(2, 1, "tab-indent")]),
    ("if a:\n\tcall b\n\tcall c\n", [(2, 1, "tab-indent")]),
    ("repeat 2:\n  try:\n    call a\n  catch:\n    call b\n\tcall c\n", [(6, 1, "tab-indent")]),
    ("repeat 2:\n  call a\n\tif b:\n\t\tcall c\n\t\tcall d\n  call e\n", [(3, 1, "tab-indent")]),
    (
        "let a = 1  // b\n// c\nif a: // d\n    // e\n  call f\n",
        [(1, 12, "foreign-comment"), (2, 1, "foreign-comment"), (3, 7, "foreign-comment"), (4, 5, "foreign-comment")],
    ),
    ("let a = await call b\n  c: d\n", [(1, 9, "foreign-word")]),
    ("let a = await b\n  c: d\n", [(1, 9, "foreign-word")]),
    ("async call b\nawait c\nlet await = 1\nlet x = await\n", [(1, 1, "foreign-word"), (2, 1, "foreign-word")]),
    ("xs.push(y)\n", [(1, 4, "foreign-word")]),
    ("let a = [x.y.add(1), 2]\n", [(1, 14, "foreign-word")]),
    ("let a = xs.upper()\nlet b = 1\n", [(1, 17, "unexpected-text")]),
    ("let a = 'b c'\n", [(1, 9, "single-quotes")]),
    ('let a = "b\nlet c = 1\n', [(1, 9, "unclosed-string")]),
    ('let a = """b\nlet c = 1\n', [(1, 9, "unclosed-string")]),
    ("let a = [1, 2\n", [(1, 9, "unclosed-bracket")]),
    ("let a = (1, [2\n", [(1, 9, "unclosed-bracket"), (1, 13, "unclosed-bracket")]),
    ("let a = 1]\nlet b = 2\n", [(1, 10, "unmatched-bracket")]),
    ("else:\n  call a\n", [(1, 1, "stray-branch")]),
    ("else:\n", [(1, 1, "stray-branch")]),
    ("if a:\n  call b\nelse:\n  call c\nelif d:\n  call e\n", [(5, 1, "stray-branch")]),
    ("catch as e:\n  call a\n", [(1, 1, "stray-branch")]),
    ('option "a":\n  call a\n', [(1, 1, "stray-branch")]),
    ("call a\n| map: item\n", []),
    ("let a = 1\n\n| map: item\n", []),
    ("return\n| map: item\n", [(2, 1, "unexpected-text")]),
    ("let a = 1\n\n  | map: item\n  | filter:\n      item\n", []),
    ("if a:\n  break\n| map: item\n", [(3, 1, "stray-branch")]),
    ("for x in xs:\ncall a\n", [(1, 1, "empty-body")]),
    ("if a:\ncall b\n", [(1, 1, "empty-branch")]),
    ("choice a:\n", [(1, 1, "empty-body")]),
    ("try:\n  call a\ncall b\n", [(1, 1, "try-alone")]),
    ("call a\n    b: c\n  d: e\n", [(3, 3, "wrong-indentation")]),
    ("let a = 1\n  let b = 2\nlet c = 3\n", [(2, 3, "wrong-indentation")]),
    ("call a\n  let b = 2\n", [(2, 3, "wrong-indentation")]),
    ('input topic: "x"\ncall a topic: topic\n', [(1, 1, "retired-declaration")]),
    ("output draft = x\n", [(1, 1, "retired-declaration")]),
    ('let a = "b \\q c"\n', [(1, 12, "unknown-escape")]),
    ("let b = a -1\n", [(1, 9, "minus-spacing")]),
    ("let b = a -c\n", [(1, 9, "minus-spacing")]),
    ("let b = xs[0]-1\n", [(1, 9, "minus-spacing")]),
    ("let b = f(a, c -1)\n", [(1, 14, "minus-spacing")]),
    ("def f(a):\n  return a\n", [(1, 1, "foreign-word")]),
    ("while a is bad:\n  break\n", [(1, 1, "foreign-word")]),
    ("if a:\n  call b\nelse if c:\n  call d\n", [(3, 1, "foreign-word")]),
    ("let a = None\nlet b = True\n", [(1, 9, "foreign-word"), (2, 9, "foreign-word")]),
    ("a += 1\n", [(1, 3, "foreign-word")]),
    ('let a = f"b {c}"\n', [(1, 9, "foreign-word")]),
    ("let a = b && c\n", [(1, 11, "foreign-word")]),
    ("let a = !b\n", [(1, 9, "foreign-word")]),
    ("let a =\nlet b = 1\n", [(1, 7, "missing-value")]),
    ("call a\n  b:\n  c: d\n", [(2, 3, "missing-value")]),
    ("let a = b +\n", [(1, 11, "missing-value")]),
    ("for x in:\n  call x\n", [(1, 7, "missing-value")]),
    ("record a\n", [(1, 8, "unfinished-line")]),
    ("let a call b\n", [(1, 7, "missing-equals")]),
    ("let a = [b c]\n", [(1, 12, "missing-comma")]),
    ("let a = { b: 1 c: 2 }\n", [(1, 16, "missing-comma")]),
    ("let a = b c\n", [(1, 11, "unexpected-text")]),
    ("let a = b; let c = 1\n", [(1, 10, "unexpected-character")]),
    ("let a = @b\n", [(1, 9, "unexpected-character")]),
    ("retrun a\n", [(1, 1, "unknown-statement")]),
    ("let a = gate:\n  question: b\n", [(1, 9, "foreign-word")]),
    ("gate:\n  question: b\n", [(1, 1, "foreign-word")]),
    ("session:\n  prompt: b\n", [(1, 1, "foreign-word")]),
    ('gate "a"\nlet b = gate "a"\n', [(1, 1, "foreign-word"), (2, 9, "foreign-word")]),
    ("gate with { question: a }\n", [(1, 1, "foreign-word")]),
    ("let a = session b\nlet c = resume b\n", [(1, 9, "foreign-word"), (2, 9, "foreign-word")]),
    (
        'session: a "b"\nagent a: "b"\nresume: a "b"\n',
        [(n, c, "unexpected-text") for n, c in ((1, 12), (2, 10), (3, 11))],
    ),
    ('session b: a "c"\nlet d = a "c"\n', [(1, 14, "unexpected-text"), (2, 11, "unexpected-text")]),
    ("fro x in xs:\n  call x\n", [(1, 1, "unknown-statement")]),
    ("publish_notes { a: b }\n", [(1, 1, "unknown-statement")]),
    ("topic: a\n", [(1, 1, "bare-property")]),
    ("call a\n  b: c\n  let d = 1\n", [(3, 3, "misplaced-line")]),
    ("call a\n  b: c\n  d\n", [(3, 3, "misplaced-line")]),
    ("call a\n  b:\n    c: d\n", [(2, 3, "unexpected-block")]),
    ("agent a:\n  model: fast\n  tools:\n    b: c\n", [(3, 3, "unexpected-block")]),
    ("choice a:\n  call b\n", [(2, 3, "misplaced-line")]),
    ("len(a) = 3\n", [(1, 1, "not-assignable")]),
    ("{ a, b } = call c\n", [(1, 1, "not-assignable")]),
    ("loop until a is b (mx: 3):\n  call c\n", [(1, 20, "loop-modifier")]),
    ("let a = if b: c else d\n", [(1, 9, "missing-then")]),
    ("let a = " + "7" * 401 + "\n", [(1, 9, "number-too-long")]),
    ("let a = " + "7" * 350 + ".5\n", [(1, 9, "number-too-long")]),
    ("let a = " + "[" * 200 + "\n", [(1, 109, "too-deep")]),
    ("let a = " + "not " * 200 + "b\n", [(1, 409, "too-deep")]),
]


@pytest.mark.parametrize(("text", "said"), MISTAKES, ids=[text[:40] for text, _ in MISTAKES])
def test_a_mistake_is_said_once_at_its_place(text: str, said: list[tuple[int, int, str]]) -> None:
    assert places(text) == said


@pytest.mark.parametrize(("text", "said"), MISTAKES, ids=[text[:40] for text, _ in MISTAKES])
def test_a_mistake_hides_nothing_after_it(text: str, said: list[tuple[int, int, str]]) -> None:
    if (said and said[-1][2] in ("too-deep", "unclosed-bracket")) or '"""' in text:
        return  # these reach to the end of the script
    lines = text.count("\n") + 1
    more = f"let later_on = 1\nlet x =\n{FORMS['for']}"
    script, found = parse(text + more)
    assert [item.code for item in found] == [*(code for *_, code in said), "missing-value"]
    assert found[-1].line == lines + 1
    names = [
        node.target.id for node in script.statements if isinstance(node, n.Let) and isinstance(node.target, n.Name)
    ]
    assert "later_on" in names


def test_several_mistakes_are_each_said() -> None:
    text = "let a call b\nif c\n  let d = 'e'\n  record d\nfor f in [g h]:\n  retrun f\nlet i = j -1\nreturn i\n"
    assert places(text) == [
        (1, 7, "missing-equals"),
        (2, 4, "missing-colon"),
        (3, 11, "single-quotes"),
        (4, 10, "unfinished-line"),
        (5, 13, "missing-comma"),
        (6, 3, "unknown-statement"),
        (7, 9, "minus-spacing"),
    ]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("let a = b c d\n", "a"),
        ("let a call b\n", "a"),
        ("for a in b c d:\n  call a\n", "a"),
        ("repeat 2 3 as a:\n  call b x: a\n", "a"),
        ("let a = [1, , 2]\n", "a"),
        ("input a: string\n", "a"),
        ("if b is c\n  let a = 1\n", "a"),
        ("else:\n  let a = 1\n", "a"),
        ("fro b in c:\n  let a = 1\n", "a"),
    ],
)
def test_a_bad_line_keeps_the_name_it_binds(text: str, bound: str) -> None:
    script, found = parse(text)
    assert len(found) == 1
    names = {node.id for node in walk(script) if isinstance(node, n.Name)}
    assert bound in names


def test_the_body_under_a_bad_header_is_read() -> None:
    script, found = parse("for each:\n  let a =\n  call b\n")
    assert [item.code for item in found][-1] == "missing-value"
    assert any(isinstance(node, n.Call) for node in walk(script))


def test_a_fix_mends_what_it_says() -> None:
    for text, said in MISTAKES:
        _, found = parse(text)
        for item in found:
            for fix in item.fixes:
                (edit,) = fix.edits
                mended = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
                left = [code for *_, code in places(mended)]
                assert len(left) < len(said) or item.code == "tab-indent" or item.code not in left[: len(said)], text


@pytest.mark.parametrize(
    "text",
    [
        "Call the worker with the task.\nThen let the critic judge it.\n\nReturn the result.",
        "- Call the worker with the task brief\n- if it isn't good, call it again\n",
        "1. The worker writes a first draft\n2. The critic reads it\n",
        "For each delegate in the chain, try the task until one of them succeeds.",
        "If the critic accepts: return the draft.\nOtherwise hand its notes to the worker and try again.\n",
    ],
)
def test_english_is_said_once_for_the_block(text: str) -> None:
    script, found = parse(text)
    assert [item.code for item in found] == ["english-script"]
    assert found[0].line == 1
    assert script.english
    assert script.statements == ()


@pytest.mark.parametrize("text", ["let x = a b c", "call a b c d", "retrun the_draft", "if a\nif b\n"])
def test_a_bad_script_is_not_english(text: str) -> None:
    script, found = parse(text)
    assert not script.english
    assert "english-script" not in [item.code for item in found]


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ('notes.append("a {b}")\n', 'record "a {b}" in notes\n'),
        ("a.xs.push({ b: c })\n", "record { b: c } in a.xs\n"),
        ("let a = await b\n", "let a = call b\n"),
        ("await call b\n", "call b\n"),
        ("let a = 1 // b\n", "let a = 1 # b\n"),
        ("repeat 2:\n  call a\n\tcall b\n", "repeat 2:\n  call a\n  call b\n"),
    ],
)
def test_what_is_written_otherwise_elsewhere_is_mended(text: str, mended: str) -> None:
    script, found = parse(text)
    (edit,) = found[0].fixes[0].edits
    shift = script.span.start
    assert text[: edit.span.start - shift] + edit.replacement + text[edit.span.end - shift :] == mended
    assert parse(mended)[1] == []
