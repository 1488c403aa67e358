"""Settings from where people write them: user file, project file, editor, environment, command line."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from cite_lsp.audit.options import closest, shown
from cite_lsp.config.files import Problem, Source, find_root, project_source, read_file, user_file_path
from cite_lsp.config.rows import Row, Value, all_rows, section_of
from cite_lsp.config.settings import LEVELS, PROJECT_MAY, Override, Settings, unknown_code

_PREFIX = "CITE_LSP_"
_NO_ROWS = frozenset({"CITE_LSP_CACHE_PASSWORD"})
"""Variables that are no settings: a password is kept in no file of settings (`store.shared_server`)."""
# Said by language clients about themselves, under the same key as the settings.
_CLIENTS_OWN = frozenset({"trace"})
_NOTHING_LEAVES = ("**",)
_MOST_PROBLEMS = 100


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings, and where they are from.

    `sources` gives for each dotted name "default", a file's path, "environment CITE_LSP_…", "editor" or
    "command line"; `root` is what the globs and paths are relative to.
    """

    settings: Settings
    sources: Mapping[str, str]
    problems: tuple[Problem, ...]
    project_file: str | None
    root: str
    user_file: str


def load_settings(
    start: str,
    *,
    user_file: str | None = None,
    environment: Mapping[str, str] | None = None,
    editor: Mapping[str, object] | None = None,
    command_line: Mapping[str, object] | None = None,
    previous: LoadedSettings | None = None,
) -> LoadedSettings:
    """The settings for a file or folder, each row from the last of the sources that sets it.

    The order: defaults, user file, project file, editor, environment (user rows only), command line. A list or
    table replaces an earlier one; `rules` are merged code by code, and `judge.exclude` adds up, so that no later
    source can take an exclusion back. A wrong value is a problem and leaves its row as the earlier sources have
    it, or as `previous` had it from the same source ("the last good one"); a wrong `judge.exclude` excludes
    everything until it is mended.

    `user_file` is the user's file in place of the usual one (one that does not exist sets nothing), `environment`
    the variables in place of the process's own; `editor` and `command_line` are trees whose top keys may be dotted.
    Never raises for what any of them holds.
    """
    root, project_file = find_root(start)
    own = user_file_path() if user_file is None else os.path.abspath(user_file)
    if project_file is not None and _same_file(own, project_file):
        project_file = None
    merge = _Merge(own, previous)
    if os.path.lexists(own):
        merge.add(read_file(own, trusted=True))
    if project_file is not None and (project := project_source(project_file)) is not None:
        merge.add(project)
    merge.add(Source("editor", _nested(editor or {}), trusted=False))
    for source in _variables(os.environ if environment is None else environment):
        merge.add(source)
    merge.add(Source("command line", _nested(command_line or {}), trusted=True))
    settings = merge.settings()
    sources = {name: merge.sources.get(name, "default") for name in [*all_rows(), *merge.sources]}
    return LoadedSettings(settings, MappingProxyType(sources), tuple(merge.problems), project_file, root, own)


def _same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):
        return False


