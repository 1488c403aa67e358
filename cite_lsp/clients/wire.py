"""One server over HTTP: bounded in bytes, in time and in tries, and never anywhere else than at its own address."""

import asyncio
import errno
import importlib
import os
import random
import re
import ssl
import sys
import time
from collections.abc import Awaitable, Callable, Container, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from cite_lsp.clients.address import Address
from cite_lsp.clients.client import ClientError
from cite_lsp.clients.failures import ConnectionFailedError, StatusError, meaning, system_name, underlying
from cite_lsp.clients.keys import Key, Keys
from cite_lsp.clients.means import encoded, written
from cite_lsp.clients.redaction import keep_out_of_logs, redacted, without
from cite_lsp.clients.reply import (
    Reply,
    again,
    asked_wait,
    destination,
    parsed,
    printable,
    server_message,
    shortened,
    unpacker,
)

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 8_000_000
"""The most bytes of a reply, unpacked."""
MOST_TRIES = 3
MOST_WAIT = 60.0
"""The longest a server may ask us to wait, in seconds."""

_MOST_ERROR_BYTES = 64_000
_FIRST_PAUSE = 0.5
_LOCAL_SECONDS = 300.0
_HOSTED_SECONDS = 120.0
_LONGEST_KEPT = 2_000
_LONGEST_READ = 20_000
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def _longer_each_time(sent: int) -> float:
    """Half a second, doubled with each try, and never in step with others."""
    return _FIRST_PAUSE * 2.0 ** (sent - 1) * random.uniform(0.5, 1.0)  # noqa: S311  # no secret


