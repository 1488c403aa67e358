"""Finds the anchors of one block: where a number may be, then what stands before it (anchors.md).

Only places where a line form may begin are looked at, and from there back no further than the last anchor, so the
cost is linear in the block.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cite_lsp.document.anchors import Anchor, CitedPath, form_of, shifted
from cite_lsp.document.buffer import lines_with_ends
from cite_lsp.document.inline import Code, Inline, Link, lex, only_codes
from cite_lsp.document.links import definition_link, permalink, read_link
from cite_lsp.document.path_token import (
    MAX_PATH,
    Acceptance,
    Grammar,
    clean_path,
    holds_spaces,
    path_ahead,
    path_start,
)
from cite_lsp.document.ranges import Ranges, read_call, read_colon, read_hash, read_words

# Every branch begins with a plain letter and looks behind only then: so the search skips what begins none of them,
# which makes it seven times faster.
TRIGGER = re.compile(
    r":(?=[~L]{0,2}[0-9])|#(?=L[0-9])|\((?=[0-9])"
    r"|L(?<![\w#:]L)(?:ines?\s{1,40})?(?=[~L]{0,2}[0-9])|l(?<![\w#:]l)(?:ines?|n)\s{1,40}(?=[~L]{0,2}[0-9])"
)
"""Where a line form may begin. A block without one has no anchor."""

_IN_CODE = re.compile(r"([\w.+@~$%&/-]{1,1024}):([1-9][0-9]{0,8})(?:[-–]([1-9][0-9]{0,8}))?`")
"""What most citations are: the whole of a code span, and nothing but a plain path and its lines."""
_LINES_OF = re.compile(r"\s{1,20}(?:of|in|from)\s{1,20}(?:the\s{1,20})?")
_BEFORE_WORD = re.compile(r"(?:`+(?:\*\*)?|\*\*)?[,:]?\s*(?:(?<=[\r\n])(?:>[ \t]*)+)?[(\[]?(?:(?:at|on)\s+|@\s*)?\Z")
_BREAK_IN_CODE = re.compile(r"(?:(?<![ \t])[ \t]+)?(?:\r\n|\r|\n)[ \t>]*")
_CONTINUES_AFTER = frozenset(" \t\r\n`([{,/-–|*")
_BRACKET_REACH = 300
_REFUSED_KEPT = 64


@dataclass(slots=True)
class Found:
    """What one block holds."""

    anchors: list[Anchor] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Paths that are not there: with one of them the block might read otherwise."""
    unattached: int = 0
    """Line words and bare `:line` without a path."""
    overrun: bool = False
    """The user's pattern ran out of time: the block was not read to its end."""

    def miss(self, part: "Found") -> None:
        """Take what was missed in a part."""
        self.refused += part.refused[: _REFUSED_KEPT - len(self.refused)]


def find_anchors(text: str, grammar: Grammar) -> Found | None:
    """Find the anchors of a block's text; offsets are relative to it. None where nothing can be one."""
    first = TRIGGER.search(text)
    if not first:
        return None
    codes = only_codes(text)
    if codes is None:
        return _Finder(text, grammar, lex(text)).find(first)
    plain = _plain_anchors(text, first, codes, grammar.acceptance)
    return Found(plain) if plain else _Finder(text, grammar, Inline(codes)).find(first)


def _plain_anchors(
    text: str, trigger: re.Match[str] | None, codes: Sequence[Code], accepts: Acceptance
) -> list[Anchor]:
    """Find the anchors of a text in which every number is that of a plain citation in a code span; else none.

    Most blocks that cite anything are so, and `_Finder` would say the same of them in twice the time.
    """
    anchors: list[Anchor] = []
    done = at = 0
    while trigger:
        position = trigger.start()
        while at < len(codes) and codes[at].inner_end < position:
            at += 1
        if at == len(codes) or not done <= codes[at].inner_start <= position:
            return []
        anchor = _plain_anchor(text, codes[at], position, len(anchors))
        if anchor is None or not accepts.by_name(anchor.path):
            return []
        anchors.append(anchor)
        done = anchor.end
        trigger = TRIGGER.search(text, max(trigger.end(), done))
    return anchors


def _plain_anchor(text: str, code: Code, position: int, number: int) -> Anchor | None:
    """Give the anchor that a code span is which holds nothing but a plain path and its lines, from `position` on."""
    plain = _IN_CODE.match(text, code.inner_start)
    if plain is None or plain.end(1) != position or plain.end() != code.inner_end + 1:
        return None
    path, start, end = plain.groups()
    first, last = int(start), int(end or start)
    if first > last:
        return None
    if "//" in path or "/./" in path:
        path = clean_path(path, escaped=False, percent=False)
    return Anchor(
        text[code.inner_start : code.inner_end],
        "path-line-range" if end else "path-line",
        path,
        ((first, last),),
        code.inner_start,
        code.inner_end,
        ((plain.span(2), plain.span(3)) if end else (plain.span(2),),),
        index=number,
    )


