"""Rewriting a citation in its author's form: the numbers, the path, the target of a link; no other byte."""

import re
from collections.abc import Iterable, Sequence
from posixpath import relpath

from cite_lsp.document.anchors import Anchor, Target
from cite_lsp.document.document import Block, Document
from cite_lsp.document.ranges import Place, Span, read_colon, read_hash
from cite_lsp.findings.finding import Edit
from cite_lsp.snapshot.ladder import UPWARDS, downwards

_SEPARATOR = re.compile(r"([/\\])")
_LINE = re.compile(r"\b[Ll]ine(?=\s+L?\Z)")
_COLUMN = re.compile(r":[0-9]|C[0-9]|\+")
"""Behind a number that can have no end beside it."""


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
    new = as_written(anchor, document, path)
    if "\\" in anchor.path and "/" not in anchor.path:
        new = new.replace("/", "\\")
    if anchor.form == "markdown-link" and "<" not in anchor.text:
        new = new.replace(" ", "%20")
    return _path_edits(anchor, new, path)


def as_written(anchor: Anchor, document: Document, path: str) -> str:
    """Give how the anchor's author would write `path`, root-relative: from the document, or the root; with slashes."""
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


# --- other lines, and another path where need be


def restand(
    anchor: Anchor, document: Document, spans: Sequence[Span], path: str | None, block: Block | None = None
) -> tuple[Edit, ...]:
    """Give the edits that make an anchor cite `spans`, one for each of its own, and `path` where it is not None.

    None where nothing is to be changed, or the anchor's form cannot say it: each rewriting is read again before it is
    given. A single number becomes a range where it must, and a range a single number. The path of a continuation
    stands before it: its edit is that of the anchor, or of the code span, which names it, and is the same for each
    continuation of that path.

    Args:
        anchor: One of `document.anchors`; or one of `block.anchors`, and then the edits are relative to the block too.
        document: What it stands in.
        spans: First and last lines, 1-based, parallel to `anchor.spans`.
        path: Relative to the root.
        block: The block that `anchor` is relative to.
    """
    if anchor.defect or anchor.repository or len(spans) != len(anchor.spans):
        return ()
    if block is not None:
        return _restood(anchor, document, tuple(spans), path, block)
    start = 0
    for each in document.blocks:
        if start + len(each.text) >= anchor.end:
            inner = anchor.bound(-start, None)
            edits = _restood(inner, document, tuple(spans), path, each)
            return tuple([Edit(edit.start + start, edit.end + start, edit.text) for edit in edits])
        start += len(each.text)
    return ()


def _restood(
    anchor: Anchor, document: Document, spans: tuple[Span, ...], path: str | None, block: Block
) -> tuple[Edit, ...]:
    if block.text[anchor.start : anchor.end] != anchor.text:
        return ()
    edits: list[Edit] = []
    for index, span in enumerate(spans):
        if span != anchor.spans[index]:
            made = _span_edits(anchor, index, span)
            if made is None:
                return ()
            edits += made
    moves = path is not None and as_written(anchor, document, path) != anchor.path.replace("\\", "/")
    if path is not None and moves:
        there = repath(anchor, document, path) or _head_edits(anchor, document, path, block)
        if not there:
            return ()
        edits += there
    edits.sort(key=lambda edit: (edit.start, edit.end))
    if not moves and _is_plain(anchor, spans):
        return tuple(edits)
    return tuple(edits) if _reads_back(anchor, document, spans, path if moves else None, block, edits) else ()


def _is_plain(anchor: Anchor, spans: tuple[Span, ...]) -> bool:
    """Say whether nothing but the digits of `path:line` or `path:line-end` changes: it need not be read again."""
    if anchor.form not in ("path-line", "path-line-range") or len(spans) != 1:
        return False
    (first, last), (old_first, old_last) = spans[0], anchor.spans[0]
    return (first == last) == (old_first == old_last)


# --- numbers


def _span_edits(anchor: Anchor, index: int, span: Span) -> list[Edit] | None:
    """Write another span in place of number `index`, in the target of a link too; None where that cannot be."""
    places = tuple(dict.fromkeys(anchor.number_ranges[index]))  # of `a.py(24)` the one number stands there twice
    edits = _numbers(anchor.text, anchor.start, places, anchor.spans[index], span, _dash_of(anchor))
    target = anchor.target
    if edits is None or index or target is None or target.start == target.end or target.disagrees == "lines":
        return edits
    if places[0][0] >= target.start:
        return edits
    text = anchor.text[: target.end - anchor.start]
    at = target.start - anchor.start
    ranges = read_hash(text, at, len(text)) or read_colon(text, at, len(text), spaced=False)
    if ranges is None:
        return edits  # `#the-part`
    if len(ranges.spans) > 1 or ranges.defect:
        return None
    (there,), (old,) = ranges.places, ranges.spans
    first, last = span
    if len(there) == 1 and anchor.spans[0][1] > anchor.spans[0][0]:
        last = first  # the text names the end, the target the beginning
    elif len(there) == 2 and old != anchor.spans[0]:
        return None
    shifted = tuple((low + anchor.start, high + anchor.start) for low, high in there)
    more = _numbers(anchor.text, anchor.start, shifted, old, (first, last), "")
    return None if more is None else [*edits, *more]


