"""Which lines make the logical unit around a cited line: the rules for prose, and the reference's own.

Every rule looks only near the cited line and only at the start of each line, so that it costs the same in a
file of ten lines and of a million. A unit gives its lines one after the other, and is only asked for as
many as fit.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from cite_lsp.document.cuts import indent_of
from cite_lsp.snapshot.languages import Language

LOOK = 4096
"""Code points of a line that the rules look at."""

COMMENT_REACH = 12
"""Lines above the cited one that a comment may start."""

OPENER_REACH = 64
"""Lines above the cited one where the opener of a block comment is looked for."""

TABLE_REACH = 200
"""Lines above a table row where its header is looked for."""

FENCE_REACH = 2000
"""Lines above the cited one that are read to tell whether it stands in a fence."""

TITLE_REACH = 400
"""Lines above a reStructuredText title that are read for the order of its adornments."""

PARAGRAPH_REACH = 5
"""Lines above the cited one that belong to its paragraph."""

SPACE = (
    "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""White space as the reference knows it."""

_HEADING = re.compile(rf"(#{{1,6}})[{SPACE}]+[^{SPACE}]")
_EQUALS_HEADING = re.compile(r"(={1,6})[ \t]+[^ \t]")
_ITEM = re.compile(rf"[{SPACE}]*(?:[-*+]|[0-9]+[.)])[{SPACE}]+[^{SPACE}]")
_RST_ITEM = re.compile(r"[ \t]*(?:[-*+•]|(?:[0-9]+|#|[A-Za-z])[.)]|\((?:[0-9]+|#|[A-Za-z])\))[ \t]+[^ \t]")
_ADOC_ITEM = re.compile(r"[ \t]*(-|\*{1,5}|\.{1,5}|[0-9]+\.)[ \t]+[^ \t]")
_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})")
_ADOC_FENCE = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|\+{4,}|/{4,}|_{4,}|```)[ \t]*(?:[\w-]*)$")
_SETEXT = re.compile(r" {0,3}(?:(=)=*|(-)-*)[ \t]*$")
_ADORNMENT = re.compile(r"([^\w\s])\1+[ \t]*$")
_COMMENT_PREFIX = re.compile(rf"[{SPACE}]*(?:/\*\*|/\*|\*/|\*|//|#|--) ?")
_COMMENT_MARKS = ("//", "#", "*", "/*", "--")
_LONE_BRACKETS = re.compile(r"[ \t]*[{}()\[\]][{}()\[\];, \t]*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """A kind of unit and the 0-based numbers of its lines, ascending, made as they are asked for."""

    kind: str
    numbers: Iterator[int]


class Lines:
    """The starts of a file's lines by 0-based number; None outside the file."""

    __slots__ = ("_lines",)

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def __call__(self, number: int) -> str | None:
        """The first code points of line `number`."""
        return self._lines[number][:LOOK] if 0 <= number < len(self._lines) else None

    def filled(self, number: int) -> str | None:
        """The line, or None where it is blank or outside the file."""
        text = self(number)
        return None if text is None or is_blank(text) else text


def is_blank(text: str) -> bool:
    """Whether the line holds only white space."""
    return not text.strip(SPACE)


def stands_alone(text: str) -> bool:
    """Whether the line is blank or only brackets: no neighbour can speak for it (findings.md)."""
    return is_blank(text) or _LONE_BRACKETS.match(text) is not None


def paragraph(lines: Lines, cited: int, stops: Callable[[int], bool]) -> Unit:
    """The lines around the cited one, at most five above it, up to a blank line or one that `stops`."""
    first = cited
    while first > cited - PARAGRAPH_REACH and lines.filled(first - 1) is not None and not stops(first - 1):
        first -= 1

    def numbers() -> Iterator[int]:
        for number in count(first):
            if number > cited and (lines.filled(number) is None or stops(number)):
                return
            yield number

    return Unit("paragraph", numbers())


def until_blank(lines: Lines, first: int) -> Iterator[int]:
    """The numbers from `first` to the line before the next blank one."""
    for number in count(first):
        if lines.filled(number) is None:
            return
        yield number


def trimmed(lines: Lines, numbers: Iterator[int]) -> Iterator[int]:
    """The numbers without the blank lines at their end."""
    waiting: list[int] = []
    for number in numbers:
        if lines.filled(number) is None:
            waiting.append(number)
        else:
            yield from waiting
            waiting.clear()
            yield number


# --- fences ---------------------------------------------------------------------------------------


class Fences:
    """Follows the fences of a prose file downwards, one line after the other."""

    __slots__ = ("_asciidoc", "_open")

    def __init__(self, language: Language | None) -> None:
        self._asciidoc = language is not None and language.kind == "asciidoc"
        self._open = ""

    def inside(self, text: str) -> bool:
        """Take the next line; whether it is a fence's delimiter or stands between two."""
        if self._open:
            if self._closes(text):
                self._open = ""
            return True
        found = (_ADOC_FENCE if self._asciidoc else _FENCE).match(text)
        self._open = found.group(1) if found else ""
        return found is not None

    def _closes(self, text: str) -> bool:
        bare = text.strip(SPACE)
        if self._asciidoc:
            return bare == self._open
        return len(bare) >= len(self._open) and not bare.strip(self._open[0])

    @property
    def is_open(self) -> bool:
        """Whether the next line stands in a fence."""
        return bool(self._open)


def fenced(lines: Lines, cited: int, language: Language) -> Unit | None:
    """The unit of a line inside a fence: its delimiter with all that follows, or the paragraph within."""
    fences = Fences(language)
    for number in range(max(0, cited - FENCE_REACH), cited):
        fences.inside(lines(number) or "")
    inside = fences.is_open
    if not fences.inside(lines(cited) or ""):
        return None
    if inside:
        pattern = _ADOC_FENCE if language.kind == "asciidoc" else _FENCE
        return paragraph(lines, cited, lambda number: pattern.match(lines(number) or "") is not None)

    def numbers() -> Iterator[int]:
        yield cited
        for number in count(cited + 1):
            text = lines(number)
            if text is None or not fences.is_open:
                return
            fences.inside(text)
            yield number

    return Unit("paragraph", numbers())


# --- headings -------------------------------------------------------------------------------------


def heading_level(lines: Lines, number: int, language: Language | None) -> int:
    """The level of the heading that line `number` is, underlined ones in Markdown too; 0 for none."""
    text = lines(number)
    if text is None:
        return 0
    kind = "text" if language is None else language.kind
    if kind == "rst":
        return 0
    found = (_EQUALS_HEADING if kind == "asciidoc" else _HEADING).match(text)
    if found:
        return len(found.group(1))
    return _setext_level(lines, number) if kind == "markdown" else 0


def _setext_level(lines: Lines, number: int) -> int:
    text = lines.filled(number)
    under = _SETEXT.match(lines(number + 1) or "")
    if text is None or under is None or indent_of(text) > 3 or _starts_block(text):
        return 0
    return 1 if under.group(1) else 2


def _starts_block(text: str) -> bool:
    return is_table_row(text) or text.lstrip().startswith((">", "- ", "* ", "+ ", "```", "~~~", "<!--", "---", "==="))


