"""`cite-lsp policy check` and `cite-lsp policy list`: which policies there are, and what is wrong with them."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import orjson
from rich.console import Console
from rich.text import Text

from cite_lsp.cli.formats.as_json import shown
from cite_lsp.cli.formats.as_text import TextWriter, visible
from cite_lsp.cli.formats.policy_json import tool
from cite_lsp.cli.judging import DONE, FOUND, USAGE, errors_of
from cite_lsp.cli.policy_account import counted
from cite_lsp.cli.policy_shelf import Shelf, Shelved, ours, read_any, tell_faults
from cite_lsp.cli.run import Request, Run, prepare
from cite_lsp.findings.finding import Severity
from cite_lsp.policy.bands import ENDING as BANDS
from cite_lsp.policy.recordings import ENDING as ANSWERS
from cite_lsp.snapshot.lines import DocumentText

if TYPE_CHECKING:
    from cite_lsp.policy.files import PolicyFile


def check_policies(names: tuple[str, ...], console: Console, *, json: bool, quiet: bool) -> int:
    """Check policy files; give the exit status. Raises `UsageError`."""
    run = opened()
    shelf = Shelf.of(run, names)
    if json:
        _write({"policies": [_checked_data(each) for each in shelf.chosen], "summary": _summary_data(shelf)})
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


def usable(run: Run, names: tuple[str, ...], console: Console) -> Shelf | None:
    """Give the policies that are asked; None, once it is said why, where settings or one of them are wrong."""
    if not all(each.refused for each in run.problems):
        tell_settings(run, console)
        errors_of(console).print("cite-lsp: nothing is asked until the settings are mended", highlight=False)
        return None
    shelf = Shelf.of(run, names)
    if not shelf.faulty:
        return shelf
    tell_faults(shelf.faulty, errors_of(console), run)
    errors_of(console).print("cite-lsp: nothing is asked until the policies are mended", highlight=False)
    return None


def list_policies(console: Console, *, json: bool) -> int:
    """List the policies that there are; give the exit status."""
    run = opened()
    shelf = Shelf.of(run)
    chosen = {each.read.path for each in shelf.chosen}
    others = [each for each in ours() if each.read.path not in chosen]
    if json:
        listed = [_listed_data(each, used=True) for each in shelf.chosen]
        _write({"policies": [*listed, *(_listed_data(each, used=False) for each in others)]})
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
    yield "calibrated" if _is_calibrated(each) else "not calibrated"


def _is_calibrated(each: Shelved) -> bool:
    return not each.is_table and isinstance(read_any(each.beside(BANDS)), DocumentText)


# --- as JSON


def _write(data: dict[str, Any]) -> None:
    whole = {"schema": 1, "tool": tool(), **data}
    sys.stdout.buffer.write(orjson.dumps(whole, option=orjson.OPT_INDENT_2) + b"\n")


def _checked_data(each: Shelved) -> dict[str, Any]:
    from cite_lsp.cli.formats.policy_faults import faults_data  # noqa: PLC0415 - only here

    text = each.text() if each.read.faults else ""
    return {"name": each.name, "path": shown(each.read.path), "findings": faults_data(text, each.read.faults)}


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
            "calibrated": _is_calibrated(each),
        }
    return data
