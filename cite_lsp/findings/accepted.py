"""Accepted findings: what a team knows of and lets stand (drift.md, Accepting), in a file that both faces read.

    {"schema": 1, "accepted": [
    {"document": "docs/a.md", "anchor": "src/a.py:3", "code": "blank-line", "cited": "sha256:…"}
    ]}

An entry lapses by itself: the hash is that of the cited text, and when that changes, nothing matches it any more.
"""

import json
import os
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

from cite_lsp.config.files import Problem
from cite_lsp.document.anchors import Anchor
from cite_lsp.findings.finding import Finding
from cite_lsp.findings.told import REPLACED
from cite_lsp.findings.writing import CHANGED, replace_file
from cite_lsp.snapshot.ladder import joined, within
from cite_lsp.snapshot.lines import FileText, Reader, Unread, real_path
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot

MAX_BYTES = 10_000_000
SCHEMA = 1

_IN_PLACE = REPLACED | {"wrong-lines"}
_HASH_DIGITS = 32
_MOST_LINES = 10_000
_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANKS = re.compile(r"[ \t\r\n]+")
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})(?: |$)", re.MULTILINE)
_UNUSED = "nothing is accepted until it is mended"
_TRIES = 5
_LOCK_WAIT = 0.01  # seconds between two looks at a lock
_LOCK_AGE = 10.0  # seconds after which whoever made a lock must have died


class Entry(NamedTuple):
    """One accepted finding, or several of the same words; entries sort by document, then as they are spelled."""

    document: str
    """POSIX, relative to the folder of the settings."""
    anchor: str
    """The citation as written, on one line."""
    code: str
    cited: str
    """What `cited_hash` gave."""


Extra = Mapping[str, Any]
"""What else a person wrote into an entry, a reason say: it stays."""


@dataclass(frozen=True)
class Accepted:
    """The accepted findings of one settings folder."""

    entries: Mapping[Entry, Extra] = field(default_factory=dict)
    problem: Problem | None = None
    """Why the file was not read, or not written; then nothing of it is accepted."""
    sha256: str = ""
    """Of the bytes of the file; "" where there is none."""

    @classmethod
    def load(cls, path: str, root: str) -> "Accepted":
        """Read a file by its absolute path; one that is not there accepts nothing.

        It must lie inside `root`, an absolute folder, once links are resolved. Never raises.
        """
        reader = Reader((root,))
        text = reader.read_text(path, max_bytes=MAX_BYTES)
        if isinstance(text, Unread):
            return cls() if text.status == "missing" else cls(problem=_problem(path, f"this file {text.reason}"))
        if not text.decoded or text.encoding != "utf-8":
            return cls(problem=_problem(path, "this file is not UTF-8"), sha256=text.sha256)
        found = _parsed(path, text.text)
        if isinstance(found, Problem):
            return cls(problem=found, sha256=text.sha256)
        return cls(found, sha256=text.sha256)

    def __bool__(self) -> bool:
        """Whether anything is accepted."""
        return bool(self.entries)

    def covers(self, code: str, document: str, anchor_text: str, cited: str) -> bool:
        """Say whether a finding is accepted; `cited` is what `cited_hash` gives for its anchor.

        Who accepted that the text moved has accepted what is told in its place where git does not know of it: in a
        shallow clone, say.
        """
        known = self._codes.get((document, on_one_line(anchor_text), cited), ())
        return code in known or (code in _IN_PLACE and "moved" in known)

    def holds(self, code: str, document: str, anchor: Anchor, resolution: Resolution, snapshot: Snapshot) -> bool:
        """As `covers`; the cited text is only looked at where the citation has an entry.

        `document` is relative to the folder of the settings.
        """
        if not self.entries or (document, on_one_line(anchor.text)) not in self._anchors:
            return False
        return self.covers(code, document, anchor.text, cited_hash(anchor, resolution, snapshot))

    def left(
        self,
        findings: Sequence[Finding],
        document: str,
        anchors: Sequence[Anchor],
        resolutions: Sequence[Resolution],
        snapshot: Snapshot,
    ) -> Sequence[Finding]:
        """Give the findings that are not accepted; those without an anchor cannot be.

        `anchors` and `resolutions` are the document's, in parallel; `document` as in `holds`.
        """
        if not self.entries:
            return findings
        return [
            finding
            for finding in findings
            if (at := finding.anchor) is None
            or not self.holds(finding.code, document, anchors[at], resolutions[at], snapshot)
        ]

    def with_added(self, entries: Iterable[Entry]) -> "Accepted":
        """Give these entries and others."""
        return replace(self, entries={**{entry: {} for entry in entries}, **self.entries})

    def without(self, entries: Collection[Entry]) -> "Accepted":
        """Give these entries without others."""
        return replace(self, entries={each: extra for each, extra in self.entries.items() if each not in entries})

    def text(self) -> str:
        """Give the file's text: an entry a line, sorted, so that a change is a line of a diff."""
        rows = [
            _row(
                {
                    "document": entry.document,
                    "anchor": entry.anchor,
                    "code": entry.code,
                    "cited": entry.cited,
                    **self.entries[entry],
                }
            )
            for entry in sorted(self.entries)
        ]
        return f'{{"schema": {SCHEMA}, "accepted": [\n' + "".join(",\n".join(rows) + "\n" if rows else "") + "]}\n"

    @cached_property
    def _codes(self) -> dict[tuple[str, str, str], set[str]]:
        codes: dict[tuple[str, str, str], set[str]] = {}
        for entry in self.entries:
            codes.setdefault((entry.document, entry.anchor, entry.cited), set()).add(entry.code)
        return codes

    @cached_property
    def _anchors(self) -> frozenset[tuple[str, str]]:
        return frozenset((entry.document, entry.anchor) for entry in self.entries)


