"""Writing a rule into a settings file, without a touch on anything else in it."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from cite_lsp.config.files import PYTHON_FILE

_BARE = re.compile(r"[\w-]+", re.ASCII)
"""A key that TOML takes without quotes; a code of a policy is none."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """Replace the text from `start` to `end` (code points) by `text`."""

    start: int
    end: int
    text: str


def rule_change(text: str, name: str, code: str, level: str) -> TextChange | None:
    """Give the change that gives a code a severity in a settings file of this base name.

    None where the file is written in a way that the change cannot be made in one place: a wrong file, rules as an
    inline table.
    """
    prefix = ("tool", "cite-lsp") if name == PYTHON_FILE else ()
    table = ".".join((*prefix, "rules"))
    for change in _candidates(text, table, code, level):
        if _says(text[: change.start] + change.text + text[change.end :], (*prefix, "rules", code)) == level:
            return change
    return None


def _candidates(text: str, table: str, code: str, level: str) -> list[TextChange]:
    """Give what may be the change: the value there is, a line under the table's header, the table at the end."""
    end = "\r\n" if "\r\n" in text else "\n"
    key = code if _BARE.fullmatch(code) else f'"{code}"'
    line = f'{key} = "{level}"{end}'
    header = re.search(rf"^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\][^\n]*(?:\n|\Z)", text, re.MULTILINE)
    found: list[TextChange] = []
    if header is not None:
        value = re.compile(rf"""^[ \t]*["']?{re.escape(code)}["']?[ \t]*=[ \t]*("[^"\n]*"|'[^'\n]*')""", re.MULTILINE)
        given = value.search(text, header.end())
        if given is not None:
            found.append(TextChange(given.start(1), given.end(1), f'"{level}"'))
        break_before = "" if header.group().endswith("\n") else end
        found.append(TextChange(header.end(), header.end(), break_before + line))
    lead = "" if not text else end if text.endswith("\n") else end * 2
    found.append(TextChange(len(text), len(text), f"{lead}[{table}]{end}{line}"))
    return found


def _says(text: str, path: tuple[str, ...]) -> object:
    try:
        value: object = tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
