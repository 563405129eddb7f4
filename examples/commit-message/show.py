#!/usr/bin/env python3
"""Print the message in a result: a `refine` result as JSON on stdin, its text and its score on stdout."""

from __future__ import annotations

import json
import sys

outcome = json.load(sys.stdin)
print(f"\n{outcome['result']}\n\n(score {outcome['score']:g} after {outcome['rounds_used']} rounds)")