NOTHING = Accepted()
"""Nothing is accepted."""


def entry_of(code: str, document: str, anchor: Anchor, resolution: Resolution, snapshot: Snapshot) -> Entry:
    """Give the entry that accepts a finding of an anchor; `document` is relative to the folder of the settings."""
    return Entry(document, on_one_line(anchor.text), code, cited_hash(anchor, resolution, snapshot))


def on_one_line(text: str) -> str:
    """Give a citation as an entry spells it: where its line breaks does not matter."""
    return _BLANKS.sub(" ", text).strip(" ")


def cited_hash(anchor: Anchor, resolution: Resolution, snapshot: Snapshot) -> str:
    """Give `sha256:` and 32 digits of the cited text as it is now, white space at the ends of lines left out.

    Of a citation that shows no lines, of what it shows instead: its status and path, so that it is another one once
    the file or the lines appear. Of one that is read as of a commit, of the object that holds the text.
    """
    seen = sha256()
    for part in _shown(anchor, resolution, snapshot):
        seen.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return f"sha256:{seen.hexdigest()[:_HASH_DIGITS]}"


def _shown(anchor: Anchor, resolution: Resolution, snapshot: Snapshot) -> Iterator[str]:
    """Give a text for each span; of a citation that shows nothing, why."""
    path = resolution.path or anchor.path
    if resolution.as_of:
        yield from ("as of", resolution.blob or resolution.as_of, path, repr(anchor.spans))
        return
    file = None
    if resolution.line_count is not None and not anchor.defect:
        file = snapshot.reader.read(joined(resolution.root, resolution.path))
    spans = [_lines(file, *span) for span in anchor.spans] if isinstance(file, FileText) else []
    if any(span is not None for span in spans):
        yield from ("past the end" if span is None else span for span in spans)
    else:
        yield from ("nothing", resolution.status, path)


def _lines(file: FileText, first: int, last: int) -> str | None:
    """Give the lines of a span, 1-based; None when it begins past the end."""
    if not 1 <= first <= len(file.lines):
        return None
    if last - first >= _MOST_LINES:  # many such citations of one file would cost its length each
        return f"{first}-{last} of {file.sha256}"
    return "\n".join([line.rstrip() for line in file.lines[first - 1 : last]])


# The file


def accepted_path(folder: str, name: str) -> str:
    """Give the absolute path of the file: the setting `accepted`, relative to the folder of the settings."""
    return joined(folder, name.replace("\\", "/"))


