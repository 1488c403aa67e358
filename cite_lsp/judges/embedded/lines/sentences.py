"""The sentences of cited lines: of prose, of comments, of docstrings and of texts, with the lines they stand on."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cite_lsp.judges.embedded.lines.facts import Line, indent_of

_MOST_CHARS = 600
_OPENS = re.compile(r"\s{0,400}(?:[rRbBuUfF]{0,2}(?:\"\"\"|''')|/\*{1,4}!?|<!--|\{#-?|\(\*|=begin\b)")
_CLOSES = re.compile(r"\s{0,400}(?:\"\"\"|'''|\*{1,4}/|-->|-?#\}|\*\)|=end\b)\s{0,9}$")
_LEADS = re.compile(r"\s{0,400}(?://+[!/]?|#+[!:]?(?=\s|[A-Z]|$)|--+(?=\s|$)|;+|%+|dnl\b|REM\b|\.\.(?=\s|$))\s?")
_STAR = re.compile(r"\s{0,400}\*+(?!\*)(?:\s|$)")
_ITEM = re.compile(
    r"\s{0,400}(?:[-*+•–]{1,5}|[0-9]{1,3}[.)]|\([0-9a-z]\)|:[\w ]{1,60}:"
    r"|[@\\](?:param|returns?|throws|raises|type|arg|brief|note)\b(?:\s{0,3}\{[^}]{0,80}\})?|\.{1,5}(?=\s))(?:\s+|$)"
)
_HEADING = re.compile(r"\s{0,3}(?:#{1,6}|={1,6})\s+\S")
_RULE = re.compile(r"\s{0,80}([=\-~^\"'`*+#_.:|])\1{2,}[\s|+:-]{0,400}$|\s{0,80}[|+][-=+|:\s]{3,400}$")
_FENCE = re.compile(r"\s{0,80}(?:```|~~~|----$|\.\.\.\.$|\+\+\+\+$)")
_DIRECTIVE = re.compile(r"\s{0,80}\.\.\s+[\w-]{1,60}::")
_SEPARATE = re.compile(r"\s{0,80}(?:\.\.\s|\||\[[\w,=.\"' ]{1,80}\]\s{0,9}$|<(?!https?:)[/!a-zA-Z])")
_END = re.compile(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!cf\.)(?<!vs\.)[\"'`)\]]{0,4}\s+(?=[\"'`(\[*_]{0,4}[A-Z0-9:@])"
)
_MARKUP = (
    (re.compile(r":[\w.+-]{1,30}:(?=`)"), "", "`"),
    (re.compile(r"!?\[([^\[\]\n]{0,200})\]\((?:[^()\s]|\([^()\s]{0,60}\)){0,300}\)"), r"\1", "]("),
    (re.compile(r"\[([^\[\]\n]{1,200})\]\[[^\[\]\n]{0,80}\]"), r"\1", "]["),
    (re.compile(r"`([^`<\n]{1,120})\s<[^<>\n]{1,300}>`_{0,2}"), r"\1", "`"),
    (re.compile(r"\bhttps?://[^\s\[\]<>]{1,300}\[([^\]\n]{1,200})\]"), r"\1", "["),
    (re.compile(r"\{@\w{1,12}\s([^{}\n]{1,120})\}"), r"\1", "{@"),
    (re.compile(r"</?[a-zA-Z][^<>\n]{0,120}>"), "", "<"),
    (re.compile(r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<![\w`])_{1,2}(?=\w)|(?<=\w)_{1,2}(?![\w`])|`{1,2}(?=_)"), "", ""),
    (re.compile(r"``"), "`", "``"),
    (re.compile(r"`_{1,2}"), "`", "`_"),
)
"""What is taken away, what is put in its place, and the sign without which there is none."""
_TEXT = re.compile(r"\"((?:[^\"\\\n]|\\.){12,400})\"|'((?:[^'\\\n]|\\.){12,400})'|`([^`\n]{12,400})`")
_SAYS = re.compile(r"[A-Za-z]{2,}\W{1,4}[A-Za-z]|^[A-Z][a-z]{2,}$")
_WORDS = re.compile(r"[A-Za-z]{2,}(?:[ ,;:]+[A-Za-z'’({\[%-]+){3}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the cited lines.

    Attributes:
        text: Without marks of comments, lists and emphasis, in one line.
        lines: The lines it stands on, in order.
        quoted: Whether it is a text that code holds, such as an error message or the help of an option.
        under: What it stands under: the entry's or the section's heading, or "".
    """

    text: str
    lines: tuple[Line, ...]
    quoted: bool = False
    under: str = ""


def sentences_of(lines: Sequence[Line], *, prose: bool) -> list[Sentence]:
    """Give the sentences, in order; those of texts in code behind those of its comments.

    Args:
        lines: The cited lines.
        prose: Whether they are a text, and not code with comments.
    """
    blocks = _prose_blocks(lines) if prose else _comment_blocks(lines)
    found = [sentence for block in blocks for sentence in _cut(block)]
    if not prose:
        found.extend(_texts(lines))
    return found


def plain(text: str) -> str:
    """Give a text without emphasis, roles and the targets of links; what is in back-ticks stays so."""
    for pattern, instead, sign in _MARKUP:
        if sign in text:
            text = pattern.sub(instead, text)
    return text.strip()


@dataclass(slots=True)
class _Block:
    pieces: list[tuple[str, Line]]
    under: str = ""


