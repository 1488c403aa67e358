"""The base form of a word: tables first, then the rules by which English bends words."""

from functools import cache, lru_cache
from itertools import chain

from cite_lsp.judges.embedded.lexicon.forms import ALIKE, BASE, BRITISH, IRREGULAR

_VOWELS = frozenset("aeiouy")
_LONGEST = 40

# What is left of a word in -ed or -ing, by its end: whether an "e" was taken away. The first that fits counts.
_ENDS_WITH_E = tuple(
    (end[:-1] if end[-1] in "+-" else end, end[-1] == "+")
    for end in """
    eat- oat- at+ iz+ yz+ is+ ys+ v+ u+ nc+ rc+ ac+ ec- ic- uc+ oc-
    dg+ rg+ ag+ hang+ rang+ ang- ng- eg+ ug- og- ig-
    ss- us+ as+ os+ es+ ns+ rs+ ps+ ls+ ws+
    bl+ cl+ dl+ fl+ gl+ kl+ pl+ tl+ zl+
    our- air- eir- ir+ ur+ ear- oar- ar+ er- or-
    ain- oin- ein- in+ ut+ oid- aid- eid- id+ ood- od+ oad- ead- ad+ oud- ud+
    eak- oak- ak+ ook- ok+ ik+ aim- im+ eam- oam- am+ um+ eap- oap- ap+ eip- ip+ oop- op+ yp+
    ib+ ob- ub- ail- oil- eil- il+ oul- ul+ uc+ iqu+ eec-
    """.split()
)


@cache
def _irregular() -> dict[str, str]:
    forms = {bent: line.split()[0] for line in IRREGULAR for bent in line.split()[1:]}
    return forms | dict(pair.split(":") for pair in BRITISH)


@cache
def _alike() -> frozenset[str]:
    bases = (line.split()[0] for line in IRREGULAR)
    american = (pair.split(":")[1] for pair in BRITISH)
    return frozenset(chain(bases, american, *(text.split() for text in ALIKE))) - _irregular().keys()


@cache
def _base() -> frozenset[str]:
    return frozenset(chain.from_iterable(text.split() for text in BASE)) | _alike()


@lru_cache(maxsize=8192)
def lemma(word: str) -> str:
    """Give the base form of an English word in lower case, in American spelling.

    "retries", "retried" and "retrying" are "retry", "sent" is "send", "normalised" is "normalize". Names and what is
    no word stay as they are: "status", "https", "sha256". A lemma is its own lemma.
    """
    word = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    if not word.isascii() or not word.isalpha() or len(word) > _LONGEST:
        return word
    for _ in range(4):
        shorter = _step(word)
        if shorter == word:
            break
        word = shorter
    return word


def _step(word: str) -> str:
    """Take one ending from a word."""
    irregular = _irregular().get(word)
    if irregular is not None:
        return irregular
    if len(word) <= 3 or word in _base():
        return word
    if word.endswith("s"):
        return _without_s(word)
    if word.endswith("ed"):
        return _without_ed(word)
    if word.endswith("ing") and not word.endswith("string"):
        return _without_ing(word)
    if word.endswith("ly"):
        return _without_ly(word)
    return _american(word)


def _without_s(word: str) -> str:
    if word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return _known(word[:-1]) or (word[:-3] + "y" if len(word) > 4 else word[:-1])
    if not word.endswith("es"):
        return word[:-1]
    found = _known(word[:-1], word[:-2])
    if found:
        return found
    return word[:-2] if word.endswith(("sses", "xes", "shes", "ches", "zzes", "oes", "uses", "iases")) else word[:-1]


def _without_ed(word: str) -> str:
    if word.endswith("eed"):
        return _known(word[:-1]) or word
    if word.endswith("ied"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    base = _unbent(word[:-2]) or word
    # "unlocked" is done by "unlock"; "unmanaged" is what nobody managed
    return base if base in _base() or not word.startswith("un") else word


def _without_ing(word: str) -> str:
    return _unbent(word[:-3]) or word


def _unbent(rest: str) -> str | None:
    """Give the verb whose end was dropped or doubled; None where what is left is no word."""
    if len(rest) < 2 or not _VOWELS & set(rest):
        return None
    doubled = len(rest) > 2 and rest[-1] == rest[-2] and rest[-1] not in "aeiou"
    known = _known(rest + "e", rest, *([rest[:-1]] if doubled else []))
    if known:
        return known
    if doubled:
        return rest if rest[-1] in "lszf" else rest[:-1]
    ends_with_e = next((taken for end, taken in _ENDS_WITH_E if rest.endswith(end)), False)
    return rest + "e" if ends_with_e else rest


def _without_ly(word: str) -> str:
    if len(word) <= 4:
        return word
    if word.endswith("ically"):
        return _known(word[:-2], word[:-4]) or word[:-4]
    if word.endswith("bly"):
        return word[:-1] + "e"
    if word.endswith("ily"):
        return word[:-3] + "y"
    return word[:-2] if _VOWELS & set(word[:-2]) else word


def _american(word: str) -> str:
    for british, american in (("isation", "ization"), ("yse", "yze"), ("iser", "izer"), ("isable", "izable")):
        if word.endswith(british) and len(word) > len(british) + 2:
            return word.removesuffix(british) + american
    if word.endswith("ise") and not word.endswith(("wise", "aise", "prise")) and len(word) > 6:
        return word.removesuffix("ise") + "ize"
    return word


def _known(*words: str) -> str | None:
    return next((word for word in words if word in _base()), None)
