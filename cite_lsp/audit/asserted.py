"""What a claim asserts by name: the identifiers, constants and quoted values that the cited lines should show.

Only what has the shape of code counts. A word of plain prose says nothing that a line must carry, and what the claim
only sets apart ("unlike `x`", "does not call `x`") may well be absent from the lines that are cited for it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

Shape = Literal["name", "loose", "word", "text", "code", "symbol"]

MOST_CHARS = 1_500
"""Characters of a claim that are read."""
MOST_TOKENS = 24

_TICKED = re.compile(r"(?<!`)(`{1,2})(?!`)([^\n]{1,200}?)(?<!`)\1(?!`)")
_QUOTED = re.compile(r"\"([^\"\n]{6,120})\"|“([^“”\n]{6,120})”")
_SCOPED = re.compile(r"(?<![\w@/.])@[a-z0-9][\w.-]{0,60}/[a-z0-9][\w.-]{0,60}")
_CHAIN = re.compile(
    r"(?<![\w@/\\.$#-])\$?[^\W0-9][\w$]{0,80}(?:(?:\.|::|->|#)[^\W0-9][\w$]{0,80}){0,6}(?:\(\))?(?![\w/\\-])"
)
_SIMPLE = re.compile(
    r"[&*$@!~.]{0,2}([^\W0-9][\w$]{0,80}(?:(?:\.|::|->|#|\?\.)[^\W0-9][\w$]{0,80}){0,6})"
    r"[!?]?(?:\([^()]{0,80}\)|<[^<>]{0,60}>|\[[^\[\]]{0,40}\]){0,2}[!?;:]?"
)
_OPTION = re.compile(r"(--[a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:[= ]\S{0,60})?")
_HYPHENATED = re.compile(r"(?=[^-]*[a-z])[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+")
_LITERAL = re.compile(r"[\"']([^\"']{3,80})[\"']")
_SPLIT = re.compile(r"\?\.|\.|::|->|#")
_SHAPED = re.compile(r"[A-Za-z0-9]_+[A-Za-z0-9]|[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2,}")
_PASCAL = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+$")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_HEX = re.compile(r"(?=[0-9a-fA-F]*[0-9])[0-9a-fA-F]{7,64}$")
_FILE = re.compile(
    r"\.(?:rs|py|pyi|ts|tsx|mts|cts|js|jsx|mjs|cjs|json|jsonc|jsonl|md|mdx|rst|txt|ya?ml|toml|lock|c|h|cc|cpp|hpp|go"
    r"|java|kt|rb|php|sh|sql|html?|css|scss|cfg|ini|conf|env|log|csv|xml|proto|swift|cs|lua|vue|svelte|zig|ex|exs"
    r"|adoc|pem|yo|in|so|exe|zip|gz|tar|png|svg|db|com|org|net|io|dev)$",
    re.IGNORECASE,
)
_APART = re.compile(
    r"\b(?:not|no|never|nor|neither|none|nothing|without|cannot|unlike|except|excluding|instead|rather|lacks?"
    r"|lacking|missing|absent|absence|omits?|omitted|omitting|bypass\w*|skips?|skipped|skipping|ignor\w+|drops?|dropped|removed?"
    r"|removes|removing|replac\w+|renamed|formerly|previously|former|old|deprecated|legacy|should|must|could|would"
    r"|needs?|propos\w+|missed|forgets?|forgot\w*|fails?|longer|todo|fix|add|adding|introduc\w+|future|planned|unless"
    r"|outside|elsewhere|vs|versus|differ\w*|mirror\w*|similar\w*|analog\w+|equivalent|like|same|than|as in"
    r"|counterpart|compared?|becomes?|will|whereas|while|but)\b|n['’]t\b|≠|!=|→|=>|⇒|->"
    r"|\b(?:nicht|kein\w*|ohne|statt|pas|jamais|sans|aucune?|nunca|sin|senza|niet|geen|zonder)\b|[不没沒未无無非]|ない|なし",
    re.IGNORECASE,
)
"""What comes behind such a word is set apart from the cited lines, or not said of them at all."""
_FIRST_CELL = re.compile(r"(?:[^:;`]{1,40}: )?[*_]{0,3}(`[^`;]{1,120}`)[*_]{0,3}; ")
"""Of a table row's claim, the first cell where it is nothing but a name."""
_RANGE = re.compile(
    r"\b(caret|tilde)[ -](?:dependenc(?:y|ies)|ranges?|versions?|requirements?|constraints?|specs?|pins?)\b",
    re.IGNORECASE,
)
_COMMANDS = ("$ ", "cargo ", "git ", "npm ", "pnpm ", "python ", "curl ", "GET ", "POST ", "PUT ", "DELETE ", "PATCH ")
_LEAST_MORE = 6
"""Characters that a call or an index has beyond its name to be looked for as it is written."""
_SYMBOLS = {"caret": "^", "tilde": "~"}
_QUALIFIERS_OF_ITSELF = frozenset({"self", "this", "cls", "super", "crate", "Self"})

STOP = frozenset(
    """true false none null undefined nil self this cls super crate void string number boolean object array error
    option result some value values type types data name names main test tests item items list dict index default
    async await return class function const static struct enum trait impl import export public private int float
    bool char usize long short double byte bytes unit unsigned signed size size_t ssize_t uint8_t uint16_t uint32_t
    uint64_t int8_t int16_t int32_t int64_t time_t off_t mode_t pid_t vec box arc mutex hashmap btreemap promise map
    set record partial readonly unknown never any github gitlab javascript typescript nodejs postgresql mysql sqlite
    macos ios openssl graphql mongodb youtube linkedin devops readme stdin stdout stderr http https json yaml toml
    html todo fixme note post delete patch head options""".split()
)


