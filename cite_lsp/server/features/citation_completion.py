"""What may follow where a citation is being typed: paths of the workspace, then the lines and names of the cited file.

The worker searches; here it is decided where that is wanted. In running text nothing is offered before there is a
folder of the workspace: a list of paths behind `and/` would be in everybody's way. Clients filter and sort again what
they are sent, so each item says that it is found by what is typed already, and they ask again with every character.
"""

import logging
import re
from collections import Counter
from collections.abc import Iterator
from posixpath import normpath, relpath
from typing import Any
from urllib.parse import quote, unquote

from lsprotocol.types import CompletionTriggerKind, MarkupContent, MarkupKind

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.columns import from_units, to_units
from cite_lsp.document.find import find_anchors
from cite_lsp.document.path_token import extension_of, make_grammar
from cite_lsp.document.unfinished import Unfinished, UnfinishedLines, UnfinishedPath, unfinished_at
from cite_lsp.server.convert import range_of
from cite_lsp.server.features.hover import shown_lines
from cite_lsp.server.open_document import OpenDocument, Place
from cite_lsp.server.session import Session
from cite_lsp.snapshot.ladder import UPWARDS, joined, within
from cite_lsp.snapshot.line_search import LINE, CitablePlace
from cite_lsp.snapshot.lines import FileText
from cite_lsp.snapshot.path_search import LIMIT, Asked, Offered, PathSearch
from cite_lsp.snapshot.paths import PathIndex, fold
from cite_lsp.worker.client import WorkerFailed, WorkerLost

log = logging.getLogger(__name__)

_TRIGGERED = CompletionTriggerKind.TriggerCharacter.value
_INVOKED = CompletionTriggerKind.Invoked.value

_AT_THE_ROOT = 1
"""The last tier of paths that begin with what is typed, or whose file's name does."""

_MOST_CITED = 200
_DOCUMENTED = 20
"""Lines of a file that are shown beside its path."""

_FEW_LETTERS = 3
"""Letters behind a bracket in prose below which a word of a sentence is as likely: many clients ask with each letter,
and say that they were asked to."""

_PLAIN_PATH = re.compile(r"[\w.+@~$%&/-]+\Z")
_NO_TEXT = frozenset(
    "png jpg jpeg gif webp ico bmp tiff pdf zip gz bz2 xz zst 7z tar tgz jar war whl egg woff woff2 ttf otf eot mp3 mp4"
    " wav ogg mov avi webm exe dll so dylib a o obj lib class pyc pyd bin dat db sqlite sqlite3 parquet npy npz pkl"
    " gguf onnx wasm vsix".split()
)
"""Extensions of files that have no lines."""

_KEPT_IN_TARGETS = "/@~$&+!*',;=[]:"
_FILE, _TEXT = 17, 1
_KINDS = {
    "function": 3, "method": 2, "constructor": 4, "class": 7, "interface": 8, "trait": 8, "protocol": 8, "module": 9,
    "namespace": 9, "enum": 13, "struct": 22, "record": 22, "union": 22, "key": 10, "heading": 18, "const": 21,
}  # fmt: skip
_SOME_SYMBOL = 18


async def citation_items(
    session: Session, document: OpenDocument, line: int, units: int, trigger: int
) -> dict[str, Any] | None:
    """Give the items for a position of a document: at most 200, the best first; None where no citation may stand.

    `trigger`: how the client came to ask, as the protocol numbers it.
    """
    place, parsed = document.place, document.document
    if place is None or not place.settings.server.completion:
        return None
    if parsed is None or line >= document.buffer.line_count:
        return None
    offset = document.offset(line, units)
    at = parsed.block_at(offset)
    if at is None:
        return None
    block, start = at
    found = unfinished_at(block, offset - start, parsed.grammar, in_fences=place.settings.anchors.in_fences)
    if found is None:
        return None
    edits = _Edits(session, document, line, units, found)
    try:
        if isinstance(found, UnfinishedLines):
            if found.where == "text" and found.typed.isdigit() and trigger != _INVOKED:
                return None  # who types a number knows it, and the end of a line is near: Enter is to break it
            if found.where == "text" and not found.typed and "/" not in found.path and trigger == _TRIGGERED:
                return None  # a sentence may go on behind "In config.toml:", or the line ends
            return await _lines(session, document, place, found, edits)
        return await _paths(session, document, place, found, edits, trigger)
    except (WorkerLost, WorkerFailed) as error:
        log.info("nothing can be offered: %s", error)
        return None


