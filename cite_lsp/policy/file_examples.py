"""The labelled examples of a policy file: `[[test]]`."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cite_lsp.audit.options import closest, shown
from cite_lsp.policy.file_faults import FileFault, Places
from cite_lsp.policy.file_keys import INPUT_META, Path
from cite_lsp.policy.file_reading import Read
from cite_lsp.policy.passages import Source, SourceError, source
from cite_lsp.policy.splitting import Kind, split

_LONGEST_SAID = 40


@dataclass(frozen=True, slots=True)
class Example:
    """A text with what a policy has to find in it.

    Attributes:
        name: Unique in its file.
        units: The passages as `source` takes them: id, text, meta; `input` is among their meta where there is one.
        input: What the passages are held against; None where there is none, or each passage has its own.
        found: For each concern the ids of the evidence that has to hold, in the order of the passages; a concern that
            is absent or has none must not hold.
        verdicts: For each concern that has one: "holds", "review", "fails" or "absent".
        line: 1-based, of the example's header.
        text: The text that the passages were split from; None where the file gives passages.
    """

    name: str
    units: tuple[Mapping[str, Any], ...]
    input: str | None
    found: Mapping[str, tuple[str, ...]]
    verdicts: Mapping[str, str]
    line: int
    text: str | None = None

    def source(self, show: Sequence[str]) -> Source:
        """Give the passages as a policy that shows so much is asked of them."""
        return source(list(self.units), show=show)


@dataclass(frozen=True, slots=True)
class Expected:
    """What examples of a file have to fit.

    Attributes:
        concerns: The names of the policy's concerns.
        kind: What a text is split into; None where the file does not say so.
        show, input: As the policy has them.
    """

    concerns: Collection[str]
    kind: Kind | None
    show: tuple[str, ...]
    input: str


class Examples:
    """Makes examples of the tables of a file; what is wrong with them gathers in `faults`."""

    def __init__(self, places: Places, expected: Expected, wrong: Collection[Path] = ()) -> None:
        """Take the places of the file, what examples have to fit, and the paths of what was wrong in reading."""
        self._places = places
        self._wrong = wrong
        self._expected = expected
        self.faults: list[FileFault] = []

    def read(self, tables: Sequence[Read]) -> tuple[Example, ...]:
        """Give the examples that can be used."""
        seen: set[str] = set()
        made: list[Example] = []
        for table in tables:
            name = table.values.get("name")
            if name in seen:
                self._fault(table, ("name",), f"{shown(name)} is the name of another test")
            seen.add(str(name))
            made += self._example(table, str(name))
        return tuple(made)

    def _example(self, table: Read, name: str) -> Iterator[Example]:
        given = table.values.get("input")
        if ("text" in table.given) == ("passages" in table.given):
            has = "and has both" if "text" in table.given else "and has neither"
            self.faults.append(self._places.at_key(table.path, f"a test needs text or passages, not both, {has}"))
        if given is not None and self._expected.input == "none":
            self._fault(table, ("input",), 'this input is never read: the policy\'s input is "none"')
        units = self._units(table, given)
        found, verdicts = self._found(table, units), self._verdicts(table)
        if units:
            line = self._places.at_key(table.path, "").line
            yield Example(name, tuple(units), given, found, verdicts, line, table.values.get("text"))

    # --- passages

    def _units(self, table: Read, given: str | None) -> list[dict[str, Any]] | None:
        """Give the passages; None where they are not known."""
        text = table.values.get("text")
        if text is not None:
            if self._expected.kind is None:
                return None
            units: list[dict[str, Any]] | None = [piece.unit for piece in split(text, self._expected.kind)]
            if not units:
                self._fault(
                    table, ("text",), f"this text has no passages; the policy is asked of {self._expected.kind}"
                )
        else:
            units = self._written(table)
        if units and given is not None:
            for unit in units:
                unit["meta"].setdefault(INPUT_META, given)
        if units and self._expected.input != "none" and not all(INPUT_META in unit["meta"] for unit in units):
            message = f'a test needs input, as the policy\'s input is "{self._expected.input}"'
            self.faults.append(self._places.at_key(table.path, message))
        return units

    def _written(self, table: Read) -> list[dict[str, Any]] | None:
        items = table.values.get("passages")
        if not items:
            return None
        units: list[dict[str, Any]] = []
        whole = True
        for at, item in enumerate(items):
            unit = _unit(at, item)
            faults = ["it has no text"] if unit is None else self._faults_of_unit(unit, units)
            if isinstance(item, (str, Read)) and unit is not None:
                self.faults += [self._places.at_value(table.at("passages", at), fault) for fault in faults]
            if unit is None or faults:
                whole = False
            else:
                units.append(unit)
        return units if whole else None

    def _faults_of_unit(self, unit: Mapping[str, Any], before: Sequence[Mapping[str, Any]]) -> list[str]:
        try:
            source([unit], show=self._expected.show)
        except SourceError as error:
            return [fault.removeprefix("unit 0: ") for fault in error.faults]
        twice = any(unit["id"] == each["id"] for each in before)
        return [f"the id {shown(unit['id'])} is that of another passage"] if twice else []

    # --- what is expected

    def _found(self, table: Read, units: Sequence[Mapping[str, Any]] | None) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for concern, expected in table.values.get("found", {}).items():
            if not self._knows(table, "found", concern) or units is None:
                continue
            named: set[str] = set()
            for at, text in enumerate(expected):
                if text is not None:
                    named |= self._meant(table, concern, at, text, units)
            found[concern] = tuple(str(unit["id"]) for unit in units if unit["id"] in named)
        return found

    def _meant(self, table: Read, concern: str, at: int, text: str, units: Sequence[Mapping[str, Any]]) -> set[str]:
        """Give the id of the passage that a text means: its id, or what it holds and no other does."""
        ids = [str(unit["id"]) for unit in units]
        meant = [text] if text in ids else [str(unit["id"]) for unit in units if text in unit["text"]]
        if len(meant) == 1:
            return set(meant)
        if meant:
            message = f"{len(meant)} passages hold this text ({_listed(meant)}); give an id, or more of the text"
        else:
            message = f"no passage of this test has this id or holds this text; the ids are {_listed(ids)}"
        self.faults.append(self._places.at_value(table.at("found", concern, at), message))
        return set()

    def _verdicts(self, table: Read) -> dict[str, str]:
        verdicts = table.values.get("verdicts", {})
        found = table.values.get("found", {})
        for concern, verdict in verdicts.items():
            if not self._knows(table, "verdicts", concern) or not self._is_whole(table, concern):
                continue
            if (verdict == "holds") != bool(found.get(concern)):
                what = "no evidence that holds" if verdict == "holds" else "evidence that holds"
                message = f'found expects {what}, so the verdict cannot be "{verdict}"'
                self.faults.append(self._places.at_value(table.at("verdicts", concern), message))
        return {concern: verdict for concern, verdict in verdicts.items() if concern in self._expected.concerns}

    def _is_whole(self, table: Read, concern: str) -> bool:
        """Whether all that a test expects to be found of a concern could be read."""
        items = table.values.get("found", {}).get(concern, ())
        return (
            None not in items and table.at("found") not in self._wrong and table.at("found", concern) not in self._wrong
        )

    def _knows(self, table: Read, key: str, concern: str) -> bool:
        if concern in self._expected.concerns:
            return True
        message = f"there is no concern {shown(concern)}{closest(concern, self._expected.concerns)}"
        self.faults.append(self._places.at_key(table.at(key, concern), message))
        return False

    def _fault(self, table: Read, keys: tuple[str, ...], message: str) -> None:
        self.faults.append(self._places.at_value(table.at(*keys), message))


def _unit(at: int, item: object) -> dict[str, Any] | None:
    if isinstance(item, str):
        return {"id": f"P{at:03d}", "text": item, "meta": {}}
    if not isinstance(item, Read) or "text" not in item.values:
        return None
    values = item.values
    return {"id": values.get("id", f"P{at:03d}"), "text": values["text"], "meta": dict(values.get("meta", {}))}


def _listed(names: Sequence[str]) -> str:
    text = ", ".join(names[:_LONGEST_SAID])
    return text if len(names) <= _LONGEST_SAID else f"{text}, …"