@dataclass(frozen=True, slots=True)
class Asserted:
    """Something that a claim names.

    Attributes:
        text: As the claim writes it, without its marks.
        name: The last segment of a dotted name; else the text. What a line must carry.
        qualifiers: The segments before it, the nearest last.
        shape: `name` has the shape of code; `loose` as well, but prose writes product names so; `word` is a plain
            word in back-ticks; `text` is a quoted value, `code` a piece of code, each to be found as it is; `symbol`
            is the sign that a word stands for.
    """

    text: str
    name: str
    qualifiers: tuple[str, ...]
    shape: Shape
    apart: bool = False
    """Whether the claim sets it apart from the cited lines: it can be covered, and is never missed."""

    @property
    def key(self) -> str:
        """The name as coverage compares it: in lower case without separators."""
        return flat(self.name)

    @property
    def is_shaped(self) -> bool:
        """Whether the name by itself has the shape of code."""
        return _SHAPED.search(self.name) is not None

    @property
    def is_type(self) -> bool:
        """Whether the name is spelled as types are, and stands alone."""
        return not self.qualifiers and _PASCAL.match(self.name) is not None

    @property
    def humps(self) -> tuple[str, ...]:
        """The words of the name, in lower case."""
        return tuple(piece.lower() for piece in _HUMPS.findall(self.name))


def flat(text: str) -> str:
    """Give a text in lower case and without what joins the words of a name."""
    return text.lower().replace("_", "").replace("-", "")


@lru_cache(maxsize=1024)
def asserted(claim: str) -> tuple[Asserted, ...]:
    """Give what a claim names, in its order, each once; at most `MOST_TOKENS`."""
    text = claim[:MOST_CHARS]
    counted = [each for each in sorted(_all(text), key=lambda each: each[0]) if _counts(each[1])]
    if not counted:
        return ()
    end = said_until(text)
    found: dict[str, Asserted] = {}
    for start, token in counted:
        found.setdefault(token.text, replace(token, apart=start >= end))
    return tuple(found.values())[:MOST_TOKENS]


def own(claim: str, sentence: str) -> tuple[Asserted, ...]:
    """Give what the claim of a citation names of itself.

    A thin claim borrows from what stands around it: a table row, a heading, the sentence before. Of a row whose
    first cell is a name, that is what the row is about; of anything else borrowed, nothing is asserted.
    """
    if not claim or claim in sentence:
        return asserted(claim)
    named = asserted(sentence)
    row = _FIRST_CELL.match(claim)
    if named or row is None:
        return named
    return tuple(token for token in asserted(row[1]) if token.shape in ("name", "loose", "code"))


def said_until(claim: str) -> int:
    """Give where a claim begins to set apart what it names, in characters; its length where it does not."""
    apart = _APART.search(_blanked(_QUOTED, _without_code(claim[:MOST_CHARS])))
    return apart.start() if apart else len(claim)


def _without_code(text: str) -> str:
    """Blank out code spans, so that the words in them are not read as prose."""
    return _blanked(_TICKED, text)


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: " " * len(found[0]), text)


def _all(text: str) -> Iterator[tuple[int, Asserted]]:
    prose = _without_code(text)
    for span in _TICKED.finditer(text):
        for token in _of_code(span[2].strip()):
            yield span.start(), token
    for quoted in _QUOTED.finditer(prose):
        value = quoted[1] or quoted[2]
        yield quoted.start(), Asserted(value, value, (), "text")
    prose = _blanked(_QUOTED, prose)
    for scoped in _SCOPED.finditer(prose):
        yield scoped.start(), Asserted(scoped[0], scoped[0], (), "text")
    for sign in _RANGE.finditer(prose):
        symbol = _SYMBOLS[sign[1].lower()]
        yield sign.start(), Asserted(symbol, symbol, (), "symbol")
    for chain in _CHAIN.finditer(prose):
        written = chain[0]
        if _SHAPED.search(written) or written.endswith("()"):
            yield chain.start(), _chained(written.removesuffix("()"), loose=bool(_PASCAL.match(written)))


def _of_code(code: str) -> Iterator[Asserted]:
    """Give what a code span names: itself, or of an expression the names in it that have the shape of code."""
    if option := _OPTION.fullmatch(code):
        yield Asserted(option[1], option[1], (), "text")
    elif _HYPHENATED.fullmatch(code) or _SCOPED.fullmatch(code):
        yield Asserted(code, code, (), "text")
    elif literal := _LITERAL.fullmatch(code):
        yield Asserted(literal[1], literal[1], (), "text")
    elif simple := _SIMPLE.fullmatch(code):
        if len(code) > len(simple[1]) + _LEAST_MORE:
            yield Asserted(code, code, (), "code")
        yield _chained(simple[1], loose=False)
    else:
        if _SHAPED.search(code) and not code.startswith(_COMMANDS):
            yield Asserted(code, code, (), "code")
        for chain in _CHAIN.finditer(code):
            if _SHAPED.search(chain[0]):
                yield _chained(chain[0].removesuffix("()"), loose=False)


def _chained(written: str, *, loose: bool) -> Asserted:
    segments = [segment for segment in _SPLIT.split(written) if segment]
    name = segments[-1]
    qualifiers = tuple(each for each in segments[:-1] if each not in _QUALIFIERS_OF_ITSELF)
    shape: Shape = "name" if _SHAPED.search(name) or qualifiers else "word"
    return Asserted(written, name, qualifiers, "loose" if loose and shape == "name" else shape)


def _counts(token: Asserted) -> bool:
    if token.shape == "symbol":
        return True
    if len(token.name) < 4 or _HEX.match(token.name) or token.name.lower() in STOP:
        return False
    return token.shape in ("text", "code") or not _FILE.search(token.text)
