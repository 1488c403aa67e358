"""Globs of the settings: gitignore syntax, with `{a,b}` expanded here (findings.md, Switching off)."""

import re
from functools import lru_cache

from pathspec import GitIgnoreSpec

MAX_ALTERNATIVES = 1_000
MAX_LENGTH = 1_000

# The library matches by backtracking, whose time grows with the power of the wildcards: measured on names of 250
# characters, three stars in a name take 15 ms at worst and four take a second.
_MAX_STARS = 3

_STARS = re.compile(r"\*+")
_NESTED_CLASS = re.compile(r"\[[^\]]*?(?:\[|--|&&|\|\||~~)")


class GlobError(ValueError):
    """A glob that cannot be used; the text says why."""


def expand_braces(glob: str) -> tuple[str, ...]:
    r"""The alternatives that `{a,b}` stands for, nested ones too, in the order written.

    Braces without a comma, unbalanced ones, those in `[…]` and those after a `\` stand for themselves.

    Raises:
        GlobError: there are more than `MAX_ALTERNATIVES`, or the glob is over `MAX_LENGTH` characters.
    """
    if len(glob) > MAX_LENGTH:
        raise GlobError(f"it has {len(glob):,} characters; at most {MAX_LENGTH:,} are read")
    # One frame per open brace: the finished alternatives, and the texts of the one being read.
    frames: list[tuple[list[str], list[str]]] = [([], [""])]
    closes = _matching_braces(glob)
    position = 0
    while position < len(glob):
        char = glob[position]
        piece = char
        if char == "\\":
            piece = glob[position : position + 2]
        elif char == "[" and (end := _class_end(glob, position)):
            piece = glob[position:end]
        if position in closes and char == "{":
            frames.append(([], [""]))
        elif position in closes and char == "}":
            done, current = frames.pop()
            outer_done, outer = frames[-1]
            frames[-1] = (outer_done, _joined(outer, [*done, *current]))
        elif position in closes:
            done, current = frames[-1]
            frames[-1] = (_bounded([*done, *current]), [""])
        else:
            done, current = frames[-1]
            frames[-1] = (done, [text + piece for text in current])
        position += len(piece)
    return tuple(dict.fromkeys(frames[0][1]))


def _joined(left: list[str], right: list[str]) -> list[str]:
    if len(left) * len(right) > MAX_ALTERNATIVES:
        raise GlobError(f"its braces stand for more than {MAX_ALTERNATIVES:,} globs")
    return [before + after for before in left for after in right]


def _bounded(texts: list[str]) -> list[str]:
    return _joined([""], texts)


def _class_end(glob: str, start: int) -> int | None:
    """The offset behind the `]` of a character class; None when it is not closed in the same segment."""
    first = start + 1
    if glob[first : first + 1] in {"!", "^"}:
        first += 1
    end = glob.find("]", first + 1)
    return end + 1 if end >= 0 and "/" not in glob[start:end] else None


def _matching_braces(glob: str) -> set[int]:
    """Offsets of the braces that pair up with a comma between them, and of those commas."""
    used: set[int] = set()
    stack: list[tuple[int, list[int]]] = []
    position = 0
    while position < len(glob):
        char = glob[position]
        if char == "\\":
            position += 1
        elif char == "[" and (end := _class_end(glob, position)):
            position = end - 1
        elif char == "{":
            stack.append((position, []))
        elif char == "," and stack:
            stack[-1][1].append(position)
        elif char == "}" and stack:
            start, commas = stack.pop()
            if commas:
                used.update((start, *commas, position))
        position += 1
    return used


def check_glob(glob: str) -> str | None:
    """Why a glob of the settings cannot be used; None when it can."""
    try:
        for text in expand_braces(glob):
            _check_plain(text)
    except GlobError as error:
        return str(error)
    return None


def _check_plain(text: str) -> None:
    if not text.strip():
        raise GlobError("it is empty")
    if text.startswith("#"):
        raise GlobError("it is a comment in gitignore syntax; write \\# for the character")
    if "\n" in text or "\r" in text or "\0" in text:
        raise GlobError("it holds a line end or a null character")
    if _NESTED_CLASS.search(text):
        raise GlobError("it has a [ or a doubled operator inside [...]")
    segments = text.split("/")
    stars = max(len(_STARS.findall(segment)) for segment in segments)
    if stars > _MAX_STARS or sum(segment.strip("*") == "" and segment != "" for segment in segments) > _MAX_STARS:
        raise GlobError(f"it has more than {_MAX_STARS} stars in one name, or more than {_MAX_STARS} times **")
    try:
        patterns = list(GitIgnoreSpec.from_lines([text]).patterns)
    except (ValueError, re.error) as error:
        raise GlobError("it is no gitignore pattern") from error
    if any(pattern.include is None for pattern in patterns):
        raise GlobError("it can match nothing: a bracket may not be closed")


@lru_cache(maxsize=256)
def compiled(globs: tuple[str, ...]) -> GitIgnoreSpec:
    """The globs as one matcher, later ones over earlier ones; a glob that cannot be used matches nothing.

    What it is asked are paths relative to the root with `/` between their parts.
    """
    usable = [text for glob in globs if check_glob(glob) is None for text in expand_braces(glob)]
    return GitIgnoreSpec.from_lines(usable)


def matches(globs: tuple[str, ...], path: str) -> bool:
    """Whether the globs take in a path relative to the root."""
    return bool(globs) and compiled(globs).match_file(path)
