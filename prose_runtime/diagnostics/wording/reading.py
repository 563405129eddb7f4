"""Reading a document: frontmatter, sections, items, instances."""

from __future__ import annotations

from prose_runtime.diagnostics.code import Code

CODES: tuple[Code, ...] = ()
