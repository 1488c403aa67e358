"""What a clause speaks of, asked by the pieces of a name: the same word, one of its root, one that says the same."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.terms import pieces, terms_of
from cite_lsp.judges.embedded.lexicon import kin, opposed, short_for
from cite_lsp.judges.embedded.lines.alignment import root_of

Spelled = Literal["", "kin", "own"]
_SHORTEST_BEGINNING = 6


@dataclass(frozen=True, slots=True)
class Spoken:
    """The base forms of a clause's words, those of its names among them, and their roots."""

    words: frozenset[str]
    roots: frozenset[str]

    def of(self, piece: str) -> Spelled:
        """Say how the clause speaks of a piece of a name: in its own word, in another for it, or not."""
        if piece in self.words or root_of(piece) in self.roots or short_for(piece) & self.words:
            return "own"
        if any(len(root) >= _SHORTEST_BEGINNING and piece.startswith(root) for root in self.roots):
            return "own"
        return "kin" if kin(piece) & self.words else ""

    def opposes(self, piece: str) -> bool:
        """Say whether the clause has a word for the opposite of a piece."""
        return bool(opposed(piece) & self.words)


@lru_cache(maxsize=64)
def spoken(clause: Clause) -> Spoken:
    """Give what a clause speaks of."""
    words: set[str] = set()
    for term in terms_of(clause):
        if term.kind != "value":
            words.update(term.lemmas)
            for name in term.text.split():
                parts = pieces(name)
                words.update(parts)
                words.update("".join(parts[at : at + 2]) for at in range(len(parts) - 1))
    return Spoken(frozenset(words), frozenset(map(root_of, words)))