class _Merge:
    """The rows as the sources so far have set them."""

    def __init__(self, user_file: str, previous: LoadedSettings | None) -> None:
        self._user_file = user_file
        self._previous = previous
        self._values: dict[str, Any] = {}
        self._rules: dict[str, str] = {}
        self._setters: dict[str, Source] = {}
        self.sources: dict[str, str] = {}
        self.problems: list[Problem] = []

    def add(self, source: Source) -> None:
        before = len(self.problems)
        self.problems += source.problems
        if source.tree is None:
            self._keep_all(source)
        else:
            self._section(source, source.tree, Settings, ())
        more = len(self.problems) - before - _MOST_PROBLEMS
        if more > 0:
            del self.problems[before + _MOST_PROBLEMS :]
            self.problems.append(Problem(source.name, None, None, "", f"{more:,} more settings here were refused"))

    def settings(self) -> Settings:
        self._census()
        tree: dict[str, Any] = {}
        for name, value in self._values.items():
            *sections, key = name.split(".")
            table = tree
            for section in sections:
                table = table.setdefault(section, {})
            table[key] = value
        if self._rules:
            tree["rules"] = self._rules
        return Settings.model_validate(tree)

    def _census(self) -> None:
        """The one rule about two rows: a census needs resolver 2 (audit.md, Options)."""
        if self._values.get("audit.resolver") != 1 or self._values.get("audit.scope", "all") != "all":
            return
        source = self._setters["audit.resolver"]
        message = 'resolver 1 sees one citation of a sentence, so scope "all" needs resolver 2; 2 is used'
        self.problems.append(source.problem(("audit", "resolver"), message))
        del self._values["audit.resolver"], self.sources["audit.resolver"]

    def _section(
        self, source: Source, tree: Mapping[str, object], model: type[BaseModel], path: tuple[str, ...]
    ) -> None:
        for key, value in tree.items():
            place = (*path, str(key))
            field = model.model_fields.get(str(key))
            if value is None or (field is None and source.name == "editor" and key in _CLIENTS_OWN):
                continue
            if field is None:
                hint = _hint(place, list(model.model_fields))
                self.problems.append(source.problem(place, f"there is no such setting{hint}"))
            elif (section := section_of(field)) is None:
                self._row(source, place, value)
            elif isinstance(value, Mapping):
                self._section(source, value, section, place)
            else:
                self.problems.append(source.problem(place, f"{shown(value)} was given; legal is a table"))

    def _row(self, source: Source, place: tuple[str, ...], value: object) -> None:
        row = all_rows()[".".join(place)]
        if row.user_only and not source.trusted and not _harmless(row.name, value):
            self.problems.append(replace(source.problem(place, self._refusal(row)), refused=True))
            return
        special = {"rules": self._add_rules, "overrides": self._overrides, "judge.exclude": self._exclude}
        if row.name in special:
            special[row.name](source, place, value)
            return
        outcome = row.checked(value)
        if isinstance(outcome, Value):
            self._set(source, row.name, outcome.value)
            return
        for wrong in outcome:
            self.problems.append(source.problem((*place, *wrong.place), wrong.message))
        self._keep(source, row.name)

    def _set(self, source: Source, name: str, value: object) -> None:
        self._values[name] = value
        self._setters[name] = source
        self.sources[name] = source.name

    def _refusal(self, row: Row) -> str:
        allowed = PROJECT_MAY.get(row.name)
        only = f"a project or editor may set it to {' or '.join(map(repr, sorted(allowed)))} only; " if allowed else ""
        return (
            f"this is the user's own setting and is not read from here; {only}"
            f"set it in {self._user_file}, by {row.variable}, or on the command line"
        )

    def _keep(self, source: Source, name: str) -> None:
        """Leave a row as it was when this source was last read, if it set it then."""
        if self._previous is not None and self._previous.sources.get(name) == source.name:
            value: Any = self._previous.settings
            for part in name.split("."):
                value = getattr(value, part)
            self._set(source, name, value)

    def _keep_all(self, source: Source) -> None:
        """Leave every row as it was when a source that cannot be read now was last read."""
        if self._previous is None:
            return
        for name in all_rows():
            self._keep(source, name)
        for code in self._previous.settings.rules:
            self._keep_rule(source, code)

    def _add_rules(self, source: Source, place: tuple[str | int, ...], value: object) -> None:
        rules = self._checked_rules(source, place, value)
        for code, level in rules.items():
            self._rule(source, code, level)
        if isinstance(value, Mapping):
            for code in value:
                if code not in rules:
                    self._keep_rule(source, str(code))

    def _rule(self, source: Source, code: str, level: str) -> None:
        self._rules[code] = level
        self.sources[f"rules.{code}"] = source.name

    def _keep_rule(self, source: Source, code: str) -> None:
        """As `_keep`, for one code."""
        previous = self._previous
        if previous is not None and previous.sources.get(f"rules.{code}") == source.name:
            self._rule(source, code, previous.settings.rules[code])

    def _checked_rules(self, source: Source, place: tuple[str | int, ...], value: object) -> dict[str, str]:
        if not isinstance(value, Mapping):
            self.problems.append(source.problem(place, f"{shown(value)} was given; legal is a table of codes"))
            return {}
        rules = {}
        for key, level in value.items():
            code = str(key)
            fault = unknown_code(code)
            if fault is None and level is None:
                continue
            if fault is None and not (isinstance(level, str) and level in LEVELS):
                fault = f"{shown(level)} was given; legal is {', '.join(map(repr, LEVELS))}"
            if fault is None:
                rules[code] = str(level)
            else:
                self.problems.append(source.problem((*place, code), fault))
        return rules

    def _overrides(self, source: Source, place: tuple[str, ...], value: object) -> None:
        if not isinstance(value, (list, tuple)):
            message = f"{shown(value)} was given; legal is a list of tables with globs and rules"
            self.problems.append(source.problem(place, message))
            self._keep(source, "overrides")
            return
        entries = [self._override(source, (*place, index), entry) for index, entry in enumerate(value)]
        self._set(source, "overrides", tuple(entry for entry in entries if entry is not None))

    def _override(self, source: Source, place: tuple[str | int, ...], entry: object) -> Override | None:
        if not isinstance(entry, Mapping):
            message = f"{shown(entry)} was given; legal is a table with globs and rules"
            self.problems.append(source.problem(place, message))
            return None
        known = list(Override.model_fields)
        for key in entry:
            if key not in known:
                hint = closest(str(key), known)
                self.problems.append(source.problem((*place, str(key)), f"an override has globs and rules only{hint}"))
        for key in known:
            if entry.get(key) is None:
                self.problems.append(source.problem(place, f"this override has no {key}; it is not used"))
                return None
        rules = self._checked_rules(source, (*place, "rules"), entry["rules"])
        globs = all_rows()["records"].checked(entry["globs"])
        if isinstance(globs, Value):
            return Override.model_validate({"globs": globs.value, "rules": rules}) if globs.value and rules else None
        for wrong in globs:
            message = f"{wrong.message}; this override is not used"
            self.problems.append(source.problem((*place, "globs", *wrong.place), message))
        return None

    def _exclude(self, source: Source, place: tuple[str, ...], value: object) -> None:
        outcome = all_rows()["judge.exclude"].checked(value)
        if isinstance(outcome, Value):
            globs = outcome.value
        else:
            globs = _NOTHING_LEAVES
            for wrong in outcome:
                message = f"{wrong.message}; until it is mended no text leaves the machine"
                self.problems.append(source.problem((*place, *wrong.place), message))
        earlier = self._values.get("judge.exclude", ())
        self._set(source, "judge.exclude", tuple(dict.fromkeys((*earlier, *globs))))


