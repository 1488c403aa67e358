"""Which judge the settings of a document mean: the worker's, or one that is asked elsewhere, with what it said kept."""

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cite_lsp.audit.judgement import Heard, Judged, Judgement, Trouble
from cite_lsp.audit.row_data import row_to_data, verdict_from_data
from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.judges.embedded.identity import IDENTITY, READS_FILE
from cite_lsp.server.closing import Closing
from cite_lsp.worker.client import Worker, WorkerFailed, WorkerLost

if TYPE_CHECKING:
    from cite_lsp.audit.judgement import AskingJudge
    from cite_lsp.config import Settings
    from cite_lsp.judges.cached import CachedJudge
    from cite_lsp.store import Verdicts
    from cite_lsp.store.shared import SharedCache

log = logging.getLogger(__name__)

_AT_ONCE = 32
"""Rows that go to the worker together."""
_ABOUT_WHEN = frozenset({"run", "exclude"})
"""Rows of the judge's settings that say when and about what it is asked, not who is."""

_HEAVY = (
    "cite_lsp.store.verdicts",
    "cite_lsp.judges.cached",
    "cite_lsp.judges.making",
    "cite_lsp.judges.model",
    "cite_lsp.judges.decision",
    "cite_lsp.clients.anthropic",
    "cite_lsp.clients.chat",
    "cite_lsp.clients.ollama",
    "cite_lsp.clients.systemone",
)
"""Modules that only judges elsewhere need."""


class NoJudge(Exception):  # noqa: N818 - it says what happened
    """There is nobody to ask; the message is a sentence without a full stop."""


class WorkerJudge:
    """The embedded judge in the worker. What it says is cheap to say again, so nothing of it is kept on disk."""

    def __init__(self, worker: Worker) -> None:
        """Take the worker."""
        self.identity = IDENTITY
        self.reads_file = READS_FILE
        self._worker = worker

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        """Answer rows, some at a time: cancelling leaves the worker free for others soon."""
        answers: list[Judged | None] = [None] * len(rows)
        try:
            for low in range(0, len(rows), _AT_ONCE):
                some = rows[low : low + _AT_ONCE]
                data, files = data_of(some)
                keep = partial(_keep, answers, low, heard)
                await self._worker.call("judge", on_part=keep, rows=data, files=files)
        except (WorkerLost, WorkerFailed) as error:
            trouble = Trouble("failed", f"the judge failed: {error}", answers.count(None))
            return Judgement(tuple(answers), troubles=(trouble,))
        return Judgement(tuple(answers))

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row."""
        return (await self.ask(rows)).verdicts

    async def close(self) -> None:
        """Leave the worker, which others use, as it is."""


class NamedJudge:
    """A judge whose identity is worked out once: it is wanted with every row. It is not closed over a question."""

    def __init__(self, judge: "CachedJudge") -> None:
        """Take the judge."""
        self.identity = judge.identity
        self.reads_file = judge.reads_file
        self._judge = judge
        self._questions = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        """Answer rows as the judge does."""
        self._questions += 1
        self._idle.clear()
        try:
            return await self._judge.ask(rows, heard)
        finally:
            self._questions -= 1
            if not self._questions:
                self._idle.set()

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row."""
        return (await self.ask(rows)).verdicts

    async def rest(self) -> None:
        """Wait until all that was heard by now is written."""
        await self._judge.rest()

    async def close(self) -> None:
        """Close the judge once the questions that are under way have ended: they paid for their answers."""
        await self._idle.wait()
        await self._judge.close()


def _keep(answers: list[Judged | None], low: int, heard: Heard | None, part: Mapping[str, Any]) -> None:
    """Take a part of the worker's answer; one that comes again, after the worker was lost, is the same."""
    index = low + part["index"]
    judged = answers[index] = Judged(verdict_from_data(part["verdict"]), time.time())
    if heard is not None:
        heard(index, judged)


def data_of(rows: Sequence[Row]) -> tuple[list[dict[str, Any]], list[Sequence[str]]]:
    """Give rows as plain data, and the files that they cite, each once."""
    data = [row_to_data(row, with_file=False) for row in rows]
    numbers: dict[str, int] = {}
    files: list[Sequence[str]] = []
    for row, made in zip(rows, data, strict=True):
        if row.file is not None:
            number = numbers.setdefault(row.file_sha256, len(files))
            if number == len(files):
                files.append(row.file)
            made["file"] = number
    return data, files


