"""`cite-lsp fix`: what has exactly one answer is written into the documents (findings.md, drift.md)."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from cite_lsp.cli.asking import Asking
from cite_lsp.cli.choosing import Chosen, Taken, choices, edits_of
from cite_lsp.cli.console import write_bytes
from cite_lsp.cli.formats.as_text import TextWriter, visible
from cite_lsp.cli.patch import Replaced, unified_diff
from cite_lsp.cli.revision import Revision, moved_offset
from cite_lsp.cli.run import STDIN, Report, Request, Run, UsageError, prepare
from cite_lsp.findings.check import Checked
from cite_lsp.findings.finding import Severity
from cite_lsp.findings.writing import replace_file
from cite_lsp.snapshot.ladder import joined, within
from cite_lsp.snapshot.lines import DocumentText, Unread, decoded, real_path

DONE, LEFT, USAGE, UNFINISHED = 0, 1, 2, 3
MOST_PASSES = 10

_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person wants of `fix`."""

    dry_run: bool = False
    interactive: bool = False
    unsafe: bool = False
    records: bool = False
    level: Severity = Severity.WARNING
    quiet: bool = False


@dataclass(slots=True)
class Mended:
    """One document that something is fixed in."""

    document: str
    """Its path as the run has it, relative to the root."""
    path: str
    """Relative to the root; where a link leads."""
    real: str
    """The absolute path of that."""
    source: DocumentText
    revision: Revision
    done: list[Chosen] = field(default_factory=list)
    declined: list[tuple[str, str, int]] = field(default_factory=list)
    """Code, title and offset of what a person did not want."""

    @property
    def old(self) -> bytes:
        """The bytes as they were read."""
        return encoded(self.source, self.source.text)

    @property
    def new(self) -> bytes:
        """The bytes as they are to be."""
        return encoded(self.source, self.revision.text)

    def diff(self) -> bytes:
        """Give what changes as a unified diff."""
        text, encoding = self.source.text, self.source.encoding
        at, place = len(encoded(self.source, "")), 0
        changes = []
        for edit in self.revision.changes():
            at += len(text[place : edit.start].encode(encoding))
            size = len(text[edit.start : edit.end].encode(encoding))
            changes.append(Replaced(at, at + size, edit.text.encode(encoding)))
            at, place = at + size, edit.end
        return unified_diff(self.path, self.old, changes)


def encoded(source: DocumentText, text: str) -> bytes:
    """Give a text in the encoding of a document, with its byte order mark."""
    return ((_MARK if source.bom else "") + text).encode(source.encoding)


def fix_documents(paths: tuple[str, ...], wishes: Wishes, stdin_path: str | None, console: Console) -> int:
    """Fix the documents that are named or lie below what is named; give the exit status.

    0: nothing is left to fix; 1: something with one answer is left; 2: a setting is wrong, and nothing was looked at;
    3: a document could not be read or written. Raises `UsageError`.
    """
    if wishes.interactive and (wishes.dry_run or STDIN in paths):
        raise UsageError("--interactive asks before it writes; it goes neither with --dry-run nor with standard input")
    if STDIN in paths:
        return _fix_input(paths, wishes, stdin_path, console)
    run = prepare(Request(paths, None, stdin_path), _command_line(wishes))
    if _refused(run, console):
        return USAGE
    fixing = Fixing(run, wishes, Asking(console) if wishes.interactive else None)
    mended = fixing.all()
    for each in mended:
        if wishes.dry_run:
            _write_out(each.diff())
        elif why := replace_file(each.real, each.new, each.source.sha256, run.root):
            fixing.failed(each.path, why)
            continue
        fixing.finished.append(each)
    _tell(fixing, console)
    return fixing.status


