"""What a strict checker refuses; each line says the rule it breaks. Read by mypy, never run."""

from __future__ import annotations

import prose_runtime as prose

prose.run(3)  # arg-type
prose.run("std/refine", bind=[("refiner", len)])  # arg-type
prose.run("std/refine", budget=4)  # arg-type
prose.run("std/refine", maximum=4)  # call-arg
prose.Budget(max_calls="4")  # arg-type
unknown = prose.nothing  # attr-defined