def _harmless(name: str, value: object) -> bool:
    return isinstance(value, str) and value in PROJECT_MAY.get(name, frozenset())


def _hint(place: tuple[str, ...], siblings: list[str]) -> str:
    beside = closest(place[-1], siblings)
    if beside:
        return beside
    return closest(".".join(place), list(all_rows()))


def _nested(tree: Mapping[str, object]) -> dict[str, object]:
    """The tree with dotted top keys (`"judge.name"`) made into tables."""
    nested: dict[str, object] = {}
    for key, value in tree.items():
        parts = str(key).split(".") if not str(key).startswith("rules.") else ["rules", str(key)[6:]]
        _put(nested, parts, value)
    return nested


def _put(table: dict[str, object], parts: list[str], value: object) -> None:
    for part in parts[:-1]:
        inner = table.get(part)
        table[part] = dict(inner) if isinstance(inner, Mapping) else {}
        table = table[part]  # type: ignore[assignment]
    before = table.get(parts[-1])
    if isinstance(before, Mapping) and isinstance(value, Mapping):
        for key, inner in value.items():
            _put(table, [parts[-1], str(key)], inner)
    else:
        table[parts[-1]] = value


def _variables(environment: Mapping[str, str]) -> Iterator[Source]:
    """One source for each variable that sets, or seems meant to set, a row."""
    rows = {row.variable: row for row in all_rows().values()}
    sections = tuple(f"{_PREFIX}{name.upper()}_" for name in Settings.model_fields)
    for variable in sorted(environment):
        text = environment[variable]
        if not variable.startswith(_PREFIX) or not text or variable in _NO_ROWS:
            continue
        source = Source(f"environment {variable}", {}, trusted=True)
        row = rows.get(variable)
        if row is not None and row.user_only:
            yield replace(source, tree=_nested({row.name: _typed(row, text)}))
        elif row is not None:
            message = "this setting is not read from the environment; set it in a settings file"
            yield replace(source, problems=(source.problem((row.name,), message),))
        elif variable.startswith(sections):
            user = [name for name, known in rows.items() if known.user_only]
            message = f"there is no such setting{closest(variable, user)}"
            yield replace(source, problems=(source.problem((), message),))


def _typed(row: Row, text: str) -> object:
    """A variable's text as the row wants it: as it stands, else read as a TOML value (`3`, `true`, `["a"]`)."""
    if isinstance(row.checked(text), Value) or "\n" in text or "\r" in text:
        return text
    try:
        tree = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return tree["value"]
