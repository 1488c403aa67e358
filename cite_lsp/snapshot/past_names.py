"""The names that files had in the past, and which commit renamed what: for paths that are not here any more."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

_OBJECT_NAME_LENGTHS = (40, 64)


class _Answer(Protocol):
    @property
    def code(self) -> int: ...
    @property
    def out(self) -> bytes: ...


class Ask(Protocol):
    """Runs git in a folder; `git.ask` does."""

    def __call__(self, folder: str, *arguments: str, fed: bytes | None = None, seconds: float = ...) -> _Answer:
        """Give what git answers."""


@dataclass(frozen=True, slots=True)
class PastNames:
    """What HEAD's history says of paths.

    Attributes:
        names: Every base name of the history; None: not walked to its end.
        head: The paths of HEAD.
        deleted_by: A path: the newest commit that deleted it.
    """

    names: frozenset[str] | None
    head: frozenset[bytes]
    deleted_by: Mapping[bytes, bytes]


def past_names(top: str, ask: Ask, seconds: float) -> PastNames:
    """One pass over HEAD's commits, newest first: the names, and who deleted what last."""
    if ask(top, "rev-parse", "--verify", "--quiet", "HEAD").code:
        return PastNames(frozenset(), frozenset(), {})
    deadline = time.monotonic() + seconds
    commits = ask(top, "rev-list", "HEAD", "--", seconds=seconds)
    if commits.code:
        return PastNames(None, frozenset(), {})
    changes = ask(
        top,
        "diff-tree", "--stdin", "-r", "--root", "--no-renames", "--diff-filter=AD", "--name-status", "-z",
        fed=commits.out, seconds=deadline - time.monotonic(),
    )  # fmt: skip
    names: set[bytes] = set()
    deleted_by: dict[bytes, bytes] = {}
    commit = b""
    tokens = iter(changes.out.split(b"\0"))
    for token in tokens:
        if len(token) in _OBJECT_NAME_LENGTHS:
            commit = token
            continue
        path = next(tokens, b"")
        names.add(path.rpartition(b"/")[2])
        if token == b"D":
            deleted_by.setdefault(path, commit)
    # Merges are not compared with their parents: what one brought in itself is in HEAD, or was deleted later.
    head = ask(top, "ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD", seconds=deadline - time.monotonic())
    paths = frozenset(head.out.split(b"\0")) - {b""} if head.code == 0 else frozenset()
    if changes.code or head.code:
        return PastNames(None, paths, deleted_by)
    names.update(path.rpartition(b"/")[2] for path in paths)
    names.discard(b"")
    return PastNames(frozenset(map(os.fsdecode, names)), paths, deleted_by)


def renames_in(top: str, commit: str, ask: Ask, seconds: float) -> dict[bytes, bytes]:
    """Old path: new path, of one commit."""
    command = ["diff-tree", "--no-commit-id", "-r", "--diff-filter=R", "--name-status", "-z"]
    answer = ask(top, *command, "--find-renames", commit, seconds=seconds)
    if answer.code:
        # A partial clone lacks the content that similarity is measured on; equal content needs none.
        answer = ask(top, *command, "--find-renames=100%", commit, seconds=seconds)
    fields = answer.out.split(b"\0") if answer.code == 0 else []
    return dict(zip(fields[1::3], fields[2::3], strict=False))
