"""Facts of code where no parser gives them, by text rules; and what the sides of a fact are made of."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from cite_lsp.judges.embedded.claim.terms import pieces
from cite_lsp.judges.embedded.lexicon import glue, short_for
from cite_lsp.judges.embedded.lines.alignment import root_of
from cite_lsp.judges.embedded.lines.facts import Line
from cite_lsp.snapshot.code_facts import VALUE_CHARS, CodeFact, FactKind

_LONGEST = 400
_NAME = r"[A-Za-z_$][\w$]{0,80}(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]{0,80}){0,8}"
_DEFINES = re.compile(
    r"\s{0,80}(?:(?:export|default|public|private|protected|static|pub(?:\(\w{1,9}\))?|unsafe|const)\s+){0,5}"
    r"(?P<async>async\s+)?(?P<word>def|class|function\*?|fn|func|interface|struct|enum|trait)\s+"
    r"(?:\([^()]{0,80}\)\s*)?(?P<name>[A-Za-z_$][\w$]{0,80})"
)
_IF = re.compile(
    r"^(?P<indent>\s{0,80})(?P<close>\}\s*)?(?P<word>if|elif|else if|unless|while)\b\s*(?P<rest>.{1,300})$"
)
_ELSE = re.compile(r"^(?P<indent>\s{0,80})(?:\}\s*)?else\b\s*[:{]?\s*$")
_RAISE = re.compile(
    rf"\b(?:raise|throw(?:\s+new)?)\s+(?P<name>{_NAME})(?:\((?P<value>[^\n]{{0,200}})\))?|\bErr\((?P<err>{_NAME})"
)
_CATCH = re.compile(
    rf"\bexcept\s+\(?(?P<names>{_NAME}(?:\s?,\s?{_NAME}){{0,6}})|\bcatch\s?\(\s?(?P<typed>[A-Z]\w{{1,60}})\s"
)
_RETURN = re.compile(r"(?:^|[\s{;)])return\b(?P<value>[^;\n}]{0,200})")
_VALUE = re.compile(
    rf"(?:^|[\s(,{{;])(?:(?:const|let|var|mut|static|final)\s+)*(?P<name>{_NAME})(?:\s?:\s?[\w\[\], |.<>?&]{{1,40}})?"
    r"\s{0,8}(?::=|=)(?![=>])\s{0,8}(?P<value>[^;\n]{1,300})"
)
_CALL = re.compile(rf"(?P<name>{_NAME})[?!]?\((?P<rest>[^\n]{{0,300}})")
_NO_CALL = frozenset(
    "if for while switch catch return function fn func def elif match unless with in and or not".split()
)
_COMPARE = re.compile(
    r"(?P<name>[\w$.()\[\]>-]{1,80}?)\s{0,4}(?P<sign>===|!==|==|!=|>=|<=|(?<![-=])>|<)\s{0,4}(?P<value>\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|[\w$.]{1,80})"
)
_WORD = re.compile(r"[A-Za-z_$][\w$]*|[0-9]+")
_CODE_GLUE = frozenset(
    """no yes true false none null undefined nil self this cls let const var new await return get set value type
    the str string object list dict map key to of in""".split()
)


def text_facts(lines: Sequence[Line], enclosing: Sequence[str] = ()) -> tuple[CodeFact, ...]:
    """Give facts of some lines by text rules: fewer than a parser gives, and of the same kinds.

    Args:
        lines: The lines.
        enclosing: The lines above that enclose them all.
    """
    found = [fact for line in enclosing if lines for fact in _around(line, lines[0].number, lines[-1].number)]
    owner = ""
    for at, line in enumerate(lines):
        code = line.code[:_LONGEST]
        if not code.strip():
            continue
        defines = _DEFINES.match(code)
        if defines is not None:
            owner = defines["name"]
            found.append(CodeFact("definition", line.number, line.number, owner, defines["word"]))
            if defines["async"]:
                found.append(CodeFact("async", line.number, line.number, owner))
        found.extend(_guards(lines, at))
        if defines is None:
            found.extend(_stated(line.number, code, owner))
    return tuple(found)


def _stated(number: int, code: str, owner: str) -> Iterator[CodeFact]:
    def fact(kind: FactKind, name: str = "", value: str = "", sign: str = "") -> CodeFact:
        return CodeFact(kind, number, number, name, " ".join(value.split())[:VALUE_CHARS], owner, sign)

    for match in _RAISE.finditer(code):
        name = match["name"] or match["err"]
        yield fact("raise", re.split(r"\.|::", name)[-1], match["value"] or "")
    for match in _CATCH.finditer(code):
        for name in re.split(r"\s?,\s?", match["names"] or match["typed"]):
            yield fact("catch", name)
    for match in _RETURN.finditer(code):
        yield fact("return", value=match["value"].strip())
    for match in _VALUE.finditer(code):
        yield fact("value", match["name"], match["value"].rstrip(" ,"))
    for match in _CALL.finditer(code):
        if match["name"] not in _NO_CALL:
            yield fact("call", match["name"], inside(match["rest"]))
    for match in _COMPARE.finditer(code):
        yield fact("compare", match["name"], match["value"], match["sign"])


def _around(line: str, first: int, last: int) -> Iterator[CodeFact]:
    """Give the condition that a line puts on all that it encloses."""
    match = _IF.match(line[:_LONGEST])
    if match is not None and match["word"] != "while":
        rest = match["rest"].strip()
        condition = _condition_of(rest)
        yield CodeFact("guard", first, last, "", condition.strip(), "", "unless" if match["word"] == "unless" else "if")


def _condition_of(rest: str) -> str:
    """Give what stands behind the word of a condition, up to where what it guards begins."""
    return inside(rest[1:]) if rest.startswith("(") else re.split(r"\s?\{|:\s|:$", rest, maxsplit=1)[0]


def _guards(lines: Sequence[Line], at: int) -> Iterator[CodeFact]:
    line = lines[at]
    code = line.code[:_LONGEST]
    match = _IF.match(code)
    if match is None:
        behind = re.search(r"\S\s(?P<word>if|unless)\s(?P<value>[^{};:]{1,200})$", code)
        if behind is not None and " else " not in code:
            yield CodeFact("guard", line.number, line.number, "", behind["value"].strip(), "", behind["word"])
        return
    rest = match["rest"].strip()
    condition = _condition_of(rest)
    behind_it = rest[len(condition) + 2 if rest.startswith("(") else len(condition) :].strip(" :{")
    sign = "unless" if match["word"] == "unless" else "while" if match["word"] == "while" else "if"
    last = line.number if len(behind_it) > 1 else _end(lines, at, len(match["indent"]))
    first = line.number if last == line.number else line.number + 1
    yield CodeFact("guard", first, last, "", condition.strip(), "", sign)
    for other in lines[at + 1 : at + 40]:
        if other.number > last + 1:
            break
        if other.number > last and _ELSE.match(other.code[:_LONGEST]):
            end = _end(lines, lines.index(other), len(match["indent"]))
            yield CodeFact("guard", other.number + 1, end, "", condition.strip(), "", "else")


def _end(lines: Sequence[Line], at: int, indent: int) -> int:
    """Give the last of the lines further in that follow a line."""
    last = lines[at].number
    for line in lines[at + 1 : at + 60]:
        text = line.text
        if text.strip():
            if len(text) - len(text.lstrip()) <= indent:
                break
            last = line.number
    return last


def inside(rest: str) -> str:
    """Give what stands before the bracket that closes what is open; all of it where none does."""
    depth, quote = 0, ""
    for at, character in enumerate(rest):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'`":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            if not depth:
                return rest[:at]
            depth -= 1
    return rest


def split_at(text: str, signs: tuple[str, ...]) -> list[str]:
    """Cut a source at some signs, where these stand in no bracket and no quotation."""
    found, depth, quote, begin, at = [], 0, "", 0, 0
    while at < len(text):
        character = text[at]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'`":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif not depth:
            sign = next((sign for sign in signs if text.startswith(sign, at)), "")
            if sign:
                found.append(text[begin:at].strip())
                at += len(sign)
                begin = at
                continue
        at += 1
    found.append(text[begin:].strip())
    return found


def arguments(source: str) -> list[str]:
    """Give the arguments of a call, each as written."""
    return [each for each in split_at(source, (",",)) if each]


@lru_cache(maxsize=4096)
def code_words(source: str) -> frozenset[str]:
    """Give the roots of the words that an expression is made of, those of its texts among them."""
    found: set[str] = set()
    for token in _WORD.findall(source[:VALUE_CHARS]):
        for piece in pieces(token):
            if piece not in _CODE_GLUE and len(piece) > 1:
                found.update(_both((piece, *short_for(piece))))
        if token.isdigit():
            found.add(token)
    return frozenset(found)


@lru_cache(maxsize=1024)
def said_words(phrase: str) -> frozenset[str]:
    """Give the roots of the words of a phrase that carry something."""
    found: set[str] = set()
    for token in _WORD.findall(phrase[:_LONGEST]):
        if token.isdigit():
            found.add(token)
        elif not glue(token.lower()):
            found.update(_both(piece for piece in pieces(token) if len(piece) > 1 and not glue(piece)))
    return frozenset(found)


def _both(words: Iterable[str]) -> Iterator[str]:
    """Give words with their roots: two of one root are still told apart."""
    for word in words:
        yield word
        yield root_of(word)


def sided(one: str, other: str, first: frozenset[str], second: frozenset[str], *, either: bool = False) -> int:
    """Say which of two phrases means which of two sides, by words that only one of each has.

    Args:
        one: The phrase that is to mean `first`.
        other: The phrase that is to mean `second`.
        first: The words of one side.
        second: Those of the other.
        either: Whether it is enough to know it of one phrase.

    Returns:
        1 where `one` means `first` and `other` means `second`, -1 where it is the other way about, else 0.
    """
    ones, others = said_words(one), said_words(other)
    ones, others = ones - others, others - ones
    firsts, seconds = first - second, second - first
    side_one = _side(ones, firsts, seconds)
    side_other = -_side(others, firsts, seconds)
    if side_one == side_other:
        return side_one
    return side_one + side_other if either and not (side_one and side_other) else 0


def _side(words: frozenset[str], first: frozenset[str], second: frozenset[str]) -> int:
    here, there = len(words & first), len(words & second)
    return (here > there) - (there > here)


@dataclass(frozen=True, slots=True)
class Told:
    """What the cited lines say of something that a claim says: that it holds, or that it does not.

    Attributes:
        holds: Whether it holds.
        claimed: What the claim says.
        found: What the lines say, with the lines' numbers.
        at: The numbers of these lines, 1-based.
    """

    holds: bool
    claimed: str
    found: str
    at: tuple[int, ...]
