"""What is known of the past of one open document's citations: from git, or from when they were first seen here.

It stays with the place of a citation: an edit elsewhere moves it along, an edit of the sentence around it keeps it, and
other numbers in the place are another citation. What another place cites says nothing of it: whoever puts the numbers
of a list right gives one item the lines that another had.
"""

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from cite_lsp.document.document import Block, Document, Piece
from cite_lsp.document.ranges import Span
from cite_lsp.server.sentences import Sentence, sentences_of
from cite_lsp.snapshot.baseline import NOT_YET, Baseline, Written
from cite_lsp.snapshot.copies import Copies, Moment, baseline_of
from cite_lsp.snapshot.lines import FileText
from cite_lsp.snapshot.resolve import Resolution

_HERE = Moment("", 0)
"""No commit: what a citation showed when it was first seen here."""
_COPIES = Copies()
_MOST_TEXTS = 8
"""Texts that a place remembers to have held: to take an edit back brings the past back."""
_MOST_LOST = 500
"""Citations that are there no more and are found again when their sentence is put in elsewhere."""
_MOST_ALIGNED = 200
"""Changed citations at once that are looked for one by one where their number changed: it takes its time."""

_TELLING = 16
"""Characters beside the citation of a sentence that is not expected to be written twice."""


@dataclass(frozen=True, slots=True)
class _Sighted:
    """What a citation showed when it was first seen: its past where git knows none."""

    file: FileText
    path: str
    spans: tuple[Span, ...]

    def written(self) -> Written:
        return Written(tuple(map(self._baseline, self.spans)))

    def _baseline(self, span: Span) -> Baseline:
        if not 0 < span[0] <= span[1] <= len(self.file.lines):
            return Baseline("unknown", reason="begins past the end of the file")
        return baseline_of(span, _HERE, self.path, self.file, self.path, _COPIES)


@dataclass(slots=True, eq=False)
class _Past:
    """Of one citation text in one place."""

    answered: bool = False
    written: Written | None = None
    """What git says; None while it has not said anything, or where it knows nothing."""
    sighted: _Sighted | None = None
    """What it showed when it was first seen, until that is needed."""
    seen: Written | None = None
    """The same as a baseline."""

    def take(self, written: Written | None) -> None:
        self.answered = True
        self.written = written
        if written is not None:
            self.sighted = None

    def see(self, resolution: Resolution, file: FileText | None, spans: tuple[Span, ...]) -> None:
        """Take note of what it shows, if that was not known yet."""
        if self.seen is not None or self.sighted is not None or self.written is not None:
            return
        if file is not None and "found" in resolution.spans:
            self.sighted = _Sighted(file, resolution.path, spans)

    def leave(self) -> None:
        """Let go of the whole file that it showed: it is not looked at for a while, and other versions may follow."""
        if self.sighted is not None and self.answered:
            self.seen = self.sighted.written()
        self.sighted = None

    @property
    def known(self) -> Written | None:
        """What it showed, once git has had its say."""
        if not self.answered or self.written is not None:
            return self.written
        if self.seen is None and self.sighted is not None:
            self.seen, self.sighted = self.sighted.written(), None
        return self.seen


class _Place:
    """A place in the document that holds a citation, as long as it is there."""

    __slots__ = ("_pasts",)

    def __init__(self) -> None:
        self._pasts: dict[str, _Past] = {}

    def past(self, text: str) -> _Past:
        """Give what is known of the citation that the place holds now."""
        found = self._pasts.pop(text, None) or _Past()
        if self._pasts:
            self._pasts[next(reversed(self._pasts))].leave()
        self._pasts[text] = found
        if len(self._pasts) > _MOST_TEXTS:
            del self._pasts[next(iter(self._pasts))]
        return found

    def leave(self) -> None:
        """Take note that it is not in the document any more."""
        if self._pasts:
            self._pasts[next(reversed(self._pasts))].leave()

    def forget_others(self, text: str) -> None:
        """Forget what it held before."""
        self._pasts = {text: self._pasts[text]} if text in self._pasts else {}


@dataclass(frozen=True, slots=True)
class Places:
    """The places of a version of the document, block by block: the answer of the worker is for them."""

    blocks: tuple[tuple[Block, tuple[_Place, ...]], ...]
    anew: bool
    """Whether what git said before counts no more."""


