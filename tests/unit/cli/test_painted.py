"""What a colour terminal is sent: colours of our own, and nothing else that acts on it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SLIP = """---
name: s
kind: pattern
---

### Slots

- `critic`

### Delegation

```prose
return call critc
```
"""


def _at_a_terminal(folder: Path, *words: str) -> str:
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment |= {"PYTHONPATH": str(ROOT), "TERM": "xterm", "XDG_CONFIG_HOME": str(folder)}
    line = [sys.executable, "-m", "prose_runtime", *words]
    with subprocess.Popen(line, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        parts: list[bytes] = []
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            parts.append(part)
        process.wait()
    os.close(ours)
    return b"".join(parts).decode()


@pytest.mark.parametrize("words", [("check", "slip.prose.md"), ("explain", "unknown-call"), ("std",), ("test", ".")])
def test_colours_are_sent_not_shown(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "slip.prose.md").write_text(SLIP)
    (tmp_path / "case.prose.md").write_text("---\nname: c\nkind: test\nsubject: ./slip.prose.md\n---\n")
    written = _at_a_terminal(tmp_path, *words)
    assert "\x1b[" in written
    assert "␛" not in written


def test_a_result_has_no_colours_of_its_own(tmp_path: Path) -> None:
    text = SLIP.replace("return call critc", 'return "\\u001b[31mred"').replace("### Slots\n\n- `critic`\n\n", "")
    (tmp_path / "red.prose.md").write_text(text.replace("\\u001b", "\x1b"))
    written = _at_a_terminal(tmp_path, "run", "red.prose.md", "--progress", "none")
    assert "\x1b[31mred" not in written
