"""What comes of asking git: an answer, or why there is none."""

import re
from dataclasses import dataclass
from typing import Literal

_DUBIOUS = re.compile(r"(?:dubious ownership in repository at|unsafe repository \(?) ?'([^']*)'")

Kind = Literal["no-git", "no-repository", "refused", "overrun", "failed"]


@dataclass(frozen=True, slots=True)
class NoRepository:
    """Why git cannot be asked about a folder.

    Attributes:
        kind: `no-git` the program is not installed; `no-repository` the folder is in no work tree; `refused`
            another user owns the repository; `overrun` a time limit; `failed` anything else.
        reason: A sentence for a person, with what to do where something can be done.
    """

    kind: Kind
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What one run of git gave; `code` is -1 when it did not run to its end."""

    code: int
    out: bytes
    err: str
    overrun: bool = False
    installed: bool = True


NOT_INSTALLED = Answer(-1, b"", "", installed=False)


def why_not(folder: str, answer: Answer) -> NoRepository:
    """Say why git did not do what it was asked in a folder."""
    if answer.overrun:
        return NoRepository("overrun", f"git did not answer in time about {folder}")
    if not answer.installed:
        return NoRepository("no-git", "git is not installed, or not in PATH; ignore rules are read without it")
    refused = _DUBIOUS.search(answer.err)
    if refused:
        command = f"git config --global --add safe.directory '{refused.group(1)}'"
        return NoRepository(
            "refused",
            f"git refuses this repository because another user owns it; if you trust it, run `{command}`",
        )
    if "not a git repository" in answer.err or "must be run in a work tree" in answer.err:
        return NoRepository("no-repository", f"{folder} is in no git work tree")
    said = answer.err.strip().partition("\n")[0].removeprefix("fatal: ")
    return NoRepository("failed", f"git cannot read the repository of {folder}: {said or 'no reason given'}")


def not_started(folder: str, error: OSError | ValueError) -> Answer:
    """Say why git cannot be run in a folder: it is gone, may not be entered, or cannot be a folder's name."""
    return Answer(-1, b"", f"{folder}: {getattr(error, 'strerror', None) or error}")