@dataclass(frozen=True, slots=True)
class Tries:
    """How often a request is sent, and how long is waited in between.

    Attributes:
        most: How many times at most.
        again: Whether a reply that is no success is worth another try.
        asked: How many seconds a reply asks to wait; None where it does not say.
        pauses: How many seconds to wait after so many tries (from 1) where the server does not say.
        longest: The longest wait, in seconds.
        capped: Whether the longest is waited where a server asks for more; otherwise it is left alone.
        broken: Whether an answer that breaks off is asked for once more, though the work was done.
    """

    most: int = MOST_TRIES
    again: Callable[[Reply], bool] = again
    asked: Callable[[Reply], float | None] = asked_wait
    pauses: Callable[[int], float] = _longer_each_time
    longest: float = MOST_WAIT
    capped: bool = False
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The JSON of a reply, and how many requests it took."""

    data: Any
    requests: int


class _Lost(Exception):  # noqa: N818  # holds the error
    """The connection failed: worth another try."""

    def __init__(self, error: ClientError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(slots=True)
class _Opened:
    """What belongs to one event loop."""

    loop: asyncio.AbstractEventLoop
    library: ModuleType
    client: "httpx.AsyncClient"
    slots: asyncio.Semaphore
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    """Questions that are under way."""


@dataclass(frozen=True, slots=True)
class _Request:
    """What one question sends, as often as it takes."""

    opened: _Opened
    address: Address
    url: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes
    key: Key
    limit: float


class Wire:
    """Sends JSON to one server and reads JSON from it.

    Connections are opened when first needed and kept; `close` ends them, and another request opens them again.
    """

    def __init__(
        self,
        base_url: str,
        *,
        keys: Callable[[Address], Keys],
        key_headers: Callable[[str], Mapping[str, str]],
        headers: Mapping[str, str] | None = None,
        role: str = "server",
        timeout: float | None = None,
        concurrency: int | None = None,
        tries: Tries = Tries(),
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Take the address and who knows its key. Nothing is opened or checked yet.

        Args:
            base_url: What the user wrote.
            keys: Makes what looks for the key of an address.
            key_headers: The headers that carry a key.
            headers: Sent with every request; they win over all others.
            role: What stands there, for messages.
            timeout: How long one request may take from beginning to end, in seconds; None means 300 on this
                machine, where a model may have to be loaded first, and 120 elsewhere.
            concurrency: How many requests run at a time; None means one on this machine and four elsewhere.
            tries: How often a request is sent, and how long is waited in between.
            pause: Waits a number of seconds.
        """
        self._base_url = base_url
        self._make_keys = keys
        self._key_headers = key_headers
        self._headers = dict(headers or {})
        self._role = role
        self._timeout = timeout
        self._concurrency = concurrency
        self._tries = tries
        self._pause = pause
        self._opened: _Opened | None = None
        self._keys: Keys | None = None
        self._key = Key()
        self._quiet_until = 0.0
        self.sent = 0
        """How many requests were sent so far."""

    @property
    def named(self) -> str:
        """What stands there, and where."""
        return f"the {self._role} at {self.shown}"

    @property
    def shown(self) -> str:
        """The base address, without credentials."""
        try:
            return Address.parse(self._base_url).shown
        except ClientError:
            return ""

    async def post(self, path: str, body: Mapping[str, Any]) -> Answer:
        """Send a body to a path under the base address and give the JSON of the reply, tried again as in `fetch`.

        Raises:
            ClientError: Nothing came of it; `StatusError` where the server said so.
        """
        reply, sent = await self.fetch(path, body)
        try:
            return Answer(parsed(reply, Address.parse(self._base_url, self._role)), sent)
        except ClientError as refused:
            refused.requests = sent
            raise

    async def fetch(self, path: str, body: Mapping[str, Any]) -> tuple[Reply, int]:
        """Send a body to a path under the base address; give the reply as it came, and how many requests it took.

        Unless `Tries` says otherwise, failed connections, 429 and 5xx are tried again, three times in all; a timeout is
        not, nor an answer that breaks off: the server has done the work, and who asks has to book it before it is done
        once more.

        Raises:
            ClientError: Nothing came of it; `StatusError` where the server said so, `ConnectionFailedError` where there
                was no server to say anything.
        """
        address = Address.parse(self._base_url, self._role)
        content = encoded(body)
        opened = await self._open(address)
        opened.users += 1
        try:
            async with opened.slots:
                key = await self._find_key(opened, address)
                headers = self._all_headers(address, key)
                limit = self._timeout or (_LOCAL_SECONDS if address.loopback else _HOSTED_SECONDS)
                return await self._tried(_Request(opened, address, address.at(path), headers, content, key, limit))
        finally:
            opened.users -= 1
            if opened is not self._opened and not opened.users:
                await opened.client.aclose()

    async def close(self) -> None:
        """End the connections; those of questions that are under way, which will be paid for, end with them."""
        opened, self._opened = self._opened, None
        if opened is not None and opened.loop is asyncio.get_running_loop() and not opened.users:
            await opened.client.aclose()

    # --- one question ------------------------------------------------------------------------------------------------

    async def _tried(self, request: _Request) -> tuple[Reply, int]:
        tries = self._tries
        for sent in range(1, tries.most + 1):
            await self._rest()
            wait: float | None = None
            try:
                reply = await self._once(request)
                if 200 <= reply.status < 300:
                    return reply, sent
                wait = tries.asked(reply)
                error = self._refusal(reply, request, wait)
                if not tries.again(reply) or self._too_long(wait):
                    raise error
            except _Lost as lost:
                error = lost.error
            except ClientError as refused:
                refused.requests = sent
                raise
            if sent == tries.most:
                error.requests = sent
                raise error from None
            await self._wait(wait, sent)
        raise AssertionError  # the last try returns or raises

    async def _wait(self, asked: float | None, sent: int) -> None:
        """Wait before the next try; or let all requests wait as long as was asked."""
        longest = self._tries.longest
        if asked is None:
            await self._pause(min(self._tries.pauses(sent), longest))
        else:
            self._quiet_until = max(self._quiet_until, time.monotonic() + min(asked, longest))

    def _too_long(self, wait: float | None) -> bool:
        """Whether the server asks for more than is waited here."""
        return wait is not None and wait > self._tries.longest and not self._tries.capped

    async def _rest(self) -> None:
        """Wait while the server has asked a request of ours to wait."""
        left = self._quiet_until - time.monotonic()
        if left > 0:
            await self._pause(left)

    async def _once(self, request: _Request) -> Reply:
        """Send one request and read its reply, both within the time limit."""
        library, address = request.opened.library, request.address
        stream = request.opened.client.stream("POST", request.url, headers=request.headers, content=request.content)
        begun = answered = False
        self.sent += 1
        try:
            async with asyncio.timeout(request.limit), stream as response:
                begun, answered = True, response.is_success
                return await _read(response, address)
        except TimeoutError:
            raise ClientError(
                "timeout",
                f"{address.named} did not answer in full within {request.limit:,g} seconds; limits.timeout allows more",
            ) from None
        except library.InvalidURL:
            raise ClientError("setting", f"the address {address.shown} cannot be used", 0) from None
        except library.LocalProtocolError:
            raise ClientError("setting", "one of the headers cannot be sent", 0) from None
        except (library.TransportError, OSError, UnicodeError) as failure:
            if begun:
                message = f"{address.named} broke off in the middle of its reply; its log may say why"
                broken = ConnectionFailedError("cut-off", message, system_name(failure))
                raise (broken if answered and not self._tries.broken else _Lost(broken)) from None
            raise self._unreachable(failure, address) from None

    def _unreachable(self, failure: Exception, address: Address) -> Exception:
        why = underlying(failure)
        if isinstance(why, ssl.SSLCertVerificationError):
            return ClientError(
                "unreachable",
                f"the certificate of {address.shown} is not trusted ({self.clean(why.verify_message)}); SSL_CERT_FILE"
                " names a file of certificates to trust",
            )
        words = str(why) or type(why).__name__
        if isinstance(why, OSError) and why.errno is not None:
            # what the event loop makes of an error names the address once more; names that are not found have others
            posix = os.name == "posix" and why.errno in errno.errorcode
            words = os.strerror(why.errno) if posix else why.strerror or words
        message = f"no connection to {address.named} ({self.clean(words)}); is the server running?"
        return _Lost(ConnectionFailedError("unreachable", message, system_name(failure)))

    def _refusal(self, reply: Reply, request: _Request, wait: float | None) -> ClientError:
        """Turn a reply that is no success into an error with the server's own words."""
        where, status = request.address.named, reply.status
        if 300 <= status < 400:
            return StatusError(
                "redirect",
                f"{where} sends requests on to {self.clean(destination(reply, request.address))}; that is not followed,"
                " so that no key and no text goes there: set base_url to the address that is meant",
                reply,
            )
        said = self.kept(server_message(reply))
        cause, what, advice = meaning(status, request.key)
        if wait is not None and self._too_long(wait):
            advice = f"it asks to wait {wait:,.0f} seconds, more than is waited here"
        if cause == "unauthorised" and self._keys is not None:
            self._keys.forget()
        message = f"{where} {what} ({status})" + (f": {shortened(said)}" if said else "")
        return StatusError(cause, message + (f"; {advice}" if advice else ""), reply, said)

    def clean(self, text: str) -> str:
        """Make what somebody else wrote fit for a message: one line of 200 characters, nothing unseen, no keys."""
        return shortened(self._clean(text))

    def kept(self, text: str) -> str:
        """Make what somebody else wrote fit to be kept: as `clean`, of 2,000 characters."""
        return self._clean(text)[:_LONGEST_KEPT]

    def without_keys(self, value: Mapping[str, Any], ours: Container[str]) -> Any:  # noqa: ANN401  # JSON
        """Give JSON that somebody else wrote without what is secret here; names and texts that are `ours` stay."""
        secrets = self._secrets(Address.parse(self._base_url))
        whole = written(value)
        if without(whole, secrets) == whole:  # looked through at once: there may be a hundred thousand texts in it
            return value
        return _with_texts(value, lambda text: text if text in ours else without(text, secrets))

    def _clean(self, text: str) -> str:
        return redacted(printable(text[:_LONGEST_READ]), self._secrets(Address.parse(self._base_url)))

    # --- what is sent ------------------------------------------------------------------------------------------------

    def _secrets(self, address: Address) -> set[str]:
        """All that must not be shown; values of headers count, as the user may keep a key there."""
        values = [each for each in self._headers.values() if len(each) >= 8]
        parts = [part for each in values for part in each.split() if len(part) >= 8]
        return {*address.secrets, *values, *parts, self._key.value} - {""}

    async def _find_key(self, opened: _Opened, address: Address) -> Key:
        if self._keys is None:
            self._keys = self._make_keys(address)
        async with opened.asking:
            self._key = await self._keys.find()
        keep_out_of_logs(self._secrets(address))
        return self._key

    def _all_headers(self, address: Address, key: Key) -> dict[str, str]:
        given = {
            "Accept": "application/json",
            # what is packed small may be large: the bound on bytes would come late
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": "cite-lsp",
        }
        if key.value:
            given |= self._key_headers(key.value)
        elif address.user or address.password:
            given["Authorization"] = f"Basic {address.basic}"
        for name, value in self._headers.items():
            if _TOKEN.fullmatch(name) is None or re.fullmatch(r"[\x20-\x7e]*", value) is None:
                raise ClientError("setting", f"the header {printable(name)[:60]!r} cannot be sent as it is set", 0)
            for other in [each for each in given if each.lower() == name.lower()]:
                del given[other]
            given[name] = value.strip()
        return given

    # --- connections -------------------------------------------------------------------------------------------------

    async def _open(self, address: Address) -> _Opened:
        """Give the client of this event loop; the library is loaded in a thread, since that takes a while."""
        loop = asyncio.get_running_loop()
        if self._opened is None or self._opened.loop is not loop:
            proxy = _proxy(address)
            most = self._concurrency or (1 if address.loopback else 4)
            library, client = await asyncio.to_thread(_made, address, proxy)
            if self._opened is None or self._opened.loop is not loop:
                self._opened = _Opened(loop, library, client, asyncio.Semaphore(most))
        return self._opened


