r"""Unified diffs that `git apply` takes, made from what was replaced: no line of the rest is compared.

Lines are those of the format: bytes up to "\n" and nothing else, whatever the file's encoding.
"""

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

CONTEXT = 3
_NO_END = b"\n\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True)
class Replaced:
    """Bytes of the old content, from `start` up to `end`, and what stands there now."""

    start: int
    end: int
    data: bytes


@dataclass(frozen=True, slots=True)
class _Block:
    """Whole lines of the old content, by 0-based number, and the lines in their place."""

    first: int
    behind: int
    lines: list[bytes]


def unified_diff(path: str, old: bytes, changes: Sequence[Replaced]) -> bytes:
    """Give the diff of one file; empty when nothing differs.

    `path` is relative to the folder in which the diff is to be applied, POSIX. `changes` are in order and apart.
    """
    lines = _lines(old)
    blocks = list(_blocks(old, lines, changes))
    if not blocks:
        return b""
    before, after = _name("a/" + path), _name("b/" + path)
    tab = b"\t" if " " in path else b""
    head = b"diff --git %s %s\n--- %s%s\n+++ %s%s\n" % (before, after, before, tab, after, tab)
    return head + b"".join(_hunks(lines, blocks))


def _lines(data: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _blocks(old: bytes, lines: Sequence[bytes], changes: Sequence[Replaced]) -> Iterator[_Block]:
    """Give the lines that differ; changes that touch the same line, or lines beside each other, are one block."""
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    last = max(0, len(lines) - 1)
    group: list[Replaced] = []
    first = behind = 0
    for change in changes:
        begins = min(bisect_right(starts, change.start) - 1, last)
        ends = min(bisect_right(starts, change.end) - 1, last) + 1
        if group and begins < behind:
            group.append(change)
            behind = max(behind, ends)
            continue
        if group:
            yield from _block(old, lines, starts, (first, behind), group)
        group, first, behind = [change], begins, ends
    if group:
        yield from _block(old, lines, starts, (first, min(behind, len(lines))), group)


def _block(
    old: bytes, lines: Sequence[bytes], starts: Sequence[int], span: tuple[int, int], changes: Iterable[Replaced]
) -> Iterator[_Block]:
    first, behind = span
    made, at = [], starts[first]
    for change in changes:
        made += [old[at : change.start], change.data]
        at = change.end
    new = _lines(b"".join((*made, old[at : starts[behind]])))
    while first < behind and new and lines[first] == new[0]:
        first += 1
        del new[0]
    while first < behind and new and lines[behind - 1] == new[-1]:
        behind -= 1
        del new[-1]
    if new or first < behind:
        yield _Block(first, behind, new)


def _hunks(lines: Sequence[bytes], blocks: Sequence[_Block]) -> Iterator[bytes]:
    shift = 0
    for hunk in _together(blocks):
        low, high = max(0, hunk[0].first - CONTEXT), min(len(lines), hunk[-1].behind + CONTEXT)
        grown = sum(len(block.lines) - (block.behind - block.first) for block in hunk)
        yield b"@@ -%s +%s @@\n" % (_span(low, high - low), _span(low + shift, high - low + grown))
        yield from _body(lines, hunk, low, high)
        shift += grown


def _body(lines: Sequence[bytes], hunk: Sequence[_Block], low: int, high: int) -> Iterator[bytes]:
    at = low
    for block in hunk:
        yield from _marked(b" ", lines[at : block.first])
        yield from _marked(b"-", lines[block.first : block.behind])
        yield from _marked(b"+", block.lines)
        at = block.behind
    yield from _marked(b" ", lines[at:high])


def _together(blocks: Sequence[_Block]) -> Iterator[list[_Block]]:
    """Give the blocks of each hunk: those whose context meets."""
    hunk = [blocks[0]]
    for before, block in pairwise(blocks):
        if block.first - before.behind > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    yield hunk


def _span(first: int, count: int) -> bytes:
    return b"%d,%d" % (first + 1 if count else first, count)


def _marked(mark: bytes, lines: Iterable[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield mark + (line if line.endswith(b"\n") else line + _NO_END)


def _name(path: str) -> bytes:
    """Give a path as git writes it: in quotes, with escapes, where a byte would not stand for itself."""
    data = os.fsencode(path)
    if not any(byte < 0x20 or byte in b'"\\\x7f' for byte in data):
        return data
    escaped = (b"\\%03o" % byte if byte < 0x20 or byte in b'"\\\x7f' else bytes((byte,)) for byte in data)
    return b'"' + b"".join(escaped) + b'"'
