"""textDocument/hover: the cited lines, what is wrong with the citation, and what the judge said."""

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from cite_lsp.audit.judgement import Judged
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.ranges import Span, span_text
from cite_lsp.findings.drifting import commit_in_words, drift_in_words
from cite_lsp.findings.told import lines_in_words
from cite_lsp.server.hits import Hit
from cite_lsp.server.open_document import OpenDocument, Place
from cite_lsp.server.session import Session
from cite_lsp.snapshot.drift import Standing
from cite_lsp.snapshot.excerpt import Excerpt
from cite_lsp.snapshot.resolve import Resolution

_SAID_BY_DRIFT = frozenset({"moved", "gone", "born-wrong"})
"""Codes whose message says no more than the line on drift."""
_MOST_LINES = 40
_MOST_SPANS = 4
_AROUND = 2
"""Lines that are shown before and after blank ones."""
_WIDEST = 200
_MARKS = re.compile(r"([\\`*\[\]<|~]|&(?=[#A-Za-z])|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^[#>+-])")
_BARE_LINKS = re.compile(
    r":(?=//)|\bwww(?=\.)|(?<=[A-Za-z0-9._+-])@(?=[A-Za-z0-9])|\b(?:mailto|xmpp)(?=:)", re.IGNORECASE
)
_TICKS = re.compile(r"`+")
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
_LANGUAGES = {"js": "javascript", "ts": "typescript", "py": "python", "rs": "rust", "sh": "bash", "yml": "yaml"}


def hover_at(session: Session, uri: str, line: int, units: int) -> dict[str, Any] | None:
    """Give the hover of the citation at a position, or of what a policy file asks there."""
    of_policy = _of_policy(session, uri, line, units)
    if of_policy is not None:
        return of_policy
    found = session.hit(uri, line, units)
    if found is None:
        return None
    document, hit = found
    place = document.place
    if place is None or document.document is None:
        return None
    form = _Markdown() if session.client.hover_markdown else _Plain()
    parts = list(_parts(document, place, hit, form))
    if not parts:
        return None
    return {
        "contents": {"kind": form.kind, "value": "\n\n".join(parts)},
        "range": hit.range(document.encoding),
    }


def _of_policy(session: Session, uri: str, line: int, units: int) -> dict[str, Any] | None:
    document = session.find(uri)
    policies = session.policy_files.get(document) if document is not None else None
    if document is None or policies is None:
        return None
    from cite_lsp.server.features.policy_hover import policy_parts  # noqa: PLC0415 - few files need it

    form = _Markdown() if session.client.hover_markdown else _Plain()
    found = policy_parts(session, document, policies, (line, units), form)
    if found is None:
        return None
    parts, where = found
    return {"contents": {"kind": form.kind, "value": "\n\n".join(parts)}, "range": where}


class _Markdown:
    kind = "markdown"

    def text(self, text: str) -> str:
        """Escape what is data: no link of it can be followed, no mark-up of it counts."""
        return _unlinked(_MARKS.sub(r"\\\1", " ".join(text.split())))

    def quote(self, text: str) -> str:
        """Give data as code: nothing in it counts as mark-up, and nothing needs to be escaped."""
        line = " ".join(text.split())
        return _code(line) if line else ""

    def told(self, text: str) -> str:
        """Escape a message of ours, in which names of files stand between backticks."""
        parts = text.split("`")
        if len(parts) % 2 == 0:
            return self.text(text)
        return "".join(_code(part) if number % 2 else self.text_inside(part) for number, part in enumerate(parts))

    def text_inside(self, text: str) -> str:
        """Escape a part of a message, its outer blanks kept."""
        return _unlinked(_MARKS.sub(r"\\\1", re.sub(r"\s+", " ", text)))

    def name(self, text: str) -> str:
        return f"**{_code(text)}**"

    def strong(self, text: str) -> str:
        return f"**{text}**"

    def block(self, text: str, language: str) -> str:
        longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}{language}\n{text}\n{fence}"


class _Plain(_Markdown):
    kind = "plaintext"

    def text(self, text: str) -> str:
        return " ".join(text.split())

    def quote(self, text: str) -> str:
        return " ".join(text.split())

    def told(self, text: str) -> str:
        return text

    def name(self, text: str) -> str:
        return text

    def strong(self, text: str) -> str:
        return text

    def block(self, text: str, language: str) -> str:  # noqa: ARG002 - the form with mark-up needs it
        return text


