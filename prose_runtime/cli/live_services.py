"""The services of `prose test --live` and `--judge`: those of the project, under the same trust as in a run.

In: the subject of a case and its replies. Out: the subject bound, with the services that were made for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from prose_runtime import api
from prose_runtime.casebook import Bound, Subject
from prose_runtime.cli.asking import asker_for
from prose_runtime.cli.progress import NoProgress
from prose_runtime.cli.trusting import trusted_project
from prose_runtime.runtime import Budget
from prose_runtime.runtime.origins import Origin
from prose_runtime.runtime.port import Service
from prose_runtime.services import BindingFault


class LiveBinder:
    """Binds what a case has no replies for to the project's services, and the judge to a target. `pause` is called
    before a person may be asked."""

    def __init__(self, *, judge: str | None, live: bool, trust: bool, pause: Callable[[], None]) -> None:
        self._judge = judge
        self._live = live
        self._trust = trust
        self._pause = pause

    def __call__(
        self,
        subject: Subject,
        services: Mapping[str, Service | list[Service]],
        *,
        inputs: Mapping[str, Any],
        config: Mapping[str, Any],
        budget: Budget,
        origin: Origin,
    ) -> Bound:
        """Bind it. Raises `Ended` where a person says no to what the project names."""
        loaded = api.Loaded(subject.path, subject.document, subject.program, ())
        bind: dict[str, object] = dict(services)
        if self._judge is not None and "judge" not in bind:
            bind["judge"] = self._judge
        try:
            self._pause()
            project = trusted_project(loaded, bind, trusted=self._trust) if self._live else None
            prepared = api.prepare(
                loaded,
                bind=bind,
                inputs=inputs,
                config=config,
                budget=budget,
                project=project,
                ask=asker_for(NoProgress()),
                origin=origin,
            )
        except BindingFault as fault:
            return Bound(None, [fault.diagnostic("prose.toml")])
        return Bound(prepared.plan, list(prepared.diagnostics), prepared.services, prepared.mask)
