"""From what a judge says of a row to a verdict that can be held up: the checks that stand outside the judge."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cite_lsp.audit.verdicts import Evidence, Kind, Row, Verdict
from cite_lsp.judges.embedded import EmbeddedJudge
from cite_lsp.judges.orders import order_in
from cite_lsp.judges.quotes import find_quote
from cite_lsp.judges.replies import Entry
from cite_lsp.judges.shown_lines import ShownLine, said

NOT_THERE = "the judge quoted text that is not there"
NO_QUOTE = "the judge called it supported and quoted no line for it"
NO_MISSING = "the judge called it partial and did not say what is missing"

_CHECKS = EmbeddedJudge()


@dataclass(frozen=True, slots=True)
class Void:
    """An answer that cannot be used, and why."""

    why: str


def weigh(entry: Entry, lines: Sequence[ShownLine], judge: str) -> Verdict | Void:
    """Give the verdict that an answer stands for.

    A quote has to stand in the lines; *supported* needs one, *partial* has to say what is missing, and *contradicted*
    without a quote is only *off-topic*.

    Args:
        entry: The answer.
        lines: The lines as they were shown.
        judge: The identity of the judge.
    """
    evidence = find_quote(entry.quote, lines) if entry.quote.strip() else ()
    if entry.label == "cannot_tell":
        return _unchecked(f"the judge could not tell: {said(entry.reason) or 'it gave no reason'}", judge)
    if entry.quote.strip() and not evidence:
        return Void(NOT_THERE)
    if entry.label == "supported" and not evidence:
        return Void(NO_QUOTE)
    if entry.label == "partial" and not entry.missing.strip():
        return Void(NO_MISSING)
    return _verdict(entry, evidence, judge)


def _verdict(entry: Entry, evidence: tuple[Evidence, ...], judge: str) -> Verdict:
    quoted = f"the lines say “{said(' '.join(each.text for each in evidence), 200)}”" if evidence else ""
    reason = said(entry.reason)
    if entry.label == "supported":
        return Verdict("supported", None, reason or "The cited lines say so.", quoted, evidence, None, judge)
    if entry.label == "partial":
        missing = f"missing: {said(entry.missing, 200)}"
        basis = f"{quoted}; {missing}" if quoted else missing
        return Verdict("partial", None, reason or f"Only a part is carried; {missing}.", basis, evidence, None, judge)
    contradicted = entry.label != "unsupported_off_topic" and bool(evidence)
    kind: Kind = "contradicted" if contradicted else "off-topic"
    otherwise = "The cited lines say otherwise." if contradicted else "The cited lines do not say it."
    return Verdict("unsupported", kind, reason or otherwise, quoted or "no line bears on it", evidence, None, judge)


def named_conflict(row: Row) -> str:
    """Give what the embedded checks hold against a row, "" where nothing.

    They look at the excerpts only: a verdict must not change with the rest of the file (`reads_file`). That the lines
    hold none of the claim's words is no conflict: a model understands other words.
    """
    verdict = _CHECKS.judge_row(replace(row, file=None, file_sha256=""))
    return verdict.basis if verdict.kind == "contradicted" else ""


def guarded(verdict: Verdict, row: Row, conflict: str) -> Verdict:
    """Give a verdict as it may be shown: *supported* asks a person where a check or an order in the text is against it.

    Args:
        verdict: What the judge says.
        row: Of what.
        conflict: What `named_conflict` gave.
    """
    if verdict.label != "supported":
        return verdict
    order = order_in(row)
    if order:
        told = f"the text holds what reads like an order to a judge (“{said(order, 80)}”)"
        return replace(
            verdict, label="review", reason=f"Look here: {told}. The judge said: {verdict.reason}", basis=told
        )
    if conflict:
        reason = f"Look here: {conflict}. The judge calls it supported: {verdict.reason}"
        return replace(verdict, label="review", reason=reason, basis=conflict)
    return verdict


def decided(first: Verdict, second: Verdict, conflict: str) -> Verdict:
    """Give the verdict of two answers to the same row: what both say, else a person is asked.

    Where the embedded checks name a conflict and the second answer is with them, two of three say so.
    """
    if first.label == second.label or (conflict and second.label == "unsupported"):
        return second
    return _review(
        first,
        f"The judge said {_in_words(first)} ({first.reason}) and, asked again, {_in_words(second)} ({second.reason})",
        (*first.evidence, *(each for each in second.evidence if each not in first.evidence)),
    )


def unconfirmed(first: Verdict, why: str) -> Verdict:
    """Give the verdict of one answer that was to be confirmed, where the second could not be used."""
    return _review(first, f"The judge said {_in_words(first)} ({first.reason}); asked again, {why}", first.evidence)


def unchecked(why: str, judge: str) -> Verdict:
    """Give the verdict of a row that nothing can be said of."""
    return _unchecked(why, judge)


def _unchecked(why: str, judge: str) -> Verdict:
    return Verdict("unchecked", reason=f"Not checked: {why.rstrip('.')}.", basis=why, judge=judge)


def _review(first: Verdict, reason: str, evidence: tuple[Evidence, ...]) -> Verdict:
    return Verdict("review", None, f"{reason.rstrip('.')}.", first.basis, evidence, None, first.judge)


def _in_words(verdict: Verdict) -> str:
    return "that it could not tell" if verdict.label == "unchecked" else verdict.label
