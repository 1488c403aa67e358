"""The setting `anchors.pattern`: a regular expression in place of the grammar (anchors.md, pattern)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

TIME_LIMIT_SECONDS = 0.25
"""How long one search with a user's pattern may take; pass it as `timeout=`, which raises TimeoutError."""

_MAX_LENGTH = 1_000

# Texts in which a pattern that can match nothing at all does so: ends and starts of words, of lines, of text.
_PROBES = (
    "",
    "a",
    "12",
    ":",
    " ",
    "\n",
    "See `src/a.ts:12-14`, (docs/b.md:3) and C:\\x\\y.py:7.\n\n- next/line_two.py:100 = done\n",
    "../naïve/файл.md:8\r\n\t[x](y#L1) @scope/pkg/z.test.tsx:45:6 \u2013 end",
)


def compile_pattern(source: str) -> "regex.Pattern[str] | str":
    r"""The compiled pattern, or the message that says why it was refused.

    Refused: a pattern that does not compile, matches the empty string, or has matches of no width (they would
    flood a document). Compiled with `regex`; `\d`, `\w` and `\p{…}` mean ASCII, as in the reference: letters of
    other scripts are reached by a negated class such as `[^\s:]`.
    A match is the text `path:line`; whoever scans reads an optional `-end` behind it.
    No search here takes longer than `TIME_LIMIT_SECONDS`.
    """
    if len(source) > _MAX_LENGTH:
        return f"the pattern has {len(source):,} characters; at most {_MAX_LENGTH:,} are read"
    import regex  # noqa: PLC0415 - few projects have a pattern

    try:
        pattern = regex.compile(source, regex.ASCII)
    except RecursionError:
        return "the pattern is nested too deeply to compile"
    except (regex.error, ValueError, OverflowError) as error:
        return f"the pattern does not compile: {error}"
    return _zero_width(pattern, source) or pattern


def _zero_width(pattern: "regex.Pattern[str]", source: str) -> str | None:
    """Why the pattern can match without any text, found by trying; None when it never did.

    What a lookaround looks for stands in the pattern's own source, so the source is tried as well.
    """
    try:
        if pattern.search("", timeout=TIME_LIMIT_SECONDS) is not None:
            return "the pattern matches the empty string; a match must be the text path:line"
        for text in (*_PROBES, source, _plain(source)):
            for match in pattern.finditer(text, timeout=TIME_LIMIT_SECONDS):
                if match.start() == match.end():
                    return "the pattern has matches of no width; a match must be the text path:line"
    except TimeoutError:
        return f"the pattern takes longer than {TIME_LIMIT_SECONDS} s on a line of text"
    except (RecursionError, MemoryError):
        return "the pattern cannot be run: it needs too much memory"
    return None


def _plain(source: str) -> str:
    """The source without the escapes, so that an escaped literal stands in it as it would in a text."""
    return source.replace("\\", "")
