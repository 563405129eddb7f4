"""`python -m prose_runtime` is the command `prose`."""

from __future__ import annotations

from prose_runtime.cli import main

if __name__ == "__main__":
    main()
