"""Changing files: `upgrade` to today's words, `fix` by the fixes of diagnostics, `lay_out` in canonical layout."""

from prose_runtime.upgrading.fixing import fix
from prose_runtime.upgrading.layout import lay_out
from prose_runtime.upgrading.upgrade import Change, Upgraded, upgrade

__all__ = ["Change", "Upgraded", "fix", "lay_out", "upgrade"]
