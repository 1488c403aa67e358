"""Claims about something else than the cited lines: their words stand elsewhere in the file, or nowhere here."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from cite_lsp.judges.embedded.beside.elsewhere import Place, best_place
from cite_lsp.judges.embedded.beside.laid import STRONG, WORDED, Laid
from cite_lsp.judges.embedded.beside.siblings import sibling_of
from cite_lsp.judges.embedded.claim.terms import Term
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.conflict import Conflict
from cite_lsp.judges.embedded.lexicon import lemma
from cite_lsp.judges.embedded.lines.alignment import Found
from cite_lsp.judges.embedded.lines.facts import Line

_MARGIN = 0.2
_MARGIN_OF_PARTS = 0.3
"""Where the claim says several things: one of them may stand here."""
_MARGIN_OF_PLACES = 0.4
"""Where it cites several places: what it says is spread over them."""
_SHARE = 0.31
_FAR = 60
_SHARE_FAR_OFF = 0.45
"""So much of the claim must stand at another place, and so much where that is more than so many lines off: the everyday
words of a claim stand together somewhere in most files."""
_HEAD = 15
"""Code begins with its imports, and with words about all that is in it."""
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;|<!--|\"\"\"|''')")
_CARRIED = 0.5
"""A claim of several parts, one of which is carried so much, is on topic."""
_FOR_KIN = 0.5
_FOR_IDIOM = 0.25
"""What a word counts for that only another word, or a sign, here stands for."""
_LEAST_WORDS = 2
_LEAST_WORDS_OF_PART = 3
_LEAST_ABSENT = 4
_SHORTEST_PLACE = 5
_SHOWN = 4
_VERSION = re.compile(r"(?<![\w.])v?([0-9]{1,5}(?:\.[0-9]{1,5}){1,3})(?![\w-]|\.[0-9])")
_VERSION_HEADING = re.compile(
    r"(?:#{1,6}\s{1,3}|[=*]{1,3}\s{0,3})?(?:[Vv]ersion |[Rr]elease )?\[?v?([0-9]{1,5}(?:\.[0-9]{1,5}){1,3})\]?"
    r"(?:\s{0,3}$|\s{0,3}[-–—:(/,]\s{0,3}.{0,60}$|\s{1,3}[0-9]{4}-.{0,40}$)"
)
_HEADS = frozenset("#=*[vVrR0123456789")
_MOST_LINES = 20_000


def off_topic(laid: Laid) -> Conflict | None:
    """Give the conflict of a claim whose lines are about something else."""
    reading = laid.reading
    if reading.refused or not laid.pairs or (not reading.prose and not reading.code_lines):
        return None
    return _of_another_version(laid) or _of_a_sibling(laid) or _said_elsewhere(laid) or _said_nowhere(laid)


def _of_another_version(laid: Laid) -> Conflict | None:
    """The claim is about a version with a section of its own, and the cited lines stand in the section of another."""
    row = laid.reading.row
    claimed = set(_VERSION.findall(laid.claim.text))
    if row.file is None or not claimed or not laid.reading.prose or len(row.excerpts) > 1:
        return None
    excerpt = row.excerpts[0]
    cited = row.file[excerpt.start_line - 1 : excerpt.end_line]
    if any(claimed.intersection(_VERSION.findall(line[:600])) for line in cited):
        return None
    sections = dict(_versions(row.file))
    above = max((number for number in sections if number <= excerpt.end_line), default=0)
    own = next((number for number, version in sections.items() if version in claimed), 0)
    if not above or not own or sections[above] in claimed:
        return None
    basis = (
        f"the claim is about {sections[own]}, which has its section at line {own};"
        f" the cited lines stand under {sections[above]}, line {above}"
    )
    return Conflict(basis, [shown_line(laid)], laid.claim, "off-topic")


def _versions(file: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Give the headings that name a version, by their lines from 1."""
    for number, line in enumerate(file[:_MOST_LINES], 1):
        if line[:1] in _HEADS:
            match = _VERSION_HEADING.match(line[:120])
            if match:
                yield number, match[1]


def _of_a_sibling(laid: Laid) -> Conflict | None:
    sibling = sibling_of(laid)
    if sibling is None:
        return None
    cited = sibling.cited
    basis = (
        f"line {sibling.number} has {sibling.term.text!r}, where the cited line {cited.number}, otherwise much like it,"
        f" says {_text(cited)}"
    )
    return Conflict(basis, [cited], laid.claim, "off-topic")


def _said_elsewhere(laid: Laid) -> Conflict | None:
    if laid.file is None or len(laid.reading.row.excerpts) > 1 or _names_something(laid) or not _may_lack(laid):
        return None
    if not laid.plain or _has_a_value(laid) or _carries_a_part(laid):
        return None
    excerpt = laid.reading.row.excerpts[0]
    length = max(excerpt.end_line - excerpt.start_line + 1, _SHORTEST_PLACE)
    cited = excerpt.start_line, laid.reading.may_end
    place = best_place([term for term, _ in laid.telling], laid.file, length, cited)
    if place is None or _belongs(place, laid):
        return None
    absent = [
        term for term, found in laid.telling if found is None and term.text in place.words and not laid.around(term)
    ]
    named = any(term.kind == "name" for term in absent)
    if not named and place.share < (_SHARE if _distance(place, laid) <= _FAR else _SHARE_FAR_OFF):
        return None
    if len(absent) < (1 if named else _least(laid)) or place.share - _share_here(laid) < _margin(laid, named=named):
        return None
    return Conflict(_elsewhere(place, absent), [shown_line(laid)], laid.claim, "off-topic")


