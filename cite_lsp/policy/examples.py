"""A policy is tried on labelled examples: what was to be found, and what was.

What nobody answered is *not checked*: it is counted apart, and never as *not found*, expected or not.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from cite_lsp.policy.asking import Client
from cite_lsp.policy.file_examples import Example
from cite_lsp.policy.files import PolicyFile
from cite_lsp.policy.language import Concern, Policy
from cite_lsp.policy.memory import Memory
from cite_lsp.policy.options import Bands, RunOptions
from cite_lsp.policy.progress import Stop
from cite_lsp.policy.report import Finding, Report, Usage, printable
from cite_lsp.policy.run import run
from cite_lsp.policy.slots import in_slots

Outcome = Literal["passed", "failed", "unchecked"]
Came = Literal["held", "review", "not", "unchecked"]
"""Of a passage and a concern: it is evidence that holds; a person should look; it is none; nobody answered."""

_ABSENT: Final = "absent"
_SHOWN: Final = 60
"""Characters of a passage in a sentence."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What came of one passage and one concern.

    Attributes:
        concern: Its name.
        passage_id: The passage's.
        expected: Whether it is labelled as evidence that holds.
        came: What it is.
    """

    concern: str
    passage_id: str
    expected: bool
    came: Came

    @property
    def is_right(self) -> bool:
        """Whether it is known and as labelled; what a person should look at does not hold."""
        return self.came != "unchecked" and (self.came == "held") == self.expected


@dataclass(frozen=True, slots=True)
class Ruled:
    """What came of one concern in one example whose verdict is labelled.

    Attributes:
        concern: Its name.
        expected: `holds`, `review`, `fails` or `absent`.
        came: The same; None where it was not checked.
    """

    concern: str
    expected: str
    came: str | None


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one example.

    Attributes:
        example: As labelled.
        report: What the run came to.
        cells: Of each concern, in the order of the policy, each passage in the order of the source.
        ruled: Of each concern whose verdict is labelled.
    """

    example: Example
    report: Report
    cells: tuple[Cell, ...]
    ruled: tuple[Ruled, ...]

    @property
    def outcome(self) -> Outcome:
        """Failed where anything came otherwise than labelled, else unchecked where anything is, else passed."""
        if any(each.came != "unchecked" and not each.is_right for each in self.cells):
            return "failed"
        if any(each.came is not None and each.came != each.expected for each in self.ruled):
            return "failed"
        unknown = any(each.came == "unchecked" for each in self.cells) or any(each.came is None for each in self.ruled)
        return "unchecked" if unknown else "passed"

    @property
    def wrong(self) -> tuple[str, ...]:
        """What came otherwise than labelled, a sentence without a full stop each."""
        texts = {each.id: each.text for each in self.report.source.passages}
        cells = [each for each in self.cells if each.came != "unchecked" and not each.is_right]
        ruled = [each for each in self.ruled if each.came is not None and each.came != each.expected]
        return (
            *(_in_words(each, texts[each.passage_id]) for each in cells),
            *(f"{each.concern}: expected {each.expected}, came {each.came}" for each in ruled),
        )

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Why something was not checked, each reason once."""
        return tuple(dict.fromkeys(each.message or str(printable(each.reason)) for each in self.report.errors))


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often passages came as labelled, for one concern.

    Attributes:
        held, review, missed: Of passages labelled as evidence: found; for a person to look at; not found.
        found, doubted, left: Of the others: found nevertheless; for a person to look at; not found.
        unchecked: Of both, nobody answered.
    """

    held: int = 0
    review: int = 0
    missed: int = 0
    found: int = 0
    doubted: int = 0
    left: int = 0
    unchecked: int = 0

    @classmethod
    def of(cls, cells: Collection[Cell]) -> "Confusion":
        """Count."""
        known = Counter((each.expected, each.came) for each in cells)
        return cls(
            held=known[True, "held"],
            review=known[True, "review"],
            missed=known[True, "not"],
            found=known[False, "held"],
            doubted=known[False, "review"],
            left=known[False, "not"],
            unchecked=known[True, "unchecked"] + known[False, "unchecked"],
        )

    @property
    def precision(self) -> float | None:
        """The share of what was found that is labelled; None where nothing was."""
        found = self.held + self.found
        return self.held / found if found else None

    @property
    def recall(self) -> float | None:
        """The share of what is labelled and was checked that was found; None where there is none."""
        labelled = self.held + self.review + self.missed
        return self.held / labelled if labelled else None


