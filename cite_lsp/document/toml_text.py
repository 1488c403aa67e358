"""Reads TOML that people wrote: a tree of values, or the one thing that keeps it from being read."""

import re
import tomllib
from dataclasses import dataclass
from typing import Any

_PLACE = re.compile(r"\(at (?:line ([0-9]+), column ([0-9]+)|end of document)\)")
# The standard library's reader takes quadratic time over the parts of one key.
_DEEP_KEY = re.compile(r"""(?<![\w"'.-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){64}""")
_LONG_NUMBER = re.compile(r"[0-9][0-9_]{4000}")


@dataclass(frozen=True, slots=True)
class TomlFault:
    """Why a text gives no tree; `reason` is the beginning of a sentence.

    `line` and `column` are 1-based, the column in code points, lines ending at line feeds; None where the place is not
    known.
    """

    reason: str
    line: int | None = None
    column: int | None = None


def read_toml(text: str) -> dict[str, Any] | TomlFault:
    """Give the tree of a text without a byte-order mark. Never raises for what the text holds."""
    deep = _DEEP_KEY.search(text)
    if deep is not None:
        return _at(text, deep.start(), "a key of more than 64 parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        return TomlFault("values are nested too deeply")
    except ValueError as error:
        return _syntax_fault(text, str(error))


def _syntax_fault(text: str, said: str) -> TomlFault:
    match = _PLACE.search(said)
    if match is None:
        long = _LONG_NUMBER.search(text)
        return TomlFault(f"this is not valid TOML: {said}") if long is None else _at(text, long.start(), _TOO_LONG)
    reason = f"this is not valid TOML: {said[: match.start()].strip()}"
    return TomlFault(reason, int(match[1]), int(match[2])) if match[1] else _at(text, len(text), reason)


_TOO_LONG = "this is not valid TOML: a number of thousands of digits"


def _at(text: str, offset: int, reason: str) -> TomlFault:
    return TomlFault(reason, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
