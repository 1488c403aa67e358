"""Judges by the names that settings give them, and what a question to one would take."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cite_lsp.audit.judgement import AskingJudge
from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.tokens import tokens_of
from cite_lsp.audit.verdicts import Row
from cite_lsp.clients.client import ClientError
from cite_lsp.config.settings import JudgeSettings, ModelSettings
from cite_lsp.judges.batches import batches, tokens_of_rows
from cite_lsp.judges.canary import canary
from cite_lsp.judges.options import Ledger, ModelOptions
from cite_lsp.judges.shown_lines import shown_lines, why_not_shown

if TYPE_CHECKING:
    from cite_lsp.clients.making import ClientOptions

_TOKENS_OUT = 70
_TOKENS_OF_ANSWER = 16
"""Of a decision model to one question, its key among them."""
_CONCURRENCY = 4


class Unavailable(Exception):  # noqa: N818  # the name says it
    """A judge that cannot be had.

    Attributes:
        message: A sentence without a full stop: which, why, and what to do.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class Estimate:
    """What asking about rows would take, what is asked again or in halves not counted.

    Attributes:
        rows: How many would be asked.
        requests: In how many requests.
        tokens_in: About how many tokens they would have.
        tokens_out: About how many their replies would have, without what a model thinks.
        cost: `est_cost` of each request; None where none is declared.
    """

    rows: int
    requests: int
    tokens_in: int
    tokens_out: int
    cost: float | None


def make_judge(
    settings: JudgeSettings,
    audit: AuditOptions,
    *,
    environment: Mapping[str, str] | None = None,
    secrets: Mapping[str, str] | None = None,
    ledger: Ledger | None = None,
) -> AskingJudge:
    """Make the judge that the settings name. Nothing is opened or asked.

    Args:
        settings: Who judges.
        audit: For `strict` and the guard of the output cap.
        environment: In place of the process's, for keys.
        secrets: Keys that the editor keeps, by the name that `clients.making.key_name` gives.
        ledger: Who keeps the limits of the day; None: there are none.

    Raises:
        Unavailable: There is no such judge, or the settings lack what it needs.
    """
    if settings.name == "embedded":
        from cite_lsp.judges.local import LocalJudge  # noqa: PLC0415 - the others have no use for its rules

        return LocalJudge()
    options = model_options(settings, audit)
    if settings.name == "command":
        return _program(settings, options, ledger)
    # loaded when such a judge is made: the others have no use for clients
    from cite_lsp.clients.making import make_client, make_decision_client  # noqa: PLC0415

    told = client_options(settings)
    if settings.name == "decision":
        from cite_lsp.judges.decision import DecisionJudge  # noqa: PLC0415

        decider = make_decision_client("decision", told, environment=environment, secrets=secrets)
        return DecisionJudge(decider, options, ledger)
    from cite_lsp.judges.model import ModelJudge  # noqa: PLC0415

    client = make_client(settings.name, told, environment=environment, secrets=secrets)
    return ModelJudge(client, options, ledger)


def client_options(settings: ModelSettings, role: str = "judge") -> "ClientOptions":
    """Give how a client asks, from what is set; `role` is what messages call whom it asks."""
    from cite_lsp.clients.making import ClientOptions  # noqa: PLC0415 - loaded when such a judge is made

    return ClientOptions(
        model=settings.model,
        base_url=settings.base_url,
        api_key_env=settings.api_key_env,
        headers=settings.headers,
        effort=settings.effort,
        timeout=settings.limits.timeout,
        concurrency=settings.limits.concurrency,
        role=role,
    )


def model_options(settings: JudgeSettings, audit: AuditOptions) -> ModelOptions:
    """Give how a judge asks, from what is set."""
    limits = settings.limits
    return ModelOptions(
        name=settings.name,
        model=settings.model or "",
        batch=settings.batch,
        max_turns=limits.max_turns,
        max_output_tokens_per_turn=limits.max_output_tokens_per_turn,
        max_rows_per_request=limits.max_rows_per_request,
        concurrency=limits.concurrency or _at_once(settings),
        est_cost=settings.est_cost,
        effort=settings.effort,
        guard=audit.judge_output_cap_guard,
        strict=audit.strict,
    )


def estimate(rows: Sequence[Row], options: ModelOptions) -> Estimate:
    """Give what asking about rows would take; nothing is asked."""
    wanted = [index for index, row in enumerate(rows) if not why_not_shown(row, shown_lines(row))]
    if options.name == "embedded" or not wanted:
        return Estimate(len(wanted), 0, 0, 0, None)
    if options.name == "command":
        return Estimate(len(wanted), 1, 0, 0, options.est_cost)
    if options.name == "decision":
        return _decisions([rows[index] for index in wanted], options)
    requests = batches(rows, wanted, options)
    tokens_in = sum(tokens_of_rows([*(rows[index] for index in indexes), canary()]) for indexes in requests)
    tokens_out = _TOKENS_OUT * (len(wanted) + len(requests))
    cost = None if options.est_cost is None else options.est_cost * len(requests)
    return Estimate(len(wanted), len(requests), tokens_in, tokens_out, cost)


def _decisions(rows: Sequence[Row], options: ModelOptions) -> Estimate:
    """Two requests a row, none of them too large, and a short answer to each question."""
    from cite_lsp.judges.sides import Sides, why_not_asked  # noqa: PLC0415

    put = [Sides.of(row) for row in rows if not why_not_asked(row)]
    requests = [request for sides in put for request in (sides.claim_request, sides.lines_request(sides.asked))]
    tokens_in = sum(tokens_of(json.dumps(each, ensure_ascii=False)) for each in requests)
    tokens_out = _TOKENS_OF_ANSWER * sum(len(each["questions"]) for each in requests)
    cost = None if options.est_cost is None else options.est_cost * len(requests)
    return Estimate(len(put), len(requests), tokens_in, tokens_out, cost)


def _program(settings: JudgeSettings, options: ModelOptions, ledger: Ledger | None) -> AskingJudge:
    from cite_lsp.judges.command import CommandJudge, Program  # noqa: PLC0415

    if not settings.command:
        raise Unavailable('the judge "command" needs judge.command: the program and its arguments')
    timeout = settings.limits.timeout
    program = Program(settings.command) if timeout is None else Program(settings.command, timeout)
    return CommandJudge(program, options, ledger)


def _at_once(settings: JudgeSettings) -> int:
    """How many requests run at a time where nothing is set: a chat model on this machine has no queue."""
    if settings.name == "decision":
        return _CONCURRENCY  # wherever it is, it reads texts at once that a chat model would write answers to
    from cite_lsp.clients.address import Address  # noqa: PLC0415

    try:
        here = settings.name == "ollama" if settings.base_url is None else Address.parse(settings.base_url).loopback
    except ClientError:
        here = False
    return 1 if here else _CONCURRENCY