def _with_texts(value: Any, clean: Callable[[str], str]) -> Any:  # noqa: ANN401  # JSON
    """Give JSON with each of its texts and names as a function makes it."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_with_texts(each, clean) for each in value]
    if isinstance(value, dict):
        return {clean(name): _with_texts(each, clean) for name, each in value.items()}
    return value


def _made(address: Address, proxy: str | None) -> tuple[ModuleType, "httpx.AsyncClient"]:
    httpx = _library()
    with suppress(ImportError):  # loaded by the first connection otherwise, while the loop waits
        importlib.import_module("anyio._backends._asyncio")
    # no certificates are read where none is needed; an empty context trusts nobody
    context = httpx.create_ssl_context() if address.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client = httpx.AsyncClient(
        verify=context,
        trust_env=False,
        follow_redirects=False,
        timeout=None,  # bounded as a whole, see `_once`
        proxy=proxy,
        http2=False,
    )
    return httpx, client


def _library() -> ModuleType:
    """Load the library without its command line, which is most of it: rich, click and pygments."""
    left_out = "httpx._main"
    hidden = left_out not in sys.modules and "httpx" not in sys.modules
    if hidden:
        sys.modules[left_out] = None  # type: ignore[assignment]  # as where those are not installed
    try:
        import httpx  # noqa: PLC0415  # takes longer to load than all the rest of a check
    finally:
        if hidden:
            sys.modules.pop(left_out, None)
    return httpx


def _proxy(address: Address) -> str | None:
    """The proxy that the environment names for an address; never one for this machine."""
    if address.loopback or proxy_bypass(address.host.strip("[]")):
        return None
    found = getproxies()
    proxy = found.get(address.scheme) or found.get("all")
    if proxy is None:
        return None
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ClientError(
            "setting", f"the proxy of the environment for {address.shown} is not an http:// or https:// address", 0
        )
    return parts.geturl()


def _too_large(address: Address) -> ClientError:
    most = f"{MOST_BYTES // 1_000_000} MB"
    return ClientError(
        "reply-too-large", f"{address.named} sent more than {most}; is this the address of a model server?"
    )


async def _read(response: "httpx.Response", address: Address) -> Reply:
    """Read a reply up to the bound; leaving early closes the connection."""
    success = response.is_success
    most = MOST_BYTES if success else _MOST_ERROR_BYTES
    declared = response.headers.get("content-length", "")
    if success and declared.isdecimal() and int(declared[:20]) > most:
        raise _too_large(address)
    unpack = unpacker(response.headers.get("content-encoding", ""), address)
    content = bytearray()
    async for chunk in response.aiter_raw():
        content += unpack(chunk, most + 1 - len(content))
        if len(content) > most:
            if success:
                raise _too_large(address)
            break  # the beginning of an error says enough
    return Reply(response.status_code, response.headers, bytes(content[:most]))
