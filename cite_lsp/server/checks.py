"""What is told of one open document, kept piece by piece from one version to the next."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from cite_lsp.document.columns import Encoding
from cite_lsp.document.document import Block, Document, Piece
from cite_lsp.findings.by_block import BlockTold, Drifts, drifts_of, moved, tell_known
from cite_lsp.findings.comments import MARK
from cite_lsp.findings.places import Places
from cite_lsp.findings.reference_checks import ALL_OFF
from cite_lsp.findings.told import Told
from cite_lsp.server.comparing import Reaches, compare_again
from cite_lsp.server.convert import Range, position, range_of
from cite_lsp.snapshot.baseline import Written
from cite_lsp.snapshot.ladder import joined
from cite_lsp.snapshot.lines import FileText
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from cite_lsp.server.written_book import WrittenBook

_MAY_ASK = frozenset({"", "basename", "same-document"})
"""How a citation was resolved whose meaning may depend on what else the document names."""
_NONE: frozenset[str] = frozenset()
_RENEWING = 0.008
"""Seconds that an edit of a cited file may take at once for the citations of one document."""

UNDECIDED = frozenset({"missing", "elsewhere", "ambiguous", "outside", "case-differs"})
"""Statuses that the index or the history can still change: they are not told before the first index is complete."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Something told, and where in its piece: lines from the piece's first, columns in the client's units."""

    told: Told
    """Offsets are code points into the piece's text, `anchor` the number of the anchor in the piece."""
    start: tuple[int, int]
    end: tuple[int, int]

    def range(self, line: int) -> Range:
        """Give the range in a document in which the piece begins on `line`."""
        return range_of(self.start, self.end, line)


def place(told: Iterable[Told], piece: Piece, encoding: Encoding) -> tuple[Placed, ...]:
    """Place what is told of a piece, in the order of the text."""
    found = sorted(told, key=lambda each: (each.start, each.end, each.code))
    if not found:
        return ()
    places = Places(piece.text)
    return tuple(
        Placed(each, position(places, each.start, encoding), position(places, each.end, encoding)) for each in found
    )


@dataclass(frozen=True, slots=True)
class BlockChecked:
    """What is known of a block that holds anchors, and what that hangs on."""

    block: Block
    known: BlockTold
    open_paths: frozenset[str]
    """Paths as written whose meaning depends on what else the document names."""

    files: frozenset[str]
    """The files that are cited: keys of the reader, and where their links lead."""
    present: tuple[Resolution, ...] = ()
    """What each anchor means at present; of one that is read as of a commit, `known.resolutions` has that."""
    written: tuple[Written | None, ...] = ()
    """What is known of the past of each anchor; empty where drift is not looked for."""
    texts: list[FileText | None] = field(default_factory=list, compare=False)
    """The cited files that drift was looked for in; newer ones take their place where nothing came of an edit."""
    due: bool = False
    """A cited file was edited so that only a search of all of it can say where the text is now."""


@dataclass(frozen=True, slots=True)
class PieceChecked:
    """What is known of a piece."""

    piece: Piece
    placed: tuple[Placed, ...]
    anchors: int
    blocks: Mapping[int, BlockChecked]
    """By the identity of the block, in text order."""
    files: frozenset[str]
    """Those of its blocks."""
    undecided: bool
    marked: bool
    """It may hold an ignore comment."""
    overrun: bool
    """The user's expression took too long in it."""
    past: int = 0
    """The version of the past that it was compared with."""

    @property
    def due(self) -> bool:
        """Whether a search is due for one of its blocks."""
        return any(checked.due for checked in self.blocks.values())

    @property
    def open_paths(self) -> Iterator[str]:
        """The open paths of all blocks."""
        return (path for checked in self.blocks.values() for path in checked.open_paths)


class _Begun(NamedTuple):
    """A piece that was being compared with its past when others had their turn."""

    piece: Piece | None
    past: int
    snapshot: Snapshot | None
    blocks: dict[int, BlockChecked]


