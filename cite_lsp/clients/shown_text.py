"""Texts of others as a model is shown them: nothing hidden, and nothing that a model takes for a command."""

import re
import unicodedata

_MARKS = re.compile(
    r"<(?=[|｜][^\s<>|｜]{1,40}[|｜]>|(?:start|end)_of_turn>|/?s>|<\s?/?\s?SYS\s?>>)|\[(?=/?INST\])", re.IGNORECASE
)
"""Where what models take for the frame of a message begins; a server may read it as one wherever it stands."""


def visible(text: str) -> str:
    r"""Give a text in which control and format characters are written out (`\u{202e}`); tabs stay.

    A `<|…|>` and its like, with which models are told who speaks, is broken by a backslash.
    """
    if not text.isprintable():
        text = "".join(_written(character) for character in text)
    return _MARKS.sub(lambda mark: mark.group() + "\\", text)


def _written(character: str) -> str:
    if character == "\t" or unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
        return character
    return f"\\u{{{ord(character):x}}}"
