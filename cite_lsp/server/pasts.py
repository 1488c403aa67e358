"""What git and the whole index know about paths that are gone: asked of the worker, answered from memory.

The event loop never waits for them: a question that is not answered yet counts as not known, is noted, and what was
told is told again once the answer is there.
"""

import os
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from cite_lsp.server.folders import Names

MOST_NEAR = 2_000
"""Missing paths whose closest ones are asked for: so many dead paths have one cause that no near name mends."""
_MOST_KEPT = 10_000
"""Answers of old that are kept: each key stroke in a path makes another one that is missing."""

_Answer = TypeVar("_Answer")


class Past:
    """The history of one root, as far as the worker has answered (`snapshot.History`)."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.wanted = False
        """Whether a path could not be placed without the history."""
        self.known = False
        self.history: Names | None = None
        """The last answer; None where there was none, or no history."""
        self._top = root
        self._names: frozenset[str] | None = None
        self._renamed: dict[str, str | None] = {}
        self._before: Mapping[str, str | None] = {}
        """What was known of renamed paths before the files were listed anew: it holds until git is asked again."""
        self._asked: dict[str, None] = {}

    def next(self) -> "Past":
        """Give the past to go on with after the files were listed anew: everything is asked again, nothing forgotten.

        What is told would flicker otherwise with every file that appears.
        """
        new = Past(self.root)
        new._top, new._names, new.history = self._top, self._names, self.history
        new._before = _newest(self._before, self._renamed)
        return new

    @property
    def top(self) -> str:
        """The work tree's top, the root itself while it is not known."""
        return self._top

    def names_in_history(self) -> frozenset[str] | None:
        """Give every base name of the history; None while, or where, it is not known."""
        self.wanted = True
        return self._names

    def renamed_to(self, path: str) -> str | None:
        """Give what a path was renamed to; None while it is not known."""
        self.wanted = True
        if path not in self._renamed:
            self._asked[path] = None
        return self._renamed.get(path, self._before.get(path))

    def learn(self, history: "Names | None") -> None:
        """Take the history's answer; None: there is no history to ask.

        Where the root is a part of the work tree only, a name in the history says nothing of the root: it may well
        have been beside it.
        """
        self.known = True
        self.history = history
        self._asked.clear()
        if history is None:
            self._names = frozenset()
            return
        self._top = history.top
        is_all = self._top in (self.root, os.path.realpath(self.root))  # an editor names a folder by the link to it
        self._names = history.names if is_all else None

    def questions(self) -> list[str]:
        """Give the paths whose renaming was asked for, and forget that it was."""
        asked = list(self._asked) if self.known else []
        self._asked.clear()
        return asked

    def answer(self, renamed: Mapping[str, str | None]) -> None:
        """Take answers about renamed paths."""
        self._renamed.update(renamed)


class Nearness:
    """The closest paths to those that are missing, as far as the worker has answered."""

    def __init__(self) -> None:
        self._near: dict[str, tuple[str, ...]] = {}
        self._before: Mapping[str, tuple[str, ...]] = {}
        """Answers over the files as they were listed before; they hold until the worker is asked again."""
        self._asked: dict[str, None] = {}

    def next(self) -> "Nearness":
        """Give what to go on with after the files were listed anew: everything is asked again, nothing forgotten."""
        new = Nearness()
        new._before = _newest(self._before, self._near)
        return new

    def __call__(self, path: str) -> tuple[str, ...]:
        """Give up to three close paths; none while they are not known."""
        if path not in self._near and len(self._near) + len(self._asked) < MOST_NEAR:
            self._asked[path] = None
        return self._near.get(path, self._before.get(path, ()))

    def questions(self) -> list[str]:
        """Give the paths that were asked for, and forget that they were."""
        asked = list(self._asked)
        self._asked.clear()
        return asked

    def answer(self, near: Mapping[str, tuple[str, ...]]) -> None:
        """Take answers."""
        self._near.update(near)


def _newest(before: Mapping[str, _Answer], now: Mapping[str, _Answer]) -> dict[str, _Answer]:
    """Give the answers of both, of very many the newest."""
    both = {**{path: answer for path, answer in before.items() if path not in now}, **now}
    return dict(islice(both.items(), max(0, len(both) - _MOST_KEPT), None))
