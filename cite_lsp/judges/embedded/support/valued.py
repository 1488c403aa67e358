"""Claims that are carried by what they give: every value and every name of them stands in the cited lines."""

import re
from collections.abc import Iterator, Sequence

from cite_lsp.judges.embedded.beside.laid import WORDED, Laid, LaidClause
from cite_lsp.judges.embedded.claim.terms import Term, pieces, slight
from cite_lsp.judges.embedded.claim.values import Value
from cite_lsp.judges.embedded.lines.alignment import Index
from cite_lsp.judges.embedded.lines.facts import Line
from cite_lsp.judges.embedded.lines.sentences import Sentence
from cite_lsp.judges.embedded.support.predicates import is_predicate

_LEAST_PART = 0.3
_LEAST_OF_SMALL = 0.6
_LEAST_OF_UNIT = 0.4
_LEAST_OF_SENTENCE = 0.5
_SMALL = frozenset((0.0, 1.0, 2.0))
"""Numbers that any lines have."""
_JOINS = re.compile(
    r"\b(?:and|or|by|behind|with|to|for|in|on|at|from|into|when|where|if|than|as|per|via)\b|[,;:]", re.IGNORECASE
)
_FEWEST_OWN = 2
"""Words and names besides the values that must stand in the lines: two things may have one value."""
_MOST_BEHIND = 1
_MOST_IN_A_ROW = 2
_MOST_LISTED = 12
_LIST = re.compile(r"(?::|,? (?:namely|to wit|that is(?: to say)?)),?\s+(?P<items>[^:;]{3,200}?)[.\s]*$")
_BETWEEN = re.compile(r",\s+(?:and\s+)?|\s+and\s+")
_NEAR = 30
"""Characters around a value in which a sentence says that it is a bound."""
_SIDES = (
    (
        re.compile(
            r"\b(?:at most|up to|no (?:more|newer|later|longer) than|or (?:earlier|older|less|fewer|lower|below)"
            r"|maximum|newest|latest|highest|under|below|within)\b",
            re.IGNORECASE,
        ),
        re.compile(
            r"<|max|limit|cap|most|up to|less|fewer|older|below|within|size|bound|over|concurren", re.IGNORECASE
        ),
    ),
    (
        re.compile(
            r"\b(?:at least|no (?:less|fewer|older|earlier) than|or (?:newer|later|more|higher|above|up)"
            r"|minimum|oldest|lowest)\b",
            re.IGNORECASE,
        ),
        re.compile(r">|min|least|\^|~|\+|newer|later|higher|above|from|since|require|under", re.IGNORECASE),
    ),
)
"""By what a sentence bounds a value from above or from below, and what lines have that do so."""
_MODE = re.compile(r"0[0-7]{3}")


def valued(laid: Laid) -> tuple[Line, ...]:
    """Give the lines that hold a claim's values, where they carry it by those; () where they do not.

    A sentence gives a value in its own words, and the lines in theirs; that both have the same value, and all names
    of the sentence, is rarely an accident. A value must not be one of the smallest where little else is held, no part
    of the claim may be empty of words that the lines have, and nothing may be added: neither behind the last that is
    held, nor a run of words in between. A text must have the value in a sentence, or above it, with half of the rest.
    """
    values = [term for term, _ in laid.pairs if term.kind == "value"]
    held = [_lines_of(term, laid) for term in values]
    if not values or not all(held) or _unheld(laid):
        return ()
    if any(_carried(part, laid) < _LEAST_PART for part in laid.parts) or _adds(laid):
        return ()
    small = all(each.value is not None and each.value.raw in _SMALL for each in values)
    bare = any(each.value is not None and each.value.kind == "number" for each in values)
    if small and laid.share(WORDED) < (_LEAST_OF_SMALL if bare else _LEAST_OF_UNIT):
        return ()
    if laid.reading.prose and not any(map(_Said(laid).enough, laid.reading.sentences)):
        return ()
    own = {term.lemmas for term, found in laid.pairs if found is not None and term.kind != "value"} - {("default",)}
    if len(own) < _FEWEST_OWN:
        return ()
    others = [frozenset(found.at) for term, found in laid.pairs if found is not None and term.kind != "value"]
    best = {max(at, key=lambda line: (sum(line in each for each in others), -line)) for at in held}
    if not laid.reading.prose and not all(_is_ours(at, others, laid) for at in best):
        return ()
    if any(_unbounded(term, at, laid) for term, at in zip(values, held, strict=True)):
        return ()
    return tuple(map(laid.line, sorted(best)))


