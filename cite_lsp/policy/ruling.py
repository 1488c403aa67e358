"""Who decides: thresholds and bands, and what answers make of a finding (reference-policy.md, 1.8)."""

from collections.abc import Mapping
from typing import Any, Literal

from cite_lsp.policy.gather import Gathered, asked_checks
from cite_lsp.policy.language import Policy
from cite_lsp.policy.options import Band, Bands, RunOptions
from cite_lsp.policy.passages import Passage
from cite_lsp.policy.report import Citation, Finding, Standing, Verdict
from cite_lsp.policy.wording import NOUL

Match = Literal["no", "unsure", "yes"]


class Ruling:
    """How probabilities are read in one run."""

    def __init__(self, options: RunOptions, bands: Bands | None = None) -> None:
        """Take the options, and the bands of single questions by label."""
        self._options = options
        self._bands = bands or {}

    def band(self, label: str) -> Band:
        """Give low and high of a question."""
        return self._bands.get(label, self._options.review_band)

    def match(self, label: str, score: float | None) -> Match:
        """Say whether a passage matches a question of the first round.

        Above the threshold it does; below it but inside the band it may, which is for a person to see. A question with
        a band of its own has that in place of the threshold.
        """
        threshold = self._options.threshold
        if score is None:
            return "no"
        if self._options.strict_threshold:
            return "yes" if score > threshold else "no"
        own = self._bands.get(label)
        if own is not None:
            return "no" if score <= own[0] else "yes" if score >= own[1] else "unsure"
        if score > threshold:
            return "yes"
        return "unsure" if score > self._options.review_band[0] else "no"

    def standing(self, label: str, score: float) -> Standing:
        """Say what an answer of the second round makes of a passage, or of a check."""
        low, high = self.band(label)
        return "dropped" if score <= low else "holds" if score >= high else "review"

    def finding(self, policy: Policy, gathered: Gathered, answers: Mapping[str, Any]) -> Finding:
        """Give the finding that answers of the second round make of what was gathered.

        Args:
            policy: Of the concern.
            gathered: The passages.
            answers: By key, one to each question that was asked.
        """
        concern = gathered.concern
        checks = {check.name: answers[check.name] for check in asked_checks(gathered)}
        cited = [self._citation(gathered, each, answers) for each in gathered.passages]
        evidence = tuple(each for each in cited if each.verdict != "dropped")
        standings = [self.standing(f"check:{concern.name}/{name}", each[NOUL]) for name, each in checks.items()]
        return Finding(
            concern.name,
            concern.category or concern.name,
            _verdict(standings, evidence, sure=not (gathered.roles and gathered.unsure)),
            checks,
            {each.name: answers[each.name] for each in policy.descriptors},
            evidence,
            tuple(each for each in cited if each.verdict == "dropped"),
            {role: passage.id for role, passage in gathered.roles.items()},
        )

    def _citation(self, gathered: Gathered, passage: Passage, answers: Mapping[str, Any]) -> Citation:
        if gathered.roles:
            return Citation(passage, "review" if passage.id in gathered.unsure else "holds")
        answer = answers[f"confirm:{passage.id}"]
        standing = self.standing(f"confirm:{gathered.concern.name}", answer[NOUL])
        if standing == "holds" and passage.id in gathered.unsure:
            standing = "review"
        return Citation(passage, standing, answer)


def _verdict(checks: list[Standing], evidence: tuple[Citation, ...], *, sure: bool) -> Verdict:
    if not evidence or "dropped" in checks:
        return "fails"
    held = all(each == "holds" for each in checks) and any(each.verdict == "holds" for each in evidence)
    return "holds" if held and sure else "review"
