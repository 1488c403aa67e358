"""Labelled rows: claims with what they cite and what a careful reader calls them, from one file a set.

A row either cites lines of a published package (`package`, `version`, `registry`, `path`, `line`, `end_line`) or brings
its lines along (`evidence`, a text). Both become the rows that the product would make of them.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from cite_lsp.audit.verdicts import Row
from cite_lsp.snapshot.excerpt import language_of, unit_excerpt
from cite_lsp.snapshot.lines import Reader, Unread
from tests.bench.packages import NotHadError, Package, Packages
from tests.conftest import shared_folder

OWN = Path(__file__).resolve().parent / "claims"
_BESIDE = {"dev": "claims/dev.jsonl", "code": "data/code.jsonl", "prose": "data/prose.jsonl"}
_LABELS = {
    "supported": "supported",
    "partial": "partial",
    "unsupported": "unsupported",
    # FEVER-Symmetric holds pairs that support and pairs that refute, none without enough to tell.
    "not-supported": "unsupported",
}
_PROSE_SETS = ("wice", "wice_nst", "factcheck", "feversym")
_MOST_OF_A_PART = 400
"""Rows taken of each part of prose.jsonl, unless the whole is asked for."""


@dataclass(frozen=True, slots=True)
class Case:
    """A labelled row.

    Attributes:
        id: Unique in its set.
        part: The set's own name for where the row comes from, or "".
        kind: What makes the row what it is, or "".
        label: `supported`, `partial` or `unsupported`.
        row: What a judge is given.
        why: The reader's reason, or "".
        place: Where the lines stand, for a person, or "".
        deciding: Numbers of the lines that decide it, or none.
    """

    id: str
    part: str
    kind: str
    label: str
    row: Row
    why: str = ""
    place: str = ""
    deciding: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NotRun:
    """A labelled row, or with `count` several, that cannot be judged, and why."""

    id: str
    why: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Labelled:
    """A set: its name, the rows of it that can be judged, and those that cannot.

    `sampled_from` is the count of all its rows where only a sample of them is taken, else 0.
    """

    name: str
    cases: tuple[Case, ...]
    not_run: tuple[NotRun, ...] = ()
    sampled_from: int = 0

    @property
    def parts(self) -> tuple[str, ...]:
        """Give the names of its parts, in the order of its rows."""
        return tuple(dict.fromkeys(case.part for case in self.cases))

    @property
    def is_prose(self) -> bool:
        """Say whether it is about prose, not about the files of a project."""
        return any(case.part in _PROSE_SETS for case in self.cases)


def files() -> dict[str, Path | None]:
    """Give the sets that are known by name, each with its file; None where that does not stand beside the checkout."""
    shared = shared_folder()
    known: dict[str, Path | None] = {}
    for name, path in _BESIDE.items():
        file = shared / path if shared is not None else None
        known[name] = file if file is not None and file.is_file() else None
    known.update((path.stem, path) for path in sorted(OWN.glob("*.jsonl")))
    return known


def load(name: str, file: Path | None, packages: Packages, *, whole: bool = False) -> Labelled:
    """Read a set.

    Args:
        name: What it is called in tables.
        file: JSON, one object a line; None: the set is not here, which is said and no error.
        packages: Where cited files come from.
        whole: Take all rows of a part of prose, not a sample.

    Raises:
        ValueError: A line is no labelled row; the message says which and why.
    """
    if file is None:
        return Labelled(name, (), (NotRun("", "shared/ is not beside this checkout", 0),))
    rows = list(_numbered(file))
    taken = rows if whole else _sampled(rows)
    cases: list[Case] = []
    not_run: list[NotRun] = []
    readers: dict[Package, Reader] = {}
    for number, data in taken:
        try:
            case = _case(number, data, packages, readers)
        except (KeyError, TypeError) as error:
            raise ValueError(f"{file}: line {number}: {type(error).__name__}: {error}") from None
        if isinstance(case, Case):
            cases.append(case)
        else:
            not_run.append(case)
    _refuse_twins(file, cases, not_run)
    return Labelled(name, tuple(cases), tuple(not_run), len(rows) if len(taken) < len(rows) else 0)


def _numbered(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
        if line.strip():
            try:
                data = json.loads(line)
            except ValueError as error:
                raise ValueError(f"{file}: line {number}: {error}") from None
            if not isinstance(data, dict) or data.get("label") not in _LABELS:
                raise ValueError(f"{file}: line {number}: a row is an object with a label of {', '.join(_LABELS)}")
            yield number, data


def _refuse_twins(file: Path, cases: Sequence[Case], not_run: Sequence[NotRun]) -> None:
    seen: set[str] = set()
    for name in (*(case.id for case in cases), *(each.id for each in not_run)):
        if name in seen:
            raise ValueError(f"{file}: two rows have the id {name!r}")
        seen.add(name)


def _sampled(rows: list[tuple[int, dict[str, Any]]]) -> list[tuple[int, dict[str, Any]]]:
    """Leave of each part of prose the rows whose texts have the least hashes: always the same, spread evenly."""
    by_part: dict[str, list[tuple[str, int]]] = {}
    for number, data in rows:
        if data.get("set") in _PROSE_SETS:
            text = f"{data.get('claim')}\n{data.get('evidence')}"
            by_part.setdefault(data["set"], []).append((sha256(text.encode()).hexdigest(), number))
    dropped = {number for each in by_part.values() for _, number in sorted(each)[_MOST_OF_A_PART:]}
    return [row for row in rows if row[0] not in dropped]


def _case(number: int, data: dict[str, Any], packages: Packages, readers: dict[Package, Reader]) -> Case | NotRun:
    if "package" in data:
        return _citing(data, packages, readers)
    return _with_evidence(number, data)


def _with_evidence(number: int, data: dict[str, Any]) -> Case:
    """Give a row that brings its lines. They are all that is known: no file, and only of prose which language it is."""
    part = data.get("set", "")
    lines = list(enumerate(data["evidence"].split("\n"), 1))
    path = "evidence.txt" if part in _PROSE_SETS else data.get("path")
    row = Row.of(claim=data["claim"], lines=lines, sentence=data.get("sentence"), path=path)
    name = data.get("id") or f"{part or 'row'}-{number}"
    return Case(name, part, data.get("kind", ""), _LABELS[data["label"]], row, data.get("why", ""))


def _citing(data: dict[str, Any], packages: Packages, readers: dict[Package, Reader]) -> Case | NotRun:
    package, path = Package(data["package"], data["version"], data["registry"]), str(data["path"])
    try:
        folder = packages.folder_of(package)
    except NotHadError as error:
        return NotRun(data["id"], str(error))
    reader = readers.setdefault(package, Reader((str(folder),)))
    file = reader.read(str(folder / path))
    if isinstance(file, Unread):
        return NotRun(data["id"], f"{package!s}: {path} {file.reason}")
    first, last, language = data["line"], data["end_line"], language_of(path)
    excerpt = unit_excerpt(file.lines, first, last if last is not None and last > first else None, language=language)
    if excerpt is None:
        return NotRun(data["id"], f"{package!s}: {path} has no line {first}")
    row = Row(
        claim=data["claim"],
        excerpts=(excerpt,),
        sentence=data.get("sentence") or data["claim"],
        path=path,
        language=language,
        file=file.lines,
        file_sha256=file.sha256,
    )
    place = f"{package.name}-{package.version}/{path}:{first}" + (f"-{last}" if last is not None else "")
    label, deciding = _LABELS[data["label"]], tuple(data.get("evidence") or ())
    return Case(data["id"], "", data.get("kind", ""), label, row, data.get("why", ""), place, deciding)
