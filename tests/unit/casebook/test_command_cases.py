"""Cases of the command line: what is read, what is refused, what is compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from prose_runtime.casebook import Ran, run_case

CASE = """---
name: one
kind: test
---

### Files

```text in.txt
some text
```

```text stdin
typed
```

### Command

```console
$ prose check 'a b' --format json
```

### Expects

```yaml
EXPECTS
```
"""


def run(tmp_path: Path, expects: str, ran: Ran, text: str = CASE) -> list[str]:
    def runner(words: list[str], stdin: str, folder: Path) -> Ran:
        assert words == ["check", "a b", "--format", "json"]
        assert stdin == "typed\n"
        assert (folder / "in.txt").read_text() == "some text\n"
        (folder / "out.txt").write_text("written\n")
        return ran

    path = tmp_path / "case.prose.md"
    path.write_text(text.replace("EXPECTS", expects))
    return [str(problem) for problem in run_case(path, command=runner).problems]


@pytest.mark.parametrize(
    "expects",
    [
        'exit: 2\nstdout: ""',
        'exit: 2\nstderr: "one\\ntwo"',
        'exit: 2\nstderr: ["one", "two"]',
        'exit: 2\nstderr without: "three"',
        'exit: 2\nfiles: {out.txt: "written\\n"}',
    ],
)
def test_what_comes_out_as_expected_passes(tmp_path: Path, expects: str) -> None:
    assert run(tmp_path, expects, Ran(2, "", "one\ntwo\n")) == []


@pytest.mark.parametrize(
    ("expects", "said"),
    [
        ("{}", "expected exit status 0, found 2"),
        ("exit: 3", "expected exit status 3, found 2"),
        ('exit: 2\nstdout: "x"', 'stdout: expected "x"'),
        ('exit: 2\nstderr: ["two", "one"]', '"one" after what came before'),
        ('exit: 2\nstderr: ["three"]', 'stderr: expected "three", found'),
        ('exit: 2\nstderr without: ["two"]', 'stderr: found "two" in it'),
        ("exit: 2\nstdout json: {a: 1}", "stdout: expected JSON"),
        ('exit: 2\nfiles: {gone.txt: "x"}', "the file gone.txt: expected"),
        ("exit: 2\nstdot: x", "knows no 'stdot'"),
        ("- 1", "takes a mapping"),
    ],
)
def test_what_comes_out_otherwise_is_said(tmp_path: Path, expects: str, said: str) -> None:
    (problem,) = run(tmp_path, expects, Ran(2, "", "one\ntwo\n"))
    assert said in problem


def test_json_is_compared_in_part(tmp_path: Path) -> None:
    assert run(tmp_path, "stdout json: {a: 1}", Ran(0, '{"a": 1, "b": 2}', "")) == []
    assert run(tmp_path, "stdout json: {a: 2}", Ran(0, '{"a": 1, "b": 2}', "")) == ["stdout.a: expected 2, found 1"]


def test_a_traceback_of_python_never_passes(tmp_path: Path) -> None:
    (problem,) = run(tmp_path, "exit: 1", Ran(1, "", "Traceback (most recent call last):\n  …\n"))
    assert "a traceback of Python" in problem


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("$ prose check", "$ rm", "one line `$ prose …`"),
        ("$ prose check 'a b'", "$ prose check 'a b", "No closing quotation"),
        ("```text in.txt", "```text", "names its file"),
        ("```text in.txt", "```text ../in.txt", "leads out of"),
        ("```text in.txt", "```text stdin", "holds `stdin` twice"),
    ],
)
def test_what_cannot_be_a_case_is_said_with_its_line(tmp_path: Path, before: str, after: str, said: str) -> None:
    (problem,) = run(tmp_path, "exit: 0", Ran(0, "", ""), CASE.replace(before, after))
    assert said in problem
    assert str(tmp_path / "case.prose.md:") in problem


def test_nothing_is_run_unless_somebody_asks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "case.prose.md"
    path.write_text(CASE.replace("EXPECTS", "exit: 0"))
    (problem,) = map(str, run_case(path).problems)
    assert "give `--commands`" in problem
