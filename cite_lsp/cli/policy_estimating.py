"""What a run of policies would take: told before it is made, and by `--estimate` in its place."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.text import Text

from cite_lsp.cli.counting import counting
from cite_lsp.cli.formats.as_text import visible
from cite_lsp.cli.judging import DONE, UNFINISHED, errors_of
from cite_lsp.cli.policy_account import Unchecked, counted
from cite_lsp.judges.policies import NO_INPUT
from cite_lsp.policy.estimating import estimate

if TYPE_CHECKING:
    from cite_lsp.cli.policy_asked import Job, Subject
    from cite_lsp.cli.policy_asking import Asking


@dataclass(slots=True)
class Needed:
    """What a run would take, of all documents and policies together.

    Attributes:
        documents: Those that would be asked about.
        policies: Those that would be asked.
        passages: How many passages they have; a document counts once for each policy.
        asked: How many would be asked about.
        known: How many have an answer from before.
        kept_back: How many stay on this machine, unasked.
        screen_requests: How many requests would be sent, if none is too large and none is asked again.
        judge_requests: How many more there would be at most, about what is found.
        tokens_in: About how many tokens the former have.
        cost: Of the former, in the unit of `judge.est_cost`; None where none is declared.
        judges: Who would be asked.
        not_asked: Why nothing can be asked, and of how many documents that is so.
    """

    documents: set[str] = field(default_factory=set)
    policies: set[str] = field(default_factory=set)
    passages: int = 0
    asked: int = 0
    known: int = 0
    kept_back: int = 0
    screen_requests: int = 0
    judge_requests: int = 0
    tokens_in: int = 0
    cost: float | None = None
    judges: dict[str, None] = field(default_factory=dict)
    not_asked: dict[str, int] = field(default_factory=dict)


def announce(asking: "Asking", jobs: "Sequence[Job]") -> None:
    """Work out what a run will take, and say so on standard error."""
    needed = _needed(asking, jobs)
    asking.account.estimated = needed.screen_requests
    asking.account.planned = needed.asked + needed.known
    if asking.wishes.quiet or not needed.screen_requests:
        return
    more = f", and at most {needed.judge_requests:,} more about what is found" if needed.judge_requests else ""
    known = f" ({needed.known:,} more are known from before)" if needed.known else ""
    line = (
        f"asking about {counted(needed.asked, 'passage')}{known} of {counted(len(needed.documents), 'document')}: "
        f"{counted(needed.screen_requests, 'request')}{more}; about {needed.tokens_in:,} tokens in"
    )
    errors_of(asking.console).print(Text(f"cite-lsp: {line}"), highlight=False)


def tell_estimate(asking: "Asking", jobs: "Sequence[Job]") -> int:
    """Print what a run would take; give the exit status."""
    needed = _needed(asking, jobs)
    if asking.wishes.json:
        from cite_lsp.cli.formats.policy_json import write_data, wrong_data  # noqa: PLC0415

        write_data({**wrong_data(asking.run, ()), "estimate": _as_data(needed), "notes": list(asking.notes)})
    else:
        for note in asking.notes:
            asking.console.print(Text.assemble(("note: ", "bold"), visible(note)), highlight=False)
        for line in _lines(needed):
            asking.console.print(Text(visible(line)), highlight=False)
    sys.stdout.flush()
    return UNFINISHED if needed.not_asked else DONE


def _needed(asking: "Asking", jobs: "Sequence[Job]") -> Needed:
    needed = Needed()
    with counting(asking.console, "planning", len(jobs), quiet=asking.wishes.quiet) as bar:
        for job in jobs:
            subject = asking.subject(job)
            if isinstance(subject, Unchecked):
                needed.not_asked[subject.why] = needed.not_asked.get(subject.why, 0) + 1
            elif subject is not None:
                _add(needed, asking, subject)
            bar.advance()
    return needed


def _add(needed: Needed, asking: "Asking", subject: "Subject") -> None:
    planned = subject.plan
    needed.documents.add(subject.document.path)
    needed.policies.add(planned.file.name)
    needed.passages += len(planned.pieces)
    why, wished = asking.why_not(subject)
    if any(each.why == NO_INPUT for each in planned.withheld):
        why, wished = NO_INPUT, False
    if why:
        needed.kept_back += len(planned.pieces)
        if not wished:
            needed.not_asked[why] = needed.not_asked.get(why, 0) + 1
        return
    memory = asking.clients.memory(subject.settings)
    found = estimate(planned.source, planned.file.policy, asking.options(planned.file), memory)
    needed.judges[asking.clients.of(subject.settings).identity] = None
    needed.asked += found.passages
    needed.known += len(planned.source.passages) - found.passages
    needed.kept_back += len(planned.withheld)
    needed.screen_requests += found.screen_requests
    needed.judge_requests += found.judge_requests_at_most
    needed.tokens_in += found.tokens_in
    cost = asking.clients.booking(subject.settings).cost
    if cost is not None:
        needed.cost = (needed.cost or 0.0) + cost * found.screen_requests


def _as_data(needed: Needed) -> dict[str, Any]:
    names = ("passages", "asked", "known", "kept_back", "screen_requests", "judge_requests", "tokens_in", "cost")
    return {
        "judges": list(needed.judges),
        "documents": len(needed.documents),
        "policies": len(needed.policies),
        **{name: getattr(needed, name) for name in names},
        "not_asked": [{"why": why, "documents": count} for why, count in needed.not_asked.items()],
    }


def _lines(needed: Needed) -> Iterator[str]:
    for identity in needed.judges:
        yield f"judge: {identity}"
    yield ", ".join([
        counted(len(needed.documents), "document"),
        counted(len(needed.policies), "policy", "policies"),
        counted(needed.passages, "passage"),
    ])  # fmt: skip
    for why, count in needed.not_asked.items():
        yield f"not checked, {counted(count, 'document')}: {why}"
    besides = [f"{needed.known:,} known already" if needed.known else ""]
    besides.append(f"{needed.kept_back:,} stay on this machine" if needed.kept_back else "")
    more = ", ".join(filter(None, besides))
    yield f"to be asked: {counted(needed.asked, 'passage')}" + (f" ({more})" if more else "")
    if needed.judges:
        yield (
            f"{counted(needed.screen_requests, 'request')}, about {needed.tokens_in:,} tokens in; at most "
            f"{needed.judge_requests:,} more about what is found; what is asked again comes on top"
        )
        cost = "not known: judge.est_cost is not declared" if needed.cost is None else f"{needed.cost:g}"
        yield f"cost: {cost}"
    yield "nothing was sent"
