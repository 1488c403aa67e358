"""A Dask cluster that judges: `cite-lsp judge --scheduler tcp://…` (cli.md, Past one machine).

Dask is asked here and nowhere else, by the address that the command line gives; certificates for `tls://` are those of
Dask's own configuration. Its log lines are kept from the terminal: what a person should know is said once, by us.
"""

import asyncio
import ipaddress
import logging
import platform
import re
import time
import uuid
import warnings
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from importlib import import_module
from typing import Any

from cite_lsp import __version__
from cite_lsp.cli import cluster_worker
from cite_lsp.cli.run import UsageError
from cite_lsp.judges.cluster import ClusterError

CONNECT_SECONDS = 10.0
"""How long a scheduler may take to answer."""
PATIENCE = 60.0
"""Seconds without any worker after which nobody is waited for: some clusters start workers when there is work."""
_LOOK_UP = 1.0
_FAREWELL = 5.0
"""Seconds that saying goodbye may take."""
_LEAST_AT_ONCE = 8
_PER_THREAD = 3
"""Parcels on their way for each thread of the cluster, so that none has to wait for the next one."""
_ADDRESS = re.compile(
    r"(?P<scheme>tcp|tls)://(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.%]+\])(?::(?P<port>[0-9]{1,5}))?/?"
)
_NOTHING_SENT = "nothing was sent"
_KEPT = "what was answered is kept, and a second run asks for the rest"


