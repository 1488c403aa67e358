"""Why the words of a claim may be found and still not be said: by what stands beside them."""

import re
from calendar import month_name
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from cite_lsp.judges.embedded.beside.laid import WORDED, Laid
from cite_lsp.judges.embedded.claim.terms import Term, pieces, slight
from cite_lsp.judges.embedded.claim.values import (
    STATUSES,
    TIME_UNITS,
    Value,
    numbers_in_code,
    values_in_prose,
    with_unit,
)
from cite_lsp.judges.embedded.conflicts.polarity import opposite_in, signed_words
from cite_lsp.judges.embedded.conflicts.sentence_conflicts import (
    Beside,
    beside,
    ordered_otherwise,
    reverted,
    swapped,
)
from cite_lsp.judges.embedded.conflicts.subjects import is_about, spelled_by
from cite_lsp.judges.embedded.lexicon import glue, opposed, spoken_by
from cite_lsp.judges.embedded.lexicon.code_signs import LETTERS
from cite_lsp.judges.embedded.lines.facts import Fact, Line, indent_of
from cite_lsp.judges.embedded.lines.sentences import Sentence
from cite_lsp.judges.embedded.support.particulars import particulars
from cite_lsp.judges.embedded.support.polarity_doubts import MUST, fails, polarity_doubts