def _unlinked(text: str) -> str:
    """Break what Markdown makes a link of without any mark: addresses, names that begin with "www.", mail."""
    return _BARE_LINKS.sub("\\g<0>\u200b", text)


def _code(text: str) -> str:
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1) if longest else "`"
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _parts(document: OpenDocument, place: Place, hit: Hit, form: _Markdown) -> Iterator[str]:
    judged = document.verdicts.of(hit.block)[hit.number] if hit.resolution.resolved else None
    if hit.resolution.path and hit.resolution.resolved:
        yield _title(place, hit, form)
    for told in hit.told:
        if told.code not in _SAID_BY_DRIFT and not told.replaced:
            yield form.told(told.message)
    yield from _drift(place, hit, form)
    yield from _accepted(document, hit)
    if not any(told.code == "moved" for told in hit.told):
        for told in document.groundings.told(hit.block, hit.number):
            yield form.told(told.message)
    if place.space.held_back and not hit.resolution.resolved and hit.resolution.status != "foreign":
        yield "The files of the workspace are still being listed."
        return
    if hit.resolution.status == "foreign":
        yield f"{form.name(hit.anchor.path)} belongs to another repository; it is not looked at."
    if judged is not None:
        yield _verdict(judged, form)
    if hit.resolution.status == "blank-line":
        yield from _neighbours(place, hit, form)
    else:
        yield from _excerpts(place, hit, judged, form)


def _drift(place: Place, hit: Hit, form: _Markdown) -> Iterator[str]:
    """Say of each span whether its text is still there, and where it went."""
    commits = place.snapshot.commits
    several = len(hit.drifts) > 1
    for (drift, baseline), span in zip(hit.drifts, hit.anchor.spans, strict=False):
        if drift.status == "same" and not drift.baseline:
            continue  # nothing was heard of it, and nothing happened to it here
        departed = None
        if commits is not None and drift.status in ("moved", "gone"):
            departed = commits.departed(baseline, anywhere=drift.status == "gone")
        said = drift_in_words(drift, hit.present.path, departed)
        yield form.told(f"{lines_in_words(span)}: {said}" if several else said[:1].upper() + said[1:])


def _accepted(document: OpenDocument, hit: Hit) -> Iterator[str]:
    if any(document.is_accepted(told, hit) for told in hit.told):
        yield "Accepted as it stands."


def _title(place: Place, hit: Hit, form: _Markdown) -> str:
    spans = ", ".join(map(span_text, hit.anchor.spans))
    title = form.name(f"{hit.resolution.path}:{spans}")
    file = place.snapshot.file(hit.resolution)
    notes = []
    if hit.resolution.as_of:
        notes.append(f"as of {commit_in_words(hit.resolution.as_of, hit.resolution.as_of_time)}")
    if hit.resolution.via in ("suffix", "basename", "same-document", "ancestor"):
        notes.append(f"found by {hit.resolution.via}")
    if file is not None and file.from_buffer:
        notes.append("from the unsaved buffer" if _is_unsaved(place, hit) else "from the open buffer")
    if file is not None and not file.decoded:
        notes.append("some bytes are no text")
    return " · ".join([title, *notes])


def _is_unsaved(place: Place, hit: Hit) -> bool:
    """Say whether a buffer differs from the file; the client does not tell, so the file is asked."""
    return place.space.differs_from_disk(hit.resolution)


def _standing(place: Place, hit: Hit) -> tuple[Anchor, Resolution] | None:
    """Give the citation as it would read for the lines that its text stands on now; None where it did not move."""
    here = [Standing(hit.present.path, *span) for span in hit.anchor.spans]
    places = [
        place if drift.status == "same" else drift.places[0] if len(drift.places) == 1 else None
        for place, (drift, _) in zip(here, hit.drifts, strict=False)
    ]
    if hit.resolution.as_of or not any(drift.status == "moved" for drift, _ in hit.drifts) or None in places:
        return None
    paths = {each.path for each in places if each is not None}
    if len(paths) != 1:
        return None
    spans = tuple((each.first, each.last) for each in places if each is not None)
    path = paths.pop()
    found = Resolution("found", ("found",) * len(spans), place.root, path, line_count=max(last for _, last in spans))
    return replace(hit.anchor, spans=spans), found


