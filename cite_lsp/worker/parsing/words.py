"""Nodes as words: their rows, their source cut to what is read, a callee without arguments, a text without quotes."""

import re

from tree_sitter import Node

_CHARS = 200
_BYTES = 1_600

_QUOTED = re.compile(r"(?:[A-Za-z@$]{0,3}#*)(\"\"\"|'''|\"|'|`)(.*?)(?:\1#*)?", re.DOTALL)


def clipped(source: bytes) -> str:
    """Give the start of a source, over several lines as one, in at most 200 code points."""
    text = source[:_BYTES].decode("utf-8", "ignore").strip()
    if "\n" in text:
        text = " ".join(text.split())
    return text[:_CHARS]


def rows_of(node: Node) -> tuple[int, int]:
    """Give the first and last row of a node, 0-based; a line's end that it counts as its own is none."""
    first = node.start_point[0]
    last, column = node.end_point
    return first, last - 1 if last > first and not column else last


def without_arguments(text: str) -> str:
    """Give a callee as it is written, with nothing in its brackets: `a.b().c` of `a.b(1).c`."""
    if "(" not in text:
        return text
    kept: list[str] = []
    depth = 0
    for character in text:
        depth -= character == ")" and depth > 0
        if not depth:
            kept.append(character)
        depth += character == "("
    return "".join(kept)


def unquoted(text: str) -> str:
    """Give what stands between the quotes of a literal; a text without quotes as it is."""
    found = _QUOTED.fullmatch(text)
    return found.group(2) if found else text


def without_brackets(text: str) -> str:
    """Give a condition without the brackets around all of it."""
    while text.startswith("(") and text.endswith(")") and _closes_last(text):
        text = text[1:-1].strip()
    return text


def _closes_last(text: str) -> bool:
    """Say whether the first bracket is closed by the last character."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if not depth:
            return place == len(text) - 1
    return False
