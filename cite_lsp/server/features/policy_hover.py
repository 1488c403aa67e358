"""What is asked by a part of a policy, in which round, as a client gets it, and how it was calibrated."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from cite_lsp.document.toml_outline import Entry, Outline, outline
from cite_lsp.document.toml_text import TomlFault, read_toml
from cite_lsp.policy.file_keys import Path, key_at
from cite_lsp.policy.language import Choice, Score, Side, YesNo
from cite_lsp.policy.placeholders import PASSAGE, names_in
from cite_lsp.policy.wording import described, yes_no
from cite_lsp.server.convert import Range, range_of
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.policy_files import MOST_CHARACTERS, PolicyText, offset_at, position_at
from cite_lsp.server.session import Session

if TYPE_CHECKING:
    from cite_lsp.policy.bands import BandsRead

_MOST_CHARACTERS = 6_000
_PASSAGE = "passages.<id>.text"
"""Where a request has a passage."""
_ASKED_KEYS = frozenset({"name", "question", "focus", "yes", "no", "levels", "options", "detect", "confirm", "factor"})
"""Keys at which it is shown what is asked; at the others what the key means."""

_FILTER = "asked of each passage in the first round. A passage that does not pass every filter is no evidence."
_FACTOR = "asked of each passage in the first round."
_DETECT = "asked of each passage in the first round."
_CONFIRM = "asked in the second round of each passage that was found, beside the others that were."
_AGAIN = "In the second round it is asked again of each passage that was found, beside the others that were."
_CHECK = "asked in the second round about the passages that fill its roles. It decides whether the finding holds."
_DESCRIBES = "asked in the second round of each finding, about all its evidence together. It decides nothing."


class Form(Protocol):
    """How texts are written: as Markdown or plain."""

    def text(self, text: str) -> str:
        """Write data."""

    def name(self, text: str) -> str:
        """Write a name."""

    def strong(self, text: str) -> str:
        """Write a word that stands out."""

    def block(self, text: str, language: str) -> str:
        """Write lines."""


@dataclass(frozen=True, slots=True)
class _Question:
    """A question as a client gets it.

    Attributes:
        title: What it is.
        name: Its name in the policy.
        said: When it is asked, and of what.
        wire: The question.
        label: As bands name it; "" of what has none.
    """

    title: str
    name: str
    said: str
    wire: Mapping[str, Any]
    label: str = ""


def policy_parts(
    session: Session, document: OpenDocument, policies: PolicyText, position: tuple[int, int], form: Form
) -> tuple[list[str], Range] | None:
    """Give the paragraphs of the hover at a position (0-based line, column in the client's units), and its range."""
    if document.size > MOST_CHARACTERS:
        return None
    offset = offset_at(document, *position)
    found = outline(document.buffer.text, offset)
    entry = found.at(offset)
    path = policies.inside(entry.path) if entry is not None else None
    if entry is None or path is None:
        return None
    data = _data(found, policies.prefix(entry.path))
    parts = list(_key(path, form)) if not _asks(path) else []
    for question in _questions(data, path) if _asks(path) else ():
        parts += _parts(question, form)
        if question.label:
            parts += _calibration(session, document, policies, entry.path, question.label, form)
    if not parts:
        parts = list(_key(path, form))
    return (parts, _range(document, entry)) if parts else None


def _range(document: OpenDocument, entry: Entry) -> Range:
    """Give the range of a key, a header or an item."""
    return range_of(position_at(document, entry.start), position_at(document, entry.end))


def _data(found: Outline, prefix: Path) -> Mapping[str, Any]:
    """Give the tree of a policy; of a text that is no TOML as far as it can be read."""
    tree = read_toml(found.text) if found.valid else found.tree()
    data: Any = found.tree() if isinstance(tree, TomlFault) else tree
    for part in prefix:
        data = data[part]
    return data if isinstance(data, Mapping) else {}


def _asks(path: Path) -> bool:
    """Say whether it is shown at a path what is asked there: at a part's header, its name and its wording."""
    names = [part for part in path if isinstance(part, str)]
    return path[:1] != ("test",) and len(path) > 1 and (isinstance(path[-1], int) or not _ASKED_KEYS.isdisjoint(names))


def _key(path: Path, form: Form) -> Iterator[str]:
    key = key_at(path)
    if key is not None:
        name = next(part for part in reversed(path) if isinstance(part, str))
        yield f"{form.name(name)}: {form.text(key.meaning)}"
        if key.default is not None:
            yield f"By default {form.name(json.dumps(key.default))}."


def _parts(question: _Question, form: Form) -> Iterator[str]:
    name = f" {form.name(question.name)}" if question.name else ""
    yield f"{form.strong(question.title)}{name}: {form.text(question.said)}"
    wire = json.dumps(question.wire, indent=2, ensure_ascii=False)
    if len(wire) > _MOST_CHARACTERS:
        wire = f"{wire[:_MOST_CHARACTERS]}\n…"
    yield form.block(wire, "json")


# --- what is asked


def _questions(data: Mapping[str, Any], path: Path) -> Iterator[_Question]:
    """Give the questions that a path is about, in the order in which they are asked."""
    table = _table(data, path[:2])
    match path[0]:
        case "filter":
            yield from _put("Filter", table, _FILTER, "filter")
        case "factor":
            yield from _put("Factor", table, _FACTOR + _filled(data, _name(table)), "factor")
        case "score" | "choice":
            yield from _described(str(path[0]), table)
        case "concern":
            yield from _of_concern(data, table, path)


def _of_concern(data: Mapping[str, Any], concern: Mapping[str, Any], path: Path) -> Iterator[_Question]:
    name = _name(concern)
    match path[2:4]:
        case ["role", int(number)]:
            yield from _of_role(data, concern, number)
        case ["check", int(number)]:
            yield from _of_check(concern, number)
        case ["detect", *_]:
            yield from _of_screening(concern, name)
        case ["confirm", *_]:
            yield from _put("Confirm", _table(concern, ("confirm",)), _CONFIRM, "confirm", name)
        case _:
            yield from _of_screening(concern, name)
            yield from _put("Confirm", _table(concern, ("confirm",)), _CONFIRM, "confirm", name)
            for number, _ in enumerate(_list(concern, "role")):
                yield from _of_role(data, concern, number)
            for number, _ in enumerate(_list(concern, "check")):
                yield from _of_check(concern, number)


def _of_screening(concern: Mapping[str, Any], name: str) -> Iterator[_Question]:
    said = _DETECT if "confirm" in concern else f"{_DETECT} {_AGAIN}"
    yield from _put("Detect", _table(concern, ("detect",)), said, "detect", name)


def _of_role(data: Mapping[str, Any], concern: Mapping[str, Any], number: int) -> Iterator[_Question]:
    role = _table(concern, ("role", number))
    factor = role.get("factor")
    table = next((each for each in _list(data, "factor") if factor is not None and _name(each) == factor), {})
    optional = " The concern may be found without it." if role.get("optional") is True else ""
    said = f"{_FACTOR} The passage that it fits best fills the role {_name(role)}.{optional}"
    yield from _put("Factor", table, said, "factor")


def _of_check(concern: Mapping[str, Any], number: int) -> Iterator[_Question]:
    table = _table(concern, ("check", number))
    asks = _yes_no(table)
    if asks is None:
        return
    roles = {_name(each) for each in _list(concern, "role")}
    named = [name for name in names_in(f"{asks.question} {asks.focus or ''}") if name in roles]
    distinct = " It is asked only where these are different passages." if table.get("distinct") is True else ""
    wire = yes_no(asks, {name: f"{name}.text" for name in named})
    yield _Question("Check", _name(table), _CHECK + distinct, wire, f"check:{_name(concern)}/{_name(table)}")


def _put(title: str, table: Mapping[str, Any], said: str, kind: str, name: str = "") -> Iterator[_Question]:
    asks = _yes_no(table)
    if asks is not None:
        shown = name or _name(table)
        yield _Question(title, shown, said, yes_no(asks, {PASSAGE: _PASSAGE}), f"{kind}:{shown}" if shown else "")


def _described(kind: str, table: Mapping[str, Any]) -> Iterator[_Question]:
    question, focus = table.get("question"), table.get("focus")
    if not isinstance(question, str):
        return
    focus = focus if isinstance(focus, str) else None
    levels = tuple(each for each in _items(table, "levels") if isinstance(each, str))
    options = table.get("options")
    pairs = tuple((str(key), str(text)) for key, text in options.items()) if isinstance(options, Mapping) else ()
    name = _name(table)
    asked = Score(name, question, levels, focus) if kind == "score" else Choice(name, question, pairs, focus)
    yield _Question(kind.capitalize(), name, _DESCRIBES, described(asked, [_PASSAGE, "…"]))


def _filled(data: Mapping[str, Any], factor: str) -> str:
    """Say which roles a factor fills."""
    roles = [
        f"{_name(role)} of {_name(concern)}"
        for concern in _list(data, "concern")
        for role in _list(concern, "role")
        if factor and role.get("factor") == factor
    ]
    return f" The passage that it fits best fills {', '.join(roles)}." if roles else ""


def _yes_no(table: Mapping[str, Any]) -> YesNo | None:
    question, focus = table.get("question"), table.get("focus")
    if not isinstance(question, str):
        return None
    return YesNo(question, _side(table.get("yes")), _side(table.get("no")), focus if isinstance(focus, str) else None)


def _side(given: object) -> Side | None:
    if isinstance(given, str):
        return Side(given)
    if not isinstance(given, Mapping):
        return None
    what, not_for = given.get("what"), given.get("not_for")
    examples = tuple(each for each in _items(given, "examples") if isinstance(each, str))
    return Side(what if isinstance(what, str) else "", not_for if isinstance(not_for, str) else None, examples)


# --- how it was calibrated


def _calibration(
    session: Session, document: OpenDocument, policies: PolicyText, path: Path, label: str, form: Form
) -> Iterator[str]:
    read = policies.read_of(document, path)
    if policies.tables is not None or read is None or read.file is None or document.path is None:
        return
    bands, identity = _bands(session, document)
    if bands is None:
        return
    kept = bands.kept.get(label)
    stale = [sentence for sentence in bands.stale if label in sentence.split() or not bands.kept]
    if kept is None:
        yield from (f"Not calibrated: {form.text(sentence)}." for sentence in stale)
        return
    of = f"on {kept.rows} labelled answers of {form.text(bands.model)}, {form.text(bands.calibrated_at)}"
    if kept.band is None:
        yield f"Calibrated without a band {of}: {form.text(kept.why)}."
        return
    low, high = kept.band
    share = f"; {kept.coverage:.0%} of held-out answers are decided" if kept.coverage is not None else ""
    error = f", {kept.held_out_error:.1%} of them wrongly" if kept.held_out_error is not None else ""
    yield f"Calibrated {of}: up to {low:g} is no, from {high:g} on is yes{share}{error}."
    if identity and identity != bands.model:
        yield f"It does not count: {form.text(identity)} is asked now. Calibrate it again."
    yield from (f"It does not count: {form.text(sentence)}." for sentence in stale)


def _bands(session: Session, document: OpenDocument) -> "tuple[BandsRead | None, str]":
    """Give what is kept beside a policy file, and who is asked now as far as that is known."""
    from cite_lsp.policy.bands import ENDING, read_bands  # noqa: PLC0415 - few policies have some
    from cite_lsp.snapshot.lines import DocumentText  # noqa: PLC0415 - as above

    policies = session.policy_files.get(document)
    read = policies.read_of(document, ()) if policies is not None else None
    if read is None or read.file is None or document.path is None:
        return None, ""
    place = session.place_beside(document.path)
    beside = f"{document.path.removesuffix('.toml')}{ENDING}"
    text = place.snapshot.reader.read_text(beside)
    if not isinstance(text, DocumentText):
        return None, ""
    name = beside.rpartition("/")[2]
    model = read_bands(text.text, name, read.file.policy, "").model
    return read_bands(text.text, name, read.file.policy, model), session.policies.clients.identity_of(place.settings)


# --- trees that people write


def _table(data: object, path: Sequence[str | int]) -> Mapping[str, Any]:
    """Give the table at a path; an empty one where there is none."""
    for part in path:
        if isinstance(data, Mapping):
            data = data.get(str(part))
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return {}
    return data if isinstance(data, Mapping) else {}


def _list(table: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """Give the tables of an array."""
    return [each for each in _items(table, key) if isinstance(each, Mapping)]


def _items(table: Mapping[str, Any], key: str) -> list[Any]:
    found = table.get(key)
    return found if isinstance(found, list) else []


def _name(table: Mapping[str, Any]) -> str:
    name = table.get("name")
    return name if isinstance(name, str) else ""
