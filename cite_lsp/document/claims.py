"""The claim of an anchor: the sentence, or the part of it, that the anchor stands behind (anchors.md, Claims)."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Protocol

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.buffer import lines_with_ends
from cite_lsp.document.inline import lex
from cite_lsp.document.ranges import Place
from cite_lsp.document.sentences import masked, sentence_places

LEAST_WORDS = 4
_CUT_WORDS = 3
_CODE = frozenset({"fence", "code"})
"""Kinds of block whose lines stand each by itself: where such a block is cut in two means nothing."""

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{1,2}|[^\W\d_][\w'’-]*")
"""Of a script without spaces between words two characters are about one."""
_JOINING = re.compile(r"(?:[\s,;&/|`()\[\]{}*_\"'–—-]|\band\b)*\Z")
_OWN_TEXT = re.compile(
    r"(?:[ \t]|>)*(?:(?:[-+*•]|\(?[0-9]{1,9}[.)])[ \t]+)*(?:\[[ xX]\][ \t]+)?(?:(?:#{1,6}|={1,6})[ \t]+)?"
)
_LINE_BREAK = re.compile(r"(?:(?<![ \t])[ \t]+)?(?:\r\n|\r|\n)[ \t>]*")
_SETEXT = re.compile(r"(?:\r\n|\r|\n)[ \t>]*(?:=+|-+)[ \t]*\Z")
_CELL = re.compile(r"(?<!\\)\|")
_CLOSING = {")": "(", "]": "[", "}": "{", "”": "“"}
_BRACKET = re.compile(r"[()\[\]{}“”\";,]")


_BEFORE = re.compile(r"[ \t]*(?:(?:\r\n|\r|\n)[ \t>]*)*")
"""What stands before a sentence that begins on a line of its own."""


class BlockText(Protocol):
    """What a claim needs of a block."""

    @property
    def kind(self) -> str:
        """Kind of block."""

    @property
    def text(self) -> str:
        """Whole lines."""

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """With offsets into `text`."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The blocks that a thin claim borrows from."""

    section: str
    heading: BlockText | None
    before: BlockText | None
    """The block before."""
    lead: BlockText | None
    """Of a list item: the block that leads in its list, ending with a colon."""
    header: BlockText | None
    """Of a table row: the header row."""


ALONE = Surroundings("", None, None, None, None)
"""The surroundings of a block looked at by itself."""


def plain(text: str) -> str:
    """Give `text` on one line, without what quotes or indents its further lines."""
    return _LINE_BREAK.sub(" ", text).strip()


def _trimmed(text: str, start: int, end: int) -> Place:
    """Give a range without the spaces at its ends, and without what quotes or indents its first and last lines."""
    found = _BEFORE.match(text, start, end)
    start = found.end() if found else start
    end = start + len(text[start:end].rstrip(" \t\r\n"))
    while not text[(line := max(text.rfind("\n", start, end), text.rfind("\r", start, end)) + 1) : end].strip(" \t>"):
        if line <= start:
            break
        end = start + len(text[start:line].rstrip(" \t\r\n"))
    return start, end


def own_text(block: BlockText) -> str:
    """Give a block's text without its marks, on one line."""
    text = block.text.rstrip(" \t\r\n")
    if block.kind == "heading":
        text = _SETEXT.sub("", text).rstrip("# \t")
    found = _OWN_TEXT.match(text)
    return plain(text[found.end() if found else 0 :])


def cells_of(text: str) -> list[str]:
    """Give the cells of a table row."""
    row = text.strip(" \t\r\n>")
    row = row.removeprefix("|")
    if row.endswith("|") and not row.endswith("\\|"):
        row = row[:-1]
    return [cell.strip() for cell in _CELL.split(row)]


