"""Whether lines that hold a claim's words say it or its opposite: what makes that doubtful."""

import re
from collections.abc import Iterator, Sequence

from cite_lsp.judges.embedded.beside.laid import Laid
from cite_lsp.judges.embedded.claim.terms import pieces
from cite_lsp.judges.embedded.claim.values import values_in_prose
from cite_lsp.judges.embedded.conflicts.polarity import NEGATION, negations, opposite_in, signed_words, turned
from cite_lsp.judges.embedded.conflicts.sentence_conflicts import (
    Beside,
    same,
)
from cite_lsp.judges.embedded.lexicon import lemma
from cite_lsp.judges.embedded.lines.facts import Line
from cite_lsp.judges.embedded.lines.sentences import Sentence

_SHORT = 4
_TEXT = re.compile(r"\"(?:[^\"\\\n]|\\.){0,400}\"|'(?:[^'\\\n]|\\.){0,400}'")
_SAYS_NO = re.compile(
    r"\b(?:rais|throw|thrown|error|fail|reject|refus|ignor|skip|drop|miss|absen|empt|blank"
    r"|bypass|spar|except|without|invalid|unset|unless|off\b|disabl|false|exclud|omit|lack|left out"
    r"|only|other|another|unknown|instead|turn|switch|option|flag|not|no\b"
    r"|never|cannot|neither|nor\b|un[a-z]{4})|n['’]t\b",
    re.IGNORECASE,
)
"""Words of a claim that a negation in code may stand for."""
_CODE_NOT = re.compile(r"\bnot\b(?!\s+(?:null|NULL|in\b))|!(?![=\[(\"'])|!==?|~=|<>|\bunless\b|\bis not\b|\bnot in\b")
_EMPTY = re.compile(r"={2,3}\s?(?:\"\"|''|None|null|nil|undefined)|\bis None\b|empty\b|\bis_none\b|\bnil\?")
_IF_UNSET = re.compile(
    r"\b(?:if|when|where|while)\b[^,;.]{0,80}\b(?:not|no)\b[^,;.]{0,20}\b(?:set|given|present|passed|provided|specified)\b",
    re.IGNORECASE,
)
_FALLS_BACK = re.compile(r"\bget(?:env)?\([^()]{1,120},|\?\?|\|\||:-|\bdefault|\bor\b|unwrap_or", re.IGNORECASE)
_FAILURES = frozenset("raise throw fail error reject refuse deny abort".split())
_RAISES = re.compile(
    r"\b(?:raise|throw|panic!?|Err|reject|abort\w*|PyErr_\w+|errors?\.New|Errorf|die|fail\w*)\b|\bErr[A-Z]\w+|\w+(?:Error|Exception)\b"
)
_WORD = re.compile(r"[A-Za-z]{2,40}")
_SWITCHED = re.compile(
    r"(?P<name>[\w$-]{1,60})[\"']?\s{0,4}(?::\s{0,3}\w{1,12}\s{0,3})?[=:, ]\s{0,4}(?:[Ff]alse|FALSE|off|OFF)\b"
)
_DROPPED = re.compile(r"\b(?:dropp?|remov|discontinu|ceas|withdr)\w*", re.IGNORECASE)
_CODE_ELSE = re.compile(r"\bnot\b|!|\bunless\b|\belse\b|\|\||\bor\b|<>|~=|\?\?")
_UNLESS = re.compile(r"\bunless\b", re.IGNORECASE)
_GIVES = re.compile(r"(?<![=!<>])[=:](?!=)\s{0,4}[\w\"'.-]|default", re.IGNORECASE)
_UNLESS_TOLD = re.compile(
    r"\bunless\b[^,;.]{0,60}\b(?:other(?:wise)?|another|different\w*|told|asked|overrid\w+|overruled)\b[^,;.]{0,40}\W*$",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"([,;:]|\b(?:and|but|that|which|who|whose|when|if|unless|where|while|although|though|before|after)\b)",
    re.IGNORECASE,
)
_SUBORDINATE = frozenset("that which who whose when if unless where while although though".split())
_BEGINS = re.compile(r"\s*(?:(?:even|only) )?(?:with|without|for)\b", re.IGNORECASE)
_EXCEPTS = re.compile(r"\b(?:unless|not|except|only|without|otherwise|never|until)\b|n['’]t\b", re.IGNORECASE)
_IS_TRUE = re.compile(r"\b(?:is|are|be|to) (?:set to )?`?true\b", re.IGNORECASE)
_IS_FALSE = re.compile(r"\b(?:is|are|be|to) (?:set to )?`?false\b", re.IGNORECASE)
_NAMES = re.compile(r"[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*")
_SAYS_ON = re.compile(
    r"\b(?:(?:is|are|was|switched|turned|turns|switches) on|enabled|activated)\b(?! the\b| a\b| an\b)", re.IGNORECASE
)
_SAYS_OFF = re.compile(r"\b(?:(?:is|are|was|switched|turned|turns|switches) off|disabled|deactivated)\b", re.IGNORECASE)
_IS_ON = re.compile(
    r"\b(?:true|on|yes|enabled?|activ\w+)\b|(?<![\w.])1(?![\w.])|\bis_|[a-z]Enabled?\b|_enabled?\b|default ?=",
    re.IGNORECASE,
)
_IS_OFF = re.compile(
    r"\b(?:false|off|no|none|null|disabled?|inactiv\w+)\b|(?<![\w.])0(?![\w.])|\bno_|_no_|disable|(?<!\w)!\w|\bnot\b",
    re.IGNORECASE,
)
_TRUE = re.compile(r"\b(?:true|on|enabled?)\b", re.IGNORECASE)
_UNTRUE = re.compile(r"\b(?:false|off|disabled?)\b", re.IGNORECASE)
MUST = re.compile(r"\b(?:must|required|mandatory|has to|have to|needs? to|compulsory)\b", re.IGNORECASE)


