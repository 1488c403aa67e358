"""What one run of `git ls-files` says, sorted by kind."""

import os
from dataclasses import dataclass, field


@dataclass(slots=True)
class Rows:
    """Paths relative to the folder that was listed; `nested` are folders that hold a repository of their own."""

    tracked: set[str] = field(default_factory=set)
    untracked: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    gitlinks: set[str] = field(default_factory=set)
    nested: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)


def listing_rows(out: bytes, under: str) -> Rows:
    """Read `ls-files -t -s -z`: `H 100644 <object> 0<TAB>path` of the index, `? path` of the working tree."""
    rows = Rows()
    for row in os.fsdecode(out).split("\0"):
        tag = row[:1]
        if tag == "?":
            path = row[2:]
            if path.endswith("/"):
                rows.nested.add(path[:-1])
            else:
                rows.untracked.add(path)
            continue
        if not tag:
            continue
        path = row[row.index("\t") + 1 :]
        mode = row[2:8]
        if mode == "160000":
            rows.gitlinks.add(path)
        elif tag == "R":
            rows.deleted.add(path)
        elif tag != "S" or os.path.lexists(os.path.join(under, path)):  # S: left out by a sparse checkout
            rows.tracked.add(path)
            if mode == "120000":
                rows.links.add(path)
    return rows
