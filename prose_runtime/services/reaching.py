"""Whether what is bound can be reached, without asking anything of it: for `prose services --check`.

In: a service. Out: a few words for what was found; `ServiceError` for what was not. Nothing is spent.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

from prose_runtime.runtime.port import Service, ServiceError
from prose_runtime.services.addresses import without_user
from prose_runtime.services.approvals import proxy_for

PATIENCE = 20.0
"""Seconds for each look."""


@runtime_checkable
class Reachable(Protocol):
    """A service that can be looked for before it is called."""

    async def reach(self) -> str:
        """A few words for what was found. Raises `ServiceError`."""
        ...


async def reach(service: Service, *, within: float = PATIENCE) -> str:
    """What was found. A service that says nothing of itself is here already: a function, a gate, a file of replies."""
    if not isinstance(service, Reachable):
        return "found"
    try:
        async with asyncio.timeout(within):
            return await service.reach()
    except TimeoutError:
        raise ServiceError(f"nothing was heard of it within {within:g} s") from None


async def reach_address(url: str) -> str:
    """Connect to where a request would go: the host, or the proxy that the environment sets for it."""
    proxy = proxy_for(url)
    parts = urlsplit(proxy if proxy and "://" in proxy else f"http://{proxy}" if proxy else url)
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    said = f"{parts.hostname}:{port}" + (f" (the proxy {without_user(proxy)})" if proxy else "")
    try:
        _, writer = await asyncio.open_connection(
            parts.hostname, port, ssl=ssl.create_default_context() if secure else None
        )
    except OSError as error:
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise ServiceError(f"{said} could not be reached: {why}") from error
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return f"reached {said}"
