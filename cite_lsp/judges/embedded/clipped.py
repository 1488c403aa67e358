"""Texts as a basis shows them."""

import re

_MOST = 80
_PUNCTUATION = " \t:;,{"
"""What ends a line of code and would stand before the punctuation of the sentence that shows it."""
_CUT_WORD = re.compile(r"(?<=\W)\w{1,24}\Z")
"""The beginning of a word at the end of what is left; of longer ones a piece is better than nothing."""


def clipped(text: str, most: int = _MOST) -> str:
    """Give a text without the white space around it and the punctuation at its end; a long one up to the end of a word.

    What was cut has an ellipsis. A name in back-ticks is not cut in two, unless little else is left.

    Args:
        text: A line, an expression, or what a claim says.
        most: How many characters may be left, the ellipsis among them.
    """
    text = text.strip()
    text = text.rstrip(_PUNCTUATION) or text
    if len(text) <= most:
        return text
    cut, behind = text[: most - 1], text[most - 1]
    if behind.isalnum() or behind == "_":
        cut = _CUT_WORD.sub("", cut)
    opened = cut.rfind("`") if cut.count("`") % 2 else -1
    return f"{cut[: opened if opened > most // 2 else None].rstrip()}…"
