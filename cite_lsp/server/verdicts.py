"""The verdicts of one open document.

They stay with their sentence: an edit elsewhere moves them, an edit of the sentence drops them until the next save.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.columns import Encoding
from cite_lsp.document.document import Block, Piece
from cite_lsp.findings.by_block import as_of, moved
from cite_lsp.findings.grounding import tell_grounding
from cite_lsp.findings.judging import tell_verdict
from cite_lsp.findings.told import Told
from cite_lsp.server.checks import PieceChecked, Placed, place
from cite_lsp.server.sentences import Sentence, sentences_of

if TYPE_CHECKING:
    from cite_lsp.audit.grounding import Grounding
    from cite_lsp.audit.judgement import Judged

_Word = TypeVar("_Word")


def verdicts(encoding: Encoding) -> "Said[Judged]":
    """Give what the judge said of a document: nothing yet."""
    return Said(encoding, lambda judged, anchor, number: tell_verdict(judged.verdict, anchor, number))


def groundings(encoding: Encoding) -> "Said[Grounding]":
    """Give whose claims name what stands on other lines: nothing yet."""
    return Said(encoding, lambda found, anchor, number: [tell_grounding(found, anchor, number)])


@dataclass(frozen=True, slots=True)
class _Kept:
    """What the verdicts of a run tell of a piece as it was checked."""

    checked: PieceChecked
    run: int
    said: tuple[tuple[object, ...], ...]
    placed: tuple[Placed, ...]


class Said(Generic[_Word]):
    """What the last run of somebody who reads the cited lines said of a document: the judge's verdicts, say."""

    def __init__(self, encoding: Encoding, tell: Callable[[_Word, Anchor, int], Iterable[Told]]) -> None:
        """`tell` gives what is told of a word on an anchor with its number, offsets being those of the anchor."""
        self._encoding = encoding
        self._tell = tell
        self._by_sentence: dict[Sentence, _Word] = {}
        self._by_block: dict[int, tuple[Block, tuple[_Word | None, ...]]] = {}
        self._sentences: dict[int, tuple[Block, Sequence[Sentence]]] = {}
        self._prepared: dict[int, tuple[Block, Sequence[Sentence]]] = {}
        self._run = 0
        """How many runs of the judge there were."""
        self._kept: dict[Piece, _Kept] = {}

    def __bool__(self) -> bool:
        """Whether anything was said."""
        return bool(self._by_sentence)

    @property
    def edition(self) -> int:
        """Another number whenever more, less or something else was said."""
        return self._run

    def take(self, judged: Sequence[tuple[Block, Sequence[_Word | None]]]) -> None:
        """Take the outcome of a run over all blocks that hold anchors, in place of the one before."""
        self._by_block = {id(block): (block, tuple(verdicts)) for block, verdicts in judged}
        self._by_sentence = {}
        self._run += 1
        old, self._sentences = self._sentences, {}
        for block, verdicts in judged:
            known = old.get(id(block)) or self._prepared.get(id(block)) or (block, sentences_of(block))
            self._sentences[id(block)] = known
            for sentence, each in zip(known[1], verdicts, strict=True):
                if each is not None:
                    self._by_sentence[sentence] = each
        self._prepared = {}

    def hear(self, heard: Sequence[tuple[Block, Sequence[_Word | None]]]) -> None:
        """Take what was heard while a run goes on; where nothing was, what was said before stands."""
        self._run += 1
        for block, words in heard:
            for sentence, word in zip(self._sentences_of(block), words, strict=True):
                if word is not None:
                    self._by_sentence[sentence] = word
        self._by_block = {}  # blocks of later versions found their sentences among those of before

    def prepare(self, block: Block) -> None:
        """Find the sentences of a block ahead of `take`, which has no time for those of a whole document."""
        if id(block) not in self._sentences:
            self._prepared[id(block)] = (block, sentences_of(block))

    def drop(self, blocks: Iterable[Block]) -> None:
        """Forget the verdicts on the anchors of some blocks."""
        self._run += 1
        for block in blocks:
            for sentence in sentences_of(block):
                self._by_sentence.pop(sentence, None)
            self._by_block[id(block)] = (block, (None,) * len(block.anchors))

    def _sentences_of(self, block: Block) -> Sequence[Sentence]:
        known = self._sentences.get(id(block)) or self._prepared.get(id(block))
        return sentences_of(block) if known is None else known[1]

    def of(self, block: Block) -> tuple[_Word | None, ...]:
        """Give the verdict on each anchor of a block of any later version."""
        if not self._by_sentence:
            return (None,) * len(block.anchors)
        known = self._by_block.get(id(block))
        if known is None:
            known = (block, tuple([self._by_sentence.get(sentence) for sentence in self._sentences_of(block)]))
            self._by_block[id(block)] = known
        return known[1]

    def told(self, block: Block, number: int) -> list[Told]:
        """Give what is told of the block's anchor number `number`, with offsets into the block."""
        word = self.of(block)[number]
        return [] if word is None else list(self._tell(word, block.anchors[number], number))

    def placed(self, pieces: Mapping[Piece, PieceChecked]) -> dict[Piece, tuple[Placed, ...]]:
        """Place what the verdicts tell, piece by piece; where a citation leads nowhere, its verdict is not told."""
        if not self._by_sentence:
            return {}
        self._kept = {piece: self._kept_or_placed(piece, checked) for piece, checked in pieces.items()}
        alive = {number for checked in pieces.values() for number in checked.blocks}
        if len(self._by_block) > 2 * len(alive):
            self._by_block = {number: known for number, known in self._by_block.items() if number in alive}
        return {piece: kept.placed for piece, kept in self._kept.items() if kept.placed}

    def _kept_or_placed(self, piece: Piece, checked: PieceChecked) -> "_Kept":
        kept = self._kept.get(piece)
        if kept is not None and kept.checked is checked and kept.run == self._run:
            return kept
        said = tuple([self.of(block.block) for block in checked.blocks.values()])
        if kept is not None and kept.checked is checked and kept.said == said:
            return _Kept(checked, self._run, said, kept.placed)
        return _Kept(checked, self._run, said, self._place(piece, checked))

    def _place(self, piece: Piece, checked: PieceChecked) -> tuple[Placed, ...]:
        told: list[Told] = []
        offset = anchors = 0
        for block in piece.blocks:
            known = checked.blocks.get(id(block))
            if known is not None:
                for number, judged in enumerate(self.of(block)):
                    resolution = known.known.resolutions[number]
                    if judged is not None and resolution.resolved:
                        found = self._tell(judged, block.anchors[number], number)
                        told += [moved(as_of(each, resolution), offset, anchors) for each in found]
                anchors += len(block.anchors)
            offset += len(block.text)
        return place(told, piece, self._encoding)