def _numbers(text: str, start: int, places: tuple[Place, ...], old: Span, new: Span, dash: str) -> list[Edit] | None:
    """Write `new` at the places of the numbers of `old`; `text` begins at `start`."""
    (low, high), first, last = places[0], *new
    if len(places) == 2:
        end_low, end_high = places[1]
        between = text[high - start : end_low - start]
        if first == last and old[0] != old[1] and not re.search(r"[:C]", between):
            return [Edit(low, end_high, str(first))]
        pairs = ((places[0], old[0], first), (places[1], old[1], last))
        return [Edit(*place, str(now)) for place, was, now in pairs if was != now]
    if first == last:
        return [Edit(low, high, str(first))]
    before = text[: low - start]
    if _COLUMN.match(text, high - start) or (before.endswith("#L") and text.startswith(",", high - start)):
        return None
    dash = dash or ("-L" if before.endswith("L") else "-")
    word = _LINE.search(before, max(0, len(before) - 60))
    plural = [Edit(start + word.end(), start + word.end(), "s")] if word else []
    return [*plural, Edit(low, high, f"{first}{dash}{last}")]


def _dash_of(anchor: Anchor) -> str:
    """Give what stands between the ends of another range of the anchor; "" where there is none."""
    for places in anchor.number_ranges:
        if len(set(places)) == 2:
            between = anchor.text[places[0][1] - anchor.start : places[1][0] - anchor.start]
            return "" if ":" in between or "C" in between else between
    return ""


# --- the path of a continuation


def _head_edits(anchor: Anchor, document: Document, path: str, block: Block) -> tuple[Edit, ...]:
    """Write `path` where the path of a continuation stands: in an anchor before it, or a code span or link behind it.

    What a continuation reads is found by trying: the rewriting is read again.
    """
    if anchor.form != "continuation":
        return ()
    heads = [each for each in block.anchors if each.end <= anchor.start and each.form != "continuation"]
    head = next((each for each in reversed(heads) if each.path == anchor.path and not each.repository), None)
    bare = re.compile(rf"(?<=`){re.escape(anchor.path)}(?=`)|(?<=\]\(){re.escape(anchor.path)}(?=\))")
    named = [found.span() for found in bare.finditer(block.text, head.end if head is not None else 0, anchor.start)]
    if named:
        return (Edit(*named[-1], as_written(anchor, document, path)),)
    return repath(head, document, path) if head is not None else ()


# --- read again


def _reads_back(
    anchor: Anchor,
    document: Document,
    spans: tuple[Span, ...],
    path: str | None,
    block: Block,
    edits: Sequence[Edit],
) -> bool:
    """Say whether the block reads as it should with the edits: this anchor as wanted, the others as they were."""
    text = _applied(block.text, edits)
    if text is None:
        return False
    found = document.anchors_with(block, text)
    if len(found) != len(block.anchors):
        return False
    for old, new in zip(block.anchors, found, strict=True):
        mine = old.start == anchor.start and old.end == anchor.end
        paths = {old.path.replace("\\", "/")}
        if path is not None and (mine or old.path == anchor.path):
            paths = {as_written(old, document, path)} if mine else {*paths, as_written(old, document, path)}
        if new.spans != (spans if mine else old.spans) or new.path.replace("\\", "/") not in paths:
            return False
        if (new.defect, new.repository, new.approximate) != (old.defect, old.repository, old.approximate):
            return False
        if not _kept(old, new):
            return False
    return True


def _kept(old: Anchor, new: Anchor) -> bool:
    """Say whether a link's text and target agree as they did, and a continuation is still one."""
    agreed = old.target.disagrees if old.target is not None else ""
    agrees = new.target.disagrees if new.target is not None else ""
    return agreed == agrees and (old.form == "continuation") == (new.form == "continuation")


def _applied(text: str, edits: Iterable[Edit]) -> str | None:
    """Give the text with the edits, which are in order; None where they touch each other."""
    parts, position = [], 0
    for edit in edits:
        if edit.start < position:
            return None
        parts += [text[position : edit.start], edit.text]
        position = edit.end
    return "".join([*parts, text[position:]])