@dataclass(frozen=True, slots=True)
class ExampleReport:
    """What came of all examples.

    Attributes:
        tried: In the order of the file.
        policy: The policy.
    """

    tried: tuple[Tried, ...]
    policy: Policy

    def count(self, outcome: Outcome) -> int:
        """How many examples came out so."""
        return sum(each.outcome == outcome for each in self.tried)

    @property
    def tables(self) -> dict[str, Confusion]:
        """For each concern of the policy how passages came."""
        names = [each.name for each in self.policy.concerns]
        return {
            name: Confusion.of([cell for each in self.tried for cell in each.cells if cell.concern == name])
            for name in names
        }

    @property
    def usage(self) -> Usage | None:
        """Of all runs; None where none told it."""
        told = [each.report.usage for each in self.tried if each.report.usage is not None]
        return sum(told, Usage()) if told else None

    @property
    def models(self) -> tuple[str, ...]:
        """Who answered."""
        return tuple(dict.fromkeys(name for each in self.tried for name in each.report.models))

    def as_data(self) -> dict[str, Any]:
        """Give the report as JSON."""
        usage = self.usage
        return {
            "passed": self.count("passed"),
            "failed": self.count("failed"),
            "unchecked": self.count("unchecked"),
            "concerns": {name: _table(each) for name, each in self.tables.items()},
            "examples": [_tried_as_data(each) for each in self.tried],
            "usage": usage and {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
            "models": list(self.models),
        }


def _table(table: Confusion) -> dict[str, Any]:
    return {
        "expected": {"held": table.held, "review": table.review, "not_held": table.missed},
        "not_expected": {"held": table.found, "review": table.doubted, "not_held": table.left},
        "unchecked": table.unchecked,
        "precision": table.precision,
        "recall": table.recall,
    }


def _tried_as_data(tried: Tried) -> dict[str, Any]:
    return {
        "name": tried.example.name,
        "line": tried.example.line,
        "outcome": tried.outcome,
        "wrong": list(tried.wrong),
        "unanswered": list(tried.unanswered),
    }


def _in_words(cell: Cell, text: str) -> str:
    line = " ".join(text.split())
    shown = line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
    came = {"held": "it holds", "review": "it is for review", "not": "it does not hold"}[cell.came]
    expected = "expected to hold" if cell.expected else "not expected to hold"
    return f"{cell.concern}: {cell.passage_id} ({shown}) is {expected}, and {came}"


# --- trying


async def run_examples(
    client: Client,
    file: PolicyFile,
    examples: Sequence[Example] | None = None,
    *,
    options: RunOptions | None = None,
    bands: Bands | None = None,
    memory: Memory | None = None,
    told: Callable[[int], None] | None = None,
    stop: Stop | None = None,
) -> ExampleReport:
    """Ask about each example, several at once, each in a run of its own.

    Args:
        client: Who answers; `RecordedClient` gives recorded answers.
        file: The policy.
        examples: None is those of the file.
        options: None is those of the file. `concurrency` is how many requests of all examples are under way at once,
            and `deadline` the seconds for all of them.
        bands: In place of the band of the options, by label.
        memory: What was answered before.
        told: Is told how many examples are done, after each.
        stop: Ends all runs early.

    Raises:
        ContractError, OptionsError: As `judge` does.
        Exception: What the client raised, `ClientError` apart; of several examples what the first raised.
    """
    examples = file.tests if examples is None else examples
    options = options or file.options
    options.check()
    stop = stop or Stop()
    reports: dict[int, Report] = {}
    alone = replace(options, concurrency=1, deadline=None)

    async def one(number: int) -> None:
        source = examples[number].source(file.show)
        reports[number] = await run(client, source, file.policy, alone, bands=bands, memory=memory, stop=stop)
        if told is not None:
            told(len(reports))

    await _in_time(range(len(examples)), one, options, stop)
    tried = [_tried(file.policy, each, reports[at]) for at, each in enumerate(examples)]
    return ExampleReport(tuple(tried), file.policy)


async def _in_time(
    items: Sequence[int], one: Callable[[int], Coroutine[Any, Any, None]], options: RunOptions, stop: Stop
) -> None:
    """Do all; where `stop` ends, each run that is under way or still to come reports itself as not checked."""
    timer = None
    if options.deadline is not None:
        message = f"the examples came to their deadline of {options.deadline:g} seconds"
        timer = asyncio.get_running_loop().call_later(options.deadline, stop.end, "deadline", message)
    try:
        await in_slots(items, one, options.concurrency, Stop())
    finally:
        if timer is not None:
            timer.cancel()


def _tried(policy: Policy, example: Example, report: Report) -> Tried:
    cells = tuple(cell for concern in policy.concerns for cell in _cells(concern, example, report))
    known = {concern.name: _verdict(concern, report) for concern in policy.concerns}
    ruled = tuple(Ruled(name, verdict, known[name]) for name, verdict in example.verdicts.items())
    return Tried(example, report, cells, ruled)


def _cells(concern: Concern, example: Example, report: Report) -> Iterator[Cell]:
    expected = set(example.found.get(concern.name, ()))
    unknown = _unknown(concern, report)
    came = _came(_finding(concern, report))
    for passage in report.source.passages:
        what: Came = "unchecked" if passage.id in unknown else came.get(passage.id, "not")
        yield Cell(concern.name, passage.id, passage.id in expected, what)


def _unknown(concern: Concern, report: Report) -> set[str]:
    """Give the passages of which it is not known whether they are evidence.

    Roles are filled by the best of all passages: where one of them was not screened, nothing of it is known.
    """
    unscreened = set(report.unchecked)
    if unscreened and concern.roles:
        return {each.id for each in report.source.passages}
    failed = {each for error in report.errors if error.concern == concern.name for each in error.passage_ids}
    return unscreened | failed


def _came(finding: Finding | None) -> Mapping[str, Came]:
    if finding is None or finding.verdict == "fails":
        return {}
    holds = finding.verdict == "holds"
    return {each.passage.id: "held" if holds and each.verdict == "holds" else "review" for each in finding.evidence}


def _verdict(concern: Concern, report: Report) -> str | None:
    """Give what became of a concern; None where that is not known."""
    if _unknown(concern, report):
        return None
    finding = _finding(concern, report)
    return _ABSENT if finding is None else finding.verdict


def _finding(concern: Concern, report: Report) -> Finding | None:
    return next((each for each in report.findings if each.concern == concern.name), None)
