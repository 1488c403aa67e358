"""SARIF 2.1.0, as GitHub's code scanning and other viewers take it; what was not checked is said as notifications."""

import os
import re
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from cite_lsp import __version__
from cite_lsp.cli.formats.as_json import dumps, shown
from cite_lsp.cli.formats.entries import (
    NOT_CHECKED,
    NOT_READ,
    Ending,
    Entries,
    Entry,
    Region,
    Top,
    Unchecked,
    problem_entries,
)
from cite_lsp.cli.run import Run
from cite_lsp.cli.summary import Summary
from cite_lsp.findings.catalogue import explain, find_code
from cite_lsp.findings.finding import Severity

if TYPE_CHECKING:
    from cite_lsp.cli.audited import Account

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS = 25_000
"""What code scanning takes of one run."""
MOST_BYTES = 9 << 20
"""Of results, compressed: an upload of more than ten megabytes is refused, and there is something besides."""
_AT_ONCE = 250
_BASE = "%SRCROOT%"
_LEVELS = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}
_PROBLEMS = {"error": "error", "warning": "warning", "information": "recommendation", "hint": "recommendation"}
_MARKS = re.compile(r"\](?=\()|\{(?=[{0-9])|\}(?=\})")
"""What a viewer may take for a link, `[text](1)`, for a placeholder, `{0}`, or, doubled, for one brace."""
_NOTE = "note"
_DESCRIPTORS = {
    NOT_READ: "A document was not read.",
    NOT_CHECKED: "Citations or passages were not judged.",
    "setting": "A setting was refused.",
    "left-out": "There is more than this file may hold.",
    _NOTE: "What to know of the run.",
}


class SarifWriter:
    """Writes one run; results are gathered, since the rules that stand before them are known at the end."""

    def __init__(
        self,
        write: Callable[[bytes], object],
        run: Run,
        level: Severity,
        always: Collection[str] = (),
        command: str = "check",
    ) -> None:
        """Make one.

        Args:
            write: Takes the bytes.
            run: The run.
            level: The quietest severity that is a result.
            always: Codes that are results whatever their severity.
            command: Which command runs: code scanning keeps the alerts of each apart, as it does those of each root.
        """
        self._write = write
        self._run = run
        self._level = level
        self._always = always
        self._command = command
        self._results: list[tuple[int, bytes]] = []
        self._rules: dict[str, int] = {}
        self._unchecked = Unchecked()
        self._left_out = 0
        self._quiet = 0

    def begin(self) -> None:
        """Take in the settings that were refused."""
        for path, entry in problem_entries(self._run):
            if path is not None:
                self._take(path, entry)

    def write(self, piece: bytes) -> None:
        """Take in one document, as its form gives it."""
        entries = Entries.loads(piece)
        self._unchecked.add(entries)
        for entry in entries.found:
            if entry.told(self._level, self._always):
                self._take(entries.path, entry)
            else:
                self._quiet += 1

    def end(self, summary: Summary, _seconds: float, account: "Account | None" = None, /) -> None:
        """Write the run of a check, or of a judge."""
        counts = {
            "documents": summary.documents,
            "citations": summary.anchors,
            "resolved": summary.resolved,
            "judged": summary.judged,
            "notJudged": summary.anchors - summary.judged,
            "accepted": summary.accepted,
        }
        notes = (*self._run.notes, *summary.notes)
        not_judged = account.notes if account is not None else ()
        finished = account is None or not (account.troubles or account.interrupted)
        self.close(Ending(notes, not_judged, counts=counts, finished=finished))

    def close(self, ending: Ending) -> None:
        """Write the run."""
        kept = list(self._kept())
        done = ending.finished and not self._unchecked.missed and not self._run.problems
        head = {
            "tool": {"driver": self._driver()},
            "columnKind": "utf16CodeUnits",
            "newlineSequences": ["\r\n", "\n", "\r"],
            "originalUriBaseIds": {_BASE: {"description": {"text": "The top of the repository."}}},
            "automationDetails": {"id": f"cite-lsp/{self._command}/{shown(Top.of(self._run.root).prefix)}"},
            "invocations": [
                {
                    "executionSuccessful": done,
                    "toolConfigurationNotifications": list(self._of_settings()),
                    "toolExecutionNotifications": list(self._notifications(ending)),
                }
            ],
            "properties": {**ending.counts, "belowLevel": self._quiet},
        }
        self._write(b'{"$schema":' + dumps(SCHEMA) + b',"version":"2.1.0","runs":[\n' + dumps(head)[:-1])
        self._write(b',"results":[\n' + b",\n".join(kept) + b"\n]}]}\n")

    # --- results

    def _take(self, path: str, entry: Entry) -> None:
        self._rules.setdefault(entry.code, len(self._rules))
        self._results.append((Severity(entry.severity).rank, dumps(self._result(path, entry))))
        if len(self._results) > 2 * MOST_RESULTS:
            self._drop()

    def _drop(self) -> None:
        """Let go of what is over the limit: the quietest, and of them the last."""
        self._results.sort(key=lambda each: each[0])
        self._left_out += len(self._results) - MOST_RESULTS
        del self._results[MOST_RESULTS:]

    def _kept(self) -> Iterator[bytes]:
        """Give the results that an upload may hold."""
        if len(self._results) > MOST_RESULTS:
            self._drop()
        results = [each for _, each in self._results]
        if sum(map(len, results)) > MOST_BYTES:
            results = [each for _, each in sorted(self._results, key=lambda each: each[0])]
        room = MOST_BYTES
        for at in range(0, len(results), _AT_ONCE):
            some = results[at : at + _AT_ONCE]
            room -= len(zlib.compress(b"".join(some), 6))
            if room < 0:
                self._left_out += len(results) - at
                return
            yield from some

    def _result(self, path: str, entry: Entry) -> dict[str, Any]:
        prints = {"citeLsp/v1": entry.fingerprint}
        if entry.line_hash:
            prints["primaryLocationLineHash"] = entry.line_hash
        result = {
            "ruleId": entry.code,
            "ruleIndex": self._rules[entry.code],
            "level": _LEVELS[entry.severity],
            "message": {"text": _text(entry.message)},
            "locations": [_location(path, entry.region)],
            "partialFingerprints": prints,
        }
        if entry.related:
            result["relatedLocations"] = [
                {"id": number, **_location(each["path"], each["region"]), "message": {"text": _text(each["message"])}}
                for number, each in enumerate(entry.related, 1)
            ]
        if entry.fixes:
            result["fixes"] = [_fix(path, fix) for fix in entry.fixes]
        return result

    # --- what stands beside them

    def _driver(self) -> dict[str, Any]:
        rules = [_rule(code) for code in self._rules]
        notifications = [{"id": name, "shortDescription": {"text": text}} for name, text in _DESCRIPTORS.items()]
        return {"name": "cite-lsp", "semanticVersion": __version__, "rules": rules, "notifications": notifications}

    def _of_settings(self) -> Iterator[dict[str, Any]]:
        for path, entry in problem_entries(self._run):
            yield _notification("setting", "error", entry.message, path, entry.region if path is not None else None)

    def _notifications(self, ending: Ending) -> Iterator[dict[str, Any]]:
        for path, why, missed in self._unchecked.unread:
            level = "error" if missed else "note"
            yield _notification(NOT_READ, level, f"{path} {why}; it was not checked", path)
        for path, why in self._unchecked.others:
            yield _notification(NOT_CHECKED, "warning", why, path)
        for why in ending.not_checked:
            yield _notification(NOT_CHECKED, "warning", why)
        if self._left_out:
            told = f"{self._left_out:,} more findings are left out, the quietest ones: code scanning takes no more"
            yield _notification("left-out", "warning", told)
        for note in ending.notes:
            yield _notification(_NOTE, "note", note)


