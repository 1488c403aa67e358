"""What is asked about the past: of paths that are gone, and of citations when they were written."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from cite_lsp.document.document import Document
from cite_lsp.snapshot.baseline import Baseline, Written
from cite_lsp.snapshot.lines import FileText

if TYPE_CHECKING:
    from cite_lsp.snapshot.baselines import Baselines


class History(Protocol):
    """What is asked about paths that are gone; git's `Repository` answers it."""

    @property
    def top(self) -> str:
        """Absolute folder that paths are relative to."""

    def names_in_history(self) -> frozenset[str] | None:
        """Give every base name of HEAD's history; None when it is not known."""

    def renamed_to(self, path: str) -> str | None:
        """Give the path that `path` was renamed to, followed forward; None when git does not say."""


class Commits(Protocol):
    """What is asked about files as they were in a commit."""

    def file(self, blob: str) -> FileText | None:
        """Give the text of an object; None while, or where, it is not known."""

    def departed(self, baseline: Baseline, *, anywhere: bool) -> tuple[str, int] | None:
        """Give the commit after which a baseline's text no longer stood at its lines, or anywhere in its file.

        With the commit's time, in seconds since the epoch; None while, or where, it is not known.
        """


class LookingBack:
    """The past of documents by git, which is run when first asked; for each root one history."""

    def __init__(self, foreign: Sequence[str] = ()) -> None:
        """`foreign`: folders that paths of other repositories begin with."""
        self._foreign = foreign
        self._by_root: dict[str, Baselines | None] = {}
        self._last: tuple[Document | None, str, tuple[Written, ...]] = (None, "", ())

    def written(self, root: str, document: Document, as_of: str) -> tuple[Written, ...]:
        """Give what is known of the past of a document's anchors; empty where the root is in no repository."""
        last, moment, known = self._last
        if last is document and moment == as_of:
            return known
        baselines = self._baselines(root)
        if baselines is None:
            return ()
        from cite_lsp.snapshot.baselines import Asked  # noqa: PLC0415 - many snapshots never look back

        (found,) = baselines.written([Asked(document, as_of)])
        self._last = (document, as_of, found)
        return found

    def file(self, blob: str) -> FileText | None:
        """Give the text of an object, from whichever repository has it."""
        here = (each.file(blob) for each in self._by_root.values() if each is not None)
        return next((file for file in here if file is not None), None)

    def departed(self, baseline: Baseline, *, anywhere: bool) -> tuple[str, int] | None:
        """Give the commit after which a baseline's text no longer stood at its lines, or anywhere in its file."""
        here = (each.departed(baseline, anywhere=anywhere) for each in self._by_root.values() if each is not None)
        return next((found for found in here if found is not None), None)

    def _baselines(self, root: str) -> "Baselines | None":
        if root not in self._by_root:
            from cite_lsp.snapshot.baselines import Baselines  # noqa: PLC0415
            from cite_lsp.snapshot.git import NoRepository  # noqa: PLC0415

            found = Baselines.of(root, foreign=self._foreign) if root else None
            self._by_root[root] = None if isinstance(found, NoRepository) else found
        return self._by_root[root]
