"""What a claim says: its clauses, names, values, words and polarity."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal, get_args

from cite_lsp.judges.embedded.claim.values import Value, values_in_prose
from cite_lsp.judges.embedded.claim.words import GLUE, name_words, plain_words, stem

MAX_CLAIM = 1_500
_NAME = re.compile(
    r"`(?P<ticked>[^`\n]{1,120})`"
    r"|(?<![\w/.-])(?P<name>--?[a-z][\w-]{1,60}|[A-Za-z_$][\w$]{0,60}(?:(?:\.|::|->|-)[A-Za-z_$][\w$]{0,60}){0,6}"
    r"(?:\(\))?)"
)
_SHAPED = re.compile(
    r"[_$]|[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|\w(?:\.|::|->)\w|\(\)$|^--?[a-z]|^[A-Z][A-Z0-9]*_[A-Z0-9_]+$|^X-[A-Z]"
)
_ABBREVIATED = frozenset({"e.g", "i.e", "etc", "node.js", "vs"})
_JOINTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_.\-/]")
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{1,120})[\"”]|'([^'\n]{1,60})'(?!\w)")
_CLAUSE = re.compile(
    r"\s*;\s+|,\s+(?:and|but|while|whereas|yet|so|which)\s+|\s+(?:and then|but)\s+"
    r"|\s+and\s+(?=[a-z]+s\s|`[\w.-]{1,60}`\s(?:is|are|defaults)\s)"
)
Role = Literal["claim", "cause", "purpose", "scope", "quantity"]
_COUNT = (
    r"(?:[0-9][0-9.,_]{0,20}|an?|half|one|two|three|four|five|six|seven|eight|nine|ten|twelve|sixteen|twenty|thirty"
    r"|sixty|hundred)"
)
_PAST = (
    "lost|made|took|gave|got|kept|went|came|became|began|brought|chose|found|held|led|paid|said|saw|sent|spent|stood"
    "|threw|told|won|wrote|broke|drew|drove|fell|grew|knew|rose|spoke|woke|hid"
)
_PART = re.compile(
    # why: what follows is the cause
    r"(?P<cause>,\s{1,3}since(?!\s(?:v?[0-9]|then|the (?:first|last) |version|release|python|node)\b)\s"
    r"|,?\s{1,3}(?:because"
    r"|the reason being(?: that)?|for the reason that|owing to|due to|thanks to|on the grounds? that|given that"
    r"|seeing that|inasmuch as)\s"
    r"|,?\s{1,3}(?=after\s(?:(?:some|many|several|repeated|user)\s)?(?:complaints?|reports?|requests?|feedback|discussions?"
    r"|trouble|problems|it (?:turned|came) out|(?:people|users|somebody|someone)\s(?:complained|reported|asked))\b)"
    r"|,\s{1,3}as\s(?!(?:well|in|an?|if|long|soon|with|is|are|do|does|did|was|were|against)\b))"
    # what for
    r"|(?P<purpose>,?\s{1,3}(?:so that|in order (?:to|that)|so as (?:not )?to|lest"
    r"|as a (?:guard|safeguard|precaution|protection) against)\s"
    r"|,?\s{1,3}(?:and\s)?(?=(?:which|that|this) (?:keeps|prevents|avoids|ensures|guarantees|makes|saves|protects"
    r"|spares|shuts)\b)"
    r"|,?\s{1,3}(?=to (?:avoid|prevent|keep|make sure|ensure|allow|protect|guard|reduce|save|spare|suit|cope|preserve"
    r"|guarantee|minimi[sz]e|work around)\b))"
    # how far it reaches
    r"|(?P<scope>,?\s{1,3}(?=(?:no matter|regardless of|irrespective of|however (?:many|much|large|long|often)"
    r"|whatever (?:the|its|their)|under any|at all times|in all cases"
    r"|(?:on|in|for|across|under|by|of) (?:every|each|any|all)(?! (?:time|other)))\b"
    r"|(?:nor|and|or|and so do|and so does) (?:any|no|every|all)(?: of the)? other\b)"
    r"|,\s{1,3}(?=(?!and\b|but\b|or\b)[\w -]{2,40}\s(?:included|among them)\b))"
    # another statement
    r"|(?P<claim>\s?[;:]\s{1,3}(?=[a-z])|,\s{1,3}(?:and|but|or|while|whereas|yet|so|which|whose|who|where|with"
    r"|after which|by which|nor|though|although|thereby|then)\s(?:then\s)?|,\s{1,3}(?=[a-z]{1,30}ing\b)"
    r"|\s{1,3}(?:and then|but|whereas)\s"
    r"|\s{1,3}and\s(?=(?:(?:also|never|not|only|then)\s)?[a-z]{1,30}(?:s|ed)\s"
    rf"|(?:{_PAST})\s|(?:is|are|was|will|can|may|must|has|so|no|it|that)\s|the\s\w{1, 40}\s(?:is|are)\b))"
    # how much, at the end
    r"|(?P<quantity>,?\s{1,3}(?=(?:within|at most|up to|no more than|at least|meaning)\s"
    rf"(?:(?:about|around|roughly|under|over|anything|half)\s)?{_COUNT}\b[^,;]{{0,40}}$))",
    re.IGNORECASE,
)
"""Where a sentence goes on to say something else, by what it then says."""
_CONDITION = re.compile(
    r"(?:if|when|whenever|unless|once|while|until|as long as|provided|although|though)\b[^,]*\Z", re.IGNORECASE
)
_FEWEST_WORDS = 3
_ROLES: Mapping[str, Role] = {role: role for role in get_args(Role)}
_NEGATION = re.compile(
    r"\b(?:not|no|never|nor|neither|none|nothing|nobody|without|cannot|unless|except|instead|rather|only|fails?"
    r"|lacks?"
    r"|unable|refuses?|rejects?|ignores?|ignored|skips?|skipped|bypass\w*|omits?|drops?|dropped|removes?|removed"
    r"|longer"
    r"|stops?|prevents?|disallow\w*|forbid\w*|outside)\b|n['’]t\b",
    re.IGNORECASE,
)
_BEHAVIOUR = re.compile(
    r"\b(?:thread-?safe|thread safety|lazy|lazily|fast|faster|slow|slower|cheap|cheaply|efficient\w*|secure"
    r"|securely|safe|safely"
    r"|atomic|atomically|idempotent|race|races|deadlocks?|performant|scal\w+|optimi[sz]ed|robust|constant-time"
    r"|harmless)\b",
    re.IGNORECASE,
)
_UNSAID = re.compile(
    r"\b(?:used to|no longer|formerly|previously|changed|was|were|would|could|can be|may be|might|should|if|when"
    r"|once|where|unless|except"
    r"|instead|rather|from|between|other than|not|never|without|plus|minus|times|twice|half|double|per|roughly"
    r"|about|around|almost"
    r"|nearly|approximately|some|several|version|release|lines?|chapter|section|step|means|disables|setting|passing"
    r"|passed|pass|specify|given|overrid\w*|example|such as|tests?)\b|n['’]t\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"\b(?:arguments?|parameters?|position|index|item|page|figure|table|issue|bug|rfc|python|node|rule|phase"
    r"|level|type|mode)"
    r"\s+#?[0-9]",
    re.IGNORECASE,
)
"""A number that is a name."""
_COMPARED = re.compile(
    r"\b(?:more than|less than|fewer than|greater than|longer than|shorter than|larger than|over|under|below"
    r"|above|beyond"
    r"|exceed\w*|within|past|older than|newer than)\b|[<>≤≥]",
    re.IGNORECASE,
)
_DEFAULT = re.compile(
    r",?\s*\b(?:by default|out of the box|unless (?:it is |they are |you |somebody |another |otherwise )?(?:told"
    r"|configured|set|stated|specified"
    r"|given|overridden|changed|named|asked|said)(?: otherwise| not to| so)?|when (?:none|nothing|no [a-z]{1,20}"
    r"|it|not) (?:is |was )?(?:named"
    r"|given|set|known|specified|passed|configured))\b",
    re.IGNORECASE,
)
"""By what a sentence says that it speaks of a default."""
_FOREIGN = re.compile(
    r"\b(?:der|das|und|ist|nicht|wird|ein|eine|el|los|las|una|por|para|est|les|des|une|dans|della|che|não|het|een"
    r"|och|la|le|du|pas|de|del|di|que|op|van)\b",
    re.IGNORECASE,
)
_ACCENTED = re.compile("[\u00c0-\u024f]")
_ENGLISH = re.compile(
    r"\b(?:the|an?|is|are|be|of|to|in|by|for|with|and|or|not|that|it|its|has|have|when|if|as|at|on|from|only|no"
    r"|than|defaults?|raises?"
    r"|returns?|sets?|uses?|calls?|gives?|gets?|takes?|holds?)\b",
    re.IGNORECASE,
)


_PATH = r"(?<![\w./\\@~+-])(?P<path>[\w./\\@~+-]{1,300})"
_NUMBERS = r"[0-9]{1,9}(?:(?:[-–:]|,\s?)L?[0-9]{1,9}){0,20}"
_TARGET = re.compile(r"\]\([^()\s]{1,300}\)|\]\[[^\[\]]{0,100}\]")
_CITATION = re.compile(rf"(?:\b(?i:in|at|per|see|as|from|by)\s{{1,3}})?`?{_PATH}(?::L?|#L){_NUMBERS}(?![\w])`?")
_LINES = re.compile(
    rf"(?:`?{_PATH}`?,?\s{{1,3}})?\(?\b[Ll]ines?\s{{1,3}}[0-9]{{1,9}}(?:\s?(?:-|–|to|and|,)"
    rf"\s?[0-9]{{1,9}}){{0,20}}\)?"
)
_CITED = re.compile(r"(?:\.\w{1,8}|[`(]|\s)(?::L?|#L)[0-9]|\b[Ll]ines? [0-9]")
_WORDS = re.compile(r"[A-Za-z]{2,}")
_ROW = re.compile(r"#: [^;]{1,40}; |[A-Z][\w /-]{0,40}(?:: [^;]{1,300})?; [A-Z][\w /-]{0,40}: ")
_HOST = re.compile(r"(?:[0-9.]+|localhost|.*\.(?:com|org|net|io|dev|local|internal))$", re.IGNORECASE)
_LIST_MARK = re.compile(r"\A\s{0,9}(?:[0-9]{1,4}[.)]\s|[-*+]\s)")
_TIMING_OUT = re.compile(r"\btim(?:e|es|ed|ing) out\b", re.IGNORECASE)
_ASSIGNED = re.compile(r"`([A-Za-z_$][\w.$]{0,80})\s?[:=]{1,2}\s?([\w.\"'-]{1,40})`")
"""A name with its value in one code span."""
_LEFT = re.compile(r"[(\[]\s*(?:see|cf\.?|at|in)?[\s,;`]*[)\]]|`\s{0,9}`", re.IGNORECASE)


def _without_citations(text: str) -> str:
    """Give a claim without the citations it is followed by, or speaks of."""
    text = _LIST_MARK.sub("", text)
    text = _TARGET.sub("] ", _TIMING_OUT.sub("has timeout", text))
    if ":" in text or "#" in text:
        text = _CITATION.sub(_left_of, text)
    if "ine" in text:
        text = _LINES.sub(" ", text)
    if "`" in text:
        text = _ASSIGNED.sub(r"`\1` is `\2`", text)
    return _LEFT.sub(" ", text)


def _left_of(match: re.Match[str]) -> str:
    path = match["path"]
    is_path = re.search(r"[/\\]|\.[A-Za-z]\w{0,11}$|^[A-Z][a-z]+file$", path)
    return " " if is_path and not _HOST.match(path) else match[0]


@dataclass(frozen=True, slots=True)
class Name:
    """A name as the claim spells it, and its words."""

    text: str
    words: tuple[str, ...]


class Clause:
    """A part of a claim that says one thing; `role` is what it is in its sentence."""

    def __init__(self, text: str, role: Role = "claim") -> None:
        self.text = text
        self.role = role

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """What is shaped like a name of code, or stands in back-ticks."""
        found: dict[str, Name] = {}
        for match in _NAME.finditer(self._without_values):
            text = match["ticked"] or match["name"]
            if text[0] == "-" and self.text[max(0, match.start() - 1)].isalnum():  # 31-bit
                continue
            if match["ticked"] is None and text.islower() and text.isalpha():
                continue
            if match["ticked"] is None and (not _SHAPED.search(text) or text.lower() in _ABBREVIATED):
                continue
            text = text.strip().removesuffix("()")
            if text and not text.replace(".", "").isdigit() and text.lower() not in ("true", "false", "none", "null"):
                found.setdefault(text, Name(text, name_words(text)))
        return tuple(found.values())

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The numbers, outside of back-ticked names."""
        return tuple(values_in_prose(self.text.replace("`", " ")))

    @cached_property
    def _without_values(self) -> str:
        text = list(self.text)
        for value in self.values:
            text[value.start : value.end] = " " * (value.end - value.start)
        return "".join(text)

    @cached_property
    def quoted(self) -> tuple[str, ...]:
        """The quoted texts."""
        return tuple(first or second for first, second in _QUOTED.findall(self.text))

    @cached_property
    def content(self) -> tuple[str, ...]:
        """The words that say something a line could show, as written in lower case; those of numbers are left out."""
        spaced = _JOINTS.sub(" ", _DEFAULT.sub(" ", self._without_values))
        return tuple(dict.fromkeys(word for word in plain_words(spaced) if word not in GLUE and len(word) > 1))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words, of names' parts, and of neighbours written as one."""
        spaced = _JOINTS.sub(" ", self.text)
        plain = plain_words(spaced)
        pairs = {stem(first + second) for first, second in pairwise(plain)}
        return frozenset({*map(stem, plain), *pairs})

    @cached_property
    def negated(self) -> bool:
        """Whether a word turns or narrows what is said."""
        return bool(_NEGATION.search(self.without_default))

    @cached_property
    def without_default(self) -> str:
        """The text without the words that only say that a default is meant."""
        return _DEFAULT.sub(" ", self.text)

    @cached_property
    def compared(self) -> bool:
        """Whether a value is one that something is more or less than."""
        return bool(_COMPARED.search(self._without_values))

    @cached_property
    def unsaid(self) -> bool:
        """Whether a value may be meant that is not the one a line gives: conditions, the past, differences."""
        return bool(_UNSAID.search(self.without_default) or _NUMBERED.search(self.text))


