"""The progress bar of a long run on a terminal."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        """Give how many are done in a second."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "", "progress.data.speed")


def bar_on(console: Console) -> Progress:
    """Make a bar with rate and remaining time, which goes when it ends."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TaskProgressColumn(), _Rate())
    return Progress(*columns, TimeRemainingColumn(), console=console, transient=True)


class Counting:
    """One task of a bar, of which is not known at first how much it is."""

    def __init__(self, bar: Progress, task: TaskID, total: int) -> None:
        self._bar = bar
        self._task = task
        self._total = total

    def advance(self, more: int = 1) -> None:
        """So many more are done."""
        self._bar.advance(self._task, more)

    def settle(self, more: int, silent: int) -> None:
        """There are `more` than was thought, and `silent` of them are done unheard."""
        self._total += more
        self._bar.update(self._task, total=self._total, advance=max(0, silent))
