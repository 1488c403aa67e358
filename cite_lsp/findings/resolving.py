"""Findings of the layer *resolve*: what is said of a citation that does not lead where it says, and what helps."""

from collections.abc import Callable
from dataclasses import dataclass
from unicodedata import normalize

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.findings.finding import Edit, Fix
from cite_lsp.findings.told import as_written, lines_in_words
from cite_lsp.snapshot.ladder import downwards
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.rewrite import end_only, renumber, repath, respell
from cite_lsp.snapshot.snapshot import Snapshot

SILENT = frozenset({"found", "foreign"})
"""Statuses that are no finding."""


@dataclass(frozen=True, slots=True)
class Case:
    """One anchor and what it was resolved to."""

    anchor: Anchor
    resolution: Resolution
    document: Document
    snapshot: Snapshot

    @property
    def file(self) -> str:
        """The file's name as a message shows it."""
        return f"`{self.resolution.path or self.anchor.path}`"

    def span_with(self, status: str) -> int:
        """Give the index of the first span that has `status`."""
        spans = self.resolution.spans
        return spans.index(status) if status in spans else 0


Telling = tuple[str, tuple[Fix, ...]]
"""A message and its fixes."""


def tell(case: Case) -> Telling:
    """Give message and fixes for a resolution whose status is a finding."""
    return _TELLERS[case.resolution.status](case)


def _has(count: int) -> str:
    return "is empty" if not count else f"has {count:,} line{'' if count == 1 else 's'}"


def _quoted(paths: tuple[str, ...]) -> str:
    return ", ".join(f"`{path}`" for path in paths)


def _malformed(case: Case) -> Telling:
    anchor = case.anchor
    written = as_written(anchor.text)
    if anchor.defect == "zero":
        return f"lines start at 1: `{written}` cites line 0", ()
    if anchor.defect == "too-long":
        return f"`{written}` has a line number of more than nine digits", ()
    if anchor.defect == "third-number":
        return f"`{written}` has three numbers where a range has two", ()
    index, (first, last) = next((number, span) for number, span in enumerate(anchor.spans) if span[1] < span[0])
    completed = int(str(first)[: -len(str(last))] + str(last)) if len(str(last)) < len(str(first)) else 0
    if completed > first:
        fix = Fix(f"Write {first}-{completed}", renumber(anchor, index, (first, completed)), preferred=True)
        return f"the range {first}-{last} ends before it starts; {first}-{completed} may be meant", (fix,)
    fix = Fix(f"Write {last}-{first}", renumber(anchor, index, (last, first)), preferred=True)
    return f"the range {first}-{last} ends before it starts", (fix,)


def _outside(case: Case) -> Telling:
    return f"`{case.anchor.path}` leads out of the workspace, so it is not read", ()


def _missing(case: Case) -> Telling:
    message = f"{case.file} does not exist"
    if case.resolution.as_of:
        return message, ()
    renamed = case.snapshot.renamed_to(case.resolution, case.document)
    if renamed:
        edits = repath(case.anchor, case.document, renamed)
        return f"{message}; git says it was renamed to `{renamed}`", _fixes(f"Cite {renamed}", edits, preferred=True)
    closest = case.snapshot.closest(case.resolution)
    if not closest:
        return message, ()
    return f"{message}; the closest path is {_quoted(closest[:1])}", _choices(case, closest)


def _fixes(title: str, edits: tuple[Edit, ...], *, preferred: bool = False) -> tuple[Fix, ...]:
    return (Fix(title, edits, preferred),) if edits else ()


def _choices(case: Case, paths: tuple[str, ...]) -> tuple[Fix, ...]:
    """Offer each path; none is preferred."""
    return tuple(fix for path in paths for fix in _fixes(f"Cite {path}", repath(case.anchor, case.document, path)))


def _elsewhere(case: Case) -> Telling:
    return f"{case.file} is not in this workspace; it seems to be a file of another tree", ()


def _ambiguous(case: Case) -> Telling:
    candidates = case.resolution.candidates
    more = f" and {case.resolution.left_out:,} more" if case.resolution.left_out else ""
    message = f"`{case.anchor.path}` may be any of {_quoted(candidates)}{more}; write more of its path"
    return message, _choices(case, candidates)


def _unread(case: Case) -> Telling:
    return f"{case.file} {case.resolution.reason}; the cited lines were not looked at", ()


def _line_out_of_range(case: Case) -> Telling:
    first, last = case.anchor.spans[case.span_with("line-out-of-range")]
    verb = "does" if first == last else "do"
    return f"{case.file} {_has(case.resolution.line_count or 0)}; {lines_in_words((first, last))} {verb} not exist", ()


def _end_out_of_range(case: Case) -> Telling:
    index = case.span_with("end-out-of-range")
    first, last = case.anchor.spans[index]
    count = case.resolution.line_count or 0
    verb = "goes" if first == last else "go"
    message = f"{case.file} {_has(count)}; {lines_in_words((first, last))} {verb} past its end"
    if first > count:
        return message, ()
    return message, _fixes(f"End at line {count}", end_only(case.anchor, index, count), preferred=True)


def _blank_line(case: Case) -> Telling:
    first, last = case.anchor.spans[case.span_with("blank-line")]
    verb = "is" if first == last else "are"
    message = f"{lines_in_words((first, last))} of {case.file} {verb} blank"
    near = case.resolution.near
    return f"{message}; the nearest text is on line {' and line '.join(map(str, near))}" if near else message, ()


def _case_differs(case: Case) -> Telling:
    written = case.anchor.path
    message = f"`{written}` differs from the file's name, {case.file}, in upper and lower case"
    if normalize("NFC", case.resolution.path).endswith(normalize("NFC", downwards(written))):
        message = f"{case.file} is written in another Unicode normal form here; it looks the same and is not"
    return message, _fixes(
        f"Spell it {case.resolution.path}", respell(case.anchor, case.resolution.path), preferred=True
    )


def _ignored(case: Case) -> Telling:
    return f"{case.file} is ignored by git: other clones may not have it", ()


def _untracked(case: Case) -> Telling:
    return f"{case.file} is not tracked by git yet: other clones do not have it", ()


_TELLERS: dict[str, Callable[[Case], Telling]] = {
    "malformed": _malformed,
    "outside": _outside,
    "missing": _missing,
    "elsewhere": _elsewhere,
    "ambiguous": _ambiguous,
    "not-text": _unread,
    "too-large": _unread,
    "unreadable": _unread,
    "not-available": _unread,
    "line-out-of-range": _line_out_of_range,
    "end-out-of-range": _end_out_of_range,
    "blank-line": _blank_line,
    "case-differs": _case_differs,
    "ignored-target": _ignored,
    "untracked-target": _untracked,
}
