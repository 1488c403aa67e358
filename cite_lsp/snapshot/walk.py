"""The files of a folder where git cannot be asked: a walk that honours `.gitignore` files.

Links to folders are not followed, so it ends; folders are taken level by level, so that a walk cut off at its
limit has seen what lies near the root.
"""

import os
import re
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pathspec import GitIgnoreSpec, RegexPattern

from cite_lsp.snapshot.lines import Reader, Unread

_SECONDS = 60.0
_RULE_FILE_BYTES = 100_000
# A rule becomes a backtracking expression: on a name of 255 characters each further star costs a factor of
# hundreds, so a rule with more than three of them is not followed.
_MAX_STARS = 3
_DOUBLE_STAR = re.compile(r"(?:^|/)\*\*(?=/|$)")
_MARK = "ps_d"  # the library's name for the separator at which a folder is matched
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
class _Rule:
    """One line of a `.gitignore`, of which the library gives the regular expression.

    The library matches what lies in a covered folder too. A walk never enters one, and takes the last rule that
    covers a path itself, as git does.
    """

    expression: re.Pattern[str]
    ignores: bool
    by_name: bool  # without a separator in it: the base name alone is matched
    folders_only: bool

    def covers(self, path: str, name: str, is_folder: bool) -> bool:
        if self.folders_only and not is_folder:
            return False
        subject = (name if self.by_name else path) + ("/" if self.folders_only else "")
        match = self.expression.search(subject)
        if match is None:
            return False
        return _MARK not in self.expression.groupindex or match.end(_MARK) in (-1, len(subject))


@dataclass(frozen=True, slots=True)
class _Rules:
    start: int  # the length of the folder they stand in, its "/" included
    rules: tuple[_Rule, ...]  # last first
    any_name: re.Pattern[str] | None  # matches what a rule may cover: most paths are covered by none
    any_path: re.Pattern[str] | None

    def verdict(self, path: str, name: str, is_folder: bool) -> bool | None:
        end = "/" if is_folder else ""
        if not (self.any_name and self.any_name.search(name + end)) and not (
            self.any_path and self.any_path.search(path + end)
        ):
            return None
        return next((rule.ignores for rule in self.rules if rule.covers(path, name, is_folder)), None)


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
            if name == ".git" or _is_ignored(folder, name, is_folder):
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
    rules = tuple(_rules(name, text.lines, notes))[::-1]
    if not rules:
        return folder
    any_name = _any_of(rule for rule in rules if rule.by_name)
    any_path = _any_of(rule for rule in rules if not rule.by_name)
    return _Folder(folder.path, (*folder.rules, _Rules(len(folder.path), rules, any_name, any_path)))


def _rules(name: str, lines: tuple[str, ...], notes: list[str]) -> Iterator[_Rule]:
    for number, line in enumerate(lines, 1):
        if _is_costly(line):
            notes.append(f"line {number} of {name} is not followed: more than {_MAX_STARS} stars")
            continue
        try:
            (pattern,) = GitIgnoreSpec.from_lines([line]).patterns
        except ValueError:  # no rule; git passes over it as well
            continue
        if isinstance(pattern, RegexPattern) and pattern.regex is not None and pattern.include is not None:
            written = line.rstrip(" ")
            folders_only = written.endswith("/")
            yield _Rule(pattern.regex, pattern.include, "/" not in written.removesuffix("/"), folders_only)


def _any_of(rules: Iterable[_Rule]) -> re.Pattern[str] | None:
    expressions = [_GROUP_NAME.sub("(?:", rule.expression.pattern) for rule in rules]
    return re.compile("|".join(expressions)) if expressions else None


def _is_costly(line: str) -> bool:
    folders = len(_DOUBLE_STAR.findall(line))
    return folders > _MAX_STARS or len(_STARS.findall(line)) - folders > _MAX_STARS


def _is_ignored(folder: _Folder, name: str, is_folder: bool) -> bool:
    """Whether the rules cover an entry of a folder; the innermost file with a view decides."""
    path = folder.path + name
    for rules in reversed(folder.rules):
        verdict = rules.verdict(path[rules.start :], name, is_folder)
        if verdict is not None:
            return verdict
    return False