def polarity_doubts(
    laid: Laid, lines: tuple[Line, ...], sentences: Sequence[Beside], *, by_value: bool = False
) -> Iterator[str]:
    """Say what speaks against the lines saying it the same way round.

    Args:
        laid: The claim beside the cited lines.
        lines: Those of them that hold its words.
        sentences: What is said on those.
        by_value: Whether its values were found, and not its words: code need not show a negation of something else.
    """
    unshown = by_value and not laid.reading.prose and _negates_else(laid.claim.without_default)
    if not unshown and _other_way_round(laid, lines, sentences):
        yield "every word was found, but whether the lines say it or its opposite cannot be named"
    if not sentences and _switch_unseen(laid, lines):
        yield "every word was found, but no line says on or off"
    unless = _UNLESS.search(laid.claim.without_default)
    excepts = any(_EXCEPTS.search(each.sentence.text) for each in sentences)
    if by_value and _UNLESS_TOLD.search(laid.claim.text) and any(_GIVES.search(line.code[:600]) for line in lines):
        excepts = True  # "unless told otherwise" is how a sentence says that it is a default
    if unless and not excepts and (laid.reading.prose or not any(_CODE_ELSE.search(line.code[:600]) for line in lines)):
        yield "looked for an exception such as 'unless' in the cited lines and did not find one"
    if not laid.reading.prose and _done_anyway(laid, lines):
        yield "the claim says that something is not done, and the lines have that it is"
    if _other_truth(laid, lines):
        yield "the claim says on or off, and the lines the opposite"


def _negates_else(text: str) -> bool:
    """Whether a claim negates only in conditions and in what it says by the way, and gives its values elsewhere."""
    pieces_of = _PARTS.split(text)
    joints = ["", *pieces_of[1::2]]
    parts = [(joint.strip().lower(), part) for joint, part in zip(joints, pieces_of[::2], strict=True) if part.strip()]
    against = [(joint, part) for joint, part in parts if negations(part) or NEGATION.search(part)]
    return bool(against) and all(
        (joint in _SUBORDINATE or _BEGINS.match(part)) and next(values_in_prose(part), None) is None
        for joint, part in against
    )


