"""One parsed version of a document: blocks, and the anchors in them.

A document is immutable. Its blocks stand in groups, so that an edit copies a few dozen references and not the whole
text: what a key stroke costs does not grow with the document.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace

from regex import Pattern

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.blocks import FRONT_MATTER_LINES, cut_blocks, front_matter, syntax_of
from cite_lsp.document.buffer import lines_with_ends, without_end
from cite_lsp.document.claims import Claims, Surroundings, own_text
from cite_lsp.document.cuts import START, Cut, Lines, State, indent_of
from cite_lsp.document.find import Found, find_anchors, find_definition, find_in_code
from cite_lsp.document.path_token import Grammar, make_grammar
from cite_lsp.document.pattern import compile_pattern
from cite_lsp.document.pattern_search import Allowance, find_by_pattern

_GROUP = 64
_SILENT = frozenset({"blank", "break", "comment", "front-matter", "code", "fence", "raw-html", "mark"})
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of a document that belong together; offsets of anchors are relative to `text`."""

    kind: str
    text: str
    line_count: int
    entry: State
    exit: State
    level: int
    indent: int
    anchors: tuple[Anchor, ...]
    refused: tuple[str, ...]
    """Paths with lines that would count if they existed."""
    unattached: int
    overrun: bool = False
    """The user's pattern ran out of time here: this block was not read."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Piece:
    """Some blocks in a row. Pieces that an edit does not touch are the same objects in both documents.

    What is known of a piece can so be kept for as long as it lives: it is compared by identity.
    """

    blocks: tuple[Block, ...]
    characters: int
    lines: int

    @property
    def text(self) -> str:
        """The text of the blocks, joined."""
        return "".join([block.text for block in self.blocks])


@dataclass(frozen=True, slots=True)
class _Options:
    """What parsing depends on besides the text; the same for all versions of a document."""

    path: str
    syntax: str
    grammar: Grammar
    pattern: Pattern[str] | None
    in_fences: bool
    allowance: Allowance = field(default_factory=Allowance)
    """Of the pattern; each edit has its own."""


def _group(blocks: Sequence[Block]) -> Piece:
    return Piece(tuple(blocks), sum(len(block.text) for block in blocks), sum(block.line_count for block in blocks))


def _grouped(blocks: Sequence[Block]) -> list[Piece]:
    """Share blocks out into groups of about `_GROUP`."""
    if len(blocks) <= 2 * _GROUP:
        return [_group(blocks)] if blocks else []
    return [_group(blocks[low : low + _GROUP]) for low in range(0, len(blocks), _GROUP)]


def _search(kind: str, text: str, options: _Options) -> Found:
    if kind in _SILENT and not (options.in_fences and kind in ("fence", "code")):
        return Found()
    if options.pattern is not None:
        return find_by_pattern(text, options.pattern, options.allowance)
    if kind in _SILENT:
        return find_in_code(text, options.grammar)
    return (find_definition if kind == "link-definition" else find_anchors)(text, options.grammar)


def _block(cut: Cut, lines: Lines, options: _Options) -> Block:
    text = lines.joined(cut.first, cut.size)
    found = _search(cut.kind, text, options)
    return Block(
        cut.kind,
        text,
        cut.size,
        cut.entry,
        cut.exit,
        cut.level,
        cut.indent,
        tuple(found.anchors),
        tuple(found.refused),
        found.unattached,
        found.overrun,
    )


def _from_start(lines: Lines, options: _Options) -> tuple[list[Block], int]:
    """Cut what only the beginning of a document may hold; give it and the line to go on from."""
    matter = front_matter(lines) if options.syntax == "markdown" else None
    return ([_block(matter, lines, options)], matter.size) if matter else ([], 0)


def _mark_block() -> Block:
    """Give the byte-order mark as a block of its own, which is no line."""
    return Block("mark", _MARK, 0, START, START, 0, 0, (), (), 0)


class Document:
    """One version of a document. Offsets are code points into `text`; lines are 0-based here."""

    __slots__ = ("_anchors", "_groups", "_options")

    def __init__(self, groups: tuple[Piece, ...], options: _Options) -> None:
        self._groups = groups
        self._options = options
        self._anchors: tuple[Anchor, ...] | None = None

    @classmethod
    def parse(
        cls,
        text: str,
        path: str = "",
        known: Container[str] = (),
        pattern: Pattern[str] | str | None = None,
        *,
        in_fences: bool = False,
        extensions: frozenset[str] = frozenset(),
    ) -> "Document":
        """Parse a text. Never raises on it, and is linear in it.

        `path` is POSIX and relative to its root; its ending chooses the block rules. `known` is any container of
        paths that count whatever their extension. `pattern`, an expression or what `compile_pattern` makes of one,
        takes the place of the grammar; ValueError says what is wrong with it.
        """
        if isinstance(pattern, str):
            compiled = compile_pattern(pattern)
            if isinstance(compiled, str):
                raise ValueError(compiled)  # noqa: TRY004 - a wrong value, told as text
            pattern = compiled
        options = _Options(path, syntax_of(path), make_grammar(known, extensions, path), pattern, in_fences)
        blocks: list[Block] = []
        if text.startswith(_MARK):
            blocks.append(_mark_block())
            text = text[1:]
        lines = Lines(iter(()), lines_with_ends(text))
        first, number = _from_start(lines, options)
        blocks += first
        blocks += [_block(cut, lines, options) for cut in cut_blocks(lines, options.syntax, START, number)]
        return cls(tuple(_grouped(blocks)), options)

    # --- reading

    @property
    def path(self) -> str:
        """The path given to `parse`."""
        return self._options.path

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(block.text for block in self.blocks)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The blocks in order, some dozens together; none is empty."""
        return self._groups

    @property
    def blocks(self) -> Iterator[Block]:
        """The blocks in order; joined, their texts are the document's."""
        return (block for group in self._groups for block in group.blocks)

    @property
    def line_count(self) -> int:
        """Number of lines; a last terminator begins no further one."""
        return sum(group.lines for group in self._groups)

    @property
    def refused(self) -> frozenset[str]:
        """Paths with lines that would count if they existed: parse again when the snapshot's paths change."""
        return frozenset(path for block in self.blocks for path in block.refused)

    @property
    def unattached(self) -> int:
        """Number of line words and bare `:line` that have no path to go with."""
        return sum(block.unattached for block in self.blocks)

    @property
    def overrun(self) -> bool:
        """Whether the user's pattern ran out of time somewhere, so that citations may be missing."""
        return any(block.overrun for block in self.blocks)

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """The anchors in text order, with absolute offsets, claim, sentence and section."""
        if self._anchors is None:
            self._anchors = tuple(_bind(self.blocks))
        return self._anchors

    def offset(self, line: int, column: int) -> int:
        """Give the offset of a 0-based line and code-point column; past the end of either counts as that end."""
        if line < 0:
            return 0
        if line == 0 and self._has_mark():
            line, column = 0, column - 1
            if column < 0:
                return 0
        offset = 0
        for group in self._groups:
            if line >= group.lines:
                line -= group.lines
                offset += group.characters
                continue
            for block in group.blocks:
                if line >= block.line_count:
                    line -= block.line_count
                    offset += len(block.text)
                    continue
                lines = lines_with_ends(block.text)
                before = sum(map(len, lines[:line]))
                return offset + before + min(max(column, 0), len(without_end(lines[line])))
        return offset

    # --- editing

    def edit(self, start: int, end: int, replacement: str) -> "Document":
        """Give the document with the text from `start` to `end` replaced; offsets outside the text are clamped.

        Blocks that the edit does not touch are the same objects in both documents.
        """
        start = max(0, start) if self._groups else 0
        end = max(start, end)
        group, inside, line = self._find_group(start)
        blocks = list(self._groups[group].blocks) if self._groups else []
        first, offset = _find_block(blocks, inside)
        if line < FRONT_MATTER_LINES + 2 * _GROUP and self._may_have_front_matter(start):
            low_group, low = 0, 0
        else:
            low_group, low = self._back(group, first, 2)
        before = self._before(low_group, low, group, first)
        return _Edit(self, low_group, low).apply(before, offset, end - start, replacement)

    def _find_group(self, offset: int) -> tuple[int, int, int]:
        """Give the group that holds `offset`, the offset inside it, and the group's first line."""
        line = 0
        for number, group in enumerate(self._groups):
            if offset < group.characters or number == len(self._groups) - 1:
                return number, offset, line
            offset -= group.characters
            line += group.lines
        return 0, 0, 0

    def _back(self, group: int, block: int, steps: int) -> tuple[int, int]:
        """Go back some blocks; no group is empty, so one step is one block."""
        while steps and (group or block):
            if block:
                block -= 1
            else:
                group -= 1
                block = len(self._groups[group].blocks) - 1
            steps -= 1
        return group, block

    def _has_mark(self) -> bool:
        """Say whether the text begins with a byte-order mark."""
        return bool(self._groups) and self._groups[0].blocks[0].kind == "mark"

    def _may_have_front_matter(self, start: int) -> bool:
        """Say whether an edit at `start` may open, change or close front matter."""
        if start < 5:
            return True
        head = [block.text for block in self._groups[0].blocks[:2]]
        return head[1 if self._has_mark() and len(head) > 1 else 0].startswith(("---", "+++"))

    def _before(self, low_group: int, low: int, group: int, block: int) -> list[Block]:
        """Give the blocks from (low_group, low) up to, without, (group, block)."""
        found: list[Block] = []
        for number in range(low_group, group + 1):
            blocks = self._groups[number].blocks if self._groups else ()
            start = low if number == low_group else 0
            found += blocks[start : block if number == group else len(blocks)]
        return found


