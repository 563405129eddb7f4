"""Web addresses in targets, and the headers that a project sends there. Nothing is contacted here.

In: an address as written; headers whose values name variables, `Bearer ${SEARCH_KEY}`. Out: checked texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from prose_runtime.services.faults import BindingFault

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
# What the sender says itself.
OWN_HEADERS = frozenset(
    ("host", "content-type", "content-length", "accept-encoding", "transfer-encoding", "connection")
)


def read_address(text: str, *, name: str, target: str) -> str:
    """An address that can be sent to. Raises `BindingFault` (`malformed-target`)."""

    def fault(reason: str, suggestion: str) -> BindingFault:
        return BindingFault("malformed-target", name=name, target=target, reason=reason, suggestion=suggestion)

    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise fault(f"it is no web address: {str(error).lower()}", "write `https://HOST/PATH`") from None
    if not host or re.search(r"[\s\x00-\x1f\x7f\\]", text):
        raise fault("it is no web address", "write `https://HOST/PATH`")
    if parts.username is not None or parts.password is not None:
        raise BindingFault(
            "malformed-target",
            name=name,
            target=without_user(text),
            reason="it holds a user or a password",
            suggestion='give it in prose.toml: `headers = { Authorization = "Bearer ${VARIABLE}" }`',
        )
    return text.partition("#")[0]


def without_user(text: str) -> str:
    """An address without the user and the password in it, for messages."""
    return re.sub(r"(?<=//)[^/?#]*@", "…@", text)


def variables_of(headers: Mapping[str, str]) -> tuple[str, ...]:
    """The variables that headers name, each once."""
    return tuple(dict.fromkeys(name for value in headers.values() for name in _VARIABLE.findall(value)))


def filled(
    headers: Mapping[str, str], environment: Mapping[str, str], *, name: str, target: str
) -> tuple[tuple[str, str], ...]:
    """Headers with the values of their variables. Raises `BindingFault` (`variable-not-set`)."""
    for variable in variables_of(headers):
        value = environment.get(variable, "")
        if not value:
            raise BindingFault("variable-not-set", name=name, target=target, variable=variable)
        if not value.isprintable() or not value.isascii():
            raise BindingFault(
                "malformed-target",
                name=name,
                target=target,
                reason=f"the value of {variable} has characters that no header can carry",
                suggestion=f"set {variable} to printable ASCII, without a line end",
            )
    return tuple((key, _VARIABLE.sub(lambda found: environment[found[1]], value)) for key, value in headers.items())
