"""Drift while a cited file is typed in: what stood somewhere before the edit is looked for where the edit moved it.

Only what is not there is searched for in the whole file, once typing rests.
"""

from typing import TYPE_CHECKING

from cite_lsp.findings.by_block import Drifts
from cite_lsp.snapshot.drift import Drift, shifted
from cite_lsp.snapshot.lines import FileText
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from cite_lsp.server.checks import BlockChecked


def compare_again(
    old: "BlockChecked", present: tuple[Resolution, ...], snapshot: Snapshot
) -> tuple[tuple[Drifts | None, ...], bool] | None:
    """Compare the anchors of a block with their past after cited files were edited.

    Gives their drifts, and whether a search is due: for what was not found, which keeps the drift it had, and for what
    was, for there may be copies now. None where an anchor leads to another file than before, or was not compared yet:
    everything is to be looked at anew.
    """
    found: list[Drifts | None] = []
    due = old.due
    for number, (before, now) in enumerate(zip(old.present, present, strict=True)):
        if (now.root, now.path, now.resolved) != (before.root, before.path, before.resolved):
            return None
        drifts = old.known.drifts[number]
        again = drifts and _again(old, number, now, snapshot.file(now))
        due = due or bool(drifts and (again is None or (again is not drifts and not _are_same(again))))
        found.append(again or drifts)
    return tuple(found), due


def _are_same(drifts: Drifts) -> bool:
    return all(drift.status == "same" for drift in drifts)


def _again(old: "BlockChecked", number: int, now: Resolution, file: FileText | None) -> Drifts | None:
    """Compare one anchor anew; None where a search is due."""
    drifts, written, text = old.known.drifts[number], old.written[number], old.texts[number]
    if drifts is None or written is None or all(baseline.state != "text" for baseline in written.baselines):
        return drifts
    if file is None or text is None or any(baseline.now != now.path for baseline in written.baselines):
        return None  # it is looked for in another file too
    if file is text:
        return drifts
    again: list[Drift] = []
    for drift, baseline, span in zip(drifts, written.baselines, old.block.anchors[number].spans, strict=True):
        new: Drift | None = drift
        if baseline.state == "text":
            new = shifted(drift, baseline, now.path, span, text.lines, file.lines)
        if new is None:
            return None
        again.append(new._replace(as_of=drift.as_of))
    return tuple(again)
