"""A repair as somebody proposes it, and what it makes of a document: one sentence or one citation, no other byte.

A proposal comes from outside, from a model mostly, so nothing in it is believed: what is written is read again, and
has to be the same block with the same citations.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.buffer import lines_with_ends, without_end
from cite_lsp.document.claims import cells_of, plain
from cite_lsp.document.document import Block, Document
from cite_lsp.document.inline import lex
from cite_lsp.document.ranges import Place, Span
from cite_lsp.findings.finding import Edit
from cite_lsp.snapshot.rewrite import restand

MOST_LINES = 40
"""Lines that a repair may cite: more than these no judge is shown."""
LEAST_ROOM = 400
"""Characters that a sentence may always have; a longer one may become twice as long."""
_CODE = frozenset({"fence", "code"})
_TAG = re.compile(r"<[A-Za-z/!?][^<>]*>?")
_TEMPLATE = re.compile(r"\{[{%#<]|\$\{")
_BRACE = re.compile(r"[{}]")
_BARE_ADDRESS = re.compile(r"(?<![\w.])www\.\S+", re.IGNORECASE)
_PAIRED = ("**", "~~")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_SPACES = re.compile(r"[ \t]+")
_OPENS = re.compile(r"[-+*#>=~:|.]|\d+[.)]|[A-Za-z][.)](?:\Z)")
"""What would begin a block of its own at the beginning of a line."""
_LINE_START = re.compile(r"(?:\r\n|\r|\n)[ \t>]*")


@dataclass(frozen=True, slots=True)
class Proposal:
    """What somebody would change.

    Attributes:
        kind: `lines`, other lines of the same file to cite; `sentence`, the sentence rewritten; `none`, nothing.
        lines: Of `lines`: the first and the last line, 1-based.
        sentence: Of `sentence`: the whole sentence, with all its citations, on one line.
        reason: Why, in a sentence.
    """

    kind: Literal["lines", "sentence", "none"]
    lines: Span | None = None
    sentence: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A document with one repair in it.

    Attributes:
        document: The new document; every block but the one of the sentence is the same object.
        anchor: The repaired citation, bound in it.
        edits: What was changed, with offsets into the old document, in order and apart.
        old, new: The sentence, each on one line.
    """

    document: Document
    anchor: Anchor
    edits: tuple[Edit, ...]
    old: str
    new: str


def sentence_place(document: Document, anchor: Anchor) -> Place:
    """Give where the sentence of one of `document.anchors` stands: offsets into the document's text."""
    return _Target.of(document, anchor).sentence


def repaired(document: Document, anchor: Anchor, proposal: Proposal, line_count: int) -> Repaired | str:
    """Carry out a proposal.

    Args:
        document: Where the citation stands.
        anchor: One of its anchors.
        proposal: What to change.
        line_count: How many lines the cited file has; 0 where it is not known.

    Returns:
        The document with the repair; or why the proposal is refused, a clause without a full stop.
    """
    target = _Target.of(document, anchor)
    if proposal.kind == "none":
        return proposal.reason or "nothing was proposed"
    made = _cite(target, proposal.lines, line_count) if proposal.kind == "lines" else _say(target, proposal.sentence)
    if isinstance(made, str):
        return made
    return _read_again(target, made, anchor.index if proposal.kind == "lines" else None)


@dataclass(frozen=True, slots=True)
class _Target:
    """A citation with its block: offsets of the block's anchors are relative to it."""

    document: Document
    anchor: Anchor
    block: Block
    start: int
    sentence: Place

    @classmethod
    def of(cls, document: Document, anchor: Anchor) -> "_Target":
        """Look a citation up. Raises ValueError for one that is none of the document's."""
        start = 0
        for piece in document.pieces:
            if start + piece.characters <= anchor.start:
                start += piece.characters
                continue
            for block in piece.blocks:
                if start + len(block.text) > anchor.start:
                    return cls._in(document, anchor, block, start)
                start += len(block.text)
        raise ValueError("the citation is none of this document")

    @classmethod
    def _in(cls, document: Document, anchor: Anchor, block: Block, start: int) -> "_Target":
        known = block.anchors[anchor.index] if anchor.index < len(block.anchors) else None
        if known is None or known.start + start != anchor.start or anchor.context is None:
            raise ValueError("the citation is none of this document")
        low, high = anchor.context.sentence_place(anchor.index)
        return cls(document, anchor, block, start, (low + start, high + start))

    @property
    def text(self) -> str:
        """The sentence as it is written."""
        return self.block.text[self.sentence[0] - self.start : self.sentence[1] - self.start]

    def cited(self) -> list[Anchor]:
        """Give the citations of the sentence, with offsets into the block."""
        low, high = self.sentence
        return [each for each in self.block.anchors if low <= each.start + self.start and each.end + self.start <= high]


