"""`cite-lsp policy test`: policies are tried on the examples that they come with."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.text import Text

from cite_lsp.cli.formats.as_json import shown
from cite_lsp.cli.formats.as_text import visible
from cite_lsp.cli.formats.policy_json import write_data, wrong_data
from cite_lsp.cli.judging import DONE, FOUND, INTERRUPTED, UNFINISHED, USAGE, errors_of
from cite_lsp.cli.policy_account import counted
from cite_lsp.cli.policy_checking import Refusal, opened, usable
from cite_lsp.cli.policy_shelf import Shelf, Shelved
from cite_lsp.cli.policy_trying import NOBODY, Tried, Trying, keep_beside, recorded_text, recordings_of
from cite_lsp.cli.run import UsageError
from cite_lsp.policy.examples import Confusion, ExampleReport
from cite_lsp.policy.examples import Outcome as Word
from cite_lsp.policy.examples import Tried as Example
from cite_lsp.policy.recordings import ENDING as ANSWERS

_Line = list[str | tuple[str, str]]
_STYLES: Mapping[str, str] = {"passed": "green", "failed": "bold red", "unchecked": "yellow"}
_WORDS: Mapping[Word, str] = {"passed": "passed", "failed": "failed", "unchecked": "not checked"}
_MOST_SAID = 10
"""Differences that are shown of one example."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person wants of `policy test`."""

    ask: bool = False
    record: bool = False
    command_line: Mapping[str, Any] = field(default_factory=dict)
    json: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one policy.

    Attributes:
        shelved: The policy.
        tried: Its examples; None where it has none.
        note: What a person should know, a sentence without a full stop; "" where nothing.
        refused: Why its examples cannot be tried, the same; "" where they can.
    """

    shelved: Shelved
    tried: Tried | None = None
    note: str = ""
    refused: str = ""

    @property
    def report(self) -> ExampleReport | None:
        """Of the examples."""
        return None if self.tried is None else self.tried.report


def try_examples(names: tuple[str, ...], wishes: Wishes, console: Console) -> int:
    """Try the examples of policies; give the exit status. Raises `UsageError`, `UnfinishedError`."""
    run = opened(dict(wishes.command_line))
    shelf = usable(run, names, console)
    if isinstance(shelf, Refusal):
        if wishes.json:
            write_data(shelf.data(policies=[]))
            sys.stdout.flush()
        return USAGE
    trying = Trying(run, console, wishes.command_line, wishes.ask, wishes.quiet)
    why = trying.why_not()
    if why:
        _say([f"not checked: {why}"], console)
        if wishes.json:
            untried = [_as_data(Outcome(each, None, f"not checked: {why}")) for each in shelf.chosen]
            write_data({**wrong_data(run, ()), "policies": untried, "notes": [*run.notes, *shelf.notes(1)]})
            sys.stdout.flush()
        return UNFINISHED
    outcomes = []
    for each in shelf.chosen:
        outcomes.append(_outcome(each, trying, wishes))
        if not wishes.json:
            _tell(outcomes[-1], console, quiet=wishes.quiet)
        if trying.interrupted:
            break
    warnings = [*dict.fromkeys(each for tried in outcomes for each in _warnings(tried)), *trying.clients.warnings]
    _sum_up(outcomes, shelf, wishes, warnings, console)
    _say(warnings, console)
    if trying.interrupted:
        _say(["interrupted: the examples that are left are not checked"], console)
        return INTERRUPTED
    return _status(outcomes, refused=bool(run.problems) or any(each.refused for each in outcomes))


def _warnings(outcome: Outcome) -> Iterator[str]:
    if outcome.refused:
        yield outcome.refused
    if outcome.tried is not None:
        yield from outcome.tried.stale


def _sum_up(
    outcomes: "Sequence[Outcome]", shelf: Shelf, wishes: Wishes, warnings: Sequence[str], console: Console
) -> None:
    if wishes.json:
        notes = [*shelf.run.notes, *shelf.notes(1), *warnings]
        policies = [_as_data(each) for each in outcomes]
        write_data({**wrong_data(shelf.run, ()), "policies": policies, "notes": notes})
    elif not wishes.quiet:
        for note in shelf.notes(1):
            console.print(Text.assemble(("note: ", "bold"), visible(note)), highlight=False)
        console.print(Text(_summary(outcomes)), highlight=False)
    sys.stdout.flush()


def _say(lines: Sequence[str], console: Console) -> None:
    for line in lines:
        errors_of(console).print(Text(f"cite-lsp: {visible(line)}"), highlight=False)


def _status(outcomes: Sequence[Outcome], *, refused: bool) -> int:
    if refused:
        return USAGE
    reports = [each.report for each in outcomes if each.report is not None]
    if any(each.count("failed") for each in reports):
        return FOUND
    return UNFINISHED if any(each.count("unchecked") for each in reports) else DONE


def _outcome(shelved: Shelved, trying: Trying, wishes: Wishes) -> Outcome:
    file = shelved.read.file
    if file is None or not file.tests:
        return Outcome(shelved, None, "it has no examples ([[test]])")
    if wishes.record and (shelved.is_shipped or shelved.is_table):
        keep_beside(shelved, ANSWERS, "")  # says so before anything is paid for
    if not wishes.ask:
        try:
            recordings_of(shelved)
        except UsageError as error:
            return Outcome(shelved, refused=str(error))
    tried = trying.all(shelved, file.tests, record=wishes.record)
    return Outcome(shelved, tried, _note(shelved, tried, wishes))


def _note(shelved: Shelved, tried: Tried, wishes: Wishes) -> str:
    if wishes.record:
        left = tried.report.count("unchecked")
        if left:
            return f"nothing was recorded: {counted(left, 'example')} got no answer"
        path = keep_beside(shelved, ANSWERS, recorded_text(tried))
        many = len(tried.recordings.answers) if tried.recordings is not None else 0
        return f"wrote {counted(many, 'answer')} of {tried.identity} to {path}"
    if not wishes.ask and recordings_of(shelved) is None:
        return f"no answers are recorded; `cite-lsp policy test --record {shelved.read.path}` asks and keeps them"
    if not wishes.ask and tried.report.count("unchecked"):
        return f"examples, questions or bands changed: `cite-lsp policy test --record {shelved.read.path}` asks anew"
    return ""


# --- as text


def _tell(outcome: Outcome, console: Console, *, quiet: bool) -> None:
    for parts in _lines(outcome, quiet=quiet):
        console.print(Text.assemble(*parts), highlight=False)


def _lines(outcome: Outcome, *, quiet: bool) -> Iterator[_Line]:
    shelved, report, tried = outcome.shelved, outcome.report, outcome.tried
    head: _Line = [(visible(shelved.name), "bold underline")]
    if shelved.read.path != shelved.name:
        head.append(f" ({visible(shelved.read.path)})")
    yield head
    if tried is not None and tried.identity and tried.identity != NOBODY:
        yield [
            f"  answers of {visible(tried.identity)}" + (f", recorded on {visible(tried.when)}" if tried.when else "")
        ]
    if report is not None:
        for each in report.tried:
            if each.outcome != "passed":
                yield from _example(each)
        if not quiet:
            for line in _table(report.tables):
                yield [line]
    if outcome.refused:
        yield ["  ", ("not checked ", _STYLES["unchecked"]), visible(outcome.refused)]
    if outcome.note:
        yield [("  note: ", "bold"), visible(outcome.note)]
    yield [""]


def _example(each: Example) -> Iterator[_Line]:
    word = _WORDS[each.outcome]
    yield ["  ", (f"{word:<12}", _STYLES[each.outcome]), f"{visible(each.example.name)} (line {each.example.line})"]
    said = [*each.wrong, *each.unanswered]
    for line in said[:_MOST_SAID]:
        yield [f"{'':14}{visible(line)}"]
    if len(said) > _MOST_SAID:
        yield [f"{'':14}and {len(said) - _MOST_SAID:,} more"]


_HEAD = ("concern", "held", "review", "missed", "held", "review", "not", "not checked", "precision", "recall")


def _table(tables: Mapping[str, Confusion]) -> Iterator[str]:
    """Give the confusion table of each concern as a row; the columns stand under what was labelled."""
    rows = [_HEAD, *(_row(name, each) for name, each in tables.items())]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEAD))]
    expected, others = sum(widths[1:4]) + 4, sum(widths[4:7]) + 4
    yield f"  {'':{widths[0]}}  {'expected':-^{expected}}  {'not expected':-^{max(others, 12)}}"
    for row in rows:
        first, rest = row[0], zip(row[1:], widths[1:], strict=True)
        yield f"  {first:<{widths[0]}}  " + "  ".join(f"{text:>{width}}" for text, width in rest)


def _row(name: str, each: Confusion) -> tuple[str, ...]:
    counts = (each.held, each.review, each.missed, each.found, each.doubted, each.left, each.unchecked)
    return (visible(name), *(f"{count:,}" for count in counts), _share(each.precision), _share(each.recall))


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.2f}"


def _summary(outcomes: Sequence[Outcome]) -> str:
    reports = [each.report for each in outcomes if each.report is not None]
    counts = Counter(each.outcome for report in reports for each in report.tried)
    said = [f"{counts[name]:,} {word}" for name, word in _WORDS.items() if counts[name]]
    examples = counted(sum(len(each.tried) for each in reports), "example")
    policies = counted(len(outcomes), "policy", "policies")
    return f"{examples} of {policies}" + (f": {', '.join(said)}" if said else "")


def _as_data(outcome: Outcome) -> dict[str, Any]:
    tried = outcome.tried
    return {
        "name": outcome.shelved.name,
        "path": shown(outcome.shelved.read.path),
        "answers_of": None if tried is None or tried.identity == NOBODY else tried.identity,
        "recorded_at": (tried.when or None) if tried is not None else None,
        "note": outcome.note or outcome.refused or None,
        "stale": [] if tried is None else list(tried.stale),
        "report": None if tried is None else tried.report.as_data(),
    }
