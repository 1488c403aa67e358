"""The rows of an audit: what is judged, the identity of the audited document, and which sentences a sample takes."""

import hashlib

import orjson

from cite_lsp.audit.claim_texts import behind, citations_in, without_citations
from cite_lsp.audit.verdicts import Row
from cite_lsp.document.anchors import Anchor
from cite_lsp.snapshot.excerpt import Excerpt, language_of
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot

_JUDGED = frozenset({"found", "case-differs", "untracked-target", "ignored-target"})


def row_of(
    anchor: Anchor, resolution: Resolution, snapshot: Snapshot, *, resolver: int = 2, window: int = 3
) -> Row | None:
    """Give the row of an anchor: its claim and the lines it cites.

    Args:
        anchor: Of a document.
        resolution: What `snapshot.resolve` says of the anchor.
        snapshot: Where the cited file is read.
        resolver: 1 a window of lines, 2 the logical unit (audit.md).
        window: Lines below the cited one under resolver 1.

    Returns:
        None where there is nothing to judge: an anchor that names no lines, or one that resolves to no lines that
        could carry a claim. Such an anchor has a finding of its own.
    """
    file = snapshot.file(resolution) if resolution.status in _JUDGED else None
    if file is None:
        return None
    excerpts = snapshot.excerpts(resolution, anchor, resolver=resolver, window=window)
    shown = tuple(excerpt for excerpt in excerpts if excerpt is not None)
    if not shown:
        return None
    return bound_row(anchor, resolution.path, shown, file.lines, file.sha256)


def bound_row(
    anchor: Anchor, path: str, excerpts: tuple[Excerpt, ...], file: tuple[str, ...] | None, file_sha256: str = ""
) -> Row:
    """Give the row of an anchor whose excerpts are known; `file`: all lines of the cited file, where they are known."""
    citations = anchor.context.citations if anchor.context is not None else frozenset()
    claim = without_citations(anchor.claim, citations)
    part = behind(anchor.claim, citations, anchor.text)
    return Row(
        claim=claim,
        excerpts=excerpts,
        sentence=without_citations(anchor.sentence, citations),
        section=anchor.section,
        path=path,
        language=language_of(path),
        file=file,
        file_sha256=file_sha256,
        part="" if part == claim else part,
        citations=citations_in(anchor.claim, citations),
    )


def audited_hash(document_text: str) -> str:
    """The identity of an audited document: sha256, in hex, of the RFC 8785 JSON of its text.

    Reference audit, 1.2: the hash of the text's JSON string, quotes and escapes included, not of its bytes.
    A lone surrogate, which no UTF-8 can hold, is hashed as U+FFFD.
    """
    try:
        canonical = orjson.dumps(document_text)
    except orjson.JSONEncodeError:
        replaced = document_text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        canonical = orjson.dumps(replaced)
    return hashlib.sha256(canonical).hexdigest()


def pick_indexes(count: int, per_section: int, seed_input: str) -> tuple[int, ...]:
    """Which of a section's `count` candidates are sampled: at most `per_section`, ascending, 0-based.

    `seed_input` is the document's hash, a colon and the section's marker. Each round r takes, of the
    candidates that are left, number D mod (how many are left), where D is the first four bytes, big-endian,
    of the sha256 of "{seed_input}:{r}" (reference audit, 1.6).
    """
    left = list(range(count))
    picked: list[int] = []
    for round_number in range(min(per_section, count)):
        digest = hashlib.sha256(f"{seed_input}:{round_number}".encode("utf-8", "surrogatepass")).digest()
        picked.append(left.pop(int.from_bytes(digest[:4], "big") % len(left)))
    return tuple(sorted(picked))
