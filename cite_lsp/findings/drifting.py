"""Findings of the layer *drift*: what is said of a citation whose text moved, changed or went, and what helps."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cite_lsp.audit.claim_texts import without_citations
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.claims import ALONE, Claims
from cite_lsp.document.document import Block, Document
from cite_lsp.document.ranges import Span, span_text
from cite_lsp.findings.finding import Fix
from cite_lsp.findings.resolving import Telling
from cite_lsp.findings.told import REPLACED, Told, as_written, lines_in_words
from cite_lsp.snapshot.baseline import Written
from cite_lsp.snapshot.drift import Drift, Standing
from cite_lsp.snapshot.file_lines import ENOUGH, weight
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.rewrite import restand
from cite_lsp.snapshot.snapshot import Snapshot

_SHOWN_COMMIT = 7
_MOST_PLACES = 3
_ORDER = ("moved", "gone", "born-wrong", "edited")
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*|[0-9][0-9_]*(?:\.[0-9]+)?")
_CODE_SPAN = re.compile(r"`+([^`]+)`+")
_CODE_LIKE = re.compile(r"\w_\w|[a-z][A-Z]|[A-Z]{2}|[a-z]\.[a-z]|::|^[0-9]")

Departed = tuple[str, int]
"""The commit after which a text no longer stood where it had, and its time in seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Drifted:
    """One anchor of a block and what is known of its drift; `drifts` runs parallel to its spans."""

    number: int
    block: Block
    written: Written
    drifts: tuple[Drift, ...]
    resolution: Resolution
    """What it means at present."""

    @property
    def anchor(self) -> Anchor:
        """The anchor, with offsets into its block."""
        return self.block.anchors[self.number]


def tell_drift(case: Drifted, document: Document, snapshot: Snapshot) -> Iterator[Told]:
    """Tell what drifted, one finding at most; a citation that is read as of a commit describes that moment."""
    drifts, anchor = case.drifts, case.anchor
    status = next((each for each in _ORDER if any(drift.status == each for drift in drifts)), "")
    if not status or anchor.approximate or anchor.defect or any(drift.as_of for drift in drifts):
        return
    if not case.resolution.resolved and not (status == "moved" and case.resolution.status in REPLACED):
        return
    if status == "born-wrong" and case.resolution.status in REPLACED:
        return  # that its lines are not there is told already
    index = next(at for at, drift in enumerate(drifts) if drift.status == status)
    told = _TELLERS[status](case, index, document, snapshot)
    if told is not None:
        yield Told(status, told[0], anchor.start, anchor.end, case.number, told[1])


def kept_together(told: Sequence[Told], cases: Mapping[int, Drifted], block: Block) -> list[Told]:
    """Leave no fix preferred that writes another path for citations that are not known to go there with it.

    A path that several read (`src/a.py:3, :9`) is written once. Where one of them is known to stay, nothing is offered.
    """
    mended = list(told)
    for at, each in enumerate(told):
        case = cases.get(each.anchor) if each.anchor is not None else None
        if case is None or not each.fixes:
            continue
        where = {place.path for drift in case.drifts for place in drift.places}
        if where <= {case.resolution.path} and case.resolution.resolved:
            continue
        others = [cases.get(other) for other in _readers(block, case.number)]
        paths = [None if other is None else _destination(other) for other in others]
        if any(path is not None and path not in where for path in paths):
            mended[at] = replace(each, fixes=())
        elif None in paths:
            mended[at] = replace(each, fixes=tuple(replace(fix, preferred=False) for fix in each.fixes))
    return mended


def _readers(block: Block, number: int) -> Iterator[int]:
    """Give the numbers of the other anchors that read their path where this one does: continuations, and their head."""
    run: list[int] = []
    for at, anchor in enumerate(block.anchors):
        if anchor.form != "continuation" or (run and block.anchors[run[-1]].path != anchor.path):
            if number in run:
                break
            run = []
        run.append(at)
    return (at for at in run if at != number and number in run)


def _destination(case: Drifted) -> str | None:
    """Give the path of the file in which all spans are known to stand; None where that is not certain."""
    paths = set()
    for drift in case.drifts:
        if drift.status == "same":
            paths.add(case.resolution.path)
        elif drift.status == "moved" and len(drift.places) == 1:
            paths.add(drift.places[0].path)
        else:
            return None
    return paths.pop() if len(paths) == 1 else None