def _fix_input(paths: tuple[str, ...], wishes: Wishes, stdin_path: str | None, console: Console) -> int:
    if len(paths) > 1:
        raise UsageError("standard input is fixed in a run of its own; name - alone")
    data = sys.stdin.buffer.read()
    source = decoded(data)
    text = source.text if isinstance(source, DocumentText) else ""
    run = prepare(Request(paths, text, stdin_path), _command_line(wishes))
    if _refused(run, console):
        return USAGE
    fixing = Fixing(run, wishes, None)
    fixing.given = source
    if isinstance(source, Unread) or not source.decoded:
        why = source.reason if isinstance(source, Unread) else _UNDECODED
        fixing.failed("standard input", f"{why}; it is passed on as it is")
        mended = []
    else:
        mended = fixing.all()
    if wishes.dry_run:
        _write_out(b"".join(each.diff() for each in mended))
    else:
        _write_out(mended[0].new if mended else data)
    fixing.finished += mended
    _tell(fixing, console)
    return fixing.status


_UNDECODED = "holds bytes that fit no encoding, so it is not rewritten"


def _command_line(wishes: Wishes) -> dict[str, object] | None:
    """To fix records too is to take them for documents that describe the present."""
    return {"records": []} if wishes.records else None


def _refused(run: Run, console: Console) -> bool:
    """Say what is wrong with the settings: what they let be told is not known then."""
    if run.problems:
        TextWriter(_errors(console), run, Severity.HINT).begin()
    return bool(run.problems)


class Fixing:
    """A run of `fix`: the documents are looked at again, as they will be, until nothing is left."""

    def __init__(self, run: Run, wishes: Wishes, asking: Asking | None) -> None:
        self._run = run
        self._before = run.snapshot
        self._wishes = wishes
        self._asking = asking
        self._mended: dict[str, Mended] = {}
        self._barred: set[str] = set()
        self._citable = frozenset(run.documents)
        self._cites: dict[str, frozenset[str]] = {}
        """The documents that a document cites."""
        self.given: DocumentText | Unread | None = None
        """Standard input."""
        self.finished: list[Mended] = []
        self.failures: list[tuple[str, str]] = []
        self.left = 0
        """Fixes that were declined, or not reached."""
        self.records = 0
        """Records that were not looked at."""

    @property
    def status(self) -> int:
        """The exit status."""
        if self.failures:
            return UNFINISHED
        return LEFT if self.left or (self._wishes.dry_run and self.finished) else DONE

    @property
    def wishes(self) -> Wishes:
        """What is wanted."""
        return self._wishes

    def failed(self, path: str, why: str) -> None:
        """Note what could not be done; `why` is the rest of a sentence that begins with the path."""
        self.failures.append((path, why))

    def all(self) -> list[Mended]:
        """Revise the documents in memory until nothing is left to do; give those that differ, in order of path."""
        todo = self._documents()
        for _ in range(MOST_PASSES):
            changed = self._pass(todo)
            if not changed:
                break
            texts = {joined(self._run.root, each.document): each.revision.text for each in changed}
            self._run.snapshot = self._run.snapshot.with_texts(texts)
            names = {name for each in changed for name in (each.document, each.path)}
            citing = {path for path, cited in self._cites.items() if cited & names}
            todo = sorted(citing | {each.document for each in changed})
        else:
            self.left += sum(len(chosen) for _, _, chosen in self._found(todo))
        return [each for _, each in sorted(self._mended.items()) if each.done and each.revision.changes()]

    def _documents(self) -> list[str]:
        """Give the documents, without records where those are not wanted, and each file once."""
        documents: dict[str, str] = {}
        for path in sorted(self._run.documents, key=lambda path: (os.path.islink(joined(self._run.root, path)), path)):  # noqa: PTH114
            settings, inside = self._run.settings_for(path)
            if settings.is_record(inside):
                self.records += 1
            else:
                documents.setdefault(real_path(joined(self._run.root, path)), path)
        return sorted(documents.values())

    def _found(self, documents: Sequence[str]) -> Iterator[tuple[Report, Checked, list[Chosen]]]:
        """Look at documents; give those that something is to be fixed in."""
        for report in self._run.reports(documents):
            checked = report.checked
            if checked is None:
                if not report.passed_over:
                    self.failed(report.path, report.unread)
                continue
            self._cites[report.path] = frozenset(each.path for each in checked.resolutions) & self._citable
            chosen = choices(checked, unsafe=self._wishes.unsafe)
            if chosen and report.path not in self._barred:
                yield report, checked, chosen

    def _pass(self, documents: Sequence[str]) -> list[Mended]:
        changed: list[Mended] = []
        for report, checked, chosen in self._found(documents):
            mended = self._opened(report)
            if mended is None:
                continue
            wanted = self._wanted(mended, checked, chosen)
            if wanted:
                edits = edits_of(wanted)
                mended.revision.apply(edits)
                mended.done += wanted
                mended.declined = [(code, title, moved_offset(at, edits)) for code, title, at in mended.declined]
                changed.append(mended)
        return changed

    def _wanted(self, mended: Mended, checked: Checked, chosen: Sequence[Chosen]) -> list[Chosen]:
        """Give those that are apart from each other; ask where that is wished for, and about none twice."""
        taken = Taken()
        wanted = []
        for each in chosen:
            key = (each.finding.code, each.fix.title, each.finding.start)
            if key in mended.declined or not taken.has_room(each.fix):
                continue
            if self._asking is None or self._asking.wants(mended.path, checked.text, each):
                taken.take(each.fix)
                wanted.append(each)
            else:
                mended.declined.append(key)
                self.left += 1
        return wanted

    def _opened(self, report: Report) -> Mended | None:
        """Give the document under revision; None, and a word about it, where it cannot be rewritten."""
        path = report.path
        real = real_path(joined(self._run.root, path))
        if real in self._mended:
            return self._mended[real]
        source = self.given or self._before.read_document(
            self._run.root, path, self._run.settings_for(path)[0].files.max_document_bytes
        )
        why = ""
        if isinstance(source, Unread):
            why = source.reason
        elif not source.decoded:
            why = _UNDECODED
        elif self.given is None and source.sha256 != report.sha256:
            why = "has changed on disk in the meantime, so it was left alone"
        if why or isinstance(source, Unread):
            self._barred.add(path)
            self.failed(path, why)
            return None
        name = within(real_path(self._run.root), real) or path
        mended = Mended(path, name, real, source, Revision(source.text))
        self._mended[real] = mended
        return mended


