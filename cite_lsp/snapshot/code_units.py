"""Which lines make the logical unit around a cited line of code.

A comment, a docstring, a key, a definition, a statement, else the paragraph.

Text rules: strings and comments are told apart well enough to count brackets, nothing more. Where they are
wrong (a regular expression with a lone bracket, a raw string) the unit is longer or shorter than the thing
meant, within the caps, and always holds the cited line.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import count, islice

from cite_lsp.document.cuts import indent_of
from cite_lsp.snapshot.languages import PYTHON_DEFINITION, Language
from cite_lsp.snapshot.units import (
    COMMENT_REACH,
    OPENER_REACH,
    Lines,
    Unit,
    is_blank,
    list_item,
    paragraph,
    star_opener,
    trimmed,
    until_blank,
)

DEFINITION_LOOK = 400
"""Code points of a line in which a definition or a key is looked for."""

DOCSTRING_REACH = 200
"""Lines above the cited one where the opening quotes of a docstring are looked for."""

_DOCSTRING = re.compile(r"[ \t]*[rRbBuUfF]{0,2}(\"\"\"|''')")
_HEADER_END = re.compile(r":[ \t]*(?:#.*)?$")
_END_WORD = re.compile(r"[ \t]*(?:end\w*|fi|esac|done|[}\])]+)(?!\w)")
_MIDDLE_WORD = re.compile(r"[ \t]*(?:rescue|ensure|else|elsif|elseif|elif|catch|after|[)}\]]+[ \t]*\{|\{)(?!\w)")
_CONTINUES = re.compile(r"[ \t]*(?:[{.|&=?:]|->|(?:extends|implements|throws|where|with)\b)")
_UNFINISHED = ("=", "|", ",", "&", ":", "(", "+", "->", "=>")
_YAML_KEY = re.compile(
    r"([ \t]*(?:-[ \t]+)*)(?:\"[^\"]*\"|'[^']*'|[^\s#:'\"{\[\]}](?:[^#:]|:(?=\S)){0,250})"
    r"[ \t]*:(?:[ \t]+([^#\s])?|$)"
)
_JSON_KEY = re.compile(r"[ \t]*(?:\"(?:\\.|[^\"\\])*\"|[\w$-]+)[ \t]*:")
_TABLE_HEADER = re.compile(r"[ \t]*\[{1,2}([^\[\],]+)\]{1,2}[ \t]*(?:[#;].*)?$")
_TOML_KEY = re.compile(r"[ \t]*[\"'\w][^=#]{0,200}=")
_INI_KEY = re.compile(r"[^\s\[;#!=:][^=:]{0,200}[=:]")


def code_unit(lines: Lines, cited: int, language: Language) -> Unit:
    """The unit of a line of code that is neither blank nor only brackets; the first rule that holds."""
    return (
        (_docstring(lines, cited) if language.docstrings else None)
        or _comment(lines, cited, language)
        or (_key(lines, cited, language) if language.keys else None)
        or (_definition(lines, cited, language) if language.definition else None)
        or (_statement(lines, cited, language) if language.brackets else None)
        or paragraph(lines, cited, lambda _: False)
    )


# --- comments -------------------------------------------------------------------------------------


def _comment(lines: Lines, cited: int, language: Language) -> Unit | None:
    text = (lines(cited) or "").lstrip(" \t")
    found = _block_start(lines, cited, text, language)
    if found is not None:
        first, opener, closer = found
        item = _comment_item(lines, cited, language) if opener == "/*" else None
        return item or Unit("comment-declaration", _block_numbers(lines, first, opener, closer))
    if not _is_line_comment(text, language):
        return None
    first = cited
    while first > cited - COMMENT_REACH and _is_line_comment(lines(first - 1) or "", language):
        first -= 1
    item = _comment_item(lines, cited, language)
    return item or Unit("comment-declaration", until_blank(lines, first))


def _is_line_comment(text: str, language: Language) -> bool:
    bare = text.lstrip(" \t")
    is_attribute = language.attribute is not None and language.attribute.match(bare)
    return bare.startswith(language.line) and not is_attribute


def _block_start(lines: Lines, cited: int, text: str, language: Language) -> tuple[int, str, str] | None:
    """Where the excerpt of the block comment around the cited line starts, and its opener and closer."""
    for opener, closer in language.blocks:
        if text.startswith(opener):
            return cited, opener, closer
        if opener == "/*" and text.startswith("*"):
            first = star_opener(lines, cited)
            return None if first is None else (first, opener, closer)
    if not language.blocks or _is_line_comment(text, language):
        return None
    for number in range(cited - 1, max(-1, cited - OPENER_REACH - 1), -1):
        above = (lines(number) or "").lstrip(" \t")
        for opener, closer in language.blocks:
            if above.startswith(opener) and not _closes(above[len(opener) :], closer):
                return max(number, cited - COMMENT_REACH), opener, closer
        if any(_closes(above, closer) for _, closer in language.blocks):
            return None
    return None


def _closes(text: str, closer: str) -> bool:
    """Whether the line ends a block comment; one led by a star only at its end: globs hold `*/` too."""
    if closer == "*/" and text.lstrip(" \t").startswith("*"):
        return text.rstrip().endswith(closer)
    return closer in text


def _block_numbers(lines: Lines, first: int, opener: str, closer: str) -> Iterator[int]:
    """The lines of a block comment, blank ones too, and those below it to the first blank one."""
    for number in count(first):
        text = lines(number)
        if text is None:
            return
        yield number
        bare = text.lstrip(" \t")
        if _closes(bare.removeprefix(opener) if number == first else text, closer):
            yield from until_blank(lines, number + 1)
            return


def _comment_item(lines: Lines, cited: int, language: Language) -> Unit | None:
    """A list item written inside a comment."""
    marks = sorted((*language.line, *(("/**", "/*", "*/", "*") if language.blocks else ())), key=len, reverse=True)

    def inner(number: int) -> str | None:
        text = (lines(number) or "").lstrip(" \t")
        mark = next((mark for mark in marks if text.startswith(mark)), None)
        return None if mark is None else text[len(mark) :].removeprefix(" ")

    return list_item(inner, cited, None, lazy=False)


def _docstring(lines: Lines, cited: int) -> Unit | None:
    """A Python docstring, from the line of what it documents to its closing quotes."""
    for opener in range(cited, max(-1, cited - DOCSTRING_REACH - 1), -1):
        found = _DOCSTRING.match(lines(opener) or "")
        owner = _docstring_owner(lines, opener) if found else None
        if found is None or owner is None:
            continue
        rest = (lines(opener) or "")[found.end() :]
        closing = opener if found.group(1) in rest else _closing_line(lines, opener + 1, found.group(1), cited)
        if closing < cited:
            return None
        first = max(owner, cited - COMMENT_REACH)
        return Unit("comment-declaration", _to_quotes(lines, first, opener, found.group(1)))
    return None


def _docstring_owner(lines: Lines, opener: int) -> int | None:
    """Where the definition of the docstring at `opener` starts; the opener itself for a module's."""
    for number in range(opener - 1, max(-1, opener - 1 - COMMENT_REACH), -1):
        text = lines.filled(number)
        if text is None or text.lstrip().startswith("#"):
            continue
        if not _HEADER_END.search(text):
            return None
        return _header_start(lines, number)
    return opener if opener <= COMMENT_REACH or lines(opener - 1) is None else None


