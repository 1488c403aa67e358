"""Which citations are rows: the same for the same document, whatever it points at; a sample is a part of a census."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp import AuditOptions, Document, Snapshot, select_rows
from cite_lsp.audit.selecting import NOWHERE, UNRESOLVED
from cite_lsp.snapshot.resolve import PRECEDENCE

TEN = "".join(f"line {number}\n" for number in range(1, 11))
FILES = {"src/a.py": TEN, "src/b.py": TEN, "notes.md": TEN}
SNAPSHOT = Snapshot.of(FILES)
EMPTY = Snapshot.of({})

CITATIONS = st.sampled_from(
    ["`src/a.py:3`", "(src/b.py:2-4)", "[notes.md:9]", "`src/a.py:0`", "src/gone.py:3", "`src/b.py:40`", "a.py:1, 3"]
)
SENTENCES = st.builds(
    lambda words, cited: f"{words} {', '.join(cited)}. ",
    st.sampled_from(["The cap of the pool is three", "It waits", "Retries end here"]),
    st.lists(CITATIONS, max_size=3),
)
SECTIONS = st.builds(
    lambda marker, sentences: f"\n\n{marker}\n\n{''.join(sentences)}",
    st.sampled_from(["## A", "## B", "## A", "### Below", "# Top", "text"]),
    st.lists(SENTENCES, max_size=6),
)
DOCUMENTS = st.lists(SECTIONS, max_size=6).map("".join)
OPTIONS = st.builds(
    AuditOptions,
    scope=st.just("sample"),
    resolver=st.sampled_from([1, 2]),
    sample_per_section=st.integers(1, 4),
    max_sampled=st.integers(1, 12),
)


def parsed(text: str) -> Document:
    return Document.parse(text, "d.md", SNAPSHOT.known)


@given(DOCUMENTS, OPTIONS, st.sampled_from([None, "", "seed"]))
def test_the_same_document_has_the_same_rows(text: str, options: AuditOptions, seed: str | None) -> None:
    one = select_rows(parsed(text), SNAPSHOT, options, seed)
    other = select_rows(parsed(text), EMPTY, options, seed)
    assert [(row.number, row.index, row.anchor) for row in one] == [
        (row.number, row.index, row.anchor) for row in other
    ]


@given(DOCUMENTS, OPTIONS)
def test_a_sample_is_a_part_of_the_census_within_its_bounds(text: str, options: AuditOptions) -> None:
    document = parsed(text)
    census = select_rows(document, SNAPSHOT, AuditOptions())
    sample = select_rows(document, SNAPSHOT, options)
    assert sorted(row.index for row in census) == list(range(len(document.anchors)))
    assert {row.index for row in sample} <= {row.index for row in census}
    assert len({row.index for row in sample}) == len(sample) <= options.max_sampled
    for rows in (census, sample):
        assert [row.number for row in rows] == list(range(len(rows)))
        assert all(document.anchors[row.index] == row.anchor for row in rows)
    if document.anchors:
        assert sample


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6))
def test_every_section_has_its_first_row_before_any_has_its_second(counts: list[int]) -> None:
    text = "".join(
        f"\n\n## S{section}\n\n" + "".join(f"Claim {section}.{number} holds `src/a.py:3`. " for number in range(count))
        for section, count in enumerate(counts)
    )
    rows = select_rows(parsed(text), SNAPSHOT, AuditOptions())
    ranks = [
        (number, f"## S{section}")
        for number in range(max(counts))
        for section, count in enumerate(counts)
        if number < count
    ]
    seen: list[tuple[int, str]] = []
    for row in rows:
        seen.append((sum(section == row.section for _, section in seen), row.section))
    assert seen == ranks


@given(DOCUMENTS)
def test_a_row_is_judged_or_its_verdict_is_known(text: str) -> None:
    for row in select_rows(parsed(text), SNAPSHOT, AuditOptions()):
        assert (row.known is None) == (row.row is not None)
        assert row.mechanical == (row.known is not None and row.known.label == "unsupported")
        if row.row is not None:
            assert row.excerpts
            assert row.file == tuple(TEN.splitlines())


STATUSES = {
    "found": ("`src/a.py:3`", None),
    "case-differs": ("`src/A.py:3`", None),
    "missing": ("`src/gone.py:3`", "unsupported"),
    "line-out-of-range": ("`src/a.py:30`", "unsupported"),
    "malformed": ("`src/a.py:0`", "unsupported"),
    "foreign": ("https://github.com/o/r/blob/main/x.py#L3", "unchecked"),
    "elsewhere": ("`other/tree/x.py:3`", "unchecked"),
    "ambiguous": ("`c.py:3`", "unchecked"),
    "blank-line": ("`blank.py:2`", "unchecked"),
    "end-out-of-range": ("`src/a.py:3-30`", "unchecked"),
    "not-text": ("`nul.py:1`", "unchecked"),
}


@pytest.mark.parametrize(("status", "case"), STATUSES.items())
def test_what_leads_nowhere_is_unsupported_and_what_was_not_looked_at_is_unchecked(tmp_path, status, case) -> None:
    text, label = case
    files = {"src/a.py": TEN, "x/c.py": TEN, "y/c.py": TEN, "blank.py": "a\n\nb\n", "nul.py": "a\0b\n"}
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    snapshot = Snapshot.open(str(tmp_path), histories={})
    document = Document.parse(f"The cap of the pool is three ({text}).", "d.md", snapshot.known)
    (row,) = select_rows(document, snapshot)
    assert row.resolution.status == status
    assert (row.known.label if row.known else None) == label
    assert row.mechanical == (status in NOWHERE)
    if row.known is not None and row.mechanical:
        assert (row.known.kind, row.known.reason) == ("unresolved", UNRESOLVED)
    elif row.known is not None:
        assert row.known.reason.startswith("Not checked: ")
        assert row.known.reason != "Not checked: there is nothing to judge."


def test_no_status_is_forgotten() -> None:
    assert set(PRECEDENCE) >= NOWHERE
    assert {"missing", "malformed", "line-out-of-range"} == NOWHERE


def test_resolver_1_has_one_row_a_sentence_the_first_that_can_be_read() -> None:
    text = "Bad `src/a.py:0`, the cap is three `src/a.py:3`, and the wait is two `src/b.py:2`. It ends `src/a.py:0`."
    rows = select_rows(parsed(text), SNAPSHOT, AuditOptions(scope="sample", resolver=1, window=2))
    first, last = sorted(rows, key=lambda row: row.index)
    assert (first.anchor.text, last.anchor.text) == ("src/a.py:3", "src/a.py:0")
    assert first.claim == "Bad, the cap is three, and the wait is two."
    assert [number for number, _ in first.excerpts[0].lines] == [3, 4, 5]


def test_two_sections_of_one_name_are_two() -> None:
    text = "## A\n\nOne is so `src/a.py:1`. Two is so `src/a.py:2`.\n\n## A\n\nThree is so `src/a.py:3`.\n"
    rows = select_rows(parsed(text), SNAPSHOT)
    assert [row.anchor.text for row in rows] == ["src/a.py:1", "src/a.py:3", "src/a.py:2"]
    assert [row.section for row in rows] == ["## A"] * 3


def test_two_sentences_of_one_text_are_two() -> None:
    text = "It holds `src/a.py:1`. It holds `src/a.py:1`."
    rows = select_rows(parsed(text), SNAPSHOT, AuditOptions(scope="sample", resolver=1))
    assert [row.index for row in rows] == [0, 1]


def test_pinned_citations_come_behind_the_others_and_once() -> None:
    text = " ".join(f"Claim {number} holds `src/a.py:{number}`." for number in range(1, 9))
    options = AuditOptions(scope="sample")
    plain = select_rows(parsed(text), SNAPSHOT, options)
    left = next(number for number in range(8) if number not in {row.index for row in plain})
    rows = select_rows(parsed(text), SNAPSHOT, options, pinned=[left, plain[0].index, left])
    assert [row.index for row in rows] == [*[row.index for row in plain], left]
    assert [row.number for row in rows] == [0, 1, 2]
    for wrong in (8, -1):
        with pytest.raises(IndexError, match=f"pinned: {wrong} is no place in document.anchors, which has 8"):
            select_rows(parsed(text), SNAPSHOT, options, pinned=[wrong])
