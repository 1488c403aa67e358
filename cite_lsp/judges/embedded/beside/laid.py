"""A claim laid beside the lines cited for it: which of its terms stand there, and how much of each clause that is."""

import re
from collections.abc import Sequence
from functools import cached_property

from cite_lsp.judges.embedded.beside.elsewhere import FileWords, file_words
from cite_lsp.judges.embedded.claim.claims import Claim, Clause, claim_of
from cite_lsp.judges.embedded.claim.terms import Term, slight, terms_of
from cite_lsp.judges.embedded.lines.alignment import Found, How, Index, weight
from cite_lsp.judges.embedded.lines.facts import TRIPLE_QUOTES, Line
from cite_lsp.judges.embedded.lines.reading import Reading

STRONG: frozenset[How] = frozenset(("same", "joined", "root"))
"""The ways in which a term stands in lines in its own words."""
WORDED: frozenset[How] = STRONG | {"kin"}
"""The ways in which it stands there in words."""
_SIGNS = re.compile(r"[(){}|=<>*→—§#]")
"""What notes, tables and signatures have, and sentences have not."""
_EMPTY = re.compile(r"\(\W{0,9}(?:\)|$)")
"""What is left of the brackets of a citation, and of a call's."""
_COUNTED = re.compile(
    r"[0-9]|\b(?:zero|(?:to|of|at|by|from|is|minus|plus) one|two|three|four|five|six|seven|eight|nine|ten|half|once"
    r"|twice|double|(?:milli|micro)?seconds?|minutes?|hours?|days?|(?:kilo|mega)?bytes?|percent|numbers?|counts?"
    r"|counters?)\b",
    re.IGNORECASE,
)
_MOST_PLAIN = 14
"""Sentences that say more than this have more parts than one citation stands for."""
_HEAD = 15
"""Lines over which a file may say at its beginning what is in it."""
_INTRODUCTION = 25
"""The same of a definition."""
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;|<!--)")


class Laid:
    """A claim beside the lines. Soft words are left out: they carry nothing that a line could show."""

    def __init__(self, claim: Claim, reading: Reading) -> None:
        self.claim = claim
        self.reading = reading
        self.index = reading.index
        self._found: dict[tuple[str, str], Found | None] = {}
        self._near: dict[tuple[str, str], bool] = {}

    @cached_property
    def whole_claim(self) -> Claim:
        """The claim of the row, of which this may be the part that stands at the citation."""
        text = self.reading.row.claim
        return self.claim if text == self.claim.written else claim_of(text)

    @cached_property
    def whole_laid(self) -> "Laid":
        """The claim of the row beside the lines: itself, where this is no part of it."""
        return self if self.whole_claim is self.claim else Laid(self.whole_claim, self.reading)

    @cached_property
    def pairs(self) -> tuple[tuple[Term, Found | None], ...]:
        """The terms of the claim with where they stand, lines counted from 0."""
        return self._pairs(self.claim)

    @cached_property
    def telling(self) -> tuple[tuple[Term, Found | None], ...]:
        """The same without words of order, number and direction, which lines say in too many ways."""
        return tuple((term, found) for term, found in self.pairs if not slight(term))

    def _pairs(self, clause: Clause) -> tuple[tuple[Term, Found | None], ...]:
        return tuple((term, self._find(term)) for term in terms_of(clause) if not term.soft)

    def _find(self, term: Term) -> Found | None:
        key = (term.kind, term.text)
        if key not in self._found:
            self._found[key] = self.index.find(term) or self._dotted(term)
        return self._found[key]

    def _dotted(self, term: Term) -> Found | None:
        """Give the line of a dotted name's last part, where the others stand in the lines or around them."""
        *owners, last = term.text.split(".")
        if term.kind != "name" or not last or not owners or not all(map(self.reading.spells, owners)):
            return None
        line = self.reading.line_with(last)
        return None if line is None else Found("joined", (self.reading.lines.index(line),))

    @cached_property
    def file(self) -> FileWords | None:
        """The cited file by its words, where it is known."""
        return None if self.reading.row.file is None else file_words(self.reading.row.file)

    @cached_property
    def _around(self) -> Index:
        return Index(list(self.reading.context))

    def weight(self, term: Term) -> float:
        """Give what a term counts for: rare words of the file more, names and values twice."""
        return weight(term) if self.file is None else self.file.weight(term)

    @cached_property
    def whole(self) -> float:
        """The weight of all terms."""
        return sum(self.weight(term) for term, _ in self.pairs)

    def share(self, hows: frozenset[How], *, around: bool = False) -> float:
        """Give the share of the claim that stands in the lines in one of some ways, or in what encloses them."""
        held = (
            self.weight(term)
            for term, found in self.pairs
            if (found is not None and found.how in hows) or (around and self.around(term))
        )
        return sum(held) / self.whole if self.whole else 0.0

    def around(self, term: Term) -> bool:
        """Whether a term stands in its own words in what encloses the lines."""
        key = (term.kind, term.text)
        if key not in self._near:
            found = self._around.find(term)
            self._near[key] = found is not None and found.how in STRONG
        return self._near[key]

    @cached_property
    def plain(self) -> bool:
        """Whether the claim is one sentence of words: what it says at its end is meant for this citation too."""
        return len(self.telling) <= _MOST_PLAIN and not _SIGNS.search(_EMPTY.sub("", self.whole_claim.text))

    def in_numbers(self, text: str) -> bool:
        """Whether a number of the lines may say what a text says: whole seconds by a division by 1000."""
        if self.reading.prose or not _COUNTED.search(text):
            return False
        claimed = {amount for value in self.claim.values for amount in (value.raw, *value.amounts)}
        return not self.reading.numbers <= claimed

    def introduced(self, term: Term) -> bool:
        """Whether a term stands in the words with which the file begins, or a definition around the lines does."""
        if self.file is None:
            return False
        at = self.file.lines_of(term)
        if not self._heads.isdisjoint(at):
            return True
        # What a parser says of the lines costs a parse: it is asked where a comment above has the term.
        return self._may_describe(at) and not self._descriptions.isdisjoint(at)

    @cached_property
    def _heads(self) -> set[int]:
        """The lines, from 1, of comments and docstrings at the head of the file."""
        return set() if self.reading.prose else _described(self.reading.row.file or (), 1, _HEAD)

    def _may_describe(self, numbers: Sequence[int]) -> bool:
        """Whether one of some lines, from 1, may be described in what encloses the cited ones: a comment above them."""
        file, excerpts = self.reading.row.file or (), self.reading.row.excerpts
        if len(excerpts) != 1:
            return False
        above = [number for number in numbers if number < excerpts[0].start_line]
        return any(
            _COMMENT.match(file[number - 1])
            or TRIPLE_QUOTES.search("\n".join(file[max(0, number - 1 - _INTRODUCTION) : number]))
            for number in above
        )

    @cached_property
    def _descriptions(self) -> set[int]:
        """The lines, from 1, of comments and docstrings in what encloses the cited ones."""
        file = self.reading.row.file or ()
        found: set[int] = set()
        if self.reading.code is not None and len(self.reading.row.excerpts) == 1:
            cited = self.reading.row.excerpts[0]
            for fact in self.reading.code.facts:
                if fact.kind == "definition" and fact.first < cited.start_line and fact.last >= cited.end_line:
                    found |= _described(file, fact.first, min(fact.first + _INTRODUCTION, cited.start_line - 1))
        return found

    @cached_property
    def clauses(self) -> tuple["LaidClause", ...]:
        """The clauses that say something, each beside the lines."""
        laid = (LaidClause(clause, self._pairs(clause), self) for clause in self.claim.clauses)
        return tuple(each for each in laid if each.pairs)

    @cached_property
    def parts(self) -> tuple["LaidClause", ...]:
        """What the claim says in its parts (`Claim.parts`), each beside the lines."""
        found: list[LaidClause] = []
        said: frozenset[tuple[str, ...]] = frozenset()
        for clause in self.claim.parts:
            part = LaidClause(clause, self._pairs(clause), self, said)
            said |= {term.lemmas for term, _ in part.pairs}
            if part.telling:
                found.append(part)
        return tuple(found)

    def line(self, at: int) -> Line:
        """Give a line by its number from 0."""
        return self.reading.lines[at]


