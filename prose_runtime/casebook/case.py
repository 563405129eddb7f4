"""What one case says: the data of a `kind: test` document after reading."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prose_runtime.diagnostics import Diagnostic
from prose_runtime.source import SourceText, Span
from prose_runtime.syntax.document import Document, Json, Section
from prose_runtime.syntax.plain_yaml import YamlMap

Replies = list[Any] | dict[str, list[Any]]  # of one slot, or of each service of a list slot by name


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """One call that must be made. `received` is a part of the inputs, `exactly` all of them, `without` are keys
    that must not be among them; a field that is None is not looked at."""

    service: str
    received: Mapping[str, Any] | None = None
    exactly: Mapping[str, Any] | None = None
    without: tuple[str, ...] = ()
    attempts: int | None = None
    error: str | None = None
    written: Any = field(default=None, compare=False)  # as it stands in the case
    received_key: str = field(default="received", compare=False)  # the key under which `received` stands there


@dataclass(frozen=True, slots=True)
class ExpectedDecision:
    """One decision that must be taken, in order; `text` may be a part of the condition's text."""

    text: str
    how: str | None = None
    holds: bool | None = None
    is_text: bool = field(default=False, compare=False)  # it is written as its text alone


@dataclass(frozen=True, slots=True)
class ExpectedDiagnostic:
    """A message of the check or of the binding. `line` 0: at any line."""

    code: str
    line: int = 0
    written: Any = field(default=None, compare=False)  # as it stands in the YAML block; None for a marker at a line end


@dataclass(frozen=True, slots=True)
class Sentence:
    """One bullet of `### Expects` (or, `negated`, of `### Expects Not`) about a named output, or about the run."""

    name: str | None
    text: str
    line: int
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Fixture:
    """The inputs of one run. `values` are values as given, `texts` are still to be read by a declared type.

    `name` is given where a case has several; `sentences` are expected of this one's run alone.
    """

    name: str = ""
    values: Mapping[str, Json] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    sentences: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Exactly:
    """An expected value; wrapped, so that null can be expected."""

    value: Any


@dataclass(frozen=True, slots=True)
class Expectations:
    """Everything that must come out. What is None or empty is not looked at, except `diagnostics`: one that is
    not listed fails the case."""

    status: str | None = None
    result: Exactly | None = None
    result_has: Exactly | None = None
    error: str | None = None
    message: str | None = None  # of the error, in which `…` stands for anything
    calls: tuple[ExpectedCall, ...] | None = None
    any_order: bool = False
    number_of_calls: int | None = None
    decisions: tuple[ExpectedDecision, ...] | None = None
    warnings: tuple[str, ...] | None = None
    diagnostics: tuple[ExpectedDiagnostic, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    block: YamlMap | None = None  # the YAML block with the places of its values

    @property
    def values(self) -> int:
        """How many expectations there are besides the sentences."""
        kinds = (self.status, self.result, self.result_has, self.error, self.message, self.calls, self.number_of_calls)
        listed = sum(item is not None for item in (*kinds, self.decisions, self.warnings))
        return listed + len(self.diagnostics)

    @property
    def of_a_run(self) -> bool:
        """Whether any of it can only be seen by running."""
        seen = (self.status, self.result, self.result_has, self.error, self.message, self.calls, self.number_of_calls)
        return any(item is not None for item in (*seen, self.decisions, self.warnings)) or bool(self.sentences)


@dataclass(frozen=True, slots=True)
class Case:
    """A case as read. `subject` names what is run; it stands in `document` (an inline definition of the case's own
    file, or the file in `### Document`), or is a name or path to be loaded, when `document` is None.

    `is_empty`: it expects nothing, neither of a run nor of a check, so that everything would pass.
    `fixtures` are the sets of inputs, each of them a run; `config` holds for all of them.
    """

    path: Path
    source: SourceText
    name: str
    subject: str | None
    document: Document | None
    reading: tuple[Diagnostic, ...] = ()  # what was found while reading `document`
    fixtures: tuple[Fixture, ...] = (Fixture(),)
    services: Mapping[str, Replies] | None = None  # None: there is no section of replies
    config: Mapping[str, Json] = field(default_factory=dict)
    config_texts: Mapping[str, str] = field(default_factory=dict)  # still to be read by their declared types
    budget: Mapping[str, Json] = field(default_factory=dict)
    expects: Expectations = field(default_factory=Expectations)
    failure: str | None = None  # why it is expected to fail
    sections: tuple[Section, ...] = ()
    portable: bool = False
    runs: bool = True
    is_empty: bool = False

    def origin(self, kind: str, name: str, value: object) -> tuple[SourceText, Span]:
        """The entry of a section that gives a service, an input or a config value, for messages about it."""
        keys = {"bind": ("services",), "inputs": ("fixtures",), "config": ("config", "fixtures")}[kind]
        sections = [item for key in keys for item in self.sections if item.key == key]
        for section in sections:
            entry = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])").search(
                self.source.text, section.body.start, section.body.end
            )
            if entry is not None:
                return self.source, Span(entry.start(), entry.end())
        return self.source, sections[0].heading if sections else Span(0, 0)