def _rule(code: str) -> dict[str, Any]:
    known = find_code(code)
    page = explain(code) or code
    summary = known.summary if known is not None else code
    default = known.default_severity if known is not None else Severity.WARNING
    severity = default.value if isinstance(default, Severity) else Severity.WARNING.value
    layer = known.layer if known is not None else "document"
    said = f"{summary[:1].upper()}{summary[1:]}."
    return {
        "id": code,
        "name": code,
        "shortDescription": {"text": said},
        "fullDescription": {"text": said},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _LEVELS[severity], "enabled": default != "off"},
        "properties": {"tags": ["citations", layer], "problem.severity": _PROBLEMS[severity]},
    }


def _location(path: str, region: Region | None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(path)}
    if region is not None:
        place["region"] = region
    return {"physicalLocation": place}


def _artifact(path: str) -> dict[str, str]:
    return {"uri": quote(os.fsencode(path), safe="/~!$&'()*+,;=@"), "uriBaseId": _BASE}


def _fix(path: str, fix: Mapping[str, Any]) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": each["region"], "insertedContent": {"text": each["text"]}} for each in fix["edits"]
    ]
    changes = [{"artifactLocation": _artifact(path), "replacements": replacements}]
    return {"description": {"text": _text(fix["title"])}, "artifactChanges": changes}


def _notification(
    name: str, level: str, message: str, path: str | None = None, region: Region | None = None
) -> dict[str, Any]:
    told: dict[str, Any] = {"descriptor": {"id": name}, "level": level, "message": {"text": _text(message)}}
    if path is not None:
        told["locations"] = [_location(path, region)]
    return told


def _text(message: str) -> str:
    """Give a message in which a viewer sees neither link nor placeholder: documents and paths have brackets.

    They are broken by a blank of no width. Viewers differ in whether they take back the standard's own escapes, and
    those that do not would show them.
    """
    return _MARKS.sub("\\g<0>\u200b", shown(message)) or "(no message)"