def _is_ours(at: int, others: Sequence[frozenset[int]], laid: Laid) -> bool:
    """Whether a line of code with a value has a word of the claim, or the line next to it, or is all that was cited."""
    line = laid.line(at)
    excerpt = laid.reading.row.excerpts[line.excerpt]
    alone = line.number == excerpt.cited or len(excerpt.lines) == 1
    return alone or any(not each.isdisjoint((at - 1, at, at + 1)) for each in others)


def _unbounded(term: Term, at: Sequence[int], laid: Laid) -> bool:
    """Whether a value is a bound in the claim, and no line with it says on which side."""
    text = laid.claim.text
    near = text[max(0, term.start - _NEAR) : term.start + len(term.text) + _NEAR]
    lines = " ".join(laid.line(each).text[:600] for each in at)
    return any(says.search(near) and not shows.search(lines) for says, shows in _SIDES)


def _carried(part: LaidClause, laid: Laid) -> float:
    """Give the share of a part that the lines have, its values among it in whatever form."""
    whole = sum(laid.weight(term) for term, _ in part.telling)
    unwritten = sum(laid.weight(term) for term, found in part.telling if found is None and term.kind == "value")
    return part.carried + (unwritten / whole if whole else 0.0)


def _lines_of(term: Term, laid: Laid) -> tuple[int, ...]:
    """Give the lines, from 0, with a value: as it stands, as the mode of a file, or as a part of a second."""
    found = next(found for each, found in laid.pairs if each is term)
    if found is not None:
        return found.at
    value = term.value
    if value is None:
        return ()
    if value.kind == "number" and value.raw <= _MOST_LISTED:
        return _listed(value, laid)
    wanted = {float(int(term.text, 8))} if _MODE.fullmatch(term.text) else set()
    if value.kind == "time":
        wanted.update(amount for amount in value.amounts if amount % 1)
    return tuple(at for at, numbers in enumerate(laid.index.numbers) if wanted & numbers)


def _listed(value: Value, laid: Laid) -> tuple[int, ...]:
    """Give the lines, from 0, of what the claim counts and then lists: "three extras: a, b and c"."""
    match = _LIST.search(laid.claim.text, value.end)
    items = _BETWEEN.split(match["items"]) if match else []
    if len(items) != value.raw:
        return ()
    wanted = [frozenset(pieces(item)) for item in items]
    at = [next((at for at, words in enumerate(laid.index.words) if each and each <= words), -1) for each in wanted]
    return () if -1 in at else tuple(at)


def _unheld(laid: Laid) -> bool:
    """Whether a name or a quoted text of the claim stands nowhere, or only as a part of another name."""
    named = [(term, found) for term, found in laid.pairs if term.kind in ("name", "quoted")]
    if any(found is None and not laid.around(term) for term, found in named):
        return True
    single = [term for term, _ in named if term.kind == "name" and len(term.lemmas) == 1]
    return not all(laid.reading.spells(term.text) for term in single)


def _absent(laid: Laid) -> Iterator[bool]:
    """Say of each term but the slight ones whether it is absent."""
    for term, found in laid.pairs:
        if not slight(term) or term.text[0].isupper():
            yield found is None and not laid.around(term) and not (term.kind == "value" and _lines_of(term, laid))


def _adds(laid: Laid) -> bool:
    """Whether something is said in between or behind the last that the lines have, and is not just its verb."""
    row = longest = 0
    for absent in _absent(laid):
        row = row + 1 if absent else 0
        longest = max(longest, row)
    if longest > _MOST_IN_A_ROW:
        return True
    held = [
        at
        for at, (term, found) in enumerate(laid.pairs)
        if found is not None or laid.around(term) or (term.kind == "value" and _lines_of(term, laid))
    ]
    behind = [term for term, _ in laid.pairs[held[-1] + 1 :] if not slight(term) or term.text[0].isupper()]
    if len(behind) > _MOST_BEHIND:
        return True
    text, last = laid.claim.text, laid.pairs[held[-1]][0]
    done = is_predicate(last, text)
    return any(
        not is_predicate(term, text) and (done or _JOINS.search(text[last.start + len(last.text) : term.start]))
        for term in behind
    )


class _Said:
    """What a sentence must hold of a claim: its values, and half of its words that the lines have at all."""

    def __init__(self, laid: Laid) -> None:
        self._laid = laid
        self._values = [term for term, _ in laid.pairs if term.kind == "value"]
        self._words = [term for term, found in laid.pairs if found is not None and term.kind != "value"]

    def enough(self, sentence: Sentence) -> bool:
        index = Index([sentence.text, sentence.under])
        if any(index.find(term) is None for term in self._values):
            return False
        whole = sum(map(self._laid.weight, self._words))
        held = sum(self._laid.weight(term) for term in self._words if index.find(term) is not None)
        return held >= _LEAST_OF_SENTENCE * whole
