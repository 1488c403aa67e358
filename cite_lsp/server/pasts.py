"""What git and the whole index know about paths that are gone: asked of the worker, answered from memory.

The event loop never waits for them: a question that is not answered yet counts as not known, is noted, and what was
told is told again once the answer is there.
"""

from collections.abc import Iterable, Mapping


class Past:
    """The history of one root, as far as the worker has answered (`snapshot.History`)."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.wanted = False
        """Whether a path could not be placed without the history."""
        self.known = False
        self._top = root
        self._names: frozenset[str] | None = None
        self._renamed: dict[str, str | None] = {}
        self._asked: dict[str, None] = {}

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
        return self._renamed.get(path)

    def learn(self, top: str, names: Iterable[str] | None) -> None:
        """Take the history's answer.

        Where the root is a part of the work tree only, a name in the history says nothing of the root: it may well
        have been beside it.
        """
        self.known = True
        self._top = top
        self._names = frozenset(names) if names is not None and top == self.root else None
        self._asked.clear()

    def has_none(self) -> None:
        """Take note that there is no history to ask."""
        self.known = True
        self._names = frozenset()
        self._asked.clear()

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
        self._asked: dict[str, None] = {}

    def __call__(self, path: str) -> tuple[str, ...]:
        """Give up to three close paths; none while they are not known."""
        if path not in self._near:
            self._asked[path] = None
        return self._near.get(path, ())

    def questions(self) -> list[str]:
        """Give the paths that were asked for, and forget that they were."""
        asked = list(self._asked)
        self._asked.clear()
        return asked

    def answer(self, near: Mapping[str, tuple[str, ...]]) -> None:
        """Take answers."""
        self._near.update(near)
