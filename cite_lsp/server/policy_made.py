"""From what a policy came to over a text to what is shown of it: findings with their places in that text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cite_lsp.findings.places import Places
from cite_lsp.server.policy_book import Found, Spot, Unknown, spot_of

if TYPE_CHECKING:
    from cite_lsp.judges.policies import PolicyOutcome


@dataclass(frozen=True, slots=True)
class Made:
    """What a run makes of a text.

    Attributes:
        found: The findings, at spots of the text that was asked about.
        spots: Those, each once.
        unknown: The texts of passages that could not be checked, with the concerns that this is so of; None: all.
        review: How many of the findings ask a person to look.
    """

    found: tuple[Found, ...]
    spots: tuple[Spot, ...]
    unknown: Unknown
    review: int


def made_of(outcome: "PolicyOutcome", text: str) -> Made:
    """Give what an outcome over a text comes to."""
    from cite_lsp.findings.policing import told_of  # noqa: PLC0415 - few sessions need it

    told = told_of(outcome)
    kind = outcome.plan.file.passages
    places = Places(text)
    spots: dict[int, Spot] = {}
    for each in told:
        start = each.piece.start
        line = places.line(start)
        spots[start] = spot_of(each.piece.text, kind, line, start - places.start(line))
    found = []
    for each in told:
        related = [(spots[beside.start], beside.message) for beside in each.related if beside.start in spots]
        found.append(Found(each.told, each.concern, spots[each.piece.start], each.built, tuple(related)))
    review = sum(each.verdict == "review" for each in told)
    return Made(tuple(found), tuple(spots.values()), _unknown(outcome), review)


def _unknown(outcome: "PolicyOutcome") -> Unknown:
    """Give what could not be checked, by the texts of the passages: places have changed by the next run."""
    from cite_lsp.findings.policing import still_unknown  # noqa: PLC0415 - few sessions need it

    unknown: dict[str, frozenset[str] | None] = {}
    for name, concerns in still_unknown(outcome).items():
        text = outcome.plan.pieces[name].text
        before = unknown.get(text, frozenset())
        unknown[text] = None if concerns is None or before is None else before | concerns
    return unknown
