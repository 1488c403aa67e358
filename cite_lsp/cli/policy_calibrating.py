"""`cite-lsp policy calibrate`: when an answer decides, and when a person should look, by labelled examples."""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from cite_lsp.cli.formats.as_text import visible
from cite_lsp.cli.formats.policy_json import write_data, wrong_data
from cite_lsp.cli.judging import DONE, INTERRUPTED, UNFINISHED, USAGE, errors_of
from cite_lsp.cli.policy_account import counted
from cite_lsp.cli.policy_checking import Refusal, opened, usable
from cite_lsp.cli.policy_shelf import Shelved, read_any
from cite_lsp.cli.policy_trying import NOBODY, Tried, Trying, keep_beside, recordings_of, write_file
from cite_lsp.cli.run import Run, UsageError, absolute
from cite_lsp.policy.bands import ENDING, bands_text
from cite_lsp.policy.calibration import Aim, Calibration, LabelledScore, fit
from cite_lsp.policy.labelled_lines import Labelled, read_labelled
from cite_lsp.policy.labelled_rows import rows_of
from cite_lsp.snapshot.lines import Unread

if TYPE_CHECKING:
    from cite_lsp.policy.files import PolicyFile

_MOST_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person wants of `policy calibrate`."""

    examples: str | None = None
    error_rate: float = 0.1
    ask: bool = False
    diagram: str | None = None
    write: bool = False
    command_line: Mapping[str, Any] = field(default_factory=dict)
    json: bool = False
    quiet: bool = False


def calibrate(name: str, wishes: Wishes, console: Console) -> int:
    """Calibrate a policy on its labelled examples; give the exit status. Raises `UsageError`, `UnfinishedError`."""
    run = opened(dict(wishes.command_line))
    errors = errors_of(console)
    shelf = usable(run, (name,), console)
    if isinstance(shelf, Refusal):
        if wishes.json:
            write_data(shelf.data(examples=0, calibration=None))
            sys.stdout.flush()
        return USAGE
    (shelved,) = shelf.chosen[:1]
    file = shelf.files[0]
    if wishes.write and (shelved.is_shipped or shelved.is_table):
        keep_beside(shelved, ENDING, "")  # says so before anything is paid for
    trying = Trying(run, console, wishes.command_line, wishes.ask, wishes.quiet)
    why = trying.why_not()
    if why:
        errors.print(Text(f"cite-lsp: not calibrated: {why}"), highlight=False)
        if wishes.json:
            notes = [*run.notes, f"not calibrated: {why}"]
            write_data({**wrong_data(run, ()), "examples": 0, "calibration": None, "notes": notes})
            sys.stdout.flush()
        return UNFINISHED
    labelled = _labelled(wishes.examples, file, trying)
    examples = (*file.tests, *labelled.examples)
    if not (examples or labelled.rows):
        raise UsageError(
            f"{shelved.name} has no labelled examples: add [[test]] tables to it, or name some with --examples"
        )
    tried = trying.all(shelved, examples, calibrated=False)
    if labelled.rows and tried.identity == NOBODY:
        tried = replace(tried, identity=_whose(trying, wishes))
    rows = [*rows_of(tried.report, file.options), *labelled.rows]
    found = list(fit(rows, Aim(error_rate=wishes.error_rate)).values())
    said = _missing(shelved, tried, trying, wishes)
    _tell(shelved, tried, rows, found, wishes, said, run, console)
    _keep(shelved, file, tried, found, wishes, trying, console)
    for line in said:
        errors.print(Text(f"cite-lsp: {visible(line)}"), highlight=False)
    if trying.interrupted:
        return INTERRUPTED
    left = tried.report.count("unchecked")
    return DONE if not left and any(each.band is not None for each in found) else UNFINISHED


def _whose(trying: Trying, wishes: Wishes) -> str:
    """Give whose answers the scores of labelled rows are, where none is recorded: those of the judge of the settings.

    Raises:
        UsageError: Bands are to be written, and the settings name no judge that answers policies.
    """
    if not trying.clients.why_not(trying.run.settings):
        return trying.clients.of(trying.run.settings).identity
    if wishes.write:
        raise UsageError(
            "whose answers the scores of --examples are is not known, and bands count for one model only: name it "
            "with --judge, --model and --base-url"
        )
    return NOBODY


def _labelled(path: str | None, file: "PolicyFile", trying: Trying) -> Labelled:
    if path is None:
        return Labelled()
    full = absolute(path)
    trying.check_sending(full)
    read = read_any(full, max_bytes=trying.run.settings.files.max_document_bytes)
    if isinstance(read, Unread):
        raise UsageError(f"--examples {path} {read.reason}")
    labelled = read_labelled(read.text, file)
    if labelled.faults:
        for each in labelled.faults[:_MOST_FAULTS]:
            line = Text(f"cite-lsp: {visible(path)}:{each.line}: {visible(each.message)}")
            errors_of(trying.console).print(line, highlight=False)
        raise UsageError(f"nothing is calibrated until {path} is mended: {counted(len(labelled.faults), 'fault')}")
    return labelled


def _missing(shelved: Shelved, tried: Tried, trying: Trying, wishes: Wishes) -> list[str]:
    """Say what is missing, a sentence without a full stop each."""
    said = list(trying.clients.warnings)
    left = tried.report.count("unchecked")
    if left and not wishes.ask:
        recorded = recordings_of(shelved) is not None
        why = "have no recorded answers" if recorded else "count for nothing: no answers are recorded"
        said.append(
            f"{counted(left, 'example')} {why}; `cite-lsp policy test --record {shelved.read.path}` asks and keeps "
            "them, --ask asks now"
        )
    elif left:
        reasons = dict.fromkeys(why for each in tried.report.tried for why in each.unanswered)
        said.append(f"{counted(left, 'example')} got no answer: {'; '.join(reasons)}")
    if trying.interrupted:
        said.append("interrupted: no bands are written of a part of the examples")
    return said


def _keep(
    shelved: Shelved,
    file: "PolicyFile",
    tried: Tried,
    found: Sequence[Calibration],
    wishes: Wishes,
    trying: Trying,
    console: Console,
) -> None:
    """Write what was asked for: the diagram, and the bands."""
    done = []
    if wishes.diagram is not None:
        from cite_lsp.policy.diagram import diagram  # noqa: PLC0415 - few want one

        title = f"{shelved.name}: how far the answers of {tried.identity} can be taken at their word"
        write_file(absolute(wishes.diagram), diagram(found, title))
        done.append(f"wrote the diagram to {wishes.diagram}")
    bands = sum(each.band is not None for each in found)
    if bands and not wishes.write:
        done.append(f"no bands were written; --write keeps {counted(bands, 'band')} beside the policy")
    if wishes.write and found and not trying.interrupted:
        text = _bands(file, tried, found)
        done.append(f"wrote {counted(len(found), 'question')} to {keep_beside(shelved, ENDING, text)}")
    for line in () if wishes.json or wishes.quiet else done:
        console.print(Text(visible(line)), highlight=False)
    sys.stdout.flush()


def _bands(file: "PolicyFile", tried: Tried, found: Sequence[Calibration]) -> str:
    today = time.strftime("%Y-%m-%d", time.gmtime())
    return bands_text(found, file.policy, name=file.name, identity=tried.identity, calibrated_at=today)


def _tell(
    shelved: Shelved,
    tried: Tried,
    rows: Sequence[LabelledScore],
    found: Sequence[Calibration],
    wishes: Wishes,
    said: Sequence[str],
    run: Run,
    console: Console,
) -> None:
    file = shelved.read.file
    if wishes.json and file is not None:
        data = json.loads(_bands(file, tried, found)) if found else None
        more = {"examples": len(tried.report.tried), "calibration": data, "notes": [*run.notes, *said]}
        write_data({**wrong_data(run, ()), **more})
        return
    recorded = f", recorded on {tried.when}" if tried.when else ""
    console.print(
        Text.assemble(
            (visible(shelved.name), "bold underline"),
            f": {counted(len(tried.report.tried), 'example')}, {counted(len(rows), 'row')}",
            "" if tried.identity == NOBODY else f"; answers of {visible(tried.identity)}{visible(recorded)}",
        ),
        highlight=False,
    )
    for each in found:
        console.print(Text(visible(each.label), "bold"), highlight=False)
        for line in _lines(each):
            console.print(Text(f"  {visible(line)}"), highlight=False)
    if not found:
        console.print("no question has a labelled row", highlight=False)


def _lines(each: Calibration) -> Iterator[str]:
    yield f"{counted(each.rows, 'row')} of {counted(each.groups, 'example')}, {each.true:,} of them yes"
    if each.band is None:
        yield f"no band, so the policy's own counts: {each.why}"
    else:
        low, high = each.band
        yield f"up to {low:.3g} is no, from {high:.3g} on is yes, in between a person should look"
    if each.coverage is not None:
        wrong = "" if each.held_out_error is None else f", {_percent(each.held_out_error)} of those wrongly"
        yield f"held out: {_percent(each.coverage)} decided{wrong} (aim: {_percent(each.aim.error_rate)} at most)"
    if each.bounds:
        yield each.bounds
    if each.brier is not None and each.ece is not None:
        yield (
            f"Brier score {each.brier[0]:.4f} before, {each.brier[1]:.4f} after; "
            f"expected calibration error {each.ece[0]:.4f} before, {each.ece[1]:.4f} after"
        )


def _percent(share: float) -> str:
    return f"{share * 100:.3g} %"
