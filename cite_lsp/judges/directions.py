"""From the probabilities of both directions to a verdict: what the lines carry of a claim, what the claim says beyond.

Neither direction alone gives a verdict: the claim read against the lines cannot tell *partial* from *unsupported*, and
the lines read for the claim cannot see the part of it that none of them covers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from cite_lsp.audit.verdicts import Evidence, Kind, Label, Verdict
from cite_lsp.judges.shown_lines import ShownLine, said
from cite_lsp.judges.weighing import unchecked
from cite_lsp.policy.options import Band

Standing = Literal["none", "unsure", "holds"]

_DISAGREE = "no line was found to carry the claim, and nothing in it was found to go beyond the lines"
_AGAINST_ONE = "a line was found to say otherwise, and the claim as a whole was not found to be against the lines"
_UNSEEN = "a cited line is kept back, since it looks like a key, and what was not found may stand there"
_CUT = "more lines are cited than a judge is shown, and what was not found may stand in the others"


@dataclass(frozen=True, slots=True)
class Bands:
    """Where each question is answered *no* and *yes*.

    Attributes:
        claims: Whether the claim is one.
        conflict: Whether it says anything that the lines state differently.
        baseless: Whether it says anything that the lines do not.
        supports: Whether a line is part of what carries it.
        otherwise: Whether a line says otherwise; decides nothing but which lines are shown, and against *supported*.
    """

    claims: Band = (0.4, 0.6)
    conflict: Band = (0.4, 0.6)
    baseless: Band = (0.4, 0.6)
    supports: Band = (0.4, 0.6)
    otherwise: Band = (0.4, 0.6)


@dataclass(frozen=True, slots=True)
class Answers:
    """What was answered of a row: probabilities of *yes*.

    Attributes:
        claims, conflict, baseless: Of the claim.
        supports, otherwise: Of each line that was asked about, by its number in the file.
    """

    claims: float
    conflict: float
    baseless: float
    supports: Mapping[int, float]
    otherwise: Mapping[int, float]


def standing(probability: float, band: Band) -> Standing:
    """Give on which side of its band a probability is."""
    low, high = band
    return "none" if probability <= low else "holds" if probability >= high else "unsure"


def ruled(*, errors: bool, support: Standing, baseless: Standing, conflict: Standing) -> tuple[Label, Kind | None]:
    """Give the verdict of both directions, and the kind of an *unsupported* one.

    Args:
        errors: Whether anything was not answered: that is never *unsupported*.
        support: Of the line that carries the claim best: *none* means that every line is below its band.
        baseless: Whether the claim says anything that the lines do not.
        conflict: Whether it says anything that they state differently.
    """
    if errors:
        return "unchecked", None
    if conflict == "holds":
        return "unsupported", "contradicted"
    if "unsure" in (support, baseless, conflict):
        return "review", None
    if support == "holds":
        return ("partial", None) if baseless == "holds" else ("supported", None)
    return ("unsupported", "off-topic") if baseless == "holds" else ("review", None)


def verdict_of(answers: Answers, lines: Sequence[ShownLine], bands: Bands, judge: str, *, cut: bool = False) -> Verdict:
    """Give the verdict that answers stand for.

    Args:
        answers: Of all questions.
        lines: The cited lines; evidence is taken from them, byte for byte.
        bands: Of the questions.
        judge: The identity of the judge.
        cut: Whether more lines are cited than these.
    """
    if standing(answers.claims, bands.claims) == "none":
        return unchecked("the judge sees no claim in this text that cited lines could carry", judge)
    weighed = _Weighed.of(answers, lines, bands, cut=cut)
    label, kind = weighed.ruling
    doubt = weighed.doubt(label, kind)
    if doubt:
        evidence = _first(weighed.carrying, weighed.perhaps, weighed.against, weighed.perhaps_against)
        return Verdict("review", None, f"Look here: {doubt}.", doubt, evidence, None, judge)
    if kind == "contradicted":
        evidence = _first(weighed.against) or _first(weighed.perhaps_against) or _first(weighed.carrying)
        basis = _quoted(evidence) or "it is against the lines as a whole, and no single one stands out"
        return Verdict("unsupported", kind, "The cited lines say otherwise.", basis, evidence, None, judge)
    if label == "unsupported":
        evidence = _first(weighed.against)
        basis = _quoted(evidence) or "no line bears on it"
        return Verdict("unsupported", kind, "The cited lines do not say it.", basis, evidence, None, judge)
    evidence = _first(weighed.carrying)
    reason = (
        "The cited lines say so, and the claim says nothing beyond them."
        if label == "supported"
        else "The cited lines carry a part of the claim, and it says something that they do not."
    )
    return Verdict(label, None, reason, weighed.basis, evidence, None, judge)


@dataclass(frozen=True, slots=True)
class _Weighed:
    """Answers against their bands, and the lines that they are of."""

    claims: Standing
    conflict: Standing
    baseless: Standing
    support: Standing
    carrying: tuple[ShownLine, ...]
    perhaps: tuple[ShownLine, ...]
    against: tuple[ShownLine, ...]
    perhaps_against: tuple[ShownLine, ...]
    unseen: str

    @classmethod
    def of(cls, answers: Answers, lines: Sequence[ShownLine], bands: Bands, *, cut: bool) -> "_Weighed":
        def with_standing(asked: Mapping[int, float], band: Band, wanted: Standing) -> tuple[ShownLine, ...]:
            return tuple(
                line
                for line in lines
                if line.raw is not None and line.number in asked and standing(asked[line.number], band) == wanted
            )

        carrying = with_standing(answers.supports, bands.supports, "holds")
        perhaps = with_standing(answers.supports, bands.supports, "unsure")
        return cls(
            standing(answers.claims, bands.claims),
            standing(answers.conflict, bands.conflict),
            standing(answers.baseless, bands.baseless),
            "holds" if carrying else "unsure" if perhaps else "none",
            carrying,
            perhaps,
            with_standing(answers.otherwise, bands.otherwise, "holds"),
            with_standing(answers.otherwise, bands.otherwise, "unsure"),
            _UNSEEN if any(line.raw is None for line in lines) else _CUT if cut else "",
        )

    @property
    def ruling(self) -> tuple[Label, Kind | None]:
        return ruled(errors=False, support=self.support, baseless=self.baseless, conflict=self.conflict)

    @property
    def basis(self) -> str:
        """The lines that carry the claim, and apart from them those that may."""
        may = f"; perhaps also {_quotes(self.perhaps)}" if self.perhaps else ""
        return f"the lines say {_quotes(self.carrying)}{may}"

    def doubt(self, label: Label, kind: Kind | None) -> str:
        """Give why a person has to look, "" where the ruling stands."""
        if self.claims == "unsure":
            return f"the judge is unsure whether this is a claim; {self._in_words(label, kind)}"
        if label == "review":
            unsure = self._unsure
            return f"the judge is unsure {unsure}" if unsure else _DISAGREE
        if label == "supported" and self.against:
            return _AGAINST_ONE
        return self.unseen if label != "supported" and kind != "contradicted" else ""

    @property
    def _unsure(self) -> str:
        asked = (
            (self.support, "whether the lines carry it"),
            (self.baseless, "whether it says more than they do"),
            (self.conflict, "whether they say otherwise"),
        )
        return " and ".join(words for each, words in asked if each == "unsure")

    def _in_words(self, label: Label, kind: Kind | None) -> str:
        if label == "review":
            return f"it is unsure, too, {self._unsure}" if self._unsure else _DISAGREE
        return f"if it is one, it is {label}" + (f" ({kind})" if kind else "")


def _first(*groups: Sequence[ShownLine]) -> tuple[Evidence, ...]:
    """Give the lines of all groups as evidence, each once, in their order."""
    found = {(line.excerpt, line.offset): line.raw for group in groups for line in group}
    return tuple(Evidence(*place, text) for place, text in sorted(found.items()) if text is not None)


def _quoted(evidence: Sequence[Evidence]) -> str:
    return f"the lines say “{said(' '.join(each.text for each in evidence), 200)}”" if evidence else ""


def _quotes(lines: Sequence[ShownLine]) -> str:
    return f"“{said(' '.join(line.raw for line in lines if line.raw is not None), 200)}”"