def section(lines: Lines, cited: int, language: Language | None) -> Unit | None:
    """A heading with its section: to the next heading of the same or a higher level, outside fences."""
    if language is not None and language.kind == "rst":
        return _rst_section(lines, cited)
    level = heading_level(lines, cited, language)
    is_markdown = language is not None and language.kind == "markdown"
    if not level and is_markdown and cited and _SETEXT.match(lines(cited) or ""):
        cited -= 1
        level = _setext_level(lines, cited)
    if not level:
        return None

    def numbers() -> Iterator[int]:
        fences = Fences(language)
        yield cited
        for number in count(cited + 1):
            text = lines(number)
            if text is None:
                return
            if not fences.inside(text) and 0 < heading_level(lines, number, language) <= level:
                return
            yield number

    return Unit("section", numbers())


def _rst_style(lines: Lines, number: int) -> str:
    """The adornment of the title on line `number`, twice when one stands above too; '' for no title."""
    text = lines.filled(number)
    under = _ADORNMENT.match(lines(number + 1) or "")
    if text is None or under is None or text[0] in " \t" or _ADORNMENT.match(text):
        return ""
    over = (lines(number - 1) or "").rstrip() if number else ""
    width = len((lines(number + 1) or "").rstrip())
    if over and over == (lines(number + 1) or "").rstrip():
        return under.group(1) * 2
    return under.group(1) if width >= len(text.rstrip()) else ""


