"""Makes the parts of a policy of what could be read of its file.

What could not be read is made up so that it is free of faults itself: then `faults_of` finds all that is wrong with the
rest, and nothing that only follows from what has been said already.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from cite_lsp.policy.faults import Fault, faults_of
from cite_lsp.policy.file_keys import Path
from cite_lsp.policy.file_reading import Read
from cite_lsp.policy.language import Check, Choice, Concern, Factor, Filter, Role, Score, Side, YesNo
from cite_lsp.policy.placeholders import PASSAGE, names_in

_OF_PASSAGE = f"{{{PASSAGE}}}"
_SOMETHING = "-"
_NAMELESS = "unnamed"


class Parts:
    """The parts of a policy, and what is wrong with them.

    Paths are those of the format, of which `written` gives how the file spells them.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._made_up: set[Path] = set()
        """Paths of what is made up: no fault there, or in it, is the author's."""
        self._vague: set[Path] = set()
        """Paths of tables of which something important could not be read: what they seem to lack may be there."""
        self.filters = tuple(self._filters())
        self.factors = tuple(self._factors())
        self.concerns = tuple(self._concern(at, each) for at, each in enumerate(read.tables("concern")))
        self.descriptors: tuple[Score | Choice, ...] = (*self._scores(), *self._choices())

    def faults(self) -> Iterator[Fault]:
        """Give what is wrong with the parts, but for what follows from a fault of reading."""
        for fault in faults_of(self.concerns, self.filters, self.factors, self.descriptors):
            path = fault.path
            heads = [path[:length] for length in range(1, len(path) + 1)]
            if not path and not isinstance(self._read.values.get("concern"), list):
                continue
            if path not in self._vague and self._made_up.isdisjoint(heads):
                yield fault

    def written(self, path: Path) -> Path:
        """Give a path of the format as the file spells it."""
        return _written(self._read, path)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the concerns that have one."""
        named = enumerate(self.concerns)
        return tuple(each.name for at, each in named if ("concern", at, "name") not in self._made_up)

    @property
    def data(self) -> dict[str, Any]:
        """The names that a file declares, as its tree has them: what `placeholders_at` asks for."""
        concerns = [{"role": [{"name": role.name} for role in each.roles]} for each in self.concerns]
        kinds = {"score": Score, "choice": Choice}
        described = {
            key: [{"name": each.name} for each in self.descriptors if isinstance(each, kind)]
            for key, kind in kinds.items()
        }
        return {"concern": concerns, **described}

    # --- names

    def _name(self, read: Read, path: Path, meant: Sequence[str] = (_NAMELESS,)) -> str:
        """Give a name; one that cannot be read is taken to be one that is used and not declared."""
        name = read.values.get("name")
        if isinstance(name, str):
            return name
        self._made_up.add((*path, "name"))
        return meant[0] if meant else _NAMELESS

    def _undeclared(self, tables: Sequence[Read]) -> list[str]:
        declared = {each.values.get("name") for each in tables}
        roles = [role for each in self._read.tables("concern") for role in each.tables("role")]
        used = [role.values["factor"] for role in roles if "factor" in role.values]
        return [name for name in dict.fromkeys(used) if name not in declared]

    # --- questions

    def _asks(self, read: Read, path: Path, question: str = _OF_PASSAGE) -> YesNo:
        if "question" not in read.values:
            self._made_up.add((*path, "question"))
        asked = read.values.get("question", question)
        return YesNo(asked, _side(read.values.get("yes")), _side(read.values.get("no")), read.values.get("focus"))

    def _asked_of_passages(self, read: Read, path: Path, part: str) -> YesNo | None:
        if part not in read.given:
            return None
        table = read.values.get(part)
        return self._asks(table if isinstance(table, Read) else Read(()), (*path, part))

    def _filters(self) -> Iterator[Filter]:
        for at, read in enumerate(self._read.tables("filter")):
            path: Path = ("filter", at)
            yield Filter(self._name(read, path), self._asks(read, path))

    def _factors(self) -> Iterator[Factor]:
        tables = self._read.tables("factor")
        undeclared = self._undeclared(tables)
        for at, read in enumerate(tables):
            path: Path = ("factor", at)
            name = self._name(read, path, undeclared)
            undeclared = [each for each in undeclared if each != name]
            yield Factor(name, self._asks(read, path))

    # --- concerns

    def _concern(self, at: int, read: Read) -> Concern:
        path: Path = ("concern", at)
        if not read.is_one:
            self._made_up.add(path)
        if any(key in read.given and not isinstance(read.values.get(key), list) for key in ("role", "check")):
            self._vague.add(path)
            self._made_up |= {(*path, "check"), (*path, "role")}
        roles = tuple(self._roles(read, path))
        if "role" in read.given and not roles:
            roles = () if "role" in read.values else (Role(_NAMELESS, _NAMELESS),)
        return Concern(
            self._name(read, path),
            self._asked_of_passages(read, path, "detect"),
            self._asked_of_passages(read, path, "confirm"),
            roles,
            tuple(self._checks(read, path, roles)),
            read.values.get("category"),
        )

    def _roles(self, read: Read, path: Path) -> Iterator[Role]:
        tables = read.tables("role")
        named = {each.values.get("name") for each in tables}
        texts = [str(each.values.get(key, "")) for each in read.tables("check") for key in ("question", "focus")]
        meant = [name for text in texts for name in names_in(text) if name not in named]
        for at, each in enumerate(tables):
            here: Path = (*path, "role", at)
            name = self._name(each, here, meant)
            meant = [other for other in meant if other != name]
            factor = each.values.get("factor") or self._unfilled(here)
            yield Role(name, factor, bool(each.values.get("optional")), bool(each.values.get("distinct")))

    def _unfilled(self, role: Path) -> str:
        """Give the factor that a role without one is meant to name: the first that no other names."""
        self._made_up.add((*role, "factor"))
        tables = [each for concern in self._read.tables("concern") for each in concern.tables("role")]
        filled = {each.values.get("factor") for each in tables}
        return next((each.name for each in self.factors if each.name not in filled), _SOMETHING)

    def _checks(self, read: Read, path: Path, roles: Sequence[Role]) -> Iterator[Check]:
        required = "".join(f"{{{role.name}}}" for role in roles if not role.optional)
        every = "".join(f"{{{role.name}}}" for role in roles)
        for at, each in enumerate(read.tables("check")):
            here: Path = (*path, "check", at)
            distinct = bool(each.values.get("distinct"))
            if "question" not in each.values:
                self._made_up.add((*here, "distinct"))
            yield Check(self._name(each, here), self._asks(each, here, every if distinct else required), distinct)

    # --- descriptors

    def _scores(self) -> Iterator[Score]:
        for at, read in enumerate(self._read.tables("score")):
            path: Path = ("score", at)
            levels = self._known(read, path, "levels", ())
            yield Score(self._name(read, path), self._question(read, path), tuple(levels), read.values.get("focus"))

    def _choices(self) -> Iterator[Choice]:
        for at, read in enumerate(self._read.tables("choice")):
            path: Path = ("choice", at)
            options = self._known(read, path, "options", {})
            yield Choice(self._name(read, path), self._question(read, path), dict(options), read.values.get("focus"))

    def _question(self, read: Read, path: Path) -> str:
        return str(self._known(read, path, "question", _SOMETHING))

    def _known(self, read: Read, path: Path, key: str, otherwise: Any) -> Any:  # noqa: ANN401 - a value of any kind
        if key not in read.values:
            self._made_up.add((*path, key))
        return read.values.get(key, otherwise)


def _side(value: object) -> str | Side:
    if isinstance(value, str):
        return value
    if not isinstance(value, Read):
        return _SOMETHING
    values = value.values
    examples = tuple(each for each in values.get("examples", ()) if each is not None)
    return Side(values.get("what", _SOMETHING), values.get("not_for"), examples)


def _written(read: Read, path: Path) -> Path:
    if not path:
        return read.path
    key, rest = path[0], path[1:]
    value = read.values.get(str(key))
    if rest and isinstance(rest[0], int):
        at, rest = rest[0], rest[1:]
        items = value if isinstance(value, list) else []
        item = items[at] if at < len(items) else None
        return _written(item, rest) if isinstance(item, Read) else (*read.at(key, at), *rest)
    return _written(value, rest) if rest and isinstance(value, Read) else (*read.at(key), *rest)
