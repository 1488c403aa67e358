"""Who judges the documents of a run: the judge of their settings, with what it said before, or the embedded one."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cite_lsp.audit.judgement import AskingJudge, Heard, Judged, Judgement
from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.cli.audited import Said
from cite_lsp.cli.run import Run, UsageError
from cite_lsp.config import JudgeSettings, Settings, load_settings
from cite_lsp.judges.embedded import EmbeddedJudge
from cite_lsp.judges.local import LocalJudge
from cite_lsp.worker.parser import Parser

if TYPE_CHECKING:
    from cite_lsp.cli.dask_cluster import DaskCluster
    from cite_lsp.judges.repairer import ModelRepairer
    from cite_lsp.store import Verdicts
    from cite_lsp.store.shared import SharedCache

_OF_ONE_JUDGE = ("model", "base_url", "api_key_env", "headers", "command", "effort", "est_cost")
"""What the settings say of the judge that they name, and of no other."""
_OF_ONE_ADDRESS = ("api_key_env", "headers")
_HOPELESS = frozenset(
    {"unauthorised", "no-key", "not-found", "redirect", "unreachable", "setting", "timeout", "cluster"}
)
"""What the next document would meet too."""


def leaves(settings: Settings) -> bool:
    """Say whether the judge of the settings is asked outside this process."""
    return settings.judge.name != "embedded"


@dataclass
class Judges:
    """The judges of a run, one for all documents whose settings mean the same."""

    run: Run
    command_line: Mapping[str, Any]
    cached: bool = True
    """Whether what was said before is looked up, and what is said is kept."""
    cluster: "DaskCluster | None" = None
    """Where judges are asked, if not here."""
    jobs: int = 1
    """Processes of the embedded judge."""
    _made: dict[str, AskingJudge] = field(default_factory=dict)
    _verdicts: "Verdicts | None" = None
    _shared: "SharedCache | None" = None
    _unset: Mapping[str, Any] | None = None
    _parser: Parser = field(default_factory=Parser)

    @cached_property
    def embedded(self) -> EmbeddedJudge:
        """The embedded judge, with the parser that the server's has: both say the same."""
        return EmbeddedJudge(self._parser)

    def settled(self, settings: Settings) -> Settings:
        """Give settings in which the judge is the one that is asked.

        Where the command line names another judge than the settings do, or another address, what they say of theirs
        is not used: a key goes to the address that it was meant for.
        """
        if self._unset is None:
            self._unset = dict(self._not_meant())
        if not self._unset:
            return settings
        return settings.model_copy(update={"judge": settings.judge.model_copy(update=self._unset)})

    def of(self, settings: Settings) -> AskingJudge:
        """Give the judge of a document's settings. Raises `UsageError` where it cannot be made."""
        settings = self.settled(settings)
        key = f"{settings.judge.model_dump_json(exclude={'run', 'exclude'})}\n{settings.audit.model_dump_json()}"
        if key not in self._made:
            self._made[key] = self._make(settings)
        return self._made[key]

    def repairer(self) -> "ModelRepairer | None":
        """Give the model that repairs under the settings at the root; None where they name none."""
        from cite_lsp.judges.cached import BookedLedger  # noqa: PLC0415
        from cite_lsp.judges.repairer import limits_of, make_repairer  # noqa: PLC0415

        settings = self.settled(self.run.settings)
        ledger = BookedLedger(self.store(), *limits_of(settings.repair, settings.judge))
        return make_repairer(settings.repair, settings.judge, ledger=ledger)

    def recall(self, settings: Settings, row: Row) -> Said | None:
        """Give the verdict on a row where nobody has to be asked; None where somebody would."""
        if not leaves(settings):
            return Said(self.embedded.judge_row(row), row)
        judge = self.of(settings)
        key = row.key(judge.identity, reads_file=judge.reads_file)
        judged = self.store().recall([key]).get(key)
        self.store().close()
        return None if judged is None else Said(judged.verdict, row, judged.at, cached=True)

    def known(self, settings: Settings, rows: Sequence[Row]) -> set[str]:
        """Give the keys of the rows that have an answer already; nobody is asked."""
        if not (self.cached and leaves(settings)):
            return set()
        judge = self.of(settings)
        return set(self.store().recall(row.key(judge.identity, reads_file=judge.reads_file) for row in rows))

    async def close(self) -> None:
        """End connections and programs, and wait until what was heard is kept."""
        for judge in self._made.values():
            await judge.close()
        if self.cluster is not None:
            await self.cluster.close()
        self._parser.close()
        if self._verdicts is not None:
            self._verdicts.close()
        if self._shared is not None:
            await asyncio.to_thread(self._shared.close)

    @property
    def message(self) -> str:
        """What a person should be told of the cache; "" while all is well."""
        return next((each.message for each in (self._verdicts, self._shared) if each is not None and each.message), "")

    @property
    def unset(self) -> Iterator[str]:
        """Give the rows of the settings that are not used since they are of another judge."""
        for name, value in (self._unset or {}).items():
            if getattr(self.run.settings.judge, name) != value:
                yield f"judge.{name}"

    def staying(self, settings: Settings, why: Callable[[Row], str]) -> AskingJudge:
        """Give the embedded judge of settings; what `why` names is judged in this process, whoever judges the rest."""
        judge = self.of(settings)
        if self.cluster is None:
            return judge
        from cite_lsp.judges.cluster import Staying  # noqa: PLC0415

        return Staying(judge, LocalJudge(self.embedded), self.cluster, why)

    def _make(self, settings: Settings) -> AskingJudge:
        if not leaves(settings):
            local = self._local()
            return local if self.cluster is None else GivingUp(self._elsewhere(self.cluster, local, settings))
        from cite_lsp.judges.cached import BookedLedger, CachedJudge  # noqa: PLC0415 - they are heavy
        from cite_lsp.judges.making import Unavailable, make_judge  # noqa: PLC0415

        try:
            ledger = BookedLedger(self.store(), settings.judge.limits)
            judge = make_judge(settings.judge, settings.audit, ledger=ledger)
        except Unavailable as error:
            raise UsageError(str(error)) from error
        judge = GivingUp(judge if self.cluster is None else self._elsewhere(self.cluster, judge, settings))
        return CachedJudge(judge, self.store()) if self.cached else judge

    def _local(self) -> AskingJudge:
        if self.jobs == 1 or self.cluster is not None:
            return LocalJudge(self.embedded)
        from cite_lsp.cli.judge_processes import JudgeProcesses  # noqa: PLC0415 - few runs are worth it

        return JudgeProcesses(self.jobs)

    def _elsewhere(self, cluster: "DaskCluster", judge: AskingJudge, settings: Settings) -> AskingJudge:
        """Give a judge that is asked on the cluster. Raises `UsageError` where a key would have to be sent."""
        from cite_lsp.judges.cached import BookedLedger  # noqa: PLC0415
        from cite_lsp.judges.cluster import ClusterJudge  # noqa: PLC0415
        from cite_lsp.judges.parcels import secrets_in  # noqa: PLC0415

        secret = secrets_in(settings.judge)
        if secret:
            raise UsageError(f"{secret} looks as if it held a key, and keys are not sent to a cluster: leave it out")
        ledger = BookedLedger(self.store(), settings.judge.limits)
        return ClusterJudge(cluster, judge, settings.judge, settings.audit, ledger)

    def store(self) -> "Verdicts":
        """Give what is kept of verdicts, and of what was spent today."""
        from cite_lsp.store import Verdicts  # noqa: PLC0415

        if self._verdicts is None:
            cache = self.run.settings.cache
            self._verdicts = Verdicts(cache.folder, max_rows=cache.max_rows, shared=self.shared())
        return self._verdicts

    def shared(self) -> "SharedCache | None":
        """Give the cache that the settings at the root share with others; None without one, or where none is used."""
        if self._shared is None and self.cached and self.run.settings.cache.url is not None:
            from cite_lsp.store.shared import SharedCache  # noqa: PLC0415 - few share a cache

            self._shared = SharedCache.of(self.run.settings.cache)
        return self._shared

    def _not_meant(self) -> Iterator[tuple[str, Any]]:
        """Give the rows that the settings say of another judge, or of another address, and their defaults."""
        if not {"judge.name", "judge.base_url"} & self.command_line.keys():
            return
        own, chosen = load_settings(self.run.root).settings.judge, self.run.settings.judge
        other_judge = own.name != chosen.name
        rows = _OF_ONE_JUDGE if other_judge else _OF_ONE_ADDRESS if own.base_url != chosen.base_url else ()
        for row in rows:
            source = self.run.gathering.loaded.sources.get(f"judge.{row}", "default")
            if source != "command line" and not source.startswith("environment"):
                yield row, JudgeSettings.model_fields[row].get_default(call_default_factory=True)


