"""What a policy file may hold: tables, their keys, and the values these may have, each with its meaning.

This is the one description of the format: `files` reads by it, `file_schema` prints it as a JSON schema, and an editor
takes from it what may be written where.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from cite_lsp.policy.placeholders import PASSAGE, is_word
from cite_lsp.policy.splitting import KINDS, METAS

NAME: Final = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
"""Names that stand in the code of a finding, in what JSON Schema's regular expressions share with Python's."""

SEVERITIES: Final = ("error", "warning", "information", "hint", "off")
INPUTS: Final = ("none", "given", "cited")
VERDICTS: Final = ("holds", "review", "fails", "absent")
INPUT_META: Final = "input"
METAS_SHOWN: Final = (*dict.fromkeys(meta for metas in METAS.values() for meta in metas), INPUT_META)

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A text that is not blank; one of `words` where there are any, and of the shape `pattern` where there is one."""

    words: tuple[str, ...] = ()
    pattern: str = ""
    said: str = "a text that is not blank"
    blank: bool = False
    """Whether it may be blank all the same."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number from `least` to `most`."""

    least: float
    most: float | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of `least` items or more, and `most` at most; each only once where they are `unique`."""

    item: "Value"
    least: int = 0
    most: int | None = None
    unique: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of one of `SHAPES`."""

    shape: str


@dataclass(frozen=True, slots=True)
class MapOf:
    """A table whose keys the author chooses."""

    item: "Value"
    said: str


@dataclass(frozen=True, slots=True)
class Either:
    """A text, or a table in its place."""

    text: Text
    table: Table


@dataclass(frozen=True, slots=True)
class Anything:
    """Whatever JSON can hold."""


