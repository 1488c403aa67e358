"""What is told of one open document, kept piece by piece from one version to the next."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from cite_lsp.document.columns import Encoding
from cite_lsp.document.document import Block, Document, Piece
from cite_lsp.findings.by_block import BlockTold, moved, tell_block
from cite_lsp.findings.comments import MARK
from cite_lsp.findings.places import Places
from cite_lsp.findings.told import Told
from cite_lsp.server.convert import Range, position, range_of
from cite_lsp.snapshot.ladder import joined
from cite_lsp.snapshot.snapshot import Snapshot

_MAY_ASK = frozenset({"", "basename", "same-document"})
"""How a citation was resolved whose meaning may depend on what else the document names."""
_NONE: frozenset[str] = frozenset()

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


@dataclass(frozen=True, slots=True)
class PieceChecked:
    """What is known of a piece."""

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

    @property
    def open_paths(self) -> Iterator[str]:
        """The open paths of all blocks."""
        return (path for checked in self.blocks.values() for path in checked.open_paths)


class Checks:
    """The pieces of one document as they were last checked."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self.pieces: dict[Piece, PieceChecked] = {}
        self._doubtful: dict[Piece, PieceChecked] = {}
        """What was known before a cited file changed: it mostly still holds."""
        self._named: dict[str, frozenset[str]] = {}
        """Open paths, and the longer paths that the document named when they were resolved."""

    @property
    def blocks(self) -> dict[int, BlockChecked]:
        """What is known of the blocks that hold anchors, by their identity."""
        return {number: block for checked in self.pieces.values() for number, block in checked.blocks.items()}

    def clear(self) -> None:
        """Forget everything: another snapshot may say otherwise."""
        self.pieces = {}
        self._doubtful = {}
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
        found = len(kept) < len(self.pieces)
        self.pieces = kept
        return found

    def update(self, document: Document, snapshot: Snapshot) -> None:
        """Check the pieces of another version that are not known yet."""
        old = self.pieces
        changed = self._changed_names(document, snapshot)
        if changed:
            old = {piece: checked for piece, checked in old.items() if not changed.intersection(checked.open_paths)}
        doubtful, self._doubtful = self._doubtful, {}
        pieces = {piece: old.get(piece) for piece in document.pieces}
        if doubtful and not changed:
            for piece in pieces.keys() & doubtful.keys():
                pieces[piece] = pieces[piece] or self._renewed(doubtful[piece], document, snapshot)
        reusable = self._reusable(pieces, changed)
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
        self, pieces: Mapping[Piece, PieceChecked | None], changed: frozenset[str]
    ) -> dict[int, BlockChecked]:
        """Give what is known of blocks whose pieces were cut anew."""
        found: dict[int, BlockChecked] = {}
        for piece, checked in self.pieces.items():
            if pieces.get(piece) is None:
                found.update(
                    (number, block) for number, block in checked.blocks.items() if not block.open_paths & changed
                )
        return found

    def _renewed(self, old: PieceChecked, document: Document, snapshot: Snapshot) -> PieceChecked | None:
        """Give what was known of a piece if every anchor still means the same."""
        for checked in old.blocks.values():
            now = tuple([snapshot.resolve(anchor, document) for anchor in checked.block.anchors])
            if now != checked.known.resolutions:
                return None
        return old

    def _check(
        self, piece: Piece, document: Document, snapshot: Snapshot, reusable: Mapping[int, BlockChecked]
    ) -> PieceChecked:
        told: list[Told] = []
        blocks: dict[int, BlockChecked] = {}
        files: set[str] = set()
        offset = anchors = 0
        marked = False
        for block in piece.blocks:
            text = block.text
            marked = marked or MARK in text
            if block.anchors:
                checked = reusable.get(id(block)) or self._check_block(block, document, snapshot)
                blocks[id(block)] = checked
                if checked.known.told:
                    told += [moved(each, offset, anchors) for each in checked.known.told]
                files |= checked.files
                anchors += len(block.anchors)
            offset += len(text)
        undecided = any(each.status in UNDECIDED for checked in blocks.values() for each in checked.known.resolutions)
        placed = place(told, piece, self._encoding)
        overrun = any(block.overrun for block in piece.blocks)
        return PieceChecked(placed, anchors, blocks, frozenset(files), undecided, marked, overrun)

    def _check_block(self, block: Block, document: Document, snapshot: Snapshot) -> BlockChecked:
        known = tell_block(block, document, snapshot)
        asked = [
            anchor.path
            for anchor, resolution in zip(block.anchors, known.resolutions, strict=True)
            if resolution.via in _MAY_ASK and snapshot.asks_document(anchor, document)
        ]
        for path in asked:
            if path not in self._named:
                self._named[path] = snapshot.named(path, document)
        keys = [joined(each.root, each.path) for each in known.resolutions if each.path]
        files = frozenset([*keys, *map(snapshot.reader.place_of, keys)])
        return BlockChecked(block, known, frozenset(asked) if asked else _NONE, files)
