"""How a diagnostic looks in a terminal."""

from __future__ import annotations

from prose_runtime.diagnostics import Diagnostic, Label
from prose_runtime.diagnostics.model import Edit, Fix, Severity
from prose_runtime.diagnostics.terminal import ansi, render, render_all, summary
from prose_runtime.source import SourceText, Span


def source(text: str, name: str = "draft.prose.md") -> SourceText:
    return SourceText(name, text)


def diagnostic(
    text: str, part: str, *, also: tuple[Label, ...] = (), severity: Severity = "error", helping: str = "Do this."
) -> Diagnostic:
    start = text.index(part)
    label = Label(source(text), Span(start, start + len(part)))
    return Diagnostic("unknown-slot", severity, "There is no slot here.", (label, *also), helping)


def caret_text(rendered: str) -> str:
    """What stands above the carets."""
    shown, carets = rendered.splitlines()[1:3]
    start = carets.index("^")
    return shown[start : start + carets.count("^")]


def test_place_message_line_carets_and_help() -> None:
    assert render(diagnostic("a\nlet x = call critc\n", "critc")).splitlines() == [
        "draft.prose.md:2:14: error[unknown-slot]: There is no slot here.",
        " 2 | let x = call critc",
        "   |              ^^^^^",
        "help: Do this.",
    ]


def test_no_help_line_without_help() -> None:
    assert "help:" not in render(diagnostic("abc", "b", helping=""))


def test_the_title_of_a_fix_stands_in_for_missing_help() -> None:
    label = Label(source("abc"), Span(0, 1))
    fix = Fix("Write `x`.", (Edit(Span(0, 1), "x"),))
    assert render(Diagnostic("c", "error", "m", (label,), "", (fix,))).endswith("\nhelp: Write `x`.")


def test_crlf_files_show_no_carriage_return() -> None:
    rendered = render(diagnostic("a\r\nlet critc\r\nb", "critc"))
    assert "\r" not in rendered
    assert "␍" not in rendered
    assert caret_text(rendered) == "critc"


def test_carets_stand_under_the_span_after_a_tab() -> None:
    rendered = render(diagnostic("\tlet\tcritc", "critc"))
    assert "\t" not in rendered
    assert caret_text(rendered) == "critc"


def test_wide_characters_count_two_columns() -> None:
    lines = render(diagnostic("名前 critc 名前", "critc")).splitlines()
    assert lines[2] == "   |" + " " * 6 + "^^^^^"


def test_carets_under_wide_characters_are_as_wide() -> None:
    lines = render(diagnostic("x 名前", "名前")).splitlines()
    assert lines[2] == "   |   ^^^^"


def test_combining_marks_take_no_column() -> None:
    lines = render(diagnostic("e\u0301 critc", "critc")).splitlines()
    assert lines[2] == "   |   ^^^^^"


def test_control_characters_are_shown_and_not_sent() -> None:
    rendered = render(diagnostic("\x1b[31m critc \u202e", "critc"))
    assert "\x1b" not in rendered
    assert "\u202e" not in rendered
    assert "␛[31m critc <U+202E>" in rendered
    assert caret_text(rendered) == "critc"


def test_control_characters_in_file_names_and_messages_are_shown() -> None:
    label = Label(source("abc", "a\x1b]0;x\x07.md"), Span(0, 1), "")
    rendered = render(Diagnostic("c", "error", "found \x1b[2J", (label,), "write \x07"))
    assert not {"\x1b", "\x07"} & set(rendered)


def test_a_span_over_several_lines_is_marked_to_the_end_of_its_first() -> None:
    rendered = render(diagnostic("repeat 3:\n  x\n", "3:\n  x"))
    assert caret_text(rendered) == "3:"


def test_an_empty_span_gets_one_caret() -> None:
    label = Label(source("abc"), Span(3, 3))
    assert render(Diagnostic("c", "error", "m", (label,))).splitlines()[2] == "   |    ^"


def test_an_empty_line_is_not_shown() -> None:
    label = Label(source("a\n\nb"), Span(2, 2))
    assert render(Diagnostic("c", "error", "m", (label,))) == "draft.prose.md:2:1: error[c]: m"


def test_labels_in_other_files_show_their_own_place_and_line() -> None:
    other = Label(source("- `topic`\n", "critic.prose.md"), Span(2, 9), "it is declared here")
    lines = render(diagnostic("let x = 1", "x", also=(other,))).splitlines()
    assert lines[3:6] == [
        "critic.prose.md:1:3: it is declared here",
        " 1 | - `topic`",
        "   |   ^^^^^^^",
    ]


def test_a_long_line_is_cut_around_the_fault() -> None:
    text = "x" * 3000 + " critc " + "y" * 3000
    rendered = render(diagnostic(text, "critc"), width=80)
    assert all(len(line) <= 80 for line in rendered.splitlines()[1:3])
    assert caret_text(rendered) == "critc"
    assert rendered.splitlines()[1].count("…") == 2


def test_colour_adds_nothing_but_escape_sequences() -> None:
    import re

    item = diagnostic("let critc", "critc")
    coloured = render(item, paint=ansi)
    assert coloured != render(item)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render(item)


def test_an_empty_line_stands_between_two() -> None:
    item = diagnostic("let critc", "critc")
    assert render_all([item, item]) == f"{render(item)}\n\n{render(item)}"


def test_summary_counts_by_severity_and_file() -> None:
    error, warning = diagnostic("abc", "a"), diagnostic("abc", "b", severity="warning")
    assert summary([error, error, warning], 1) == "2 errors, 1 warning in 1 file"
    assert summary([error], 7) == "1 error in 1 file (7 checked)"
    assert summary([], 3) == "3 files, nothing to report"
    assert summary([], 1) == "1 file, nothing to report"
