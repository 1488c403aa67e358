"""All files that git knows under a folder, put together from what it says of each repository there."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import eq

from cite_lsp.snapshot.git_answers import NoRepository
from cite_lsp.snapshot.listing_rows import Rows

_MOST_TIMES = 3
_AGAIN_SECONDS = 2.0
"""After so long nothing is asked again."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files git knows under a folder, each once; every path is relative to that folder.

    Attributes:
        tracked: Files in the index that exist on disk, those of submodules included, sorted.
        untracked: Files that are neither in the index nor ignored, sorted.
        gitlinks: Folders of submodules, with or without content.
        links: The tracked symbolic links.
        notes: What could not be seen, each a sentence.
    """

    tracked: tuple[str, ...]
    untracked: tuple[str, ...]
    gitlinks: tuple[str, ...] = ()
    links: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """What git says of one repository.

    Attributes:
        rows: What the index holds.
        loose: The untracked paths; a "/" stands behind a repository inside.
        gone: What of the index is not on disk.
        notes: What could not be seen, each a sentence.
    """

    rows: Rows
    loose: Sequence[str]
    gone: frozenset[str]
    notes: Sequence[str] = ()


def settled(ask: Callable[[], Listed | NoRepository], index_file: str) -> Listed | NoRepository:
    """Ask what one repository has; again, a few times at most, where its index was written meanwhile.

    Each run of git reads the index by itself: a file that came into it or left it between two of them may be in none
    of their answers.
    """
    until = time.monotonic() + _AGAIN_SECONDS
    for _ in range(_MOST_TIMES):
        before = _stamp(index_file)
        found = ask()
        if _stamp(index_file) == before or time.monotonic() > until:
            break
    return found


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - Path's does the same, more slowly
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def with_inner(
    found: Listed, inner_listing: Callable[[str], Listing | NoRepository | None], deadline: float
) -> Listing:
    """Put what one repository has together with those inside it.

    Args:
        found: Of the outer one.
        inner_listing: Gives the files of the repository in a folder; None where there is none.
        deadline: The time of `time.monotonic` from which on no more of them are asked.
    """
    rows, gone, notes = found.rows, found.gone, list(found.notes)
    tracked = [path for path in rows.tracked if path not in gone] if gone else rows.tracked
    untracked = [path for path in found.loose if not path.endswith("/")]
    links = rows.links - gone
    nested = sorted({path[:-1] for path in found.loose if path.endswith("/")})
    for folder, is_submodule in [(name, True) for name in sorted(rows.gitlinks)] + [(name, False) for name in nested]:
        if time.monotonic() > deadline:
            notes.append(f"the files of {folder} are not known: git took too long over the repositories before it")
            continue
        inner = inner_listing(folder)
        if inner is None:
            continue
        if isinstance(inner, NoRepository):
            notes.append(f"the files of {folder} are not known: {inner.reason}")
            continue
        (tracked if is_submodule else untracked).extend(f"{folder}/{name}" for name in inner.tracked)
        untracked.extend(f"{folder}/{name}" for name in inner.untracked)
        links.update(f"{folder}/{name}" for name in inner.links)
        notes.extend(f"{note} (in {folder})" for note in inner.notes)
    both = frozenset(untracked).intersection(tracked) if untracked else frozenset()
    return Listing(
        _sorted_once(tracked),
        _sorted_once(path for path in untracked if path not in both),
        tuple(sorted(rows.gitlinks)),
        frozenset(links),
        tuple(notes),
    )


def _sorted_once(paths: Iterable[str]) -> tuple[str, ...]:
    """Sort paths, and leave one of equal ones. Git's are nearly sorted, which is soon done; a set would undo it."""
    every = sorted(paths)
    return tuple(dict.fromkeys(every) if any(map(eq, every, islice(every, 1, None))) else every)
