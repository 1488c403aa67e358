"""Rows, their keys, and rows and verdicts as plain data."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp import Document, Row, Snapshot, Verdict
from cite_lsp.audit.row_data import row_from_data, row_to_data, verdict_from_data, verdict_to_data
from cite_lsp.audit.rows import row_of
from cite_lsp.audit.verdicts import KINDS, LABELS, Evidence
from cite_lsp.snapshot.excerpt import Excerpt

ROW = Row.of(claim="MAX is 3.", lines=[(24, "MAX = 5"), (25, "MIN = 1")], path="src/a.py", file=["MAX = 5"])


def test_a_row_of_plain_texts() -> None:
    assert ROW.excerpts == (Excerpt(24, 25, "window", False, ((24, "MAX = 5"), (25, "MIN = 1"))),)
    assert (ROW.language, ROW.sentence, ROW.file) == ("python", "MAX is 3.", ("MAX = 5",))
    empty = Row.of(claim="x", lines=[])
    assert (empty.excerpts, empty.language, empty.file, empty.path) == ((), None, None, "")


def test_the_key_is_of_what_the_judge_is_given() -> None:
    key = ROW.key("embedded/1")
    assert len(key) == 64
    moved = replace(ROW, excerpts=(Excerpt(90, 91, "window", False, ((90, "MAX = 5"), (91, "MIN = 1"))),))
    same = [moved, replace(ROW, path="b/c.py"), replace(ROW, section="Other"), replace(ROW, file=None)]
    assert {row.key("embedded/1") for row in same} == {key}
    others = [
        replace(ROW, claim="MAX is 4."),
        replace(ROW, sentence="So MAX is 3."),
        replace(ROW, language="toml"),
        replace(ROW, excerpts=(replace(ROW.excerpts[0], cited=24),)),
        replace(ROW, excerpts=ROW.excerpts * 2),
        replace(ROW, excerpts=(Excerpt(24, 26, "window", False, ((24, "MAX = 5"), (26, "MIN = 1"))),)),
        replace(ROW, excerpts=(replace(ROW.excerpts[0], truncated=True),)),
        replace(ROW, excerpts=(Excerpt(24, 25, "window", False, ((24, "MAX = 5 "), (25, "MIN = 1"))),)),
    ]
    keys = [row.key("embedded/1") for row in others] + [ROW.key("embedded/2")]
    assert len({key, *keys}) == len(keys) + 1


def test_the_file_counts_only_for_a_judge_that_reads_it() -> None:
    other = replace(ROW, file=("MAX = 6",))
    assert ROW.key("j") == other.key("j")
    assert ROW.key("j", reads_file=True) != other.key("j", reads_file=True)


def test_texts_cannot_run_into_one_another() -> None:
    assert replace(ROW, claim="ab", sentence="c").key("j") != replace(ROW, claim="a", sentence="bc").key("j")


TEXT = st.text(st.characters(), max_size=20)
ROWS = st.builds(
    Row,
    claim=TEXT,
    excerpts=st.lists(
        st.builds(
            Excerpt,
            st.integers(1, 99),
            st.integers(1, 99),
            st.sampled_from(["window", "key"]),
            st.booleans(),
            st.lists(st.tuples(st.integers(1, 99), TEXT), max_size=3).map(tuple),
            st.booleans(),
        ),
        max_size=2,
    ).map(tuple),
    sentence=TEXT,
    section=TEXT,
    path=TEXT,
    language=st.one_of(st.none(), st.just("python")),
    file=st.one_of(st.none(), st.lists(TEXT, max_size=3).map(tuple)),
)
VERDICTS = st.builds(
    Verdict,
    label=st.sampled_from(LABELS),
    kind=st.one_of(st.none(), st.sampled_from(KINDS)),
    reason=TEXT,
    basis=TEXT,
    evidence=st.lists(st.builds(Evidence, st.integers(0, 3), st.integers(0, 99), TEXT), max_size=3).map(tuple),
    confidence=st.one_of(st.none(), st.floats(0, 1)),
    judge=TEXT,
)


@given(ROWS)
def test_a_row_comes_back_as_it_was(row: Row) -> None:
    assert row_from_data(row_to_data(row)) == row
    assert row_from_data(row_to_data(row, with_file=False)) == replace(row, file=None)
    assert row_from_data(row_to_data(row)).key("j", reads_file=True) == row.key("j", reads_file=True)


@given(VERDICTS)
def test_a_verdict_comes_back_as_it_was(verdict: Verdict) -> None:
    assert verdict_from_data(verdict_to_data(verdict)) == verdict


def test_plain_data_is_json() -> None:
    assert row_from_data(orjson.loads(orjson.dumps(row_to_data(ROW)))) == ROW


@pytest.mark.parametrize("change", [{"label": "good"}, {"kind": "odd"}, {"evidence": [[1]]}, {"confidence": "high"}])
def test_what_is_no_verdict_is_refused(change: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        verdict_from_data({**verdict_to_data(Verdict("supported")), **change})


# --- from a citation


def row(text: str, files: dict[str, str], **options: int) -> Row | None:
    snapshot = Snapshot.of(files)
    document = Document.parse(text, path="docs/a.md", known=snapshot.known)
    [anchor] = document.anchors
    return row_of(anchor, snapshot.resolve(anchor, document), snapshot, **options)


FILES = {"src/a.py": "A = 1\nB = 2\n\n\nC = 3\n"}


def test_the_row_of_a_citation() -> None:
    found = row("## Limits\n\nThe limit called C is three (`src/a.py:5`).\n", FILES)
    assert found is not None
    assert (found.claim, found.path, found.language) == ("The limit called C is three.", "src/a.py", "python")
    assert (found.section, found.file) == ("## Limits", ("A = 1", "B = 2", "", "", "C = 3"))
    assert [excerpt.lines for excerpt in found.excerpts] == [((5, "C = 3"),)]


def test_a_window_of_lines_where_it_is_asked_for() -> None:
    found = row("A (`src/a.py:1`).\n", FILES, resolver=1, window=1)
    assert found is not None
    assert found.excerpts[0].lines == ((1, "A = 1"), (2, "B = 2"))


@pytest.mark.parametrize("cited", ["src/a.py:90", "src/gone.py:1", "src/a.py:3", "src/a.py:4-90", "src/a.py:5-1"])
def test_nothing_to_judge_is_no_row(cited: str) -> None:
    assert row(f"C is three (`{cited}`).\n", FILES) is None


def test_an_untracked_file_is_judged(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("A = 1\n")
    snapshot = Snapshot.open(str(tmp_path))
    document = Document.parse("A is 1 (`a.py:1`).", path=str(tmp_path / "b.md"), known=snapshot.known)
    [anchor] = document.anchors
    resolution = snapshot.resolve(anchor, document)._replace(status="untracked-target")
    assert row_of(anchor, resolution, snapshot) is not None


def test_what_stands_beside_the_citation_counts_for_the_judge_that_reads_it() -> None:
    part, cited = replace(ROW, part="a part"), replace(ROW, citations=2)
    assert part.key("model") == cited.key("model") == ROW.key("model")
    assert len({row.key("embedded", reads_file=True) for row in (ROW, part, cited)}) == 3
