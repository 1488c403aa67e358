"""The words by which engineers speak about code: what is the same, what is the opposite, what code says it.

Pure data and look-ups; every function takes a word in any form and answers with lemmas.
"""

from cite_lsp.judges.embedded.lexicon.code_signs import Idiom, idioms, spoken_by
from cite_lsp.judges.embedded.lexicon.endings import lemma
from cite_lsp.judges.embedded.lexicon.lookup import glue, kin, opposed, phrases, short_for, soft

__all__ = [
    "Idiom",
    "glue",
    "idioms",
    "kin",
    "lemma",
    "opposed",
    "phrases",
    "short_for",
    "soft",
    "spoken_by",
]