class DaskCluster:
    """Brings parcels to a cluster, once somebody asks; for one event loop."""

    def __init__(self, address: str) -> None:
        """Take the address. Raises `UsageError` where it is none, or Dask is not installed."""
        found = _ADDRESS.fullmatch(address.strip())
        if found is None or not 0 < int(found["port"] or 8786) < 65536:
            raise UsageError(
                f"--scheduler {address!r} cannot be used: legal is tcp://host:port or tls://host:port, the address that"
                " dask scheduler prints"
            )
        self.address = f"{found['scheme']}://{found['host']}:{found['port'] or 8786}"
        self._leaves = not _is_loopback(found["host"])
        self._hosts: tuple[str, ...] = ()
        """Where parcels may be opened: of a cluster on this machine on its workers here, whoever joins it later."""
        self._client: Any = None
        self._connecting: asyncio.Future[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._lost: asyncio.Future[str] | None = None
        self._slots = asyncio.Semaphore(_LEAST_AT_ONCE)
        self._at_once = _LEAST_AT_ONCE
        self._cancelling: set[asyncio.Future[None]] = set()
        _dask()

    async def leaves(self) -> bool:
        """Whether parcels leave this machine: the scheduler or one of its workers is elsewhere. Connects."""
        await self._connected()
        return self._leaves

    async def answer(self, parcel: Callable[[], Awaitable[bytes]]) -> object:
        """Have a parcel opened by a worker; another one takes it where that is lost.

        Raises:
            ClusterError: Nobody did.
        """
        await self._connected()
        async with self._slots:
            self._raise_if_lost()
            packed = await parcel()
            if self._client is None or self._client.status != "running":
                raise ClusterError(self._gone)
            key = f"cite-lsp-{uuid.uuid4().hex}"
            where = {"workers": self._hosts, "allow_other_workers": False} if self._hosts else {}
            future = self._client.submit(cluster_worker.opened, packed, key=key, pure=False, **where)
            try:
                return await self._result(future)
            finally:
                if not future.done():
                    self._keep(asyncio.ensure_future(future.cancel()))
                future.release()

    async def close(self) -> None:
        """Have all that is under way cancelled, and end the connection; another parcel connects again."""
        client, self._client = self._client, None
        tasks = (self._watching, self._connecting)
        self._watching = self._connecting = self._lost = None
        for each in tasks:
            if each is not None:
                each.cancel()
                with suppress(asyncio.CancelledError, ClusterError):
                    await each
        if client is not None:
            with suppress(TimeoutError, OSError):
                await asyncio.wait_for(self._farewell(client), _FAREWELL)

    async def _farewell(self, client: Any) -> None:  # noqa: ANN401 - Dask has no types
        await asyncio.gather(*self._cancelling, return_exceptions=True)
        await client.close()

    def _keep(self, cancelling: "asyncio.Future[None]") -> None:
        self._cancelling.add(cancelling)
        cancelling.add_done_callback(self._cancelling.discard)

    # --- connecting

    async def _connected(self) -> None:
        """Connect, and look at who is there; once for all who wait."""
        if self._connecting is None:
            self._connecting = asyncio.ensure_future(self._connect())
        await asyncio.shield(self._connecting)
        self._raise_if_lost()

    async def _connect(self) -> None:
        dask = _dask()
        _be_quiet(asyncio.get_running_loop())
        options = {"asynchronous": True, "set_as_default": False, "name": "cite-lsp"}
        client = dask.Client(self.address, timeout=CONNECT_SECONDS, **options)
        try:  # the library's own bound does not hold for a scheduler that takes the connection and says nothing
            self._client = await asyncio.wait_for(client, CONNECT_SECONDS + _LOOK_UP)
        except (OSError, TimeoutError, ImportError, ValueError, TypeError) as error:
            raise ClusterError(
                f"the scheduler at {self.address} cannot be reached ({_why(error)}), so {_NOTHING_SENT}: start it, or"
                " mend the address"
            ) from error
        self._lost = asyncio.get_running_loop().create_future()
        await self._find_workers()
        await self._look_at_workers()
        self._watching = asyncio.ensure_future(self._watch())

    async def _find_workers(self) -> None:
        """Wait until there is a worker."""
        until = time.monotonic() + PATIENCE
        while not await self._workers():
            if time.monotonic() > until:
                message = f"{self._no_workers}, so {_NOTHING_SENT}: start one with dask worker {self.address}"
                raise ClusterError(message)
            await asyncio.sleep(min(_LOOK_UP, PATIENCE))

    async def _look_at_workers(self) -> None:
        """See whether all workers have this version of this package, and are here, before anything is sent."""
        workers = sorted(await self._workers() or ())
        said = await asyncio.gather(*(self._about(worker) for worker in workers))
        if all(isinstance(about, TimeoutError) for about in said):
            raise ClusterError(f"no worker of {self.address} answers within {CONNECT_SECONDS:g} s, so {_NOTHING_SENT}")
        hosts = [about.get("host") if isinstance(about, dict) else None for about in said]
        self._leaves = self._leaves or any(host != platform.node() for host in hosts)  # a tunnel ends on loopback, too
        self._hosts = () if self._leaves else tuple(sorted({_host(worker) for worker in workers}))
        for address, about in zip(workers, said, strict=True):
            if _is_import_error(about):
                raise ClusterError(
                    f"the worker at {address} cannot load cite-lsp ({_why(about)}), so {_NOTHING_SENT}: install"
                    f" cite-lsp=={__version__} there, and on the scheduler"
                )
            if isinstance(about, OSError):
                continue  # it went away while it was asked; each parcel is looked at again where it is opened
            if isinstance(about, Exception):
                raise ClusterError(f"the worker at {address} cannot be asked ({_why(about)}), so {_NOTHING_SENT}")
            version = about.get("version") if isinstance(about, dict) else None
            if version != __version__:
                raise ClusterError(
                    f"the worker at {address} has cite-lsp {version}, and here it is {__version__}, so"
                    f" {_NOTHING_SENT}: install cite-lsp=={__version__} there"
                )

    async def _about(self, worker: str) -> Any:  # noqa: ANN401 - what it says is looked at
        """Give what a worker says of itself, or why it does not."""
        if self._client is None:
            return OSError(self._gone)
        asked = self._client.run(cluster_worker.about, workers=[worker], on_error="return")
        try:
            said: dict[str, Any] = await asyncio.wait_for(asked, CONNECT_SECONDS)
        except TimeoutError as error:
            return error
        except Exception as error:
            raise ClusterError(f"the workers of {self.address} cannot be asked: {_why(error)}") from error
        return said.get(worker, OSError())

    async def _workers(self) -> dict[str, Any] | None:
        """Give the workers by their addresses, and note how much may be on its way and whether any is elsewhere.

        None where the scheduler did not answer.
        """
        if self._client is None or self._client.scheduler is None:
            return None
        try:
            known = await asyncio.wait_for(self._client.scheduler.identity(), CONNECT_SECONDS)
        except (OSError, TimeoutError):
            return None
        workers: dict[str, Any] = known["workers"]
        here = {address: each for address, each in workers.items() if _is_loopback(_host(address))}
        if self._hosts:
            workers = here
        else:
            self._leaves = self._leaves or len(here) < len(workers)
        wanted = _PER_THREAD * sum(int(each["nthreads"]) for each in workers.values())
        while self._at_once < wanted:
            self._at_once += 1
            self._slots.release()
        return workers

    # --- asking

    async def _result(self, future: Any) -> object:  # noqa: ANN401 - Dask has no types
        """Wait for the result of a task, or for the news that there will be none."""
        dask = _dask()
        if self._lost is None:
            raise ClusterError(self._gone)
        waiting = asyncio.ensure_future(future.result())
        try:
            await asyncio.wait((waiting, self._lost), return_when=asyncio.FIRST_COMPLETED)
            self._raise_if_lost()
            return await waiting
        except dask.KilledWorker as error:
            message = "workers that judged this document ended again and again, for lack of memory perhaps"
            raise ClusterError(message, "failed") from error
        except CancelledError as error:
            raise ClusterError(self._gone) from error
        except ImportError as error:
            message = f"a worker of {self.address} cannot load cite-lsp ({_why(error)}): install it there"
            raise ClusterError(message) from error
        except ClusterError:
            raise
        except Exception as error:
            if self._client is None or self._client.status != "running":
                raise ClusterError(self._gone) from error
            if isinstance(error.__cause__, ImportError):
                message = f"the scheduler at {self.address} cannot load cite-lsp ({_why(error.__cause__)})"
                raise ClusterError(f"{message}: install cite-lsp=={__version__} there too") from error
            raise ClusterError(f"the cluster failed: {_why(error)}", "failed") from error
        finally:
            waiting.cancel()
            with suppress(BaseException):
                await waiting

    async def _watch(self) -> None:
        """Notice when the scheduler has gone or is silent, or all workers have been gone, for too long."""
        last = heard = time.monotonic()
        while self._lost is not None and not self._lost.done():
            await asyncio.sleep(_LOOK_UP)
            workers = await self._workers()
            if self._client is None or self._client.status != "running":
                self._lost.set_result(self._gone)
            elif workers is None:
                if time.monotonic() - heard > PATIENCE:
                    silent = f"the scheduler at {self.address} has not answered for {PATIENCE:g} s"
                    self._lost.set_result(f"{silent}; {_KEPT}")
                continue
            heard = time.monotonic()
            if workers:
                last = heard
            elif time.monotonic() - last > PATIENCE:
                self._lost.set_result(f"{self._no_workers}; {_KEPT}")

    def _raise_if_lost(self) -> None:
        if self._lost is not None and self._lost.done():
            raise ClusterError(self._lost.result())

    @property
    def _gone(self) -> str:
        return f"the connection to the scheduler at {self.address} was lost; {_KEPT}"

    @property
    def _no_workers(self) -> str:
        return f"the cluster at {self.address} has had no worker for {PATIENCE:g} s"


def _dask() -> Any:  # noqa: ANN401 - an extra that may be absent, and has no types
    """Give the library, which takes its time to load. Raises `UsageError` where it is not installed."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise UsageError("--scheduler needs Dask, which is not installed here: pip install 'cite-lsp[dask]'") from error


def _be_quiet(loop: asyncio.AbstractEventLoop) -> None:
    """Keep the library's own lines from the terminal, also those about versions, which are looked at here.

    When connections end it leaves failed futures behind that nobody waits for, of which the loop would tell.
    """
    loop.set_exception_handler(_unless_of_a_connection)
    warnings.filterwarnings("ignore", module=r"distributed(\..*)?")
    for name in ("distributed", "tornado", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in {"distributed", "tornado"}:
            logger = logging.getLogger(name)
            logger.handlers = [logging.NullHandler()]
            logger.propagate = False


def _unless_of_a_connection(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    if not isinstance(context.get("exception"), OSError | TimeoutError):
        loop.default_exception_handler(context)


def _is_import_error(given: object) -> bool:
    """Say whether somebody could not load a module; a worker that cannot read what it is sent says so in a text."""
    return isinstance(given, ImportError) or (
        isinstance(given, Exception) and re.match(r"(ModuleNotFound|Import)Error\(", str(given)) is not None
    )


def _host(address: str) -> str:
    """Give the host of the address of a worker, `tcp://10.0.0.7:40123`."""
    return address.partition("://")[2].rpartition(":")[0]


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return False


def _why(error: BaseException) -> str:
    """Give what an error says as a part of a sentence: its first line, or its kind."""
    text = " ".join(str(error).split("\n", 1)[0].split()).rstrip(".")
    if not text and isinstance(error, TimeoutError):
        return f"no answer within {CONNECT_SECONDS:g} s"
    found = re.fullmatch(r"[A-Za-z]+Error\((['\"])(.*)\1\)", text)
    text = found[2] if found else text
    return (text if len(text) <= 200 else text[:199] + "…") or type(error).__name__
