"""What policies found in the formats for CI: `policy run --format sarif`, `github`, `gitlab`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from cite_lsp.cli.formats.entries import Ending, PolicyEntriesForm
from cite_lsp.cli.formats.making import Output

if TYPE_CHECKING:
    from cite_lsp.cli.policy_account import Account
    from cite_lsp.cli.policy_asked import Asked, Wishes
    from cite_lsp.cli.run import Run


class PolicyEntriesWriter:
    """Writes documents as they come; what was not checked of them is said with each."""

    def __init__(self, write: Callable[[bytes], object], run: "Run", console: Console, wishes: "Wishes") -> None:
        self._run = run
        self._form = PolicyEntriesForm(run)
        output = Output(wishes.output, wishes.level, quiet=wishes.quiet, command="policy")
        self._writer = output.entries_writer(write, run, console)

    def begin(self) -> None:
        """Write what is wrong with the settings."""
        self._writer.begin()

    def write(self, asked: "Asked") -> None:
        """Write one document under one policy."""
        self._writer.write(self._form.of(asked))

    def end(self, account: "Account", seconds: float, notes: Sequence[str]) -> None:
        """Write the summary."""
        counts = {
            "documents": len(account.documents),
            "policies": len(account.policies),
            "passages": account.passages,
            "checked": account.checked,
            "notChecked": account.passages - account.checked,
        }
        finished = not (account.unfinished or account.interrupted)
        lines = tuple(account.lines(seconds))
        self._writer.close(Ending(tuple(notes), lines=lines, counts=counts, finished=finished))

    def refuse(self, why: str) -> None:
        """Write that nothing was asked."""
        self._writer.close(Ending(self._run.notes, (why,), finished=False))
