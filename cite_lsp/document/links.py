"""Links and permalinks: one link is one anchor, its path the target's, its lines the text's if any (anchors.md)."""

import re
from typing import NamedTuple
from urllib.parse import unquote

from cite_lsp.document.anchors import Anchor, CitedPath, Target
from cite_lsp.document.inline import TARGET_CHARACTERS, Link
from cite_lsp.document.path_token import Grammar, clean_path
from cite_lsp.document.ranges import Ranges, read_colon, read_hash, read_words

_PERMALINK = re.compile(
    r"([A-Za-z][A-Za-z0-9+.-]*://[^/\s]+/[^?#]*?)/(?:-/)?(?:blob|tree|blame|raw|src)/([^/?#]+)/([^?#]+)(?:\?[^#]*)?(?:#|\Z)"
)
_REPOSITORY_LINK = re.compile(r"(?:\.\./)+(?:blob|tree)/([^/?#]+)/([^?#]+)(?:\?[^#]*)?(?:#|\Z)")
_OTHER_SCHEME = re.compile(
    r"(?:(?!file:)[A-Za-z][A-Za-z0-9+.-]*://|(?:mailto|tel|data|javascript|command):)", re.IGNORECASE
)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_LINES_IN_TEXT = re.compile(r"(?<![\w#:])(?:[Ll]ine(s?)\s{1,40}|ln\s{1,40}|L|(:))(?=[~L]?[0-9])")
_COLON_LINES = re.compile(r":(?=[~L]?[0-9])")
_DEFINED = re.compile(r"(?:[ \t]{0,3}>[ \t]?)*[ \t]*(?=\[)")


class Reading(NamedTuple):
    """What a link is: an anchor, or a path without lines, or neither."""

    anchor: Anchor | None = None
    bare: CitedPath | None = None


class _Cited(NamedTuple):
    """What a target names: a path, and the ranges behind it, which start at `lines_start`, its end where none are."""

    path: CitedPath
    ranges: Ranges | None
    lines_start: int
    form: str = "markdown-link"


def permalink(text: str, start: int, end: int) -> Anchor | None:
    """Give the anchor of a bare address, or None when it is no permalink with lines."""
    cited = _permalink(text, start, end)
    if cited is None or cited.ranges is None:
        return None
    ranges, path = cited.ranges, cited.path
    return Anchor(
        text[start : ranges.end],
        "permalink",
        path.path,
        ranges.spans,
        start,
        ranges.end,
        ranges.places,
        ranges.defect,
        repository=path.repository,
        ref=path.ref,
    )


def _permalink(text: str, start: int, end: int) -> _Cited | None:
    address = _PERMALINK.match(_ESCAPE.sub(r"\1", text[start:end]))
    if not address:
        return None
    return _at_ref(text, start, end, CitedPath(_decoded(address.group(3)), address.group(1), address.group(2)))


def _in_this_repository(text: str, start: int, end: int) -> _Cited | None:
    target = _REPOSITORY_LINK.match(_ESCAPE.sub(r"\1", text[start:end]))
    if not target:
        return None
    return _at_ref(text, start, end, CitedPath(_decoded(target.group(2)), ".", target.group(1)))


def _decoded(path: str) -> str:
    return unquote(path, errors="replace")


def _at_ref(text: str, start: int, end: int, path: CitedPath) -> _Cited:
    lines = text.find("#", start, end)
    ranges = read_hash(text, lines, end) if lines >= 0 else None
    return _Cited(path, ranges, lines if ranges else end, "permalink")


def _path_target(text: str, start: int, end: int, grammar: Grammar) -> _Cited | None:
    hash_sign = text.find("#", start, end)
    path_end, ranges = (hash_sign if hash_sign >= 0 else end), None
    if hash_sign == start:
        ranges = read_hash(text, start, end)
        return _Cited(CitedPath(grammar.own_path), ranges, start) if ranges and grammar.own_path else None
    if hash_sign >= 0:
        ranges = read_hash(text, hash_sign, end)
    else:
        for colon in _COLON_LINES.finditer(text, start, end):
            found = read_colon(text, colon.start(), end, spaced=False)
            if found and found.end == end:
                path_end, ranges = colon.start(), found
                break
    query = text.find("?", start, path_end)
    path = clean_path(text[start : query if query >= 0 else path_end], escaped=True, percent=True)
    if not grammar.acceptance.accepts(path):
        return None
    return _Cited(CitedPath(path), ranges, path_end if ranges else end)


def _cited(text: str, start: int, end: int, grammar: Grammar) -> _Cited | None:
    """Read a link's target."""
    if _OTHER_SCHEME.match(text, start, end):
        cited = _permalink(text, start, end)
        return cited if cited and cited.ranges else None
    return _in_this_repository(text, start, end) or _path_target(text, start, end, grammar)


def _text_lines(text: str, link: Link) -> Ranges | None:
    """Read the lines of a link text that names no path: `L94`, `lines 5-6`, `:12`."""
    words = _LINES_IN_TEXT.search(text, link.text_start, link.text_end)
    if not words:
        return None
    if words.group(2):
        return read_colon(text, words.start(), link.text_end, spaced=True)
    return read_words(text, words.end(), link.text_end, plural=words.group(1) == "s")


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _disagreement(inner: Anchor | None, lines: Ranges | None, cited: _Cited) -> str:
    """Say how text and target differ: another name, another first line, or two ends that differ."""
    if inner is not None and _name(inner.path) != _name(cited.path.path):
        return "name"
    spans = inner.spans if inner is not None else lines.spans if lines else ()
    if not spans or cited.ranges is None:
        return ""
    (first, last), (target_first, target_last) = spans[0], cited.ranges.spans[0]
    both_end = last != first and target_last != target_first
    return "lines" if first != target_first or (both_end and last != target_last) else ""


def read_link(text: str, link: Link, grammar: Grammar, inner: Anchor | None) -> Reading:
    """Read a link. `inner` is the anchor that its text holds, with offsets into `text`."""
    cited = _cited(text, link.target_start, link.target_end, grammar)
    if cited is None:
        return Reading()
    lines = None if inner is not None else _text_lines(text, link)
    chosen = lines or cited.ranges
    if inner is None and chosen is None:
        return Reading(bare=cited.path)
    disagrees = _disagreement(inner, lines, cited)
    target = Target(cited.lines_start, link.target_end, disagrees)
    if inner is not None:
        spans, places, defect, approximate = inner.spans, inner.number_ranges, inner.defect, inner.approximate
    else:
        assert chosen is not None  # noqa: S101 - tells the type checker what the branch above settled
        spans, places, defect, approximate = chosen.spans, chosen.places, chosen.defect, chosen.approximate
    return Reading(
        Anchor(
            text[link.start : link.end],
            cited.form,
            cited.path.path,
            spans,
            link.start,
            link.end,
            places,
            defect,
            approximate,
            cited.path.repository,
            cited.path.ref,
            target,
        )
    )


def definition_link(text: str) -> Link | None:
    """Give `[name]: target` as a link without text; it covers the whole definition."""
    opening = _DEFINED.match(text)
    start = opening.end() if opening else 0
    position = text.find("]:", start) + 2
    stop = len(text.rstrip(" \t\r\n"))
    position += len(text[position:stop]) - len(text[position:stop].lstrip(" \t"))
    if text.startswith("<", position):
        position += 1
        end = text.find(">", position)
    else:
        ends = [at for at in (text.find(mark, position, stop) for mark in " \t") if at >= 0]
        end = min(ends, default=stop)
    if not 0 < end - position <= TARGET_CHARACTERS:
        return None
    return Link(start, start + 1, start + 1, position, end, stop)
