"""Bringing files of older editions to today's words. `upgrade` is the entry."""

from prose_runtime.upgrading.upgrade import Change, Upgraded, upgrade

__all__ = ["Change", "Upgraded", "upgrade"]