class Claims:
    """The claims of one block's anchors; worked out when the first is asked for, and each text made once."""

    __slots__ = (
        "_block",
        "_borrowings",
        "_citations",
        "_groups",
        "_mask",
        "_order",
        "_parts",
        "_sentences",
        "_starts",
        "_surroundings",
        "_texts",
        "_word_starts",
        "_words",
    )

    def __init__(self, block: BlockText, surroundings: Surroundings) -> None:
        self._block = block
        self._surroundings = surroundings
        self._citations: frozenset[str] | None = None
        self._mask: str | None = None
        self._words = ""
        self._word_starts: list[int] = []
        self._sentences: list[Place] = []
        self._starts: list[int] = []
        self._groups: dict[int, list[list[int]]] = {}
        self._order: dict[int, int] = {}
        """Of each anchor the number of its group within its sentence."""
        self._parts: dict[int, list[Place]] = {}
        self._texts: dict[Place, str] = {}
        self._borrowings: dict[int, str] = {}
        """What thin sentences borrow; a row's sentences all borrow the row."""

    @property
    def citations(self) -> frozenset[str]:
        """The texts of the block's anchors."""
        if self._citations is None:
            self._citations = frozenset([anchor.text for anchor in self._block.anchors])
        return self._citations

    @property
    def surroundings(self) -> Surroundings:
        """What the claims may borrow from."""
        return self._surroundings

    @property
    def section(self) -> str:
        """The nearest heading of level 2 above, as written, or ""."""
        return self._surroundings.section

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences of the block in order, cited or not, each on one line; of a row those of its cells."""
        if self._mask is None:
            self._prepare()
        return tuple(text for place in self._sentences if (text := self._plain(place)))

    @property
    def places(self) -> tuple[Place, ...]:
        """Where all sentences stand in the block's text, in order, what is between them included."""
        if self._mask is None:
            self._prepare()
        return tuple(self._sentences)

    def sentence(self, index: int) -> str:
        """Give the sentence that holds anchor number `index`."""
        return self._plain(self._sentences[self._holding(index)])

    def part(self, index: int) -> Place:
        """Give where the part of the sentence stands that belongs to anchor number `index`: its claim, if not thin."""
        return self._part(index, self._holding(index))

    def group(self, index: int) -> tuple[int, ...]:
        """Give the anchors of the group that anchor number `index` is in: those that stand together, it among them."""
        return tuple(self._groups[self._holding(index)][self._order[index]])

    def sentence_place(self, index: int) -> Place:
        """Give where the sentence that holds anchor number `index` stands in the block, without what indents it."""
        return self.trimmed(*self._sentences[self._holding(index)])

    def trimmed(self, start: int, end: int) -> Place:
        """Give a range of the block without the blanks around it, and without what indents it."""
        return _trimmed(self._block.text, start, end)

    def claim(self, index: int) -> str:
        """Give the claim of anchor number `index`."""
        number = self._holding(index)
        part = self._part(index, number)
        if part != self._sentences[number] or self._words_between(*part) >= LEAST_WORDS:
            return self._plain(part)
        borrower = 0 if self._block.kind == "table-row" else number
        if borrower not in self._borrowings:
            self._borrowings[borrower] = self._borrowed(number)
        return self._borrowings[borrower] or self.sentence(index)

    def _plain(self, place: Place) -> str:
        if place not in self._texts:
            self._texts[place] = plain(self._block.text[slice(*place)])
        return self._texts[place]

    # --- sentences

    def _prepare(self) -> None:
        """Cut the block into sentences, and the anchors of each into groups."""
        block = self._block
        text = block.text
        cited = [(anchor.start, anchor.end) for anchor in block.anchors]
        code = [(span.start, span.end) for span in lex(text).codes] if "`" in text and block.kind not in _CODE else []
        self._mask = mask = masked(text, cited, code)
        self._words = masked(text, cited, code, " ", " ")
        self._word_starts = [word.start() for word in _WORD.finditer(self._words)]
        for low, high in self._pieces():
            self._sentences += sentence_places(mask, low, high)
        if not self._sentences:
            self._sentences = [(0, len(text))]
        self._starts = [start for start, _ in self._sentences]
        for index, anchor in enumerate(block.anchors):
            groups = self._groups.setdefault(self._at(anchor.start), [])
            if groups and _JOINING.match(text[block.anchors[groups[-1][-1]].end : anchor.start]):
                groups[-1].append(index)
            else:
                groups.append([index])
            self._order[index] = len(groups) - 1

    def _pieces(self) -> list[Place]:
        """Give the ranges that sentences stay within: cells of a row, lines of code, else the block's own text."""
        text = self._block.text
        if self._block.kind in _CODE:
            ends = [0, *accumulate(map(len, lines_with_ends(text)))]
            return list(pairwise(ends))
        if self._block.kind == "table-row":
            bars = [found.start() for found in _CELL.finditer(text)]
            return [(low + 1, high) for low, high in pairwise([-1, *bars, len(text)]) if high > low + 1]
        found = _OWN_TEXT.match(text)
        start = found.end() if found else 0
        first = min((anchor.start for anchor in self._block.anchors), default=start)
        end = len(text)
        if self._block.kind == "heading" and (underline := _SETEXT.search(text.rstrip())):
            end = underline.start()
        return [(min(start, first), end)]

    def _at(self, position: int) -> int:
        return max(0, bisect_right(self._starts, position) - 1)

    def _holding(self, index: int) -> int:
        if self._mask is None:
            self._prepare()
        return self._at(self._block.anchors[index].start)

    # --- parts of a sentence

    def _part(self, index: int, number: int) -> Place:
        """Give the part of sentence `number` that belongs to the anchor's group."""
        if len(self._groups[number]) == 1:
            return self._sentences[number]
        if number not in self._parts:
            self._parts[number] = self._cut(number)
        return self._parts[number][self._order[index]]

    def _cut(self, number: int) -> list[Place]:
        """Give for each group of sentence `number` its part: from the nearest cut before it to the nearest behind."""
        groups = self._groups[number]
        start, end = self._sentences[number]
        marks = self._marks(start, end)
        cuts = [self._cut_between(groups, order, number, marks) for order in range(len(groups) - 1)]
        starts = [start]
        for cut in cuts:
            starts.append(starts[-1] if cut is None else cut)
        ends = [end]
        for cut in reversed(cuts):
            ends.append(ends[-1] if cut is None else cut)
        return list(zip(starts, reversed(ends), strict=True))

    def _cut_between(self, groups: list[list[int]], order: int, number: int, marks: list[int]) -> int | None:
        """Give where the sentence is cut between a group and the next: behind the last `;`, else the last `,`."""
        anchors = self._block.anchors
        low = anchors[groups[order][-1]].end
        high = anchors[groups[order + 1][0]].start
        start, end = self._sentences[number]
        before = anchors[groups[order - 1][-1]].end if order else start
        after = anchors[groups[order + 2][0]].start if order + 2 < len(groups) else end
        between = marks[bisect_left(marks, low) : bisect_left(marks, high)]
        for mark in ";,":
            for place in reversed(between):
                if (
                    self._words[place] == mark
                    and self._words_between(before, place) >= _CUT_WORDS
                    and self._words_between(place + 1, after) >= _CUT_WORDS
                ):
                    return place + 1
        return None

    def _marks(self, low: int, high: int) -> list[int]:
        """Give the places of `;` and `,` that stand in no pair of brackets or quotes and in no code."""
        opened: list[tuple[str, int]] = []
        marks: list[int] = []
        for found in _BRACKET.finditer(self._words, low, high):
            mark = found.group()
            if mark in ";,":
                marks.append(found.start())
                continue
            opening = _CLOSING.get(mark, mark if mark == '"' else "")
            if opening and opened and opened[-1][0] == opening:
                del marks[opened.pop()[1] :]
            elif mark not in _CLOSING:
                opened.append((mark, len(marks)))
        return marks

    def _words_between(self, start: int, end: int) -> int:
        return bisect_left(self._word_starts, end) - bisect_left(self._word_starts, start)

    # --- thin claims

    def _borrowed(self, number: int) -> str:
        """Give the claim of a sentence with fewer than four words, from what stands around it."""
        around, block = self._surroundings, self._block
        if block.kind in _CODE:
            return own_text(around.heading) if around.heading else ""
        if block.kind == "table-row":
            return self._row()
        if block.kind == "list-item" and around.lead:
            return f"{own_text(around.lead)} {own_text(block)}"
        if number > 0:
            start, end = self._sentences[number - 1]
            return plain(block.text[start:end])
        if around.before and own_text(around.before).endswith(":"):
            return own_text(around.before)
        return own_text(around.heading) if around.heading else ""

    def _row(self) -> str:
        cells = cells_of(self._block.text)
        heads = cells_of(self._surroundings.header.text) if self._surroundings.header else []
        named = [
            f"{heads[order]}: {cell}" if order < len(heads) and heads[order] else cell
            for order, cell in enumerate(cells)
            if cell
        ]
        return "; ".join(named)