class LaidClause:
    """One clause beside the lines.

    Args:
        said: The terms of the clauses before it, by their base forms: what it takes up is not what it says.
    """

    def __init__(
        self,
        clause: Clause,
        pairs: tuple[tuple[Term, Found | None], ...],
        laid: Laid,
        said: frozenset[tuple[str, ...]] = frozenset(),
    ) -> None:
        self.clause = clause
        self.pairs = pairs
        self._laid = laid
        self._said = said

    @cached_property
    def share(self) -> float:
        """The share of it that stands in the lines, in words."""
        return self._share(self.pairs)

    @cached_property
    def telling(self) -> tuple[tuple[Term, Found | None], ...]:
        """The terms without words of order, number and direction (`Laid.telling`)."""
        return tuple((term, found) for term, found in self.pairs if not slight(term))

    @cached_property
    def carried(self) -> float:
        """The share of its telling terms that stands in the lines, in words."""
        return self._share(self.telling)

    @property
    def lacking(self) -> list[Term]:
        """The telling terms that are said here first, and of which nothing stands in the lines nor around them."""
        return [
            term
            for term, found in self.telling
            if found is None and term.lemmas not in self._said and not self._laid.around(term)
        ]

    def share_in(self, hows: frozenset[How]) -> float:
        """Give the share of its telling terms that stands in the lines in one of some ways."""
        return self._share(self.telling, hows)

    def _share(self, pairs: tuple[tuple[Term, Found | None], ...], hows: frozenset[How] = WORDED) -> float:
        carried = sum(1 for _, found in pairs if found is not None and found.how in hows)
        if carried in (0, len(pairs)):  # no weight is asked for that makes no difference: each costs a search
            return 1.0 if carried else 0.0
        whole = sum(self._laid.weight(term) for term, _ in pairs)
        held = sum(self._laid.weight(term) for term, found in pairs if found is not None and found.how in hows)
        return held / whole if whole else 0.0


def _described(file: Sequence[str], first: int, last: int) -> set[int]:
    """Give the lines of some, 1-based and inclusive, that are comments or in docstrings."""
    found: set[int] = set()
    within = False
    for number, text in enumerate(file[first - 1 : last], first):
        quotes = len(TRIPLE_QUOTES.findall(text[:600]))
        if within or quotes or _COMMENT.match(text):
            found.add(number)
        within ^= quotes % 2 == 1
    return found
