"""How far a run is, shown on a terminal where there is much to do."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console

_WORTH_A_BAR = 20
"""More than so many are shown."""


class Count(Protocol):
    """What is told how far a run is."""

    def advance(self, more: int = 1) -> None:
        """So many more are done."""

    def settle(self, more: int, silent: int) -> None:
        """There are `more` than was thought, and `silent` of all are done without a word."""


class Silent:
    """Where nobody looks."""

    def advance(self, more: int = 1) -> None:
        """So many more are done."""

    def settle(self, more: int, silent: int) -> None:
        """There are `more` than was thought, and `silent` of all are done without a word."""


@contextmanager
def counting(console: Console, what: str, total: int, *, quiet: bool) -> Iterator[Count]:
    """Show how many of `total` are done, below the findings where these go to the terminal too."""
    shown = console if sys.stdout.isatty() else Console(stderr=True, no_color=console.no_color)
    if quiet or not (sys.stderr.isatty() and shown.is_interactive) or total <= _WORTH_A_BAR:
        yield Silent()
        return
    from cite_lsp.cli.bar import Counting, bar_on  # noqa: PLC0415 - a run without a terminal does without

    with bar_on(shown) as bar:
        yield Counting(bar, bar.add_task(what, total=total), total)
