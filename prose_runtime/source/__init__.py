"""Room `source` (layer 0): texts with exact places in them, and where the shipped files are."""

from prose_runtime.source.text import Position, SourceText, Span, UndecodableSource

__all__ = ["Position", "SourceText", "Span", "UndecodableSource"]
