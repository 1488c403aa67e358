"""The progress bar of a long run on a terminal."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        """Give the number of documents a second."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "", "progress.data.speed")


def bar_on(console: Console) -> Progress:
    """Make a bar with rate and remaining time, which goes when it ends."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TaskProgressColumn(), _Rate())
    return Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
