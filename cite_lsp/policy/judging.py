"""The second round: what was gathered is judged together, one request a finding (reference-policy.md, 1.7)."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cite_lsp.policy.answers import lacking
from cite_lsp.policy.asking import Request
from cite_lsp.policy.calling import Heard
from cite_lsp.policy.desk import Desk
from cite_lsp.policy.gather import Gathered, asked_checks
from cite_lsp.policy.hashes import digest
from cite_lsp.policy.language import Policy
from cite_lsp.policy.options import RunOptions
from cite_lsp.policy.passages import Passage, Source, is_json
from cite_lsp.policy.report import Finding, Unanswered
from cite_lsp.policy.ruling import Ruling
from cite_lsp.policy.slots import in_slots
from cite_lsp.policy.wording import described, yes_no

_KEY_DIGITS = 32
_FEW = 100
"""Passages whose request takes the loop no longer than other turns do."""


@dataclass(frozen=True, slots=True)
class JudgedRound:
    """What the second round came to, each in the order of the policy's concerns."""

    findings: tuple[Finding, ...] = ()
    errors: tuple[Unanswered, ...] = ()
    models: tuple[str, ...] = ()


def judge_request(source: Source, policy: Policy, gathered: Gathered, names: Mapping[str, str]) -> Request:
    """Make the request of what was gathered.

    Args:
        source: Of the passages.
        policy: Whose scores and choices are asked too.
        gathered: The passages.
        names: What each is called in the request, by its id.
    """
    return (
        _built_request(source, policy, gathered, names)
        if gathered.roles
        else _direct_request(source, policy, gathered, names)
    )


def _direct_request(source: Source, policy: Policy, gathered: Gathered, names: Mapping[str, str]) -> Request:
    concern = gathered.concern
    asks = concern.confirm or concern.detect
    assert asks is not None  # noqa: S101 - a policy is checked: no roles, so a detect
    called = [names[each.id] for each in gathered.passages]
    paths = {name: f"{source.as_}.{name}.text" for name in called}
    return {
        "state": {source.as_: {names[each.id]: _shown(source, each, names) for each in gathered.passages}},
        "questions": {
            **{f"confirm:{name}": yes_no(asks, {"passage": path}) for name, path in paths.items()},
            **{each.name: described(each, [*paths.values()]) for each in policy.descriptors},
        },
    }


def _built_request(source: Source, policy: Policy, gathered: Gathered, names: Mapping[str, str]) -> Request:
    paths = {role: f"{role}.text" for role in gathered.roles}
    return {
        "state": {role: _shown(source, passage, names) for role, passage in gathered.roles.items()},
        "questions": {
            **{check.name: yes_no(check.asks, paths) for check in asked_checks(gathered)},
            **{each.name: described(each, [*paths.values()]) for each in policy.descriptors},
        },
    }


def _shown(source: Source, passage: Passage, names: Mapping[str, str]) -> dict[str, Any]:
    return {**source.shown(passage), "id": names[passage.id]}


@dataclass(frozen=True, slots=True)
class _Case:
    """One request of the round: what it asks about, what of it may be kept, and under which key."""

    number: int
    gathered: Gathered
    names: Mapping[str, str]
    ordinals: Mapping[str, str]

    @classmethod
    def of(cls, number: int, gathered: Gathered) -> "_Case":
        ids = [each.id for each in gathered.passages]
        return cls(number, gathered, {each: each for each in ids}, {each: str(place) for place, each in enumerate(ids)})

    def kept_key_of(self, key: str) -> str:
        """Give the key of a question where passages are called by their ordinals."""
        return f"confirm:{self.ordinals[key[8:]]}" if key.startswith("confirm:") else key


class JudgingRound:
    """One second round; `run` is called once."""

    def __init__(self, source: Source, policy: Policy, options: RunOptions, ruling: Ruling, desk: Desk) -> None:
        """Take what is asked about, what is asked, how, who decides, and where requests go out."""
        self._source = source
        self._policy = policy
        self._options = options
        self._ruling = ruling
        self._desk = desk
        self._heard: dict[int, Heard] = {}

    async def run(self, gathered: Iterable[Gathered]) -> JudgedRound:
        """Ask about each of what was gathered."""
        cases = [_Case.of(number, each) for number, each in enumerate(gathered)]
        self._desk.begin("judge", len(cases), sum(len(each.gathered.passages) for each in cases))
        await self._ask(cases)
        for _ in range(self._options.retries):
            again = [each for each in cases if each.number in self._heard and self._may_pass(each)]
            self._desk.more(len(again))
            await self._ask(again)
        return self._judged(cases)

    def _may_pass(self, case: _Case) -> bool:
        heard = self._heard[case.number]
        return heard.answers is None and self._desk.may_pass(heard.reason)

    async def _ask(self, cases: Iterable[_Case]) -> None:
        await in_slots(cases, self._ask_case, self._options.concurrency, self._desk.stop)

    async def _ask_case(self, case: _Case) -> None:
        first = self._heard.pop(case.number, None) is None
        request, key = await self._made(case)
        heard = await self._recalled(case, request, key) if first else None
        fresh = heard is None
        if heard is None:
            heard = await self._desk.ask(request)
        self._heard[case.number] = heard
        self._desk.done(len(case.gathered.passages) if first else 0)
        if fresh and heard.answers is not None:
            await self._keep(case, key, heard.answers)

    async def _made(self, case: _Case) -> tuple[Request, str]:
        """Make the request of a case, and its key; one about many passages in a thread, as others use the loop too."""

        def make() -> tuple[Request, str]:
            request = judge_request(self._source, self._policy, case.gathered, case.names)
            return request, "" if self._desk.memory is None else self._key(case)

        return make() if len(case.gathered.passages) <= _FEW else await asyncio.to_thread(make)

    # --- what is known from before

    def _key(self, case: _Case) -> str:
        return digest(judge_request(self._source, self._policy, case.gathered, case.ordinals), _KEY_DIGITS)

    async def _recalled(self, case: _Case, request: Request, key: str) -> Heard | None:
        if self._desk.memory is None:
            return None
        value = await self._desk.recall(key)
        kept = value.get("answers") if value is not None else None
        if not isinstance(kept, Mapping):
            return None
        asked = {key: (question, case.kept_key_of(key)) for key, question in request["questions"].items()}
        answers = {key: kept[kept_key] for key, (_, kept_key) in asked.items() if kept_key in kept}
        if lacking(request["questions"], answers) is not None:
            return None
        self._desk.recalled += 1
        return Heard(answers)

    async def _keep(self, case: _Case, key: str, answers: Mapping[str, Any]) -> None:
        if self._desk.memory is None:
            return
        kept = {case.kept_key_of(key): answer for key, answer in answers.items()}
        if is_json(kept):
            await self._desk.keep({key: {"answers": kept}})

    # --- what it came to

    def _judged(self, cases: Iterable[_Case]) -> JudgedRound:
        findings: list[Finding] = []
        errors: list[Unanswered] = []
        models: list[str] = []
        for case in cases:
            heard, gathered = self._heard.get(case.number), case.gathered
            ids = [each.id for each in gathered.passages]
            if heard is None:
                errors.append(self._desk.stopped(gathered.concern.name, ids))
            elif heard.answers is None:
                errors.append(Unanswered(gathered.concern.name, tuple(ids), heard.reason, heard.message))
            else:
                findings.append(self._ruling.finding(self._policy, gathered, heard.answers))
                models += [heard.model] if heard.model else []
        return JudgedRound(tuple(findings), tuple(errors), tuple(models))
