"""Roles the other way about: who calls whom, which of two wins, which comes first, what is made from what."""

import re
from functools import lru_cache

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.conflict import Conflict
from cite_lsp.judges.embedded.conflicts.preferences import preferences
from cite_lsp.judges.embedded.lines.code_reading import Told, arguments, code_words, said_words, sided
from cite_lsp.judges.embedded.lines.facts import Line
from cite_lsp.judges.embedded.lines.reading import Reading, flat
from cite_lsp.judges.embedded.lines.sentences import Sentence, sentences_of
from cite_lsp.snapshot.code_facts import CodeFact

_MOST_SENTENCES = 60
_MOST_FACTS = 400
_MOST_OF_SENTENCE = 120
_WINS = re.compile(
    r"\b(?:overrid(?:es?|ing)|overrul(?:es?|ing)|replac(?:es?|ing)"
    r"|(?:takes?|ha(?:s|ve)|gets?) (?:precedence|priority) over"
    r"|wins? (?:out )?(?:over|against)|beats|trumps|outranks|supersedes|falls? back (?:to|on)"
    r"|(?:is|are|was|were) (?:preferred (?:over|to)|(?:chosen|picked|selected) over|used (?:instead|in place) of"
    r"|(?:tried|consulted|checked|looked up|looked at|asked) before)|takes? the place of)\b",
    re.IGNORECASE,
)
_LOSES = re.compile(
    r"\b(?:(?:is|are|gets?) (?:overridden|overruled|superseded|trumped|outranked|shadowed) by|yields? to"
    r"|(?:is|are) (?:the|a) fallback for|(?:is|are|was|were) ignored (?:if|when|where|whenever|once)"
    r"|(?:is|are) (?:only used|used only|consulted only|only consulted|read only) (?:if|when|where)"
    r"|applies only (?:if|when|where|without)|(?:is|are) (?:used|taken|read|tried|consulted|applied|returned)"
    r" (?:only )?(?:if|when|where|unless))\b",
    re.IGNORECASE,
)
_PREFERS = re.compile(r"\bprefers?\s(?P<winner>[^,;]{2,60}?)\s(?:over|to)\s(?P<loser>[^,;.]{2,60})", re.IGNORECASE)
_WINS_OUT = re.compile(
    r"\b(?:wins|(?:takes?|has|have|gets?) (?:precedence|priority)|(?:is|are) (?:tried|consulted|checked"
    r"|looked at|asked) first)"
    r"(?=\s*(?:[,;.]|$|\band\b|\bif\b|\bwhen\b|\bwhere\b))",
    re.IGNORECASE,
)
_MOVED = re.compile(
    r"\b(?:cop(?:y|ies)|moves?|writes?|assigns?|transfers?"
    r"|renames?)\s(?P<source>[^,;]{2,70}?)\s(?:in)?to\s(?P<target>[^,;.]{2,70})"
    r"|(?P<source2>[^,;]{2,70}?)\s(?:is|are) (?:copied|moved|written|assigned|transferred"
    r"|renamed)\s(?:in)?to\s(?P<target2>[^,;.]{2,70})",
    re.IGNORECASE,
)
_CONVERTED = re.compile(
    r"(?:\bfrom\s)?\b(?P<source>(?:nano|micro|milli)?seconds?|minutes?|hours?|days?|bytes?|kilobytes?"
    r"|megabytes?)\s(?:are |is )?"
    r"(?:converted |turned |changed |divided )?(?:in)?to\s(?P<target>(?:nano|micro|milli)?seconds?|minutes?"
    r"|hours?|days?|bytes?|kilobytes?|megabytes?)\b",
    re.IGNORECASE,
)
_UNITS = {
    "nanosecond": 1e-9, "microsecond": 1e-6, "millisecond": 1e-3, "second": 1.0, "minute": 60.0, "hour": 3600.0,
    "day": 86400.0, "byte": 1.0, "kilobyte": 1024.0, "megabyte": 1024.0**2,
}  # fmt: skip
_SCALED = re.compile(r"(?P<sign>[*/]{1,2}|>>|<<)=?\s{0,3}(?P<factor>[0-9][0-9_]{0,12}(?:\.0*)?|1e[0-9])(?![\w.])")
_INSTEAD = re.compile(r"\b(?:instead of|rather than|in preference to)\b", re.IGNORECASE)
_FORK = re.compile(
    r"\b(?:fork of|forked (?:from|off)|depends? on|inherits? from|derives? from|is (?:a )?(?:subclass|child|port|alias)"
    r" (?:of|for)|extends|wraps|delegates to|deprecated in favou?r of|renamed to|replaced (?:by|with))\b",
    re.IGNORECASE,
)
_CUT_LEFT = re.compile(r"[,;:.]\s|\s(?:[-–—]|--)\s|\b(?:where|when|that|and then|so)\s")
_CUT_RIGHT = re.compile(
    r"[,;:]\s|\.(?:\s|$)|\s[-–—]\s|\s(?:when|if|where|because|unless|whenever|since|while|so|but|on every|for)\s"
)
_PRONOUN = re.compile(r"\s*(?:it|they|this|these)\b", re.IGNORECASE)
_HEAD = re.compile(r"(.{2,60}?)\s(?:is|are|was|were|has|have)\s")
_CALLS = re.compile(r"\b(?:calls|invokes|delegates to|forwards to)\b", re.IGNORECASE)
_CALLED = re.compile(r"\b(?:is|are|gets?) (?:called|invoked|run) (?:by|from)\b", re.IGNORECASE)
_FIRST_SECOND = re.compile(
    r"(?P<one>[^,;]{2,90}?)\s(?:as (?:its|the|their|a) )?first\b(?: (?:argument|parameter|element|item|value))?,?\s"
    r"(?:and|then)\s(?P<two>[^,;]{2,90}?)\s(?:as (?:its|the|their|a) )?second\b",
    re.IGNORECASE,
)
_GETS = re.compile(
    r"\b(?:gets?|receives?|takes?|yields?|returns?|gives?|holds?|passes|passed|handed|with|calls?|expects?)\s",
    re.IGNORECASE,
)
_MADE_FROM = re.compile(
    r"\b(?:is|are) (?:computed|derived|built|calculated|made|formed|assembled|generated|constructed|hashed|joined)"
    r" (?:from|out of|of)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(r"\s(?:(?P<before>before|and then|, then)|(?P<after>after|only after|once))\s", re.IGNORECASE)
_CAUSE = re.compile(
    r"^\s*(?:as soon as|when(?:ever)?|once|if)\s(?P<cause>[^,;]{3,90}),\s(?P<effect>[^;]{3,120})"
    r"|^(?P<effect2>[^,;]{3,120}?)\s(?:as soon as|when(?:ever)?|once)\s(?P<cause2>[^,;]{3,90})",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|neither|nor|no longer|cannot)\b|n['’]t\b", re.IGNORECASE)
_MISSING = re.compile(
    r"\b(?:not|missing|absent|unset|empty|none|null|undefined|without|fails?|unavailable|unknown)\b|n['’]t\b|^no ",
    re.IGNORECASE,
)
_SELF = re.compile(r"\b(?:self|this)\b")
_LISTENS = frozenset({"on", "once", "addEventListener", "addListener"})


def role_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """Roles that the cited lines give the other way about."""
    told = role_told(clause, reading)
    if told is None or told.holds:
        return None
    return conflict_of(told, clause, reading)


def conflict_of(told: Told, clause: Clause, reading: Reading) -> Conflict:
    """Give what the lines tell against a claim as a conflict."""
    return Conflict(f"the claim says {told.claimed}, {told.found}", lines_at(told, reading), clause)


def lines_at(told: Told, reading: Reading) -> list[Line]:
    """Give the cited lines of what was told."""
    return [line for line in reading.lines if line.number in told.at]


def role_told(clause: Clause, reading: Reading) -> Told | None:
    """Give what the lines say of the roles in a claim; None where they say nothing, or both."""
    text = clause.text
    for told in (
        _precedence,
        _called,
        _in_order_of_arguments,
        _made,
        _ordered,
        _listening,
        _moved,
        _converted,
        _related,
    ):
        found = told(text, reading)
        if found is not None:
            return found
    return None


def _around(text: str, match: re.Match[str]) -> tuple[str, str]:
    """Give what stands on the left and the right of a word, as far as the sentence speaks of it."""
    left, right = text[: match.start()], text[match.end() :]
    cuts = list(_CUT_LEFT.finditer(left))
    cut = _CUT_RIGHT.search(right, 1)
    return left[cuts[-1].end() if cuts else 0 :].strip(), right[: cut.start() if cut else len(right)].strip()


@lru_cache(maxsize=256)
def winner_of(text: str) -> tuple[str, str, str] | None:
    """Give what a sentence says wins, over what, and the words that say so."""
    for pattern, turned in ((_WINS, False), (_LOSES, True)):
        match = pattern.search(text)
        if match is not None:
            left, right = _around(text, match)
            only, ignored = turned and re.search(r"\b(?:if|when|where|unless)$", match[0]), "ignored" in match[0]
            lacking = bool(_MISSING.search(right)) != match[0].endswith("unless")
            if _NOT.search(left) or (only and lacking == ignored) or (ignored and not only and lacking):
                return None
            return (right, left, match[0]) if turned else (left, right, match[0])
    match = _PREFERS.search(text)
    return None if match is None or _NOT.search(text) else (match["winner"], match["loser"], "wins over")


def _precedence(text: str, reading: Reading) -> Told | None:
    said = winner_of(text)
    alone = None if said is not None or _NOT.search(text) else _WINS_OUT.search(text)
    if said is None and alone is None:
        return None
    winner, loser = said[:2] if said else (_around(text, alone)[0] if alone else "", "")
    claimed = f"{clipped(winner)!r} wins" + (f" over {clipped(loser)!r}" if loser else "")
    sides: dict[int, Told] = {}
    pairs = list(preferences(reading))
    own = _owner_words(reading) if pairs else frozenset()
    for first, second, shown, at in pairs:
        firsts, seconds = (code_words(each) | (own if _SELF.search(each) else frozenset()) for each in (first, second))
        either = not loser or firsts < seconds or seconds < firsts  # then only one of both can be told by its own word
        side = sided(winner, loser, firsts, seconds, either=either)
        if side:
            sides.setdefault(side, Told(side > 0, claimed, shown, at))
    return next(iter(sides.values())) if len(sides) == 1 else None


def _owner_words(reading: Reading) -> frozenset[str]:
    """Give the words of the only type whose methods are cited: what `self` is."""
    owners = {fact.owner.split(".")[0] for fact in reading.stated[:_MOST_FACTS] if "." in fact.owner}
    return code_words(owners.pop()) if len(owners) == 1 else frozenset()


def _called(text: str, reading: Reading) -> Told | None:
    """Who calls whom."""
    active, passive = _CALLS.search(text), _CALLED.search(text)
    match = passive or active
    if match is None or _NOT.search(text):
        return None
    left, right = _around(text, match)
    caller, callee = (right, left) if passive else (left, right)
    one, two = Clause(caller).names, Clause(callee).names
    if len(one) != 1 or len(two) != 1 or flat(one[0].text) == flat(two[0].text):
        return None
    names = _last(one[0].text), _last(two[0].text)
    for first, second, holds in ((*names, True), (*names[::-1], False)):
        for fact in reading.stated:
            if fact.kind == "call" and _last(fact.name) == second and _last(fact.owner) == first:
                shown = f"line {fact.first} says {fact.owner} calls {fact.name}"
                return Told(holds, f"{one[0].text} calls {two[0].text}", shown, (fact.first,))
    return None


def _last(name: str) -> str:
    return re.split(r"\.|::|->|#", name.removesuffix("()"))[-1]


def _in_order_of_arguments(text: str, reading: Reading) -> Told | None:
    """What comes first and what second in a call or in what is given back."""
    match = _FIRST_SECOND.search(text) if "second" in text.lower() else None
    if match is None:
        return None
    gets = list(_GETS.finditer(match["one"]))
    one, two = match["one"][gets[-1].end() if gets else 0 :], match["two"]
    sides: dict[int, Told] = {}
    for fact in reading.stated[:_MOST_FACTS]:
        if fact.kind not in ("call", "return"):
            continue
        given = [
            each for each in arguments(fact.value.strip("()[] ")) if not re.fullmatch(r"[\"'`][^\"'`]*[\"'`]", each)
        ]
        if len(given) != 2 or any("=>" in each or each.startswith(("function", "lambda", "{")) for each in given):
            continue
        side = sided(one, two, code_words(given[0]), code_words(given[1]), either=True)
        if side:
            shown = f"line {fact.first} has {clipped(given[0])} first and {clipped(given[1])} second"
            sides.setdefault(
                side, Told(side > 0, f"{clipped(one)!r} first and {clipped(two)!r} second", shown, (fact.first,))
            )
    return next(iter(sides.values())) if len(sides) == 1 else None


def _made(text: str, reading: Reading) -> Told | None:
    """What a value is made from, through one more name at most."""
    match = _MADE_FROM.search(text)
    if match is None or _NOT.search(text):
        return None
    left, right = _around(text, match)
    tokens = set(re.findall(r"[\w$]+", left))
    wanted = said_words(right) - said_words(left)
    values = [fact for fact in reading.stated[:_MOST_FACTS] if fact.kind == "value" and fact.value]
    own = [fact for fact in values if _last(fact.name) in tokens]
    if len(own) != 1 or not wanted:
        return None
    claimed = f"{own[0].name} is made from {right!r}"
    made, at = _through(own[0], values)
    shown = f"line {own[0].first} says {own[0].name} = {clipped(own[0].value)}"
    if wanted <= made:
        return Told(True, claimed, shown, at)
    for other in values:
        others, places = _through(other, values)
        if other.name != own[0].name and len(wanted) > 1 and wanted <= others and not wanted & made:
            shown = f"{shown}, and {other.name} on line {other.first} is made from these"
            return Told(False, claimed, shown, tuple(sorted({*at, *places})))
    return None


def _through(fact: CodeFact, values: list[CodeFact]) -> tuple[frozenset[str], tuple[int, ...]]:
    words, at = code_words(fact.value), {fact.first}
    for other in values:
        if other is not fact and re.search(rf"(?<![\w.]){re.escape(other.name)}(?![\w(])", fact.value):
            words |= code_words(other.value)
            at.add(other.first)
    return words, tuple(sorted(at))


def _ordered(text: str, reading: Reading) -> Told | None:
    """Which of two calls comes first."""
    match = _ORDER.search(text)
    if match is None or _NOT.search(text):
        return None
    left, right = _around(text, match)
    calls = [fact for fact in reading.stated[:_MOST_FACTS] if fact.kind == "call"]
    one, two = _calls_named(left, calls), _calls_named(right, calls)
    if not one or not two or {fact.first for fact in one} & {fact.first for fact in two}:
        return None
    if len({fact.owner for fact in (*one, *two)}) != 1:
        return None
    ahead = max(fact.first for fact in one) < min(fact.first for fact in two)
    behind = min(fact.first for fact in one) > max(fact.first for fact in two)
    if not ahead and not behind:
        return None
    holds = ahead == bool(match["before"])
    word = "before" if match["before"] else "after"
    shown = f"line {one[0].first} calls {one[0].name}, line {two[0].first} calls {two[0].name}"
    return Told(holds, f"{clipped(left)!r} {word} {clipped(right)!r}", shown, (one[0].first, two[0].first))


def _calls_named(phrase: str, calls: list[CodeFact]) -> list[CodeFact]:
    words = said_words(phrase)
    found = [fact for fact in calls if (own := said_words(_last(fact.name))) and own <= words]
    longest = max((len(said_words(_last(fact.name))) for fact in found), default=0)
    return [fact for fact in found if len(said_words(_last(fact.name))) == longest]


def _listening(text: str, reading: Reading) -> Told | None:
    """Whose event does something to whom."""
    match = _CAUSE.match(text)
    if match is None or _NOT.search(text):
        return None
    cause, effect = match["cause"] or match["cause2"], match["effect"] or match["effect2"]
    sides: dict[int, Told] = {}
    for fact in reading.stated[:_MOST_FACTS]:
        owner, _, name = fact.name.rpartition(".")
        given = arguments(fact.value)
        if fact.kind != "call" or name not in _LISTENS or len(given) != 2 or not re.fullmatch(r"[\w.$]+", given[1]):
            continue
        if not said_words(given[0]) & said_words(f"{cause} {effect}"):
            continue
        side = sided(cause, effect, code_words(owner), code_words(given[1]) - said_words(given[0]), either=True)
        if side:
            shown = f"line {fact.first} calls {given[1]} when {owner} has {given[0]}"
            sides.setdefault(side, Told(side > 0, f"{cause!r} is the cause", shown, (fact.first,)))
    return next(iter(sides.values())) if len(sides) == 1 else None


def _moved(text: str, reading: Reading) -> Told | None:
    """From where to where something goes."""
    match = _MOVED.search(text) if "to " in text.lower() else None
    if match is None or _NOT.search(text):
        return None
    source, target = match["source"] or match["source2"], match["target"] or match["target2"]
    sides: dict[int, Told] = {}
    for fact in reading.stated[:_MOST_FACTS]:
        given = arguments(fact.value) if fact.kind == "call" else []
        copies = re.search(r"(?:copy\w*|move|rename|replace)$", fact.name) and len(given) == 2
        if fact.kind != "value" and not copies:
            continue
        ends = (given[0], given[1]) if copies else (fact.value, fact.name)
        side = sided(source, target, code_words(ends[0]), code_words(ends[1]))
        if side:
            shown = f"line {fact.first} goes from {clipped(ends[0])} to {clipped(ends[1])}"
            sides.setdefault(side, Told(side > 0, f"from {source!r} to {target!r}", shown, (fact.first,)))
    return next(iter(sides.values())) if len(sides) == 1 else None


def _converted(text: str, reading: Reading) -> Told | None:
    """From which unit into which."""
    match = _CONVERTED.search(text)
    if match is None or _NOT.search(text):
        return None
    source, target = (_UNITS[match[each].lower().rstrip("s")] for each in ("source", "target"))
    if source == target:
        return None
    factor = max(source, target) / min(source, target)
    wanted = "/" if source < target else "*"
    found: dict[str, tuple[Line, str]] = {}
    for line in reading.code_lines:
        for each in _SCALED.finditer(line.code[:300]):
            amount = float(each["factor"].replace("_", ""))
            if round(amount) == round(factor) or (factor in (1024.0, 1024.0**2) and amount in (1000.0, 1e6)):
                found.setdefault(each["sign"][0], (line, each[0]))
    if len(found) != 1 or next(iter(found)) not in "*/":
        return None
    sign, (line, shown) = next(iter(found.items()))
    claimed = f"from {match['source'].lower()} to {match['target'].lower()}"
    return Told(sign == wanted, claimed, f"line {line.number} has {shown!r}", (line.number,))


def _related(text: str, reading: Reading) -> Told | None:
    """What comments and texts say of two, in the same relation, the other way about."""
    kinds = [kind for kind in (_preferred, _FORK) if _pair(text, kind) is not None]
    if not kinds:
        return None
    for kind in kinds:
        claimed = _pair(text, kind)
        before: Sentence | None = None
        for sentence in sentences_of(reading.lines, prose=reading.prose)[:_MOST_SENTENCES]:
            said = _pair(_told_of(sentence, before), kind)
            before = sentence
            if said is None or claimed is None:
                continue
            firsts, seconds = said_words(said[0]), said_words(said[1])
            side = sided(claimed[0], claimed[1], firsts, seconds, either=firsts < seconds or seconds < firsts)
            if side:
                number = sentence.lines[0].number
                at = tuple(line.number for line in sentence.lines)
                shown = f"line {number} says {clipped(sentence.text, _MOST_OF_SENTENCE)!r}"
                return Told(side > 0, f"{clipped(claimed[0])!r} {claimed[2]} {clipped(claimed[1])!r}", shown, at)
    return None


def _told_of(sentence: Sentence, before: Sentence | None) -> str:
    """Give a sentence, with what it calls "it" for that word."""
    pronoun = _PRONOUN.match(sentence.text)
    head = _HEAD.match(before.text) if before is not None and pronoun is not None else None
    return sentence.text if pronoun is None or head is None else head[1] + sentence.text[pronoun.end() :]


def _preferred(text: str) -> tuple[str, str, str] | None:
    said = winner_of(text)
    if said is not None:
        return said[0], said[1], "wins over"
    match = _INSTEAD.search(text)
    return None if match is None else (*_around(text, match), "wins over")


def _pair(text: str, kind: "re.Pattern[str] | object") -> tuple[str, str, str] | None:
    if not isinstance(kind, re.Pattern):
        return _preferred(text)
    match = kind.search(text)
    if match is None:
        return None
    left, right = _around(text, match)
    return None if _NOT.search(f"{left} {right}") else (left, right, match[0])
