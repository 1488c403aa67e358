"""Settings files: where they are, how they are read, and what is wrong with them (findings.md, Settings)."""

import os
import re
import stat
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import platformdirs

from cite_lsp.document import toml_places
from cite_lsp.document.toml_text import TomlFault, read_toml
from cite_lsp.snapshot.lines import is_file, is_folder

PROJECT_FILE = "cite-lsp.toml"
PYTHON_FILE = "pyproject.toml"
MAX_BYTES = 1_000_000

_PYTHON_TABLE = ("tool", "cite-lsp")
_NAMES_US = re.compile(r"""tool\s*\]?\s*\.?\s*\[?["']?cite-lsp""")
_LINE_END = re.compile(r"\n")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the settings; the finding `setting`.

    `source` is a file's path, or "environment CITE_LSP_…", "editor", "command line"; `line` and `column` are
    1-based, the column in code points, None where a source has no places; `name` is the dotted name of the
    setting, "" for a whole source; `message` says what is wrong and what is used instead; `refused` says that it is
    a setting of the user's own, which counts as if nobody had tried.
    """

    source: str
    line: int | None
    column: int | None
    name: str
    message: str
    refused: bool = False


@dataclass(frozen=True)
class Source:
    """One origin of settings: a tree of values, and where each stands. `tree` is None when it cannot be read."""

    name: str
    tree: Mapping[str, object] | None
    trusted: bool
    text: str = field(default="", repr=False)
    prefix: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @cached_property
    def _places(self) -> dict[tuple[str | int, ...], int]:
        return toml_places.key_places(self.text)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def problem(self, path: tuple[str | int, ...], message: str) -> Problem:
        """A problem at the key that `path` names, or at the nearest thing around it that has a place."""
        name = ".".join(part for part in path if isinstance(part, str))
        offset = toml_places.place_of(self._places, (*self.prefix, *path)) if self.text else None
        if offset is None:
            return Problem(self.name, None, None, name, message)
        line = bisect_right(self._line_starts, offset)
        return Problem(self.name, line, offset - self._line_starts[line - 1] + 1, name, message)


def user_file_path() -> str:
    """The user's settings file on this machine, whether it exists or not."""
    return str(Path(platformdirs.user_config_dir("cite-lsp", appauthor=False)) / PROJECT_FILE)


def find_root(path: str) -> tuple[str, str | None]:
    """The root of a file or folder, and the settings file in it, if any (cli.md, Root).

    The nearest ancestor with a settings file (a folder given counts itself), else the nearest with `.git`, else
    the working folder. A `pyproject.toml` counts only when it has the table `[tool.cite-lsp]`; a `cite-lsp.toml`
    in the same folder goes before it. Paths are absolute; links are not followed.
    """
    start = os.path.abspath(path)
    folders = [start] if is_folder(start) else []
    above = os.path.dirname(start)
    while above not in folders:
        folders.append(above)
        above = os.path.dirname(above)
    for folder in folders:
        found = _settings_file_in(folder)
        if found is not None:
            return folder, found
    for folder in folders:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder, None
    return os.path.abspath("."), None


def _settings_file_in(folder: str) -> str | None:
    own = os.path.join(folder, PROJECT_FILE)
    if os.path.lexists(own) and not is_folder(own):
        return own
    python = os.path.join(folder, PYTHON_FILE)
    return python if is_file(python) and read_python_file(python) is not None else None


def _leads_away(path: str) -> bool:
    """Whether a project's settings file is a link out of its repository: what is there is not the project's to show."""
    if not os.path.islink(path):  # noqa: PTH114
        return False
    folder = os.path.dirname(path)
    top = folder
    while not os.path.lexists(os.path.join(top, ".git")):
        if os.path.dirname(top) == top:
            top = folder
            break
        top = os.path.dirname(top)
    return not os.path.realpath(path).startswith(os.path.join(os.path.realpath(top), ""))


def read_file(path: str, *, trusted: bool) -> Source:
    """A `cite-lsp.toml` as a source; never raises for what it holds or for what keeps it from being read."""
    if not trusted and _leads_away(path):
        message = "this link leads out of the repository; no settings are read from it"
        return Source(path, None, trusted, problems=(Problem(path, None, None, "", message),))
    text = _text_of(path)
    if isinstance(text, Problem):
        return Source(path, None, trusted, problems=(text,))
    tree = _parsed(path, text)
    if isinstance(tree, Problem):
        return Source(path, None, trusted, problems=(tree,))
    return Source(path, tree, trusted, text)


def read_python_file(path: str) -> Source | None:
    """The table `[tool.cite-lsp]` of a `pyproject.toml` as a source; None when it has none."""
    if _leads_away(path):
        return None
    text = _text_of(path)
    if isinstance(text, Problem) or "cite-lsp" not in text:
        return None
    tree = _parsed(path, text)
    if isinstance(tree, Problem):
        # A file that does not parse is ours to report only when it was to hold our settings.
        return Source(path, None, trusted=False, problems=(tree,)) if _NAMES_US.search(text) else None
    table: object = tree
    for key in _PYTHON_TABLE:
        if not isinstance(table, Mapping) or key not in table:
            return None
        table = table[key]
    if not isinstance(table, Mapping):
        whole = Source(path, None, trusted=False, text=text)
        problem = whole.problem(_PYTHON_TABLE, "tool.cite-lsp is no table; no settings are read from this file")
        return Source(path, None, trusted=False, problems=(problem,))
    return Source(path, table, trusted=False, text=text, prefix=_PYTHON_TABLE)


def project_source(settings_file: str) -> Source | None:
    """The project's settings file as a source, with a word on a second one in the same folder."""
    if os.path.basename(settings_file) == PYTHON_FILE:
        return read_python_file(settings_file)
    source = read_file(settings_file, trusted=False)
    other = os.path.join(os.path.dirname(settings_file), PYTHON_FILE)
    second = read_python_file(other) if is_file(other) else None
    if second is None:
        return source
    message = f"{PROJECT_FILE} in the same folder is used; the table [tool.cite-lsp] here is not read"
    unread = second.problem((), message)
    return Source(source.name, source.tree, source.trusted, source.text, problems=(*source.problems, unread))


def project_file_text(path: str) -> str | None:
    """Give the text of a project's settings file; None where it is not one that is read."""
    text = None if _leads_away(path) else _text_of(path)
    return text if isinstance(text, str) else None


def _text_of(path: str) -> str | Problem:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
            return Problem(path, None, None, "", "this is no regular file; no settings are read from it")
        with Path(path).open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return Problem(path, None, None, "", f"this settings file cannot be read: {reason}")
    if len(data) > MAX_BYTES:
        return Problem(path, None, None, "", f"a settings file over {MAX_BYTES:,} bytes is not read")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Problem(path, line, None, "", "this settings file is not UTF-8; no settings are read from it")


def _parsed(path: str, text: str) -> dict[str, object] | Problem:
    outcome = read_toml(text)
    if isinstance(outcome, TomlFault):
        message = f"{outcome.reason}; no settings are read from this file"
        return Problem(path, outcome.line, outcome.column, "", message)
    return outcome
