"""What a worker of a Dask cluster runs for `cite-lsp judge --scheduler`: it opens a parcel, and asks the judge in it.

Keys, headers and credentials are those of this machine: its environment, its system keyring, and the settings file of
the user that the worker runs as. Nothing is raised, since a cluster would write the parcel into its logs.
"""

import asyncio
import os
import platform
import threading
import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from cite_lsp import __version__
from cite_lsp.audit.judgement import AskingJudge, Judged, Judgement, Trouble
from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.verdicts import Row
from cite_lsp.config import JudgeSettings, load_settings
from cite_lsp.judges.cluster import CAUSE
from cite_lsp.judges.embedded import EmbeddedJudge
from cite_lsp.judges.making import Unavailable, make_judge
from cite_lsp.judges.parcels import Answer, BadParcelError, Grant, Parcel, shown_address
from cite_lsp.worker.parser import Parser

if TYPE_CHECKING:
    from concurrent.futures import Future

_LOOK_UP = 0.2
"""Seconds between two looks at whether an answer is still wanted."""
_KEPT_FILES = 32


class _UnwantedError(Exception):
    """Nobody waits for the answer any more."""


def about() -> dict[str, Any]:
    """Say who would open parcels here."""
    return {"version": __version__, "host": platform.node()}


def opened(parcel: bytes) -> bytes:
    """Open a parcel and answer it. Never raises; what went wrong is in the answer."""
    rows = 0
    try:
        given = Parcel.opened(parcel)
        rows = len(given.rows)
        return _answer(given, _whether_wanted()).packed()
    except (BadParcelError, Unavailable) as error:
        return _refused(str(error), rows).packed()
    except Exception as error:  # noqa: BLE001 - it would take the parcel into the logs of the cluster
        return _refused(f"a worker of the cluster failed: {type(error).__name__}", rows, "failed").packed()


def _answer(parcel: Parcel, wanted: Callable[[], bool]) -> Answer:
    if parcel.version != __version__:
        message = f"a worker of the cluster has cite-lsp {__version__}, and here it is {parcel.version}"
        return _refused(f"{message}: install {parcel.version} there", len(parcel.rows))
    if parcel.judge.name == "embedded":
        return Answer(_embedded(parcel.rows, wanted))
    settings = _with_own_secrets(parcel.judge)
    missing = [name for name in parcel.headers if name not in settings.headers]
    if missing:
        message = (
            f"judge.headers are not sent to a cluster, and a worker has no {missing[0]} for this judge and address in"
            " its own settings: set it in the settings file of the user there, beside judge.name and judge.base_url"
        )
        return _refused(message, len(parcel.rows))
    judge = _judge(settings, parcel.audit)
    if judge.identity != parcel.identity:
        message = f"a worker of the cluster has another judge, {judge.identity!r}, than the one here"
        return _refused(f"{message}, {parcel.identity!r}: its verdicts would be taken for this one's", len(parcel.rows))
    spending = _Spending(parcel.grant)
    judgement = _in_loop(_asked(judge, parcel.rows, spending), wanted)
    return Answer(judgement, spending.used)


def _refused(message: str, rows: int, cause: str = CAUSE) -> Answer:
    return Answer(Judgement((None,) * rows, troubles=(Trouble(cause, message, rows),)))


# ------------------------------------------------------------------------------------------------ the embedded judge


@cache
def _embedded_judge() -> EmbeddedJudge:
    return EmbeddedJudge(Parser())


@lru_cache(maxsize=_KEPT_FILES)
def _kept(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Give the same object for the same lines: what is known of a file hangs on it, and many documents cite it."""
    return lines


def _embedded(rows: Sequence[Row], wanted: Callable[[], bool]) -> Judgement:
    judge = _embedded_judge()
    answers = []
    for row in rows:
        if not wanted():
            raise _UnwantedError
        kept = row if row.file is None else replace(row, file=_kept(row.file))
        answers.append(Judged(judge.judge_row(kept), time.time()))
    return Judgement(tuple(answers))


# ------------------------------------------------------------------------------------------------ other judges


@dataclass(slots=True)
class _Spending:
    """What is used up of a grant; from any thread."""

    grant: Grant | None
    used: Grant = field(default_factory=Grant)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def admit(self, rows: int, cost: float | None) -> str:
        """Take from the grant, or give back; why that cannot be, or ""."""
        with self._lock:
            then = Grant(self.used.rows + rows, self.used.cost + (cost or 0.0))
            over = self.grant is not None and (then.rows > self.grant.rows or then.cost > self.grant.cost + 1e-9)
            if over and rows > 0:
                return "what is left of judge.limits for this day does not admit another question about this document"
            self.used = then
            return ""


_SPENDING: ContextVar[_Spending] = ContextVar("spending")
"""Of the question that is under way."""


class _Granted:
    """The ledger of judges here: what a question may use up came with its parcel."""

    @staticmethod
    def admit(judge: str, rows: int, cost: float | None) -> str:  # noqa: ARG004 - as a ledger has it
        """Admit a request as its parcel does."""
        return _SPENDING.get().admit(rows, cost)


async def _asked(judge: AskingJudge, rows: Sequence[Row], spending: _Spending) -> Judgement:
    _SPENDING.set(spending)
    return await judge.ask(rows)


_JUDGES: dict[str, AskingJudge] = {}
"""Judges by what they are made of: once for all parcels, so that connections are kept and their bound holds."""
_MAKING = threading.Lock()


def _judge(settings: JudgeSettings, audit: AuditOptions) -> AskingJudge:
    key = f"{settings.model_dump_json()}\n{audit.model_dump_json()}"
    with _MAKING:
        if key not in _JUDGES:
            _JUDGES[key] = make_judge(settings, audit, ledger=_Granted())
        return _JUDGES[key]


def _with_own_secrets(judge: JudgeSettings) -> JudgeSettings:
    """Give the settings of a judge with the headers and credentials that this machine has for it and its address."""
    own = load_settings(os.sep).settings.judge
    if (own.name, shown_address(own.base_url)) != (judge.name, judge.base_url):
        return judge
    return judge.model_copy(update={"headers": own.headers, "base_url": own.base_url})


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Give the loop in which judges of this process are asked."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="cite-lsp judges", daemon=True).start()
    return loop


def _in_loop(question: Any, wanted: Callable[[], bool]) -> Judgement:  # noqa: ANN401 - a coroutine
    """Wait for an answer while it is wanted; else end what is asked."""
    asked: Future[Judgement] = asyncio.run_coroutine_threadsafe(question, _loop())
    while True:
        try:
            return asked.result(_LOOK_UP)
        except TimeoutError:
            if asked.done():
                raise
            if not wanted():
                asked.cancel()
                raise _UnwantedError from None


def _whether_wanted() -> Callable[[], bool]:
    """Give what says whether the running task of Dask is still wanted: it ends no thread that works for nobody."""
    from distributed import get_worker  # noqa: PLC0415 - a worker has it

    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    return wanted