def _rst_section(lines: Lines, cited: int) -> Unit | None:
    title = next((n for n in (cited, cited - 1, cited + 1) if n >= 0 and _rst_style(lines, n)), None)
    if title is None or (title != cited and not _ADORNMENT.match(lines(cited) or "")):
        return None
    styles: list[str] = []
    for number in range(max(0, title - TITLE_REACH), title + 1):
        style = _rst_style(lines, number)
        if style and style not in styles:
            styles.append(style)
    higher = set(styles[: styles.index(_rst_style(lines, title)) + 1])
    first = title - 1 if len(_rst_style(lines, title)) > 1 else title

    def numbers() -> Iterator[int]:
        yield from range(first, title + 1)
        for number in count(title + 1):
            over = _rst_style(lines, number + 1)
            if lines(number) is None or _rst_style(lines, number) in higher:
                return
            if len(over) > 1 and over in higher and _ADORNMENT.match(lines(number) or ""):
                return
            yield number

    return Unit("section", numbers())


# --- tables ---------------------------------------------------------------------------------------


def is_table_row(text: str | None) -> bool:
    """Whether the line starts with a bar."""
    return text is not None and text.lstrip(SPACE).startswith("|")


def _is_delimiter(text: str | None) -> bool:
    return is_table_row(text) and text is not None and "-" in text and not text.strip(SPACE + "|:-")


def table(lines: Lines, cited: int) -> Unit | None:
    """A table's header with all its rows, or a body row under its header and delimiter."""
    if not is_table_row(lines(cited)):
        return None
    if _is_delimiter(lines(cited + 1)):

        def numbers() -> Iterator[int]:
            for number in count(cited):
                if not is_table_row(lines(number)):
                    return
                yield number

        return Unit("table-row", numbers())
    number = cited - 1
    while number > 0 and cited - number <= TABLE_REACH and is_table_row(lines(number)):
        if _is_delimiter(lines(number)) and is_table_row(lines(number - 1)):
            return Unit("table-row", iter((number - 1, number, cited)))
        number -= 1
    return Unit("table-row", iter((cited,)))


# --- lists ----------------------------------------------------------------------------------------


def item_depth(text: str, language: Language | None) -> tuple[int, int] | None:
    """Where a list item's marker stands: its column, and in AsciiDoc its length; None when it is no item."""
    kind = "text" if language is None else language.kind
    if kind == "asciidoc":
        found = _ADOC_ITEM.match(text)
        return (0, len(found.group(1)) if found.group(1)[0] in "*." else 1) if found else None
    found = (_RST_ITEM if kind == "rst" else _ITEM).match(text)
    return (indent_of(text), 0) if found else None


def list_item(
    lines: Callable[[int], str | None], cited: int, language: Language | None, *, lazy: bool = True
) -> Unit | None:
    """A list item with its nested items, its further paragraphs and its lazily continued lines.

    `lines` may be a view, as of the text inside a comment, where `lazy` continuation does not hold.
    """
    depth = item_depth(lines(cited) or "", language)
    if depth is None:
        return None
    return Unit("list-item", _item_numbers(lines, cited, depth, language, lazy=lazy))


