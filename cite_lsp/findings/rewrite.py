"""Rewriting a citation in its author's form: the numbers, the path, the target of a link; no other byte."""

from posixpath import relpath

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.findings.finding import Edit


def renumber(anchor: Anchor, index: int, span: tuple[int, int]) -> tuple[Edit, ...]:
    """Give the edits that write `span` in place of the anchor's span number `index`, whose shape is kept."""
    places = anchor.number_ranges[index]
    return tuple(Edit(start, end, str(number)) for (start, end), number in zip(places, span, strict=False))


def end_only(anchor: Anchor, index: int, last: int) -> tuple[Edit, ...]:
    """Give the edit that writes another last line."""
    places = anchor.number_ranges[index]
    return (Edit(places[-1][0], places[-1][1], str(last)),) if len(places) > 1 else ()


def repath(anchor: Anchor, document: Document, path: str) -> tuple[Edit, ...]:
    """Give the edits that make the anchor cite `path`, root-relative; none where its path is not written in it.

    A path written from the document's folder stays so written.
    """
    new = _as_written(anchor, document, path)
    if anchor.form == "markdown-link" and "<" not in anchor.text:
        new = new.replace(" ", "%20")
    start = anchor.text.rfind(anchor.path)
    if start < 0 or anchor.path == new:
        return ()
    return (Edit(anchor.start + start, anchor.start + start + len(anchor.path), new),)


def _as_written(anchor: Anchor, document: Document, path: str) -> str:
    written = anchor.path.replace("\\", "/")
    folder = document.path.rpartition("/")[0]
    if written.startswith(("./", "../")) or (anchor.target is not None and folder and not written.startswith("/")):
        relative = relpath(path, folder or ".")
        return f"./{relative}" if written.startswith("./") and not relative.startswith("../") else relative
    return f"/{path}" if written.startswith("/") else path


def respell(anchor: Anchor, path: str) -> tuple[Edit, ...]:
    """Give the edits that spell the anchor's path as the file system does: `path`, root-relative, ends in it."""
    written = anchor.path.replace("\\", "/")
    kept = written.lstrip("./")
    lead = written[: len(written) - len(kept)]
    segments = path.split("/")[-len(kept.split("/")) :]
    start = anchor.text.rfind(anchor.path)
    if start < 0:
        return ()
    return (Edit(anchor.start + start, anchor.start + start + len(anchor.path), lead + "/".join(segments)),)


def retarget(anchor: Anchor) -> tuple[Edit, ...]:
    """Give the edit that makes a link's target name the lines of its text, in the target's own form."""
    target = anchor.target
    if target is None or target.start == target.end:
        return ()
    first, last = anchor.spans[0]
    old = anchor.text[target.start - anchor.start : target.end - anchor.start]
    mark = "#L" if old.startswith("#") else ":"
    end = "" if last == first else f"-L{last}" if mark == "#L" else f"-{last}"
    return (Edit(target.start, target.end, f"{mark}{first}{end}"),)
