"""A policy is asked about a source: both rounds, and what they come to."""

import asyncio

from cite_lsp.policy.asking import Client
from cite_lsp.policy.desk import Desk
from cite_lsp.policy.gather import gather
from cite_lsp.policy.hashes import labelled
from cite_lsp.policy.judging import JudgingRound
from cite_lsp.policy.language import Policy
from cite_lsp.policy.memory import Memory
from cite_lsp.policy.options import Band, Bands, RunOptions, check_bands
from cite_lsp.policy.passages import Source
from cite_lsp.policy.progress import Progressed, Stop
from cite_lsp.policy.report import Report
from cite_lsp.policy.ruling import Ruling
from cite_lsp.policy.screen import Screening


async def judge(  # noqa: PLR0913 - each option by its name
    client: Client,
    source: Source,
    policy: Policy,
    *,
    threshold: float = 0.5,
    review_band: Band = (0.4, 0.6),
    window: int = 40,
    concurrency: int = 4,
    overlap: int = 0,
    strict_threshold: bool = False,
    retries: int = 0,
    deadline: float | None = None,
    bands: Bands | None = None,
    memory: Memory | None = None,
    progress: Progressed | None = None,
) -> Report:
    """Ask a client what a policy asks, about each passage of a source.

    Args:
        client: Answers requests: what `cite_lsp.decision_client(…)` makes, or any callable, sync (it runs in threads)
            or async, from a request to a reply.
        source: The passages.
        policy: The questions.
        threshold: 0 to 1; a passage matches a question whose probability is greater.
        review_band: Low and high: up to low is no, from high on is yes, in between a person should look.
        window: How many passages a request of the first round holds.
        concurrency: How many requests are under way at once; the report is the same at any number.
        overlap: How many passages of the window before a window carries, as neighbours that are not asked about.
        strict_threshold: Whether a passage below the threshold counts as no where it is inside the band.
        retries: How often a request is asked again that failed for a reason that may pass.
        deadline: Seconds that the whole run may take; what is not answered then is an error, and nothing is raised.
        bands: Bands of single questions, by label, in place of `review_band`.
        memory: What was answered before.
        progress: Is told how far the run is.

    Returns:
        What was found, and what was not checked.

    Raises:
        OptionsError: An option or a band is none; nothing was asked.
        TypeError: The client, the source or the policy is none; nothing was asked.
        ContractError: The client gave what is no reply.
        Exception: What the client raised, `ClientError` apart.
    """
    options = RunOptions(threshold, review_band, window, concurrency, overlap, strict_threshold, retries, deadline)
    return await run(client, source, policy, options, bands=bands, memory=memory, progress=progress)


async def run(
    client: Client,
    source: Source,
    policy: Policy,
    options: RunOptions,
    *,
    bands: Bands | None = None,
    memory: Memory | None = None,
    progress: Progressed | None = None,
    stop: Stop | None = None,
) -> Report:
    """Do what `judge` does, by options in one piece, and with a way to end it early.

    `stop` ends it as its deadline does: what was answered until then is in the report.
    """
    _check_kinds(client, source, policy)
    options.check()
    check_bands({} if bands is None else bands, labelled(policy))
    stop = stop or Stop()
    desk = Desk(client, memory, stop, progress)
    timer = None
    if options.deadline is not None:
        message = f"the run came to its deadline of {options.deadline:g} seconds"
        timer = asyncio.get_running_loop().call_later(options.deadline, stop.end, "deadline", message)
    try:
        return await _both_rounds(source, policy, options, Ruling(options, bands), desk)
    finally:
        if timer is not None:
            timer.cancel()
        await desk.rest()


async def _both_rounds(source: Source, policy: Policy, options: RunOptions, ruling: Ruling, desk: Desk) -> Report:
    screened = await Screening(source, policy, options, desk).run()
    gathered = gather(source, screened.rows, policy, ruling)
    judged = await JudgingRound(source, policy, options, ruling, desk).run(gathered)
    return Report(
        findings=judged.findings,
        screen=screened.rows,
        errors=(*screened.errors, *judged.errors),
        usage=desk.usage,
        models=tuple(dict.fromkeys([*screened.models, *judged.models])),
        requests=desk.requests,
        recalled=desk.recalled,
        source=source,
    )


def _check_kinds(client: object, source: object, policy: object) -> None:
    if not callable(client):
        raise TypeError(f"the client is {type(client).__name__}; it has to be a callable from a request to a reply")
    if not isinstance(source, Source):
        raise TypeError(f"the source is {type(source).__name__}; make one with cite_lsp.policy.source(…)")
    if not isinstance(policy, Policy):
        raise TypeError(f"the policy is {type(policy).__name__}; it has to be a cite_lsp.policy.Policy")
