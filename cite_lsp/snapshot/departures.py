"""Since when a text stands no more where it stood: the commit that moved or removed it."""

from cite_lsp.snapshot.baseline import Baseline
from cite_lsp.snapshot.history import History
from cite_lsp.snapshot.lines import Unread
from cite_lsp.snapshot.objects import Objects


def departed(baseline: Baseline, path: bytes, history: History, objects: Objects, *, anywhere: bool) -> int | None:
    """Give the position of the commit after which a baseline's text no longer stood at its lines; None: unknown.

    `path`: the cited file in the baseline's commit, below the work tree's top; `anywhere`: no longer stood anywhere in
    the file. Versions are bisected: of a text that came back, one of its departures is given.
    """
    start = history.position_of.get(baseline.commit.encode("ascii", "replace"))
    if baseline.state != "text" or start is None:
        return None
    history.changes(start)
    if start >= history.read:
        return None
    block = [line.rstrip() for line in baseline.lines]
    first = None if anywhere else baseline.first
    versions = list(history.versions(path, start))
    low, high = -1, len(versions) - 1
    if high < 0 or _holds(versions[high][1], block, first, objects) is not False:
        return None
    while high - low > 1:  # the text stands in `low` (-1: the baseline itself), and not in `high`
        middle = (low + high) // 2
        holds = _holds(versions[middle][1], block, first, objects)
        if holds is None:
            return None
        low, high = (middle, high) if holds else (low, middle)
    return versions[high][0]


def _holds(blob: bytes, block: list[str], first: int | None, objects: Objects) -> bool | None:
    """Say whether a version has the lines, at a place or anywhere; None when it cannot be read."""
    if not blob:
        return False
    file = objects.file(blob)
    if isinstance(file, Unread):
        return None
    if first is not None:
        return [line.rstrip() for line in file.lines[first - 1 : first - 1 + len(block)]] == block
    ended = [line.rstrip() for line in file.lines]
    at = -1
    while True:
        try:
            at = ended.index(block[0], at + 1)
        except ValueError:
            return False
        if ended[at : at + len(block)] == block:
            return True