def _may_lack(laid: Laid) -> bool:
    """Whether enough of the claim's terms stand neither here nor around, wherever in the file: that is soon seen."""
    absent = [term for term, found in laid.telling if found is None and not laid.around(term)]
    return len(absent) >= (1 if any(term.kind == "name" for term in absent) else _least(laid))


def _margin(laid: Laid, *, named: bool) -> float:
    """Give by how much of the claim's weight more must stand elsewhere than here, as measured."""
    if max(laid.claim.cited, laid.whole_claim.cited, laid.reading.row.citations) > 1 or laid.whole_claim.of_table:
        return _MARGIN_OF_PLACES
    if len(laid.parts) > 1:
        return _MARGIN_OF_PARTS
    return 0.0 if named else _MARGIN


def _least(laid: Laid) -> int:
    """Give how many words must be absent: of a part of a claim more, since it may be named by the rest."""
    return _LEAST_WORDS_OF_PART if laid.claim is not laid.whole_claim else _LEAST_WORDS


def _names_something(laid: Laid) -> bool:
    """Whether the cited lines, or what encloses them, have a name of the row's claim: they are about it."""
    pairs = laid.whole_laid.pairs
    return any(term.kind == "name" and (found is not None or laid.around(term)) for term, found in pairs)


def _has_a_value(laid: Laid) -> bool:
    return any(term.kind == "value" and found is not None for term, found in laid.telling)


def _distance(place: Place, laid: Laid) -> int:
    """Give how many lines a place is off."""
    excerpt = laid.reading.row.excerpts[0]
    return max(place.first - excerpt.end_line, excerpt.start_line - place.last)


def _belongs(place: Place, laid: Laid) -> bool:
    """Whether a place is what a file begins with, the comment right above the cited lines, or what these comment on."""
    excerpt, file = laid.reading.row.excerpts[0], laid.reading.row.file or ()
    if laid.reading.prose:
        return False
    if place.last <= _HEAD and len(file) >= _HEAD * 4:
        return True
    if place.last == excerpt.start_line - 1:
        return bool(_COMMENT.match(file[place.last - 1]))
    return place.first == excerpt.end_line + 1 and bool(_COMMENT.match(file[excerpt.end_line - 1]))


def _carries_a_part(laid: Laid) -> bool:
    return len(laid.parts) > 1 and any(part.carried >= _CARRIED for part in laid.parts)


def _share_here(laid: Laid) -> float:
    """Give how much of a claim stands in the cited lines or around them, what stands there in other words in part."""
    whole = sum(laid.weight(term) for term, _ in laid.telling)
    held = sum(laid.weight(term) * _worth(term, found, laid) for term, found in laid.telling)
    return held / whole if whole else 0.0


def _worth(term: Term, found: Found | None, laid: Laid) -> float:
    if (found is not None and found.how in STRONG) or laid.around(term):
        return 1.0
    if found is None:
        return 0.0
    return _FOR_KIN if found.how in WORDED else _FOR_IDIOM


def _said_nowhere(laid: Laid) -> Conflict | None:
    telling = laid.telling
    whole = laid.whole_laid.telling
    held = any((found is not None and found.how in WORDED) or laid.around(term) for term, found in whole)
    few = len({term.text for term, _ in telling}) < _LEAST_ABSENT
    if held or few or not laid.plain or laid.reading.truncated or _written_as_one(laid) or _both_count(laid):
        return None
    line = shown_line(laid)
    names = listed([term for term, _ in telling])
    basis = f"of what the claim speaks of ({names}) the cited lines have nothing; line {line.number} says {_text(line)}"
    return Conflict(basis, [line], laid.claim, "off-topic")


def _both_count(laid: Laid) -> bool:
    """Whether the claim and the lines have numbers: one may follow from the other, as four tries from three retries."""
    return bool(laid.claim.values and laid.reading.numbers) or laid.in_numbers(laid.claim.text)


def _written_as_one(laid: Laid) -> bool:
    """Whether two words of the claim stand in the lines as one: "checks out" in `checkout`."""
    words = re.findall(r"[a-z]+", laid.claim.text.lower())
    return any(lemma(first) + second in laid.index.at for first, second in pairwise(words))


def _elsewhere(place: Place, absent: Sequence[Term]) -> str:
    where = f"line {place.first} has" if place.first == place.last else f"lines {place.first} to {place.last} have"
    return f"{where} {listed(absent)}, and the cited lines do not"


def listed(terms: Sequence[Term]) -> str:
    """Give the first of some terms as a message names them."""
    texts = list(dict.fromkeys(term.text for term in terms))
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return ", ".join(map(repr, texts[:_SHOWN])) + more


def shown_line(laid: Laid) -> Line:
    """Give the line that stands for the cited ones: the one cited, else the first that is not blank."""
    lines = [line for line in laid.reading.lines if line.text.strip()]
    cited = laid.reading.row.excerpts[0].cited
    return next((line for line in lines if line.number == cited), lines[0])


def _text(line: Line) -> str:
    return clipped(line.text)
