"""Rows from a function that answers for lines: the reference's resolver."""

from hypothesis import given
from hypothesis import strategies as st

from cite_lsp import AuditOptions, Document, Snapshot, select_rows
from cite_lsp.audit.selecting import AuditRow

NOWHERE = Snapshot.of({})
FORTY = [f"value_{number} = {number}" for number in range(1, 41)]


def asked(text: str, files: dict[str, list[str]], options: AuditOptions | None = None) -> list[AuditRow]:
    calls: list[tuple[str, int]] = []

    def resolve(path: str, line: int) -> str | None:
        calls.append((path, line))
        lines = files.get(path, [])
        return lines[line - 1] if 1 <= line <= len(lines) else None

    document = Document.parse(text, "d.md", known=set(files))
    rows = select_rows(document, NOWHERE, options, resolve=resolve)
    assert all(line >= 1 for _, line in calls)
    return sorted(rows, key=lambda row: row.index)


def shown(row: AuditRow) -> list[int]:
    return [number for excerpt in row.excerpts for number, _ in excerpt.lines]


def test_the_function_stands_for_the_snapshot() -> None:
    (row,) = asked("The value is seven (`a.py:7`).", {"a.py": FORTY})
    assert (row.resolution.status, row.resolution.path) == ("found", "a.py")
    assert (7, "value_7 = 7") in row.excerpts[0].lines
    assert row.file == tuple(FORTY)
    assert row.claim == "The value is seven."


def test_paths_are_asked_for_as_they_are_written() -> None:
    files = {"a.py": FORTY}
    plain, dotted = asked("One is so (`a.py:1`). Two is so (`./a.py:2`).", files)
    assert (plain.resolution.status, dotted.resolution.status) == ("found", "missing")
    assert (plain.mechanical, dotted.mechanical) == (False, True)


def test_statuses() -> None:
    files = {"a.py": ["x = 1", "", "y = 2"]}
    text = "`a.py:1` `a.py:2` `a.py:3-9` `a.py:9` `b.py:1` `a.py:0` `a.py:3-1` `a.py:1, 9`"
    rows = asked(text, files)
    assert [row.resolution.status for row in rows] == [
        "found", "blank-line", "end-out-of-range", "line-out-of-range", "missing", "malformed", "malformed",
        "line-out-of-range",
    ]  # fmt: skip
    assert [row.mechanical for row in rows] == [False] * 3 + [True] * 5


def test_as_in_the_reference_a_blank_line_and_a_range_past_the_end_are_judged() -> None:
    blank, beyond = asked("It is blank (`a.py:2`). It ends there (`a.py:3-9`).", {"a.py": ["x = 1", "", "y = 2"]})
    assert blank.excerpts[0].lines == ((2, ""),)
    assert beyond.excerpts[0].lines == ((3, "y = 2"),)


def test_lines_that_stand_alone_are_enough() -> None:
    """A function may know a few lines only; a gap ends what is shown."""
    lines = {18: "retries = 3", 19: "wait = 2", 21: "other = 1"}
    document = Document.parse("The retries are three (`a.ts:18-25`), the rest is one (`a.ts:21`).", "d.md")
    rows = select_rows(document, NOWHERE, resolve=lambda _, line: lines.get(line))
    assert [row.excerpts[0].lines for row in rows] == [((18, "retries = 3"), (19, "wait = 2")), ((21, "other = 1"),)]
    assert [row.file for row in rows] == [None, None]


def test_a_function_that_knows_every_line_ends() -> None:
    document = Document.parse("It is so (`a.ts:500000-999999999`).", "d.md")
    count = 0

    def resolve(path: str, line: int) -> str:
        nonlocal count
        count += 1
        return f"line {line}"

    (row,) = select_rows(document, NOWHERE, resolve=resolve)
    assert row.resolution.status == "found"
    assert shown(row) == list(range(500_000, 500_020))
    assert count < 10_000


@given(st.integers(1, 40), st.integers(1, 60), st.sampled_from([1, 2]), st.integers(0, 14))
def test_excerpts_are_those_of_a_snapshot_with_the_same_lines(
    first: int, last: int, resolver: int, window: int
) -> None:
    options = AuditOptions(scope="sample", resolver=resolver, window=window)
    text = f"The cap of the pool is three (`a.py:{first}-{max(first, last)}`)."
    (row,) = asked(text, {"a.py": FORTY}, options)
    snapshot = Snapshot.of({"a.py": "\n".join(FORTY) + "\n"})
    document = Document.parse(text, "d.md")
    (anchor,) = document.anchors
    resolution = snapshot.resolve(anchor, document)
    assert row.excerpts == snapshot.excerpts(resolution, anchor, resolver, window)
    assert row.resolution.status == resolution.status