def _comment_blocks(lines: Sequence[Line]) -> Iterator[_Block]:
    """Give runs of comment that belong together: up to code, a blank line, the next item of a list."""
    starred = _starred(lines)
    block = _Block([])
    for line in lines:
        said, item = _unmarked(line, starred=starred)
        if block.pieces and (not said or item or line.code.strip()):
            yield block
            block = _Block([])
        if said and not _RULE.match(said):
            block.pieces.append((said, line))
    if block.pieces:
        yield block


def _starred(lines: Sequence[Line]) -> bool:
    """Whether the asterisks at the beginning of lines are those of a comment, and not of a list in a docstring."""
    inner = [line.comment for line in lines if line.comment.strip() and not _OPENS.match(line.comment[:_MOST_CHARS])]
    inner = [text for text in inner if not _LEADS.match(text[:_MOST_CHARS])]
    return bool(inner) and all(text.lstrip().startswith("*") for text in inner)


def _unmarked(line: Line, *, starred: bool) -> tuple[str, bool]:
    """Give what a line of comment says, and whether an item of a list begins there."""
    text = line.comment[:_MOST_CHARS]
    if not text.strip():
        return "", False
    opened = _OPENS.match(text)
    rest = text[opened.end() :] if opened else text
    rest = _CLOSES.sub("", rest, count=1)
    if not opened:
        mark = (_STAR if starred else _LEADS).match(rest)
        rest = rest[mark.end() :] if mark else rest
    item = _ITEM.match(rest)
    return (rest[item.end() :] if item else rest).strip(), bool(item)


def _prose_blocks(lines: Sequence[Line]) -> list[_Block]:
    """Give the paragraphs and items of a text, each with the heading above it; blocks of code are left out."""
    cutter = _Prose()
    for line in lines:
        cutter.take(line)
    cutter.end()
    return cutter.blocks


class _Prose:
    """Takes a text line by line and puts its paragraphs and items together."""

    def __init__(self) -> None:
        self.blocks: list[_Block] = []
        self._block = _Block([])
        self._under = ""
        self._fence = ""
        self._indented = -1

    def end(self) -> None:
        """End the block that is being put together."""
        if self._block.pieces:
            self.blocks.append(self._block)
        self._block = _Block([], self._under)

    def take(self, line: Line) -> None:
        """Take the next line."""
        text = line.text[:_MOST_CHARS]
        if self._in_code(text):
            return
        if _RULE.match(text) and len(self._block.pieces) == 1:
            self._under = plain(self._block.pieces[0][0])
            self._block = _Block([], self._under)
            return
        item = _ITEM.match(text)
        if item or not text.strip() or any(each.match(text) for each in (_HEADING, _RULE, _SEPARATE)):
            self.end()
        if _HEADING.match(text):
            self._under = plain(text.strip().strip("#= "))
            self.blocks.append(_Block([(text.strip().strip("#= "), line)]))
            self._block = _Block([], self._under)
        elif _DIRECTIVE.match(text):
            self._indented = indent_of(text) if "code" in text.lower() else -1
        elif text.strip() and not _RULE.match(text):
            self._say(text[item.end() :] if item else text, line)

    def _say(self, text: str, line: Line) -> None:
        if text.strip():
            self._block.pieces.append((text.strip(), line))
        if text.rstrip().endswith("::"):
            self.end()
            self._indented = indent_of(line.text)

    def _in_code(self, text: str) -> bool:
        """Whether a line belongs to a block of code, or to the fence around one."""
        mark = _FENCE.match(text)
        if mark and (not self._fence or text.strip().startswith(self._fence)) and not _underlines(text, self._block):
            self._fence = "" if self._fence else mark[0].strip()
            self.end()
            return True
        if self._fence or _inside(text, self._indented):
            return True
        self._indented = -1
        return False


def _underlines(text: str, block: _Block) -> bool:
    """Whether a row of signs makes a heading of the one line above it."""
    return len(block.pieces) == 1 and bool(_RULE.match(text)) and not text.strip().startswith(("```", "~~~"))


def _inside(text: str, indented: int) -> bool:
    """Whether a line belongs to a block of code that is told from its surroundings by its indentation."""
    return indented >= 0 and (not text.strip() or indent_of(text) > indented)


def _texts(lines: Sequence[Line]) -> Iterator[Sentence]:
    """Give the sentences that stand in code as texts, those that go on over several lines as one."""
    held: list[str] = []
    on: list[Line] = []
    for line in lines:
        code = line.code[:_MOST_CHARS]
        found = [next(filter(None, groups)) for groups in _TEXT.findall(code) if any(groups)] if code.strip() else []
        goes_on = bool(held) and code.strip()[:2].lstrip("fFrRbB")[:1] in ("'", '"') and bool(found)
        if held and not goes_on:
            yield from _said(held, on)
            held, on = [], []
        for number, text in enumerate(found):
            if number:
                yield from _said(held, on)
                held, on = [], []
            held.append(text)
            on.append(line)
    if held:
        yield from _said(held, on)


def _said(texts: list[str], on: list[Line]) -> Iterator[Sentence]:
    text = " ".join(" ".join(texts).split())
    if _WORDS.search(text):
        yield Sentence(text, tuple(dict.fromkeys(on)), quoted=True)


def _cut(block: _Block) -> Iterator[Sentence]:
    starts: list[int] = []
    text = ""
    for piece, _ in block.pieces:
        text += " " if text else ""
        starts.append(len(text))
        text += piece
    begin = 0
    for end in [*(match.end() for match in _END.finditer(text)), len(text)]:
        said = plain(text[begin:end])
        if _SAYS.search(said):
            on = [
                line
                for (piece, line), start in zip(block.pieces, starts, strict=True)
                if start < end and start + len(piece) > begin
            ]
            yield Sentence(said, tuple(on), under=block.under)
        begin = end
