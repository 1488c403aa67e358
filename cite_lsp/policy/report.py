"""What a run of a policy came to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from cite_lsp.policy.passages import Passage, Source, is_json

Verdict = Literal["holds", "review", "fails"]
"""Of a finding."""
Standing = Literal["holds", "review", "dropped"]
"""Of a passage in a finding."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage in a finding.

    Attributes:
        passage: Byte for byte as it was given.
        verdict: Whether it is evidence.
        answer: What the client said of it, as it came; None where it was not asked (evidence that fills a role).
    """

    passage: Passage
    verdict: Standing
    answer: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one concern.

    Attributes:
        concern, category: Of the policy.
        verdict: `holds`, `review` (a person should look) or `fails` (it was looked at, and it is none).
        checks: The checks that were asked, with their answers as they came.
        descriptors: Scores and choices, with their answers as they came.
        evidence: The passages it rests on, in the order of the source.
        dropped: Those that were gathered and did not hold.
        roles: Of a concern built from factors: the id of the passage that fills each role.
    """

    concern: str
    category: str
    verdict: Verdict
    checks: Mapping[str, Mapping[str, Any]]
    descriptors: Mapping[str, Mapping[str, Any]]
    evidence: tuple[Citation, ...]
    dropped: tuple[Citation, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A request that came to nothing: what it asked about was not checked.

    Attributes:
        concern: Whose round 2 it was; None for screening.
        passage_ids: The passages it was about.
        reason: As data; see `ClientError`.
        message: The same for a person; "" where the client gave none.
    """

    concern: str | None
    passage_ids: tuple[str, ...]
    reason: Any
    message: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of requests and replies, as clients counted them."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Give both together."""
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)


@dataclass(frozen=True, slots=True)
class Report:
    """What a run came to.

    A concern without a finding was not found in the passages that `screen` has a row of; of passages that `screen` has
    no row of nothing is known: they were not checked, and `errors` says why.

    Attributes:
        findings: In the order of the policy's concerns; failing ones too.
        screen: For each passage that was screened, by id: the probability of each detect, by name.
        errors: What was not answered: the first round in window order, then the second in concern order.
        usage: Of all replies that told it, failed ones too; None where none did.
        models: Who answered, in the order of the first answer.
        requests: How many requests were sent.
        recalled: How many requests were saved, as their answers were known from before.
        source: What was asked about.
    """

    findings: tuple[Finding, ...] = ()
    screen: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    errors: tuple[Unanswered, ...] = ()
    usage: Usage | None = None
    models: tuple[str, ...] = ()
    requests: int = 0
    recalled: int = 0
    source: Source = field(default_factory=lambda: Source(()))

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The ids of the passages that were not screened, in order."""
        return tuple([each.id for each in self.source.passages if each.id not in self.screen])

    def as_data(self) -> dict[str, Any]:
        """Give the report as JSON: `findings`, `screen`, `errors`, `usage`, `models`, `requests`, `recalled`."""
        usage = self.usage
        return {
            "findings": [self._finding(each) for each in self.findings],
            "screen": {name: dict(row) for name, row in self.screen.items()},
            "errors": [_unanswered(each) for each in self.errors],
            "usage": usage and {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
            "models": list(self.models),
            "requests": self.requests,
            "recalled": self.recalled,
        }

    def _finding(self, finding: Finding) -> dict[str, Any]:
        return {
            "concern": finding.concern,
            "category": finding.category,
            "verdict": finding.verdict,
            "checks": {name: _answer(answer) for name, answer in finding.checks.items()},
            "descriptors": {name: _answer(answer) for name, answer in finding.descriptors.items()},
            "evidence": [self._citation(each) for each in finding.evidence],
            "dropped": [self._citation(each) for each in finding.dropped],
            "roles": dict(finding.roles),
        }

    def _citation(self, citation: Citation) -> dict[str, Any]:
        shown = self.source.shown(citation.passage)
        meta = {name: value for name, value in shown.items() if name not in ("id", "text")}
        passage = {"id": citation.passage.id, "text": citation.passage.text, "meta": meta}
        answer = None if citation.answer is None else _answer(citation.answer)
        return {"passage": passage, "verdict": citation.verdict, "answer": answer}


def _answer(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {_printed(name): printable(value) for name, value in answer.items()}


def _unanswered(error: Unanswered) -> dict[str, Any]:
    data = {"concern": error.concern, "passage_ids": list(error.passage_ids), "reason": printable(error.reason)}
    return {**data, "message": _printed(error.message)} if error.message else data


def printable(reason: object) -> Any:  # noqa: ANN401 - JSON
    """Give a reason as JSON; one that is none as a text, so that a report can always be written."""
    try:
        if is_json(reason):
            return reason
    except RecursionError:
        pass  # what holds itself prints all the same
    return _printed(reason)


def _printed(value: object) -> str:
    """Give what a value prints; half a character, which no file can hold, is a question mark."""
    return (str(value) or repr(value)).encode("utf-8", "replace").decode()
