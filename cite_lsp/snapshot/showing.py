"""What a citation showed in one commit: its path and lines, looked up there by the same ladder as at present."""

import re
from typing import NamedTuple

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.document.path_token import known_spelling
from cite_lsp.snapshot.copies import Moment
from cite_lsp.snapshot.ladder import Home, Ladder, Place, downwards, joined
from cite_lsp.snapshot.lines import FileText, Unread
from cite_lsp.snapshot.mentions import DocumentMentions
from cite_lsp.snapshot.objects import GITLINK
from cite_lsp.snapshot.resolve import Resolution, resolve_lines, unresolved
from cite_lsp.snapshot.trees import CommitFiles, CommitPaths


class Shown(NamedTuple):
    """A place that a citation meant in a commit, and the file there; `text` says why there is none."""

    place: Place
    text: FileText | Unread
    blob: bytes = b""


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


_HEX = re.compile(r"[0-9a-f]{7,40}(?:[0-9a-f]{24})?")


def is_commit_name(ref: str) -> bool:
    """Say whether a ref of a link is the name of a commit, in hexadecimal."""
    return _HEX.fullmatch(ref) is not None
