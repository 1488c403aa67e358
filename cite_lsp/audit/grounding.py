"""Does what a claim names stand in the cited lines, or elsewhere in the same file? Decided by looking (findings.md).

A name that stands nowhere in the file is not told: the claim may deny it, or mean something else. Whatever makes it
likely that the author meant the cited lines all the same makes it silent: a finding is a warning, and a false one
costs more than one left out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from cite_lsp.audit.amounts import Stated, numbers_in, said_words, stated
from cite_lsp.audit.asserted import MOST_CHARS as MOST_CLAIM
from cite_lsp.audit.asserted import Asserted, flat, own, said_until
from cite_lsp.audit.claim_texts import without_citations
from cite_lsp.audit.standing import DEFINES, LOOK, SETS, USES, Standing, standing, whole_token
from cite_lsp.audit.verdicts import Row
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.ranges import Span
from cite_lsp.snapshot.excerpt import Excerpt, unit_excerpt

BELOW = 8
"""Lines below the excerpt that count as cited: a reader sees them (reference audit, anchorGrounding)."""
ABOVE = 8
CUT_OFF = 60
"""Lines below an excerpt that was cut off that count as cited, where the rest of it is not known."""
AROUND_A_KEY = 2
"""Lines on either side of a one-line key of a JSON file that count as cited."""
MOST_PLACES = 3
MOST_BESIDE = 32
MOST_HEADERS = 40
"""Lines of one name of which it is looked up what encloses them."""
MOST_LINES = 12
"""A name that stands on more lines than these, and is defined on none, says nothing about which are meant."""
MOST_CHARS = 120
_WHOLE_UNIT_LINES = 400
_WHOLE_UNIT_CHARS = 40_000
_LEAST_PART = 5
_LONG_WORD = re.compile(r"[^\W_]{6,}")
"""A word that covers the names that begin with it."""
QUOTE = -1
MISSED, PART, WHOLE = range(3)
"""How the cited lines cover a name."""
_ROLES = {QUOTE: "quote", DEFINES: "definition", SETS: "assignment", USES: "use"}


class Place(NamedTuple):
    """Better lines: 1-based, inclusive."""

    first: int
    last: int
    token: str
    """What of the claim stands there."""
    text: str
    """The line that carries it, without its indentation, at most `MOST_CHARS` characters."""
    role: str
    """`quote` where it stands as the claim writes it, `definition`, `assignment` or `use`."""
    line: int
    """The line that carries it."""


class Grounding(NamedTuple):
    """What a claim names and the cited lines lack, though other lines of the file carry it."""

    tokens: tuple[str, ...]
    """As the claim writes them, in its order."""
    places: tuple[Place, ...]
    """The better lines, the best first; at most `MOST_PLACES`, at least one."""
    certain: bool
    """Whether there is only one better place."""
    looked: Span
    """The first and last line that counted as cited."""


def grounding_to_data(grounding: Grounding) -> dict[str, Any]:
    """Give a result as maps, lists, texts and numbers."""
    return {
        "tokens": list(grounding.tokens),
        "places": [list(place) for place in grounding.places],
        "certain": grounding.certain,
        "looked": list(grounding.looked),
    }


def grounding_from_data(data: Mapping[str, Any]) -> Grounding:
    """Give the result that `grounding_to_data` wrote.

    Raises:
        KeyError, TypeError, ValueError: It is not one.
    """
    first, last = data["looked"]
    places = tuple(Place(*place) for place in data["places"])
    if not places:
        raise ValueError("places: a result has at least one")
    return Grounding(tuple(data["tokens"]), places, bool(data["certain"]), (int(first), int(last)))


class _Looked:
    """The cited lines of one row as coverage sees them; what few rows need is found when it is asked for."""

    def __init__(self, numbers: frozenset[int], row: Row, index: Standing) -> None:
        self.lines = numbers
        self.first = min(numbers)
        self.last = max(numbers)
        self._row = row
        self._index = index
        self._joined = "\n".join([index.lines[number - 1] for number in sorted(numbers)])
        self.flat = flat(self._joined)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_LONG_WORD.findall(self._joined.lower()))

    @cached_property
    def numbers(self) -> frozenset[float]:
        return numbers_in(self._joined)

    @cached_property
    def around(self) -> str:
        """The headers of what encloses them, flat."""
        end, headers = len(self._index.lines), self._index.headers
        return flat("\n".join([each for one in self._row.excerpts for each in headers(min(one.start_line, end))]))


def names_something(anchor: Anchor) -> bool:
    """Say whether the claim of an anchor, bound to its context, names anything that could be looked for."""
    citations = anchor.context.citations if anchor.context is not None else frozenset()
    return bool(own(without_citations(anchor.claim, citations), without_citations(anchor.sentence, citations)))


def sharing(anchors: Sequence[Anchor]) -> tuple[tuple[int, ...], ...]:
    """Give for each anchor of a block, bound to its context, the numbers of those that share its sentence or claim.

    Of more than `MOST_BESIDE` that share either, one more than that many are given: `ground` says nothing of so many.
    """
    if len(anchors) == 1:
        return ((),)
    groups: dict[tuple[str, str], list[int]] = {}
    for number, anchor in enumerate(anchors):
        for key in (("sentence", anchor.sentence), ("claim", anchor.claim)):
            group = groups.setdefault(key, [])
            if len(group) < MOST_BESIDE + 2:
                group.append(number)
    found: list[tuple[int, ...]] = []
    for number, anchor in enumerate(anchors):
        same = {*groups["sentence", anchor.sentence], *groups["claim", anchor.claim]} - {number}
        found.append(tuple(sorted(same)[: MOST_BESIDE + 1]))
    return tuple(found)


def besides(anchors: Sequence[Anchor], rows: Sequence[Row | None]) -> list[tuple[Row | None, ...]]:
    """Give for each anchor of a block the rows of the others that share its sentence or its claim.

    Args:
        anchors: The anchors of one block, bound to their context.
        rows: Their rows; None where there is none, which is then passed on: what such a citation shows is not known.
    """
    return [tuple(rows[other] for other in others) for others in sharing(anchors)]


def ground(row: Row, spans: Sequence[Span], beside: Sequence[Row | None] = ()) -> Grounding | None:
    """Look for what a claim names: in the cited lines, then in the rest of the cited file.

    Args:
        row: The claim with its excerpts and the lines of the cited file.
        spans: The first and last lines as written, 1-based: the anchor's.
        beside: The rows of the other citations of the sentence; what they show, the claim may mean. None for one that
            was not read: then nothing is said, nor of more than `MOST_BESIDE`.

    Returns:
        None where nothing is to be told: no claim of names, every name covered, or none that stands elsewhere.
    """
    if row.file is None or not row.excerpts or len(beside) > MOST_BESIDE or any(other is None for other in beside):
        return None
    named = own(row.claim, row.sentence)
    tokens = [token for token in named if not _carried(token, row, beside)]
    numbers = () if named or row.claim not in row.sentence else tuple(_stated(row.claim))
    if not tokens and not numbers:
        return None
    rows = (row, *(other for other in beside if other is not None))
    shown = flat("\n".join(text for each in rows for excerpt in each.excerpts for _, text in excerpt.lines))
    if any(token.shape != "word" and token.key in shown for token in tokens):
        return None
    index = standing(row.file, row.language)
    looked = [_looked(row, spans, index)]
    for other in rows[1:]:
        if other.file is not None and other.excerpts:
            looked.append(_looked(other, (), standing(other.file, other.language)))  # noqa: PERF401 - narrowed types
    search = _Search(row, spans[0], index, looked, tokens)
    return search.run() if tokens else search.amounts(numbers)


class _Search:
    """One row being looked at."""

    def __init__(
        self, row: Row, span: Span, index: Standing, looked: Sequence[_Looked], tokens: Sequence[Asserted]
    ) -> None:
        self.row = row
        self.span = span
        self.index = index
        self.looked = looked
        self.tokens = tokens

    def run(self) -> Grounding | None:
        covered = {token: max(_coverage(token, looked) for looked in self.looked) for token in self.tokens}
        missed = [token for token in self.tokens if not token.apart and not covered[token]]
        if not missed or WHOLE in covered.values():
            return None
        if any(covered.values()) and not self._outweighs(missed[0]):
            return None
        found: dict[int, list[tuple[Asserted, int]]] = {}
        for token in missed:
            for number, role in self._standing(token):
                found.setdefault(number, []).append((token, role))
        if not found:
            return None
        best = sorted(found, key=lambda number: self._order(number, found[number]))
        carried = {token.text for number in best for token, _ in found[number]}
        places = tuple(self._place(number, found[number]) for number in best[:MOST_PLACES])
        first = self.looked[0]
        return Grounding(
            tuple(token.text for token in self.tokens if token.text in carried),
            places,
            len(best) == 1,
            (first.first, first.last),
        )

    def amounts(self, numbers: Sequence[Stated]) -> Grounding | None:
        """The same of a claim without names: a number, and the one line that sets what the claim speaks of to it."""
        words = said_words(self.row.claim)
        shown = frozenset[float]().union(*(looked.numbers for looked in self.looked))
        for number in numbers:
            found = [each for each in self.index.settings if each.amount in number.amounts and each.said(words)]
            if shown & number.amounts or len(found) != 1 or found[0].line in self.looked[0].lines:
                continue
            setting = found[0]
            if any(flat(setting.name) in looked.flat for looked in self.looked):
                continue
            token = Asserted(number.text, number.text, (), "text")
            place = self._place(setting.line, [(token, SETS)])
            return Grounding((number.text,), (place,), True, (self.looked[0].first, self.looked[0].last))
        return None

    def _outweighs(self, token: Asserted) -> bool:
        """Whether a name is missed though others are half covered: the claim's first, defined at one other place."""
        if token is not self.tokens[0] or token.shape not in ("name", "loose"):
            return False
        return sum(role == DEFINES for _, role in self._standing(token)) == 1

    def _order(self, number: int, carried: list[tuple[Asserted, int]]) -> tuple[int, int, int, int]:
        return (min(role for _, role in carried), -len(carried), abs(number - self.span[0]), number)

    def _standing(self, token: Asserted) -> list[tuple[int, int]]:
        """Give the lines outside the cited ones that carry a name, each with its role there."""
        if token.shape == "symbol":
            return self._symbols(token.name)
        everywhere = self.index.lines_with(token.name)
        if not everywhere:
            return self._parts(token)
        cited, idle = self.looked[0].lines, self.index.idle
        numbers = [number for number in everywhere if number not in cited and number not in idle]
        if not self.index.is_code:
            return self._headings(token, numbers)
        if token.shape in ("text", "code"):
            return [(number, QUOTE) for number in numbers] if len(numbers) <= MOST_PLACES else []
        roles = [(number, self.index.role(number, token.name)) for number in numbers]
        if token.qualifiers:
            near = len(numbers) <= MOST_HEADERS
            roles = [each for each in roles if self._qualified(token, *each, enclosed=near or each[1] == DEFINES)]
        strong = [each for each in roles if each[1] == DEFINES]
        if token.shape == "word" and not token.qualifiers:
            return strong
        if token.is_type and not strong and any(number in idle for number in everywhere):
            return []  # a type of another file: it stands wherever a value of it is named
        if len(roles) <= MOST_LINES:
            return roles
        return next((some for some in (strong, [e for e in roles if e[1] == SETS]) if 0 < len(some) <= MOST_PLACES), [])

    def _headings(self, token: Asserted, numbers: Sequence[int]) -> list[tuple[int, int]]:
        """Give the one heading of a prose file that carries a name; its text may say the same in other words."""
        headings = [(number, DEFINES) for number in numbers if self.index.role(number, token.name) == DEFINES]
        return headings if len(headings) == 1 and token.shape != "word" else []

    def _qualified(self, token: Asserted, number: int, role: int, *, enclosed: bool) -> bool:
        """Whether the name on a line belongs to what the claim qualifies it by."""
        nearest = token.qualifiers[-1]
        line = self.index.lines[number - 1]
        if re.search(rf"{re.escape(nearest)}(?:\.|::|->|\?\.|#){re.escape(token.name)}(?![\w$])", line):
            return True
        if not enclosed or (role == USES and not token.is_shaped):
            return False
        if flat(nearest) in flat(self.row.path):
            return True
        headers = self.index.headers(number)
        within = headers if token.is_shaped or role == DEFINES else headers[:1]
        return any(whole_token(nearest).search(header) for header in within)

    def _symbols(self, sign: str) -> list[tuple[int, int]]:
        """Give the lines of a data file in which a value begins with a sign."""
        if not self.index.is_data:
            return []
        begins = ('"' + sign, "'" + sign)
        return [
            (number, USES)
            for number, text in enumerate(self.index.lines, 1)
            if number not in self.looked[0].lines and any(begin in text[:LOOK] for begin in begins)
        ][: MOST_LINES + 1]

    def _parts(self, token: Asserted) -> list[tuple[int, int]]:
        """Give the one line of a data file that spells a name by its longest word: `@acme/telemetry`."""
        if not self.index.is_data or token.shape not in ("name", "loose") or len(token.humps) < 2:
            return []
        part = max(token.humps, key=len)
        if len(part) < _LEAST_PART:
            return []
        numbers = self.index.lines_like(part)
        return [(number, USES) for number in numbers] if len(numbers) == 1 else []

    def _place(self, number: int, carried: list[tuple[Asserted, int]]) -> Place:
        token, role = min(carried, key=lambda each: each[1])
        text = self.index.lines[number - 1].strip()[:MOST_CHARS]
        return Place(number, self._last(number, role), token.text, text, _ROLES[role], number)

    def _last(self, number: int, role: int) -> int:
        """Give the last line to cite: for a range the end of the unit that is defined, else as many lines as before."""
        first, last = self.span
        if last <= first:
            return number
        unit = unit_excerpt(self.index.lines, number, None, language=self.row.language) if role == DEFINES else None
        if unit is not None and not unit.truncated and unit.end_line > number:
            return unit.end_line
        return min(number + last - first, len(self.index.lines))


