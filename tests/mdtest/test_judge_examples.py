"""Runs `judge/*.md`: each is documentation of what the embedded judge says, and what it says is tested.

The format:

- A heading of level 2 begins a part; what stands before the first one is introduction.
- A fenced block whose info string is a language and a citation is the cited file, shown whole:
  ```` ```python src/a.py:3-5 ```` cites lines 3 to 5, `src/a.py:3` the logical unit that line 3 belongs to, `src/a.py`
  alone all of its lines.
- A table behind it lists claims, a row each. Its columns: `claim`; `sentence`, where the claim is only a part of it;
  `lines`, cited instead of those of the block (`3` or `3-5`); `label`; `basis`, a part of the verdict's basis.
- `supported or unchecked` as a label allows both, and the basis is that of the first: the lines do not say it in so
  many words, and what matters is which labels would be wrong. *Unchecked* alone has what was looked for as its basis.
  Letter case does not matter.

In a cell `\\|` is a bar.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cite_lsp import EmbeddedJudge, Row, Verdict
from cite_lsp.audit.verdicts import LABELS
from cite_lsp.snapshot.excerpt import language_of, unit_excerpt
from cite_lsp.worker.parser import Parser

_FENCE = re.compile(r"```\w+ (?P<path>[^\s:]+)(?::(?P<lines>[0-9-]+))?$")
_COLUMNS = frozenset({"claim", "sentence", "lines", "label", "basis"})
_BY_TEXT = EmbeddedJudge()
"""As it judges where the parser gives up on a file."""


@pytest.fixture(scope="module")
def judge() -> Iterator[EmbeddedJudge]:
    """Judges as the product does: with a parser."""
    with Parser() as parser:
        yield EmbeddedJudge(parser)


@dataclass(frozen=True, slots=True)
class Example:
    """One row of a table, with the file it cites."""

    part: str
    path: str
    file: tuple[str, ...]
    lines: str
    claim: str
    sentence: str
    labels: tuple[str, ...]
    basis: str
    line: int
    """1-based, in the Markdown file."""

    def row(self) -> Row:
        first, dash, last = (self.lines or f"1-{len(self.file)}").partition("-")
        language = language_of(self.path)
        excerpt = unit_excerpt(self.file, int(first), int(last) if dash else None, language=language)
        assert excerpt is not None, f"line {self.line}: {self.path} has no line {first}"
        return Row(
            self.claim,
            (excerpt,),
            sentence=self.sentence or self.claim,
            path=self.path,
            language=language,
            file=self.file,
        )

    def differences(self, verdict: Verdict) -> list[str]:
        """What is not as the row says."""
        found = []
        if verdict.label not in self.labels:
            found.append(f"expected {' or '.join(self.labels)}, found {verdict.label}")
        elif verdict.label == self.labels[0] and self.basis.lower() not in verdict.basis.lower():
            found.append(f"{self.basis!r} is no part of the basis")
        elif not verdict.basis:
            found.append("there is no basis")
        return found


def cells_of(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))
    return [cell.strip().replace("\\|", "|") for cell in cells]


def examples_in(text: str) -> Iterator[Example]:
    lines, at, part = text.split("\n"), 0, ""
    path, cited = "", ""
    file: tuple[str, ...] = ()
    while at < len(lines):
        if lines[at].startswith("```"):
            fence = _FENCE.match(lines[at])
            assert fence, f"line {at + 1} is no fence with a language and a citation"
            end = lines.index("```", at + 1)
            path, file, cited = fence["path"], tuple(lines[at + 1 : end]), fence["lines"] or ""
            at = end
        elif lines[at].startswith("## "):
            part, path = lines[at][3:], ""
        elif lines[at].startswith("|"):
            columns = cells_of(lines[at])
            assert path, f"line {at + 1}: the table has no file"
            assert {"claim", "label", "basis"} <= set(columns) <= _COLUMNS, f"line {at + 1}: columns {columns}"
            assert re.fullmatch(r"[|-]+", lines[at + 1]), f"line {at + 2} is no delimiter row"
            at += 2
            while at < len(lines) and lines[at].startswith("|"):
                cells = dict(zip(columns, cells_of(lines[at]), strict=True))
                labels = tuple(cells["label"].split(" or "))
                assert set(labels) <= set(LABELS), f"line {at + 1}: {labels}"
                yield Example(
                    part, path, file, cells.get("lines", cited), cells["claim"], cells.get("sentence", ""), labels,
                    cells["basis"], at + 1,
                )  # fmt: skip
                at += 1
            continue
        at += 1


def collected() -> Iterator[object]:
    for path in sorted((Path(__file__).parent / "judge").glob("*.md")):
        for example in examples_in(path.read_text(encoding="utf-8")):
            yield pytest.param(example, id=f"{path.stem}:{example.line} {example.claim}")


@pytest.mark.parametrize("example", list(collected()))
def test_what_the_file_says(example: Example, judge: EmbeddedJudge) -> None:
    row = example.row()
    verdict = judge.judge_row(row)
    shown = "\n".join(f"  {text}" for each in row.excerpts for text in each.text.split("\n"))
    found = example.differences(verdict)
    assert not found, f"{'; '.join(found)}\n{example.path}\n{shown}\n  claim: {example.claim}\n  basis: {verdict.basis}"
    assert bool(verdict.evidence) == (verdict.label != "unchecked")
    for each in verdict.evidence:
        excerpt = row.excerpts[each.excerpt]
        assert dict(excerpt.lines)[excerpt.start_line + each.offset] == each.text


@pytest.mark.parametrize("example", list(collected()))
def test_text_rules_say_no_more_than_the_file(example: Example) -> None:
    """Without a parser less is decided, and nothing otherwise."""
    verdict = _BY_TEXT.judge_row(example.row())
    assert verdict.label in (*example.labels, "unchecked"), f"{example.claim}: {verdict.label} ({verdict.basis})"


def test_there_are_examples_of_every_label() -> None:
    examples = [param.values[0] for param in collected()]  # type: ignore[attr-defined]
    assert len(examples) >= 40
    assert {label for example in examples for label in example.labels} == set(LABELS)


# ------------------------------------------------------------------------------------------------ the runner itself

EXAMPLE = """# Intro

## A part

```python src/a.py:2-2
one = 1
two = 2
```

| claim | label | basis |
|---|---|---|
| `two` is 2. | supported | two = 2 |
"""


@pytest.mark.parametrize(
    ("old", "new", "differs"),
    [
        ("", "", False),
        ("| supported |", "| unsupported |", True),
        ("| supported |", "| unsupported or supported |", False),
        ("| two = 2 |", "| two = 3 |", True),
        ("`two` is 2", "`two` is 3", True),
        ("two = 2\n```", "two = 3\n```", True),
        ("a.py:2-2", "a.py:1-1", True),
        ("a.py:2-2", "a.py", False),
    ],
)
def test_the_runner_sees_what_is_not_so(old: str, new: str, differs: bool, judge: EmbeddedJudge) -> None:
    (example,) = examples_in(EXAMPLE.replace(old, new) if old else EXAMPLE)
    assert bool(example.differences(judge.judge_row(example.row()))) is differs


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("| claim |", "| claims |"),
        ("| supported |", "| suported |"),
        ("|---|---|---|\n", ""),
        ("```python src/a.py:2-2", "```python"),
        ("| two = 2 |", "| two = 2 | 4 |"),
    ],
)
def test_the_runner_refuses_what_it_cannot_read(old: str, new: str) -> None:
    with pytest.raises((AssertionError, ValueError)):
        list(examples_in(EXAMPLE.replace(old, new)))