def _header_start(lines: Lines, last: int) -> int | None:
    """The line where the header that ends at `last` starts, None when it is no definition's."""
    text = lines(last) or ""
    reach = OPENER_REACH if text.count(")") > text.count("(") else 0
    above = range(last, max(-1, last - reach - 1), -1)
    return next((number for number in above if PYTHON_DEFINITION.match(lines(number) or "")), None)


def _closing_line(lines: Lines, first: int, quotes: str, cited: int) -> int:
    """The first line from `first` that holds the quotes, or the cited one where none up to it does."""
    return next((number for number in range(first, cited + 1) if quotes in (lines(number) or "")), cited)


def _to_quotes(lines: Lines, first: int, opener: int, quotes: str) -> Iterator[int]:
    for number in count(first):
        text = lines(number)
        if text is None:
            return
        yield number
        found = _DOCSTRING.match(text) if number == opener else None
        if number >= opener and quotes in (text[found.end() :] if found else text):
            return


# --- brackets -------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _tokens(language: Language) -> re.Pattern[str]:
    """What matters of a line: comments and strings (skipped), openers of longer ones, brackets."""
    comments = "|".join(re.escape(mark) for mark in language.line)
    longer = "|".join(re.escape(mark) for mark in (*language.multiline, *(o for o, _ in language.blocks)))
    single = r"'(?:\\.|[^'\\])*(?:'|\\?$)" if language.single == "string" else r"'(?:\\[^']{1,10}|[^'\\])'"
    parts = [
        rf"(?P<longer>{longer})" if longer else "",
        rf"(?:{comments}).*" if comments else "",
        r'"(?:\\.|[^"\\])*(?:"|\\?$)',
        single,
        r"(?P<mark>[()\[\]{};])",
    ]
    return re.compile("|".join(part for part in parts if part))


