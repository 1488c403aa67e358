"""One open document: its text as the client edits it, its parsed version, and what was found in it."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from lsprotocol.types import TextDocumentContentChangePartial, TextDocumentContentChangeWholeDocument

from cite_lsp.document.buffer import Buffer
from cite_lsp.document.columns import Encoding, from_units
from cite_lsp.findings.accepted import NOTHING
from cite_lsp.findings.check import Levels, is_tracked
from cite_lsp.findings.reading import parse_document
from cite_lsp.findings.reference_checks import ReferenceChecks
from cite_lsp.server.checks import Checks, PieceChecked
from cite_lsp.server.evidence import EvidenceBook
from cite_lsp.server.hits import CitedFile, Hit, Mark, hit_at, hits_of
from cite_lsp.server.piece_cache import PieceCache
from cite_lsp.server.policy_book import PolicyBook
from cite_lsp.server.row_book import RowBook
from cite_lsp.server.verdicts import groundings, verdicts
from cite_lsp.server.written_book import WrittenBook
from cite_lsp.snapshot.ladder import within
from cite_lsp.snapshot.lines import is_file, real_path

if TYPE_CHECKING:
    from cite_lsp.config import LoadedSettings, Settings
    from cite_lsp.document.document import Document
    from cite_lsp.findings.finding import Finding
    from cite_lsp.findings.told import Told
    from cite_lsp.server.space import Space
    from cite_lsp.snapshot.snapshot import Snapshot

ContentChange: TypeAlias = TextDocumentContentChangePartial | TextDocumentContentChangeWholeDocument

_SYNTAX = {
    "markdown": ".md",
    "mdx": ".mdx",
    "restructuredtext": ".rst",
    "rst": ".rst",
    "asciidoc": ".adoc",
    "plaintext": ".txt",
    "text": ".txt",
}
"""Of untitled documents: the ending that a language's files have."""


@dataclass(slots=True)
class Place:
    """Where a document is looked at from."""

    space: "Space"
    root: str
    path: str
    """Relative to its root, POSIX."""
    loaded: "LoadedSettings"
    inside: str
    """Relative to the folder of its settings."""

    @property
    def snapshot(self) -> "Snapshot":
        """The newest snapshot, seen from its root."""
        return self.space.seen_from(self.root)

    @property
    def settings(self) -> "Settings":
        """The settings that the document is under."""
        return self.loaded.settings


PlacedLink: TypeAlias = tuple[tuple[int, int], tuple[int, int], str, str]
"""A citation that is a link: start and end within its piece, target and tooltip."""


