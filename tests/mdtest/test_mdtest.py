"""Runs the Markdown files beside this one: each is documentation, and what it says is tested.

The format:

- A heading of level 2 begins a test; what stands before the first one is introduction. Files of the introduction are
  there in every test.
- A fenced block whose info string is a language and a path (```` ```python src/retry.py ````) is a file of the
  workspace.
- A fenced block whose info string is `document` and a path is a document of the workspace, and is checked.
- The table behind a document lists ALL its anchors in the order of the text, a row each. Its columns, any of:
  `anchor` (the text), `form`, `path` (as the author wrote it), `lines` (`24`, `24-26`, `10, 20-25`), `status` (of the
  resolution), `file` (the path it found), `via` (the rung that found it), `near` (the nearest lines with text),
  `candidates`, `finding` (the code of its finding), `claim`, `sentence`, `section`. A cell `–` is empty.
- A table with a column `code` lists ALL findings of the document instead, in list order: `line` (1-based), `code`,
  `severity`, `message` (a part of it), `fix` (the title of the first one).
- `No anchors.` or `No findings.` on a line of its own says that there are none.

In a cell backticks around the whole are dropped, `\\|` is a bar and `␤` is a line end.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.findings.check import check_document
from cite_lsp.findings.finding import Finding
from cite_lsp.snapshot.snapshot import Snapshot

_FENCE = re.compile(r"(`{3,}|~{3,})([^`]*)$")
_NONE = re.compile(r"No (anchors|findings)\.$")


@dataclass(slots=True)
class Expectation:
    """A table behind a document: column names, and the rows."""

    columns: list[str]
    rows: list[list[str]]
    line: int
    """1-based, in the Markdown file."""


@dataclass(slots=True)
class Checked:
    path: str
    text: str
    line: int
    expectations: list[Expectation] = field(default_factory=list)


@dataclass(slots=True)
class Case:
    name: str
    files: dict[str, str] = field(default_factory=dict)
    documents: list[Checked] = field(default_factory=list)


def cells_of(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))
    found = []
    for cell in cells:
        text = cell.strip().replace("\\|", "|")
        if len(text) > 2 and text[0] == text[-1] == "`":
            run = len(text) - len(text.lstrip("`"))
            text = text[run:-run].removeprefix(" ").removesuffix(" ") if run > 1 else text[1:-1]
        found.append("" if text == "–" else text.replace("␤", "\n"))
    return found


class Reader:
    """Reads one Markdown file into its cases."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.at = 0
        self.cases = [Case("")]

    def read(self) -> list[Case]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if fence := _FENCE.match(line):
                self.take_block(fence.group(1), fence.group(2).strip())
            elif line.startswith("## "):
                self.cases.append(Case(line[3:].strip(), dict(self.cases[0].files)))
            elif line.startswith("|") and self.cases[-1].documents:
                self.take_table()
                continue
            elif none := _NONE.match(line):
                self.expect([{"anchors": "anchor", "findings": "code"}[none.group(1)]], [], self.at + 1)
            self.at += 1
        return self.cases[1:]

    def take_block(self, fence: str, info: str) -> None:
        start = self.at
        self.at += 1
        while self.lines[self.at].rstrip() != fence:
            self.at += 1
        text = "\n".join(self.lines[start + 1 : self.at]) + "\n"
        label, _, path = info.partition(" ")
        if path:
            self.cases[-1].files[path] = text
            if label == "document":
                self.cases[-1].documents.append(Checked(path, text, start + 1))

    def take_table(self) -> None:
        first = self.at
        while self.at < len(self.lines) and self.lines[self.at].startswith("|"):
            self.at += 1
        header, delimiter, *rows = self.lines[first : self.at]
        assert re.fullmatch(r"[|\s:-]+", delimiter), f"line {first + 2} is no delimiter row"
        self.expect(cells_of(header), [cells_of(row) for row in rows], first + 1)

    def expect(self, columns: list[str], rows: list[list[str]], line: int) -> None:
        assert self.cases[-1].documents, f"line {line} expects something of no document"
        self.cases[-1].documents[-1].expectations.append(Expectation(columns, rows, line))


def lines_of(anchor: Anchor) -> str:
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in anchor.spans)


