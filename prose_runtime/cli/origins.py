"""Where something was written in a command line. In: the words of `prose run`. Out: an `Origin` for messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prose_runtime.cli.arguments import Setting
from prose_runtime.diagnostics.visible import cut
from prose_runtime.runtime.origins import Kind, Origin, outside
from prose_runtime.source import SourceText, Span

_WIDEST = 60


def typed_origin(binds: Iterable[str], inputs: Mapping[str, Setting], configs: Mapping[str, Setting]) -> Origin:
    """Messages about a binding, an input or a config value begin with the option as it was typed."""
    words = {word.partition("=")[0].strip(): word for word in binds}

    def origin(kind: Kind, name: str, value: object) -> tuple[SourceText, Span]:
        if kind == "bind":
            target = value if isinstance(value, str) else getattr(value, "target", "")
            written = f"{name}={target}" if target else words.get(name, name)
            return outside(cut(f"--judge {target}" if name not in words else f"--bind {written}", _WIDEST))
        setting = (inputs if kind == "inputs" else configs)[name]
        return outside(cut(setting.written, _WIDEST))

    return origin
