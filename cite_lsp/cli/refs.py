"""`cite-lsp refs TARGET`: which documents cite a file, or lines of it."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from rich.console import Console
from rich.text import Text

from cite_lsp import __version__
from cite_lsp.cli.formats.as_json import shown
from cite_lsp.cli.formats.as_text import visible
from cite_lsp.cli.run import UsageError, absolute, root_of
from cite_lsp.config import load_settings
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.columns import from_units
from cite_lsp.findings.citations import Span
from cite_lsp.findings.citing import CitedDocument, Citing
from cite_lsp.findings.gathering import Gathering
from cite_lsp.findings.places import Places
from cite_lsp.snapshot.ladder import within
from cite_lsp.snapshot.lines import is_folder
from cite_lsp.snapshot.paths import list_paths, too_wide

_LINES = re.compile(
    r"(?P<path>.+?)(?::(?P<line>[0-9]{1,9})(?:-(?P<end>[0-9]{1,9}))?"
    r"|#L(?P<first>[0-9]{1,9})(?:-L?(?P<last>[0-9]{1,9}))?)",
    re.DOTALL,
)
_MOST_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked about: a file or a folder, absolute, and lines of it; None is all of them."""

    path: str
    span: Span | None


def target_of(text: str) -> Target:
    """Read PATH, PATH:LINE, PATH:LINE-END, PATH#L4 or PATH#L4-L9.

    Raises:
        UsageError: There is no such file, or the lines are none.
    """
    if not text:
        raise UsageError("the target is empty; name a file, or lines of it as in src/retry.ts:24-26")
    whole = absolute(text)
    if os.path.lexists(whole):
        return Target(whole, None)
    found = _LINES.fullmatch(text)
    path = found["path"] if found is not None else text
    full = absolute(path)
    if not os.path.lexists(full):
        raise UsageError(f"{path} does not exist; name a file, or lines of it as in src/retry.ts:24-26")
    if found is None or is_folder(full):
        raise UsageError(f"{text} names lines of a folder; name a file of it")
    first = int(found["line"] or found["first"])
    last = int(found["end"] or found["last"] or first)
    if first < 1 or last < first:
        raise UsageError(f"{text} names no lines: they are counted from 1, and the first comes first")
    return Target(full, (first, last))


def refs(text: str, console: Console, *, json: bool) -> bool:
    """Write who cites a target, as text or JSON; say whether anything does.

    Raises:
        UsageError: The target cannot be looked for; the message says why.
    """
    target = target_of(text)
    root = root_of(target.path)
    refused = too_wide(root)
    if refused:
        raise UsageError(refused)
    if target.path != root and within(root, target.path) is None:
        raise UsageError(f"{text} lies outside {root}, the working folder")
    citing = Citing("utf-16" if json else "utf-32")
    citing.renew([Gathering.of(list_paths(root), load_settings)])
    key = target.path + "/" if is_folder(target.path) else target.path
    found = list(citing.who_cites({key: None if target.span is None else [target.span]}))
    if json:
        _write_json(target, root, found, citing, console)
    else:
        for row in (row for document in found for row in _rows(document, citing)):
            console.print(row, soft_wrap=True, highlight=False)
    return bool(found)


def _anchors(document: CitedDocument, citing: Citing) -> Iterator[tuple[int, Anchor]]:
    """Give the anchors of a document's citations, each with the number of its citation."""
    parsed = citing.parsed(document.full)
    if parsed is None:
        return
    places = Places(parsed.text)
    by_start = {anchor.start: anchor for anchor in parsed.anchors}
    for number, each in enumerate(document.citations):
        if each.line >= places.line_count:
            continue
        column = from_units(places.line_text(each.line), each.column, citing.encoding)
        anchor = by_start.get(places.start(each.line) + column)
        if anchor is not None:  # else it was rewritten in this moment
            yield number, anchor


def _rows(document: CitedDocument, citing: Citing) -> Iterator[Text]:
    sentences = {number: anchor.sentence for number, anchor in _anchors(document, citing)}
    for number, each in enumerate(document.citations):
        place = f"{document.path}:{each.line + 1}:{each.column + 1}"
        sentence = " ".join(sentences.get(number, "").split())
        yield Text.assemble(
            (visible(place), "bold"),
            "  ",
            (visible(each.text), "bold cyan"),
            "  ",
            visible(sentence[:_MOST_CHARACTERS]),
        )


def _write_json(target: Target, root: str, found: list[CitedDocument], citing: Citing, console: Console) -> None:
    citations: list[dict[str, Any]] = []
    for document in found:
        sentences = {number: anchor.sentence for number, anchor in _anchors(document, citing)}
        for number, each in enumerate(document.citations):
            start = {"line": each.line, "character": each.column}
            end = {"line": each.end_line, "character": each.end_column}
            citations.append(
                {
                    "document": shown(document.path),
                    "range": {"start": start, "end": end},
                    "text": shown(each.text),
                    "path": shown(within(root, each.path) or each.path),
                    "spans": each.spans,
                    "via": each.via,
                    "sentence": shown(sentences.get(number, "")[:_MOST_CHARACTERS]),
                }
            )
    whole = {
        "schema": 1,
        "tool": {"name": "cite-lsp", "version": __version__},
        "root": shown(os.path.relpath(root)),
        "target": {"path": shown(within(root, target.path) or "."), "span": target.span},
        "citations": citations,
    }
    console.file.write(orjson.dumps(whole).decode() + "\n")