def anchor_rows(document: Document, snapshot: Snapshot, findings: tuple[Finding, ...]) -> Iterator[dict[str, str]]:
    for number, anchor in enumerate(document.anchors):
        resolution = snapshot.resolve(anchor, document)
        yield {
            "anchor": anchor.text,
            "form": anchor.form,
            "path": anchor.path,
            "lines": lines_of(anchor),
            "status": resolution.status,
            "file": resolution.path if resolution.line_count is not None else "",
            "via": resolution.via,
            "near": ", ".join(map(str, resolution.near)),
            "candidates": ", ".join(resolution.candidates),
            "finding": ", ".join(finding.code for finding in findings if finding.anchor == number),
            "claim": anchor.claim,
            "sentence": anchor.sentence,
            "section": anchor.section,
        }


def finding_rows(text: str, findings: tuple[Finding, ...]) -> Iterator[dict[str, str]]:
    for finding in findings:
        yield {
            "line": str(len(re.findall(r"\r\n|\r|\n", text[: finding.start])) + 1),
            "code": finding.code,
            "severity": str(finding.severity),
            "message": finding.message,
            "fix": finding.fixes[0].title if finding.fixes else "",
        }


def differences(case: Case) -> list[str]:
    """Everything that a case says and that is not so."""
    found: list[str] = []
    snapshot = Snapshot.of(case.files)
    if not case.documents:
        found.append("the test has no document")
    for checked in case.documents:
        document = Document.parse(checked.text, checked.path, known=snapshot.known)
        findings = check_document(document, snapshot)
        if not checked.expectations:
            found.append(f"line {checked.line}: nothing is expected of {checked.path}")
        for expectation in checked.expectations:
            if "code" in expectation.columns:
                actual = list(finding_rows(checked.text, findings))
            else:
                actual = list(anchor_rows(document, snapshot, findings))
            found += compared(expectation, actual)
    return found


def compared(expectation: Expectation, actual: list[dict[str, str]]) -> Iterator[str]:
    columns = expectation.columns
    got = [[row.get(column, f"no column {column!r}") for column in columns] for row in actual]
    for number, cells in enumerate(got):
        if "message" in columns and number < len(expectation.rows):
            place = columns.index("message")
            if expectation.rows[number][place] in cells[place]:
                cells[place] = expectation.rows[number][place]
    if got != expectation.rows:
        shown = "\n".join(f"    {cells}" for cells in got) or "    nothing"
        wanted = "\n".join(f"    {cells}" for cells in expectation.rows) or "    nothing"
        yield f"line {expectation.line}: expected ({', '.join(columns)})\n{wanted}\n  but found\n{shown}"


def collected() -> Iterator[object]:
    for path in sorted(Path(__file__).parent.glob("*.md")):
        for case in Reader(path.read_text(encoding="utf-8")).read():
            yield pytest.param(case, id=f"{path.stem}: {case.name}")


@pytest.mark.parametrize("case", list(collected()))
def test_what_the_file_says(case: Case) -> None:
    found = differences(case)
    assert not found, "\n" + "\n".join(found)


# ------------------------------------------------------------------------------------------------ the runner itself

EXAMPLE = """# Intro

```python src/a.py
one
two
```

## A test

```document docs/d.md
See `src/a.py:2` and `src/a.py:9`.
```

| anchor | status |
|---|---|
| `src/a.py:2` | found |
| `src/a.py:9` | line-out-of-range |

| line | code |
|---|---|
| 1 | line-out-of-range |
"""


@pytest.mark.parametrize(
    ("old", "new", "differs"),
    [
        ("", "", False),
        ("| found |", "| missing |", True),
        ("| `src/a.py:2` |", "| `src/a.py:3` |", True),
        ("| `src/a.py:2` | found |\n", "", True),
        ("| anchor |", "| ancor |", True),
        ("| 1 | line-out-of-range |", "| 2 | line-out-of-range |", True),
        ("| 1 | line-out-of-range |\n", "", True),
        ("```document", "```documents", True),
        ("two\n", "two\n3\n4\n5\n6\n7\n8\n9\n", True),
    ],
)
def test_the_runner_sees_what_is_not_so(old: str, new: str, differs: bool) -> None:
    text = EXAMPLE.replace(old, new) if old else EXAMPLE
    (case,) = Reader(text).read()
    assert bool(differences(case)) is differs
