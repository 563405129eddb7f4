"""`python -m prose_runtime.syntax.script`: build the table that stands next to the grammar again."""

from __future__ import annotations

from prose_runtime.syntax.script.table import write_table

if __name__ == "__main__":
    write_table()
