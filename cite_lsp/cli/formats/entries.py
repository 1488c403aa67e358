"""Findings as the formats for CI take them: each with its place, what it cites, and a name that outlives edits.

A document becomes one piece of JSON, so that a child process may make it and the next run may tell it again; the
formats read it back. Paths in it are relative to the top of the repository, which is what hosts of repositories want:
the folder of the settings may lie deeper.
"""

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

from cite_lsp.cli.formats.as_json import Positions, dumps, shown
from cite_lsp.cli.formats.line_hashes import LineHashes
from cite_lsp.cli.run import Report, Run
from cite_lsp.findings.finding import Edit, Finding, Severity
from cite_lsp.findings.places import Places
from cite_lsp.snapshot.git import ask

if TYPE_CHECKING:
    from cite_lsp.cli.audited import Audited, Said
    from cite_lsp.cli.policy_asked import Asked
    from cite_lsp.config import Problem
    from cite_lsp.findings.check import Checked

Region = Mapping[str, int]
"""`startLine`, `startColumn`, `endLine`, `endColumn`: all 1-based, columns in UTF-16 units, the end exclusive."""

NOT_READ, NOT_CHECKED = "not-read", "not-checked"
"""What a document that was not read, and what was not judged, are listed under: no codes, since nothing was found."""
_BLANKS = re.compile(r"\s+")
_MOST_RELATED = 10
"""Places beside a finding that are named."""
_MOST_EVIDENCE = 5
_MOST_CHARACTERS = 500
"""Of a text that a fingerprint is made from: a paragraph may be a megabyte."""
_HASHED = 2 << 20
"""Characters of a document whose lines are hashed at most."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One finding.

    Attributes:
        code: The finding's code.
        severity: One of the four.
        message: A sentence without a full stop.
        region: Where it stands; None where that has no place.
        fingerprint: The same in every run in which the same is found of the same citation, on whatever line it stands;
            no other finding of the run has it.
        line_hash: What GitHub calls its line; "" where that was not worked out.
        fixes: `{"title", "edits": [{"region", "text"}]}`, those with one answer only.
        related: `{"path", "region", "message"}`: the cited lines, where they stand now, what a verdict relies on.
    """

    code: str
    severity: str
    message: str
    region: Region | None
    fingerprint: str
    line_hash: str = ""
    fixes: tuple[Mapping[str, Any], ...] = ()
    related: tuple[Mapping[str, Any], ...] = ()

    def told(self, level: Severity, always: Collection[str]) -> bool:
        """Whether it is loud enough to be listed: from `level` on, or of a code that always is."""
        return self.code in always or Severity(self.severity).at_least(level)


@dataclass(frozen=True, slots=True)
class Entries:
    """One document.

    Attributes:
        path: Relative to the top of the repository, POSIX.
        unread: Why it was not read; "" where it was.
        missed: Whether that leaves something unchecked that somebody wants checked.
        found: In list order: errors first, then by position.
        unchecked: What else was not checked of it, sentences without a full stop.
    """

    path: str
    unread: str = ""
    missed: bool = False
    found: tuple[Entry, ...] = ()
    unchecked: tuple[str, ...] = ()

    def dumps(self) -> bytes:
        """Give it as JSON."""
        return dumps(
            {
                "path": shown(self.path),
                "unread": self.unread,
                "missed": self.missed,
                "found": [{name: getattr(each, name) for name in Entry.__slots__} for each in self.found],
                "unchecked": self.unchecked,
            }
        )

    @classmethod
    def loads(cls, piece: bytes) -> "Entries":
        """Read what `dumps` gave."""
        data = orjson.loads(piece)
        found = [
            Entry(**{**each, "fixes": tuple(each["fixes"]), "related": tuple(each["related"])})
            for each in data["found"]
        ]
        return cls(data["path"], data["unread"], data["missed"], tuple(found), tuple(data["unchecked"]))