# --- what counts as cited


def _looked(row: Row, spans: Sequence[Span], index: Standing) -> _Looked:
    numbers: set[int] = set()
    for excerpt in row.excerpts:
        numbers.update(_numbers(row, spans, excerpt, index))
    for first, last in spans:
        numbers.update(range(first, min(last, len(index.lines)) + 1))
    return _Looked(frozenset([number for number in numbers if 1 <= number <= len(index.lines)]), row, index)


def _numbers(row: Row, spans: Sequence[Span], excerpt: Excerpt, index: Standing) -> Iterator[int]:
    """Give the lines of an excerpt, all of a unit that was cut off, and those near it."""
    first, last = excerpt.start_line, excerpt.end_line
    yield from (number for number, _ in excerpt.lines)
    yield from range(first, last + 1)
    if excerpt.truncated and excerpt.unit != "window":
        whole = unit_excerpt(
            index.lines,
            first,
            None,
            language=row.language,
            max_lines=_WHOLE_UNIT_LINES,
            max_chars=_WHOLE_UNIT_CHARS,
        )
        is_known = whole is not None and not whole.truncated and (spans or excerpt.unit != "paragraph")
        last = max(last if is_known else last + CUT_OFF, whole.end_line if whole is not None else 0)
        yield from range(first, last + 1)
    if index.language is not None and index.language.keys == "json":
        if first == last:
            yield from range(first - AROUND_A_KEY, last + AROUND_A_KEY + 1)
        return
    yield from range(first - ABOVE, last + BELOW + 1)


