"""Claims that the cited lines carry: each clause in them, near together and the same way round."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from cite_lsp.judges.embedded.beside.laid import STRONG, WORDED, Laid, LaidClause
from cite_lsp.judges.embedded.claim.terms import Term
from cite_lsp.judges.embedded.claim.values import TIME_UNITS
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.rivals import families
from cite_lsp.judges.embedded.lines.alignment import Index
from cite_lsp.judges.embedded.lines.facts import Line
from cite_lsp.judges.embedded.off_topic import listed
from cite_lsp.judges.embedded.support.doubts import doubts
from cite_lsp.judges.embedded.support.given import given
from cite_lsp.judges.embedded.support.markers import marked_otherwise
from cite_lsp.judges.embedded.support.predicates import is_predicate
from cite_lsp.judges.embedded.support.valued import valued

_LEAST = 0.5
_LEAST_OF_SENTENCE = 0.85
_LEAST_CLAUSE = 0.4
_LEAST_TOGETHER = 0.4
_TOGETHER = 4
"""Lines within which so much of each clause must stand."""
_MOST_ABSENT = 2
_SHORT = 4
_FEW = 3
_LONG = 5
_MOST_SHOWN = 3
_FEWEST = 2
_BY_SIGNS = frozenset(
    """call use take have set return do give run hold get make define default accept raise throw mean need contain
    """.split()
)
"""Verbs that code says by its signs."""
_IS_THE = re.compile(r"\W{0,3}\w{1,40}\W{0,3} (?:is|are) the\b")
_RELEASE = re.compile(r"release|version", re.IGNORECASE)
_NUMBERED = re.compile(r" `?v?[0-9]{1,5}\.[0-9]")
_FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]{0,60}(?![\w.])")
_PATH = re.compile(
    r"(?<![\w`/.~-])(?:~|\.{1,2})?/[\w.-]{1,60}(?:/[\w.-]{1,60}){0,12}|(?<![\w`/.~:-])[\w.-]{1,60}/[\w-]{1,60}\.[a-z]{1,5}\b"
)


@dataclass(frozen=True, slots=True)
class Support:
    """Whether lines carry a claim: with which lines, or why that cannot be said."""

    basis: str
    lines: tuple[Line, ...] = ()
    why_not: str = ""


def supported(laid: Laid) -> Support:
    """Give the lines that carry a claim, or what was looked for in vain."""
    otherwise = marked_otherwise(laid.claim, laid.reading)
    if otherwise:
        return Support("", why_not=otherwise)
    told = given(laid.claim, laid.reading)
    if told is not None:
        return Support(*told)
    if len(laid.pairs) < _FEWEST or len(laid.claim.text.split()) <= _FEWEST:
        return Support("", why_not="the claim says nothing that a line could show")
    holding = valued(laid)
    if holding and not _unnamed(laid) and not next(doubts(laid, holding, by_value=len(laid.pairs) >= _LONG), ""):
        return Support(_shown(holding), holding)
    lacking = _lacking(laid)
    if lacking:
        return Support("", why_not=lacking)
    if laid.reading.prose and not _in_one_sentence(laid):
        return Support("", why_not="looked for one sentence that says it whole: the words stand in several, or not all")
    lines = _covering(laid)
    doubt = next(doubts(laid, lines), "")
    if doubt:
        return Support("", why_not=doubt)
    return Support(_shown(lines), lines)


def _shown(lines: Sequence[Line]) -> str:
    return "; ".join(f"line {line.number} says {clipped(line.text)}" for line in lines[:_MOST_SHOWN])


def _in_one_sentence(laid: Laid) -> bool:
    """Whether one sentence, with what it stands under, holds nearly all of a claim.

    Words spread over a text were right two times of three.
    """
    terms = [term for term, _ in laid.pairs if not _of_a_version(term, laid.claim.text)]
    whole = sum(map(laid.weight, terms))
    for sentence in laid.reading.sentences:
        index = Index([sentence.text, sentence.under])
        held = sum(laid.weight(term) for term in terms if _says(sentence.text.lower(), index, term))
        if held >= _LEAST_OF_SENTENCE * whole:
            return True
    return False


def _says(sentence: str, index: Index, term: Term) -> bool:
    found = index.find(term)
    return (found is not None and found.how in WORDED) or term.text.lower() in sentence


def _lacking(laid: Laid) -> str:
    """Say what of a claim does not stand in the lines; "" where enough of it does."""
    absent = [term for term, found in laid.pairs if found is None and not laid.around(term)]
    absent.extend(_shared_kin(laid))
    absent = [term for term in absent if not _of_a_version(term, laid.claim.text)]
    hard = [term for term in absent if term.kind != "word" or not TIME_UNITS.isdisjoint(term.lemmas)]
    bare = all(term.kind == "word" for term, _ in laid.pairs)
    names = ((term, found) for term, found in laid.pairs if found is not None and term.kind == "name")
    hard.extend(term for term, found in names if found.how not in STRONG or not _spelled(term, laid))
    if laid.pairs[0][0] in absent and _IS_THE.match(laid.claim.text):
        hard.append(laid.pairs[0][0])
    if bare and (len(laid.pairs) < _LONG or len(absent) > 1):
        hard.extend(term for term in absent if is_predicate(term, laid.claim.text))
    elif not bare:
        hard.extend(_verbs_of_names(laid))
    absent = [term for term in absent if term.lemmas != ("default",)]
    valued = any(term.kind == "value" for term, _ in laid.pairs)
    last = laid.pairs[-1][0] in absent and (not valued or len(absent) > 1 or len(laid.pairs) > _SHORT)
    many = bare and len(absent) > (_MOST_ABSENT if len(laid.pairs) > _FEW else 0)
    if hard or last or many or _too_little(laid):
        them = "them all" if len(absent) > 1 else "it"
        looked = f"looked for {listed(hard or absent)} in the cited lines and did not find {them}"
        return looked if absent else "too few of the claim's own words stand in the cited lines"
    for clause in laid.clauses:
        if _together(clause, laid) < _LEAST_TOGETHER:
            said = clause.clause.text.strip(" .,;")
            return f"looked for lines near together that say {said!r} and found its words far apart"
    return _unnamed(laid)


def _of_a_version(term: Term, text: str) -> bool:
    """Whether a word only says that the number behind it is a version: the lines have it as a heading."""
    return bool(_RELEASE.fullmatch(term.text) and _NUMBERED.match(text, term.start + len(term.text)))


def _too_little(laid: Laid) -> bool:
    """Whether too small a share of the claim, or of one of its clauses, stands in the lines."""
    share = laid.share(STRONG) + laid.share(frozenset(("kin",))) / 2
    return share < _LEAST or min(each.share for each in laid.clauses) < _LEAST_CLAUSE


def _unnamed(laid: Laid) -> str:
    """Say which member of a family, quoted text, flag or path of a claim does not stand in the lines as it is."""
    text = "\n".join(line.text[:600] for line in laid.reading.lines)
    for family in families():
        claimed = family.among(laid.claim.text)
        here = family.among(text) if claimed else {}
        other = [name for name in claimed if name not in here]
        if other and here:
            return f"looked for the {family.name} {other[0]!r} in the cited lines and found {min(here)!r}"
    quoted = [term.text for term, _ in laid.pairs if term.kind == "quoted"]
    absent = [each for each in quoted if not _stands(each, text, re.IGNORECASE)]
    absent.extend(flag for flag in _FLAG.findall(laid.claim.text) if not _stands(flag, text))
    absent.extend(path for path in _PATH.findall(laid.claim.text) if path.strip(".,;:") not in text)
    return f"looked for {absent[0]!r} in the cited lines and did not find it" if absent else ""


def _stands(name: str, text: str, flags: re.RegexFlag = re.NOFLAG) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, flags))


def _shared_kin(laid: Laid) -> Iterator[Term]:
    """Give the terms for which the lines have but a word that stands for another term already."""
    names = (term for term, found in laid.pairs if found is not None and term.kind == "name")
    taken: dict[str, tuple[str, ...]] = {term.lemmas[0]: term.lemmas for term in names if len(term.lemmas) == 1}
    for term, found in laid.pairs:
        if found is None or found.how != "kin" or not found.word:
            continue
        if taken.setdefault(found.word, term.lemmas) != term.lemmas:
            yield term


def _verbs_of_names(laid: Laid) -> Iterator[Term]:
    """Give the verbs right behind names that nothing but those stands for: "`flush_queue` writes to"."""
    for (name, _), (term, found) in pairwise(laid.pairs):
        between = laid.claim.text[name.start + len(name.text) : term.start]
        by_itself = found is not None and (found.how != "kin" or found.word not in name.lemmas)
        if name.kind != "name" or by_itself or between.strip("`() ") or laid.around(term):
            continue
        verb = term.text.split()[0].lower()
        if term.kind == "word" and verb.endswith("s") and verb not in term.lemmas and term.lemmas[0] not in _BY_SIGNS:
            yield term


def _spelled(term: Term, laid: Laid) -> bool:
    """Whether a name of one word stands in the lines as a name of its own: `LIMIT` does not in `limit_7`."""
    return len(term.lemmas) > 1 or laid.reading.spells(term.text)


def _together(clause: LaidClause, laid: Laid) -> float:
    """Give the largest share of a clause that stands within a few lines, or in what encloses them."""
    whole = best = 0.0
    begins: dict[int, float] = {}
    fixed = 0.0
    for term, found in clause.pairs:
        weight = laid.weight(term)
        whole += weight
        if found is None:
            fixed += weight if laid.around(term) else 0.0
            continue
        for start in {max(0, at - back) for at in found.at for back in range(_TOGETHER)}:
            begins[start] = begins.get(start, 0.0) + weight
    best = max(begins.values(), default=0.0)
    return (best + fixed) / whole if whole else 1.0


def _covering(laid: Laid) -> tuple[Line, ...]:
    """Give the fewest lines, found greedily, that hold what of the claim stands in words."""
    wanted = {term: set(found.at) for term, found in laid.pairs if found is not None and found.how in WORDED}
    chosen: list[int] = []
    while wanted:
        counts: dict[int, float] = {}
        for term, at in wanted.items():
            for line in at:
                counts[line] = counts.get(line, 0.0) + laid.weight(term)
        best = max(counts, key=lambda line: (counts[line], -line))
        chosen.append(best)
        wanted = {term: at for term, at in wanted.items() if best not in at}
    return tuple(laid.line(at) for at in sorted(chosen))