class EntriesForm:
    """Gives a document as entries, in JSON; it writes nothing, so that a child process may do it."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._top = Top.of(run.root)

    def of(self, report: Report, audited: "Audited | None" = None) -> bytes:
        """Give one document, with what a judge relies on."""
        path = self._top.path(report.path)
        if report.checked is None:
            return Entries(path, report.unread, not report.passed_over).dumps()
        return Entries(path, found=tuple(self._found(path, report.checked, audited))).dumps()

    def _found(self, path: str, checked: "Checked", audited: "Audited | None") -> Iterator[Entry]:
        maker = _Maker(path, checked.text)
        for finding in checked.findings:
            number = finding.anchor
            said = audited.said.get(number) if audited is not None and number is not None else None
            anchor = checked.anchors[number] if number is not None else None
            related = [*self._cited(finding, checked), *self._evidence(finding, checked, said)]
            yield maker.entry(finding, anchor.sentence if anchor is not None else "", related)

    def _cited(self, finding: Finding, checked: "Checked") -> Iterator[Mapping[str, Any]]:
        """Give the lines that a finding's citation means, and where their text stands now."""
        if finding.anchor is None:
            return
        anchor, resolution = checked.anchors[finding.anchor], checked.resolutions[finding.anchor]
        if resolution.resolved and resolution.root == self._run.root and not resolution.as_of:
            for span, status in zip(anchor.spans, resolution.spans, strict=False):
                if status == "found" and span[0] > 0:
                    yield self._place(resolution.path, *span, "the cited lines")
        if finding.code == "moved":
            places = [place for drift in checked.drifts[finding.anchor] or () for place in drift.places]
            for place in places:
                yield self._place(place.path, place.first, place.last, "where the cited text stands now")

    def _evidence(self, finding: Finding, checked: "Checked", said: "Said | None") -> Iterator[Mapping[str, Any]]:
        if said is None or said.row is None or finding.anchor is None or finding.code != said.verdict.label:
            return
        if checked.resolutions[finding.anchor].as_of:
            return  # lines of an older file: today's may not have them
        for line, _ in said.evidence[:_MOST_EVIDENCE]:
            yield self._place(said.row.path, line, line, "the verdict relies on this line")

    def _place(self, path: str, first: int, last: int, message: str) -> Mapping[str, Any]:
        return {
            "path": shown(self._top.path(path)),
            "region": {"startLine": first, "endLine": max(first, last)},
            "message": message,
        }


class PolicyEntriesForm:
    """Gives what a policy found in a document as entries, in JSON."""

    def __init__(self, run: Run) -> None:
        self._top = Top.of(run.root)

    def of(self, asked: "Asked") -> bytes:
        """Give one document under one policy."""
        path = self._top.path(asked.path)
        maker = _Maker(path, asked.text)
        found = [
            maker.entry(
                each.finding,
                "",  # its passage is named by its place, which shifts
                [maker.beside(other.start, other.end, other.message) for other in each.related],
            )
            for each in asked.told
        ]
        unchecked = [f"policy {each.policy}: {each.what} not checked: {each.why}" for each in asked.unchecked]
        return Entries(path, found=tuple(found), unchecked=tuple(unchecked)).dumps()