def _find_block(blocks: list[Block], offset: int) -> tuple[int, int]:
    for number, block in enumerate(blocks):
        if offset < len(block.text) or number == len(blocks) - 1:
            return number, min(offset, len(block.text))
        offset -= len(block.text)
    return 0, 0


class _Edit:
    """One edit: the text from block (group, block) on is cut again until an old block fits."""

    def __init__(self, document: Document, group: int, block: int) -> None:
        self.document = document
        self.groups = document._groups
        self.options = replace(document._options, allowance=Allowance())
        self.group = group
        self.block = block
        self.next = (group, block)
        """The first old block that has not been read."""
        self.boundaries: dict[int, tuple[int, int]] = {}
        """Line numbers, counted from the first block cut again, at which an old block begins."""

    def apply(self, before: list[Block], offset: int, removed: int, replacement: str) -> Document:
        head = "".join(block.text for block in before)
        self._skip(len(before))
        head = self._splice(head, offset, removed, replacement)
        blocks: list[Block] = []
        at_start = (self.group, self.block) == (0, 0)
        entry = START if at_start or not self.groups else self.groups[self.group].blocks[self.block].entry
        if at_start and head.startswith(_MARK):
            blocks.append(_mark_block())
            head = head[1:]
        first = lines_with_ends(head)
        self._peek()
        self.boundaries[len(first)] = self.next
        lines = Lines(self._later(len(first)), first)
        number = 0
        if at_start:
            matter, number = _from_start(lines, self.options)
            blocks += matter
        return self._finish(self._cut(blocks, lines, entry, number))

    def _splice(self, head: str, offset: int, removed: int, replacement: str) -> str:
        """Give the text that changed, made whole lines with what follows."""
        parts = [head]
        block = self._take()
        text = block.text if block else ""
        parts += (text[:offset], replacement)
        left = removed - (len(text) - offset)
        while left > 0 and (block := self._take()):
            text, offset, removed = block.text, 0, left
            left -= len(text)
        parts.append(text[offset + removed :])
        whole = "".join(parts)
        while (following := self._peek()) and (
            not whole.endswith(("\n", "\r")) or (whole.endswith("\r") and following.text.startswith("\n"))
        ):
            whole += following.text
            self._take()
        return whole

    def _peek(self) -> Block | None:
        """Give the next old block, `next` set to where it stands."""
        group, block = self.next
        while group < len(self.groups) and block >= len(self.groups[group].blocks):
            group, block = group + 1, 0
        self.next = (group, block)
        return self.groups[group].blocks[block] if group < len(self.groups) else None

    def _take(self) -> Block | None:
        block = self._peek()
        if block is not None:
            self.next = (self.next[0], self.next[1] + 1)
        return block

    def _skip(self, count: int) -> None:
        for _ in range(count):
            self._take()

    def _later(self, number: int) -> Iterator[str]:
        """Read the old blocks behind the change, line by line, and say where each begins."""
        while block := self._peek():
            self.boundaries[number] = self.next
            number += block.line_count
            self._take()
            self._peek()
            self.boundaries[number] = self.next
            yield from lines_with_ends(block.text)

    def _cut(self, blocks: list[Block], lines: Lines, entry: State, number: int) -> list[Block]:
        """Cut until an old block begins at the same place with the same state; `next` is then that block."""
        for cut in cut_blocks(lines, self.options.syntax, entry, number, self.boundaries.keys()):
            blocks.append(_block(cut, lines, self.options))
            place = self.boundaries.get(cut.first + cut.size)
            if place is None:
                continue
            group, block = place
            if group >= len(self.groups) or self.groups[group].blocks[block].entry == cut.exit:
                self.next = place
                return blocks
        self.next = (len(self.groups), 0)
        return blocks

    def _finish(self, blocks: list[Block]) -> Document:
        """Put the new blocks between the old groups."""
        start = self.groups[self.group].blocks[: self.block] if self.groups else ()
        middle = [*start, *blocks]
        group, block = self.next
        if group < len(self.groups) and block:
            middle += self.groups[group].blocks[block:]
            group += 1
        low = self.group
        if len(middle) < _GROUP // 4 and group < len(self.groups):
            middle += self.groups[group].blocks
            group += 1
        groups = (*self.groups[:low], *_grouped(middle), *self.groups[group:])
        return Document(groups, self.options)