class WrittenBook:
    """The past of each citation of a document."""

    def __init__(self) -> None:
        self.answered = False
        """Whether the worker has said once what it knows."""
        self.version = 0
        """Counts the worker's answers: what was found with an older one is to be looked at again."""
        self.wanting = False
        """Whether a citation was looked up that nobody has been asked about."""
        self.outdated = False
        """Whether all is to be asked anew: git may say otherwise now."""
        self.unread = False
        """Whether the last question was not answered, though there may be a history."""
        self._pieces: tuple[Piece, ...] = ()
        """Those of the last version that was followed."""
        self._places: dict[int, tuple[Block, tuple[_Place, ...]]] = {}
        """By the identity of the block, which is so kept alive."""
        self._lost: OrderedDict[Sentence, _Place] = OrderedDict()

    # --- from one version to the next

    def follow(self, document: Document) -> None:
        """Take the next version of the document: each citation that is still there keeps its place."""
        before, self._pieces = self._pieces, document.pieces
        if before is self._pieces:
            return
        old, new = _changed(before, self._pieces)
        alive = {id(block) for block in new}
        kept = {id(block) for block in old} & alive
        for old_gap, new_gap in _gaps(old, new, kept):
            self._carry(old_gap, new_gap)
        for block in old:
            if id(block) not in alive:
                self._places.pop(id(block), None)

    def _carry(self, old: Sequence[Block], new: Sequence[Block]) -> None:
        """Let the citations of blocks take the places of those of the blocks that stood there before."""
        if not old and not self._lost:
            for block in new:
                self._places[id(block)] = (block, tuple([_Place() for _ in block.anchors]))
            return
        there = [_Spot(block, number) for block in old for number in range(len(block.anchors))]
        here = [_Spot(block, number) for block in new for number in range(len(block.anchors))]
        places = _taken(there, here) if there and here else {}
        found = {at: self._of_block(there[before].block)[there[before].number] for at, before in places.items()}
        taken = set(places.values())
        if len(found) < len(here) and self._lost:
            self._find_lost(here, found)
        for at, spot in enumerate(there):
            if at not in taken:
                self._lose(spot)
        at = 0
        for block in new:
            self._places[id(block)] = (block, tuple([found.get(at + n) or _Place() for n in range(len(block.anchors))]))
            at += len(block.anchors)

    def _of_block(self, block: Block) -> tuple[_Place, ...]:
        known = self._places.get(id(block))
        if known is None:
            known = self._places[id(block)] = (block, tuple([_Place() for _ in block.anchors]))
        return known[1]

    def _lose(self, spot: "_Spot") -> None:
        sentence = sentences_of(spot.block)[spot.number]
        self._lost.pop(sentence, None)
        place = self._lost[sentence] = self._of_block(spot.block)[spot.number]
        place.leave()
        if len(self._lost) > _MOST_LOST:
            self._lost.popitem(last=False)

    def _find_lost(self, here: Sequence["_Spot"], found: dict[int, _Place]) -> None:
        """Give citations that came the places that they had where their sentence was taken out."""
        for at, spot in enumerate(here):
            place = self._lost.pop(sentences_of(spot.block)[spot.number], None) if at not in found else None
            if place is not None:
                found[at] = place

    # --- what is known

    def asked(self, blocks: Iterable[Block]) -> Places:
        """Give the places of blocks, to be told what git says of them; from now on nothing is wanted."""
        anew, self.wanting, self.outdated = self.outdated, False, False
        return Places(tuple([(block, self._of_block(block)) for block in blocks]), anew)

    def take(self, places: Places, written: Iterable[Written]) -> None:
        """Take what git says of all citations of a version of the document, in order."""
        self._answered(unread=False)
        if places.anew:
            self._lost.clear()
        known = iter(written)
        for block, there in places.blocks:
            for anchor, place, each in zip(block.anchors, there, known, strict=False):
                if places.anew:
                    place.forget_others(anchor.text)
                place.past(anchor.text).take(None if _is_new(each) else each)

    def nothing_known(self, places: Places, *, unread: bool) -> None:
        """Take note that there is no history to ask; `unread`: that it was not read, so what is known of it stays."""
        self._answered(unread=unread)
        for block, there in places.blocks:
            for anchor, place in zip(block.anchors, there, strict=True):
                past = place.past(anchor.text)
                past.take(past.written if unread else None)

    def _answered(self, *, unread: bool) -> None:
        self.answered = True
        self.unread = unread
        self.version += 1
        self.wanting = False

    def of(
        self, block: Block, resolutions: Sequence[Resolution], files: Sequence[FileText | None]
    ) -> tuple[Written | None, ...]:
        """Give the past of each anchor of a block of the version that was followed last; None while it is not known.

        `resolutions`, `files`: what each means, and where it leads, in the present; one that is seen for the first
        time is from now on compared with what it shows now.
        """
        found: list[Written | None] = []
        there = self._of_block(block)
        for anchor, place, resolution, file in zip(block.anchors, there, resolutions, files, strict=True):
            past = place.past(anchor.text)
            past.see(resolution, file, anchor.spans)
            if not past.answered:
                self.wanting = True
            found.append(past.known if past.answered else None)
        return tuple(found)


