"""`cite-lsp policy check` and `cite-lsp policy list`: which policies there are, and what is wrong with them."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from cite_lsp.cli.formats.as_json import shown
from cite_lsp.cli.formats.as_text import TextWriter, visible
from cite_lsp.cli.formats.policy_json import checked_data, write_data, wrong_data
from cite_lsp.cli.judging import DONE, FOUND, USAGE, errors_of
from cite_lsp.cli.policy_account import counted
from cite_lsp.cli.policy_shelf import Shelf, Shelved, ours, read_any, tell_faults
from cite_lsp.cli.run import Request, Run, prepare
from cite_lsp.findings.finding import Severity
from cite_lsp.policy.recordings import ENDING as ANSWERS
from cite_lsp.snapshot.lines import DocumentText

if TYPE_CHECKING:
    from cite_lsp.policy.files import PolicyFile


def check_policies(names: tuple[str, ...], console: Console, *, json: bool, quiet: bool) -> int:
    """Check policy files; give the exit status. Raises `UsageError`."""
    run = opened()
    shelf = Shelf.of(run, names)
    if json:
        checked = [checked_data(each) for each in shelf.chosen]
        settings = wrong_data(run, ())["settings"]
        write_data({"settings": settings, "policies": checked, "summary": _summary_data(shelf)})
    else:
        tell_settings(run, console)
        faults = tell_faults(shelf.faulty, console, run)
        for note in shelf.notes(1):
            console.print(Text.assemble(("note: ", "bold"), visible(note)))
        if not quiet:
            console.print(Text(_summary(shelf, faults)))
    sys.stdout.flush()
    if run.problems and not names:
        return USAGE
    return FOUND if shelf.faulty else DONE


def opened(command_line: dict[str, Any] | None = None) -> Run:
    """Give a run at the working folder, whose settings say which policies there are."""
    run = prepare(Request(()), {**(command_line or {}), "drift.enabled": False})
    run.notes = run.snapshot.notes
    return run


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing is asked: settings or policies are wrong, which was said on standard error.

    Attributes:
        run: The run, with the problems of its settings.
        policies: Those with faults; () where the settings are to be mended first.
        note: The same in a sentence without a full stop.
    """

    run: Run
    policies: tuple[Shelved, ...]
    note: str

    def data(self, **more: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
        """Give it as JSON, with what else a command's JSON has."""
        return {**wrong_data(self.run, self.policies), **more, "notes": [*self.run.notes, self.note]}


def usable(run: Run, names: tuple[str, ...], console: Console) -> Shelf | Refusal:
    """Give the policies that are asked; a refusal, once it is said why, where settings or one of them are wrong."""
    if not all(each.refused for each in run.problems):
        tell_settings(run, console)
        return _refused(Refusal(run, (), "nothing is asked until the settings are mended"), console)
    shelf = Shelf.of(run, names)
    if not shelf.faulty:
        return shelf
    tell_faults(shelf.faulty, errors_of(console), run)
    return _refused(Refusal(run, shelf.faulty, "nothing is asked until the policies are mended"), console)


def _refused(refusal: Refusal, console: Console) -> Refusal:
    errors_of(console).print(f"cite-lsp: {refusal.note}", highlight=False)
    return refusal


def list_policies(console: Console, *, json: bool) -> int:
    """List the policies that there are; give the exit status."""
    run = opened()
    shelf = Shelf.of(run)
    chosen = {each.read.path for each in shelf.chosen}
    others = [each for each in ours() if each.read.path not in chosen]
    if json:
        listed = [_listed_data(each, used=True) for each in shelf.chosen]
        listed += [_listed_data(each, used=False) for each in others]
        write_data({"settings": wrong_data(run, ())["settings"], "policies": listed})
    else:
        tell_settings(run, console)
        for each in shelf.chosen:
            _tell(_lines_of(each), console)
        if not shelf.chosen:
            console.print(Text("the settings have no policy", "bold"))
            console.print()
        if others:
            console.print(Text("come with cite-lsp, and are used where policies.files names them:", "bold"))
            for each in others:
                _tell(_lines_of(each), console)
    sys.stdout.flush()
    return USAGE if run.problems else DONE


def tell_settings(run: Run, console: Console) -> None:
    """Say on standard error what is wrong with the settings."""
    if run.problems:
        TextWriter(errors_of(console), run, Severity.HINT).begin()


def _summary(shelf: Shelf, faults: int) -> str:
    policies = counted(len(shelf.chosen), "policy", "policies")
    if not faults:
        return f"{policies} checked, nothing is wrong"
    return f"{policies} checked: {counted(faults, 'fault')} in {len(shelf.faulty):,}"


def _tell(lines: Iterator[str], console: Console) -> None:
    console.print(Text(visible(next(lines)), "bold"), highlight=False)
    for line in lines:
        console.print(Text(f"  {visible(line)}"), highlight=False)
    console.print()


def _lines_of(each: Shelved) -> Iterator[str]:
    file = each.read.file
    if file is None:
        yield each.name
        yield f"{each.read.path}: {counted(len(each.read.faults), 'fault')}; `cite-lsp policy check` shows them"
        return
    name = each.read.path if each.is_shipped else each.name
    yield f"{name}: {file.summary}" if file.summary else name
    where = "" if each.is_shipped else f"{each.read.path}; "
    about = ", ".join(file.applies_to) if file.applies_to else "every document"
    yield f"{where}applies to {about}, by {file.passages}{_BESIDE[file.input]}"
    yield f"looks for {', '.join(f'{name} ({level})' for name, level in file.severities.items())}"
    yield "; ".join(_state(each, file))


_BESIDE = {
    "none": "",
    "given": ", each asked beside the text of --input",
    "cited": ", each that cites something asked beside the cited lines",
}


def _state(each: Shelved, file: "PolicyFile") -> Iterator[str]:
    examples = counted(len(file.tests), "example")
    recorded = isinstance(read_any(each.beside(ANSWERS)), DocumentText)
    yield f"{examples}, {'with recorded answers' if recorded else 'no recorded answers'}"
    yield _calibration(each)["words"]


def _calibration(each: Shelved) -> dict[str, Any]:
    """Give how a policy is calibrated: whether a band counts, for whose answers, and what does not count any more.

    Nobody is asked here, so bands count for the model that they were fitted to; a run says whether it is that one.
    """
    kept = each.kept_bands()
    if kept is None:
        return {"calibrated": False, "model": None, "stale": [], "words": "not calibrated"}
    bands, stale = len(kept.bands), [*kept.stale]
    words = f"calibrated for the answers of {kept.model}: {counted(bands, 'band')}" if bands else "not calibrated"
    words += "".join(f"; {sentence}" for sentence in stale)
    if not (bands or stale):
        words += f" (no band was found on {kept.calibrated_at})"
    return {"calibrated": bool(bands), "model": kept.model or None, "stale": stale, "words": words}


# --- as JSON


def _summary_data(shelf: Shelf) -> dict[str, int]:
    faults: Sequence[int] = [len(each.read.faults) for each in shelf.chosen]
    return {"policies": len(shelf.chosen), "refused": len(shelf.faulty), "faults": sum(faults)}


def _listed_data(each: Shelved, *, used: bool) -> dict[str, Any]:
    file = each.read.file
    data: dict[str, Any] = {"name": each.name, "path": shown(each.read.path), "used": used, "refused": file is None}
    if file is not None:
        data |= {
            "summary": file.summary,
            "applies_to": list(file.applies_to),
            "passages": file.passages,
            "concerns": dict(file.severities),
            "tests": len(file.tests),
            "recorded": isinstance(read_any(each.beside(ANSWERS)), DocumentText),
        }
        data |= {name: value for name, value in _calibration(each).items() if name != "words"}
    return data
