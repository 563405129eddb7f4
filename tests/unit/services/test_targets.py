"""Target texts: which kinds there are, what is said of the others, and that data never names one."""

from __future__ import annotations

from pathlib import Path

import pytest

from prose_runtime.runtime.port import UnitService
from prose_runtime.services import (
    BindingFault,
    Registry,
    is_target_text,
    refuse_target_text,
    service_from,
    split_targets,
)

FUNCTION = """---
name: shout
kind: function
---

### Parameters

- `text` (string, required) — what is said

### Returns

- `loud`: the text

### Execution

```prose
return text
```
"""


@pytest.mark.parametrize(
    ("target", "code", "said", "help_"),
    [
        ("critic", "unknown-target", "no kind of target", "`py:critic`"),
        ("pyy:a:b", "unknown-target", "no kind of target", "`py:a:b`"),
        ("./critic.py", "unknown-target", "no kind of target", "`py:./critic.py:FUNCTION`"),
        ("./critic.py:Critic.judge", "unknown-target", "no kind of target", "`py:./critic.py:Critic.judge`"),
        ("./critic.yml", "unknown-target", "no kind of target", "`script:./critic.yml`"),
        ("./critic.sh", "unknown-target", "no kind of target", "`cmd:./critic.sh`"),
        ("python:a:b", "unknown-target", "no kind of target", "`py:a:b`"),
        ("./critic", "malformed-target", "there is no such file", "relative to"),
        ("lib.py:critic", "unknown-target", "no kind of target", "`py:lib.py:critic`"),
        ("replies.yaml", "unknown-target", "no kind of target", "`script:replies.yaml`"),
        ("", "unknown-target", "no kind of target", "py:"),
        ("mcp:server/tool", "malformed-target", "there is no MCP server `server`", "[mcp.server]"),
        ("ask", "no-terminal", "no terminal", "another target"),
        ("cmd:", "malformed-target", "nothing follows `cmd:`", "cmd:PROGRAM"),
    ],
)
def test_what_cannot_be_bound_is_said(target: str, code: str, said: str, help_: str, tmp_path: Path) -> None:
    with pytest.raises(BindingFault) as caught:
        service_from(target, name="critic", base=tmp_path)
    assert caught.value.code == code
    assert said in caught.value.message
    assert help_ in caught.value.help
    assert "`critic`" in caught.value.message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("cmd:a,cmd:b", ("cmd:a", "cmd:b")),
        ("cmd:cut -f a,b", ("cmd:cut -f a,b",)),
        ("py:./a.py:f, ask", ("py:./a.py:f", "ask")),
        ("gate:contains?text=a,b,gate:json", ("gate:contains?text=a,b", "gate:json")),
        ("script:a.yaml,./b.prose.md", ("script:a.yaml", "./b.prose.md")),
        ("cmd:x asking,asked", ("cmd:x asking,asked",)),
    ],
)
def test_lists_are_split_where_another_target_begins(text: str, parts: tuple[str, ...]) -> None:
    assert split_targets(text) == parts


@pytest.mark.parametrize(
    "text",
    ["cmd:rm -rf /", "py:os:system", " cmd:x", "CMD:x", "http://a", "https://a", "./a", "../a.prose.md", "/bin/sh",
     "~/x", "std/refine", "co/x", "deps/x", "a.org/b/c",
     "model:a/b", "a.prose.md", "file:x", "javascript:alert", "a/b.prose.md#c"],
)  # fmt: skip
def test_target_texts_are_refused_in_data(text: str) -> None:
    assert is_target_text(text)
    with pytest.raises(BindingFault) as caught:
        refuse_target_text(text, origin="an input", bound=["critic"])
    assert caught.value.code == "target-in-data"
    assert "an input" in caught.value.message
    assert "`critic`" in caught.value.help


@pytest.mark.parametrize("text", ["critic", "strict-critic", "fast_one", "the first: careful", "a/b", "ask"])
def test_names_are_not_target_texts(text: str) -> None:
    assert not is_target_text(text)
    refuse_target_text(text, origin="an input")


def test_a_function_file_is_a_definition(tmp_path: Path) -> None:
    (tmp_path / "shout.prose.md").write_text(FUNCTION)
    made = service_from("./shout.prose.md", name="critic", base=tmp_path)
    assert isinstance(made, UnitService)
    assert made.name == "critic"
    assert [item.name for item in made.signature.parameters] == ["text"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("./absent.prose.md", "there is no such file"),
        ("./shout.prose.md#whisper", "it holds no `whisper`"),
        ("./slots.prose.md", "a pattern whose slots `critic` are open"),
        ("./broken.prose.md", "broken.prose.md:"),
        ("./test.prose.md", "it is a test"),
    ],
)
def test_a_file_that_is_no_service_is_said(tmp_path: Path, target: str, said: str) -> None:
    (tmp_path / "shout.prose.md").write_text(FUNCTION)
    (tmp_path / "slots.prose.md").write_text("---\nname: slots\nkind: pattern\n---\n\n### Slots\n\n- `critic`\n")
    (tmp_path / "broken.prose.md").write_text(FUNCTION.replace("return text", "return txet"))
    (tmp_path / "test.prose.md").write_text("---\nname: test\nkind: test\nsubject: ./shout.prose.md\n---\n")
    with pytest.raises(BindingFault) as caught:
        service_from(target, name="critic", base=tmp_path)
    assert caught.value.code == "malformed-target"
    assert said in caught.value.message


def test_a_registry_is_a_mapping_that_is_filled_by_name() -> None:
    registry = Registry({"judge": "ask"}, critic="gate:json")

    @registry.register("refiner")
    def refine(draft: str) -> str:
        return draft

    registry.register("reviewers", [refine, "gate:json"])
    assert dict(registry) == {
        "judge": "ask", "critic": "gate:json", "refiner": refine, "reviewers": [refine, "gate:json"],
    }  # fmt: skip
    assert len(registry) == 4
    assert repr(registry) == "Registry(judge, critic, refiner, reviewers)"
    with pytest.raises(ValueError, match="`critic` is registered already"):
        registry.register("critic", refine)
    registry.register("critic", refine, replace=True)
    assert registry["critic"] is refine