@dataclass(slots=True)
class GivingUp:
    """A judge that is not asked for further documents of a run once it answered nothing of one, for want of an answer.

    A server that hangs would be waited for as often as there are documents.

    Attributes:
        asked: Who is asked.
        lost: What a document met.
    """

    asked: AskingJudge
    lost: Judgement | None = None

    @property
    def identity(self) -> str:
        """That of the judge."""
        return self.asked.identity

    @property
    def reads_file(self) -> bool:
        """As the judge says."""
        return self.asked.reads_file

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        """Answer rows."""
        if self.lost is None:
            judgement = await self.asked.ask(rows, heard)
            hopeless = all(each.cause in _HOPELESS for each in judgement.troubles)
            if judgement.troubles and hopeless and not any(judgement.answers):
                self.lost = judgement
            return judgement
        troubles = tuple(replace(each, rows=len(rows)) for each in self.lost.troubles[:1])
        return Judgement((None,) * len(rows), troubles=troubles)

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row."""
        return (await self.ask(rows)).verdicts

    async def close(self) -> None:
        """End the judge's connections."""
        await self.asked.close()


@dataclass(frozen=True, slots=True)
class HoldingBack:
    """A judge that is not given some of the rows: they are *unchecked*, with the reason.

    Attributes:
        asked: Who is given the others.
        why: Says why a row is not given away, a clause; "" where it is.
        at: Seconds since the epoch.
    """

    asked: AskingJudge
    why: Callable[[Row], str]
    at: float

    @property
    def identity(self) -> str:
        """That of the judge."""
        return self.asked.identity

    @property
    def reads_file(self) -> bool:
        """As the judge says."""
        return self.asked.reads_file

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        """Answer rows."""
        reasons = [self.why(row) for row in rows]
        answers = [self._held_back(reason) if reason else None for reason in reasons]
        given = [index for index, reason in enumerate(reasons) if not reason]
        for index, answer in enumerate(answers):
            if answer is not None and heard is not None:
                heard(index, answer)
        if not given:
            return Judgement(tuple(answers))
        told = None if heard is None else lambda number, judged: heard(given[number], judged)
        judgement = await self.asked.ask([rows[index] for index in given], told)
        for index, answer in zip(given, judgement.answers, strict=True):
            answers[index] = answer
        return replace(judgement, answers=tuple(answers))

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row."""
        return (await self.ask(rows)).verdicts

    async def close(self) -> None:
        """Leave the judge, which others ask, as it is."""

    def _held_back(self, reason: str) -> Judged:
        return Judged(Verdict("unchecked", reason=f"Not checked: {reason}."), self.at)