_NEAR_VALUE = 48
"""Characters around a value in which a sentence says that it is a bound."""
_WINS = re.compile(
    r"\b(?:overrid\w+|overrul\w+|preceden\w+|(?:take|ha[sd]|have|gain|get|give)\w* (?:a )?(?:higher |more )?priority"
    r"|priority over|prioriti[sz]\w+|wins?|outrank\w*|beats?|trumps?|prevails?|preferred|fallback for|supersed\w+"
    r"|takes? over)\b",
    re.IGNORECASE,
)
"""Which of two counts: code with the words of both says either."""
_IN_SIGNS = frozenset(
    """required mandatory optional ascending descending synchronous asynchronous sync async public private mutable
    immutable""".split()
)
"""Words whose opposite code says by a sign that is no accident: `name?: string`, `reverse=True`."""
_BECAUSE = re.compile(r"\b(?:because|so that|in order to|in order that|since|due to|lest)\b", re.IGNORECASE)
_GUARD = re.compile(r"\s*+(?:(?:\}\s*)?(?:else\s*)?if|elif|elsif|unless|case|when)\b")
_ALL = re.compile(r"\b(?:every|all|always|each|any|never|none|no)\b", re.IGNORECASE)
_SOME = re.compile(
    r"\b(?:most|some|many|several|usually|often|sometimes|mostly|generally|typically|certain|mainly|popular)\b",
    re.IGNORECASE,
)
_WHERE = re.compile(r"\b(?:if|when|whenever|where|once)\b", re.IGNORECASE)
_WHATEVER = re.compile(
    r"\b(?:every|all|always|each|any|never|none|no|whatever|whichever|regardless|irrespective|independent\w*|matter)\b",
    re.IGNORECASE,
)
_AGAINST_IT = re.compile(
    r"\b(?:above|below|before|after|behind|ahead of|in front of|prior to) (?:them|it|those|these|the others?)"
    r"(?=\W*$|[,;.]| (?:and|or|but)\b)",
    re.IGNORECASE,
)
_CODED = re.compile(r"\b[A-Z]{1,4}[0-9]{2,5}\b")
_LEAST_OF_LAST = 0.6
_CALLS = re.compile(
    r"(?P<caller>[\w$]{2,60})[`() ]{1,5}(?:first |then |also |itself )?(?:calls|invokes|runs) `?(?P<callee>[\w$]{2,60})"
    r"|(?P<called>[\w$]{2,60})[`() ]{1,5}(?:is|gets) (?:called|invoked|run) (?:by|from) `?(?P<by>[\w$]{2,60})"
)
_IN_TURN = re.compile(
    r"\b(?:first|then|before|after|last|followed|only (?:after|before|then|once)"
    r"|(?:calls|invokes|runs|uses) only|finally|later|earlier)\b",
    re.IGNORECASE,
)
_BOUNDS = re.compile(
    r"\b(?:\w+er|than|above|below|under|over|least|most|beyond|exceed\w*|within"
    r"|past|up to|limit\w*|max\w*|min\w*|cap\w*|after|before|until|from|bound\w*|between|outside|range|already|once"
    r"|short of|or (?:more|less|newer|later)|only|every|further|per|[0-9]+xx|fail\w*)\b|[<>≤≥]",
    re.IGNORECASE,
)
_SIDES = (
    (re.compile(r"\bat least\s+$", re.IGNORECASE), ">= <"),
    (re.compile(r"\bat most\s+$", re.IGNORECASE), "<= >"),
    (
        re.compile(
            r"\b(?:more|greater|larger|longer|higher) than\s+$|\b(?:over|above|beyond|exceeds)\s+$", re.IGNORECASE
        ),
        "> <=",
    ),
    (re.compile(r"\b(?:less|fewer|smaller|shorter|lower) than\s+$|\b(?:under|below)\s+$", re.IGNORECASE), "< >="),
)
"""Words before a number, and the signs by which code says so, or the opposite of it where the rest is turned away."""
_STRICT = re.compile(r"(?P<is>\b(?:is|are|be)\s+)?\b(?P<more>(?:\w+er|more|less) than)\s+$", re.IGNORECASE)
_BEHIND_NUMBER = re.compile(r"[0-9](ms|[smh]|\s?min)\b")
_LIMITS = re.compile(
    r"max|min|limit|cap|bound|exceed|least|most|thresh|recycle|ttl|age|expir|over|under|above|below|than", re.IGNORECASE
)
_MORE = re.compile(
    r"\b(?:over|more than|above|exceed\w*|at least|no less than|minimum of|greater than|larger than|longer than"
    r"|beyond|upwards of)\s+$",
    re.IGNORECASE,
)
_LESS = re.compile(
    r"\b(?:under|less than|fewer than|below|at most|no more than|up to|maximum of|smaller than"
    r"|shorter than|within)\s+$",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\bfrom\s+`?(?P<old>[\w.%-]{1,40}(?: [A-Za-z]{1,12})?)`?\s+to\s+`?(?P<new>[\w.%-]{1,40})", re.IGNORECASE
)
_BEFORE = re.compile(r"\b(?:from|was|were|had|previously|formerly|before|used to|until|old|no longer)\b", re.IGNORECASE)


def doubts(laid: Laid, lines: tuple[Line, ...], *, by_value: bool = False) -> Iterator[str]:
    """Say why the words that were found may not say it.

    Args:
        laid: The claim beside the cited lines.
        lines: Those of them that hold its words.
        by_value: Whether its values were found, and not its words: what they belong to may be called otherwise.
    """
    if not laid.reading.prose and not any(line.code.strip() or line.comment.strip() for line in lines):
        yield "the cited lines hold no code"
    sentences = _sentences_on(lines, laid)
    yield from particulars(laid, lines)
    yield from polarity_doubts(laid, lines, sentences, by_value=by_value)
    yield from _others_values(laid, by_value=by_value)
    if not by_value:
        yield from _of_another(laid, lines)
    yield from _cause(laid)
    yield from _goes_further(laid, lines)
    yield from _which_of_two(laid)
    yield from _has_default(laid, lines)
    yield from _calls_otherwise(laid)
    yield from _opposites(laid, lines)
    yield from _old_values(laid, sentences)
    yield from _of_sentences(laid, [each.sentence for each in sentences if len(each.shared) > 1])
    yield from _other_rates(laid, sentences)
    guard = next((line for line in lines if _ALL.search(laid.claim.text) and _GUARD.match(line.code[:300])), None)
    if guard is not None and not _WHERE.search(laid.claim.text):
        yield f"the claim says it of all, line {guard.number} has a condition"
    if not sentences and _WINS.search(laid.claim.text):
        yield "every word was found, but which of two takes precedence no line states in words"


def _calls_otherwise(laid: Laid) -> Iterator[str]:
    """Say which caller of a claim stands no further out than what it should call, or which first call comes last."""
    for match in _CALLS.finditer(laid.claim.text):
        caller = _line_of(match["caller"] or match["by"], laid)
        callee = _line_of(match["callee"] or match["called"], laid)
        if caller and callee and indent_of(callee.text) <= indent_of(caller.text) and caller is not callee:
            yield f"looked for a call on line {callee.number} inside of line {caller.number} and did not find one"
    if len(laid.claim.names) > 1 and _IN_TURN.search(laid.claim.without_default):
        yield "every name was found, but which of them comes first no line states in words"


def _line_of(name: str, laid: Laid) -> Line | None:
    spelled = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    return next((line for line in laid.reading.lines if spelled.search(line.code[:600])), None)


def _of_sentences(laid: Laid, sentences: Sequence[Sentence]) -> Iterator[str]:
    words = [(clause, signed_words(clause.clause.text)) for clause in laid.clauses]
    for sentence in sentences:
        first = sentence.lines[0].number
        if any(ordered_otherwise(clause.clause.text, sentence.text) for clause in laid.clauses):
            yield f"line {first} has these in the other order"
        if any(reverted(clause.clause, sentence) or swapped(said, sentence, loose=True) for clause, said in words):
            yield f"line {first} has these words and may say them the other way round"
        if _ALL.search(laid.claim.text) and _SOME.search(sentence.text) and not _SOME.search(laid.claim.text):
            yield f"the claim says it of all, line {first} only of some"
        if _compared_otherwise(laid, sentence):
            yield f"line {first} has the value and bounds it on the other side"


def _sentences_on(lines: Sequence[Line], laid: Laid) -> list[Beside]:
    """Give the sentences on some lines that hold words of the claim, each beside it."""
    words = signed_words(laid.claim.text)
    near = (
        beside(words, sentence)
        for sentence in laid.reading.sentences
        if not sentence.quoted and any(line in sentence.lines for line in lines)
    )
    return [each for each in near if each.shared]


def _others_values(laid: Laid, *, by_value: bool) -> Iterator[str]:
    """Say which value of the claim the lines have for something else only, or as a bound that the claim has not."""
    own = {lemma for term, _ in laid.pairs for lemma in term.lemmas}
    for term, found in laid.pairs:
        if term.value is None or found is None:
            continue
        at = {laid.line(index) for index in found.at}
        facts = [fact for fact in laid.reading.facts if fact.line in at and len(fact.name) > 1]
        about = [
            fact for fact in facts if not own.isdisjoint(pieces(fact.name)) or is_about(laid.claim, fact, laid.reading)
        ]
        same = [fact for fact in facts if fact.value.agrees(term.value)]
        if not by_value and same and not about and not _is_status(same[0]) and at == {fact.line for fact in same}:
            yield f"looked for {term.text!r}; line {same[0].line.number} says it of {same[0].name}"
        alike = [fact for fact in about if fact.value.comparable(term.value)]
        if alike and at == {fact.line for fact in alike} and not any(fact.value.agrees(term.value) for fact in alike):
            yield f"looked for {term.text!r}; line {alike[0].line.number} says {alike[0].shown}"
        named = [
            fact for fact in laid.reading.facts if fact.value.comparable(term.value) and spelled_by(laid.claim, fact)
        ]
        other = next((fact for fact in named if not fact.value.agrees(term.value)), None)
        if other is None:
            near = [
                fact
                for fact in laid.reading.facts
                if fact.value.comparable(term.value) and is_about(laid.claim, fact, laid.reading)
            ]
            other = next((fact for fact in near if not fact.value.agrees(term.value)), None)
            named = near
        if other is not None and len({fact.name for fact in named}) == 1:
            yield f"looked for {term.text!r}; line {other.line.number} says {other.shown}"
        yield from _bounds(term.value, at, laid)


def _is_status(fact: Fact) -> bool:
    """Whether a fact is a status: sentences say "a 404" without that word."""
    return fact.value.raw in STATUSES and not {"status", "code"}.isdisjoint(pieces(fact.name))


def _cause(laid: Laid) -> Iterator[str]:
    """Say what of a reason that the claim gives the lines do not have: whose it is, or half of it."""
    because = _BECAUSE.search(laid.claim.text)
    if because is None:
        return
    reason = [(term, found) for term, found in laid.pairs if term.start >= because.end()]
    absent = [term for term, found in reason if found is None and not laid.around(term)]
    if absent and (absent[0] is reason[0][0] or 2 * len(absent) >= len(reason)):
        yield f"looked for {absent[0].text!r}, of the reason that the claim gives, and did not find it"


def _goes_further(laid: Laid, lines: Sequence[Line]) -> Iterator[str]:
    """Say which part at the end of a claim goes further than the lines: it widens what they say, or they lack it."""
    widening = next((part for part in laid.claim.parts if part.role == "scope"), None)
    if widening is not None and not any(_WHATEVER.search(line.text[:600]) for line in lines):
        yield f"looked for {widening.text!r} in the cited lines and did not find it"
    last = laid.parts[-1] if len(laid.parts) > 1 else None
    if last is not None and len(last.lacking) > 1 and last.carried < _LEAST_OF_LAST:
        yield f"looked for {last.lacking[0].text!r} in the cited lines and did not find it"


def _which_of_two(laid: Laid) -> Iterator[str]:
    """Say that lines have the words of an order, or of two opposite things, which they may say the other way round."""
    if _AGAINST_IT.search(laid.claim.text):
        yield "every word was found, but which comes before which cannot be named"
    words = {term.lemmas[0] for term, found in laid.pairs if found is not None and term.kind == "word" and term.lemmas}
    coded = {match[0] for match in _CODED.finditer(laid.claim.text)} | {name.text for name in laid.claim.names}
    if len(coded) > 1 and any(opposed(word) & words for word in words):
        yield "every word was found, but which of the names does which cannot be named"


def _of_another(laid: Laid, lines: Sequence[Line]) -> Iterator[str]:
    """Say which thing the lines have instead of the one with a value: the "ledger depth" against `QUEUE_DEPTH = 7`."""
    told = max((term.start for term, _ in laid.pairs if term.kind != "word"), default=-1)
    own = {lemma for term, _ in laid.pairs for lemma in term.lemmas} - {"default"}
    for (term, found), (behind, held) in pairwise(laid.pairs):
        near = laid.claim.text[term.start + len(term.text) : behind.start]
        if found is not None or laid.around(term) or held is None or near.strip() or not behind.lemmas:
            continue
        if " " in term.text or slight(term) or _names_no_thing(term) or behind.start > told:
            continue
        before = {
            words[at - 1] if at else ""
            for line in lines
            for words in [pieces(line.text[:200])]
            for at, word in enumerate(words)
            if word == behind.lemmas[0]
        }
        if before and all(word and word not in own and not glue(word) for word in before):
            yield f"looked for {term.text!r} before {behind.text!r} in the cited lines and found {min(before)!r}"


def _names_no_thing(term: Term) -> bool:
    """Whether a word before another tells not which one that is: a verb, a month."""
    return (term.text.endswith("s") and term.text.lower() not in term.lemmas) or term.text in month_name


def _has_default(laid: Laid, lines: Sequence[Line]) -> Iterator[str]:
    """Say which name that must be given, as the claim has it, has a default."""
    if not MUST.search(laid.claim.text) or laid.reading.prose or laid.claim.values:
        return
    for name in laid.claim.names[:4]:
        given = re.compile(rf"(?<![\w.]){re.escape(name.text)}\b[^,;()=]{{0,40}}=(?!=)\s{{0,4}}[^\s,;)]")
        for line in lines:
            if given.search(line.code[:600]):
                yield f"line {line.number} gives {name.text} a value"


def _bounds(value: Value, at: Iterable[Line], laid: Laid) -> Iterator[str]:
    """Say which value is a bound in one of the two, and is just the value in the other."""
    if laid.reading.prose:
        texts = [line.text for line in at]
        texts.extend(each.text for each in laid.reading.sentences if not set(at).isdisjoint(each.lines))
        bound = any(_side(text, other) for text in texts for other in values_in_prose(text) if other.agrees(value))
    else:
        number = rf"(?:{value.raw:g}|{re.escape(value.shown.split()[0])})"
        sign = re.compile(
            rf"(?<![<=>-])(?P<sign>[<>]=?)\s{{0,3}}[\"']?{number}(?![\w.])|(?<![\w.]){number}\s{{0,3}}[<>]=?(?![<>])"
        )
        signs = [match["sign"] for line in at for match in sign.finditer(line.text[:600])]
        bound = bool(signs)
        before = laid.claim.text[max(0, value.start - 30) : value.start]
        wanted = next((allowed for says, allowed in _SIDES if says.search(before)), "")
        if _WHERE.search(laid.claim.text) or fails(laid):
            wanted = wanted.partition(" ")[0]
        if wanted and signs and all(each is not None and each not in wanted.split() for each in signs):
            first = min(line.number for line in at)
            yield f"looked for {before.split()[-1]} {value.shown}; line {first} says {signs[0]}"
        near = laid.claim.text[max(0, value.start - _NEAR_VALUE) : value.end + _NEAR_VALUE]
        if bound and not _BOUNDS.search(near):
            yield f"looked for {value.shown!r}; line {min(line.number for line in at)} has it as a bound"
    before = laid.claim.text[max(0, value.start - 30) : value.start]
    strict = None if bound else _STRICT.search(before)
    if strict and (strict["is"] or not any(_LIMITS.search(line.text[:600]) for line in at)):
        yield f"looked for something {strict['more']} {value.shown} in the cited lines and did not find it"
    units = {unit for line in at for unit in _units_in(line.text[:600]) if unit.kind == value.kind}
    factors = {unit.amounts[0] for unit in units} or {1.0, 0.001}
    reached = (
        abs(number * factor - amount) <= 1e-9 * amount
        for line in at
        for number in numbers_in_code(line.text[:600])
        for factor in factors
        for amount in value.amounts
    )
    if value.kind == "time" and (units or not laid.reading.prose) and not any(reached):
        yield f"looked for {value.shown!r}; line {min(line.number for line in at)} has the number in another unit"


def _units_in(line: str) -> list[Value]:
    """Give one of each unit that a line names, in a word, in a name, or behind a number."""
    words = [piece.lower() for piece in LETTERS.findall(line) if len(piece) > 1 and piece.lower() != "min"]
    return [with_unit(1.0, word, word) for word in (*words, *map(str.strip, _BEHIND_NUMBER.findall(line)))]


def _opposites(laid: Laid, lines: Sequence[Line]) -> Iterator[str]:
    """Say which line has a word for the opposite of one of the claim's, and not that one."""
    own = {lemma for term, _ in laid.pairs for lemma in term.lemmas}
    numbers = {line: at for at, line in enumerate(laid.reading.lines)}
    for term, found in laid.pairs:
        if term.kind != "word" or not term.lemmas:
            continue
        word = term.lemmas[0]
        here = set(found.at) if found is not None and found.how in WORDED else set()
        for line in lines:
            if numbers[line] in here:
                continue
            other = opposite_in(word, laid.index.words[numbers[line]] - own)
            if not other and word in _IN_SIGNS:
                other = next((each for each in sorted(opposed(word)) if spoken_by(each, line.code[:600])), "")
            if other and not (other == "raise" and not laid.reading.prose):
                yield f"looked for {term.text!r}; line {line.number} says {other!r}, which is the opposite"


def _old_values(laid: Laid, sentences: Sequence[Beside]) -> Iterator[str]:
    """Say which value of the claim is the one that the lines say something was changed from."""
    claimed = _CHANGED.search(laid.claim.text)
    for sentence in (each.sentence for each in sentences):
        for change in _CHANGED.finditer(sentence.text):
            if claimed and change["new"].lower() == claimed["old"].split(maxsplit=1)[0].lower():
                yield f"line {sentence.lines[0].number} has the change the other way round"
            for term, _ in laid.pairs:
                if _BEFORE.search(laid.claim.text):
                    break
                if term.kind == "value" and _said(term, change["old"]) and not _said(term, change["new"]):
                    yield f"line {sentence.lines[0].number} says that {term.text} is what was there before"


def _other_rates(laid: Laid, sentences: Sequence[Beside]) -> Iterator[str]:
    """Say which unit of time the sentence with the most of the claim has not, where it has another one."""
    if not sentences:
        return
    best = max(sentences, key=lambda each: each.share).sentence
    there = {lemma for word in signed_words(best.text) for lemma in word.lemmas} & TIME_UNITS
    for term, _ in laid.pairs:
        if term.kind == "word" and not TIME_UNITS.isdisjoint(term.lemmas) and there.isdisjoint(term.lemmas) and there:
            yield f"the claim says {term.text!r}, line {best.lines[0].number} says {min(there)!r}"


def _compared_otherwise(laid: Laid, sentence: Sentence) -> bool:
    """Whether a value of the claim is an upper bound in one of the two and a lower one in the other."""
    for mine in laid.claim.values:
        for theirs in values_in_prose(sentence.text):
            sides = [_side(text, value) for text, value in ((laid.claim.text, mine), (sentence.text, theirs))]
            if mine.agrees(theirs) and 0 not in sides and sides[0] != sides[1]:
                return True
    return False


def _side(text: str, value: Value) -> int:
    before = text[max(0, value.start - 30) : value.start]
    return 1 if _MORE.search(before) else -1 if _LESS.search(before) else 0


def _said(term: Term, text: str) -> bool:
    value = term.value
    return value is not None and any(
        f"{amount:g}" == text.split(maxsplit=1)[0] for amount in (value.raw, *value.amounts)
    )
