"""What an audit came to, in numbers and in one word (audit.md, Meta)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from cite_lsp.audit.judgement import Judgement
from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.selecting import AuditRow
from cite_lsp.audit.verdicts import LABELS, Label, Verdict

Outcome = Literal["not-judged", "findings", "accepted", "partial", "review", "vacuous", "clean"]

OUTCOMES: tuple[Outcome, ...] = ("not-judged", "findings", "accepted", "partial", "review", "vacuous", "clean")
"""The first that applies is a document's word."""

DECLINED = "declined"
"""The cause of a trouble that the limits of the user brought about: nobody failed."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How many rows have which verdict, in the order of `LABELS`; `sampled` is all of them."""

    sampled: int = 0
    supported: int = 0
    partial: int = 0
    unsupported: int = 0
    review: int = 0
    unchecked: int = 0

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> "Tally":
        """Count verdicts."""
        labels = Counter(verdict.label for verdict in verdicts)
        return cls(labels.total(), *[labels[label] for label in LABELS])


@dataclass(frozen=True, slots=True)
class Meta:
    """The numbers of an audit.

    Attributes:
        sampled: Rows of the audit; supported, partial, unsupported, review and unchecked add up to it.
        unsupported: Those among them that needed no judge included.
        unresolved: Rows that are unsupported because the citation leads to no lines. It has a finding of its own.
        per_section: The same counts by the section's heading, "" for what stands before the first.
        judge_invoked: Whether a judge was asked.
        judge_failed: Whether rows have no verdict because somebody failed.
        judge_declined: Whether rows have no verdict because the user's limits admitted no request.
        audited_hash: The document's (`audited_hash`).
        sample_per_section, max_sampled: As the options say, in a census too.
        resolver_version, audit_scope: As the options say.
        passes: 2 where a round of repair was followed by another audit.
        first_pass_findings: Rows that were carried into that round; None where there was none.
        citation_repair_rounds: Rounds of repair.
        cached: Verdicts that were known from before.
        requests, tokens_in, tokens_out: What asking took.
        cost: In the unit of `est_cost`; None where none is declared.
        seconds: How long the audit took.
    """

    sampled: int
    supported: int
    partial: int
    unsupported: int
    unresolved: int
    per_section: Mapping[str, Tally]
    judge_invoked: bool
    judge_failed: bool
    judge_declined: bool
    audited_hash: str
    sample_per_section: int
    max_sampled: int
    resolver_version: int
    audit_scope: str
    passes: int = 1
    first_pass_findings: int | None = None
    citation_repair_rounds: int = 0
    review: int = 0
    unchecked: int = 0
    cached: int = 0
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    seconds: float = field(default=0.0, compare=False)

    def to_data(self) -> dict[str, Any]:
        """Give it as maps, texts and numbers, under the names of its attributes."""
        return asdict(self)


def meta_of(
    rows: Sequence[AuditRow],
    verdicts: Sequence[Verdict],
    judgement: Judgement,
    options: AuditOptions,
    document_hash: str,
    *,
    invoked: bool,
    seconds: float = 0.0,
) -> Meta:
    """Count what an audit came to.

    Args:
        rows: Of the audit.
        verdicts: One a row.
        judgement: Of the rows that were to be judged.
        options: Those of the audit.
        document_hash: The audited document's.
        invoked: Whether the judge was asked.
        seconds: How long it took.
    """
    by_section: dict[str, list[Verdict]] = {}
    for row, verdict in zip(rows, verdicts, strict=True):
        by_section.setdefault(row.section, []).append(verdict)
    declined = judgement.declined or any(trouble.cause == DECLINED for trouble in judgement.troubles)
    unanswered = any(answer is None for answer in judgement.answers)
    failed = any(trouble.cause != DECLINED for trouble in judgement.troubles) or (unanswered and not declined)
    usage = judgement.usage
    counts = Tally.of(verdicts)
    return Meta(
        sampled=counts.sampled,
        supported=counts.supported,
        partial=counts.partial,
        unsupported=counts.unsupported,
        review=counts.review,
        unchecked=counts.unchecked,
        unresolved=sum(row.mechanical for row in rows),
        per_section={marker: Tally.of(those) for marker, those in by_section.items()},
        judge_invoked=invoked and not judgement.declined,
        judge_failed=failed,
        judge_declined=declined,
        audited_hash=document_hash,
        sample_per_section=options.sample_per_section,
        max_sampled=options.max_sampled,
        resolver_version=options.resolver,
        audit_scope=options.scope,
        cached=sum(answer is not None and answer.cached for answer in judgement.answers),
        requests=usage.requests,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost=usage.cost,
        seconds=seconds,
    )


def outcome(meta: Meta, accepted: Iterable[Label] = ()) -> Outcome:
    """Give the one word for a document: the first that applies.

    `not-judged`: rows have no verdict because the judge failed or was declined, or nobody could say anything of any
    row. `findings`: a citation is unsupported, and that is not accepted. `accepted`: it is. `partial`: the lines carry
    a part of a claim, or the audit carries a part of the rows: some are unchecked, which is never good. `review`: a
    person is asked. `vacuous`: no citation at all. `clean`: every row is supported.

    Args:
        meta: Of the audit.
        accepted: The labels of the verdicts that the team lets stand, one for each.
    """
    allowed = Counter(accepted)
    judged = meta.sampled - meta.unchecked
    if meta.judge_failed or meta.judge_declined or (meta.sampled and not judged):
        return "not-judged"
    if meta.unsupported > allowed["unsupported"]:
        return "findings"
    if allowed.total():
        return "accepted"
    if meta.partial or meta.unchecked:
        return "partial"
    if meta.review:
        return "review"
    return "clean" if meta.sampled else "vacuous"
