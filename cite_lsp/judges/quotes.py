"""Whether what a judge quotes stands in the lines it was shown."""

import re
from collections.abc import Callable, Sequence

from cite_lsp.audit.verdicts import Evidence
from cite_lsp.judges.shown_lines import ShownLine

_NUMBERED = re.compile(r"\A\s*L\d+\|\s?")
_WORD = re.compile(r"\w+")
_ENDS = " \t\r"
_LEAST = 8


def find_quote(quote: str, lines: Sequence[ShownLine]) -> tuple[Evidence, ...]:
    """Give the lines that a quote is of; none where it does not stand in them.

    A quote is a line, lines that follow each other, or a part of them that cuts no word or number in two and is long
    enough to mean something: two words, or eight characters. Every byte has to be the same; only spaces and tabs at
    the ends of lines may be missing or added, and the numbers that lines are shown with (`L12| `) may be copied along.
    What is kept back cannot be quoted. A line may be quoted as it stands in the file or as it is shown.
    """
    wanted = _lines_of(quote)
    bare = _trimmed([_NUMBERED.sub("", line, count=1) for line in wanted])
    for form in (wanted, bare) if bare != wanted else (wanted,):
        stripped = [line.strip(_ENDS) for line in form]
        if not any(_WORD.search(line) for line in stripped):
            continue
        for text_of in (_raw, _shown):
            found = _stands(stripped, lines, text_of)
            if found:
                return found
    return ()


def _raw(line: ShownLine) -> str | None:
    return line.raw


def _shown(line: ShownLine) -> str | None:
    return None if line.raw is None else line.shown


def _lines_of(quote: str) -> list[str]:
    return _trimmed(re.split(r"\r\n|\n|\r", quote))


def _trimmed(lines: list[str]) -> list[str]:
    """Leave out the blank lines at both ends: they are no quote of the lines beside."""
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while first < last and not lines[last - 1].strip():
        last -= 1
    return lines[first:last]


def _stands(
    quoted: Sequence[str], lines: Sequence[ShownLine], text_of: Callable[[ShownLine], str | None]
) -> tuple[Evidence, ...]:
    texts = [text_of(line) for line in lines]
    stripped = [None if text is None else text.strip(_ENDS) for text in texts]
    for start in range(len(lines) - len(quoted) + 1):
        window = lines[start : start + len(quoted)]
        if window[0].excerpt == window[-1].excerpt and _fits(quoted, stripped[start : start + len(quoted)]):
            return tuple(
                Evidence(line.excerpt, line.offset, line.raw)
                for line in window
                if line.raw is not None and line.raw.strip()
            )
    return ()


def _fits(quoted: Sequence[str], texts: Sequence[str | None]) -> bool:
    if len(quoted) == 1:
        return texts[0] is not None and _part(quoted[0], texts[0])
    first, last = texts[0], texts[-1]
    if first is None or last is None or list(quoted[1:-1]) != list(texts[1:-1]):
        return False
    return (
        first.endswith(quoted[0])
        and not _cuts(first, len(first) - len(quoted[0]))
        and last.startswith(quoted[-1])
        and not _cuts(last, len(quoted[-1]))
    )


def _part(quoted: str, text: str) -> bool:
    """Whether a quote is a line, or a part of it that means something."""
    if quoted == text:
        return True
    if len(quoted) < _LEAST and len(_WORD.findall(quoted)) < 2:
        return False
    place = text.find(quoted)
    while place >= 0:
        if not _cuts(text, place) and not _cuts(text, place + len(quoted)):
            return True
        place = text.find(quoted, place + 1)
    return False


def _cuts(text: str, place: int) -> bool:
    """Whether a place, between two characters, is inside a word or a number: `1|5`, `1|.5`, `1.|5`, `-|5`."""
    before, after = text[max(0, place - 2) : place], text[place : place + 2]
    if not before or not after:
        return False
    if _inside(before[-1]) and _inside(after[0]):
        return True
    if before[-1].isdigit() and after[0] in ".,:" and after[1:].isdigit():
        return True
    if before[-1] in ".,:" and after[0].isdigit() and before[:-1].isdigit():
        return True
    return before[-1] in "-!" and _inside(after[0]) and not (len(before) > 1 and _inside(before[0]))


def _inside(character: str) -> bool:
    return character.isalnum() or character == "_"
