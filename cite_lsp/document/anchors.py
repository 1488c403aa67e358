"""Anchors: the citations of a document, as written, each with its range (anchors.md)."""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from cite_lsp.document.ranges import Place, Ranges, Span

FORMS = (
    "pattern",
    "permalink",
    "markdown-link",
    "words",
    "continuation",
    "list",
    "approximate",
    "path-line-column",
    "path-line-range",
    "path-line",
)
"""In order of precedence: an anchor has the first that applies."""


def form_of(ranges: Ranges, first: str = "") -> str:
    """Give the form by precedence; `first` is one that comes before those that the numbers decide."""
    if first:
        return first
    if len(ranges.spans) > 1:
        return "list"
    if ranges.approximate:
        return "approximate"
    if ranges.column:
        return "path-line-column"
    return "path-line-range" if ranges.ranged else "path-line"


class CitedPath(NamedTuple):
    """A path, and of a permalink the repository and the ref it belongs to."""

    path: str
    repository: str = ""
    ref: str = ""


class Context(Protocol):
    """What an anchor stands in; made when the anchors of a document are read."""

    def claim(self, index: int) -> str:
        """Give the claim of the block's anchor number `index`."""

    def sentence(self, index: int) -> str:
        """Give the sentence of the block's anchor number `index`."""

    def sentence_place(self, index: int) -> Place:
        """Give where that sentence stands in the block."""

    @property
    def section(self) -> str:
        """The nearest heading of level 2 above, as written."""

    @property
    def citations(self) -> frozenset[str]:
        """The texts of the block's anchors."""

    @property
    def surroundings(self) -> object:
        """What else the claims depend on; equal when they are the same."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where the target of a link names lines: the range of `#L165` or `:12`, the empty one at its end when none."""

    start: int
    end: int
    disagrees: str = ""
    """"" or how text and target differ: `lines`, `name`."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A citation as written. Offsets are code points: into the document's text once read from `Document.anchors`."""

    text: str
    form: str
    path: str
    """As the author wrote it, cleaned; the resolver interprets `./`, `../`, `/`, `a/` and backslashes."""
    spans: tuple[Span, ...]
    """1-based, inclusive; malformed ones as written, a number of more than nine digits as 0."""
    start: int
    end: int
    number_ranges: tuple[tuple[Place, ...], ...]
    """For each span the ranges of its one or two numbers."""
    defect: str = ""
    """"" or why the lines can name nothing: `zero`, `reversed`, `too-long`, `third-number`."""
    approximate: bool = False
    repository: str = ""
    """Of a permalink: the address of its repository; "." for this one."""
    ref: str = ""
    """Of a permalink: the first segment of its ref."""
    target: Target | None = None
    index: int = field(default=0, compare=False)
    """Number among the anchors of its block."""
    context: Context | None = field(default=None, compare=False, repr=False)

    @property
    def claim(self) -> str:
        """The sentence, or the part of it, that the anchor stands behind."""
        return self.context.claim(self.index) if self.context else ""

    @property
    def sentence(self) -> str:
        """The whole sentence that holds the anchor."""
        return self.context.sentence(self.index) if self.context else ""

    @property
    def section(self) -> str:
        """The nearest heading of level 2 above as written, or ""."""
        return self.context.section if self.context else ""

    def numbered(self, index: int) -> "Anchor":
        """Give the same anchor as number `index` of its block."""
        return Anchor(
            self.text,
            self.form,
            self.path,
            self.spans,
            self.start,
            self.end,
            self.number_ranges,
            self.defect,
            self.approximate,
            self.repository,
            self.ref,
            self.target,
            index,
            self.context,
        )

    def bound(self, offset: int, context: Context | None) -> "Anchor":
        """Give the same anchor, moved by `offset`, in `context`."""
        return Anchor(
            self.text,
            self.form,
            self.path,
            self.spans,
            self.start + offset,
            self.end + offset,
            _moved(self.number_ranges, offset),
            self.defect,
            self.approximate,
            self.repository,
            self.ref,
            self.target and Target(self.target.start + offset, self.target.end + offset, self.target.disagrees),
            self.index,
            context,
        )


def _moved(ranges: tuple[tuple[Place, ...], ...], offset: int) -> tuple[tuple[Place, ...], ...]:
    return tuple([tuple([(low + offset, high + offset) for low, high in places]) for places in ranges])


def shifted(anchor: Anchor, offset: int) -> Anchor:
    """Give the anchor of a part of a block with offsets into the block."""
    return anchor.bound(offset, anchor.context)
