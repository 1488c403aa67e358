"""The JSON of `cite-lsp policy …`; that of `policy run` is written document by document."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from cite_lsp import __version__
from cite_lsp.cli.console import write_bytes
from cite_lsp.cli.formats.as_json import Positions, Write, cleaned, dumps, finding_data, problem_document, shown
from cite_lsp.cli.run import Run
from cite_lsp.findings.finding import Severity

if TYPE_CHECKING:
    from cite_lsp.cli.policy_account import Account, Unchecked
    from cite_lsp.cli.policy_asked import Asked, Telling
    from cite_lsp.cli.policy_shelf import Shelved


class PolicyJsonWriter:
    """Writes one JSON object; documents of one policy come one after the other."""

    def __init__(self, write: Write, run: Run) -> None:
        self._write = write
        self._run = run
        self._policy: tuple[str, str] | None = None
        self._stale: dict[str, None] = {}
        self._first = True

    def begin(self, refused: "Sequence[Shelved]" = ()) -> None:
        """Write what comes before the first policy: what is wrong with the settings, and with policies."""
        head = dumps({"schema": 1, "tool": tool(), "root": shown(os.path.relpath(self._run.root))})
        self._write(head[:-1] + b"," + dumps(wrong_data(self._run, refused))[1:-1] + b',"policies":[')

    def write(self, asked: "Asked") -> None:
        """Write one document."""
        this = (asked.file.path, asked.file.name)
        if this != self._policy:
            self._close()
            head = dumps({"name": asked.file.name, "path": shown(asked.file.path)})
            self._write((b"" if self._policy is None else b",") + b"\n" + head[:-1] + b',"documents":[')
            self._policy, self._first = this, True
        self._write((b"\n" if self._first else b",\n") + dumps(_document(asked)))
        self._first = False
        self._stale |= dict.fromkeys(() if asked.outcome is None else asked.outcome.stale)

    def end(self, account: "Account", seconds: float, notes: Sequence[str]) -> None:
        """Write the summary."""
        self._close()
        self._write(b'\n],"notes":' + dumps([shown(note) for note in notes]))
        self._write(b',"summary":' + dumps(_summary(account, seconds)) + b"}\n")

    def _close(self) -> None:
        if self._policy is not None:
            self._write(b'\n],"stale":' + dumps([shown(each) for each in self._stale]) + b"}")
            self._stale.clear()


def tool() -> Mapping[str, str]:
    """Give who wrote an output."""
    return {"name": "cite-lsp", "version": __version__}


def write_data(data: Mapping[str, Any]) -> None:
    """Write the JSON of another command whole; text in it that no file can hold is shown as far as it goes."""
    whole = {"schema": 1, "tool": tool(), **data}
    write_bytes(orjson.dumps(cleaned(whole), option=orjson.OPT_INDENT_2) + b"\n")


def wrong_data(run: Run, refused: "Sequence[Shelved]") -> dict[str, Any]:
    """Give what is wrong with the settings, and the policies that cannot be asked with what is wrong in each."""
    sources = dict.fromkeys(problem.source for problem in run.problems)
    settings = [
        problem_document(source, [each for each in run.problems if each.source == source], run.root)
        for source in sources
    ]
    return {"settings": settings, "refused": [checked_data(each) for each in refused]}


def checked_data(each: "Shelved") -> dict[str, Any]:
    """Give a policy that was checked, and what is wrong in it."""
    from cite_lsp.cli.formats.policy_faults import faults_data  # noqa: PLC0415 - where something is wrong

    text = each.text() if each.read.faults else ""
    return {"name": each.name, "path": shown(each.read.path), "findings": faults_data(text, each.read.faults)}


def not_checked_data(each: "Unchecked") -> dict[str, Any]:
    """Give what was not checked."""
    return {
        "passages": list(each.passages),
        "lines": list(each.lines),
        "concern": each.concern or None,
        "why": each.why,
        "wished": each.wished,
    }


def _document(asked: "Asked") -> dict[str, Any]:
    places = Positions(asked.text)
    report = asked.report
    pieces = asked.pieces
    return {
        "path": asked.path,
        "sha256": asked.sha256 or None,
        "passages": len(pieces),
        "findings": [_telling(each, places) for each in asked.told],
        "not_checked": [not_checked_data(each) for each in asked.unchecked],
        "report": None if report is None else {
            **report.as_data(),
            "ranges": {each.id: places.range(each.start, each.end) for each in pieces},
        },
    }  # fmt: skip


def _telling(each: "Telling", places: Positions) -> dict[str, Any]:
    related = [{"range": places.range(other.start, other.end), "message": other.message} for other in each.related]
    verdict = {"concern": each.told.concern, "verdict": each.told.verdict, "passage": each.told.piece.id}
    return {**finding_data(each.finding, places), **verdict, "related": related}


def _summary(account: "Account", seconds: float) -> dict[str, Any]:
    return {
        "documents": len(account.documents),
        "unread": account.unread,
        "policies": len(account.policies),
        "passages": account.passages,
        "checked": account.checked,
        "not_checked": account.passages - account.checked,
        "findings": {severity.value: account.severities[severity] for severity in Severity},
        "verdicts": {name: account.verdicts[name] for name in ("holds", "review", "fails")},
        "judges": list(account.judges),
        "models": list(account.models),
        "requests": {
            "estimated": account.estimated,
            "screen": account.screened,
            "judge": account.requests - account.screened,
            "saved": account.recalled,
        },
        "tokens_in": account.tokens_in if account.counted else None,
        "tokens_out": account.tokens_out if account.counted else None,
        "interrupted": account.interrupted,
        "seconds": round(seconds, 3),
    }