class _Depth:
    """Counts the open brackets of code, line after line."""

    __slots__ = ("_closers", "_language", "_until", "block_closed", "depth", "ended", "opened")

    def __init__(self, language: Language) -> None:
        self._language = language
        self._closers = dict(language.blocks)
        self._until = ""
        self.depth = 0
        self.opened = 0
        self.block_closed = False
        self.ended = False

    def take(self, text: str) -> None:
        """Count the next line; afterwards `depth` is how many brackets are open and no string is pending."""
        position = 0
        pattern = _tokens(self._language)
        while position < len(text):
            if self._until:
                end = text.find(self._until, position)
                if end < 0:
                    return
                position = end + len(self._until)
                self._until = ""
                continue
            found = pattern.search(text, position)
            if found is None:
                return
            position = max(found.end(), position + 1)
            if found.lastgroup == "longer":
                self._until = self._closers.get(found.group(), found.group())
            elif found.lastgroup == "mark":
                self._count(found.group())

    def _count(self, mark: str) -> None:
        if mark == ";":
            self.ended = self.ended or not self.depth
        elif mark in "([{":
            self.depth += 1
            self.opened += 1
        elif self.depth:
            self.depth -= 1
            self.block_closed = self.block_closed or (mark == "}" and not self.depth)

    @property
    def is_open(self) -> bool:
        """Whether a bracket, a string or a comment goes on in the next line."""
        return bool(self.depth or self._until)


def _to_depth_zero(lines: Lines, first: int, language: Language) -> Iterator[int]:
    """The lines from `first` to where every bracket opened on them is closed."""
    depth = _Depth(language)
    for number in count(first):
        text = lines(number)
        if text is None:
            return
        yield number
        depth.take(text)
        if not depth.is_open:
            return


def _statement(lines: Lines, cited: int, language: Language) -> Unit | None:
    depth = _Depth(language)
    depth.take(lines(cited) or "")
    if not depth.depth:
        return None
    return Unit("statement", trimmed(lines, _to_depth_zero(lines, cited, language)))


# --- definitions ----------------------------------------------------------------------------------


def _definition(lines: Lines, cited: int, language: Language) -> Unit | None:
    opening = _opening_line(lines, cited, language)
    if opening is None:
        return None
    first = _attributes_start(lines, cited, language)
    ends = {"indent": _by_indent, "ends": _by_closing_word, "braces": _by_braces}[language.body]

    def numbers() -> Iterator[int]:
        yield from range(first, opening)
        yield from trimmed(lines, ends(lines, opening, language))

    return Unit("definition", numbers())


def _opening_line(lines: Lines, cited: int, language: Language) -> int | None:
    """The line that opens the definition: the cited one, or the one below the attributes that are cited."""
    number = cited
    while number < cited + COMMENT_REACH and _is_attribute(lines, number, language):
        number = _attribute_end(lines, number, language) + 1
    text = (lines(number) or "")[:DEFINITION_LOOK]
    return number if language.definition is not None and language.definition.match(text) else None


def _attributes_start(lines: Lines, cited: int, language: Language) -> int:
    """The first of the attributes that stand directly above the cited line; the cited line where none does."""
    first = cited
    for number in range(cited - 1, max(-1, cited - COMMENT_REACH - 1), -1):
        if lines.filled(number) is None:
            break
        if _is_attribute(lines, number, language):
            if _attribute_end(lines, number, language) != first - 1:
                break
            first = number
    return first


def _attribute_end(lines: Lines, first: int, language: Language) -> int:
    """The line on which the brackets of the attribute at `first` close."""
    *_, last = islice(_to_depth_zero(lines, first, language), COMMENT_REACH)
    return last


def _is_attribute(lines: Lines, number: int, language: Language) -> bool:
    if language.attribute is None or language.definition is None:
        return False
    text = (lines(number) or "")[:DEFINITION_LOOK]
    return language.attribute.match(text) is not None and not language.definition.match(text)


