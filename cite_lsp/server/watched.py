"""Who tells of changed files: the client, the worker in its place, or nobody."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


def _nothing() -> None:
    pass


@dataclass(slots=True)
class Watched:
    """Of the workspace folders of a session."""

    by: Literal["client", "server", "nobody"]
    """`nobody`: files are listed and read anew when a document is saved."""
    error: str = ""
    """Why nobody watches some folder, a sentence."""
    stop: Callable[[], object] = _nothing
    """Ends what watches where the client does not."""
