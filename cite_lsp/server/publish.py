"""From what is known of an open document to its diagnostics: layers merged, errors first, no more than the limit."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias
from urllib.parse import unquote

from cite_lsp.document.columns import to_units
from cite_lsp.findings.accepted import NOTHING, Accepted
from cite_lsp.findings.by_block import moved
from cite_lsp.findings.check import AGED, Levels, as_finding, find_ignores, keep, looked_for
from cite_lsp.findings.documenting import whole_findings
from cite_lsp.findings.finding import Finding, Severity, sort_findings
from cite_lsp.findings.places import Places
from cite_lsp.findings.reference_checks import UNCITED
from cite_lsp.findings.told import Told
from cite_lsp.server.checks import UNDECIDED, BlockChecked, PieceChecked, Placed
from cite_lsp.server.convert import SOURCE, Range, diagnostic, range_at, range_of, severity_number
from cite_lsp.server.open_document import OpenDocument, Place
from cite_lsp.server.policy_book import Found

_BEYOND = frozenset({"outside", "elsewhere"})
"""What is not told where the folder is a part of a repository: the citation may well lead to the rest of it."""
_VERDICT_CODES = frozenset({"unsupported", "partial", "review"})


def diagnostics_of(
    document: OpenDocument, accepted: Accepted = NOTHING, *, related: bool = False
) -> list[dict[str, Any]]:
    """Give the diagnostics of a document as it was last checked; none for what is no document of ours.

    `related`: whether the client shows places beside a finding; then those of a verdict have the lines it relies on.
    """
    place = document.place
    if document.refusal:
        return [_unaddressed(document.refusal)]
    levels = document.levels
    if document.document is None or place is None or levels is None:
        return _of_other_file(document, related=related) if document.policies else []
    document.evidence.begin(shown=related)
    document.policies.related_shown = related
    document.comment_findings = ()
    document.accepted, document.commented = accepted, frozenset()
    limit = place.settings.server.max_diagnostics
    if any(checked.marked for checked in document.checks.pieces.values()):
        return _limited(list(_with_comments(document, place, levels, accepted)), limit)
    of_policies = _OfPolicies(document, levels, limit)
    made = list(_without_comments(document, place, levels, accepted, of_policies))
    return _limited(made, limit, of_policies)


def _of_other_file(document: OpenDocument, *, related: bool) -> list[dict[str, Any]]:
    """Give what policies found in a file that is no document of ours; ignore comments are for documents."""
    place = document.beside
    if place is None:
        return []
    levels = Levels(place.inside, place.settings, tracked=False)
    document.policies.related_shown = related
    limit = place.settings.server.max_diagnostics
    of_policies = _OfPolicies(document, levels, limit)
    return _limited(list(of_policies.made()), limit, of_policies)


class _OfPolicies:
    """What policies found in a document, errors first, in the order of the text; no more than `limit` are written out.

    Attributes:
        more: How many there are beside them.
    """

    def __init__(self, document: OpenDocument, levels: Levels, limit: int) -> None:
        self._document = document
        self._levels = levels
        found: list[tuple[tuple[bool, int, int], Found]] = []
        for each in document.policies.found if document.policies else ():
            level = levels.of_told(each.told)
            if level != "off":
                found.append(((level is not Severity.ERROR, each.spot.first, each.spot.units[0]), each))
        found.sort(key=_first)
        self.more = max(0, len(found) - limit)
        self._first = found[:limit]

    def made(self) -> Iterator[dict[str, Any]]:
        document = self._document
        for _, each in self._first:
            if (finding := as_finding(each.told, self._levels)) is not None:
                yield _at(finding, each.spot.range(), document.policies.related(each, document.uri))


def _first(each: tuple[tuple[bool, int, int], Found]) -> tuple[bool, int, int]:
    return each[0]


def _is_no_error(made: dict[str, Any]) -> bool:
    return bool(made["severity"] != severity_number(Severity.ERROR))


_Related: TypeAlias = list[dict[str, Any]]
"""Places beside a finding."""


def _placed(
    document: OpenDocument, place: Place, accepted: Accepted
) -> Iterator[tuple[int, int, int, Placed, _Related]]:
    """Give what is told, with the first line, offset and anchor number of its piece, in the order of the text."""
    held_back = UNDECIDED if place.space.held_back else _BEYOND if place.space.is_part(place.root) else frozenset()
    if document.levels is not None and document.levels.record and document.past_is_open:
        held_back = held_back | AGED
    verdicts = document.verdicts.placed(document.checks.pieces)
    groundings = document.groundings.placed(document.checks.pieces)
    if document.checks.reference and not any(checked.anchors for checked in document.checks.pieces.values()):
        held_back = held_back | {UNCITED}
    offset = anchors = line = 0
    for piece, checked in document.checks.pieces.items():
        found = checked.placed
        said = (*groundings.get(piece, ()), *verdicts.get(piece, ()))
        if said:
            found = tuple(sorted((*found, *_of_unmoved(said, found, document)), key=_start))
        for each in found:
            if each.told.code in held_back or (accepted and _is_accepted(each.told, checked, place, accepted)):
                continue
            if place.space.coming and _is_coming(each.told, checked, place.space.coming):
                continue
            related = _related(each, checked, document, place) if each.told.code in _VERDICT_CODES else []
            yield line, offset, anchors, each, related
        line += piece.lines
        offset += piece.characters
        anchors += checked.anchors


def _is_accepted(told: Told, checked: PieceChecked, place: Place, accepted: Accepted) -> bool:
    found = _cited(told, checked)
    if found is None:
        return False
    block, number = found
    anchor, resolution = block.block.anchors[number], block.known.resolutions[number]
    return accepted.holds(told.code, place.inside, anchor, resolution, place.snapshot)


def _is_coming(told: Told, checked: PieceChecked, coming: Iterable[str]) -> bool:
    """Say whether something that is told may be of a file that is just being renamed: its new path is written first."""
    found = _cited(told, checked) if told.code in UNDECIDED else None
    if found is None:
        return False
    block, number = found
    parts = [part for part in unquote(block.block.anchors[number].path).split("/") if part not in ("", ".", "..")]
    path = f"/{'/'.join(parts)}"
    return any(new.endswith(path) or f"{new[new.rfind('/') :]}/" in path for new in coming)


def _cited(told: Told, checked: PieceChecked) -> tuple[BlockChecked, int] | None:
    """Give the block of the citation that something is told of, and the number it has there."""
    if told.anchor is None:
        return None
    number = told.anchor
    for block in checked.blocks.values():
        count = len(block.block.anchors)
        if number < count:
            return block, number
        number -= count
    return None


def _related(each: Placed, checked: PieceChecked, document: OpenDocument, place: Place) -> _Related:
    """Give the lines that a verdict relies on."""
    found = _cited(each.told, checked)
    if found is None:
        return []
    block, number = found
    judged = document.verdicts.of(block.block)[number]
    if judged is None:
        return []
    anchor, resolution = block.block.anchors[number], block.known.resolutions[number]
    return document.evidence.of(each, judged, anchor, resolution, place.snapshot)


def _of_unmoved(judged: Iterable[Placed], found: Iterable[Placed], document: OpenDocument) -> list[Placed]:
    """Give what was judged of citations whose text is where they say: of others it is the moved lines that speak."""
    if document.levels is None or document.levels.of("moved") == "off":
        return list(judged)
    moved_on = {each.told.anchor for each in found if each.told.code == "moved"}
    return [each for each in judged if each.told.anchor not in moved_on]


def _start(placed: Placed) -> int:
    return placed.told.start


def _whole(document: OpenDocument, place: Place) -> Iterator[Told]:
    pieces = document.checks.pieces.values()
    yield from whole_findings(
        overrun=any(checked.overrun for checked in pieces),
        cites=any(checked.anchors for checked in pieces),
        must_cite=place.settings.must_cite(place.inside),
    )
    if document.checks.reference and document.document is not None:
        yield from document.checks.reference.of_whole(document.document)


def _without_comments(
    document: OpenDocument, place: Place, levels: Levels, accepted: Accepted, of_policies: _OfPolicies
) -> Iterator[dict[str, Any]]:
    errors: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    for told in _whole(document, place):
        if (finding := as_finding(told, levels)) is not None:
            made = _at(finding, _on_a_line(document, finding))
            (errors if finding.severity is Severity.ERROR else others).append(made)
    for line, _, _, each, related in _placed(document, place, accepted):
        if (finding := as_finding(each.told, levels)) is not None:
            made = _at(finding, each.range(line), related)
            (errors if finding.severity is Severity.ERROR else others).append(made)
    for made in of_policies.made():
        (others if _is_no_error(made) else errors).append(made)
    if document.checks.reference or document.policies:
        errors.sort(key=_place_of)
        others.sort(key=_place_of)
    yield from errors
    yield from others


def _place_of(made: dict[str, Any]) -> tuple[int, int]:
    start = made["range"]["start"]
    return start["line"], start["character"]


def _on_a_line(document: OpenDocument, finding: Finding) -> Range:
    """Give the range of a finding that lies on one line of a document."""
    parsed = document.document
    if parsed is None or not finding.end:
        return range_of((0, 0), (0, 0))
    line, start = parsed.line_of(finding.start)
    text = parsed.text_of_line(line)
    columns = [to_units(text, offset - start, document.encoding) for offset in (finding.start, finding.end)]
    return range_of((line, columns[0]), (line, columns[1]))


def _with_comments(
    document: OpenDocument, place: Place, levels: Levels, accepted: Accepted
) -> Iterator[dict[str, Any]]:
    """The same where a comment may silence a finding: that takes the whole text."""
    parsed = document.document
    if parsed is None:
        return
    text = parsed.text
    told = [*_whole(document, place)]
    related: dict[tuple[str, int], _Related] = {}
    for _, offset, anchors, each, lines in _placed(document, place, accepted):
        told.append(moved(each.told, offset, anchors))
        related[each.told.code, each.told.start + offset] = lines
    places = Places(text)
    policies: dict[tuple[str, int], Found] = {}
    for found in document.policies.found:
        start, end = found.spot.offsets(places)
        told.append(replace(found.told, start=start, end=end))
        policies[found.told.code, start] = found
    drifts = [each for checked in document.checks.blocks.values() for each in checked.known.drifts]
    codes = looked_for(drifts, document.checks.reference) | (_VERDICT_CODES if document.decided else frozenset())
    codes |= document.policies.decided
    findings = keep(told, levels, find_ignores(parsed, text), text, codes)
    kept = {(finding.code, finding.start) for finding in findings}
    document.commented = frozenset([(each.code, each.start) for each in told]) - kept
    document.comment_findings = tuple(finding for finding in findings if finding.anchor is None and finding.fixes)
    for number, finding in enumerate(sort_findings(findings)):
        where = range_at(places, finding.start, finding.end, document.encoding)
        name = finding.code, finding.start
        if name in policies and number < place.settings.server.max_diagnostics:
            related[name] = document.policies.related(policies[name], document.uri)
        yield _at(finding, where, related.get(name, []))


def _at(finding: Finding, where: Range, related: _Related | None = None) -> dict[str, Any]:
    made = diagnostic(where, finding.severity, finding.code, finding.message)
    return {**made, "relatedInformation": related} if related else made


def _limited(found: list[dict[str, Any]], limit: int, of_policies: _OfPolicies | None = None) -> list[dict[str, Any]]:
    """Give no more than `limit`, and then one that says how many there are beside them."""
    count = len(found) + (of_policies.more if of_policies is not None else 0)
    if count <= limit:
        return found
    message = f"{count - limit:,} more findings are not shown here (server.max_diagnostics)"
    return [*found[:limit], _unaddressed(message)]


def _unaddressed(message: str) -> dict[str, Any]:
    """Give a diagnostic that is no finding: it has no code, and its place is the document's beginning."""
    where = range_of((0, 0), (0, 0))
    return {"range": where, "severity": severity_number(Severity.INFORMATION), "source": SOURCE, "message": message}