class Judges:
    """The judges of a session, each made when it is first needed, one for all documents whose settings mean the same.

    `trusted`: whether the client trusts the workspace. `secrets`: keys by the host they are for.
    """

    def __init__(self, worker: Worker, *, trusted: bool, secrets: Mapping[str, str] | None = None) -> None:
        """Take the worker of the embedded judge."""
        self.local = WorkerJudge(worker)
        self._trusted = trusted
        self._secrets = dict(secrets or {})
        self._made: dict[str, NamedJudge] = {}
        self._verdicts: dict[tuple[str, int, str], Verdicts] = {}
        self._shared: dict[str, SharedCache] = {}
        self._loaded = False
        self.closing = Closing(log, "a judge")

    async def load(self, settings: "Settings") -> None:
        """Load, in a thread, what a judge is made of: a tenth of a second that nobody is kept waiting for."""
        if not leaves(settings):
            return
        if settings.cache.url is not None:  # it connects while the rest is loaded
            await asyncio.to_thread(import_module, "cite_lsp.store.shared")
            self.shared(settings)
        if not self._loaded:
            await asyncio.to_thread(_load)
            self._loaded = True

    def of(self, settings: "Settings") -> "AskingJudge":
        """Give the judge that the settings mean.

        Raises:
            NoJudge: It may not be asked here, or cannot be made.
        """
        if not leaves(settings):
            return self.local
        why = self.why_untrusted(settings)
        if why:
            raise NoJudge(why)
        key = _key_of(settings)
        if key not in self._made:
            self._made[key] = self._make(settings)
        return self._made[key]

    def why_untrusted(self, settings: "Settings") -> str:
        """Say why nothing is sent anywhere under settings, a sentence without a full stop; "" where it may be."""
        if self._trusted and settings.server.trusted:
            return ""
        return f"this workspace is not trusted, so the judge {settings.judge.name} is not asked and nothing is sent"

    def title(self, settings: "Settings") -> str:
        """Give the identity of the judge that the settings mean, or its name as long as it was not needed."""
        if not leaves(settings):
            return self.local.identity
        made = self._made.get(_key_of(settings))
        name, model = settings.judge.name, settings.judge.model
        return made.identity if made is not None else f"{name} {model}" if model else name

    def close_others(self, wanted: "Iterable[Settings]") -> None:
        """Close the judges that none of these settings mean."""
        wanted = list(wanted)
        kept = {_key_of(settings) for settings in wanted if leaves(settings)}
        for key in [key for key in self._made if key not in kept]:
            self.closing.begin(self._made.pop(key).close())
        urls = {settings.cache.url for settings in wanted}
        for url in [url for url in self._shared if url not in urls]:
            self.closing.begin(asyncio.to_thread(self._shared.pop(url).close))
            self._verdicts = {key: store for key, store in self._verdicts.items() if key[-1] != url}

    def close(self) -> None:
        """Close all, without waiting; the process may end before they have."""
        judges, caches = list(self._made.values()), list(self._shared.values())
        self._made, self._shared = {}, {}
        if judges or caches:
            self.closing.begin(_closed(judges, caches))

    async def rest(self) -> None:
        """Wait until all that was heard is written; questions that are under way go on."""
        await asyncio.gather(*(judge.rest() for judge in self._made.values()))

    def verdicts(self, settings: "Settings") -> "Verdicts":
        """Give the store of the settings' cache, where what was said is kept."""
        from cite_lsp.store import Verdicts  # noqa: PLC0415 - the embedded judge needs no store

        cache, shared = settings.cache, self.shared(settings)
        key = cache.folder, cache.max_rows, cache.url if shared is not None and cache.url else ""
        if key not in self._verdicts:
            self._verdicts[key] = Verdicts(cache.folder, max_rows=cache.max_rows, shared=shared)
        return self._verdicts[key]

    def shared(self, settings: "Settings") -> "SharedCache | None":
        """Give the cache that the settings share with others, to which it connects meanwhile.

        None where they name none, or where the workspace is not trusted.
        """
        url = settings.cache.url
        if url is None or not (self._trusted and settings.server.trusted):
            return None
        if url not in self._shared:
            from cite_lsp.store.shared import EDITOR_SECONDS, SharedCache  # noqa: PLC0415 - few share a cache

            made = SharedCache.of(settings.cache, secrets=self._secrets, patience=EDITOR_SECONDS)
            if made is None:
                return None
            made.begin()
            self._shared[url] = made
        return self._shared[url]

    @property
    def shared_message(self) -> str:
        """What a person should be told of shared caches, a sentence without a full stop; "" while all is well."""
        return next((each.message for each in self._shared.values() if each.message), "")

    @property
    def messages(self) -> list[str]:
        """What a person should be told about the caches that are open, sentences without a full stop."""
        return [store.message for store in self._verdicts.values() if store.message]

    def _make(self, settings: "Settings") -> NamedJudge:
        from cite_lsp.judges.cached import BookedLedger, CachedJudge  # noqa: PLC0415 - they are heavy, and rarely used
        from cite_lsp.judges.making import Unavailable, make_judge  # noqa: PLC0415

        verdicts = self.verdicts(settings)
        ledger = BookedLedger(verdicts, settings.judge.limits)
        try:
            judge = make_judge(settings.judge, settings.audit, secrets=self._secrets, ledger=ledger)
        except Unavailable as error:
            raise NoJudge(str(error)) from error
        log.info("the judge %s is made", judge.identity)
        return NamedJudge(CachedJudge(judge, verdicts))


async def _closed(judges: "Iterable[NamedJudge]", caches: "Iterable[SharedCache]") -> None:
    """Close judges, and then what they share their verdicts in."""
    await asyncio.gather(*(judge.close() for judge in judges))
    await asyncio.gather(*(asyncio.to_thread(cache.close) for cache in caches))


def _load() -> None:
    for name in _HEAVY:
        import_module(name)


def leaves(settings: "Settings") -> bool:
    """Say whether the judge of the settings is asked outside this process and its worker."""
    return settings.judge.name != "embedded"


def _key_of(settings: "Settings") -> str:
    judge = settings.judge.model_dump_json(exclude=set(_ABOUT_WHEN))
    return f"{judge}\n{settings.audit.model_dump_json()}\n{settings.cache.model_dump_json()}"
