"""Drift while a cited file is typed in: what stood somewhere before the edit is looked for where the edit moved it.

Only what is not there is searched for in the whole file, once typing rests.
"""

from typing import TYPE_CHECKING

from cite_lsp.document.ranges import Span
from cite_lsp.findings.by_block import Drifts
from cite_lsp.snapshot.drift import Drift, is_telling, last_edit, shifted, stands_at
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
    was, for there may be copies now. None where an anchor leads to another file than before, or its lines came to be
    and it was not compared yet: everything is to be looked at anew.
    """
    found: list[Drifts | None] = []
    due = old.due
    for number, (before, now) in enumerate(zip(old.present, present, strict=True)):
        drifts = old.known.drifts[number]
        if (now.root, now.path) != (before.root, before.path):
            return None
        if now.resolved != before.resolved:
            if not drifts or now.line_count is None or before.line_count is None:
                return None
            due = True  # its lines came or went at the end of the file, which is told at once
            found.append(drifts)
            continue
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


class Reaches:
    """The lines of cited files that what is known of blocks hangs on, while those files are edited.

    An edit elsewhere leaves what is known as it is: nothing of it is looked at. One round is one edit.
    """

    def __init__(self) -> None:
        self._before: dict[int, tuple[BlockChecked, tuple[Span, ...]]] = {}
        self._known: dict[int, tuple[BlockChecked, tuple[Span, ...]]] = {}
        """By the identity of what is known of a block; no lines where it hangs on more than some lines."""

    def begin(self) -> None:
        """Begin another round; what the last one did not ask for is forgotten."""
        self._before, self._known = self._known, {}

    def clear(self) -> None:
        """Forget all."""
        self._before, self._known = {}, {}

    def leave_alone(self, old: "BlockChecked", snapshot: Snapshot) -> bool:
        """Say whether all edits were elsewhere; `old` then has the texts that are cited now."""
        if len(old.texts) != len(old.present):
            return False
        files = [snapshot.file(resolution) for resolution in old.present]
        edits = [(text, file) for text, file in zip(old.texts, files, strict=True) if text is not file]
        if None in files or None in old.texts or not self._are_elsewhere(old, edits) or _looks_elsewhere(old):
            return False
        old.texts[:] = files
        return True

    def _are_elsewhere(self, old: "BlockChecked", edits: "list[tuple[FileText | None, FileText | None]]") -> bool:
        if not edits:
            return True
        kept = self._known.get(id(old)) or self._before.get(id(old)) or (old, _reach(old))
        self._known[id(old)] = kept
        if not kept[1]:
            return False
        for text, file in edits:
            if text is None or file is None:
                return False
            first, gone, came = last_edit(text.lines, file.lines)
            for low, high in kept[1]:  # of any of the files: those who cite two that are edited at once are few
                if high >= first and (came != gone or low < first + gone):
                    return False
        return True


def _looks_elsewhere(old: "BlockChecked") -> bool:
    """Say whether what is known of a block hangs on a file that it does not cite: where its text may be by now."""
    for now, written in zip(old.present, old.written, strict=True):
        for baseline in written.baselines if written is not None else ():
            if baseline.now not in ("", now.path):
                return True
    return False


def _reach(old: "BlockChecked") -> tuple[Span, ...]:
    """Give the lines that what is known of a block hangs on; none where it hangs on more than lines."""
    reach: list[Span] = []
    for number, anchor in enumerate(old.block.anchors):
        lines = _reach_of(old, number, anchor.spans) if old.present[number].status == "found" else ()
        if not lines:
            return ()
        reach += lines
    return tuple(reach)


def _reach_of(old: "BlockChecked", number: int, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    drifts, written, text = old.known.drifts[number], old.written[number], old.texts[number]
    if drifts is None or written is None or all(baseline.state != "text" for baseline in written.baselines):
        return spans
    if text is None or any(baseline.now != old.present[number].path for baseline in written.baselines):
        return ()
    reach: list[Span] = []
    for drift, baseline, (first, last) in zip(drifts, written.baselines, spans, strict=True):
        if baseline.state == "text":
            same = Drift("same", baseline=drift.baseline, time=drift.time, as_of=drift.as_of)
            if drift != same or not is_telling(baseline) or not stands_at(baseline, text.lines, first):
                return ()
        size = len(baseline.lines) if baseline.state == "text" else 0
        reach.append((first, max(last, first + size - 1)))
    return tuple(reach)