Value: TypeAlias = Text | Number | Flag | ListOf | Table | MapOf | Either | Anything


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table.

    Attributes:
        value: What it may be given.
        meaning: One sentence for a person.
        required: Whether a table without it is faulty.
        default: What counts where it is absent; None where that is nothing, or told in `meaning`.
    """

    value: Value
    meaning: str
    required: bool = False
    default: Any = None


_TEXT = Text()
_NAME = Text(pattern=NAME, said='a name of letters, digits, "_", "." and "-" that begins with none of the last two')
_SIDE = Either(_TEXT, Table("side"))

_ASKING: Mapping[str, Key] = {
    "question": Key(_TEXT, "What is asked: one proposition. It has to name {passage}.", required=True),
    "focus": Key(_TEXT, "What to look at, one line."),
    "yes": Key(_SIDE, "What counts as yes: a text, or a table of what, not_for and examples.", required=True),
    "no": Key(_SIDE, "What counts as no: a text, or a table of what, not_for and examples.", required=True),
}
_ASKING_ROLES = {**_ASKING, "question": Key(_TEXT, "What is asked; it has to name a role: {role}.", required=True)}

SHAPES: Final[Mapping[str, Mapping[str, Key]]] = MappingProxyType(
    {
        "policy": {
            "name": Key(_NAME, "The policy's name, as findings and the command line have it; by default the file's."),
            "summary": Key(_TEXT, "What the policy looks for, on one line."),
            "applies_to": Key(ListOf(_TEXT), "Globs of the documents it is asked of; by default all."),
            "passages": Key(Text(words=KINDS), "What a document is split into.", required=True),
            "show": Key(
                ListOf(Text(words=METAS_SHOWN), unique=True),
                "What is shown with each passage, as far as it is known: line, section, time, level, speaker, input.",
            ),
            "input": Key(
                Text(words=INPUTS),
                'What each passage is held against: nothing, the text given with --input ("given"), or the lines that '
                'the passage cites ("cited").',
                default="none",
            ),
            "threshold": Key(Number(0, 1), "A passage matches a question whose probability is greater.", default=0.5),
            "review_band": Key(
                ListOf(Number(0, 1), least=2, most=2),
                "Low and high: up to low is no, from high on is yes, in between a person should look.",
                default=[0.4, 0.6],
            ),
            "window": Key(Number(1, whole=True), "How many passages one request of the first round holds.", default=40),
            "overlap": Key(
                Number(0, whole=True), "How many passages of the window before a window carries along.", default=0
            ),
            "strict_threshold": Key(
                Flag(), "Whether a passage below the threshold counts as no even inside the review band.", default=False
            ),
            "retries": Key(
                Number(0, whole=True), "How often a request that failed for a passing reason is asked again.", default=1
            ),
            "filter": Key(ListOf(Table("filter")), "What every passage has to pass before it can be evidence."),
            "factor": Key(ListOf(Table("factor")), "A question whose passages fill roles of concerns."),
            "concern": Key(ListOf(Table("concern")), "What is looked for.", required=True),
            "score": Key(ListOf(Table("score")), "A description of each finding on a scale; it decides nothing."),
            "choice": Key(ListOf(Table("choice")), "A description of each finding by one of some options."),
            "test": Key(ListOf(Table("test")), "A labelled example, for `cite-lsp policy test` and `calibrate`."),
        },
        "filter": {"name": Key(_TEXT, "The filter's name.", required=True), **_ASKING},
        "factor": {"name": Key(_TEXT, "The factor's name, by which roles call it.", required=True), **_ASKING},
        "concern": {
            "name": Key(_NAME, "The concern's name; findings have the code policy:<policy>/<concern>.", required=True),
            "category": Key(_TEXT, "A label for reports; by default the name."),
            "severity": Key(Text(words=SEVERITIES), "How loudly a finding that holds is told.", default="warning"),
            "message": Key(
                _TEXT,
                "What a finding says: {concern}, {category}, {verdict}, {passage} and names of scores and choices.",
            ),
            "detect": Key(Table("asking"), "Asked of each passage in the first round."),
            "confirm": Key(Table("asking"), "Asked of the passages found, among each other; by default detect again."),
            "role": Key(ListOf(Table("role")), "A place that the passage fills which a factor fits best."),
            "check": Key(ListOf(Table("check")), "A question about the passages that fill roles; it decides."),
        },
        "asking": _ASKING,
        "side": {
            "what": Key(_TEXT, "What counts.", required=True),
            "not_for": Key(_TEXT, "What a reading of `what` would wrongly take in."),
            "examples": Key(ListOf(_TEXT), "Texts that count."),
        },
        "role": {
            "name": Key(_TEXT, "A word of letters, digits and _; checks name it as {name}.", required=True),
            "factor": Key(_TEXT, "The name of the factor that the passage has to fit.", required=True),
            "optional": Key(Flag(), "Whether the concern may be found without it.", default=False),
            "distinct": Key(Flag(), "Whether a passage that fills another role is passed over.", default=False),
        },
        "check": {
            "name": Key(_TEXT, "The check's name.", required=True),
            **_ASKING_ROLES,
            "distinct": Key(
                Flag(), "Whether it is asked only where its roles are filled by different passages.", default=False
            ),
        },
        "score": {
            "name": Key(_TEXT, "The score's name.", required=True),
            "question": Key(_TEXT, "What is asked of all evidence together, without placeholders.", required=True),
            "focus": _ASKING["focus"],
            "levels": Key(
                ListOf(_TEXT, least=2, most=10, unique=True), "Two to ten levels, the lowest first.", required=True
            ),
        },
        "choice": {
            "name": Key(_TEXT, "The choice's name.", required=True),
            "question": Key(_TEXT, "What is asked of all evidence together, without placeholders.", required=True),
            "focus": _ASKING["focus"],
            "options": Key(MapOf(_TEXT, "an option"), "Key and description of each option, in order.", required=True),
        },
        "test": {
            "name": Key(_TEXT, "The example's name.", required=True),
            "text": Key(_TEXT, "A text that is split as the policy says."),
            "passages": Key(
                ListOf(Either(_TEXT, Table("unit")), least=1), "In place of text: the passages, as texts or tables."
            ),
            "input": Key(Text(blank=True), "What the passages are held against."),
            "found": Key(
                MapOf(ListOf(_TEXT, unique=True), "a concern"),
                "For each concern the evidence that has to hold: ids, or texts that one passage holds.",
            ),
            "verdicts": Key(
                MapOf(Text(words=VERDICTS), "a concern"), "For each concern the verdict that has to come out."
            ),
        },
        "unit": {
            "id": Key(_TEXT, "The passage's id; by default P and its number: P000."),
            "text": Key(_TEXT, "The passage.", required=True),
            "meta": Key(MapOf(Anything(), "a meta"), "What is known of the passage; only what `show` names is shown."),
        },
    }
)
"""The tables of a policy file by kind; the file itself is a `policy`."""


def value_at(path: Path) -> Value | None:
    """Give what may stand at a path of a policy file; None where nothing may.

    A path is what leads to a value in the parsed tree: keys, and indices of list items.
    """
    value: Value | None = Table("policy")
    for part in path:
        value = _within(value, part)
    return value


def _within(value: Value | None, part: str | int) -> Value | None:
    if isinstance(value, Either):
        value = value.table
    if isinstance(value, ListOf):
        # A table is written without its index while an editor asks about its header.
        return value.item if isinstance(part, int) else _within(value.item, part)
    if isinstance(value, MapOf):
        return value.item
    if isinstance(value, Table) and isinstance(part, str):
        key = SHAPES[value.shape].get(part)
        return None if key is None else key.value
    return None


def keys_at(path: Path) -> Mapping[str, Key]:
    """Give the keys that the table at a path may have; none where there is no such table, or its keys are free."""
    value = value_at(path)
    while isinstance(value, ListOf):
        value = value.item
    if isinstance(value, Either):
        value = value.table
    return SHAPES[value.shape] if isinstance(value, Table) else MappingProxyType({})


def key_at(path: Path) -> Key | None:
    """Give the key that a path ends with; None for what is no key of the format."""
    while path and isinstance(path[-1], int):
        path = path[:-1]
    return keys_at(path[:-1]).get(str(path[-1])) if path else None


def placeholders_at(data: Mapping[str, Any], path: Path) -> tuple[str, ...] | None:
    """Give the placeholders that the text at a path may hold; None where braces mean nothing.

    `data` is the file's tree, as far as it can be read; nothing is expected of it.
    """
    key = path[-1] if path else None
    if path[:1] == ("concern",) and path[2:] == ("message",):
        described = filter(is_word, _names(data, "score", "choice"))
        return tuple(dict.fromkeys(("concern", "category", "verdict", PASSAGE, *described)))
    if key not in ("question", "focus"):
        return None
    if path[:1] in (("filter",), ("factor",)) or path[2:3] in (("detect",), ("confirm",)):
        return (PASSAGE,)
    if path[:1] == ("concern",) and path[2:3] == ("check",):
        return tuple(_names(_concern(data, path), "role"))
    return ()


def words_at(data: Mapping[str, Any], path: Path) -> tuple[str, ...]:
    """Give the texts that may stand at a path where the format or the file itself says which: words, names of factors.

    Of a table whose keys are names of the file (`found`, `verdicts`) give these names.
    """
    value = value_at(path)
    if isinstance(value, ListOf):
        value = value.item
    if path[:1] == ("test",) and path[2:] in (("found",), ("verdicts",)):
        return tuple(_names(data, "concern"))
    if path[2:3] == ("role",) and path[-1] == "factor":
        return tuple(_names(data, "factor"))
    if path[:1] == ("show",):
        kind = data.get("passages")
        return (*METAS.get(kind, ()), INPUT_META) if isinstance(kind, str) and kind in KINDS else METAS_SHOWN
    if isinstance(value, Flag):
        return ("true", "false")
    return value.words if isinstance(value, Text) else ()


def _concern(data: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    concerns = data.get("concern")
    number = path[1] if len(path) > 1 and isinstance(path[1], int) else -1
    if isinstance(concerns, Sequence) and 0 <= number < len(concerns) and isinstance(concerns[number], Mapping):
        found: Mapping[str, Any] = concerns[number]
        return found
    return {}


def _names(data: Mapping[str, Any], *kinds: str) -> Iterator[str]:
    for kind in kinds:
        tables = data.get(kind)
        for table in tables if isinstance(tables, list) else ():
            name = table.get("name") if isinstance(table, Mapping) else None
            if isinstance(name, str) and name:
                yield name
