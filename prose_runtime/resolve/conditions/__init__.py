"""Conditions: how each is decided, found before the run (`docs/language.md`, "Conditions")."""

from prose_runtime.resolve.conditions.certain import certain_names
from prose_runtime.resolve.conditions.classify import (
    Need,
    classify,
    classify_choice,
    classify_criteria,
    criteria_texts,
    how_of,
    judge_needed,
    leaves,
)
from prose_runtime.resolve.conditions.scope import ConditionScope, PlainNames
from prose_runtime.resolve.conditions.tree import ConditionPlan

__all__ = [
    "ConditionPlan",
    "ConditionScope",
    "Need",
    "PlainNames",
    "certain_names",
    "classify",
    "classify_choice",
    "classify_criteria",
    "criteria_texts",
    "how_of",
    "judge_needed",
    "leaves",
]
