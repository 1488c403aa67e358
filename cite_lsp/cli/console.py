"""The console and the bytes of standard output, and the text of standard input."""

import sys

from rich.console import Console

from cite_lsp.cli.run import STDIN


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """Pass the error on, in whose handler this is called: Rich would exit with the status of findings."""
        raise  # noqa: PLE0704


def make_console(*, no_color: bool = False) -> Console:
    """Make the console for standard output; what is no terminal gets neither colour nor wrapping."""
    return _Output(no_color=no_color or None, soft_wrap=True, emoji=False, markup=False, highlight=False)


def standard_input(paths: tuple[str, ...]) -> str | None:
    """Read standard input where "-" is among the paths."""
    if STDIN not in paths:
        return None
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output, all of them.

    Where Python does not buffer (PYTHONUNBUFFERED, `python -u`) a signal cuts a write short, and only its count tells.
    """
    left = memoryview(data)
    while left:
        left = left[sys.stdout.buffer.write(left) :]
