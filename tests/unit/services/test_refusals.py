"""A document names services, never programs, addresses or paths."""

from __future__ import annotations

import pytest

from prose_runtime.resolve import resolve
from prose_runtime.resolve.program import LinkedInstance, Program, Unit
from prose_runtime.services.refusals import refused_names
from prose_runtime.source import SourceText
from prose_runtime.syntax import read

TEXT = """---
name: outer
kind: function
---

### Returns

- `result`: the best

### Patterns

```yaml
- name: reviewed
  pattern: inner
  with:
    writer: WRITER
```

### Execution

```prose
let x = call reviewed
return x
```

## inner

---
kind: pattern
---

### Slots

- `writer`

### Delegation

```prose
return call writer
```
"""


def program(writer: str) -> Program:
    document, _ = read(SourceText("outer.prose.md", TEXT.replace("WRITER", writer)))
    return resolve(document)[0]


def instances(units: tuple[Unit, ...]) -> list[LinkedInstance]:
    return [item for unit in units for item in unit.instances.values()]


@pytest.mark.parametrize(
    "writer", ['"cmd:rm -rf drafts"', "py:os:system", "./writer.prose.md", "[careful, https://example.org/]"]
)
def test_an_instance_that_names_a_target_is_refused_at_its_place(writer: str) -> None:
    made = program(writer)
    assert instances(made.units)
    found = refused_names(made, ["careful"])
    assert [item.code for item in found] == ["target-in-data"]
    assert found[0].source.name == "outer.prose.md"
    assert "pattern: inner" in found[0].source.slice(found[0].labels[0].span)
    assert "`reviewed`" in found[0].message
    assert "`careful`" in found[0].help


def test_an_instance_that_names_services_is_not() -> None:
    made = program("[careful, quick]")
    assert instances(made.units)
    assert refused_names(made, []) == []