def find_definition(text: str, grammar: Grammar) -> Found:
    """Find the anchor of a link definition, `[name]: path#L5`; it covers the definition."""
    found = Found()
    link = definition_link(text)
    anchor = read_link(text, link, _noting(grammar, found), None).anchor if link else None
    if anchor:
        found.anchors.append(anchor)
    return found


def find_in_code(text: str, grammar: Grammar) -> Found:
    """Find the anchors of a fence, every line by itself (`anchors.in_fences`)."""
    found = Found()
    position = 0
    for line in lines_with_ends(text):
        if first_trigger := TRIGGER.search(line):
            part = _Finder(line, grammar, Inline()).find(first_trigger)
            found.unattached += part.unattached
            found.miss(part)
            first = len(found.anchors)
            found.anchors += [
                shifted(anchor, position).numbered(first + number) for number, anchor in enumerate(part.anchors)
            ]
        position += len(line)
    return found


def _noting(grammar: Grammar, found: Found) -> Grammar:
    return Grammar(grammar.acceptance.noting(found.refused), grammar.own_path)


class _Finder:
    """One pass over one block."""

    bracketed = False
    """The text is that of a link."""
    done = 0
    """End of the last anchor: nothing is looked at before it again."""
    skipped = 0
    """End of the last lines that no path goes with: their numbers are not looked at one by one again."""
    unbroken: Code | None = None
    """The last code span that was seen to stay on its line."""
    last: tuple[int, CitedPath | Anchor] | None = None
    """Where the last path stands that a continuation may take."""
    codes_seen = 0

    def __init__(self, text: str, grammar: Grammar, inline: Inline) -> None:
        self.text = text
        self.inline = inline
        self.found = Found()
        self.grammar = _noting(grammar, self.found)
        self.accepts = self.grammar.acceptance
        self.hidden: list[tuple[int, int]] = []

    def find(self, trigger: re.Match[str] | None) -> Found:
        """Find the anchors; `trigger` is the first of the text."""
        if self.inline.links or self.inline.addresses or self.inline.comments:
            self.hidden = sorted((*self.inline.addresses, *self.inline.comments))
            return self.find_among_links()
        while trigger:
            if not self.take_plain(trigger.start()):
                self.take_trigger(trigger)
            trigger = TRIGGER.search(self.text, max(trigger.end(), self.done, self.skipped))
        return self.found

    def find_among_links(self) -> Found:
        events: list[tuple[int, int, re.Match[str] | Link | tuple[int, int]]] = []
        events += [(trigger.start(), 2, trigger) for trigger in TRIGGER.finditer(self.text)]
        events += [(link.start, 0, link) for link in self.inline.links]
        events += [(address[0], 1, address) for address in self.inline.addresses]
        events.sort(key=lambda event: event[:2])
        for position, _, event in events:
            if position < self.done or (position < self.skipped and isinstance(event, re.Match)):
                continue
            if isinstance(event, Link):
                self.take_link(event)
            elif isinstance(event, tuple):
                self.take_address(*event)
            elif not self.is_hidden(position) and not self.take_plain(position):
                self.take_trigger(event)
        return self.found

    def is_hidden(self, position: int) -> bool:
        index = bisect_right(self.hidden, (position, len(self.text) + 1)) - 1
        return index >= 0 and position < self.hidden[index][1]

    # --- what an event gives

    def add(self, anchor: Anchor | None) -> bool:
        if anchor is None:
            return False
        anchors = self.found.anchors
        if anchor.index != len(anchors):
            anchor = anchor.numbered(len(anchors))
        anchors.append(anchor)
        self.done = anchor.end
        self.last = (anchor.end, anchor)
        return True

    def make(self, start: int, ranges: Ranges, path: CitedPath | Anchor, form: str = "", end: int = 0) -> Anchor:
        end = end or ranges.end
        return Anchor(
            self.text[start:end],
            form_of(ranges, form),
            path.path,
            ranges.spans,
            start,
            end,
            ranges.places,
            ranges.defect,
            ranges.approximate,
            path.repository,
            path.ref,
            None,
            len(self.found.anchors),
        )

    def take_link(self, link: Link) -> None:
        reading = read_link(self.text, link, self.grammar, self.anchor_in_text(link))
        if self.add(reading.anchor):
            return
        if reading.bare:
            self.last = (link.end, reading.bare)
        target = (link.text_end, link.end)
        self.hidden.insert(bisect_right(self.hidden, target), target)

    def anchor_in_text(self, link: Link) -> Anchor | None:
        """Give the first anchor of a link's text."""
        inner = self.text[link.text_start : link.text_end]
        first = TRIGGER.search(inner)
        if not first:
            return None
        finder = _Finder(inner, self.grammar, lex(inner))
        finder.bracketed = True
        part = finder.find(first)
        self.found.miss(part)
        return shifted(part.anchors[0], link.text_start) if part.anchors else None

    def take_address(self, start: int, end: int) -> None:
        self.add(permalink(self.text, start, end))

    def take_plain(self, position: int) -> bool:
        """Take what most citations are at once, as `take_sign` would; say whether it was one of them."""
        code = self.inline.code_at(position)
        if code is None or code.inner_start < self.done:
            return False
        anchor = _plain_anchor(self.text, code, position, len(self.found.anchors))
        if anchor is None:
            return False
        if not self.accepts.accepts(anchor.path):
            return True
        self.found.anchors.append(anchor)
        self.done = code.inner_end
        self.last = (code.inner_end, anchor)
        return True

    def take_trigger(self, trigger: re.Match[str]) -> None:
        position = trigger.start()
        code = self.inline.code_at(position)
        if code is not None and code is not self.unbroken:
            if _BREAK_IN_CODE.search(self.text, code.inner_start, code.inner_end):
                self.take_broken_code(code)
                return
            self.unbroken = code
        mark = self.text[position]
        if mark in ":#(":
            self.take_sign(position, mark, code)
        else:
            self.take_word(trigger, code)

    # --- `path:N`, `path#LN`, `path(N)`

    def take_sign(self, position: int, mark: str, code: Code | None) -> None:
        low = max(self.done, code.inner_start if code else 0)
        limit = code.inner_end if code else len(self.text)
        start = path_start(self.text, low, position)
        if start is None:
            if mark == ":":
                self.take_continuation(position, limit, code)
            return
        start, path = self.widest(start, position, low, code)
        counts = self.accepts.accepts_call(path) if mark == "(" else self.accepts.accepts(path)
        if mark == ":":
            spaced = self.lists_by_spaces(start, code)
            ranges = read_colon(self.text, position, limit, spaced=spaced, listed=counts)
        else:
            ranges = (read_hash if mark == "#" else read_call)(self.text, position, limit)
        if ranges is None:
            return
        if counts:
            self.add(self.make(start, ranges, CitedPath(path)))

    def widest(self, start: int, end: int, low: int, code: Code | None) -> tuple[int, str]:
        """Give start and text of the path that ends at `end`; inside a code span it may reach back over spaces."""
        path = clean_path(self.text[start:end], escaped=code is None, percent=False)
        if code is None or start == low or self.text[start - 1] != " ":
            return start, path
        first = max(low, end - MAX_PATH)
        while first < start and self.text[first] in " \t,;&":
            first += 1
        whole = clean_path(self.text[first:end], escaped=False, percent=False)
        if first < start and (self.accepts.knows(whole) or (holds_spaces(whole) and not self.accepts.knows(path))):
            return first, whole
        return start, path

    def lists_by_spaces(self, start: int, code: Code | None) -> bool:
        """Say whether items behind a space belong to a list whatever follows: in a code span or in brackets."""
        if code is not None or self.bracketed:
            return True
        low = max(0, start - _BRACKET_REACH)
        before = self.text[low:start]
        return before.count("(") > before.count(")") or before.count("[") > before.count("]")

    # --- `:N` behind a path named earlier

    def take_continuation(self, position: int, limit: int, code: Code | None) -> None:
        if not self.may_continue(position):
            return
        ranges = read_colon(self.text, position, limit, spaced=self.lists_by_spaces(position, code))
        if ranges is None:
            return
        self.skipped = ranges.end
        if self.text.startswith(":", ranges.end):
            return
        path = self.path_before(position)
        if path is None:
            self.found.unattached += 1
        else:
            self.add(self.make(position, ranges, path, "continuation"))

    def may_continue(self, position: int) -> bool:
        if position == 0:
            return True
        before = self.text[position - 1]
        if before not in _CONTINUES_AFTER:
            return False
        if before in "([{" and position > 1:
            # `digest[:12]` and `f(:8)` are code
            return not (self.text[position - 2].isalnum() or self.text[position - 2] in "_)]")
        return True

    def path_before(self, position: int) -> CitedPath | Anchor | None:
        """Give the nearest path before `position`: of the last anchor, or a code span or link that is one."""
        codes = self.inline.codes
        while self.codes_seen < len(codes) and codes[self.codes_seen].end <= position:
            code = codes[self.codes_seen]
            self.codes_seen += 1
            if self.last is not None and code.end <= self.last[0]:
                continue
            path = _whole_path(self.text[code.inner_start : code.inner_end], self.accepts)
            if path and self.accepts.is_no_method(path):
                self.last = (code.end, CitedPath(path))
        return self.last[1] if self.last else None

    # --- `path line N`, `lines N of path`

    def take_word(self, trigger: re.Match[str], code: Code | None) -> None:
        limit = code.inner_end if code else len(self.text)
        behind = self.path_behind_words(trigger.start(), code)
        word = trigger.group().rstrip()
        if word == "L" and (behind is None or not self.accepts.is_no_method(behind[1])):
            return  # "the `defaults.lock` (L2)": a level, not a line
        ranges = read_words(self.text, trigger.end(), limit, plural=word.endswith("s"))
        if ranges is None:
            return
        if behind is not None:
            self.add(self.make(behind[0], ranges, CitedPath(behind[1]), "words"))
        elif not self.add(self.words_before_path(trigger.start(), ranges)):
            self.found.unattached += 1
            self.skipped = ranges.end

    def path_behind_words(self, position: int, code: Code | None) -> tuple[int, str] | None:
        """Give start and text of the path that stands just before line words at `position`."""
        joint = _BEFORE_WORD.search(self.text, max(self.done, position - 60), position)
        if joint is None or joint.start() == position:
            return None
        end = joint.start()
        if self.text[end] == "`":
            code = self.inline.code_at(end)
            if code is None or code.inner_end != end:
                return None
        low = max(self.done, code.inner_start if code else 0)
        start = path_start(self.text, low, end)
        if start is None:
            return None
        start, path = self.widest(start, end, low, code)
        return (start, path) if self.accepts.accepts(path) else None

    def words_before_path(self, position: int, ranges: Ranges) -> Anchor | None:
        joint = _LINES_OF.match(self.text, ranges.end)
        if joint is None:
            return None
        start = joint.end()
        code = self.inline.code_at(start + 1) if self.text.startswith("`", start) else None
        if code is not None:
            path = _whole_path(self.text[code.inner_start : code.inner_end], self.accepts)
            return self.make(position, ranges, CitedPath(path), "words", code.inner_end) if path else None
        end = path_ahead(self.text, start, len(self.text))
        path = clean_path(self.text[start:end], escaped=True, percent=False)
        if not self.accepts.accepts(path) or TRIGGER.match(self.text, end):
            return None
        return self.make(position, ranges, CitedPath(path), "words", end)

    # --- a code span over a line end

    def take_broken_code(self, code: Code) -> None:
        """Read a code span as if the break, and what quotes and indents the next line, were not there."""
        kept: list[int] = []
        position = code.inner_start
        for gap in _BREAK_IN_CODE.finditer(self.text, code.inner_start, code.inner_end):
            kept += range(position, gap.start())
            position = gap.end()
        kept += range(position, code.inner_end)
        joined = "".join(map(self.text.__getitem__, kept))
        whole = Inline([Code(0, 0, len(joined), len(joined))])
        part = _Finder(joined, self.grammar, whole).find(TRIGGER.search(joined))
        for anchor in part.anchors:
            self.add(_mapped(anchor, kept, self.text))
        self.found.miss(part)
        self.found.unattached += part.unattached
        self.done = max(self.done, code.inner_end)


def _whole_path(inner: str, acceptance: Acceptance) -> str | None:
    """Give the path that the whole of a code span is, or None."""
    inner = _BREAK_IN_CODE.sub("", inner).strip()
    if not inner or len(inner) > MAX_PATH:
        return None
    start = path_start(inner, 0, len(inner))
    if start is None or (start > 0 and not holds_spaces(inner)):
        return None
    path = clean_path(inner, escaped=False, percent=False)
    return path if acceptance.accepts(path) else None


def _mapped(anchor: Anchor, kept: list[int], text: str) -> Anchor:
    """Give the anchor with offsets of a joined text turned into those of the block."""
    start, end = kept[anchor.start], kept[anchor.end - 1] + 1
    places = tuple(tuple((kept[low], kept[high - 1] + 1) for low, high in pair) for pair in anchor.number_ranges)
    return replace(anchor, text=text[start:end], start=start, end=end, number_ranges=places)
