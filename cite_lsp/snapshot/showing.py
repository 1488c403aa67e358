"""What a citation showed in one commit: its path and lines, looked up there by the same ladder as at present."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.document.path_token import known_spelling
from cite_lsp.document.ranges import Span
from cite_lsp.snapshot.baseline import CONTEXT, MOST_TWINS, Baseline, Twin
from cite_lsp.snapshot.ladder import Home, Ladder, Place, downwards, joined
from cite_lsp.snapshot.lines import FileText, Unread
from cite_lsp.snapshot.mentions import DocumentMentions
from cite_lsp.snapshot.objects import GITLINK, Kept
from cite_lsp.snapshot.resolve import Resolution, resolve_lines, unresolved
from cite_lsp.snapshot.trees import CommitFiles, CommitPaths

_MOST_COMPARED = 2_000
"""Lines of a longer span are not looked for elsewhere in its file."""
_KEPT_LINES = 200_000


class Shown(NamedTuple):
    """A place that a citation meant in a commit, and the file there; `text` says why there is none."""

    place: Place
    text: FileText | Unread
    blob: bytes = b""


@dataclass(frozen=True, slots=True)
class Moment:
    """A commit in full hexadecimal, and when it was made: seconds since the epoch."""

    commit: str
    time: int


class CommitView:
    """The files of one commit as a document sees them."""

    def __init__(self, paths: CommitPaths, moment: Moment, mentions: DocumentMentions) -> None:
        self.moment = moment
        self.paths = paths
        self._files = CommitFiles(paths)
        self._ladder = Ladder([paths], self._files, mentions)

    def show(self, anchor: Anchor, document: Document, folder: str) -> Shown | None:
        """Give what an anchor's path meant; None when nothing in the commit had it.

        `folder`: where the document lay in the commit, relative to the root.
        """
        place = self._ladder.climb(anchor.path, Home(0, (folder,)), document)
        if place is None:
            return None
        if place.status in ("ambiguous", "missing", "outside"):
            return Shown(place, Unread("missing", "does not exist"))
        return self.shown(place)

    def shown(self, place: Place) -> Shown:
        """Give the file of a place."""
        full = joined(place.root, place.path)
        found = self.paths.find(place.path)
        return Shown(place, self._files.read(full), b"" if found is None else found.id)

    def at_root(self, path: str, document: Document) -> Shown | None:
        """Give the file at a root-relative path."""
        place = self._ladder.climb("/" + path, Home(0, ()), document)
        return self.shown(place) if place is not None and place.via == "root" else None

    def submodule(self, anchor: Anchor, folder: str) -> bool:
        """Say whether an anchor's path leads into a submodule that is not to be read."""
        path = downwards(anchor.path)
        tops = {f"{folder}/{path}" if folder else path, path}
        found = [self.paths.find(each) for each in tops]
        return any(each is not None and each.mode == GITLINK for each in found)

    def resolution(self, anchor: Anchor, shown: Shown | None, via: str = "") -> Resolution:
        """Give what an anchor meant, as a resolution of this commit."""
        moment = self.moment
        if shown is None:
            base = Resolution("missing", (), path=known_spelling(anchor.path))
            return unresolved(anchor, "missing", base)._replace(as_of=moment.commit, as_of_time=moment.time)
        place = shown.place
        base = Resolution(
            place.status, (), place.root, place.path, via or place.via, place.candidates,
            left_out=place.left_out, as_of=moment.commit, as_of_time=moment.time, blob=shown.blob.decode("ascii"),
        )  # fmt: skip
        if place.status in ("ambiguous", "missing", "outside"):
            return unresolved(anchor, place.status, base)
        if isinstance(shown.text, Unread):
            return unresolved(
                anchor, shown.text.status, base._replace(status=shown.text.status, reason=shown.text.reason)
            )
        return resolve_lines(anchor, shown.text, base)


class Copies:
    """Finds the other places of a file where the same lines stand; keeps what it needs of the latest files."""

    def __init__(self) -> None:
        self._ended: Kept[str, list[str]] = Kept(_KEPT_LINES)

    def of(self, file: FileText, first: int, last: int) -> tuple[Twin, ...]:
        """Give up to `MOST_TWINS` places with the lines from `first` to `last`, but for white space at their ends."""
        if last - first >= _MOST_COMPARED:
            return ()
        ended = self._ended.get(file.sha256)
        if ended is None:
            ended = [line.rstrip() for line in file.lines]
            self._ended.put(file.sha256, ended, len(ended) + 1)
        block = ended[first - 1 : last]
        found: list[Twin] = []
        at = -1
        while len(found) < MOST_TWINS:
            try:
                at = ended.index(block[0], at + 1)
            except ValueError:
                break
            end = at + len(block)
            if at != first - 1 and ended[at:end] == block:
                found.append(Twin(file.lines[max(0, at - CONTEXT) : at], file.lines[end : end + CONTEXT]))
        return tuple(found)


def baseline_of(span: Span, moment: Moment, path: str, file: FileText, now: str, copies: Copies) -> Baseline:
    """Give the baseline of a span that lies in its file."""
    first, last = span
    lines = file.lines
    return Baseline(
        "text", moment.commit, moment.time, path, now, first, last, lines[first - 1 : last],
        lines[max(0, first - 1 - CONTEXT) : first - 1], lines[last : last + CONTEXT], copies.of(file, first, last),
    )  # fmt: skip


_HEX = re.compile(r"[0-9a-f]{7,40}(?:[0-9a-f]{24})?")


def is_commit_name(ref: str) -> bool:
    """Say whether a ref of a link is the name of a commit, in hexadecimal."""
    return _HEX.fullmatch(ref) is not None
