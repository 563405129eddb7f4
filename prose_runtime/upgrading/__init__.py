"""Changing files by edits of spans: `upgrade` to today's words, `fix` by the fixes of diagnostics."""

from prose_runtime.upgrading.fixing import fix
from prose_runtime.upgrading.upgrade import Change, Upgraded, upgrade

__all__ = ["Change", "Upgraded", "fix", "upgrade"]
