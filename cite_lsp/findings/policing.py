"""Findings of the layer *policy*: what a policy found, at the passages that it rests on."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cite_lsp.findings.finding import Level, Severity
from cite_lsp.findings.told import Told, as_written
from cite_lsp.judges.policies import PolicyOutcome, Unchecked
from cite_lsp.judges.shown_lines import said
from cite_lsp.policy.language import Choice, Concern, Score, Side, YesNo
from cite_lsp.policy.report import Finding as PolicyFinding
from cite_lsp.policy.splitting import Piece

if TYPE_CHECKING:
    from cite_lsp.policy.files import PolicyFile

_WORD = re.compile(r"\{(\w+)\}", re.ASCII)
_MOST_BESIDE = 10
_LOOK = "a person should look: "


@dataclass(frozen=True, slots=True)
class Beside:
    """Another passage that the same finding rests on.

    Attributes:
        start, end: Code-point offsets into the document, `end` exclusive.
        message: What it is.
    """

    start: int
    end: int
    message: str


@dataclass(frozen=True, slots=True)
class PolicyTold:
    """What is told of one passage.

    Attributes:
        told: The finding; offsets are code points into the document.
        piece: The passage.
        policy, concern: The names of the policy and of what was found.
        verdict: `holds` or `review`; of this passage in this finding.
        built: Whether the finding rests on all of its passages together: each fills a role.
        related: Other passages of the finding, in the order of the text: the nearest ten.
    """

    told: Told
    piece: Piece
    policy: str
    concern: str
    verdict: str
    built: bool = False
    related: tuple[Beside, ...] = ()


def code_of(policy: str, concern: str) -> str:
    """Give the code of a concern: `policy:<policy>/<concern>`; both are names that a code can hold."""
    return f"policy:{policy}/{concern}"


def codes_of(file: "PolicyFile") -> dict[str, str]:
    """Give the codes of a policy's concerns, by the concern's name."""
    return {each.name: code_of(file.name, each.name) for each in file.policy.concerns}


def told_of(outcome: PolicyOutcome) -> tuple[PolicyTold, ...]:
    """Tell what was found, passage by passage, in the order of the text.

    A finding that fails is none. A passage that holds in a finding that holds has the concern's severity; where either
    asks for a review, it is a hint, whatever the settings say of the code.
    """
    told = [each for finding in outcome.report.findings for each in _told(finding, outcome)]
    return tuple(sorted(told, key=lambda each: (each.told.start, each.told.end, each.told.code)))


def _told(finding: PolicyFinding, outcome: PolicyOutcome) -> Iterator[PolicyTold]:
    if finding.verdict == "fails":
        return
    file, pieces = outcome.plan.file, outcome.plan.pieces
    concern = next(each for each in file.policy.concerns if each.name == finding.concern)
    code = code_of(file.name, concern.name)
    level = level_of(file, concern.name)
    described = _described(finding, file)
    beside = [_beside(pieces[each.passage.id], finding) for each in finding.evidence]
    for number, citation in enumerate(finding.evidence):
        piece = pieces[citation.passage.id]
        holds = finding.verdict == "holds" and citation.verdict == "holds"
        verdict = "holds" if holds else "review"
        message = _message(concern, file, verdict, piece, described)
        told = Told(code, message, piece.start, piece.end, None, level=level, doubtful=not holds)
        related = tuple([beside[each] for each in _near(len(beside), number)])
        yield PolicyTold(told, piece, file.name, concern.name, verdict, bool(finding.roles), related)


def _near(count: int, number: int) -> list[int]:
    """Give which of so many passages are told of beside that of a number: the nearest, where there are many."""
    first = max(0, min(number - _MOST_BESIDE // 2, count - _MOST_BESIDE - 1))
    near = range(first, min(first + _MOST_BESIDE + 1, count))
    return [each for each in near if each != number]


def level_of(file: "PolicyFile", concern: str) -> Level:
    """Give the severity that a policy file gives a concern."""
    level = file.severities.get(concern, "warning")
    return "off" if level == "off" else Severity(level)


def _beside(piece: Piece, finding: PolicyFinding) -> Beside:
    roles = [role for role, name in finding.roles.items() if name == piece.id]
    what = f"{', '.join(roles)}: " if roles else ""
    return Beside(piece.start, piece.end, f"{what}{as_written(piece.text)}")


def _message(concern: Concern, file: "PolicyFile", verdict: str, piece: Piece, described: Mapping[str, str]) -> str:
    template = file.messages.get(concern.name)
    words = {
        **described,
        "concern": concern.name,
        "category": concern.category or concern.name,
        "verdict": verdict,
        "passage": as_written(piece.text),
    }
    text = template or f"{words['category']}: {_what(concern)}"
    text = _WORD.sub(lambda found: words.get(found[1], found[0]), text)
    return said(text if verdict == "holds" else f"{_LOOK}{text}")


def _what(concern: Concern) -> str:
    """Say what a concern looks for, from what counts as *yes*."""
    asked: Sequence[YesNo] = [concern.detect] if concern.detect is not None else [each.asks for each in concern.checks]
    sides = [each.yes.what if isinstance(each.yes, Side) else each.yes or each.question for each in asked]
    return "; ".join(dict.fromkeys(side.rstrip(". ") for side in sides))


def _described(finding: PolicyFinding, file: "PolicyFile") -> dict[str, str]:
    """Give what the scores and choices of a finding say: the level that is nearest, the key that was chosen."""
    found: dict[str, str] = {}
    for each in file.policy.descriptors:
        answer: Mapping[str, Any] = finding.descriptors.get(each.name, {})
        if isinstance(each, Score) and "score" in answer:
            found[each.name] = each.levels[min(int(answer["score"] + 0.5), len(each.levels) - 1)]
        elif isinstance(each, Choice) and "choice" in answer:
            found[each.name] = str(answer["choice"])
    return found


def still_unknown(outcome: PolicyOutcome) -> dict[str, frozenset[str] | None]:
    """Give the passages that are not known better than before, by id: the concerns that this is so of, None for all."""
    found: dict[str, frozenset[str] | None] = {}
    for each in outcome.unchecked:
        before = found.get(each.piece.id, frozenset())
        found[each.piece.id] = None if each.concern is None or before is None else before | {each.concern}
    return found


def why_unchecked(unchecked: Sequence[Unchecked]) -> str:
    """Say why passages were not checked, in one sentence without a full stop; "" where all were."""
    reasons = list(dict.fromkeys(each.why for each in unchecked))
    if not reasons:
        return ""
    return reasons[0] if len(reasons) == 1 else f"{reasons[0]} (and {len(reasons) - 1} more)"
