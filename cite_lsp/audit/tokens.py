"""About how many tokens a text takes: what a request would cost is told before any server has counted."""

_CHARACTERS = 3.5
"""Of plain text, a token."""


def tokens_of(text: str) -> int:
    """Give about how many tokens a text takes: 3.5 characters one, and one for each that is not ASCII."""
    plain = len(text) if text.isascii() else sum(map(str.isascii, text))
    return int(plain / _CHARACTERS) + len(text) - plain + 1