class Checks:
    """The pieces of one document as they were last checked."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self.past: WrittenBook | None = None
        """What is known of the past of the citations; None where drift is not looked for."""
        self.reference = ALL_OFF
        """Which of the reference's checks are switched on: after a change, `clear`."""
        self.pieces: dict[Piece, PieceChecked] = {}
        self._doubtful: dict[Piece, PieceChecked] = {}
        """What was known before a cited file changed: it mostly still holds."""
        self._reaches = Reaches()
        self._begun = _Begun(None, 0, None, {})
        self._untold: set[Piece] = set()
        """Pieces with texts that are gone of which it is known by now since when."""
        self._named: dict[str, frozenset[str]] = {}
        """Open paths, and the longer paths that the document named when they were resolved."""

    @property
    def blocks(self) -> dict[int, BlockChecked]:
        """What is known of the blocks that hold anchors, by their identity."""
        return {number: block for checked in self.pieces.values() for number, block in checked.blocks.items()}

    @property
    def due(self) -> bool:
        """Whether a search of a cited file is due."""
        return any(checked.due for checked in self.pieces.values())

    @property
    def behind(self) -> bool:
        """Whether what is known of some pieces is from before an edit of a cited file."""
        return bool(self._doubtful)

    def clear(self) -> None:
        """Forget everything: another snapshot may say otherwise."""
        self.pieces = {}
        self._untold = set()
        self._doubtful = {}
        self._reaches.clear()
        self._named = {}

    def forget_files(self, files: frozenset[str]) -> list[Block]:
        """Forget what hangs on the content of files; give the blocks that cite them."""
        gone = {piece: checked for piece, checked in self.pieces.items() if checked.files & files}
        if gone:
            self.pieces = {piece: checked for piece, checked in self.pieces.items() if piece not in gone}
            self._doubtful.update(gone)
        return [block.block for checked in gone.values() for block in checked.blocks.values() if block.files & files]

    def forget_undecided(self) -> bool:
        """Forget what an answer about paths can change; say whether anything can."""
        kept = {piece: checked for piece, checked in self.pieces.items() if not checked.undecided}
        self._doubtful = {piece: checked for piece, checked in self._doubtful.items() if not checked.undecided}
        found = len(kept) < len(self.pieces)
        self.pieces = kept
        return found

    def update(self, document: Document, snapshot: Snapshot, seconds: float = _RENEWING) -> None:
        """Check the pieces of another version that are not known yet.

        Those that cite a file that was edited are renewed for so long; the others are `behind`, to go on with.
        """
        if self.past is not None:
            self.past.follow(document)
        old = self.pieces
        changed = self._changed_names(document, snapshot)
        if changed:
            old = {piece: checked for piece, checked in old.items() if not changed.intersection(checked.open_paths)}
        doubtful, self._doubtful = self._doubtful, {}
        pieces = {piece: None if piece in doubtful else old.get(piece) for piece in document.pieces}
        if doubtful and not changed:
            self._reaches.begin()
            until = time.perf_counter() + seconds
            for piece in [piece for piece in pieces if piece in doubtful]:
                if time.perf_counter() < until:
                    pieces[piece] = self._renewed(doubtful[piece], document, snapshot)
                else:
                    pieces[piece] = self._doubtful[piece] = doubtful[piece]
        reusable = self._reusable(pieces, changed, doubtful)
        self.pieces = {
            piece: checked or self._check(piece, document, snapshot, reusable) for piece, checked in pieces.items()
        }
        open_paths = {path for checked in self.pieces.values() for path in checked.open_paths}
        self._named = {path: self._named.get(path, frozenset()) for path in open_paths}

    def _changed_names(self, document: Document, snapshot: Snapshot) -> frozenset[str]:
        """Give the open paths beside which the document names other paths than before."""
        changed = set()
        for path, before in self._named.items():
            now = snapshot.named(path, document)
            if now != before:
                self._named[path] = now
                changed.add(path)
        return frozenset(changed)

    def _reusable(
        self,
        pieces: Mapping[Piece, PieceChecked | None],
        changed: frozenset[str],
        doubtful: Mapping[Piece, PieceChecked],
    ) -> dict[int, BlockChecked]:
        """Give what is known of blocks whose pieces were cut anew; not what is from before an edit of a cited file."""
        found: dict[int, BlockChecked] = {}
        for piece, checked in self.pieces.items():
            if pieces.get(piece) is None and piece not in doubtful and checked.past == self._past_version:
                found.update(
                    (number, block) for number, block in checked.blocks.items() if not block.open_paths & changed
                )
        return found

    def _renewed(self, old: PieceChecked, document: Document, snapshot: Snapshot) -> PieceChecked:
        """Give what is known of a piece after cited files changed: the same object where nothing came of it."""
        blocks = {number: self._renewed_block(block, document, snapshot) for number, block in old.blocks.items()}
        if all(new is before for new, before in zip(blocks.values(), old.blocks.values(), strict=True)):
            return old
        return self._joined(old.piece, blocks, old.past)

    def _renewed_block(self, old: BlockChecked, document: Document, snapshot: Snapshot) -> BlockChecked:
        reads = self.reference.reads_lines
        if not reads and self._reaches.leave_alone(old, snapshot):
            return old
        present = tuple([snapshot.resolve(anchor, document) for anchor in old.block.anchors])
        if not old.written:
            stays = present == old.present and not reads
            return old if stays else self._check_block(old.block, document, snapshot)
        found = compare_again(old, present, snapshot)
        if found is None:
            return self._check_block(old.block, document, snapshot)
        drifts, due = found
        if not reads and drifts == old.known.drifts and all(map(_says_the_same, present, old.present)):
            if not due:  # else what was not found is to be looked for from where it stood
                old.texts[:] = [snapshot.file(resolution) for resolution in present]
            return old if due == old.due else replace(old, due=due)
        known = self._tell(old.block, document, snapshot, present, old.written, drifts)
        texts = [snapshot.file(resolution) for resolution in present]
        return replace(self._known_block(old.block, document, snapshot, known, present, old.written, texts), due=due)

    def advance(self, document: Document, snapshot: Snapshot, seconds: float) -> bool:
        """Compare pieces with their past, or search for what is due, for so long; say whether there is more to do."""
        until = time.perf_counter() + seconds
        version = self._past_version
        for piece, checked in self.pieces.items():
            if checked.past != version or checked.due:
                if time.perf_counter() > until:
                    return True
                done = self._advanced(piece, document, snapshot, until)
                if done is None:
                    return True
                self.pieces[piece] = done
            elif piece in self._untold:
                if time.perf_counter() > until:
                    return True
                self.pieces[piece] = self._told_again(checked, document, snapshot)
            self._untold.discard(piece)
        self._untold.clear()
        return self.behind

    def _advanced(self, piece: Piece, document: Document, snapshot: Snapshot, until: float) -> PieceChecked | None:
        """Check a piece block by block; None where the time is over before the last one."""
        begun = self._begun
        if begun[:3] != (piece, self._past_version, snapshot):
            begun = self._begun = _Begun(piece, self._past_version, snapshot, {})
        for block in piece.blocks:
            if block.anchors and id(block) not in begun.blocks:
                if begun.blocks and time.perf_counter() > until:
                    return None
                begun.blocks[id(block)] = self._check_block(block, document, snapshot)
        self._begun = _Begun(None, 0, None, {})
        return self._joined(piece, begun.blocks, begun.past)

    def departures_known(self) -> bool:
        """Have it told since when texts are gone, as `advance` goes on; say whether there are any."""
        self._untold = {
            piece for piece, checked in self.pieces.items() if any(each.told.code == "gone" for each in checked.placed)
        }
        return bool(self._untold)

    def _told_again(self, old: PieceChecked, document: Document, snapshot: Snapshot) -> PieceChecked:
        blocks = dict(old.blocks)
        for number, block in old.blocks.items():
            if any(told.code == "gone" for told in block.known.told):
                known = self._tell(block.block, document, snapshot, block.present, block.written, block.known.drifts)
                blocks[number] = replace(block, known=known)
        return self._joined(old.piece, blocks, old.past)

    def _check(
        self, piece: Piece, document: Document, snapshot: Snapshot, reusable: Mapping[int, BlockChecked]
    ) -> PieceChecked:
        blocks = {
            id(block): reusable.get(id(block)) or self._check_block(block, document, snapshot)
            for block in piece.blocks
            if block.anchors
        }
        return self._joined(piece, blocks, self._past_version)

    @property
    def _past_version(self) -> int:
        return self.past.version if self.past is not None else 0

    def _joined(self, piece: Piece, blocks: Mapping[int, BlockChecked], past: int) -> PieceChecked:
        told: list[Told] = []
        files: set[str] = set()
        offset = anchors = 0
        marked = overrun = False
        for block in piece.blocks:
            marked = marked or MARK in block.text
            overrun = overrun or block.overrun
            if block.anchors:
                checked = blocks[id(block)]
                if checked.known.told:
                    told += [moved(each, offset, anchors) for each in checked.known.told]
                files |= checked.files
                anchors += len(block.anchors)
            if self.reference:
                told += [moved(each, offset) for each in self.reference.of_text(block)]
            offset += len(block.text)
        undecided = any(each.status in UNDECIDED for checked in blocks.values() for each in checked.present)
        return PieceChecked(
            piece,
            place(told, piece, self._encoding),
            anchors,
            blocks,
            frozenset(files),
            undecided,
            marked,
            overrun,
            past,
        )

    def _check_block(self, block: Block, document: Document, snapshot: Snapshot) -> BlockChecked:
        present = tuple([snapshot.resolve(anchor, document) for anchor in block.anchors])
        written: tuple[Written | None, ...] = ()
        drifts: tuple[Drifts | None, ...] = ()
        files: list[FileText | None] = []
        if self.past is not None:
            files = [snapshot.file(resolution) for resolution in present]
            written = self.past.of(block, present, files)
            drifts = drifts_of(block, document, snapshot, written, present)
        known = self._tell(block, document, snapshot, present, written, drifts)
        return self._known_block(block, document, snapshot, known, present, written, files)

    def _tell(
        self,
        block: Block,
        document: Document,
        snapshot: Snapshot,
        present: tuple[Resolution, ...],
        written: tuple[Written | None, ...],
        drifts: tuple[Drifts | None, ...],
    ) -> BlockTold:
        known = tell_known(block, document, snapshot, present, written, drifts)
        if self.reference.reads_lines:
            known = replace(known, told=(*known.told, *self.reference.of_block(block, known, snapshot)))
        return known

    def _known_block(
        self,
        block: Block,
        document: Document,
        snapshot: Snapshot,
        known: BlockTold,
        present: tuple[Resolution, ...],
        written: tuple[Written | None, ...],
        texts: list[FileText | None],
    ) -> BlockChecked:
        asked = [
            anchor.path
            for anchor, resolution in zip(block.anchors, present, strict=True)
            if resolution.via in _MAY_ASK and snapshot.asks_document(anchor, document)
        ]
        for path in asked:
            if path not in self._named:
                self._named[path] = snapshot.named(path, document)
        if any(known.drifts):
            _ask_ahead(known, written, snapshot)
        keys = [joined(each.root, each.path) for each in present if each.path]
        keys += snapshot.past_files(written, document)
        files = frozenset([*keys, *map(snapshot.reader.place_of, keys)])
        return BlockChecked(block, known, frozenset(asked) if asked else _NONE, files, present, written, texts)


def _ask_ahead(known: BlockTold, written: Sequence[Written | None], snapshot: Snapshot) -> None:
    """Ask since when texts stand elsewhere or nowhere: a person who points at the citation is told so at once."""
    if snapshot.commits is None:
        return
    for drifts, past in zip(known.drifts, written, strict=bool(known.drifts)):
        for drift, baseline in zip(drifts or (), past.baselines if past is not None else (), strict=False):
            if drift.status in ("moved", "gone"):
                snapshot.commits.departed(baseline, anywhere=drift.status == "gone")


def _says_the_same(now: Resolution, before: Resolution) -> bool:
    """Say whether nothing else is to be told of a citation: that its file has more lines than before is nothing."""
    if now == before:
        return True
    return now.status == before.status == "found" and now._replace(line_count=before.line_count) == before
