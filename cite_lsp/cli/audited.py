"""What a judge said of one document, as the formats show it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from cite_lsp.audit.guard import OUTPUT_CAP
from cite_lsp.audit.judgement import Judgement, Trouble, Usage, merged
from cite_lsp.audit.meta import DECLINED

if TYPE_CHECKING:
    from cite_lsp.audit.verdicts import Row, Verdict


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of one citation.

    Attributes:
        verdict: The verdict; `unchecked` where nobody answered.
        row: What was judged; None of a citation that leads to no lines, whose verdict is mechanical.
        at: When it was judged, seconds since the epoch; None where nobody answered, and of a mechanical verdict.
        cached: Whether it was known from before.
        kept_back: Whether it was not given to the judge since its text is to stay on this machine.
    """

    verdict: "Verdict"
    row: "Row | None" = None
    at: float | None = None
    cached: bool = False
    kept_back: bool = False

    @property
    def evidence(self) -> tuple[tuple[int, str], ...]:
        """The lines that the verdict relies on: 1-based number in the cited file, and text."""
        excerpts = self.row.excerpts if self.row is not None else ()
        return tuple([
            (excerpts[each.excerpt].start_line + each.offset, each.text)
            for each in self.verdict.evidence
            if 0 <= each.excerpt < len(excerpts)
        ])  # fmt: skip

    @property
    def judged(self) -> bool:
        """Whether a judge decided: neither *unchecked* nor mechanical."""
        return self.row is not None and self.verdict.label != "unchecked"

    @property
    def nowhere(self) -> bool:
        """Whether the citation leads to no lines, so that nobody had to be asked."""
        return self.verdict.kind == "unresolved"

    @property
    def why_not(self) -> str:
        """Why it was not judged, in words that a number stands before; "" where it was."""
        if self.judged:
            return ""
        if self.row is None:
            return "without lines" if self.nowhere else "not looked at"
        if self.kept_back:
            return "kept on this machine"
        return "unanswered" if self.at is None else "undecided by the judge"


@dataclass(frozen=True, slots=True)
class Audited:
    """What an audit of one document came to.

    Attributes:
        said: By the index of the anchor; anchors that are not in a sample are not among them.
        outcome: One word (audit.md), with the findings that need no judge counted in.
        meta: How it was made, as the JSON output has it.
        judge: The identity of the judge.
        untold: Verdicts by label that are not told since the cited text moved, which is.
    """

    said: Mapping[int, Said] = field(default_factory=dict)
    outcome: str = "not-judged"
    meta: Mapping[str, Any] | None = None
    judge: str = ""
    untold: Counter[str] = field(default_factory=Counter)

    @property
    def labels(self) -> Counter[str]:
        """How many verdicts of each label there are, those that needed no judge among them."""
        return Counter(each.verdict.label for each in self.said.values())

    @property
    def judged(self) -> Counter[str]:
        """How many verdicts of each label a judge gave, *unchecked* left out."""
        return Counter(each.verdict.label for each in self.said.values() if each.judged)


@dataclass(slots=True)
class Account:
    """What a run of judges took, and what went wrong.

    Attributes:
        judges: The identities of the judges, in order, and how many documents each had.
        scopes: How many documents were judged under each scope.
        usage: Requests, tokens and cost.
        cached: Verdicts that were known from before.
        kept_back: Citations whose text `judge.exclude` keeps on this machine.
        troubles: Why citations have no verdict, one for each cause.
        switched_off: Documents under `judge.run = "off"`.
        interrupted: Whether the run was ended before it was done.
        left: Documents that it left without an answer.
        warnings: What else a person should know, sentences without a full stop.
    """

    judges: Counter[str] = field(default_factory=Counter)
    scopes: Counter[str] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)
    cached: int = 0
    kept_back: int = 0
    troubles: tuple[Trouble, ...] = ()
    switched_off: int = 0
    interrupted: bool = False
    left: int = 0
    warnings: list[str] = field(default_factory=list)

    def add(self, audited: Audited, judgement: Judgement, scope: str) -> None:
        """Count the audit of one document."""
        self.judges[audited.judge] += 1
        self.scopes[scope] += 1
        self.cached += sum(each.cached for each in audited.said.values())
        self.add_pass(judgement)

    def add_pass(self, judgement: Judgement) -> None:
        """Count what asking took, and what went wrong."""
        self.usage += judgement.usage
        self.troubles = _by_cause(merged((*self.troubles, *judgement.troubles)))

    @property
    def notes(self) -> tuple[str, ...]:
        """Why citations were not judged: one sentence without a full stop for each cause."""
        found = [f"{_count(each.rows)} not judged: {each.message}" for each in self.troubles]
        if self.kept_back:
            found.append(f"{_count(self.kept_back)} not judged: judge.exclude keeps their text on this machine")
        if self.switched_off:
            documents = "1 document" if self.switched_off == 1 else f"{self.switched_off:,} documents"
            found.append(f'{documents} not judged: judge.run is "off" there')
        if self.interrupted:
            left = "1 document is" if self.left == 1 else f"{self.left:,} documents are"
            found.append(f"interrupted: {left} left; what was answered is kept, and a second run asks for the rest")
        return (*found, *self.warnings)

    @property
    def effort(self) -> str:
        """What was sent and what came back, in words; "" where nothing was."""
        usage = self.usage
        parts = []
        if usage.requests:
            parts.append(f"{usage.requests:,} request{'' if usage.requests == 1 else 's'}")
        if usage.tokens_in or usage.tokens_out:
            parts.append(f"{usage.tokens_in:,} tokens in, {usage.tokens_out:,} out")
        if usage.cost is not None:
            parts.append(f"cost {usage.cost:g}")
        if self.cached:
            parts.append(f"{self.cached:,} known from before")
        return ", ".join(parts)


def _by_cause(troubles: Iterable[Trouble]) -> tuple[Trouble, ...]:
    """Give one trouble for each limit: what is said of it names the request, of which each is another."""
    found: dict[tuple[str, str], Trouble] = {}
    for each in troubles:
        limit = each.message.partition(" is ")[0] if each.cause == DECLINED else ""
        key = (each.cause, limit if each.cause in {DECLINED, OUTPUT_CAP} else each.message)
        known = found.get(key)
        found[key] = each if known is None else replace(known, rows=known.rows + each.rows)
    return tuple(found.values())


def _count(rows: int) -> str:
    return f"{rows:,} citation{'' if rows == 1 else 's'}"
