"""Whether two statements with the same words say the same: what each negates, and words for the opposite."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from cite_lsp.judges.embedded.claim.terms import pieces
from cite_lsp.judges.embedded.lexicon import glue, lemma, opposed

NEGATION = re.compile(
    r"\b(?:not|never|cannot|neither|nor|no(?! (?:longer|more|less|fewer|later|earlier) than\b)|none|nothing|nobody"
    r"|nowhere|without|hardly|fails? to|failed to|refuses? to|unable to|rather than|instead of"
    r"|un(?=available|supported|changed|touched|set|used|known))\b|n['’]t\b",
    re.IGNORECASE,
)
_SIGN = re.compile(r"!(?!=[\"'])|~=|<>")
_NEGATIVE = ("un", "in", "im", "ir", "non", "dis", "mis", "de")

_TOKEN = re.compile(
    r"`[^`\n]{1,120}`|[A-Za-z_$][\w$]*(?:[.'’-][A-Za-z_$][\w$]*)*|[0-9]+(?:\.[0-9]+)*|[,;:()!?—–]|\.(?=\s|$)|\"[^\"\s]{1,40}\""
)
_FORWARD = frozenset({"not", "never", "cannot", "hardly", "without", "avoid", "refuse", "unable", "fail"})
"""What turns the words behind it, up to the end of its part of the sentence."""
_AROUND = frozenset({"no", "none", "nothing", "nobody", "nowhere", "neither", "nor"})
"""What turns all of its part of the sentence: "writes no escape codes"."""
_STOPS = frozenset(
    """but because since so unless if when whenever while whereas although though until till which who and or then
    except even where as once after before otherwise therefore thus""".split()
)
_RELATES = frozenset("of by from to into over under above below on with for in at through via than".split())
_BOUNDS = frozenset({",", ";", ":", "(", ")", "!", "?", "—", "–", "."})
_NO_NEGATION = re.compile(
    r"\bnot only\b|\bno (?:later|earlier|more|less|fewer|longer|sooner) than\b|\bno(?:t)? matter\b"
    r"|\bwhether or not\b|\bnot just\b|\bif not\b|\bor not\b|\bno doubt\b|\bnot necessarily\b",
    re.IGNORECASE,
)
_HEDGES = re.compile(r"\bnot (?:necessarily|always|all|every|entirely|fully|exactly|yet|just|only)\b", re.IGNORECASE)
_ENDS_SUPPORT = frozenset({"drop", "remove", "discontinue", "end", "stop", "cease", "removal", "lack"})
"""What turns a "support" or "supporting" behind it."""
_NAMED = re.compile(r"[_$.]|[a-z][A-Z]|[A-Z]{2}")
_FOLLOWED_BY_TO = frozenset({"refuse", "unable", "fail"})


@dataclass(frozen=True, slots=True)
class Signed:
    """A word of a statement.

    Attributes:
        text: As written.
        lemmas: Its base form; of a name those of its words.
        turned: Whether a negation turns it.
        aim: Whether it is what a "not" turns first, as a rule a verb.
        part: Which part of the sentence it stands in, from 0.
        name: Whether it stands in back-ticks or is spelled like a name.
        link: The words of relation between the word before it and this one; "" where only articles stand between, None
            at the beginning of a part.
    """

    text: str
    lemmas: tuple[str, ...]
    turned: bool
    aim: bool
    part: int
    name: bool
    link: str | None = None


@lru_cache(maxsize=2048)
def signed_words(text: str) -> tuple[Signed, ...]:
    """Give the words of a statement that say something, each with whether a negation turns it."""
    tokens = _TOKEN.findall(_NO_NEGATION.sub(" ", text))
    found: list[Signed] = []
    part = 0
    forward = around = aimed = False
    began = 0
    link: str | None = None
    for at, token in enumerate(tokens):
        lower = token.lower().replace("’", "'")
        if token in _BOUNDS or lower in _STOPS:
            part += 1
            began = len(found)
            link = None
            if not (around and lower in ("and", "or", "nor")):
                forward = around = False
            continue
        if _negates(lower, tokens, at):
            behind = tokens[at + 1].lower() if at + 1 < len(tokens) else ""
            if lower in _AROUND and behind != "longer":
                around, aimed = True, True
                found[began:] = [_turn(word) for word in found[began:]]
            else:
                forward, aimed = not forward, lower in ("without", "instead", "rather", "avoid")
            continue
        if token[0] in '`"' or not (glue(lower) or (len(lower) < 2 and not lower.isdigit())):
            adverb = lower.endswith("ly") or lower in ("longer", "yet", "ever", "even", "any", "more")
            turned = forward or around
            found.append(
                Signed(
                    token.strip('`"'),
                    pieces(token),
                    turned,
                    turned and not aimed and not adverb,
                    part,
                    _is_name(token),
                    link,
                )
            )
            link = ""
            aimed = aimed or (turned and not adverb)
        elif link is not None and lower in _RELATES:
            link = f"{link} {lower}".strip()
    return tuple(found)


def _negates(lower: str, tokens: list[str], at: int) -> bool:
    if lower in _AROUND or lower.endswith("n't"):
        return True
    plain = lemma(lower)
    if plain in _FOLLOWED_BY_TO:
        return at + 1 < len(tokens) and tokens[at + 1].lower() == "to"
    if plain in _ENDS_SUPPORT:
        return any(token.lower().startswith("support") for token in tokens[at + 1 : at + 3])
    if lower in ("instead", "rather"):
        return at + 1 < len(tokens) and tokens[at + 1].lower() in ("of", "than")
    return lower in _FORWARD


def _turn(word: Signed) -> Signed:
    return replace(word, turned=not word.turned, aim=False)


def _is_name(token: str) -> bool:
    return token[0] == "`" or bool(_NAMED.search(token))


def hedged(text: str) -> bool:
    """Whether a negation only narrows: "not always"."""
    return bool(_HEDGES.search(text))


def negations(text: str) -> int:
    """Give how often a text negates."""
    return len(NEGATION.findall(text))


def turned(text: str) -> bool:
    """Whether lines of code or prose negate."""
    return bool(NEGATION.search(text) or _SIGN.search(text))


def opposite_in(word: str, known: frozenset[str]) -> str:
    """Give the word among base forms that says the opposite of a base form, or ""."""
    against = sorted(opposed(word) & known)
    if against:
        return against[0]
    made = (prefix + word for prefix in _NEGATIVE[:5])
    bare = (
        word.removeprefix(prefix) for prefix in _NEGATIVE if word.startswith(prefix) and len(word) > len(prefix) + 3
    )
    return next((other for other in (*made, *bare) if other in known), "")
