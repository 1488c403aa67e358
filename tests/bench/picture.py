"""`python -m tests.bench.picture`: draws what `cite-lsp check` shows of the sample, for the README."""

import io
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

from cite_lsp.cli.formats.as_text import TextForm, TextWriter
from cite_lsp.cli.run import Request, prepare
from cite_lsp.cli.summary import Summary
from cite_lsp.findings.finding import Severity

HERE = Path(__file__).resolve().parents[2]
SAMPLE = HERE / "tests/samples/throttle"
PICTURE = HERE / ".github/check.svg"


def main() -> None:
    """Write the picture."""
    console = Console(
        record=True, file=io.StringIO(), width=128, force_terminal=True, color_system="truecolor", emoji=False
    )
    run = prepare(Request((str(SAMPLE),)))
    writer = TextWriter(console, run, Severity.WARNING)
    summary = Summary()
    console.print("[bold]$ cite-lsp check[/bold]\n")
    writer.begin()
    form = TextForm(Severity.WARNING, console.width)
    for report in run.reports(run.documents):
        summary.add(report)
        writer.write(form.of(report))
    writer.end(summary, 0.1)
    svg = console.export_svg(title="tests/samples/throttle", theme=MONOKAI, unique_id="check")
    # no font is fetched from anywhere: the reader's own monospace does
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    PICTURE.write_text(svg, encoding="utf-8")
    print(PICTURE.relative_to(HERE))


if __name__ == "__main__":
    main()