def _other_way_round(laid: Laid, lines: Sequence[Line], sentences: Sequence[Beside]) -> bool:
    """Whether the lines may negate what the claim does not, or the other way round."""
    negated = negations(laid.claim.without_default) > 0
    if laid.reading.prose or (sentences and not any(line.code.strip() for line in lines)):
        if negated:
            if any(each.turned for each in sentences):
                return True
            short = len(laid.pairs) <= _SHORT
            return not any(
                _turned_alike(laid, each.sentence) if short else turned(each.sentence.text) for each in sentences
            )
        if _DROPPED.search(laid.claim.text):
            return False
        near = [each for each in sentences if len(each.shared) > 1]
        crossed = {word for each in sentences for word in each.crossed}
        return any(all(word in each.crossed or word not in each.shared for each in sentences) for word in crossed) or (
            not near and any(turned(line.text[:600]) for line in lines)
        )
    code = " ".join(_TEXT.sub('""', line.code[:600]) for line in lines)
    numbers = {line.number + step for line in lines for step in (-1, 0, 1)}
    beside_them = [line.code[:600] for line in laid.reading.lines if line.number in numbers]
    if _RAISES.search(code) and fails(laid):
        return False
    if MUST.search(laid.claim.text) and any(map(_RAISES.search, beside_them)):
        return False
    against = bool(_CODE_NOT.search(code)) or any(
        turned(each.sentence.text) for each in sentences if len(each.shared) > 1
    )
    if not negated:
        return (against and not _SAYS_NO.search(laid.claim.text)) or _switched_off(laid, code)
    if any(map(_EMPTY.search, beside_them)) or (_IF_UNSET.search(laid.claim.text) and _FALLS_BACK.search(code)):
        return False
    return not against and not all(
        word.lower() in " ".join(line.text for line in lines).lower()
        for word in NEGATION.findall(laid.claim.without_default)
    )


def _turned_alike(laid: Laid, sentence: Sentence) -> bool:
    """Whether a sentence negates something that the claim negates, too, or has a word for its opposite."""
    theirs = signed_words(sentence.text)
    if not turned(sentence.text) and not any(word.turned for word in theirs):
        return False
    known = frozenset(lemma for word in theirs for lemma in word.lemmas)
    mine = [word for word in signed_words(laid.claim.text) if word.turned]
    return not mine or any(
        any(other.turned and same(word, other) for other in theirs)
        or (len(word.lemmas) == 1 and bool(opposite_in(word.lemmas[0], known)))
        for word in mine
    )


def _done_anyway(laid: Laid, lines: Sequence[Line]) -> bool:
    """Whether what the claim says is not done stands in code, on lines none of which negates."""
    numbers = {line: at for at, line in enumerate(laid.reading.lines)}
    for word in signed_words(laid.claim.text):
        if not word.aim or word.name or not word.lemmas:
            continue
        words = {word.lemmas[0], *(_FAILURES if word.lemmas[0] in _FAILURES else ())}
        there = [line for line in lines if line.code.strip() and not words.isdisjoint(laid.index.words[numbers[line]])]
        if there and not any(_CODE_NOT.search(line.code) or turned(line.comment[:600]) for line in there):
            return True
    return False


def fails(laid: Laid) -> bool:
    """Whether the claim says that something fails, and not that it does not."""
    return any(not _FAILURES.isdisjoint(word.lemmas) and not word.turned for word in signed_words(laid.claim.text))


def _switched_off(laid: Laid, code: str) -> bool:
    """Whether what the claim speaks of is off, and the claim says no "no" but those of the name itself."""
    own = {lemma for term, _ in laid.pairs for lemma in term.lemmas}
    said = [lemma(word.lower()) for word in _WORD.findall(laid.claim.without_default) if _SAYS_NO.match(word)]
    for match in _SWITCHED.finditer(code):
        words = pieces(match["name"])
        if not own.isdisjoint(words) and all(word in words for word in said):
            return True
    return False


def _other_truth(laid: Laid, lines: Sequence[Line]) -> bool:
    """Whether the claim says true, on or enabled, and the lines only false, off or disabled, or the other way round."""
    claim = laid.claim.text
    if negations(claim) or len(laid.pairs) > _SHORT:
        return False
    if not laid.claim.names and any(
        "disable" in laid.index.words[at] for at, line in enumerate(laid.reading.lines) if line in lines
    ):
        return False
    mine = (
        bool(_SAYS_ON.search(claim) or _IS_TRUE.search(claim)),
        bool(_SAYS_OFF.search(claim) or _IS_FALSE.search(claim)),
    )
    text = " ".join(_NAMES.sub(" ", line.text[:600]) for line in lines)
    theirs = bool(_TRUE.search(text)), bool(_UNTRUE.search(text))
    return mine[0] != mine[1] and theirs[0] != theirs[1] and mine != theirs


def _switch_unseen(laid: Laid, lines: Sequence[Line]) -> bool:
    """Whether the claim says on, or off, and none of the lines has a sign of that."""
    code = " ".join(line.text[:600] for line in lines)
    said = ((_SAYS_ON, _IS_ON), (_SAYS_OFF, _IS_OFF))
    return any(says.search(laid.claim.text) and not seen.search(code) for says, seen in said)