# --- what is asserted


def _stated(claim: str) -> Iterator[Stated]:
    """Give the numbers of a claim that it does not set apart."""
    end = said_until(claim)
    return (number for number in stated(claim[:MOST_CLAIM]) if number.start < end)


# --- coverage


def _carried(token: Asserted, row: Row, beside: Sequence[Row | None]) -> bool:
    """Whether a citation of the sentence carries a name in its path."""
    if token.shape == "symbol":
        return False
    key = token.key
    for each in (row, *beside):
        if each is None:
            continue
        if key in flat(each.path):
            return True
    return False


def _coverage(token: Asserted, looked: _Looked) -> int:
    """Say how the cited lines cover a name: `WHOLE`, `PART` or not at all.

    It is a part when they lie within what has the name, carry only its longest word or a beginning of it, or when it is
    a plain word, which stands in many places.
    """
    if token.shape == "symbol":
        return WHOLE if token.name in looked.flat else MISSED
    key = token.key
    if token.shape in ("text", "code") and _blanks(key) in _blanks(looked.flat):
        return WHOLE
    if key in looked.flat or key.rstrip("s") in looked.flat:
        return PART if token.shape == "word" else WHOLE
    if key in looked.around or key.rstrip("s") in looked.around:
        return PART
    if token.shape in ("text", "code"):
        return MISSED
    part = max(token.humps, key=len, default="")
    is_part = len(part) >= _LEAST_PART and part in looked.flat
    return PART if is_part or any(key.startswith(word) for word in looked.words) else MISSED


def _blanks(text: str) -> str:
    return "".join(text.split())
