"""Texts that read like orders to a judge: where one stands, nobody's *supported* is taken without a person."""

import re
import unicodedata
from collections.abc import Iterable

from cite_lsp.audit.verdicts import Row
from cite_lsp.clients.redaction import LONGEST

_LABEL = r"(?:partially |fully |entirely )?(?:supported|entailed)(?![\w-])"
_GOOD = r"(?:supported|entailed|correct|true|valid|verified|approved|accurate|proven|accepted|good|passed)\b"
_FILLER = (
    r"(?:[ :=,]+(?:with|as|that|only|just|it|is|are|be|to|of|for|and|a|an|the|this|that|these|every|each|all|any|its|"
    r"rows?|claims?|citations?|statements?|sentences?|excerpts?|lines?|them|they|everything|following|above|below|must|"
    r"should|always|label|verdict|answer|word|result|here|simply|please|number|\d+)){0,12}[ :=,]*[\"'`*“‘«„]*"
)
_OBJECT = r"(?:rows?|claims?|citations?|statements?|sentences?|excerpts?)"
_ORDER = (
    r"(?:instructions?|directions?|prompts?|rules?|orders?|commands?|guidelines?|messages?|tasks?|context|requests?)"
)
_MODEL = (
    r"(?:ai|llm|language model|assistant|model|judge|auditor|reviewer|grader|evaluator|checker|verifier|agent|bot)s?"
)
_SAY = r"(?:answer|reply|respond|say|output|return|print|emit|write|report|choose|pick|give)"
_MARK = r"(?:mark|label|rate|grade|judge|classify|treat|count|score|consider|accept|declare|set|deem|call|rule|regard)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing|your|former|system)"
_ELSEWHERE = r"(?:vorherig|bisherig|obig|instruc|istruz|anweis|consign)"
_DROP = r"(?:ignore|disregard|forget|override|bypass|neglect|skip)"

_TOGETHER = (
    # put the task aside
    rf"\b{_DROP}\b(?: \w+){{0,3}}? {_EARLIER}\b(?: \w+){{0,2}}? {_ORDER}\b",
    rf"\b{_DROP} (?:all|any|the|these|those|every)(?: \w+){{0,2}}? (?:instructions?|guidelines?|prompts?|task)\b",
    rf"\b{_DROP} (?:everything|anything|all|whatever)(?: \w+)? (?:above|before|previous|prior|you|so far|said|told)\b",
    rf"\bdo not (?:follow|obey) (?:the|your|any|those|these|earlier|previous)(?: \w+){{0,2}}? {_ORDER}\b",
    rf"\bdo not (?:judge|evaluate|audit|check|read) (?:this|the|these|any) {_OBJECT}\b",
    r"\b(?:new|updated|real|actual|revised) (?:instructions?|prompt|task|orders?) ?:",
    r"\bend of (?:the )?(?:untrusted|excerpt|data|rows?)\b.{0,60}\b(?:now|new|instructions?|task|answer|judge)\b",
    # say what to answer
    rf"\b{_SAY}\b{_FILLER}{_LABEL}",
    rf"\b{_MARK}\b{_FILLER}{_LABEL}",
    rf"\b{_MARK}\b(?: \w+){{0,3}}? {_OBJECT}\b{_FILLER}{_GOOD}",
    rf"[\"']?\b(?:label|verdict|answer)\b[\"']?{_FILLER}{_LABEL}",
    rf"\b{_OBJECT} (?:\w+ )?(?:is|are|was|were)(?: \w+)? {_GOOD}[^.]{{0,60}}\b(?:answer|judge|label|verdict)\b",
    r"\b(?:correct|right|expected|only|proper) (?:answer|label|verdict)\b(?: \w+){0,4}? ?(?:is|:|=)",
    r"\byou (?:must|should|shall|have to|need to)(?: always| only| just)? (?:answer|reply|respond|obey|comply)\b",
    # speak to the model, or as whoever gives it orders
    rf"\b(?:dear|hey|hello|attention|(?:note|message|memo) (?:to|for))\b(?: (?:an?|the|any|all|every))? {_MODEL}\b",
    r"(?:^|[.!?] )(?:to|for) (?:the|any|all|every) (?:ai|llm|language model|judge|auditor|grader)s?\b",
    r"\byou are (?:now|an?|the|no longer|my|acting)\b",
    r"\b(?:pretend (?:that )?you|pretend to be|act as if you|from now on,? you|role-?play|jailbreak|do anything now)\b",
    r"\b(?:system|assistant|developer)(?: (?:message|prompt|note|override))? ?:(?: [a-z'’-]+[,.;!]?){3}",
    r"\bsystem (?:prompt|override)\b|\bprompt injection\b",
    # look like the frame of a message
    r"</?(?:system|assistant|instructions?|untrusted\w*)>",
    r"</(?:row|data|rows)(?:[_-]\w+)?>.{0,80}\b(?:answer|task|judge|row)",
    r"<[|｜][^\s<>|｜]{1,40}[|｜]>|<(?:start|end)_of_turn>|\[/?inst\]|<<sys>>",
    r"^#{2,} ?(?:system|instruction|response|assistant)s? ?:",
    # the same in a few other tongues
    rf"\bignor\w* (?:(?:all\w*|toutes|todas|tutte|die|les|las|le) )?{_ELSEWHERE}",
    r"\b(?:antworten?|réponde?[sz]|responde|rispondi)\b(?: \w+){0,3}? ?[\"'„“«]*(?:supported|unterstützt|belegt)",
)
_PATTERNS = tuple(map(re.compile, _TOGETHER))
_HIDDEN = re.compile(
    r"[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]"
)
_MARKERS = re.compile(r"^\s*(?://+!?|#+|\*+/?|/\*+|--+|;+|%+|>+|\"\"\"|'''|<!--)?\s*")
_SPACED = re.compile(r"\b(?:\w[ ._*-]){3,}\w\b")
_MOST = 8000
"""Characters that are looked through at a time."""
_SHARED = 1000
"""Characters that neighbouring looks have in common: more than an order is long."""


def order_in(row: Row) -> str:
    """Give what in a row reads like an order to whoever judges it, a few words; "" where nothing does.

    Looked for in the claim, its sentence and the cited lines, also where it runs over several lines of a comment, is
    written in letters that only look like ours in width, s p a c e d, or with invisible characters between.
    """
    lines = [text for excerpt in row.excerpts for _, text in excerpt.lines]
    # of a claim and its sentence no more is ever shown to a judge
    own = (row.claim[:LONGEST], row.sentence[:LONGEST])
    for text in (*own, *lines, " ".join(_MARKERS.sub("", line, count=1) for line in lines)):
        found = _order(text)
        if found:
            return found
    return ""


def _order(text: str) -> str:
    for start in range(0, max(1, len(text) - _SHARED), _MOST - _SHARED):
        for form in _forms(text[start : start + _MOST]):
            for pattern in _PATTERNS:
                found = pattern.search(form)
                if found is not None:
                    return found.group()[:80]
    return ""


def _forms(text: str) -> Iterable[str]:
    plain = _HIDDEN.sub("", unicodedata.normalize("NFKC", text)).casefold()
    spaced = " ".join(plain.split())
    yield spaced
    closed = _SPACED.sub(lambda found: re.sub(r"[ ._*-]", "", found.group()), spaced)
    if closed != spaced:
        yield closed