def is_lost(case: Drifted) -> bool:
    """Say whether the cited text is known not to stand anywhere whole: other lines are not certain to be meant.

    Nor are those of a path that led nowhere when it was written: nobody knows what stood there.
    """
    led_nowhere = any(each.state == "unknown" and each.commit and not each.path for each in case.written.baselines)
    return led_nowhere or any(drift.status in ("gone", "edited", "born-wrong") for drift in case.drifts)


def what_is_left(case: Drifted, document: Document) -> tuple[Fix, ...]:
    """Offer the lines that edited text is aligned with, where a citation leads nowhere; not preferred."""
    if any(drift.as_of for drift in case.drifts) or all(not drift.places for drift in case.drifts):
        return ()
    return _placed(case, document, {}, preferred=False)


def _moved(case: Drifted, index: int, document: Document, _: Snapshot) -> Telling:
    drift, path = case.drifts[index], case.resolution.path
    places = [place_in_words(place, path) for place in drift.places[:_MOST_PLACES]]
    more = f" and {len(drift.places) - _MOST_PLACES} more" if len(drift.places) > _MOST_PLACES else ""
    several = len(case.anchor.spans) > 1
    what = f"the text cited as {lines_in_words(case.anchor.spans[index])}" if several else "the cited text"
    if len(places) > 1:
        return f"{what} moved; now it stands on {' and on '.join(places)}{more}", _choices(case, index, document)
    message = f"{what} moved to {places[0]}{_how(drift)}"
    for other, span in zip(case.drifts[index + 1 :], case.anchor.spans[index + 1 :], strict=True):
        if other.status == "moved" and len(other.places) == 1:
            message += f", that of {lines_in_words(span)} to {place_in_words(other.places[0], path)}{_how(other)}"
    return message, _one_answer(case, document)


def _how(drift: Drift) -> str:
    return ", re-indented or with a name changed" if drift.reformatted else ""


def _one_answer(case: Drifted, document: Document) -> tuple[Fix, ...]:
    """Offer the lines that all spans stand on now; preferred where each has one certain place."""
    certain = [drift.status == "same" or (drift.status == "moved" and len(drift.places) == 1) for drift in case.drifts]
    return _placed(case, document, {}, preferred=all(certain))


def _choices(case: Drifted, index: int, document: Document) -> tuple[Fix, ...]:
    """Offer each place of one span, the others where they stand now; none is preferred."""
    places = case.drifts[index].places
    return tuple(fix for place in places for fix in _placed(case, document, {index: place}, preferred=False))


def _placed(case: Drifted, document: Document, chosen: Mapping[int, Standing], *, preferred: bool) -> tuple[Fix, ...]:
    """Offer the lines that all spans stand on now, some of them as chosen; nothing where they lie in several files.

    A span that is left behind would be lost: once the citation reads otherwise, its past is not known any more.
    """
    spans: list[Span] = []
    paths: set[str] = set()
    for number, (span, drift) in enumerate(zip(case.anchor.spans, case.drifts, strict=True)):
        place = chosen.get(number) or (drift.places[0] if len(drift.places) == 1 else None)
        spans.append((place.first, place.last) if place is not None else span)
        paths.add(place.path if place is not None else case.resolution.path)
    return _fix(case, document, spans, paths.pop(), preferred=preferred) if len(paths) == 1 else ()


def _fix(case: Drifted, document: Document, spans: list[Span], path: str, *, preferred: bool) -> tuple[Fix, ...]:
    other = None if path == case.resolution.path and case.resolution.resolved else path
    edits = restand(case.anchor, document, spans, other, case.block)
    if not edits:
        return ()
    lines = ", ".join(map(span_text, spans))
    return (Fix(f"Cite {path}:{lines}", edits, preferred),)


def _gone(case: Drifted, index: int, _: Document, snapshot: Snapshot) -> Telling:
    baseline = case.written.baselines[index]
    when = snapshot.commits.departed(baseline, anywhere=True) if snapshot.commits is not None else None
    went = f"; it went in {commit_in_words(*when)}" if when else ""
    lines = baseline.lines
    if weight(lines, ENOUGH) < ENOUGH:  # such lines stand everywhere: they were known by their neighbours
        shown = next((line.strip() for line in lines if line.strip()), "")
        what = f"the cited `{as_written(shown)}`" if shown else "the cited blank lines"
        return f"what stood around {what} no longer stands in `{case.resolution.path}`", ()
    several = len(case.anchor.spans) > 1
    what = f"the text cited as {lines_in_words(case.anchor.spans[index])}" if several else "the cited text"
    return f"{what} no longer stands anywhere in `{case.resolution.path}`{went}", ()


