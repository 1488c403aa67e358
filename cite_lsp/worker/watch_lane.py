"""The lane that watches folders, for editors that do not.

It is the child's because to begin takes a while in which no other Python runs in the process.
"""

from watchfiles import Change, DefaultFilter, watch

from cite_lsp.snapshot.git_files import is_of_git
from cite_lsp.worker.git_lane import LANE
from cite_lsp.worker.lanes import Request, Task

_STEP = 200
"""Milliseconds between looks at what the file system has told."""
_BEHIND = 0.5
"""Seconds that beginning waits at most until git is at the first listing, which then goes on beside it."""
_LOOK_UP = 3_000
"""Milliseconds after which it is asked whether anybody still waits."""


class _Filter(DefaultFilter):
    """Leaves out what is no part of a project, but for the files that git writes when HEAD moves."""

    def __call__(self, change: Change, path: str) -> bool:
        return is_of_git(path.replace("\\", "/")) or super().__call__(change, path)


def watch_folders(request: Request) -> None:
    """Watch the folders `roots` until nobody waits any more.

    The first part is null: nothing is missed from then on, and from a little earlier. Each further one has the files
    that `changed`, and those that appeared or vanished, `moved`: absolute paths.
    """
    LANE.begun.wait(_BEHIND)
    batches = watch(
        *request.params["roots"],
        watch_filter=_Filter(),
        step=_STEP,
        rust_timeout=_LOOK_UP,
        yield_on_timeout=True,
        raise_interrupt=False,
    )
    begun = False
    for batch in batches:
        if request.dropped():
            return
        if not begun:  # it begins with the first look
            request.part(None)
            begun = True
        changed = {path for change, path in batch if change is Change.modified}
        moved = {path for _, path in batch} - changed
        if batch:
            request.part({"changed": sorted(changed), "moved": sorted(moved)})


TASKS: dict[str, Task] = {"watch": watch_folders}