def _item_numbers(
    lines: Callable[[int], str | None],
    cited: int,
    depth: tuple[int, int],
    language: Language | None,
    *,
    lazy: bool,
) -> Iterator[int]:
    yield cited
    waiting: list[int] = []
    fences = Fences(language)
    open_text = True
    for number in count(cited + 1):
        text = lines(number)
        if text is None:
            return
        if is_blank(text):
            waiting.append(number)
            continue
        within = _is_within(text, depth, language)
        if not within and not (lazy and open_text and not waiting and _is_lazy(text, language)):
            return
        open_text = not fences.inside(text)
        yield from waiting
        waiting.clear()
        yield number


def _is_within(text: str, depth: tuple[int, int], language: Language | None) -> bool:
    """Whether a line belongs to an item at `depth` by where it stands."""
    other = item_depth(text, language)
    if language is not None and language.kind == "asciidoc":
        return text.strip() == "+" or (other is not None and other > depth)
    return indent_of(text) > depth[0]


def _is_lazy(text: str, language: Language | None) -> bool:
    """Whether a line that is not indented can only be the rest of the paragraph above it."""
    asciidoc = language is not None and language.kind == "asciidoc"
    return not (
        (_EQUALS_HEADING if asciidoc else _HEADING).match(text)
        or item_depth(text, language) is not None
        or is_table_row(text)
        or (_ADOC_FENCE if asciidoc else _FENCE).match(text)
        or _SETEXT.match(text)
        or text.lstrip(SPACE).startswith((">", "<!--") if language else (">", "<!--", "//", "/*", "*"))
    )


# --- the reference's comments, where the language is unknown --------------------------------------


def reference_comment(lines: Lines, cited: int) -> Unit | None:
    """A comment with the code below it, by the marks of any language (reference audit, 1.8, rule 2)."""
    first = _comment_start(lines, cited)
    if first is None:
        return None
    return list_item(lambda number: without_prefix(lines(number)), cited, None) or Unit(
        "comment-declaration", until_blank(lines, first)
    )


def without_prefix(text: str | None) -> str | None:
    """The text of a comment line without its mark; None when it has none."""
    found = None if text is None else _COMMENT_PREFIX.match(text)
    return text[found.end() :] if text is not None and found else None


def _comment_start(lines: Lines, cited: int) -> int | None:
    text = (lines(cited) or "").lstrip(" \t")
    if text.startswith("/*"):
        return cited
    if text.startswith("*"):
        return star_opener(lines, cited)
    family = comment_family(text)
    if not family:
        return None

    def same(number: int) -> bool:
        return comment_family((lines(number) or "").lstrip(" \t")) == family

    if not (same(cited - 1) or same(cited + 1)):
        return None
    first = cited
    while first > cited - COMMENT_REACH and same(first - 1):
        first -= 1
    return first


def star_opener(lines: Lines, cited: int) -> int | None:
    """Where a star-led line's block comment starts, at most twelve lines up; None without an opener."""
    for number in range(cited - 1, max(-1, cited - OPENER_REACH - 1), -1):
        text = (lines(number) or "").lstrip(" \t")
        if text.startswith("/*"):
            return max(number, cited - COMMENT_REACH)
        if not text.startswith("*"):
            return None
    return None


def comment_family(text: str) -> str:
    """Which mark of a line comment the text starts with, '' for none; two # are a heading's."""
    if text.startswith("#"):
        return "" if text.startswith("##") else "#"
    return next((mark for mark in ("//", "--") if text.startswith(mark)), "")


def lone_comment(lines: Lines, cited: int) -> Unit | None:
    """A line that looks like a comment, with up to five like it above (reference audit, 1.8, rule 6)."""

    def is_comment(number: int) -> bool:
        return (lines(number) or "").lstrip(" \t").startswith(_COMMENT_MARKS)

    if not is_comment(cited):
        return None
    first = cited
    while first > cited - PARAGRAPH_REACH and is_comment(first - 1):
        first -= 1
    return Unit("comment-declaration", until_blank(lines, first))
