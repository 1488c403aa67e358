"""Policies as TOML files: read into a policy and how it is asked, with all faults at their places."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.resources import files as resources
from types import MappingProxyType
from typing import Any

from cite_lsp.audit.options import closest, nearest, shown
from cite_lsp.document.toml_text import TomlFault, read_toml
from cite_lsp.policy.file_examples import Example, Examples, Expected
from cite_lsp.policy.file_faults import FileFault, Places, in_order
from cite_lsp.policy.file_keys import INPUT_META, METAS_SHOWN, NAME, Path, placeholders_at
from cite_lsp.policy.file_parts import Parts
from cite_lsp.policy.file_reading import Reader
from cite_lsp.policy.language import Policy
from cite_lsp.policy.options import RunOptions
from cite_lsp.policy.placeholders import names_in
from cite_lsp.policy.splitting import METAS, Kind
from cite_lsp.snapshot.globs import check_glob, matches
from cite_lsp.snapshot.lines import DocumentText, Unread

__all__ = [
    "SHIPPED",
    "Example",
    "FileFault",
    "Places",
    "PolicyFile",
    "PolicyRead",
    "policies_of",
    "read_policy",
    "read_policy_table",
    "read_policy_tables",
    "shipped_names",
]

MAX_BYTES = 1_000_000
SHIPPED = "shipped:"
"""What a name in `policies.files` begins with that means a policy of ours."""

_OPTIONS = ("threshold", "review_band", "window", "overlap", "strict_threshold", "retries")
_UNASKED = ("summary", "test")
"""Keys on which no answer and no finding hangs."""


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """A policy as its file has it.

    Attributes:
        name: Of the policy; findings have the codes `policy:<name>/<concern>`.
        path: As it was given to `read_policy`.
        policy: The questions.
        applies_to: Globs of the files it is asked of, relative to the root; empty is every document.
        passages: What a document is split into.
        show: The metas that go with each passage; `input` is among them unless `input` is "none".
        input: What passages are held against: "none", "given" or "cited".
        options: How it is asked.
        severities: Of every concern, by name: "error", "warning", "information", "hint" or "off".
        messages: The templates of the concerns that have one, by name.
        summary: One line; "" where there is none.
        tests: The labelled examples.
        hash: Of all that an answer or a finding hangs on, 16 hexadecimal digits.
        named_at: Where the file names it, as a fault without a message; its first character where it does not.
    """

    name: str
    path: str
    policy: Policy
    applies_to: tuple[str, ...]
    passages: Kind
    show: tuple[str, ...]
    input: str
    options: RunOptions
    severities: Mapping[str, str]
    messages: Mapping[str, str]
    summary: str
    tests: tuple[Example, ...]
    hash: str
    named_at: FileFault = field(repr=False)


@dataclass(frozen=True, slots=True)
class PolicyRead:
    """What reading a policy gave.

    Attributes:
        path: Of the file; `shipped:NAME` of one of ours.
        file: None exactly where there are faults.
        faults: All of them, in the order of their places.
        name: The policy's name as far as it is known, else "".
    """

    path: str
    file: PolicyFile | None
    faults: tuple[FileFault, ...] = ()
    name: str = ""


def read_policy(text: str, path: str) -> PolicyRead:
    """Read a policy file. Never raises for what it holds.

    Args:
        text: The whole text.
        path: The file's, with "/" between its parts; its name is the policy's where the file gives none.
    """
    places = Places(text)
    if len(text) > MAX_BYTES:
        return PolicyRead(path, None, (Places().at_offset(0, f"a policy file over {MAX_BYTES:,} bytes is not read"),))
    tree = read_toml(places.toml)
    if isinstance(tree, TomlFault):
        return PolicyRead(path, None, (places.at_syntax(tree),))
    stem = path.rpartition("/")[2].rpartition(":")[2]
    return _Policy(tree, places, path, (), stem.removesuffix(".toml")).read()


def read_policy_table(data: object, places: Places, path: str, prefix: Path) -> PolicyRead:
    """Read a policy from a table `[[policy]]` of a settings file.

    Args:
        data: The table, parsed.
        places: Of the settings file's text; of the empty text where the settings have none.
        path: Of the settings file, or what the settings are from.
        prefix: The keys and indices that lead to the table: `("policy", 0)`, `("tool", "cite-lsp", "policy", 0)`.
    """
    if not isinstance(data, Mapping):
        message = f"{shown(data)} was given; legal is a list of tables: [[policy]]"
        return PolicyRead(path, None, (places.at_value(prefix, message),))
    return _Policy(data, places, path, prefix, None).read()


def read_policy_tables(tables: Sequence[object], text: str | None, path: str) -> tuple[PolicyRead, ...]:
    """Read the tables `[[policy]]` of settings.

    Args:
        tables: As the settings have them.
        text: Of the settings file that they are from, for the places of faults; None where there is none, and where the
            file no longer has these tables.
        path: Of that file, or what the settings are from.
    """
    prefix = _tables_in(text, list(tables)) if text else None
    places = Places(text or "") if prefix is not None else Places()
    return tuple(
        read_policy_table(table, places, path, (*(prefix or ("policy",)), number))
        for number, table in enumerate(tables)
    )


def _tables_in(text: str, tables: list[object]) -> Path | None:
    tree = read_toml(text.removeprefix("\ufeff"))
    if isinstance(tree, TomlFault):
        return None
    for prefix in (("policy",), ("tool", "cite-lsp", "policy")):
        found: Any = tree
        for key in prefix:
            found = found.get(key) if isinstance(found, Mapping) else None
        if isinstance(found, list) and found == tables:
            return prefix
    return None


# --- the policies of a project


def shipped_names() -> tuple[str, ...]:
    """Give the names of the policies that come with the package, sorted."""
    folder = resources("cite_lsp.policy") / "shipped"
    return tuple(sorted(each.name.removesuffix(".toml") for each in folder.iterdir() if each.name.endswith(".toml")))


def read_shipped(name: str) -> PolicyRead:
    """Read a policy that comes with the package."""
    path = SHIPPED + name
    if name not in shipped_names():
        message = f"no policy {shown(name)} comes with cite-lsp{closest(name, shipped_names())}"
        return PolicyRead(path, None, (Places().at_offset(0, message),), name)
    text = (resources("cite_lsp.policy") / "shipped" / f"{name}.toml").read_text(encoding="utf-8")
    return read_policy(text, path)


def policies_of(
    globs: Sequence[str],
    paths: Sequence[str],
    read: Callable[[str], DocumentText | Unread],
    *,
    tables: Sequence[object] = (),
    tables_text: str | None = None,
    tables_path: str = "",
) -> tuple[PolicyRead, ...]:
    """Read all policies of a project: those of the package that it names, its files, and those in its settings.

    Of two policies with one name the first counts, and the other is faulty.

    Args:
        globs: `policies.files`; `shipped:NAME` among them means one of ours.
        paths: The files of the root, relative to it: those of its index.
        read: Gives the text of one of these paths; it reads no more than `MAX_BYTES`.
        tables: `Settings.policy`.
        tables_text: The text of the settings file that `tables` is from, where it is a file.
        tables_path: That file's path, or what the settings call their source.
    """
    ours = tuple(dict.fromkeys(glob.removeprefix(SHIPPED) for glob in globs if glob.startswith(SHIPPED)))
    own = tuple(glob for glob in globs if not glob.startswith(SHIPPED))
    found = [
        *(read_shipped(name) for name in ours),
        *(_read_file(path, read(path)) for path in paths if matches(own, path)),
        *read_policy_tables(tables, tables_text, tables_path),
    ]
    return tuple(_each_name_once(found))


def _read_file(path: str, text: DocumentText | Unread) -> PolicyRead:
    if isinstance(text, Unread):
        message = f"a policy file over {MAX_BYTES:,} bytes is not read"
        reason = message if text.status == "too-large" else f"this policy file {text.reason}"
        return PolicyRead(path, None, (Places().at_offset(0, reason),))
    if not text.decoded:
        places = Places(text.text)
        at = max(0, text.text.find("\ufffd"))
        return PolicyRead(path, None, (places.at_offset(at, "this policy file is not UTF-8"),))
    return read_policy(text.text, path)


def _each_name_once(found: Sequence[PolicyRead]) -> Iterator[PolicyRead]:
    paths: dict[str, str] = {}
    for each in found:
        if each.file is None or each.name not in paths:
            if each.file is not None:
                paths[each.name] = each.path
            yield each
            continue
        message = (
            f"another policy has the name {shown(each.name)}: that of {paths[each.name]}; give it a name of its own"
        )
        yield replace(each, file=None, faults=(replace(each.file.named_at, message=message),))


# --- one policy


class _Policy:
    """Reads one policy."""

    def __init__(self, data: Mapping[str, Any], places: Places, path: str, prefix: Path, stem: str | None) -> None:
        self._data = data
        self._places = places
        self._path = path
        self._prefix = prefix
        self._stem = stem
        reader = Reader(places, prefix)
        self._read = reader.table(data, "policy", prefix)
        self._parts = Parts(self._read)
        self._values = self._read.values
        self._faults = reader.faults
        self._wrong = reader.wrong

    def read(self) -> PolicyRead:
        name = self._name()
        self._add_faults_of_parts()
        self._check_summary()
        self._check_globs()
        self._check_show()
        self._check_messages()
        options = self._options()
        tests = self._tests()
        if self._faults:
            return PolicyRead(self._path, None, in_order(self._faults), name)
        parts = self._parts
        policy = Policy(parts.concerns, parts.filters, parts.factors, parts.descriptors)
        return PolicyRead(self._path, self._file(name, policy, options, tests), (), name)

    def _file(self, name: str, policy: Policy, options: RunOptions, tests: tuple[Example, ...]) -> PolicyFile:
        tables = {each.values["name"]: each.values for each in self._read.tables("concern")}
        messages = {concern: values["message"] for concern, values in tables.items() if "message" in values}
        return PolicyFile(
            name=name,
            path=self._path,
            policy=policy,
            applies_to=tuple(self._values.get("applies_to", ())),
            passages=self._values["passages"],
            show=self._show,
            input=self._input,
            options=options,
            severities=MappingProxyType({each: values.get("severity", "warning") for each, values in tables.items()}),
            messages=MappingProxyType(messages),
            summary=self._values.get("summary", ""),
            tests=tests,
            hash=self._hash(name),
            named_at=self._at("name", ""),
        )

    def _hash(self, name: str) -> str:
        asked = {key: value for key, value in self._data.items() if key not in _UNASKED}
        return sha256(json.dumps({**asked, "name": name}).encode()).hexdigest()[:16]

    # --- checks of single keys

    def _at(self, key: str, message: str) -> FileFault:
        return self._places.at_value(self._read.at(key), message)

    def _name(self) -> str:
        """Give the policy's name; "" where it is not known."""
        if "name" in self._read.given:
            return str(self._values.get("name", ""))
        if self._stem is None:
            self._faults.append(self._places.at_key(self._prefix, "a policy in the settings needs name"))
            return ""
        if re.fullmatch(NAME, self._stem):
            return self._stem
        message = f'the file\'s name {shown(self._stem)} is no name for a policy; give it one by name = "…"'
        self._faults.append(self._places.at_key(self._prefix, message))
        return ""

    def _add_faults_of_parts(self) -> None:
        for fault in self._parts.faults():
            path = self._parts.written(fault.path)
            # What is wrong with an item has been said of the list that it spoils.
            inside = fault.path[-1:] in (("levels",), ("options",))
            if not any(each == path or (inside and each[: len(path)] == path) for each in self._wrong):
                self._faults.append(self._at_text(fault.path, fault.message))

    def _at_text(self, path: Path, message: str) -> FileFault:
        """A fault of a text at a path of the format, at the placeholder that it is about if there is one."""
        written = self._parts.written(path)
        allowed = placeholders_at(self._parts.data, path)
        if allowed is None:
            return self._places.at_value(written, message)
        return self._places.at_placeholder(written, message, allowed)

    def _check_summary(self) -> None:
        if len(self._values.get("summary", "").splitlines()) > 1:
            self._faults.append(self._at("summary", "a summary has to be one line of text"))

    def _check_globs(self) -> None:
        for number, glob in enumerate(self._values.get("applies_to", ())):
            fault = check_glob(glob) if glob is not None else None
            if fault is not None:
                path = self._read.at("applies_to", number)
                self._faults.append(self._places.at_value(path, f"this glob cannot be used: {fault}"))

    @property
    def _input(self) -> str:
        return str(self._values.get("input", "none"))

    @property
    def _kind(self) -> Kind | None:
        kind: Kind | None = self._values.get("passages")
        return kind

    @property
    def _show(self) -> tuple[str, ...]:
        show = tuple(each for each in self._values.get("show", ()) if each is not None)
        return show if self._input == "none" or INPUT_META in show else (*show, INPUT_META)

    def _check_show(self) -> None:
        made = METAS.get(self._kind) if self._kind else METAS_SHOWN
        for number, meta in enumerate(self._values.get("show", ())):
            if meta == INPUT_META and self._input == "none" and "input" not in self._read.given:
                message = 'there is no input to show; set input = "given" or input = "cited"'
            elif meta == INPUT_META and self._values.get("input") == "none":
                message = 'there is no input to show, as input is "none"'
            elif meta is not None and meta != INPUT_META and meta not in (made or ()):
                message = f"{self._kind} have no {meta}; legal is {', '.join([*(made or ()), INPUT_META])}"
            else:
                continue
            self._faults.append(self._places.at_value(self._read.at("show", number), message))

    def _check_messages(self) -> None:
        for number, concern in enumerate(self._read.tables("concern")):
            path: Path = ("concern", number, "message")
            allowed = placeholders_at(self._parts.data, path) or ()
            for name in names_in(concern.values.get("message", "")):
                if name not in allowed:
                    near = nearest(name, allowed)
                    hint = f"did you mean {{{near}}}?" if near else f"there are {_listed(allowed)}"
                    message = f"a message has no placeholder {{{name}}}; {hint}"
                    self._faults.append(self._at_text(path, message))

    def _options(self) -> RunOptions:
        given = {key: self._values[key] for key in _OPTIONS if key in self._values}
        if "review_band" in given:
            band = tuple(given["review_band"])
            if len(band) == 2 and None not in band:
                given["review_band"] = band
            else:
                del given["review_band"]
        options = RunOptions(**{"retries": 1, **given})
        for key, fault in options.faults().items():
            self._faults.append(self._at(key, fault))
        return options

    def _tests(self) -> tuple[Example, ...]:
        expected = Expected(self._parts.names, self._kind, self._show, self._input)
        examples = Examples(self._places, expected, self._wrong)
        made = examples.read(self._read.tables("test"))
        self._faults += examples.faults
        return made


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)