@dataclass(frozen=True, slots=True)
class _Piece:
    role: Role
    start: int
    end: int


def _pieces_of(text: str) -> Iterator[_Piece]:
    """Cut a sentence wherever it goes on to say something else."""
    role: Role = "claim"
    at = 0
    for match in _PART.finditer(text):
        if text[at : match.start()].strip():
            yield _Piece(role, at, match.start())
        role = _ROLES[match.lastgroup or "claim"]
        at = match.end()
    if text[at:].strip():
        yield _Piece(role, at, len(text))


def _goes_on(before: str, text: str, role: Role) -> bool:
    """Whether a piece only goes on with the one before: that is a condition, or one of both is too short."""
    return len(before.split()) < _FEWEST_WORDS or (
        role == "claim" and (len(text.split()) < _FEWEST_WORDS or _CONDITION.match(before) is not None)
    )


class Claim(Clause):
    """A claim, whole and in clauses, without the citations that stand in it: their numbers are no values.

    Attributes:
        written: The text as it was given.
        cited: How many places it names, as far as it shows them: what it says may be spread over those.
        goes_on: Whether it says more after the last of them, which may not be meant by any.
        too_long: Whether nothing is said about it for its length.
    """

    def __init__(self, text: str) -> None:
        self.written = text
        self.too_long = len(text) > MAX_CLAIM
        places = [match.end() for match in _CITED.finditer(text[:MAX_CLAIM])]
        self.cited = len(places)
        self.goes_on = bool(places) and len(_WORDS.findall(text[places[-1] : MAX_CLAIM])) >= _FEWEST_WORDS
        super().__init__(_without_citations(text[:MAX_CLAIM]))

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The parts; of a claim that says one thing, itself."""
        parts = [part.strip() for part in _CLAUSE.split(self.text) if part and part.strip()]
        return tuple(map(Clause, parts)) if len(parts) > 1 else (self,)

    @property
    def of_table(self) -> bool:
        """Whether it is a row of a table, as rows are told: "Knob: idle; Default: 30 s"."""
        return bool(_ROW.match(self.text))

    @cached_property
    def parts(self) -> tuple[Clause, ...]:
        """The statements, each cause, purpose, widening and closing quantity one of its own; in the claim's order.

        A condition stays with what it is the condition of, and what is too short to say something with what is before.
        """
        text = self.text.strip().removesuffix(".")
        cut: list[_Piece] = []
        for piece in _pieces_of(text):
            if cut and (
                cut[-1].role == piece.role == "scope"
                or _goes_on(text[cut[-1].start : cut[-1].end].strip(), text[piece.start : piece.end], piece.role)
            ):
                cut[-1] = _Piece(cut[-1].role, cut[-1].start, piece.end)
            else:
                cut.append(piece)
        return tuple(Clause(text[each.start : each.end].strip(), each.role) for each in cut)

    @property
    def _foreign(self) -> bool:
        other_script = sum(1 for character in self.text if ord(character) > 0x24F and character.isalpha())
        if other_script > len(self.text) // 10:
            return True
        english, foreign = len(_ENGLISH.findall(self.text)), len(_FOREIGN.findall(self.text))
        return foreign > 1 or (not english and (foreign > 0 or any(map(_ACCENTED.match, self.text))))

    @cached_property
    def refused(self) -> str:
        """Why nothing is said about such a claim, or ""."""
        if not self.text.strip():
            return "the claim is empty"
        if self.too_long:
            return "the claim is too long"
        if self._foreign:
            return "the claim is not in English"
        behaviour = _BEHAVIOUR.search(self.text)
        if behaviour:
            return f"no line states a behaviour such as {behaviour[0].lower()!r}"
        return ""


@lru_cache(maxsize=32)
def claim_of(text: str) -> Claim:
    """Give a claim; one sentence often cites several places, and is looked at for each."""
    return Claim(text)