class _Spot(NamedTuple):
    """A citation of a version: its block, and its number in it."""

    block: Block
    number: int

    @property
    def text(self) -> str:
        return self.block.anchors[self.number].text


def _taken(there: Sequence[_Spot], here: Sequence[_Spot]) -> dict[int, int]:
    """Give for citations now the number of the one whose place they take.

    Of as many as before the first is the first, and so on, unless they only changed places. Else a sentence that is the
    same word for word is the same, and of what is left those that read the same in the same order.
    """
    before, now = [spot.text for spot in there], [spot.text for spot in here]
    if before == now:
        return {at: at for at in range(len(now))}
    again = len(before) != len(now) or Counter(before) == Counter(now)
    taken = _same_sentences(there, here) if again and len(before) + len(now) <= _MOST_ALIGNED else {}
    used = set(taken.values())
    old = [at for at in range(len(before)) if at not in used]
    new = [at for at in range(len(now)) if at not in taken]
    if len(old) == len(new):
        return taken | dict(zip(new, old, strict=True))
    low, behind = _edges([before[at] for at in old], [now[at] for at in new])
    taken |= dict(zip(new[:low], old[:low], strict=True))
    if behind:
        taken |= dict(zip(new[-behind:], old[-behind:], strict=True))
    old, new = old[low : len(old) - behind], new[low : len(new) - behind]
    if old and new and len(old) + len(new) <= 10 * _MOST_ALIGNED:
        texts = [before[at] for at in old], [now[at] for at in new]
        for block in SequenceMatcher(None, *texts, autojunk=False).get_matching_blocks():
            taken |= {new[block.b + at]: old[block.a + at] for at in range(block.size)}
    return taken


def _same_sentences(there: Sequence[_Spot], here: Sequence[_Spot]) -> dict[int, int]:
    """Match citations whose sentence says enough to be known again; or all, where they only changed places."""
    before = [sentences_of(spot.block)[spot.number] for spot in there]
    now = [sentences_of(spot.block)[spot.number] for spot in here]
    all_of_them = Counter(before) == Counter(now)
    known: dict[Sentence, list[int]] = {}
    for at, each in enumerate(before):
        if all_of_them or len(each[1]) - len(each[0]) >= _TELLING:
            known.setdefault(each, []).append(at)
    return {at: known[each].pop(0) for at, each in enumerate(now) if known.get(each)}


def _is_new(written: Written) -> bool:
    """Say whether git does not have the citation yet."""
    return all(baseline.reason in NOT_YET for baseline in written.baselines) and written.resolution is None


def _changed(before: Sequence[Piece], now: Sequence[Piece]) -> tuple[list[Block], list[Block]]:
    """Give the blocks with citations of the pieces that changed."""
    low, behind = _edges(before, now)
    old, new = before[low : len(before) - behind], now[low : len(now) - behind]
    return (
        [block for piece in old for block in piece.blocks if block.anchors],
        [block for piece in new for block in piece.blocks if block.anchors],
    )


def _edges(before: Sequence[object], now: Sequence[object]) -> tuple[int, int]:
    """Give how many items two rows share at their beginnings and, behind that, at their ends."""
    most = min(len(before), len(now))
    low = next((at for at in range(most) if before[at] != now[at]), most)
    most -= low
    behind = next((at for at in range(most) if before[-1 - at] != now[-1 - at]), most)
    return low, behind


def _gaps(old: Sequence[Block], new: Sequence[Block], kept: set[int]) -> Iterator[tuple[list[Block], list[Block]]]:
    """Give the blocks that went and those that came between each two that stayed."""
    goes, at = iter(old), 0
    while at <= len(new):
        came: list[Block] = []
        while at < len(new) and id(new[at]) not in kept:
            came.append(new[at])
            at += 1
        went: list[Block] = []
        for block in goes:
            if id(block) in kept:
                break
            went.append(block)
        if came or went:
            yield went, came
        at += 1
