"""What a claim says: its clauses, names, values, words and polarity."""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from cite_lsp.judges.embedded.values import Value, values_in_prose
from cite_lsp.judges.embedded.words import GLUE, name_words, plain_words, stem

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
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{1,120})[\"”]|'([^'\n]{1,60})'(?!\w)")
_CLAUSE = re.compile(
    r"\s*;\s+|,\s+(?:and|but|while|whereas|yet|so|which)\s+|\s+(?:and then|but)\s+|\s+and\s+(?=[a-z]+s\s)"
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|nor|neither|none|nothing|nobody|without|cannot|unless|except|instead|rather|only|fails?"
    r"|lacks?"
    r"|unable|refuses?|rejects?|ignores?|ignored|skips?|skipped|bypass\w*|omits?|drops?|dropped|removes?|removed"
    r"|longer"
    r"|stops?|prevents?|disallow\w*|forbid\w*|outside)\b|n['’]t\b",
    re.IGNORECASE,
)
_QUANTIFIER = re.compile(
    r"\b(?:always|every|everything|all|any|each|entire|whole|both|only|exactly|first|last|before|after"
    r"|until|instead|because|so that|therefore|in order to|whenever|immediately|automatically)\b",
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
    r"|nearly|approximately|some|several|version|release|lines?|chapter|section|step)\b|n['’]t\b",
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
    r"|och)\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(
    r"\b(?:the|an?|is|are|be|of|to|in|by|for|with|and|or|not|that|it|its|has|have|when|if|as|at|on|from|only|no"
    r"|than|defaults?|raises?"
    r"|returns?|sets?|uses?|calls?|gives?|gets?|takes?|holds?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name as the claim spells it, and its words."""

    text: str
    words: tuple[str, ...]


class Clause:
    """A part of a claim that says one thing."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """What is shaped like a name of code, or stands in back-ticks."""
        found: dict[str, Name] = {}
        for match in _NAME.finditer(self._without_values):
            text = match["ticked"] or match["name"]
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
        spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_.\-/]", " ", _DEFAULT.sub(" ", self._without_values))
        return tuple(dict.fromkeys(word for word in plain_words(spaced) if word not in GLUE and len(word) > 1))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words, of names' parts, and of neighbours written as one."""
        spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_.\-/]", " ", self.text)
        plain = plain_words(spaced)
        pairs = {stem(first + second) for first, second in pairwise(plain)}
        return frozenset({*map(stem, plain), *pairs})

    @cached_property
    def negated(self) -> bool:
        """Whether a word turns or narrows what is said."""
        return bool(_NEGATION.search(_DEFAULT.sub(" ", self.text)))

    @cached_property
    def quantified(self) -> tuple[str, ...]:
        """Words of order, quantity and cause: lines that hold the other words may still say otherwise."""
        return tuple(dict.fromkeys(word.lower() for word in _QUANTIFIER.findall(self.text)))

    @cached_property
    def default(self) -> bool:
        """Whether it says what holds by default."""
        return bool(_DEFAULT.search(self.text))

    @cached_property
    def unsaid(self) -> bool:
        """Whether a value may be meant that is not the one a line gives: conditions, the past, differences."""
        return bool(_UNSAID.search(_DEFAULT.sub(" ", self.text)))


class Claim(Clause):
    """A claim, whole and in clauses."""

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The parts; of a claim that says one thing, itself."""
        parts = [part.strip() for part in _CLAUSE.split(self.text) if part and part.strip()]
        return tuple(map(Clause, parts)) if len(parts) > 1 else (self,)

    @cached_property
    def refused(self) -> str:
        """Why nothing is said about such a claim, or ""."""
        if not self.text.strip():
            return "the claim is empty"
        if len(self.text) > MAX_CLAIM:
            return "the claim is too long"
        foreign = sum(1 for character in self.text if ord(character) > 0x24F and character.isalpha())
        if (
            foreign > len(self.text) // 10
            or (not self.names and not _ENGLISH.search(self.text))
            or len(_FOREIGN.findall(self.text)) > 1
        ):
            return "the claim is not in English"
        behaviour = _BEHAVIOUR.search(self.text)
        if behaviour:
            return f"no line states a behaviour such as {behaviour[0].lower()!r}"
        return ""