# ------------------------------------------------------------------------------------------------------ binding


class _Binder:
    """Walks the blocks and remembers what a thin claim borrows from."""

    def __init__(self) -> None:
        self.section = ""
        self.heading: Block | None = None
        self.before: Block | None = None
        self.header: Block | None = None
        self.leads: list[tuple[int, Block | None]] = []

    def surroundings(self, block: Block) -> Surroundings:
        lead = self.leads[-1][1] if self.leads and block.kind == "list-item" else None
        header = self.header if block.kind == "table-row" else None
        return Surroundings(self.section, self.heading, self.before, lead, header)

    def enter(self, block: Block) -> None:
        """Take note of a block before its anchors are bound."""
        if block.kind == "list-item":
            while self.leads and self.leads[-1][0] > block.indent:
                self.leads.pop()
            if not self.leads or self.leads[-1][0] < block.indent:
                self.leads.append((block.indent, self.before if _leads_in(self.before) else None))
        elif block.kind != "blank" and not block.exit.lists:
            self.leads.clear()
        if block.kind == "table-row" and block.level == 1:
            self.header = block
        elif block.kind != "table-row":
            self.header = None

    def leave(self, block: Block) -> None:
        """Take note of a block behind its anchors."""
        if block.kind == "heading":
            self.heading = block
            if block.level == 2 and indent_of(block.text) < 4 and not block.exit.quote:
                self.section = block.text.strip(" \t\r\n")
        if block.kind not in _SILENT:
            self.before = block
        elif block.kind not in ("blank", "comment"):
            self.before = None


def _leads_in(block: Block | None) -> bool:
    return block is not None and block.text.rstrip(" \t\r\n*_").endswith(":") and own_text(block) != ""


def _bind(blocks: Iterator[Block]) -> Iterator[Anchor]:
    binder = _Binder()
    offset = 0
    for block in blocks:
        binder.enter(block)
        if block.anchors:
            context = Claims(block, binder.surroundings(block))
            for anchor in block.anchors:
                yield anchor.bound(offset, context)
        binder.leave(block)
        offset += len(block.text)