def _by_indent(lines: Lines, opening: int, language: Language) -> Iterator[int]:
    """The header to where its brackets close, then every line that stands deeper than it."""
    margin = indent_of(lines(opening) or "")
    depth = _Depth(language)
    for number in count(opening):
        text = lines(number)
        if text is None:
            return
        if number > opening and not depth.is_open and not is_blank(text) and indent_of(text) <= margin:
            return
        depth.take(text)
        yield number


def _by_closing_word(lines: Lines, opening: int, language: Language) -> Iterator[int]:  # noqa: ARG001
    """Every line that stands deeper than the header, and the `end` below them."""
    margin = indent_of(lines(opening) or "")
    yield opening
    for number in count(opening + 1):
        text = lines(number)
        if text is None:
            return
        if not is_blank(text) and indent_of(text) <= margin:
            if indent_of(text) == margin and _MIDDLE_WORD.match(text):
                yield number
                continue
            if indent_of(text) == margin and _END_WORD.match(text):
                yield number
            return
        yield number


def _by_braces(lines: Lines, opening: int, language: Language) -> Iterator[int]:
    """To the brace that closes the definition's body, to its semicolon, or to a line end that finishes it."""
    depth = _Depth(language)
    for number in count(opening):
        text = lines(number)
        if text is None or (is_blank(text) and not depth.is_open):
            return
        yield number
        depth.take(text)
        if depth.is_open:
            continue
        if depth.block_closed or depth.ended or (language.definition and _is_lisp_end(depth, language)):
            return
        if not language.semicolons and _is_finished(text, lines(number + 1)):
            return


def _is_lisp_end(depth: _Depth, language: Language) -> bool:
    return language.line == (";",) and depth.opened > 0


def _is_finished(text: str, following: str | None) -> bool:
    return following is None or not (text.rstrip().endswith(_UNFINISHED) or _CONTINUES.match(following))


# --- keys -----------------------------------------------------------------------------------------


def _key(lines: Lines, cited: int, language: Language) -> Unit | None:
    text = lines(cited) or ""
    if language.keys == "yaml":
        found = _YAML_KEY.match(text)
        return Unit("key", trimmed(lines, _yaml_numbers(lines, cited, found))) if found else None
    if language.keys == "json":
        found = _JSON_KEY.match(text)
        return Unit("key", trimmed(lines, _to_depth_zero(lines, cited, language))) if found else None
    header = _TABLE_HEADER.match(text)
    if header:
        return Unit("key", trimmed(lines, _table_numbers(lines, cited, header.group(1).strip(), language)))
    if language.keys == "toml":
        found = _TOML_KEY.match(text)
        return Unit("key", trimmed(lines, _to_depth_zero(lines, cited, language))) if found else None
    return Unit("key", trimmed(lines, _ini_numbers(lines, cited))) if _INI_KEY.match(text) else None


def _yaml_numbers(lines: Lines, cited: int, found: re.Match[str]) -> Iterator[int]:
    """The key with what stands deeper; the list of a key without a value may stand at the key's column."""
    margin = indent_of(found.group())
    has_dash = "-" in found.group(1)
    has_value = found.group(2) is not None
    yield cited
    for number in count(cited + 1):
        text = lines(number)
        if text is None:
            return
        if not is_blank(text) and indent_of(text) <= margin:
            bare = text.lstrip(" \t")
            is_same = indent_of(text) == margin
            if is_same and has_value and bare.startswith(("}", "]")):
                yield number
                return
            if not (is_same and not has_value and not has_dash and (bare == "-" or bare.startswith("- "))):
                return
        yield number


def _table_numbers(lines: Lines, cited: int, name: str, language: Language) -> Iterator[int]:
    """A table's header with its keys and its sub-tables."""
    depth = _Depth(language)
    yield cited
    for number in count(cited + 1):
        text = lines(number)
        if text is None:
            return
        header = None if depth.is_open else _TABLE_HEADER.match(text)
        if header and not header.group(1).strip().startswith(name + "."):
            return
        if not header:
            depth.take(text)
        yield number


def _ini_numbers(lines: Lines, cited: int) -> Iterator[int]:
    """A key with the deeper lines that continue its value."""
    margin = indent_of(lines(cited) or "")
    yield cited
    for number in count(cited + 1):
        text = lines(number)
        if text is None or (not is_blank(text) and indent_of(text) <= margin):
            return
        yield number