# --- other lines


def _cite(target: _Target, lines: Span | None, line_count: int) -> tuple[Edit, ...] | str:
    anchor = target.anchor
    if lines is None:
        return "it names no lines"
    first, last = lines
    if not 1 <= first <= last:
        return f"lines {first} to {last} are none"
    if line_count <= 0:
        return "it is not known how many lines the cited file has, so that no others can be cited"
    if last > line_count:
        return f"the file has {line_count:,} lines; line {last} does not exist"
    if last - first >= MOST_LINES:
        return f"lines {first} to {last} are more than {MOST_LINES}"
    if len(anchor.spans) != 1:
        return f"`{anchor.text}` names several places; which of them is meant is not known"
    if lines == anchor.spans[0]:
        return "these are the lines that are cited already"
    edits = restand(target.block.anchors[anchor.index], target.document, [lines], None, target.block)
    if not edits:
        return f"other lines cannot be written in the form of `{anchor.text}`"
    return tuple([Edit(edit.start + target.start, edit.end + target.start, edit.text) for edit in edits])


# --- another sentence


def _say(target: _Target, sentence: str) -> tuple[Edit, ...] | str:
    new = sentence.strip(" \t")
    fault = _fault(target, new)
    if fault:
        return fault
    low, high = target.sentence
    return (Edit(low, high, _wrapped(new, target)),)


def _fault(target: _Target, new: str) -> str:
    """Say what is wrong with a sentence in place of the old one; "" where nothing is."""
    old = target.text
    if target.block.kind in _CODE:
        return "the citation stands in code, where there are no sentences"
    if lex(old).comments:
        return "the sentence holds a comment, which would be lost"
    if not new:
        return "the new sentence is empty"
    if "\n" in new or "\r" in new:
        return "the new sentence has more than one line"
    if new == plain(old):
        return "the new sentence is the old one"
    if len(new) > max(LEAST_ROOM, 2 * len(old)):
        return f"the new sentence has {len(new):,} characters, too many for this one"
    position = 0
    for cited in target.cited():
        found = new.find(cited.text, position)
        if found < 0:
            return f"the new sentence does not keep the citation `{plain(cited.text)}` as it is"
        position = found + len(cited.text)
    return _foreign(old, new, braces=target.document.path.endswith(".mdx"))


def _foreign(old: str, new: str, *, braces: bool) -> str:
    """Say what the new sentence brings that the old one had not, beside words; "" where it brings nothing."""
    hidden = {mark for mark in new if unicodedata.category(mark) in _HIDDEN and mark not in old}
    if hidden:
        return f"the new sentence holds the invisible character U+{ord(min(hidden)):04X}"
    prose = _without_code(new)
    if not set(_TAG.findall(prose)) <= set(_TAG.findall(old)):
        return "the new sentence brings HTML"
    marks = [_TEMPLATE, _BRACE] if braces else [_TEMPLATE]
    if any(not set(mark.findall(prose)) <= set(mark.findall(old)) for mark in marks):
        return "the new sentence brings the marks of a template"
    if not _addresses(new) <= _addresses(old):
        return "the new sentence brings a link"
    before = _without_code(old)
    if prose.count("`") > before.count("`") or any((prose.count(mark) - before.count(mark)) % 2 for mark in _PAIRED):
        return "the new sentence opens or closes what the old one did not"
    return ""


def _without_code(text: str) -> str:
    for code in reversed(lex(text).codes):
        text = text[: code.start] + " " * (code.end - code.start) + text[code.end :]
    return text


def _addresses(text: str) -> set[str]:
    found = lex(text)
    targets = {text[link.target_start : link.target_end] for link in found.links}
    addresses = {text[start:end] for start, end in found.addresses}
    return targets | addresses | set(_BARE_ADDRESS.findall(text))