def _excerpts(place: Place, hit: Hit, judged: Judged | None, form: _Markdown) -> Iterator[str]:
    anchor, resolution = hit.anchor, hit.resolution
    standing = _standing(place, hit)
    if standing is not None:
        (anchor, resolution), judged = standing, None
    excerpts = place.snapshot.excerpts(resolution, anchor)
    shown = [excerpt for excerpt in excerpts if excerpt is not None]
    language = _fence_language(resolution.path)
    for number, excerpt in enumerate(shown[:_MOST_SPANS]):
        relied_on = {
            excerpt.start_line + each.offset
            for each in (judged.verdict.evidence if judged is not None else ())
            if each.excerpt == number
        }
        yield form.block(_numbered(excerpt, anchor.spans, relied_on), language)
    if len(shown) > _MOST_SPANS:
        yield f"… and {len(shown) - _MOST_SPANS} more ranges"


def _neighbours(place: Place, hit: Hit, form: _Markdown) -> Iterator[str]:
    """Show what stands around a line that is blank."""
    file = place.snapshot.file(hit.resolution)
    if file is None or "blank-line" not in hit.resolution.spans:
        return
    first, last = hit.anchor.spans[hit.resolution.spans.index("blank-line")]
    low, high = max(1, first - _AROUND), min(len(file.lines), last + _AROUND, first + _MOST_LINES)
    lines = tuple((number, file.lines[number - 1][:_WIDEST]) for number in range(low, high + 1))
    yield form.block(
        _numbered(Excerpt(low, high, "window", False, lines), hit.anchor.spans, set()),
        _fence_language(hit.resolution.path),
    )


def shown_lines(lines: Sequence[str], path: str, span: Span, *, markdown: bool) -> dict[str, Any]:
    """Give some lines of a file as a hover shows cited ones: the protocol's MarkupContent."""
    low, high = max(1, span[0]), min(len(lines), span[1], span[0] + _MOST_LINES)
    form = _Markdown() if markdown else _Plain()
    shown = tuple((number, lines[number - 1][:_WIDEST]) for number in range(low, high + 1))
    text = _numbered(Excerpt(low, high, "window", high < min(span[1], len(lines)), shown), (), set())
    return {"kind": form.kind, "value": form.block(text, _fence_language(path))}


def _numbered(excerpt: Excerpt, spans: Sequence[Span], relied_on: set[int]) -> str:
    """Give the lines with their numbers; `>` marks what the verdict relies on, `:` what is cited within its unit."""
    lines = excerpt.lines[:_MOST_LINES]
    width = len(str(lines[-1][0])) if lines else 1
    cited = {line for first, last in spans for line in range(first, min(last, first + 10_000) + 1)}
    whole = all(number in cited for number, _ in lines)
    out = []
    for (before, _), (number, text) in pairwise([(lines[0][0] - 1 if lines else 0, ""), *lines]):
        if number > before + 1:
            out.append("…")
        mark = ">" if number in relied_on else " " if whole or number not in cited else ":"
        out.append(f"{mark}{number:>{width}}  {text}".rstrip())
    if excerpt.truncated or excerpt.clipped or len(excerpt.lines) > _MOST_LINES:
        out.append("…")
    return "\n".join(out)


def _fence_language(path: str) -> str:
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    return _LANGUAGES.get(ending, ending) if ending.isascii() and ending.isalnum() else ""


def _verdict(judged: Judged, form: _Markdown) -> str:
    verdict = judged.verdict
    why = form.quote(verdict.basis or verdict.reason)
    said = f"{form.strong(verdict.label)}: {why}" if why else form.strong(verdict.label)
    if not verdict.judge:
        return said  # nobody was asked
    marked = ", lines marked >" if verdict.evidence else ""
    return f"{said} — judge {form.text(verdict.judge)}, {_age(time.time() - judged.at)}{marked}"


def _age(seconds: float) -> str:
    for size, unit in _UNITS:
        count = int(seconds // size)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"
