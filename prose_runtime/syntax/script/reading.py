"""From a fence to its `Script`."""

from __future__ import annotations

from prose_runtime.diagnostics import Diagnostic
from prose_runtime.source import SourceText
from prose_runtime.syntax.fence import Fence
from prose_runtime.syntax.nodes import Script


def parse_script(source: SourceText, fence: Fence) -> tuple[Script, list[Diagnostic]]:
    """Read the script of a fence. Every fault of it is in the list, once; what could be read is in the tree."""
    return Script(fence.content, fence.language, ()), []