def _wrapped(new: str, target: _Target) -> str:
    """Break a sentence into lines as the old one was broken: none longer than the block's longest."""
    breaks = _LINE_START.findall(target.text)
    if not breaks:
        return new
    width = max(len(without_end(line)) for line in lines_with_ends(target.block.text))
    column = len(lines_with_ends(target.block.text[: target.sentence[0] - target.start] + "\0")[-1]) - 1
    first, *words = _words(new, target)
    parts, column = [first], column + len(first)
    for word in words:
        if column + 1 + len(word) > width and not _OPENS.match(word):
            parts.append(breaks[0])
            column = len(breaks[0].lstrip("\r\n"))
        else:
            parts.append(" ")
            column += 1
        parts.append(word)
        column += len(word)
    return "".join(parts)


def _words(new: str, target: _Target) -> list[str]:
    """Cut a sentence at its spaces, but not within a citation or a code span."""
    whole = [(code.start, code.end) for code in lex(new).codes]
    position = 0
    for cited in target.cited():
        start = new.index(cited.text, position)
        position = start + len(cited.text)
        whole.append((start, position))
    words: list[str] = []
    position = 0
    for space in _SPACES.finditer(new):
        if not any(start < space.start() < end for start, end in whole):
            words.append(new[position : space.start()])
            position = space.end()
    return [*words, new[position:]]


# --- read again


def _read_again(target: _Target, edits: tuple[Edit, ...], moved: int | None) -> Repaired | str:
    """Parse what was written, and refuse what is not the same block with the same citations.

    `moved`: the number, in its block, of the citation that got other lines.
    """
    document = target.document
    for edit in reversed(edits):
        document = document.edit(edit.start, edit.end, edit.text)
    block = _same_blocks(target, document)
    if block is None:
        return "it would change how the text around it is read"
    if not _same_citations(target.block, block, moved):
        return "it would change which citations there are"
    (anchor,) = (
        each
        for each in document.anchors_between(target.start, target.start + len(block.text) - 1)
        if each.index == target.anchor.index and each.start == block.anchors[each.index].start + target.start
    )
    new = _Target.of(document, anchor)
    grown = len(block.text) - len(target.block.text)
    if new.sentence != (target.sentence[0], target.sentence[1] + grown) or len(new.cited()) != len(target.cited()):
        return "the new sentence is not one sentence"
    if _borrows(anchor) and not _borrows(target.anchor):
        return "the new sentence says too little: what is cited would stand behind another one"
    if _outside(target, 0) != _outside(new, grown):
        return "it would change how the text around it is read"
    return Repaired(document, anchor, edits, plain(target.text), plain(new.text))


def _borrows(anchor: Anchor) -> bool:
    """Say whether a citation stands behind words that are not of its sentence, which says too little by itself."""
    return anchor.sentence not in anchor.claim and anchor.claim not in anchor.sentence


def _same_blocks(target: _Target, document: Document) -> Block | None:
    """Give the block in place of the old one, all others being the same; None where they are not."""
    found: Block | None = None
    old, new = list(target.document.blocks), list(document.blocks)
    if len(old) != len(new):
        return None
    for before, now in zip(old, new, strict=True):
        if before is target.block:
            found = now
        elif before is not now and before != now:
            return None
    return found if found is not None and _shape(found) == _shape(target.block) else None


def _shape(block: Block) -> tuple[object, ...]:
    cells = len(cells_of(block.text)) if block.kind == "table-row" else 0
    return block.kind, block.entry, block.exit, block.level, block.indent, cells


def _same_citations(old: Block, new: Block, moved: int | None) -> bool:
    """Say whether a block has the citations of the old one, but for the lines of the one that got others."""
    if len(old.anchors) != len(new.anchors):
        return False
    for number, (before, now) in enumerate(zip(old.anchors, new.anchors, strict=True)):
        if (before.path, before.defect, before.repository) != (now.path, now.defect, now.repository):
            return False
        if number != moved and (before.text, before.spans) != (now.text, now.spans):
            return False
    return True


def _outside(target: _Target, grown: int) -> list[Place]:
    """Give the code spans, links, addresses and comments of a block that are not within the sentence.

    What stands behind the sentence is given as if that had not grown; an end within it is -1.
    """
    low, high = target.sentence[0] - target.start, target.sentence[1] - target.start
    found = lex(target.block.text)
    places = [*found.addresses, *found.comments]
    places += [(each.start, each.end) for each in found.codes] + [(each.start, each.end) for each in found.links]

    def placed(position: int) -> int:
        return position if position <= low else position - grown if position >= high else -1

    return sorted((placed(start), placed(end)) for start, end in places if start < low or end > high)