def _born_wrong(case: Drifted, index: int, *_: object) -> Telling:
    drift = case.drifts[index]
    commit = commit_in_words(drift.baseline, drift.time)
    return f"wrong when it was written, in {commit}: this citation {drift.reason}", ()


def _edited(case: Drifted, index: int, document: Document, snapshot: Snapshot) -> Telling | None:
    drift = case.drifts[index]
    place = drift.places[0] if drift.places else None
    now = snapshot.lines_at(place, document) if place is not None else ()
    claims = Claims(case.block, ALONE)
    claim = without_citations(claims.claim(case.number), claims.citations)
    lost = lost_names(claim, case.written.baselines[index].lines, now)
    if not lost:
        return None
    verb = "stands" if len(lost) == 1 else "stand"
    message = f"the cited lines were edited: {_quoted(lost)} no longer {verb} in them"
    if place is None or (place.path, place.first, place.last) == (case.resolution.path, *case.anchor.spans[index]):
        return message, ()
    where = place_in_words(place, case.resolution.path)
    return f"{message}; what is left stands on {where}", _one_answer(case, document)


_TELLERS: dict[str, Callable[[Drifted, int, Document, Snapshot], Telling | None]] = {
    "moved": _moved,
    "gone": _gone,
    "born-wrong": _born_wrong,
    "edited": _edited,
}


def commit_in_words(commit: str, when: int) -> str:
    """Name a commit: `4f3c2d1, 12 Mar`, with the year where it is not this one."""
    moment = time.gmtime(when)
    year = "" if moment.tm_year == time.gmtime().tm_year else f" {moment.tm_year}"
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    return f"{commit[:_SHOWN_COMMIT]}, {moment.tm_mday} {months[moment.tm_mon - 1]}{year}"


def place_in_words(place: Standing, path: str = "") -> str:
    """Name lines of a file: `lines 31-33`, with the file where it is not `path`."""
    lines = lines_in_words((place.first, place.last))
    return lines if place.path == path else f"{lines} of `{place.path}`"


def drift_in_words(drift: Drift, path: str, departed: Departed | None = None) -> str:
    """Say what is known of a span's drift, for a person who looks at the citation; `path` is the file it cites."""
    since = f" since {commit_in_words(drift.baseline, drift.time)}" if drift.baseline else " since it was first seen"
    when = f" in {commit_in_words(*departed)}" if departed else ""
    if drift.status == "same":
        return f"unchanged{since}" + (", but for its indentation" if drift.reformatted else "")
    if drift.status == "moved":
        places = [place_in_words(place, path) for place in drift.places]
        changed = ", re-indented or with a name changed" if drift.reformatted else ""
        return f"moved to {' or '.join(places)}{when}{changed}"
    if drift.status == "edited":
        place = drift.places[0] if drift.places else None
        where = f"; what is left of it stands on {place_in_words(place, path)}" if place else ""
        return f"edited{since}{where}"
    if drift.status == "gone":
        return f"gone{when or since}: the cited text stands nowhere in the file any more"
    if drift.status == "born-wrong":
        return f"wrong when it was written{since.replace(' since', ', in', 1)}: this citation {drift.reason}"
    return f"not known whether it moved: its history {drift.reason}"


def lost_names(claim: str, before: Iterable[str], now: Iterable[str]) -> tuple[str, ...]:
    """Give the names and numbers of a claim that stood in the cited text as it was and do not stand in it now."""
    before, now = list(before), list(now)
    old = {name for line in before for name in _NAME.findall(line)}
    new = {name for line in now for name in _NAME.findall(line)}
    lost: dict[str, None] = {}
    for span, names in _named_in(claim):
        gone = [name for name in names if name in old and name not in new]
        if gone and len(names) > 1 and any(span in line for line in before):
            gone = [span]  # it stood there word for word
        lost |= dict.fromkeys(gone)
    return tuple(lost)


def _named_in(claim: str) -> Iterator[tuple[str, list[str]]]:
    """Give what a claim depends on: each code span with the names in it, then what looks like code, and numbers."""
    for span in _CODE_SPAN.findall(claim):
        yield span.strip(), _NAME.findall(span)
    for name in _NAME.findall(_CODE_SPAN.sub(" ", claim)):
        if _CODE_LIKE.search(name):
            yield name, [name]


def _quoted(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{as_written(name)}`" for name in names[:_MOST_PLACES])
    return shown + (" and others" if len(names) > _MOST_PLACES else "")
