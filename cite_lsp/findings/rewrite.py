"""Rewriting a citation in its author's form: the numbers, the path, the target of a link; no other byte."""

import re
from posixpath import relpath

from cite_lsp.document.anchors import Anchor, Target
from cite_lsp.document.document import Document
from cite_lsp.findings.finding import Edit
from cite_lsp.snapshot.ladder import UPWARDS, downwards

_SEPARATOR = re.compile(r"([/\\])")


def renumber(anchor: Anchor, index: int, span: tuple[int, int]) -> tuple[Edit, ...]:
    """Give the edits that write `span` in place of the anchor's span number `index`, whose shape is kept."""
    places = anchor.number_ranges[index]
    edits = [Edit(start, end, str(number)) for (start, end), number in zip(places, span, strict=False)]
    return (*edits, *_target_edit(anchor, index, span))


def end_only(anchor: Anchor, index: int, last: int) -> tuple[Edit, ...]:
    """Give the edit that writes another last line."""
    places = anchor.number_ranges[index]
    if len(places) < 2:
        return ()
    first, _ = anchor.spans[index]
    return (Edit(places[-1][0], places[-1][1], str(last)), *_target_edit(anchor, index, (first, last)))


def repath(anchor: Anchor, document: Document, path: str) -> tuple[Edit, ...]:
    """Give the edits that make the anchor cite `path`, root-relative; none where its path is not written in it.

    A path written from the document's folder stays so written.
    """
    new = _as_written(anchor, document, path)
    if "\\" in anchor.path and "/" not in anchor.path:
        new = new.replace("/", "\\")
    if anchor.form == "markdown-link" and "<" not in anchor.text:
        new = new.replace(" ", "%20")
    return _path_edits(anchor, new, path)


def _as_written(anchor: Anchor, document: Document, path: str) -> str:
    written = anchor.path.replace("\\", "/")
    folder = document.path.rpartition("/")[0]
    if written.startswith(("./", "../")) or (anchor.target is not None and folder and not written.startswith("/")):
        relative = relpath(path, folder or ".")
        return f"./{relative}" if written.startswith("./") and not relative.startswith("../") else relative
    return f"/{path}" if written.startswith("/") else path


def respell(anchor: Anchor, path: str) -> tuple[Edit, ...]:
    """Give the edits that spell the anchor's path as the file system does: `path`, root-relative, ends in it."""
    upwards = UPWARDS.match(anchor.path.replace("\\", "/"))
    lead = upwards.end() if upwards else 0
    pieces = _SEPARATOR.split(anchor.path[lead:])
    names = pieces[::2]
    if any(name in ("", ".", "..") for name in names[1:]):
        return ()
    real = path.split("/")
    size = min(len(real), len(names) - (not names[0]))
    pieces[::2] = names[:-size] + real[-size:]
    return _path_edits(anchor, anchor.path[:lead] + "".join(pieces), path)


def _path_edits(anchor: Anchor, new: str, path: str) -> tuple[Edit, ...]:
    """Write `new` in place of the anchor's path, and in the text of its link the end of `path` that it names."""
    start = _path_start(anchor)
    if start is None or anchor.path == new:
        return ()
    edit = Edit(anchor.start + start, anchor.start + start + len(anchor.path), new)
    return (*_link_text_edit(anchor, start, path), edit)


def _path_start(anchor: Anchor) -> int | None:
    """Give where the path stands in the anchor's text, of a link in its target; None where it is spelled otherwise."""
    start = anchor.text.rfind(anchor.path)
    if start < 0:
        return None
    if anchor.target is None:
        return start
    behind = anchor.text[start + len(anchor.path) : anchor.target.start - anchor.start]
    return start if behind[:1] in ("", "?", "#") else None


def _link_text_edit(anchor: Anchor, target: int, path: str) -> tuple[Edit, ...]:
    """Rewrite the path in a link's text: the longest ending of the target's path that stands there before lines."""
    if anchor.target is None:
        return ()
    names = downwards(anchor.path).split("/")
    for size in range(len(names), 0, -1):
        old = "/".join(names[-size:])
        new = "/".join(path.split("/")[-size:])
        whole = re.compile(rf"(?<![\w/\\.-]){re.escape(old)}(?![\w/\\-]|\.\w)")
        found = whole.search(anchor.text, 0, target)
        if found and old != new:
            return (Edit(anchor.start + found.start(), anchor.start + found.end(), new),)
    return ()


def retarget(anchor: Anchor) -> tuple[Edit, ...]:
    """Give the edit that makes a link's target name the lines of its text, in the target's own form."""
    target = anchor.target
    if target is None or target.start == target.end:
        return ()
    return (_target_lines(anchor, target, anchor.spans[0]),)


def _target_edit(anchor: Anchor, index: int, span: tuple[int, int]) -> tuple[Edit, ...]:
    """Give the edit that lets a link's target follow its text, whose span number `index` is being rewritten."""
    target = anchor.target
    if index or target is None or target.start == target.end or anchor.number_ranges[0][0][0] >= target.start:
        return ()
    edit = _target_lines(anchor, target, span)
    had_end = "-" in anchor.text[target.start - anchor.start : target.end - anchor.start]
    return (edit,) if had_end else ()


def _target_lines(anchor: Anchor, target: Target, span: tuple[int, int]) -> Edit:
    first, last = span
    old = anchor.text[target.start - anchor.start : target.end - anchor.start]
    mark = "#L" if old.startswith("#") else ":"
    end = "" if last == first else f"-L{last}" if mark == "#L" else f"-{last}"
    return Edit(target.start, target.end, f"{mark}{first}{end}")
