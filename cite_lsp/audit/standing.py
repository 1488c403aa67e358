"""Where names stand in a file: on which lines, inside what, and in what role. Text rules; linear in the file."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import accumulate, islice

from cite_lsp.audit.amounts import Setting, settings_in
from cite_lsp.document.cuts import indent_of
from cite_lsp.snapshot.languages import Language, find_language
from cite_lsp.snapshot.units import is_blank

DEFINES, SETS, USES = range(3)
"""The roles of a name on a line, the strongest first."""

LOOK = 2_000
"""Characters of a line that its role is read from."""
MOST_LINES = 400
"""Lines that are given of one text: what stands on more is too common to point anywhere."""
MOST_FILES = 16
REACH = 4_000
"""Lines above that are read to find what encloses a line."""
_HEADER_LINES = 12
"""Lines of one header: a signature may take several."""
_MOST_HEADERS = 200
_MARGIN = 400
"""Characters of a line that is looked at for what it opens."""
_MOST_TIMES = 8
"""Times that a name may stand on one line before its role is no longer asked for."""

_IMPORT = re.compile(
    r"[ \t]*(?:(?:pub(?:\([^)]{0,40}\))?[ \t]+)?(?:use|extern[ \t]+crate|mod)[ \t]+[\w:{]|import\b"
    r"|from[ \t]+\S+[ \t]+import\b|#[ \t]*(?:include|import)\b|export[ \t]+(?:type[ \t]+)?(?:\*|\{)"
    r"|(?:const|let|var)[ \t]+[^=]{1,200}=[ \t]*(?:await[ \t]+import|require)[ \t]*\(|using[ \t]+[\w.:]+[ \t]*;"
    r"|package[ \t]+[\w.]+;?[ \t]*$|__all__\b)"
)
_MODULE_BODY = re.compile(r"[ \t]*(?:pub(?:\([^)]{0,40}\))?[ \t]+)?mod[ \t]+\w+[ \t]*\{")
_TRIPLE = re.compile(r"\"\"\"|'''")
_DOCSTRING = re.compile(r"[ \t]*[rRbBuUfF]{0,2}(?:\"\"\"|''')")
_FLUSH = re.compile(
    r"[ \t]*(?!default\b)(?:[A-Za-z_]\w*[ \t]*:(?!:)[ \t]*$"
    r"|#[ \t]*(?:if|ifdef|ifndef|else|elif|endif|define|undef|pragma)\b)"
)
"""A label or a line of the preprocessor: its column says nothing of what encloses it."""
_ENDS_HEADER = re.compile(r"[ \t]*(?:[)\]>][^{]{0,200}|where\b.{0,200})?[ \t]*\{?[ \t]*$")

_KEYWORD = re.compile(
    r"(?:^|[\s(])(?P<word>def|class|fn|func|fun|function\*?|struct|enum|trait|interface|type|mod|module|namespace"
    r"|macro_rules!|const|static|let|var|val|object|record|union|protocol|extension|actor|typealias|typedef|sub|proc"
    r"|message|service|rpc|table|view|procedure|trigger|macro|#[ \t]*define|defmodule|defp?|defmacro)"
    r"[ \t]+(?:mut[ \t]+|ref[ \t]+|fn[ \t]+|class[ \t]+|if[ \t]+not[ \t]+exists[ \t]+|(?:async|unsafe)[ \t]+fn[ \t]+)?"
    r"(?:\([^()]{0,80}\)[ \t]*)?[\"'`*&]{0,2}$",
    re.IGNORECASE,
)
_VARIABLE = frozenset({"const", "static", "let", "var", "val"})
_FUNCTION_VALUE = re.compile(r"[^=]{0,200}=[ \t]*(?:async\b|function\b|\(|[\w$]+[ \t]*=>)")
_NO_TYPE = re.compile(
    r"\b(?:return|await|new|if|while|for|else|throw|case|yield|assert|del|delete|in|not|and|or|goto|raise|match"
    r"|switch|typeof|print|echo|import|from|where)\b"
)
_TYPES = re.compile(r"[ \t]*(?:[\w<>\[\],.?*&:~@]+[ \t]+){0,8}[*&#~]{0,2}$")
_MODIFIERS = re.compile(
    r"[ \t]*(?:-[ \t]+)?(?:(?:pub(?:\([^)]{0,40}\))?|public|private|protected|internal|readonly|static|final|mut|export"
    r"|local|declare|abstract|override|let|var|const|lateinit|set|extern|volatile|unsigned)[ \t]+){0,6}"
    r"(?:self\.|this\.|cls\.)?[\"'`$@]?$"
)
_GETS = re.compile(r"[\"'`]?[ \t]*(?:\?|!)?(?::(?!:)|=(?![=>~])|:=|[|+]?=(?!=))")
_MEMBER = re.compile(r"[ \t]*(?:,|\(|\{|=|$)")
_PUNCTUATED = re.compile(r"[ \t]*(?:\[[^\]]{0,60}\][ \t]*)?(?:=(?!=)|;|:[ \t]*[0-9])")
_CALLED = re.compile(r"[ \t]*(?:<[^()]{0,80}>)?[ \t]*\(")
_METHOD = re.compile(
    r"[ \t]+(?:(?:public|private|protected|static|async|override|abstract|get|set|virtual|final)[ \t]+){1,5}[*#]?$"
)
_HEADING = re.compile(r"[ \t]*(?:#{1,6}|={1,6})[ \t]")


class Standing:
    """One file. Line numbers are 1-based."""

    def __init__(self, lines: tuple[str, ...], language: str | None) -> None:
        self.lines = lines
        self.language: Language | None = find_language(language)
        self.is_code = self.language is not None and self.language.kind == "code"
        self.is_data = self.language is not None and self.language.keys is not None
        self._text = "\n".join(lines)
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]

    def lines_with(self, text: str) -> list[int]:
        """Give the lines on which a text stands as a whole token, case as it is; empty where they are too many."""
        whole = whole_token(text)
        found: list[int] = []
        start = self._text.find(text)
        while start >= 0:
            if whole.match(self._text, start):
                number = bisect_right(self._starts, start)
                found.append(number)
                if len(found) > MOST_LINES:
                    return []
                start = self._text.find(text, max(start + 1, self._starts[number]))
            else:
                start = self._text.find(text, start + 1)
        return found

    def lines_like(self, part: str) -> list[int]:
        """Give the lines that hold a word of a name in any case; empty where they are too many."""
        found: set[int] = set()
        for match in re.finditer(rf"(?<![a-z]){re.escape(part)}(?![a-z])", self._text, re.IGNORECASE):
            found.add(bisect_right(self._starts, match.start()))
            if len(found) > MOST_LINES:
                return []
        return sorted(found)

    @cached_property
    def idle(self) -> frozenset[int]:
        """The lines that are only comment, docstring or import."""
        return _idle(self.lines, self.language) if self.is_code and self.language else frozenset()

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """What its lines set to a number, where it is code."""
        if not self.is_code:
            return ()
        lines = enumerate(self.lines, 1)
        return tuple(
            each for number, text in lines if number not in self.idle for each in settings_in(number, text[:LOOK])
        )

    def headers(self, line: int, reach: int = REACH) -> list[str]:
        """Give the lines that open what encloses a line: definitions, blocks and keys above it, less indented.

        In prose: the heading above it.
        """
        cited = self.lines[line - 1]
        if not self.is_code:
            above = (self.lines[number - 1] for number in range(line - 1, max(0, line - 1 - reach), -1))
            return [heading for heading in above if _HEADING.match(heading)][:1]
        found: list[str] = []
        # What begins with the blanks of a line is indented as deep, whatever they are; most lines are passed over so.
        margin = REACH if is_blank(cited[:_MARGIN]) else indent_of(cited[:_MARGIN])
        inside = _blanks(cited) or "\0"
        for number in range(line - 1, max(0, line - 1 - reach), -1):
            if not margin or len(found) >= _MOST_HEADERS:
                break
            if self.lines[number - 1].startswith(inside):
                continue
            text = self.lines[number - 1][:_MARGIN]
            if is_blank(text) or _FLUSH.match(text):
                continue
            indent = indent_of(text)
            if indent < margin:
                margin, inside = indent, _blanks(text)
                found += self._header(number)
        return found

    def _header(self, number: int) -> Iterator[str]:
        """Give a line that opens something with what belongs to it above: its signature, decorators, comment."""
        text = self.lines[number - 1][:_MARGIN]
        yield text
        is_end = _ENDS_HEADER.match(text) is not None
        margin = indent_of(text)
        for above in range(number - 1, max(0, number - 1 - _HEADER_LINES), -1):
            text = self.lines[above - 1][:_MARGIN]
            if is_blank(text) or text.rstrip().endswith((";", "}")) or (not is_end and indent_of(text) != margin):
                return
            yield text

    def role(self, number: int, name: str) -> int:
        """Say what a name does on a line: `DEFINES`, `SETS` or `USES`."""
        text = self.lines[number - 1][:LOOK]
        if not self.is_code:
            return DEFINES if _HEADING.match(text) else USES
        best = USES
        for found in islice(whole_token(name).finditer(text), _MOST_TIMES):
            best = min(best, self._role(number, text[: found.start()], text[found.end() :], name))
        return best

    def _role(self, number: int, before: str, after: str, name: str) -> int:
        if keyword := _KEYWORD.search(before[-160:]):
            is_local = before[:1].isspace() and keyword["word"].lower() in _VARIABLE and not name.isupper()
            return SETS if is_local and not _FUNCTION_VALUE.match(after) else DEFINES
        if len(before) > 200 or _NO_TYPE.search(before):
            return USES
        if _CALLED.match(after) and _TYPES.match(before) and self._opens(number, before, after):
            return DEFINES
        quote = before[-1:] if before[-1:] in ('"', "'", "`") else ""
        if _MODIFIERS.match(before) and after.startswith(quote) and _GETS.match(after):
            return SETS
        if before.strip() and _TYPES.match(before) and _PUNCTUATED.match(after):
            return SETS
        if not before.strip() and _MEMBER.match(after):
            return SETS if any("enum" in header for header in self.headers(number, 200)[:1]) else USES
        return USES

    def _opens(self, number: int, before: str, after: str) -> bool:
        """Whether `type name(…)` opens a body: on its own line, or on one of those below that end the signature."""
        ending = after.rstrip()
        if ending.endswith("{"):
            return True
        if ending.endswith(";") or not before.strip():
            return False
        if _METHOD.match(before):
            return True
        below = [text.strip() for text in self.lines[number : number + _HEADER_LINES]]
        return not before[:1].isspace() and any(text.startswith("{") for text in below[:4])


@lru_cache(maxsize=MOST_FILES)
def standing(lines: tuple[str, ...], language: str | None) -> Standing:
    """Give what is known of a file; of the last files it is kept."""
    return Standing(lines, language)


@lru_cache(maxsize=512)
def whole_token(text: str) -> re.Pattern[str]:
    """Give the pattern of a text that is no part of a longer word."""
    start = r"(?<![\w$])" if re.match(r"[\w$]", text) else ""
    end = r"(?![\w$])" if re.search(r"[\w$]\Z", text) else ""
    return re.compile(f"{start}{re.escape(text)}{end}")


def _blanks(text: str) -> str:
    text = text[:_MARGIN]
    return text[: len(text) - len(text.lstrip(" \t"))]


def _idle(lines: tuple[str, ...], language: Language) -> frozenset[int]:
    idle: set[int] = set()
    reader = _Idle(language)
    for number, text in enumerate(lines, 1):
        if reader.take(text[:LOOK]):
            idle.add(number)
    return frozenset(idle)


class _Idle:
    """Reads a file downwards and says of each line whether it is only comment, docstring or import."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._closer = ""
        self._quotes = ""
        self._is_docstring = False
        self._depth = 0

    def take(self, text: str) -> bool:
        bare = text.lstrip(" \t")
        if self._closer:
            self._closer = "" if self._closer in bare else self._closer
            return True
        if self._depth > 0:
            self._depth += _brackets(bare)
            return True
        if self._quotes:
            self._quotes = "" if self._quotes in bare else self._quotes
            return self._is_docstring
        return self._begins(text, bare)

    def _begins(self, text: str, bare: str) -> bool:
        language = self._language
        for opener, closer in language.blocks:
            if bare.startswith(opener):
                self._closer = "" if closer in bare[len(opener) :] else closer
                return True
        if bare.startswith(language.line) and not (language.attribute and language.attribute.match(bare)):
            return not re.match(r"#[ \t]*define\b", bare)
        if _IMPORT.match(text) and not _MODULE_BODY.match(text):
            self._depth = max(0, _brackets(bare))
            return True
        triple = _TRIPLE.search(bare) if language.docstrings else None
        if triple is None:
            return False
        self._is_docstring = _DOCSTRING.match(text) is not None
        self._quotes = triple[0] if bare.count(triple[0]) % 2 else ""
        return self._is_docstring


def _brackets(text: str) -> int:
    return text.count("{") + text.count("(") - text.count("}") - text.count(")")
