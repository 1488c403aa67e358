"""What stands inside a block: code spans, links, addresses and comments. Markdown's rules; linear in the text."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

TARGET_CHARACTERS = 2000
"""Longest link target that is looked at, so that unclosed ones cost no more than this."""

# every branch begins with a plain character, so that the search skips all others
_TOKEN = re.compile(r"``*|\\[^\w\s]|\]\(|\[|\]|<!--|://|\{\{#")
_RUN = re.compile(r"`+")
_ADDRESS = re.compile(r"[^\s<>`\"|]*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*\Z")
_TITLE = re.compile(r"\s*(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))", re.DOTALL)
_SPACES = re.compile(r"\s*")
_TARGET_MARK = re.compile(r"[()\s]")
_NESTED_BRACKETS = 32


class Code(NamedTuple):
    """A code span; `start`/`end` with its backticks, `inner_start`/`inner_end` without."""

    start: int
    inner_start: int
    inner_end: int
    end: int


class Link(NamedTuple):
    """`[text](target)`: `start`/`end` of the whole, then of the text and of the target without angle brackets."""

    start: int
    text_start: int
    text_end: int
    target_start: int
    target_end: int
    end: int


@dataclass(slots=True)
class Inline:
    """The parts of one block, each kind in order of position."""

    codes: Sequence[Code] = ()
    links: Sequence[Link] = ()
    addresses: Sequence[tuple[int, int]] = ()
    comments: Sequence[tuple[int, int]] = ()
    _starts: list[int] | None = None

    def code_at(self, position: int) -> Code | None:
        """Give the code span whose inside holds `position` (its end included)."""
        if not self.codes:
            return None
        if self._starts is None:
            self._starts = [code.start for code in self.codes]
        index = bisect_right(self._starts, position) - 1
        if index < 0:
            return None
        code = self.codes[index]
        return code if code.inner_start <= position <= code.inner_end else None


def address_end(text: str, start: int, limit: int) -> int:
    """Give the end of the web address whose `://` ends at `start`, closing punctuation left outside."""
    found = _ADDRESS.match(text, start, limit)
    end = found.end() if found else start
    opened: dict[str, int] | None = None
    while end > start:
        last = text[end - 1]
        if last in ".,;:!?'*_":
            end -= 1
        elif last in ")]":
            if opened is None:
                opened = {
                    ")": text.count("(", start, end) - text.count(")", start, end),
                    "]": text.count("[", start, end) - text.count("]", start, end),
                }
            if opened[last] >= 0:
                break
            opened[last] += 1
            end -= 1
        else:
            break
    return end


def _scheme_start(text: str, colon: int, low: int) -> int | None:
    found = _SCHEME.search(text[max(low, colon - 32) : colon])
    if not found or found.group().lower() == "file":
        return None
    return colon - len(found.group())


class _Lexer:
    """One pass over a block."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.codes: list[Code] = []
        self.links: list[Link] = []
        self.addresses: list[tuple[int, int]] = []
        self.comments: list[tuple[int, int]] = []
        self.openers: list[int] = []
        self.runs: dict[int, list[int]] | None = None
        self.cursor: dict[int, int] = {}
        self.closes = True
        """Whether a comment may still find its end: an end that is not there is looked for once."""

    def closing_run(self, length: int, after: int) -> int:
        """Find where the next run of exactly `length` backticks starts, or -1."""
        if self.runs is None and length == 1:
            close = self.text.find("`", after)
            if not self.text.startswith("``", close):
                return close
        if self.runs is None:
            self.runs = {}
            for run in _RUN.finditer(self.text):
                self.runs.setdefault(len(run.group()), []).append(run.start())
        starts = self.runs.get(length, [])
        index = self.cursor.get(length, 0)
        while index < len(starts) and starts[index] < after:
            index += 1
        self.cursor[length] = index
        return starts[index] if index < len(starts) else -1

    def lex(self) -> Inline:
        text, position = self.text, 0
        while token := _TOKEN.search(text, position):
            position = self.take(token)
        return Inline(self.codes, self.links, self.addresses, self.comments)

    def take(self, token: re.Match[str]) -> int:
        """Handle one token; give where to go on."""
        mark, start, end = token.group(), token.start(), token.end()
        if mark[0] == "`":
            return self.code(start, end)
        if mark == "://":
            return self.address(start, end, 0, len(self.text))
        if mark == "<!--":
            close = self.text.find("-->", end) if self.closes else -1
            if close < 0:
                self.closes = False
                return end
            self.comments.append((start, close + 3))
            return close + 3
        if mark == "{{#":
            return self.directive(start, end)
        if mark == "[":
            self.openers.append(start)
        elif mark == "]":
            if self.openers:
                self.openers.pop()
        elif mark == "](" and self.openers:
            return self.link(self.openers.pop(), start, end)
        return end

    def directive(self, start: int, end: int) -> int:
        """Pass over `{{#include part.md:2}}`, as book builders write it: an instruction, not a citation."""
        close = self.text.find("}}", end, end + TARGET_CHARACTERS)
        if close < 0:
            return end
        self.comments.append((start, close + 2))
        return close + 2

    def code(self, start: int, end: int) -> int:
        close = self.closing_run(end - start, end)
        if close < 0:
            return end
        self.codes.append(Code(start, end, close, close + end - start))
        position = end
        while (colon := self.text.find("://", position, close)) >= 0:
            position = self.address(colon, colon + 3, end, close)
        return close + end - start

    def address(self, colon: int, after: int, low: int, limit: int) -> int:
        start = _scheme_start(self.text, colon, low)
        if start is None:
            return after
        end = address_end(self.text, after, limit)
        self.addresses.append((start, end))
        return max(end, after)

    def link(self, opener: int, text_end: int, position: int) -> int:
        """Read the target behind `](`; anything that is no target leaves plain brackets."""
        target = self.target(position)
        if target is None:
            return position
        target_start, target_end, end = target
        start = opener - 1 if opener and self.text[opener - 1] == "!" else opener
        self.links.append(Link(start, opener + 1, text_end, target_start, target_end, end))
        self.openers.clear()
        return end

    def target(self, position: int) -> tuple[int, int, int] | None:
        text = self.text
        limit = min(len(text), position + TARGET_CHARACTERS)
        start = self.skip(position, limit)
        if text.startswith("<", start):
            close = text.find(">", start, limit)
            if close < 0 or "\n" in text[start:close]:
                return None
            first, last, after = start + 1, close, close + 1
        else:
            first, last = start, _balanced(text, start, limit)
            after = last
        if title := _TITLE.match(text, after, limit):
            after = title.end()
        after = self.skip(after, limit)
        if first == last or not text.startswith(")", after):
            return None
        return first, last, after + 1

    def skip(self, position: int, limit: int) -> int:
        found = _SPACES.match(self.text, position, limit)
        return found.end() if found else position


def _balanced(text: str, start: int, limit: int) -> int:
    """Give the end of a link target: at white space, or at the bracket that closes the link; `start` where none is."""
    depth = 0
    for found in _TARGET_MARK.finditer(text, start, limit):
        mark = found.group()
        if mark == "(":
            depth += 1
            if depth > _NESTED_BRACKETS:
                return start
        elif mark == ")" and depth:
            depth -= 1
        else:
            return found.start()
    return limit


def lex(text: str) -> Inline:
    """Find the code spans, links, addresses (`scheme://…`, but `file://`) and comments of one block."""
    codes = only_codes(text)
    return _Lexer(text).lex() if codes is None else Inline(codes)


def only_codes(text: str) -> list[Code] | None:
    """Find the code spans of a text in which every backtick stands alone and nothing else is told apart; else None."""
    if "``" in text or "](" in text or "\\" in text or "://" in text or "<!--" in text or "{{#" in text:
        return None
    codes: list[Code] = []
    start = text.find("`")
    while start >= 0:
        close = text.find("`", start + 1)
        if close < 0:
            break
        codes.append(Code(start, start + 1, close, close + 1))
        start = text.find("`", close + 1)
    return codes
