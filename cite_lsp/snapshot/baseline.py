"""What is known of a citation as it was when it was written: the text its spans showed, and where (drift.md)."""

from typing import Literal, NamedTuple

from cite_lsp.snapshot.resolve import Resolution

CONTEXT = 8
"""Lines above and below the cited ones that a baseline keeps: they tell copies of a block apart."""
MOST_TWINS = 8

State = Literal["text", "born-wrong", "unknown"]
Lines = tuple[str, ...]


class Twin(NamedTuple):
    """Another copy of the cited block in the file as it was: its neighbours, in the order of the file."""

    before: Lines
    after: Lines


class Baseline(NamedTuple):
    """What one span showed when its citation was written."""

    state: State
    """`text`: `lines` hold it; `born-wrong`: the file was not there, or the span past its end; `unknown`."""
    commit: str = ""
    """The commit that wrote the citation, in full hexadecimal; "" of a text that is not from git: what the citation
    showed when it was first seen in an editor."""
    time: int = 0
    """When that commit was made: seconds since the epoch."""
    path: str = ""
    """The cited file in that commit, POSIX, relative to the root."""
    now: str = ""
    """Where that file is in HEAD, renames followed forward, relative to the root; "" when it is gone from there."""
    first: int = 0
    """The span in that commit, 1-based."""
    last: int = 0
    lines: Lines = ()
    before: Lines = ()
    """Up to `CONTEXT` lines above the span, in the order of the file."""
    after: Lines = ()
    twins: tuple[Twin, ...] = ()
    """Other places of the same file, in the same commit, where the same lines stood: up to `MOST_TWINS`."""
    reason: str = ""
    """Of `unknown` and `born-wrong`: why, the rest of a sentence that begins with "the citation's history"."""


class Written(NamedTuple):
    """What is known of one anchor as it was when it was written."""

    baselines: tuple[Baseline, ...]
    """One a span."""
    resolution: Resolution | None = None
    """Of an anchor in a record, and of a permalink to a commit of this repository: what it means as of that commit.
    Its `as_of`, `as_of_time` and `blob` are set. None where the present counts."""


CUT = "ends at a shallow clone's cut; fetch the whole history (fetch-depth: 0)"
NOT_COMMITTED = "has not begun: it is not committed yet"
NOT_IN_HEAD = "has not begun: its document is not committed yet"
NO_COMMIT = "has no commit yet"
NOT_YET = frozenset({NOT_COMMITTED, NOT_IN_HEAD, NO_COMMIT})
"""Reasons why the past of a citation is unknown that an editor knows better: it sees the citation come to be."""
FLEETING = ("ends ", "could not", "cannot be followed", "is not known", "is not kept here")
"""How reasons begin that may be gone tomorrow though HEAD is the same: a fetch brings what was missing."""
