"""Secrets never enter a run: what services answer is masked at the door.

In: the values of the declared secrets. Out: `Masker`, and services whose answers and errors went through it.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import quote, quote_plus

from prose_runtime.runtime.port import (
    Answer,
    Call,
    Service,
    ServiceError,
    Signature,
    UnitService,
    is_model,
    keys_of,
    turn_of,
)
from prose_runtime.services.environment import project_environment
from prose_runtime.services.faults import BindingFault
from prose_runtime.services.project import Project

LEAST = 8


class Masker:
    """Replaces secrets in values by `[secret NAME]`: whole and inside of texts, also in JSON, URL and base64 form.

    Raises `BindingFault` (`short-secret`) for one of fewer than 8 characters.
    """

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._secrets = dict(secrets)
        self._names: dict[str, str] = {}
        for name, value in secrets.items():
            if not value:
                continue
            if len(value) < LEAST:
                raise BindingFault("short-secret", variable=name, least=str(LEAST), target=name)
            for form in _forms(value):
                self._names.setdefault(form, name)
        longest = sorted(self._names, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest))) if longest else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def with_values(self, more: Mapping[str, str]) -> Masker:
        """A masker of these secrets too; a name that is known already keeps its value."""
        return Masker({**more, **self._secrets})

    def with_keys(self, keys: Iterable[Mapping[str, str]]) -> Masker:
        """A masker of the keys of services too; one that is too short to be told from ordinary text is left alone."""
        more = {name: value for each in keys for name, value in each.items() if len(value) >= LEAST}
        return self.with_values(more) if more else self

    def mask(self, value: Any) -> Any:
        """`value` with every secret masked, also in the keys of objects. A value without any is given back itself."""
        if self._pattern is None or value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int | float):
            return f"[secret {self._names[str(value)]}]" if str(value) in self._names else value
        if isinstance(value, Mapping):
            pairs = [(self.mask(key), self.mask(item)) for key, item in value.items()]
            same = all(
                new is old
                for pair, olds in zip(pairs, value.items(), strict=True)
                for new, old in zip(pair, olds, strict=True)
            )
            return value if same else dict(pairs)
        if isinstance(value, list | tuple):
            items = [self.mask(item) for item in value]
            return value if all(new is old for new, old in zip(items, value, strict=True)) else items
        return value

    def text(self, text: str) -> str:
        """The same for a text."""
        if self._pattern is None:
            return text
        masked = self._pattern.sub(lambda found: f"[secret {self._names[found[0]]}]", text)
        return masked if masked != text else text


def _forms(value: str) -> Iterator[str]:
    """The texts in which a secret can be recognised without guessing."""
    yield value
    for ascii_only in (True, False):
        escaped = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        yield escaped
        yield escaped.replace("/", "\\/")
        yield json.dumps(escaped, ensure_ascii=ascii_only)[1:-1]
    for quoted in (quote(value), quote(value, safe=""), quote_plus(value)):
        yield quoted
        yield re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), quoted)
    data = value.encode("utf-8", "surrogatepass")
    for shift in range(3):
        core = _core(data, shift)
        yield core
        yield core.replace("+", "-").replace("/", "_")


def _core(data: bytes, shift: int) -> str:
    """The characters of base64 that only the secret decides when it stands after `shift` (mod 3) other bytes."""
    encoded = base64.b64encode(b"\0" * shift + data).decode()
    first = -(-shift * 8 // 6)
    last = (shift + len(data)) * 8 // 6
    return encoded[first:last]


def project_masker(project: Project | None, environment: Mapping[str, str] | None = None) -> Masker:
    """The masker of a project's declared secrets and of the keys in its headers, with values from `environment` (by
    default the process's and `.env`)."""
    names = () if project is None else (*project.secrets, *project.keys)
    if not names:
        return Masker({})
    values = environment if environment is not None else project_environment(project)
    return Masker({name: values[name] for name in names if name in values})


class MaskedService:
    """A service whose answers and errors carry no secret."""

    def __init__(self, inner: Service, masker: Masker) -> None:
        self._inner = inner
        self._masker = masker

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def target(self) -> str:
        return self._masker.text(self._inner.target)

    @property
    def signature(self) -> Signature | None:
        return self._inner.signature

    @property
    def is_model(self) -> bool:
        return is_model(self._inner)

    @property
    def keys(self) -> Mapping[str, str]:
        return keys_of(self._inner)

    def turn(self) -> AbstractAsyncContextManager[object]:
        """That of the service."""
        return turn_of(self._inner)

    async def call(self, call: Call) -> Answer:
        """Call the service and mask what it gives; any failure of it becomes a masked `ServiceError`."""
        try:
            answer = await self._inner.call(call)
        except ServiceError as error:
            raise ServiceError(
                self._masker.text(error.message),
                name=self._masker.text(error.name),
                transient=error.transient,
                detail=self._masker.mask(error.detail),
                usage=error.usage,
            ) from None
        except Exception as error:
            raise ServiceError(self._masker.text(f"{type(error).__name__}: {error}")) from None
        return Answer(self._masker.mask(answer.value), answer.usage)

    async def close(self) -> None:
        await self._inner.close()


def mask_service(service: Service, masker: Masker) -> Service:
    """The service behind the masker; the service itself where there is nothing to mask, and a definition, which
    answers only with what its own services gave."""
    return MaskedService(service, masker) if masker and not isinstance(service, UnitService) else service
