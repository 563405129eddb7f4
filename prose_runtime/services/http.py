"""Web addresses as services: `http://…` and `https://…`. The extra `http`, imported with the first call.

In: an address, headers, limits. Out: an `HttpService` that sends the inputs of a call as one JSON object by POST and
takes the body of what comes back as the answer.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from prose_runtime.diagnostics.visible import visible
from prose_runtime.runtime.port import Answer, Call, ServiceError, Signature
from prose_runtime.services.command import read_output
from prose_runtime.services.process import OUTPUT_LIMIT
from prose_runtime.services.requests import is_only_inputs, whole_call
from prose_runtime.version import __version__

if TYPE_CHECKING:
    import httpx2

CONNECTING = 10.0
"""Seconds for the connection itself."""
PATIENCE = 300.0
"""Seconds for a whole attempt where nothing else is said."""
TRIES = 3
LONGEST_WAIT = 60.0
"""The longest `Retry-After` that is waited for; a longer one is the error."""
FIRST_WAIT = 0.5
# By these a server says that it did not do it now.
_REFUSED = frozenset((408, 425, 429, 502, 503, 504))
_REDIRECTS = 5
_SHOWN = 300


class _Refused(Exception):
    """An attempt that the server, or the way to it, refused. `wait`: the seconds that it asks for, or None."""

    def __init__(self, error: ServiceError, wait: float | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.wait = wait


class HttpService:
    """One address. `whole`: send every call whole, as programs get it, not its inputs alone. `headers` are sent there
    and nowhere else: a redirect to another place is refused. `timeout`: seconds for one attempt."""

    def __init__(
        self,
        url: str,
        *,
        name: str,
        headers: Sequence[tuple[str, str]] = (),
        whole: bool = False,
        timeout: float = PATIENCE,
        limit: int = OUTPUT_LIMIT,
    ) -> None:
        self.name = name
        self.target = url
        self._url = url
        self.signature: Signature | None = None
        self._headers = tuple(headers)
        self._whole = whole
        self._timeout = timeout
        self._limit = limit
        self._client: httpx2.AsyncClient | None = None

    async def call(self, call: Call) -> Answer:
        """Ask once. A refusal that passes by itself (429, 502 to 504, no connection) is waited for, as long as its
        `Retry-After` says, and asked again, three times in all and within the time of the attempt."""
        import stamina

        logging.getLogger("stamina").addHandler(_SILENT)
        try:
            async with asyncio.timeout(self._timeout):
                async for attempt in stamina.retry_context(
                    on=_pause, attempts=TRIES, timeout=None, wait_initial=FIRST_WAIT, wait_max=LONGEST_WAIT
                ):
                    with attempt:
                        return await self._ask(call)
        except _Refused as refused:
            raise refused.error from refused.__cause__
        except TimeoutError as error:
            late = f"`{self.name}` ({self.target}) gave no answer within {self._timeout:g} s"
            raise ServiceError(late, name="timeout") from error
        raise AssertionError("an attempt ends with an answer or an error")

    async def reach(self) -> str:
        """Connect, and send nothing."""
        from prose_runtime.services.reaching import reach_address

        return await reach_address(self._url)

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _ask(self, call: Call) -> Answer:
        body = dict(call.inputs) if is_only_inputs(call) and not self._whole else whole_call(call)
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        async with self._sent(data, call) as response:
            content = await self._content(response, cut=response.status_code >= 400)
        if response.status_code >= 400:
            raise self._failure(response, content)
        return Answer(read_output(content, name=self.name))

    @asynccontextmanager
    async def _sent(self, data: bytes, call: Call) -> AsyncIterator[httpx2.Response]:
        """The answer to a POST, its body not yet read. Whatever the way to it can do wrong is a `ServiceError`."""
        import httpx2

        client = self._client = self._client or self._new_client()
        url = self._url
        where = f"`{self.name}` ({self.target})"
        try:
            for _ in range(_REDIRECTS):
                request = client.build_request("POST", url, content=data, headers=self._sent_headers(call))
                response = await client.send(request, stream=True)
                try:
                    if response.status_code not in (301, 302, 303, 307, 308):
                        yield response
                        return
                    url = self._redirected(response, url)
                finally:
                    await response.aclose()
            raise ServiceError(f"{where} was sent from one address to the next {_REDIRECTS} times", transient=False)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            said = f"{where} could not be reached: {_said(error)}"
            raise _Refused(ServiceError(said)) from error
        except httpx2.HTTPError as error:
            raise ServiceError(f"{where} broke off: {_said(error)}") from error
        except httpx2.InvalidURL as error:
            raise ServiceError(f"{where} is no web address: {_said(error)}", transient=False) from error

    def _new_client(self) -> httpx2.AsyncClient:
        import httpx2

        return httpx2.AsyncClient(
            headers={"User-Agent": f"prose/{__version__}"},
            follow_redirects=False,
            timeout=httpx2.Timeout(None, connect=CONNECTING),
            limits=httpx2.Limits(max_connections=None),
        )

    def _sent_headers(self, call: Call) -> list[tuple[str, str]]:
        """The idempotency key is the same for every attempt, so that a server can tell that it did this already."""
        own = [("Content-Type", "application/json"), ("Accept", "application/json, text/plain;q=0.9, */*;q=0.1")]
        if call.idempotency_key:
            own.append(("Idempotency-Key", "".join(c for c in call.idempotency_key if c.isascii() and c.isprintable())))
        return [*own, ("Accept-Encoding", "identity"), *self._headers]

    def _redirected(self, response: httpx2.Response, url: str) -> str:
        """Where a redirect leads, if that may be followed: at the same place, and a POST again."""
        location: str = urljoin(url, response.headers.get("location", ""))
        old, new = urlsplit(url), urlsplit(location)
        if response.status_code not in (307, 308) or (old.scheme, old.netloc) != (new.scheme, new.netloc):
            said = (
                f"`{self.name}` ({self.target}) answered with a redirect to {visible(location)}, which is not followed"
            )
            raise ServiceError(said, transient=False, detail={"status": response.status_code})
        return location

    async def _content(self, response: httpx2.Response, *, cut: bool) -> bytes:
        """The body, never more than the limit; of an error only the beginning is taken (`cut`)."""
        if response.headers.get("content-encoding", "identity") not in ("", "identity") and not cut:
            raise ServiceError(f"`{self.name}` sent a compressed answer that was not asked for", transient=False)
        found = bytearray()
        async for chunk in response.aiter_raw():
            found += chunk
            if cut and len(found) > _SHOWN * 4:
                break
            if len(found) > self._limit:
                raise ServiceError(f"`{self.name}` sent more than {self._limit:,} bytes", transient=False)
        return bytes(found)

    def _failure(self, response: httpx2.Response, content: bytes) -> Exception:
        status = response.status_code
        said = " ".join(visible(content.decode("utf-8", "replace")).split())[:_SHOWN]
        shown = f"{status} {response.reason_phrase}".strip() + (f": {said}" if said else "")
        wait = retry_after(response.headers.get("retry-after"))
        detail: dict[str, Any] = {"status": status, **({"retry_after": wait} if wait is not None else {})}
        transient = status >= 500 or status in _REFUSED
        error = ServiceError(f"`{self.name}` ({self.target}) answered {shown}", transient=transient, detail=detail)
        too_long = wait is not None and wait > LONGEST_WAIT
        return _Refused(error, wait) if status in _REFUSED and not too_long else error


_SILENT = logging.NullHandler()


def _pause(error: Exception) -> bool | float:
    """Whether to ask again, and after how long where the server says so."""
    if not isinstance(error, _Refused):
        return False
    return True if error.wait is None else error.wait


def retry_after(text: str | None, now: float | None = None) -> float | None:
    """The seconds that a `Retry-After` header asks for, written as a number or as a date; None for neither."""
    if not text:
        return None
    if text.strip().isascii() and text.strip().isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(at - (time.time() if now is None else now), 0.0)


def _said(error: Exception) -> str:
    """What went wrong in the words of the library, else its kind."""
    return visible(str(error)) or type(error).__name__
