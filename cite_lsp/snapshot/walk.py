"""The files of a folder where git cannot be asked: a walk that honours `.gitignore` files.

Links to folders are not followed, so it ends; folders are taken level by level, so that a walk cut off at its
limit has seen what lies near the root.
"""

import os
import re
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from pathspec import GitIgnoreSpec, RegexPattern

from cite_lsp.snapshot.lines import Reader, Unread

_SECONDS = 60.0
_RULE_FILE_BYTES = 100_000
# A rule becomes a backtracking expression: on a name of 255 characters each further star costs a factor of
# hundreds, so a rule with more than three of them is not followed.
_MAX_STARS = 3
_DOUBLE_STAR = re.compile(r"(?:^|/)\*\*(?=/|$)")
_GROUP_NAME = re.compile(r"\(\?P<[a-z_]+>")
_STARS = re.compile(r"\*+")


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk found.

    Attributes:
        paths: Relative to the root, with "/", in no order; regular files, and links to regular files.
        notes: What was passed over, each a sentence.
    """

    paths: list[str]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class _Rules:
    start: int  # the length of the folder they stand in, its "/" included
    spec: GitIgnoreSpec
    any_rule: re.Pattern[str]  # matches what one of them matches: most paths match none


@dataclass(frozen=True, slots=True)
class _Folder:
    path: str  # relative to the root: "" or ending in "/"
    rules: tuple[_Rules, ...]  # outermost first


def walk(root: str, limit: int) -> Walk:
    """List at most `limit` files below the absolute folder `root`; never raises."""
    reader = Reader([root], max_bytes=_RULE_FILE_BYTES)
    found = Walk([], [])
    deadline = time.monotonic() + _SECONDS
    seen = 0
    folders = deque([_Folder("", ())])
    while folders:
        folder = folders.popleft()
        entries = _entries(root, folder.path, found.notes)
        seen += len(entries)
        folder = _with_rules(root, folder, entries, reader, found.notes)
        for name, is_folder in entries:
            path = folder.path + name
            if name == ".git" or _is_ignored(folder, path + "/" if is_folder else path):
                continue
            if is_folder:
                folders.append(_Folder(path + "/", folder.rules))
            elif len(found.paths) == limit:
                found.notes.append(cut_short(limit))
                return found
            else:
                found.paths.append(path)
        if time.monotonic() > deadline or seen > 10 * limit:
            found.notes.append(f"stopped after {seen:,} files and folders; a folder further in is a better root")
            return found
    return found


def cut_short(limit: int) -> str:
    """The note on an index that had to leave files out."""
    return f"stopped at {limit:,} files; choose a folder further in as root, or ignore what is generated"


def _entries(root: str, folder: str, notes: list[str]) -> list[tuple[str, bool]]:
    """The name of each file and folder, sorted, and whether it is a folder."""
    entries: list[tuple[str, bool]] = []
    try:
        with os.scandir(os.path.join(root, folder)) as scan:
            for entry in scan:
                entries.extend(_kind(entry))
    except PermissionError:
        notes.append(f"no permission to read {folder.rstrip('/') or root}")
    except OSError as error:
        notes.append(f"cannot read {folder.rstrip('/') or root}: {error.strerror}")
    entries.sort()
    return entries


def _kind(entry: os.DirEntry[str]) -> Iterator[tuple[str, bool]]:
    try:
        if entry.is_dir(follow_symlinks=False):
            yield entry.name, True
        elif entry.is_file():
            yield entry.name, False
    except OSError:  # a link that leads to itself
        return


def _with_rules(
    root: str, folder: _Folder, entries: list[tuple[str, bool]], reader: Reader, notes: list[str]
) -> _Folder:
    if (".gitignore", False) not in entries:
        return folder
    name = folder.path + ".gitignore"
    text = reader.read(os.path.join(root, name))
    if isinstance(text, Unread):
        notes.append(f"the rules of {name} are not followed: it {text.reason}")
        return folder
    spec = _spec(name, text.lines, notes)
    expressions = [
        str(pattern.regex.pattern)
        for pattern in spec.patterns
        if isinstance(pattern, RegexPattern) and pattern.regex is not None
    ]
    if not expressions:
        return folder
    any_rule = re.compile("|".join(_GROUP_NAME.sub("(?:", expression) for expression in expressions))
    return _Folder(folder.path, (*folder.rules, _Rules(len(folder.path), spec, any_rule)))


def _spec(name: str, lines: tuple[str, ...], notes: list[str]) -> GitIgnoreSpec:
    costly = [number for number, line in enumerate(lines, 1) if _is_costly(line)]
    notes.extend(f"line {number} of {name} is not followed: more than {_MAX_STARS} stars" for number in costly)
    followed = [line for number, line in enumerate(lines, 1) if number not in costly]
    try:
        return GitIgnoreSpec.from_lines(followed)
    except ValueError:  # a line that is no rule; git passes over it
        return GitIgnoreSpec.from_lines(filter(_is_rule, followed))


def _is_costly(line: str) -> bool:
    folders = len(_DOUBLE_STAR.findall(line))
    return folders > _MAX_STARS or len(_STARS.findall(line)) - folders > _MAX_STARS


def _is_rule(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _is_ignored(folder: _Folder, path: str) -> bool:
    """Whether the rules cover a path ("/" at its end: a folder); the innermost file with a view decides."""
    for rules in reversed(folder.rules):
        inside = path[rules.start :]
        verdict = rules.spec.check_file(inside).include if rules.any_rule.match(inside) else None
        if verdict is not None:
            return verdict
    return False
