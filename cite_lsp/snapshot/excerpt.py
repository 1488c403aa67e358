"""The lines that are shown for a citation and judged: a window below it, or the logical unit around it.

The limits are those of the reference audit, in lines and in characters of the shown text (UTF-16 units, as
there; a character is never cut in two).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from cite_lsp.snapshot.code_facts import UnitOf
from cite_lsp.snapshot.code_units import code_unit
from cite_lsp.snapshot.languages import Language, find_language, language_of
from cite_lsp.snapshot.units import (
    Lines,
    Unit,
    fenced,
    heading_level,
    is_blank,
    list_item,
    lone_comment,
    paragraph,
    reference_comment,
    section,
    stands_alone,
    table,
)

__all__ = ["Excerpt", "language_of", "span_excerpts", "unit_excerpt", "window_excerpt"]

WINDOW_LINES = 12
WINDOW_CHARS = 800
REST_LOOK = 200
"""Lines of a unit past the cap that are read to tell whether anything but blank lines was left out."""
FRONT_MATTER_LINES = 200

_YAML = find_language("yaml")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The lines an anchor's span stands for, in the file's order.

    Attributes:
        start_line: The first line of `lines`, 1-based.
        end_line: The last line of `lines`, 1-based, inclusive.
        unit: window, paragraph, section, table-row, list-item, comment-declaration, definition, statement
            or key.
        truncated: Whether something that belongs to the unit was left out.
        lines: (1-based number, text) of each line. The numbers can jump: a table row stands with its
            header. The text is the file's own, or where `clipped` the start of it for the last line.
        clipped: Whether the last line, or the rest after it, was cut off for its characters.
        cited: The line that was cited, 1-based, where `lines` is the unit around it; 0 where all of them were.
    """

    start_line: int
    end_line: int
    unit: str
    truncated: bool
    lines: tuple[tuple[int, str], ...]
    clipped: bool = False
    cited: int = 0

    @property
    def text(self) -> str:
        """The reference's form: `L24: …` a line, joined by LF, with an ellipsis where it was clipped."""
        shown = "\n".join(f"L{number}: {text}" for number, text in self.lines)
        return shown + "…" if self.clipped else shown


def span_excerpts(
    lines: Sequence[str],
    path: str,
    spans: Sequence[tuple[int, int]],
    resolver: int,
    window: int = 3,
    units: UnitOf | None = None,
) -> tuple[Excerpt | None, ...]:
    """The excerpt of each span of a file's lines by resolver 1 or 2; None for one that names no lines."""
    language = language_of(path)
    return tuple(
        window_excerpt(lines, first, last if last > first else None, window=window)
        if resolver == 1
        else unit_excerpt(lines, first, last if last > first else None, language=language, units=units)
        for first, last in spans
    )


def window_excerpt(lines: Sequence[str], first: int, last: int | None, *, window: int = 3) -> Excerpt | None:
    """Resolver 1: the cited line and `window` lines below it, or the written range.

    At most 12 lines and 800 characters.

    Args:
        lines: The file's lines without their ends.
        first: The first cited line, 1-based.
        last: The last line of a range as written, 1-based; None for a single line.
        window: Lines below a single cited line, at least 0.

    Returns:
        The excerpt; None when the file has no line `first`.

    Raises:
        ValueError: `window` is negative.
    """
    if window < 0:
        raise ValueError(f"window: {window} is less than 0")
    if not 1 <= first <= len(lines):
        return None
    wanted = min(_range_end(first, last) or first + window, len(lines))
    end = min(wanted, first + WINDOW_LINES - 1)
    return _fit(lines, "window", range(first - 1, end), WINDOW_CHARS, left_out=end < wanted)


def unit_excerpt(
    lines: Sequence[str],
    first: int,
    last: int | None,
    *,
    language: str | None = None,
    max_lines: int = 20,
    max_chars: int = 1600,
    units: UnitOf | None = None,
) -> Excerpt | None:
    """Resolver 2: the logical unit around the cited line, or the written range.

    The rules are the reference audit's (newest generation), with these departures: `truncated` only where
    something was left out; the header with every row of a table; a section to the next heading of its own
    or a higher level, whatever stands in a fence; list items with all that belongs to them; a blank or
    lone-bracket line by itself; the cited line is never pushed out by what stands above it. Where the
    language is known its comments, docstrings, definitions, statements and keys are told apart, and the
    rules of prose hold in prose only.

    Args:
        lines: The file's lines without their ends.
        first: The first cited line, 1-based.
        last: The last line of a range as written, 1-based; None for a single line.
        language: What `language_of` says of the path; None, or a name not known, for the reference's own
            rules.
        max_lines: At most so many lines, at least 1.
        max_chars: At most so many characters of text, at least 1.
        units: Who knows the units of code by a parser; it may take milliseconds, so never on an event loop. Where it
            is None, or knows nothing of a line, the text rules hold.

    Returns:
        The excerpt; None when the file has no line `first`.

    Raises:
        ValueError: A limit is less than 1.
    """
    if max_lines < 1 or max_chars < 1:
        raise ValueError(f"limits of an excerpt: {max_lines} lines, {max_chars} characters; each is at least 1")
    if not 1 <= first <= len(lines):
        return None
    cited = first - 1
    end = _range_end(first, last)
    if end is not None:
        wanted = min(end, len(lines))
        kept = min(wanted, cited + max_lines)
        return _fit(lines, "paragraph", range(cited, kept), max_chars, left_out=kept < wanted)
    unit = _parsed_unit(lines, cited, language, units) or _unit(Lines(lines), cited, find_language(language))
    numbers, left_out = _within_lines(Lines(lines), cited, unit, max_lines)
    fitting = _within_chars(lines, cited, numbers, max_chars)
    left_out = left_out or len(fitting) < len(numbers)
    return replace(_fit(lines, unit.kind, fitting, max_chars, left_out=left_out), cited=first)


