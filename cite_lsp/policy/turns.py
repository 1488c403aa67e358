"""Turns of conversations: who says what, as transcripts write it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from cite_lsp.document.blocks import front_matter
from cite_lsp.document.buffer import lines_with_ends
from cite_lsp.document.cuts import Lines
from cite_lsp.policy.splitting import NOTHING_KNOWN, Line, Part, lines_of, trimmed

_WORD = r"[^\W_](?:[\w.'’&/-]{0,30})"
_NAME = rf"(?P<name>{_WORD}(?:[ ]{_WORD}){{0,3}})"
_DATE = r"(?:[0-9]{1,4}[/.-][0-9]{1,2}[/.-][0-9]{1,4},?[ ]+)?"
_CLOCK = rf"[\[(]?{_DATE}[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?(?:[.,][0-9]{{1,3}})?(?:[ ]?[AaPp][Mm])?[\])]?"
_BEFORE = rf"(?:>[ ]?)*(?:[-*+][ ]+)?(?:{_CLOCK}[ ]*[-–—]?[ ]*)?"
_BETWEEN = rf"(?:[ ]\([^()\n]{{1,60}}\))?(?:[ ]*{_CLOCK})?"

_BOLD = re.compile(rf"[ ]{{0,3}}{_BEFORE}(?P<mark>\*\*|__){_NAME}{_BETWEEN}(?::(?P=mark)|(?P=mark){_BETWEEN}:)(?=\s|$)")
_PLAIN = re.compile(rf"[ ]{{0,3}}{_BEFORE}{_NAME}{_BETWEEN}:(?=\s|$)")
_QUOTED = re.compile(r"[ ]{0,3}>")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_LONGEST_HEAD = 300


def turns(text: str, path: str) -> Iterator[Part]:  # noqa: ARG001 - one shape for all kinds
    """Give the turns: each from a line `Name: …` or `**Name:** …` to the next, with its `speaker`.

    Where some names are bold only those begin turns. A text in which nobody is named, but some lines are quoted by `>`,
    is taken as a conversation of two: quoted lines and the others in turn, without speakers. What stands before the
    first name is no turn; nor does a line in a fence or in front matter begin one.
    """
    lines = list(lines_of(text))
    spoken = _speaking(text, lines)
    begun = [(at, name) for at, line in enumerate(lines) if at in spoken and (name := _speaker(_BOLD, line))]
    begun = begun or [(at, name) for at, line in enumerate(lines) if at in spoken and (name := _speaker(_PLAIN, line))]
    if begun:
        starts = [*((lines[at].start, {"speaker": name}) for at, name in begun)]
    else:
        starts = _by_quotes([lines[at] for at in sorted(spoken)])
    yield from _between(text, starts)


def _between(text: str, starts: list[tuple[int, dict[str, Any]]]) -> Iterator[Part]:
    for number, (low, meta) in enumerate(starts):
        high = starts[number + 1][0] if number + 1 < len(starts) else len(text)
        start, end = trimmed(text, low, high)
        if start < end:
            known: Mapping[str, Any] = meta or NOTHING_KNOWN
            yield Part(start, end, known)


def _speaker(pattern: re.Pattern[str], line: Line) -> str | None:
    found = pattern.match(line.text[:_LONGEST_HEAD])
    return found["name"] if found else None


def _by_quotes(lines: list[Line]) -> list[tuple[int, dict[str, Any]]]:
    """Give where quoted lines and others take turns; nothing where no line is quoted."""
    starts: list[tuple[int, dict[str, Any]]] = []
    quoted: bool | None = None
    some = False
    for line in lines:
        if not line.text.strip():
            continue
        now = bool(_QUOTED.match(line.text))
        some = some or now
        if now is not quoted:
            starts.append((line.start, {}))
            quoted = now
    return starts if some else []


def _speaking(text: str, lines: list[Line]) -> set[int]:
    """Give the numbers (from 0) of the lines that may begin a turn: those in no front matter and no fence."""
    matter = front_matter(Lines(lines_with_ends(text.removeprefix("\ufeff"))))
    spoken: set[int] = set()
    closer = ""
    for number in range(matter.size if matter else 0, len(lines)):
        fence = _FENCE.match(lines[number].text)
        if fence and (not closer or fence[1].startswith(closer)):
            closer = "" if closer else fence[1]
        elif not closer:
            spoken.add(number)
    return spoken
