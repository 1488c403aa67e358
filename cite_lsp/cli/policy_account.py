"""What a run of policies came to, in numbers and in sentences."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from cite_lsp.document.ranges import span_text
from cite_lsp.findings.finding import Severity

VERDICTS = ("holds", "review", "fails")
"""Of what was found: it is so, a person should look, it was looked at again and is not."""
MOST_LINES = 6
"""Ranges of lines that are named of passages without an answer."""


@dataclass(frozen=True, slots=True)
class Unchecked:
    """What was not checked, for one reason.

    Attributes:
        path: The document's, relative to the root.
        policy: The name of the policy.
        why: A clause without a full stop.
        passages: The ids of its passages, in order; () of a document as a whole.
        lines: The 1-based lines that they begin at.
        concern: What was found and not looked at again; "" of passages that were not screened.
        wished: Whether it is as the settings want it: text that is to stay on this machine, a judge that is off.
    """

    path: str
    policy: str
    why: str
    passages: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    concern: str = ""
    wished: bool = False

    @property
    def what(self) -> str:
        """What was not checked, in words."""
        if not self.passages:
            return "the whole document"
        passages = f"{counted(len(self.passages), 'passage')} ({lines_in_words(self.lines)})"
        return f"what was found of {self.concern} in {passages}" if self.concern else passages


@dataclass(slots=True)
class Account:
    """What a run of policies took, and what it left.

    Attributes:
        documents: Those that were asked about, by path.
        policies: Paths and names of the policies that were asked.
        planned: How many passages the run is to go over; for a bar.
        passages: How many there were of them, a document counted once for each policy.
        checked: How many of them were checked, by every concern.
        estimated: How many requests the first round was to take; None where that was not worked out.
        requests: How many were sent.
        screened: How many of them in the first round.
        recalled: How many were saved by answers from before.
        tokens_in, tokens_out: As those who answered counted them.
        counted: Whether anybody counted.
        models: Who answered, in order.
        judges: Whom the requests were for.
        severities: Of what is told.
        verdicts: Of findings.
        unchecked: What was not checked.
        interrupted: Whether the run was ended before it was done.
        warnings: What else a person should know, sentences without a full stop.
    """

    documents: set[str] = field(default_factory=set)
    policies: dict[tuple[str, str], None] = field(default_factory=dict)
    planned: int = 0
    passages: int = 0
    checked: int = 0
    estimated: int | None = None
    requests: int = 0
    screened: int = 0
    recalled: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    counted: bool = False
    models: dict[str, None] = field(default_factory=dict)
    judges: dict[str, None] = field(default_factory=dict)
    severities: Counter[Severity] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    unchecked: list[Unchecked] = field(default_factory=list)
    interrupted: bool = False
    warnings: list[str] = field(default_factory=list)

    @property
    def unread(self) -> int:
        """How many documents have no passages here, since they were not read."""
        return len({each.path for each in self.unchecked if not each.passages})

    @property
    def unfinished(self) -> bool:
        """Whether something was not checked that should have been."""
        return any(not each.wished for each in self.unchecked)

    def reaches(self, level: Severity) -> bool:
        """Say whether something told is at least as loud as `level`."""
        return any(severity.at_least(level) for severity, count in self.severities.items() if count)

    def told_unchecked(self) -> Iterator[str]:
        """Give what was not checked, a sentence without a full stop for each policy and reason."""
        groups: dict[tuple[str, str], list[Unchecked]] = {}
        for each in self.unchecked:
            groups.setdefault((each.policy, each.why), []).append(each)
        for (policy, why), found in groups.items():
            passages = sum(len(each.passages) for each in found)
            documents = counted(len({each.path for each in found}), "document")
            what = f"{counted(passages, 'passage')} of {documents}" if passages else documents
            yield f"{what} not checked by {policy}: {why}"

    def lines(self, seconds: float) -> Iterator[str]:
        """Give the summary, a line each."""
        left = self.passages - self.checked
        yield ", ".join([
            counted(len(self.documents), "document"),
            counted(len(self.policies), "policy", "policies"),
            counted(self.passages, "passage"),
            f"{self.checked:,} checked",
            f"{left:,} not checked",
        ])  # fmt: skip
        verdicts = [f"{self.verdicts[name]:,} {name}" for name in VERDICTS if self.verdicts[name]]
        if verdicts:
            yield f"verdicts: {', '.join(verdicts)}"
        if self.judges:
            yield f"judge: {', '.join(self.judges)}; {', '.join(self._effort())}"
        unchecked = [counted(left, "passage")] if left else []
        unchecked += [counted(self.unread, "document")] if self.unread else []
        yield f"{self._totals()} in {seconds:.1f} s" + (f"; {' and '.join(unchecked)} not checked" if unchecked else "")

    def _effort(self) -> Iterator[str]:
        planned = "" if self.estimated is None else f" ({self.estimated:,} estimated)"
        yield f"{counted(self.screened, 'request')} to screen{planned}, {self.requests - self.screened:,} to judge"
        if self.recalled:
            yield f"{self.recalled:,} known from before"
        if self.counted:
            yield f"{self.tokens_in:,} tokens in, {self.tokens_out:,} out"
        if self.models:
            yield f"answered by {', '.join(self.models)}"

    def _totals(self) -> str:
        found = [
            f"{count:,} {_NAMES[severity][count != 1]}" for severity in Severity if (count := self.severities[severity])
        ]
        return ", ".join(found) if found else "no findings"


_NAMES = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFORMATION: ("information", "information"),
    Severity.HINT: ("hint", "hints"),
}


def counted(number: int, noun: str, plural: str = "") -> str:
    """Give a number and what it counts."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def lines_in_words(lines: Iterable[int]) -> str:
    """Name 1-based lines in order: `line 3`, `lines 3-5, 9`; of many ranges the first ones."""
    ranges: list[tuple[int, int]] = []
    for line in lines:
        if ranges and line <= ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], max(line, ranges[-1][1])
        else:
            ranges.append((line, line))
    words = [span_text(each) for each in ranges]
    more = f" and {len(words) - MOST_LINES:,} more places" if len(words) > MOST_LINES else ""
    noun = "line" if len(words) == 1 and ranges[0][0] == ranges[0][1] else "lines"
    return f"{noun} {', '.join(words[:MOST_LINES])}{more}"