class _Edits:
    """Makes items of what is put in place of what is typed."""

    def __init__(self, session: Session, document: OpenDocument, line: int, units: int, found: Unfinished) -> None:
        self._client = session.client
        self._typed = found.typed
        self._count = 0
        text, encoding = document.buffer.line(line), document.encoding
        here = from_units(text, units, encoding)
        columns = (here - (found.end - found.start), here, here + (found.goes_on - found.end))
        first, middle, last = (to_units(text, column, encoding) for column in columns)
        self._insert = range_of((line, first), (line, middle))
        self._replace = range_of((line, first), (line, last)) if last > middle else None

    def item(
        self, label: str, new: str, kind: int, data: dict[str, Any], *, detail: str = "", description: str = ""
    ) -> dict[str, Any]:
        """Give the next item; clients that sort keep it behind those before."""
        edit: dict[str, Any] = {"range": self._insert, "newText": new}
        if self._client.completion_insert_replace and self._replace is not None:
            edit = {"insert": self._insert, "replace": self._replace, "newText": new}
        made: dict[str, Any] = {"label": label, "kind": kind, "sortText": f"{self._count:03}", "textEdit": edit}
        self._count += 1
        if self._typed:
            made["filterText"] = self._typed
        if self._client.completion_label_details and (detail or description):
            details = {"detail": detail and f" {detail}", "description": description}
            made["labelDetails"] = {name: text for name, text in details.items() if text}
        elif detail or description:
            made["detail"] = " · ".join(filter(None, (detail, description)))
        if self._client.completion_resolves_documentation:
            made["data"] = data
        return made


# --- paths


async def _paths(
    session: Session, document: OpenDocument, place: Place, found: UnfinishedPath, edits: _Edits, trigger: int
) -> dict[str, Any] | None:
    spelling = _Spelling.of(found, place.path.rpartition("/")[0])
    cited = list(_cited(document, place))
    if spelling is None or not _is_wanted(found, trigger, has_cited=bool(cited)):
        return None
    strict = found.where in ("text", "bracket")
    asked = Asked(spelling.typed, spelling.folder, cited[:_MOST_CITED], spelling.below, strict)
    begun = 0 < len(found.typed) < _FEW_LETTERS
    only_cited = found.where == "bracket" and "/" not in found.typed and (begun or trigger != _INVOKED)
    offered = [
        (root, each)
        for root, each in await _search(session, document, place, asked, only_cited=only_cited)
        if _is_offered(found, spelling, root, each, place)
    ]
    finished = bool(offered) and trigger != _INVOKED and spelling.shown(offered[0][1].path) == found.typed
    if finished or (not offered and place.space.complete):
        return None
    known = set(cited)
    items = []
    for root, each in offered[:LIMIT]:
        full = joined(root, each.path)
        description = "cited here" if root == place.root and each.path in known else ""
        data = {"path": full, "first": 1, "last": _DOCUMENTED}
        items.append(
            edits.item(spelling.shown(each.path), spelling.new(each.path), _FILE, data, description=description)
        )
    return {"isIncomplete": True, "items": items}


def _is_wanted(found: UnfinishedPath, trigger: int, *, has_cited: bool) -> bool:
    """Say whether a list would be welcome: in running text only where something can be no word."""
    if found.where == "text":
        if found.typed == "/":
            return trigger == _INVOKED  # between two words it stands for "or"
        return "/" in found.typed[1:] or ("." in found.typed[1:-1] and trigger != _TRIGGERED)
    if found.where == "bracket" and not found.typed:
        return trigger == _INVOKED or has_cited
    return True


def _is_offered(found: UnfinishedPath, spelling: "_Spelling", root: str, each: Offered, place: Place) -> bool:
    """Say whether a path is meant by what is typed, can be written so, and leads where it should."""
    if (each.path == place.path and root == place.root) or extension_of(each.path) in _NO_TEXT:
        return False
    if found.where == "text" and each.tier > _AT_THE_ROOT and found.typed.count("/") < 2:
        beside = f"{spelling.folder}/{spelling.typed}" if spelling.folder else spelling.typed
        if not spelling.below and not fold(each.path).startswith(fold(beside)):
            return False
    if root != place.root and (spelling.style != "plain" or each.path in place.snapshot.indexes[0]):
        return False
    return bool(_PLAIN_PATH.match(each.path)) or spelling.can_be_written(each.path)


async def _search(
    session: Session, document: OpenDocument, place: Place, asked: Asked, *, only_cited: bool
) -> list[tuple[str, Offered]]:
    """Give the paths of all roots that answer, the document's own root first where they answer alike."""
    if only_cited or not place.space.complete:
        known = asked.cited if only_cited else [*asked.cited, *_open_files(session, document, place)]
        return [(place.root, each) for each in PathSearch(PathIndex.of(known)).find(asked)]
    fields = asked._asdict()
    roots = sorted(place.space.roots, key=lambda root: root != place.root)
    found = []
    for root in roots:
        if root != place.root:
            fields |= {"folder": "", "cited": []}
        if root == place.root or not asked.below:
            answer = await session.worker.call("offered", root=root, **fields)
            found += [(root, Offered(*each)) for each in answer]
    return found if len(roots) == 1 else sorted(found, key=lambda each: each[1].tier)


def _cited(document: OpenDocument, place: Place) -> Iterator[str]:
    """Give the paths below the document's root that it cites, and git does not ignore: first those it cites most."""
    index = place.snapshot.indexes[0]
    counts = Counter(full for piece in document.checks.pieces.values() for full in sorted(piece.files))
    for full, _ in counts.most_common():
        path = within(place.root, full)
        if path is not None and (path in index or not place.space.complete):
            yield path