def update(path: str, root: str, change: Callable[[Accepted], Accepted]) -> Accepted:
    """Change the file as it is at this moment; two who do so at once both count.

    `path` and `root` as in `Accepted.load`. Gives what the file holds now; with `problem` set nothing was written: a
    broken file is left as it is. `change` may be asked several times. May wait for some seconds; never raises.
    """
    outside = within(real_path(root), real_path(path)) is None
    if outside:
        return Accepted(problem=_problem(path, "this file lies outside the project, so it is not written", ""))
    before = Accepted.load(path, root)
    if before.problem is not None or change(before).entries == before.entries:
        return before
    try:
        os.makedirs(os.path.dirname(real_path(path)), exist_ok=True)  # noqa: PTH103
        with _locked(real_path(path) + ".lock"):
            return _updated(path, root, change)
    except TimeoutError as error:
        return Accepted(problem=_problem(path, str(error), ""))
    except OSError as error:
        return Accepted(problem=_problem(path, f"this file cannot be written: {error.strerror or error}", ""))


def _updated(path: str, root: str, change: Callable[[Accepted], Accepted]) -> Accepted:
    why = CHANGED
    for _ in range(_TRIES):
        before = Accepted.load(path, root)
        if before.problem is not None:
            return before
        after = change(before)
        if after.entries == before.entries:
            return before
        data = after.text().encode()
        why = replace_file(path, data, before.sha256, root)
        if not why:
            return replace(after, sha256=sha256(data).hexdigest())
        if why != CHANGED:
            break
    return replace(before, problem=_problem(path, f"this file {why}", ""))


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Hold a lock that is a folder, which works on every file system; one that a dead process left is taken over."""
    end = time.monotonic() + 2 * _LOCK_AGE
    while True:
        try:
            os.mkdir(folder)  # noqa: PTH102
            break
        except FileExistsError as error:
            if _age(folder) > _LOCK_AGE:
                with suppress(OSError):
                    os.rmdir(folder)  # noqa: PTH106
            elif time.monotonic() > end:
                raise TimeoutError(f"another process holds {folder}; remove it if none does") from error
            else:
                time.sleep(_LOCK_WAIT)
    try:
        yield
    finally:
        with suppress(OSError):
            os.rmdir(folder)  # noqa: PTH106


def _age(folder: str) -> float:
    try:
        return time.time() - os.stat(folder).st_mtime  # noqa: PTH116
    except OSError:
        return 0.0


def _problem(
    path: str, message: str, then: str = _UNUSED, line: int | None = None, column: int | None = None
) -> Problem:
    return Problem(path, line, column, "", f"{message}; {then}" if then else message)


def _row(values: Mapping[str, Any]) -> str:
    row = json.dumps(values, ensure_ascii=False)
    return json.dumps(values) if _SURROGATE.search(row) else row


def _parsed(path: str, text: str) -> dict[Entry, Extra] | Problem:
    if not text.strip():
        return {}
    conflict = _CONFLICT.search(text)
    try:
        tree: object = json.loads(text)
    except json.JSONDecodeError as error:
        if conflict is not None:
            line = text.count("\n", 0, conflict.start()) + 1
            return _problem(path, "this file holds the marks of a merge conflict", line=line, column=1)
        return _problem(path, f"this is not valid JSON: {error.msg}", line=error.lineno, column=error.colno)
    except (ValueError, RecursionError):
        return _problem(path, "this is not the JSON of accepted findings")
    if not isinstance(tree, dict) or not isinstance(tree.get("accepted"), list):
        return _problem(path, 'this file holds no list "accepted"')
    if tree.get("schema") != SCHEMA:
        return _problem(path, f'this file does not say "schema": {SCHEMA}, which this cite-lsp reads')
    strange = [key for key in tree if key not in ("schema", "accepted")]
    if strange:
        return _problem(path, f'beside "schema" and "accepted" nothing stands here, but {strange[0]!r} does')
    return _entries(path, tree["accepted"])


def _entries(path: str, rows: Sequence[object]) -> dict[Entry, Extra] | Problem:
    entries: dict[Entry, Extra] = {}
    for number, row in enumerate(rows, 1):
        wrong = _fault(row)
        if wrong or not isinstance(row, dict):
            return _problem(path, f'entry {number} of "accepted" {wrong}')
        values = [row[name] for name in Entry._fields]
        entries[Entry(*values)] = {key: value for key, value in row.items() if key not in Entry._fields}
    return entries


def _fault(row: object) -> str:
    if not isinstance(row, dict):
        return "is no object"
    for name in Entry._fields:
        if not isinstance(row.get(name), str):
            return f'has no text under "{name}"'
    return ""
