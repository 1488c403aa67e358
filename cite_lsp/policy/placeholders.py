"""Placeholders of questions: `{word}`, a word being ASCII letters, digits and `_`; other braces stand as they are."""

import re
from collections.abc import Mapping

_PLACEHOLDER = re.compile(r"\{([A-Za-z0-9_]+)\}")
_WORD = re.compile(r"[A-Za-z0-9_]+")

PASSAGE = "passage"
"""The one placeholder of questions that are put to each passage."""


def names_in(text: str) -> tuple[str, ...]:
    """Give the names that a text holds as placeholders, each once, in the order of their first use."""
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(text)))


def expanded(text: str, paths: Mapping[str, str]) -> str:
    """Put the path that each placeholder stands for in its place, in back-ticks; one without a path stays."""

    def path_of(found: re.Match[str]) -> str:
        path = paths.get(found[1])
        return found[0] if path is None else f"`{path}`"

    return _PLACEHOLDER.sub(path_of, text)


def is_word(name: str) -> bool:
    """Whether a name can stand in a placeholder."""
    return _WORD.fullmatch(name) is not None