class OpenDocument:
    """A document that a client has open. `document` is None for what is no document of ours: code, mostly."""

    def __init__(
        self, uri: str, path: str | None, language: str, version: int | None, text: str, encoding: Encoding
    ) -> None:
        self.uri = uri
        self.path = path
        """Absolute; None where the document is no file."""
        self.names = () if path is None else tuple(dict.fromkeys([path, real_path(path)]))
        """The path, and where its links lead."""
        self.language = language
        self.version = version
        self.encoding = encoding
        self.buffer = Buffer(text)
        self.document: Document | None = None
        self.checks = Checks(encoding)
        self.verdicts = verdicts(encoding)
        self.groundings = groundings(encoding)
        self.policies = PolicyBook(encoding)
        self.evidence = EvidenceBook(encoding)
        self.rows = RowBook()
        self.written = WrittenBook()
        self.cited: PieceCache[tuple[PieceChecked, tuple[CitedFile, ...]]] = PieceCache()
        """What is cited in each piece, as it was checked; see `marks`."""
        self.marks: PieceCache[tuple[tuple[object, ...], tuple[object, ...], tuple[Mark | None, ...]]] = PieceCache()
        """The mark of each citation, with the objects and the values that they hang on; see `marks`."""
        self.links: PieceCache[tuple[PieceChecked, list[PlacedLink]]] = PieceCache()
        """The links of each piece, as it was checked: clients ask for all links again after each edit."""
        self.place: Place | None = None
        self.beside: Place | None = None
        """Of a file that is no document of ours and that policies were asked about: where it is looked at from."""
        self.published: list[dict[str, Any]] | None = None
        """What was published last; None before the first time."""
        self.published_version: int | None = None
        self.comment_findings: tuple[Finding, ...] = ()
        """What is wrong with its ignore comments."""
        self.accepted = NOTHING
        """What is accepted where it lies."""
        self.commented: frozenset[tuple[str, int]] = frozenset()
        """What its comments silence: codes, and offsets at which what is told begins."""
        self.dirty = True
        """Whether the text changed since it was last laid over the files."""
        self.ignored = False
        """Whether git ignores it: then it is no document."""
        self.refusal = ""
        """Why it is not looked at though it is one of ours, a sentence."""
        self._levels: Levels | None = None
        """Severities of codes in it; None when they are to be looked up again."""
        self.counts: Counter[str] = Counter()
        """Of the labels that the last run of the judge gave; empty where there was none."""
        self.decided = False
        """Whether the last run left no citation that has lines without a verdict."""

    @property
    def untitled_ending(self) -> str | None:
        """Of a document that is no file, the ending that says how to read it; None for a language that is no prose."""
        return _SYNTAX.get(self.language) if self.path is None else None

    def parse(self, place: Place) -> None:
        """Parse the whole text, under the settings of its place."""
        self.checks.reference = ReferenceChecks.of(place.settings, place.inside)
        self.document = parse_document(self.buffer.text, place.path, place.space.known, place.settings)
        self.checks.clear()

    def change(self, changes: Sequence[ContentChange], version: int | None) -> None:
        """Apply the changes of one notification, in order; wrong positions are clamped."""
        self.version = version
        self.dirty = True
        for change in changes:
            if isinstance(change, TextDocumentContentChangeWholeDocument):
                self.buffer.replace_all(change.text)
            else:
                start, end = change.range.start, change.range.end
                self.buffer.edit((start.line, start.character), (end.line, end.character), change.text, self.encoding)
        made = self.buffer.take_changes()
        self.policies.follow(made, self.buffer.lines, self.place.path if self.place else self.path or "")
        if self.document is not None:
            self.document = self.document.revised(self.buffer.lines, made)

    def look_back(self, *, drift: bool) -> None:
        """Compare citations with what they showed when they were written, or stop it; the past is asked for anew."""
        self.checks.past = self.written if drift else None
        self.written.outdated = True

    @property
    def levels(self) -> Levels | None:
        """Severities of codes under the settings that count here; None for what is no document of ours."""
        if self._levels is None and self.document is not None and self.place is not None:
            tracked = is_tracked(self.document, self.place.snapshot)
            self._levels = Levels(self.place.inside, self.place.settings, tracked=tracked)
        return self._levels

    def forget_levels(self) -> None:
        """Have severities read from the settings again."""
        self._levels = None

    @property
    def past_is_open(self) -> bool:
        """Whether the past of its citations is to be told by the worker yet."""
        return self.checks.past is not None and not self.written.answered

    def forget_verdicts(self) -> None:
        """Forget what the judge said."""
        self.verdicts = verdicts(self.encoding)
        self.counts = Counter()
        self.decided = False

    @property
    def size(self) -> int:
        """How many characters it has; cheap where it is parsed."""
        if self.document is not None:
            return sum(piece.characters for piece in self.document.pieces)
        return sum(map(len, self.buffer.lines))

    @property
    def is_ignored_by_git(self) -> bool:
        """Whether git ignores it where it is: it is there, and the index leaves it out."""
        place = self.place
        if place is None or self.path is None or place.space.held_back:
            return False
        index = place.snapshot.indexes[0]
        if place.path in index or not is_file(self.path):
            return False
        real = within(real_path(place.root), self.names[-1])  # it may be opened through a folder that is a link
        return real is None or real not in index

    @property
    def too_large(self) -> str:
        """Why it is too large to be looked at, a sentence; "" where it is not."""
        if self.place is None or self.size <= self.place.settings.files.max_document_bytes:
            return ""
        limit = self.place.settings.files.max_document_bytes
        return f"this document has more than {limit:,} characters (files.max_document_bytes): it is not looked at"

    def finish(self) -> None:
        """Bring what is behind up to the newest edits of cited files: somebody asks."""
        if self.checks.behind and self.document is not None and self.place is not None:
            self.checks.update(self.document, self.place.snapshot, math.inf)

    # --- positions

    def offset(self, line: int, units: int) -> int:
        """Give the code-point offset of a position of the client; past the end counts as the end."""
        if self.document is None:
            return 0
        if line >= self.buffer.line_count:
            return self.document.offset(line, 0)
        return self.document.offset(line, from_units(self.buffer.line(line), units, self.encoding))

    def hit(self, line: int, units: int) -> Hit | None:
        """Give the citation at a position of the client, its first and last edge included."""
        return hit_at(self.checks.pieces, self.offset(line, units))

    @property
    def hits(self) -> Iterator[Hit]:
        """The citations in text order."""
        return hits_of(self.checks.pieces)

    def is_silent(self, told: "Told", hit: Hit) -> bool:
        """Say whether a comment silences what is told of a citation, or it is accepted; offsets are the block's."""
        return (told.code, told.start + hit.offset) in self.commented or self.is_accepted(told, hit)

    def is_accepted(self, told: "Told", hit: Hit) -> bool:
        """Say whether what is told of a citation is accepted as it stands."""
        if self.place is None:
            return False
        anchor, snapshot = hit.block.anchors[hit.number], self.place.snapshot
        return self.accepted.holds(told.code, self.place.inside, anchor, hit.resolution, snapshot)

    # --- what is known of the whole

    def cites(self, *names: str) -> bool:
        """Say whether a file is cited by any of its names: keys of the reader, and where links lead."""
        return any(not checked.files.isdisjoint(names) for checked in self.checks.pieces.values())

    @property
    def judged_count(self) -> int:
        """How many of them have a verdict other than *unchecked*."""
        blocks = (block.block for checked in self.checks.pieces.values() for block in checked.blocks.values())
        said = (judged for block in blocks for judged in self.verdicts.of(block)) if self.verdicts else ()
        return sum(judged is not None and judged.verdict.label != "unchecked" for judged in said)

    @property
    def anchor_count(self) -> int:
        """How many citations it holds."""
        return sum(checked.anchors for checked in self.checks.pieces.values())


def relative(path: str, root: str) -> str:
    """Give an absolute path relative to a root; as it is when it lies outside."""
    return within(root, path) or path