def _range_end(first: int, last: int | None) -> int | None:
    """The end of a written range; reversed ends are a single line, as in the reference."""
    return last if last is not None and last >= first else None


# --- which lines ----------------------------------------------------------------------------------


def _parsed_unit(lines: Sequence[str], cited: int, language: str | None, units: UnitOf | None) -> Unit | None:
    """What a parser knows of the line; a paragraph of it is still bounded by blank lines."""
    known = find_language(language)
    if units is None or language is None or known is None or known.kind != "code" or stands_alone(lines[cited]):
        return None
    found = units(language, lines, cited + 1)
    if found is None:
        return None
    kind, first, last = found
    if kind == "paragraph":
        return paragraph(Lines(lines), cited, lambda _: False)
    return Unit(kind, iter(range(first - 1, last)))


def _unit(lines: Lines, cited: int, language: Language | None) -> Unit:
    if stands_alone(lines(cited) or ""):
        return Unit("paragraph", iter((cited,)))
    if language is None:
        return _reference_unit(lines, cited)
    if language.kind == "code":
        return code_unit(lines, cited, language)
    return _prose_unit(lines, cited, language)


def _reference_unit(lines: Lines, cited: int) -> Unit:
    return (
        reference_comment(lines, cited)
        or section(lines, cited, None)
        or table(lines, cited)
        or list_item(lines, cited, None)
        or lone_comment(lines, cited)
        or paragraph(lines, cited, lambda number: heading_level(lines, number, None) > 0)
    )


def _prose_unit(lines: Lines, cited: int, language: Language) -> Unit:
    if language.kind == "markdown" and _YAML is not None and _in_front_matter(lines, cited):
        return code_unit(lines, cited, _YAML)
    has_fences = language.kind in ("markdown", "asciidoc")
    return (
        (fenced(lines, cited, language) if has_fences else None)
        or section(lines, cited, language)
        or table(lines, cited)
        or list_item(lines, cited, language)
        or paragraph(lines, cited, lambda number: heading_level(lines, number, language) > 0)
    )


def _in_front_matter(lines: Lines, cited: int) -> bool:
    """Whether the line stands between the `---` of the file's first line and the next one."""
    if (lines(0) or "").rstrip() != "---" or not 0 < cited < FRONT_MATTER_LINES:
        return False
    ends = (n for n in range(1, FRONT_MATTER_LINES) if (lines(n) or "").rstrip() in ("---", "..."))
    return cited < next(ends, 0)


# --- how much of them -----------------------------------------------------------------------------


def _within_lines(lines: Lines, cited: int, unit: Unit, max_lines: int) -> tuple[list[int], bool]:
    """At most `max_lines` numbers of the unit, the cited one among them; whether others were left out."""
    above: list[int] = []
    for number in unit.numbers:
        if number >= cited:
            break
        above.append(number)
    room = max_lines - 1
    kept = above[len(above) - min(room, len(above)) :]
    below = list(islice(unit.numbers, room - len(kept)))
    rest = any(not is_blank(lines(number) or "") for number in islice(unit.numbers, REST_LOOK))
    return [*kept, cited, *below], rest or len(kept) < len(above)


def _within_chars(lines: Sequence[str], cited: int, numbers: Sequence[int], max_chars: int) -> Sequence[int]:
    """The numbers without those above the cited line that would push its end out of `max_chars`."""
    place = numbers.index(cited)
    size = 0
    start = place
    for index in range(place, -1, -1):
        number = numbers[index]
        size += len(f"L{number + 1}: ") + _units(lines[number], max_chars) + (index < place)
        if size > max_chars and index < place:
            break
        start = index
    return numbers[start:]


def _fit(lines: Sequence[str], unit: str, numbers: Sequence[int], max_chars: int, *, left_out: bool) -> Excerpt:
    """The excerpt of the numbered lines, cut where their text in the reference's form passes `max_chars`."""
    kept: list[tuple[int, str]] = []
    used = 0
    clipped = False
    for number in numbers:
        used += len(f"L{number + 1}: ") + (1 if kept else 0)
        text = _clip(lines[number], max_chars - used)
        clipped = len(text) < len(lines[number]) or used > max_chars
        if not clipped or text or not kept:
            kept.append((number + 1, text))
        if clipped:
            break
        used += _units(text, max_chars)
    return Excerpt(kept[0][0], kept[-1][0], unit, clipped or left_out, tuple(kept), clipped)


def _units(text: str, limit: int) -> int:
    """The UTF-16 units of the text; of a text longer than the limit only that they are more than it."""
    start = text[: limit + 1]
    return len(start) if start.isascii() else len(start) + sum(character > "\uffff" for character in start)


def _clip(text: str, limit: int) -> str:
    """The longest start of the text that has at most `limit` UTF-16 units."""
    if limit <= 0:
        return ""
    if _units(text, limit) <= limit:
        return text
    used = 0
    for place, character in enumerate(text[: limit + 1]):
        used += 2 if character > "\uffff" else 1
        if used > limit:
            return text[:place]
    return text
