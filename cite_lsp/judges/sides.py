"""What a decision model is asked of a row, in two requests: the claim against the lines, and the lines for the claim.

Nothing of an answer is free text: each is a number to a question of ours, under a key of ours.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cite_lsp.audit.verdicts import Row
from cite_lsp.clients.redaction import kept_back
from cite_lsp.judges.directions import Answers
from cite_lsp.judges.shown_lines import KEPT_BACK, ShownLine, shown_lines, visible, why_not_shown
from cite_lsp.policy.asking import Request
from cite_lsp.policy.hashes import policy_hash
from cite_lsp.policy.language import Concern, Filter, Policy, Side, YesNo
from cite_lsp.policy.placeholders import PASSAGE
from cite_lsp.policy.wording import yes_no

CLAIMS: Final = "makes_a_claim"
CONFLICT: Final = "conflict"
BASELESS: Final = "baseless_info"
SUPPORTS: Final = "supports"
OTHERWISE: Final = "says_otherwise"

_GAP = "[…]"
"""Between cited lines that do not follow each other, and where an excerpt was cut."""
_SENTENCE = "Where a sentence is shown with it, that only tells what words such as “it” stand for."

CLAIM_SIDE = Policy(
    filters=[
        Filter(
            CLAIMS,
            YesNo(
                "Does {passage} make a claim that the cited lines shown with it could bear out or refute?",
                yes=Side(
                    "It states something of its subject: what there is, what it is called, what it does, how many, "
                    "when, under which condition, why. A statement about the cited lines themselves counts, such as "
                    "that they say nothing of the cost.",
                    examples=["Retries: at most five.", "The file does not mention a limit."],
                ),
                no=Side(
                    "It states nothing: a greeting, a heading, a question, an announcement of what follows, a bare "
                    "reference to a file or a line.",
                    not_for="A short or incomplete statement, as in a list or a table, that still says something.",
                ),
                focus=_SENTENCE,
            ),
        )
    ],
    concerns=[
        Concern(
            CONFLICT,
            YesNo(
                "Does {passage} contain any claim that the cited lines shown with it state differently?",
                yes=Side(
                    "At least one thing in it is stated differently by the lines: another name, number, unit, date or "
                    "order; somebody or something else does it; the opposite happens; a condition, a bound, a hedge, a "
                    "quantifier or an attribution was changed; or it is wrong about what the lines say or leave out.",
                    not_for="The same in other words, in another unit or notation, or as code that amounts to it. "
                    "Something of which the lines say nothing: they do not state that differently.",
                    examples=["It says that five are kept, and the lines set the limit to three."],
                ),
                no=Side(
                    "Whatever the lines speak of in it, they state as it does; of the rest they say nothing.",
                ),
                focus="Check every name, number, unit, date, order, condition, bound, qualifier and attribution in it "
                f"against the lines. {_SENTENCE}",
            ),
        ),
        Concern(
            BASELESS,
            YesNo(
                "Does {passage} contain anything that the cited lines shown with it do not say?",
                yes=Side(
                    "At least one part of it stands in none of the lines: a fact, a reason, a consequence, an opinion, "
                    "background.",
                    not_for="A faithful paraphrase or summary, and what the lines amount to for whoever can read them: "
                    "code says what it does. A part that the lines state differently: they do speak of it. What only "
                    "says which file, function or document is meant.",
                    examples=["It says that the limit is five for want of memory, and the lines only set it to five."],
                ),
                no=Side("Each part of it is said by the lines, in whatever words, or stated differently by them."),
                focus=f"Take it apart and look for each part in the lines. {_SENTENCE}",
            ),
        ),
    ],
)
"""Asked of the claim; the lines, and the sentence it stands in, are shown with it."""

LINES_SIDE = Policy(
    concerns=[
        Concern(
            SUPPORTS,
            YesNo(
                "Is {passage} part of what these lines say that the claim shown with them rests on?",
                yes=Side(
                    "Read among its neighbours, the line says something that the claim says: a name, a value, a "
                    "condition, an order, what happens or what does not. It may carry a part of the claim only, and "
                    "need the lines beside it to be understood.",
                    not_for="A line on the same topic that leaves open what the claim says; one that only repeats it "
                    "as a question, a title or an aim; one that points elsewhere for it; one that says it of another "
                    "subject; one that states it differently.",
                ),
                no=Side(
                    "Nothing that the claim says can be read off the line, or the line says otherwise.",
                    not_for="A line that carries one part of the claim while other lines carry the rest.",
                ),
            ),
        ),
        Concern(
            OTHERWISE,
            YesNo(
                "Does {passage} state anything differently than the claim shown with the lines does?",
                yes=Side(
                    "Read among its neighbours, the line gives for the same subject another name, number, unit, date, "
                    "order, condition, bound or outcome than the claim, or the opposite of it.",
                    not_for="The same in other words, in another unit or notation, or as code that amounts to it. A "
                    "line on another subject, and one that says less than the claim.",
                ),
                no=Side("The line agrees with the claim, or says nothing of what it claims."),
            ),
        ),
    ],
)
"""Asked of each cited line; the claim is shown once, beside the lines."""

WORDING: Final = f"1-{policy_hash(CLAIM_SIDE)[:8]}-{policy_hash(LINES_SIDE)[:8]}"
"""A part of the identity: changes with each word of the questions; its number, with what is shown beside them."""


@dataclass(frozen=True, slots=True)
class Sides:
    """A row as it is put.

    Attributes:
        claim: As it is shown, with the sentence it stands in where that says more.
        input: The cited lines as the claim is read against them.
        lines: The cited lines, each once, in the order of the file; some are not asked about.
        asked: Those that are: neither blank nor kept back.
        cut: Whether more lines are cited than a judge is shown.
    """

    claim: Mapping[str, str]
    input: str
    lines: tuple[ShownLine, ...]
    asked: tuple[ShownLine, ...]
    cut: bool = False

    @classmethod
    def of(cls, row: Row) -> "Sides":
        """Put a row."""
        lines = _distinct(shown_lines(row))
        asked = tuple(line for line in lines if line.raw is not None and line.raw.strip())
        cut = any(excerpt.truncated and not excerpt.cited for excerpt in row.excerpts)
        return cls(_claim(row), _input(row, lines), lines, asked, cut)

    @property
    def claim_request(self) -> Request:
        """The claim read against the lines: three questions."""
        claim = {"cited_lines": self.input, **self.claim}
        questions = dict(_questions(CLAIM_SIDE, "claim", "claim.text"))
        return {"state": {"claim": claim}, "questions": questions}

    def lines_request(self, lines: Sequence[ShownLine]) -> Request:
        """The lines read for the claim, all that are asked about or some of them: two questions each."""
        shown = {_id(line): {"id": _id(line), "text": _text(line.raw or "")} for line in lines}
        questions = {
            key: asked for line in lines for key, asked in _questions(LINES_SIDE, _id(line), f"lines.{_id(line)}.text")
        }
        return {"state": {"claim": dict(self.claim), "lines": shown}, "questions": questions}

    def answers(self, given: Mapping[str, Mapping[str, Any]]) -> Answers:
        """Give what was answered, from all good answers to both requests by their keys."""
        return Answers(
            _probability(given, "claim", CLAIMS),
            _probability(given, "claim", CONFLICT),
            _probability(given, "claim", BASELESS),
            {line.number: _probability(given, _id(line), SUPPORTS) for line in self.asked},
            {line.number: _probability(given, _id(line), OTHERWISE) for line in self.asked},
        )


def why_not_asked(row: Row) -> str:
    """Give why a row cannot be put at all, or ""."""
    shown = shown_lines(row)
    why = why_not_shown(row, shown)
    if why:
        return why
    lines = _distinct(shown)
    if any(line.raw is not None and line.raw.strip() for line in lines):
        return ""
    if any(line.raw is None for line in lines):
        return "the cited lines look like keys, so they are kept back"
    return "the cited lines are blank"


def _claim(row: Row) -> dict[str, str]:
    claim, sentence = " ".join(row.claim.split()), " ".join(row.sentence.split())
    told = {"sentence": _text(sentence)} if sentence not in ("", claim) and not kept_back(row.sentence) else {}
    return {**told, "id": "claim", "text": _text(claim)}


def _input(row: Row, lines: Sequence[ShownLine]) -> str:
    """Give the cited lines as one text; a gap is marked wherever lines of the file, or of their unit, were left out."""
    cut = {excerpt.lines[-1][0] for excerpt in row.excerpts if excerpt.truncated and excerpt.lines}
    found: list[str] = []
    last = None
    for line in lines:
        if last is not None and (line.number != last + 1 or last in cut):
            found.append(_GAP)
        found.append(KEPT_BACK if line.raw is None else _text(line.raw))
        last = line.number
    return "\n".join([*found, _GAP] if last in cut else found)


def _distinct(shown: Sequence[ShownLine]) -> tuple[ShownLine, ...]:
    """Give each line once, in the order of the file: spans may overlap. What is kept back in one is kept back."""
    found: dict[int, ShownLine] = {}
    for line in shown:
        known = found.get(line.number)
        if known is None or (known.raw is not None and (line.raw is None or len(line.raw) > len(known.raw))):
            found[line.number] = line
    return tuple(found[number] for number in sorted(found))


def _questions(policy: Policy, name: str, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for detect, asks in policy.detects():
        yield _key(name, detect), yes_no(asks, {PASSAGE: path})


def _probability(given: Mapping[str, Mapping[str, Any]], name: str, detect: str) -> float:
    return float(given[_key(name, detect)]["noul"])


def _key(name: str, detect: str) -> str:
    return f"{name}:{detect}"


def _id(line: ShownLine) -> str:
    return f"L{line.number}"


def _text(text: str) -> str:
    """Give a text as it is sent: as it stands, unless that is no Unicode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return visible(text)
    return text
