"""What a key stroke costs: `Document.edit` on a long document beside a short one."""

import statistics
import time

from cite_lsp.document.document import Document

KEYS = 400


def _text(lines: int) -> str:
    parts = []
    for number in range(0, lines, 5):
        cited = f"`src/a.py:{number + 1}-{number + 4}`"
        parts.append(f"## Section {number}\n\nThe parser keeps every token ({cited}) until a retry.\n")
        parts.append("- one item that says something\n\n")
    return "".join(parts)


def seconds_per_key(lines: int) -> float:
    """Give the median seconds of one typed character, in the middle of a document of `lines` lines."""
    document = Document.parse(_text(lines), "docs/a.md")
    position = document.text.index("until", len(document.text) // 2)
    spent = []
    for number in range(KEYS):
        started = time.perf_counter()
        document = document.edit(position + number, position + number, "x")
        spent.append(time.perf_counter() - started)
    return statistics.median(spent)


def compare() -> tuple[float, float]:
    """Give seconds per key at 10,000 and at 100 lines, each the best of five runs taken in turn."""
    runs = [(seconds_per_key(10_000), seconds_per_key(100)) for _ in range(5)]
    return min(long for long, _ in runs), min(short for _, short in runs)
