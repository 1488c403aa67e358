"""Finds citations by the user's own expression in place of the grammar (setting `anchors.pattern`)."""

import re
from time import perf_counter
from typing import TYPE_CHECKING

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.find import Found
from cite_lsp.document.path_token import clean_path
from cite_lsp.document.ranges import Ranges, read_colon

if TYPE_CHECKING:
    from regex import Pattern

BLOCK_SECONDS = 0.1
"""How long the expression may take in one block."""
PARSE_SECONDS = 1.0
"""How long it may take in all blocks that one parse or one edit reads."""

_TAIL = re.compile(r"[-‐-―][0-9]+")
_LAST_LINES = re.compile(r":(?=[0-9]+(?:[-‐-―][0-9]+)?\Z)")


class Allowance:
    """The time that is left to the expression in one parse."""

    __slots__ = ("seconds",)

    def __init__(self, seconds: float = PARSE_SECONDS) -> None:
        self.seconds = seconds


def find_by_pattern(text: str, pattern: "Pattern[str]", allowance: Allowance) -> Found:
    """Find what the expression matches and reads as `path:line`; an optional `-end` behind the match is read too.

    A block on which the expression takes longer than `BLOCK_SECONDS`, or than what is left of the allowance, is
    given up and marked `overrun`.
    """
    if allowance.seconds <= 0:
        return Found(overrun=True)
    started = perf_counter()
    found = _find(text, pattern, min(BLOCK_SECONDS, allowance.seconds))
    allowance.seconds -= perf_counter() - started
    return found


def _find(text: str, pattern: "Pattern[str]", seconds: float) -> Found:
    found = Found()
    done = 0
    try:
        for match in pattern.finditer(text, timeout=seconds, concurrent=False):
            if match.start() < done or match.end() == match.start():
                continue
            anchor = _anchor(text, match.start(), match.end(), len(found.anchors))
            if anchor:
                found.anchors.append(anchor)
                done = anchor.end
    except TimeoutError:
        found.overrun = True
    return found


def _anchor(text: str, start: int, end: int, index: int) -> Anchor | None:
    tail = _TAIL.match(text, end)
    if tail:
        end = tail.end()
    lines = _LAST_LINES.search(text[start:end])
    if not lines:
        return None
    colon = start + lines.start()
    ranges: Ranges | None = read_colon(text, colon, end, spaced=False)
    path = clean_path(text[start:colon], escaped=True, percent=False)
    if ranges is None or not path:
        return None
    return Anchor(text[start:end], "pattern", path, ranges.spans, start, end, ranges.places, ranges.defect, index=index)