def _open_files(session: Session, document: OpenDocument, place: Place) -> Iterator[str]:
    for other in session.documents.values():
        path = within(place.root, other.path) if other.path is not None and other is not document else None
        if path is not None:
            yield path


class _Spelling:
    """How paths are written at a place: as what is typed begins.

    `style`: plain, relative (to the document's folder), rooted (with a "/" in front).
    """

    def __init__(self, found: UnfinishedPath, folder: str, style: str, upwards: str, typed: str, below: str) -> None:
        self.folder = folder
        self.style = style
        self.typed = typed
        self.below = below
        self._found = found
        self._upwards = upwards

    @classmethod
    def of(cls, found: UnfinishedPath, folder: str) -> "_Spelling | None":
        """Read what is typed; None where it leads out of the root."""
        written = found.typed if found.where != "target" or found.angled else unquote(found.typed, errors="replace")
        written = written.replace("\\", "/")
        upwards = UPWARDS.match(written)
        if upwards is not None and upwards.group().startswith("."):
            below = normpath(f"{folder}/{upwards.group()}" if folder else upwards.group())
            if below.startswith(".."):
                return None
            below = "" if below == "." else below
            return cls(found, folder, "relative", upwards.group(), written[upwards.end() :], below)
        if written.startswith("/"):
            return cls(found, folder, "rooted", "", written.lstrip("/"), "")
        style = "relative" if found.where == "target" and not written else "plain"
        return cls(found, folder, style, "", written, "")

    def shown(self, path: str) -> str:
        """Give a root-relative path as it is to be read."""
        if self.style == "rooted":
            return f"/{path}"
        if self.style == "plain":
            return path
        beside = relpath(path, self.folder or ".")
        return beside if beside.startswith("../") or not self._upwards.startswith("./") else f"./{beside}"

    def new(self, path: str) -> str:
        """Give a root-relative path as it is to be written."""
        shown = self.shown(path)
        if self._found.where != "target" or self._found.angled or _PLAIN_PATH.match(path):
            return shown.replace("%", "%25") if self._found.where == "target" else shown
        kept = _KEPT_IN_TARGETS + ("()" if shown.count("(") == shown.count(")") else "")
        return quote(shown, safe=kept)

    def can_be_written(self, path: str) -> bool:
        """Say whether a citation of the path would be read as one."""
        new, shown = self.new(path), self.shown(path)
        around = {"code": "`{}:1`", "target": "[x](<{}#L1>)" if self._found.angled else "[x]({}#L1)"}
        text = around.get(self._found.where, "{}:1").format(new)
        found = find_anchors(text, make_grammar({shown, path}))
        return found is not None and [anchor.path for anchor in found.anchors] == [shown]


# --- lines


async def _lines(
    session: Session, document: OpenDocument, place: Place, found: UnfinishedLines, edits: _Edits
) -> dict[str, Any] | None:
    if document.document is None:
        return None
    anchor = Anchor("", "path-line", found.path, ((1, 1),), 0, 0, ())
    cited = place.snapshot.cited_file(anchor, document.document)
    if cited is None:
        return None
    full = joined(cited.root, cited.path)
    answer = await session.worker.call(
        "places",
        path=full,
        roots=sorted({*place.space.roots, cited.root}),
        max_bytes=place.snapshot.scope.max_bytes,
        text=next((other.buffer.text for other in session.documents.values() if full in other.names), None),
        typed=found.typed,
        after=found.after,
    )
    if answer is None:
        return None
    places = [CitablePlace(*each) for each in answer]
    return {"isIncomplete": True, "items": [_line_item(each, full, found, edits) for each in places]}


def _line_item(each: CitablePlace, full: str, found: UnfinishedLines, edits: _Edits) -> dict[str, Any]:
    letter = "L" if found.letter else ""
    numbers = [each.first] if each.first == each.last else [each.first, each.last]
    new = "-".join(f"{letter}{number}" for number in numbers)
    if found.marked:
        new = new.removeprefix("L")
    span = "-".join(map(str, numbers))
    data = {"path": full, "first": each.first, "last": each.last}
    if each.kind == LINE:
        return edits.item(span, new, _TEXT, data, description=each.text)
    kind = _KINDS.get(each.kind, _SOME_SYMBOL)
    kind = _KINDS["method"] if each.kind == "function" and each.owner and not found.after else kind
    if found.after:
        return edits.item(span, new, kind, data, description=f"end of {each.name}")
    return edits.item(each.name, new, kind, data, detail=span, description=each.owner)


def documentation(session: Session, data: dict[str, Any]) -> MarkupContent | None:
    """Give the lines that an item stands for; None where they cannot be read any more."""
    path, first, last = data.get("path"), data.get("first"), data.get("last")
    if not isinstance(path, str) or not isinstance(first, int) or not isinstance(last, int):
        return None
    readers = (space.snapshot.reader for space in session.spaces)
    file = next((file for file in (reader.read(path) for reader in readers) if isinstance(file, FileText)), None)
    if file is None or not file.lines:
        return None
    shown = shown_lines(file.lines, path, (first, last), markdown=session.client.completion_markdown)
    return MarkupContent(MarkupKind(shown["kind"]), shown["value"])