# What is said


def _errors(console: Console) -> Console:
    return Console(stderr=True, no_color=console.no_color or None, soft_wrap=True, emoji=False, markup=False)


def _write_out(data: bytes) -> None:
    sys.stdout.flush()
    write_bytes(data)
    sys.stdout.buffer.flush()


def _tell(fixing: Fixing, console: Console) -> None:
    """Say what was done: beside a text or a diff on standard error, so that the output stays what it is."""
    wishes = fixing.wishes
    errors = _errors(console)
    for path, why in fixing.failures:
        errors.print(Text(f"{visible(path)} {visible(why)}"))
    if wishes.quiet:
        return
    beside = wishes.dry_run or fixing.given is not None
    out = errors if beside else console
    for each in () if beside else fixing.finished:
        loud = [chosen for chosen in each.done if chosen.finding.severity.at_least(wishes.level)]
        if loud:
            out.print(Text.assemble((visible(each.path), "bold underline")))
        for chosen in loud:
            place = f"{chosen.line}:{chosen.column}"
            out.print(
                Text.assemble(
                    (f"  {place:<7} ", "bold"), (f"{chosen.finding.code}  ", "dim"), visible(chosen.fix.title)
                )
            )
    out.print(Text(_summary(fixing)))


def _summary(fixing: Fixing) -> str:
    done = [chosen for each in fixing.finished for chosen in each.done]
    noun = "citation" if all(chosen.finding.anchor is not None for chosen in done) else "finding"
    verb = "would fix" if fixing.wishes.dry_run else "fixed"
    parts = [f"{verb} {_count(len(done), noun)} in {_count(len(fixing.finished), 'document')}"]
    if not done:
        parts = ["nothing to fix" if not (fixing.left or fixing.failures) else "fixed nothing"]
    if fixing.left:
        parts.append(f"{_count(fixing.left, 'fix', 'fixes')} left")
    if fixing.records:
        them = "it" if fixing.records == 1 else "them"
        parts.append(f"{_count(fixing.records, 'record')} not looked at (--records fixes {them} too)")
    return "; ".join(parts)


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
