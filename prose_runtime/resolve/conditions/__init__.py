"""Conditions: how each is decided, found before the run (`docs/language.md`, "Conditions")."""