class _Maker:
    """Makes the entries of one document."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._text = text
        self._places = Places(text)
        self._positions = Positions(text)
        self._hashes = LineHashes(text) if len(text) <= _HASHED else None
        self._seen: Counter[str] = Counter()

    def entry(self, finding: Finding, context: str, related: Iterable[Mapping[str, Any]]) -> Entry:
        """Give the entry of a finding.

        Args:
            finding: The finding.
            context: What tells it from others of its code and wording: the sentence of its citation; "" for its line.
            related: Places beside it.
        """
        line = self._places.line(finding.start)
        return Entry(
            finding.code,
            finding.severity.value,
            finding.message,
            self._region(finding.start, finding.end),
            self._fingerprint(finding, context or self._places.line_text(line)),
            "" if self._hashes is None else self._hashes.of(line),
            tuple([
                {"title": fix.title, "edits": [self._edit(edit) for edit in fix.edits]}
                for fix in finding.fixes
                if fix.preferred and fix.edits
            ]),
            tuple(list(related)[:_MOST_RELATED]),
        )  # fmt: skip

    def beside(self, start: int, end: int, message: str) -> Mapping[str, Any]:
        """Give a place of the same document."""
        return {"path": shown(self._path), "region": self._region(start, end), "message": message}

    def _edit(self, edit: Edit) -> Mapping[str, Any]:
        return {"region": self._region(edit.start, edit.end), "text": edit.text}

    def _region(self, start: int, end: int) -> Region:
        found = self._positions.range(start, end)
        return {
            "startLine": found["start"]["line"] + 1,
            "startColumn": found["start"]["character"] + 1,
            "endLine": found["end"]["line"] + 1,
            "endColumn": found["end"]["character"] + 1,
        }

    def _fingerprint(self, finding: Finding, context: str) -> str:
        cited = self._text[finding.start : finding.end][:_MOST_CHARACTERS]
        parts = (finding.code, self._path, cited, context[:_MOST_CHARACTERS])
        key = "\0".join(_BLANKS.sub(" ", part).strip() for part in parts)
        self._seen[key] += 1
        return fingerprint(key, str(self._seen[key]))


def fingerprint(*parts: str) -> str:
    """Give a name made from texts, 32 hexadecimal digits."""
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Top:
    """Where the root of a run lies in its repository: "docs/" where that is the folder `docs`; "" at the top."""

    root: str
    prefix: str = ""

    @classmethod
    def of(cls, root: str) -> "Top":
        """Ask git; where there is no repository, the root is the top."""
        answer = ask(root, "rev-parse", "--show-prefix")
        return cls(root, "" if answer.code else os.fsdecode(answer.out).rstrip("\r\n"))

    def path(self, path: str) -> str:
        """Give a path relative to the top, from one relative to the root."""
        return self.prefix + path

    def of_source(self, source: str) -> str | None:
        """Give the path of a settings file; None for one outside the root, and for what is no file of the project."""
        inside = source.removeprefix(self.root + "/")
        return None if inside == source else self.prefix + inside


@dataclass(slots=True)
class Unchecked:
    """What a run left unchecked, gathered for the formats that say it at their end.

    Attributes:
        unread: Documents that were not read: path and reason.
        missed: Whether one of them should have been.
        others: What else was not checked, with the document's path.
    """

    unread: list[tuple[str, str, bool]] = field(default_factory=list)
    others: list[tuple[str, str]] = field(default_factory=list)

    def add(self, entries: Entries) -> None:
        """Note what was not checked of a document."""
        if entries.unread:
            self.unread.append((entries.path, entries.unread, entries.missed))
        self.others += [(entries.path, each) for each in entries.unchecked]

    @property
    def missed(self) -> bool:
        """Whether something was not read that should have been."""
        return any(missed for _, _, missed in self.unread)


@dataclass(frozen=True, slots=True)
class Ending:
    """What stands behind the last document.

    Attributes:
        notes: What to know of the run, sentences without a full stop.
        not_checked: Why something was not checked, likewise.
        lines: A summary for people.
        counts: What it came to in numbers.
        finished: Whether all was done that was asked for, unread documents and refused settings aside.
    """

    notes: tuple[str, ...] = ()
    not_checked: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    finished: bool = True


def problem_entries(run: Run) -> Iterator[tuple[str | None, Entry]]:
    """Give settings that were refused as findings of their files; None, and its name in the message, for others."""
    top = Top.of(run.root) if run.problems else None
    seen: Counter[tuple[str, str, str]] = Counter()
    for problem in run.problems:
        path = top.of_source(problem.source) if top is not None else None
        key = (path or os.path.basename(problem.source), problem.name, problem.message)
        seen[key] += 1
        yield path, _problem_entry(problem, path, fingerprint("setting", *key, str(seen[key])))


def _problem_entry(problem: "Problem", path: str | None, name: str) -> Entry:
    line, column = problem.line or 1, problem.column or 1
    region = {"startLine": line, "startColumn": column, "endLine": line, "endColumn": column}
    said = (problem.name, problem.message) if path is not None else (problem.source, problem.name, problem.message)
    return Entry("setting", Severity.ERROR.value, ": ".join(filter(None, said)), region, name)
