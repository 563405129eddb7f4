#!/usr/bin/env python3
"""The evaluator as a command-line program: a call as JSON on stdin, its answer as JSON on stdout."""

from __future__ import annotations

import json
import sys

from services import evaluator

call = json.load(sys.stdin)
json.dump(evaluator(call["inputs"]["task_brief"], call["inputs"]["result"]), sys.stdout)
