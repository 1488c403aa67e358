"""workspace/symbol: citations by the path of the file that they cite."""

from pathlib import Path
from typing import Any

import pytest

from cite_lsp.findings.symbols import CitedFileQuery
from tests.server.at_rest import rest
from tests.server.harness import CAPABILITIES, PUBLISH, Session, range_of
from tests.server.living import ENCODINGS

CODE = "".join(f"line {number}\n" for number in range(1, 41))
QUIET = ("cite-lsp/status", PUBLISH)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files of forty lines, and documents that cite them."""
    folder = tmp_path / "work"
    for path, text in {
        "src/retry.py": CODE,
        "src/pool.py": CODE,
        "README.md": "It waits (`src/retry.py:3`), and `src/gone.py:1` is gone.\n",
        "docs/a.md": "Twice: `retry.py:8-12, 14` and\n[there](../src/retry.py#L10).\n",
        "docs/b.md": "`src/pool.py:10`\n",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


async def symbols(session: Session, query: str) -> list[dict[str, Any]]:
    """The answer."""
    found: list[dict[str, Any]] = await session.request("workspace/symbol", {"query": query})
    return found


def told(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Name and container of each."""
    return [(each["name"], each["containerName"]) for each in found]


ALL = [
    ("src/pool.py:10", "docs/b.md"),
    ("src/retry.py:3", "README.md"),
    ("src/retry.py:8-12, 14", "docs/a.md"),
    ("src/retry.py:10", "docs/a.md"),
]


@pytest.mark.parametrize("is_open", [False, True])
async def test_citations_are_found_by_the_file_that_they_cite(folder: Path, is_open: bool) -> None:
    async with Session(folders=[folder], ignored=QUIET) as session:
        assert session.capabilities_of_server["workspaceSymbolProvider"]
        if is_open:
            for name in ("README.md", "docs/a.md"):
                session.open((folder / name).as_uri(), (folder / name).read_text())
        await rest(session)
        assert told(await symbols(session, "")) == ALL
        assert told(await symbols(session, "retry")) == ALL[1:]
        assert told(await symbols(session, "SRC rtr")) == ALL[1:]
        assert told(await symbols(session, "retry.py:9")) == ALL[2:3]
        assert told(await symbols(session, "retry.py:")) == ALL[1:]
        assert told(await symbols(session, "gone")) == []
        assert told(await symbols(session, "none")) == []
        (found,) = await symbols(session, "pool")
        assert found["location"] == {"uri": (folder / "docs/b.md").as_uri(), "range": range_of((0, 1), (0, 15))}


async def test_open_documents_answer_as_they_are_now(folder: Path) -> None:
    uri = (folder / "README.md").as_uri()
    async with Session(folders=[folder], ignored=QUIET) as session:
        session.open(uri, "nothing\n")
        await rest(session)
        assert told(await symbols(session, "retry")) == ALL[2:]
        session.change_all(uri, "\n`src/retry.py:40`\n")
        found = await symbols(session, "retry")
        assert told(found) == [*ALL[2:], ("src/retry.py:40", "README.md")]
        assert found[-1]["location"] == {"uri": uri, "range": range_of((1, 1), (1, 16))}
        session.close(uri)
        await rest(session)
        assert told(await symbols(session, "retry")) == ALL[1:]


async def test_an_untitled_document_is_found_at_its_own_address(folder: Path) -> None:
    async with Session(folders=[folder], ignored=QUIET) as session:
        session.open("untitled:Untitled-1", "`src/pool.py:7`\n")
        await rest(session)
        found = await symbols(session, "pool.py:7")
        assert [each["location"]["uri"] for each in found] == ["untitled:Untitled-1"]


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_ranges_count_in_the_clients_units(folder: Path, encoding: str) -> None:
    text = "😀 é `src/pool.py:7`\n"
    (folder / "docs/b.md").write_text(text)
    capabilities = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    async with Session(folders=[folder], capabilities=capabilities, ignored=QUIET) as session:
        await rest(session)
        (found,) = await symbols(session, "pool")
        session.open((folder / "docs/b.md").as_uri(), text)
        assert await symbols(session, "pool") == [found]
    column = {"utf-8": 9, "utf-16": 6, "utf-32": 5}[encoding]
    assert found["location"]["range"] == range_of((0, column), (0, column + len("src/pool.py:7")))


async def test_there_are_no_more_than_the_limit_and_the_best_of_them(folder: Path) -> None:
    (folder / "docs/many.md").write_text("".join(f"`src/retry.py:{1 + n % 40}`\n\n" for n in range(300)))
    (folder / "docs/open.md").write_text("".join(f"`src/retry.py:{1 + n % 40}`\n\n" for n in range(300)))
    async with Session(folders=[folder], ignored=QUIET) as session:
        session.open((folder / "docs/open.md").as_uri(), (folder / "docs/open.md").read_text())
        await rest(session)
        found = await symbols(session, "")
        assert len(found) == 200
        assert told(found)[0] == ALL[0]


async def test_folders_name_their_documents_and_none_is_none(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.py").write_text(CODE)
    (other / "x.md").write_text("`x.py:3`\n")
    async with Session(folders=[folder], ignored=QUIET) as session:
        await rest(session)
        assert told(await symbols(session, "x.py")) == []
        session.folders_changed(added=[other])
        await rest(session)
        assert told(await symbols(session, "x.py")) == [("x.py:3", "other/x.md")]
        session.folders_changed(removed=[other, folder])
        await rest(session)
        assert await symbols(session, "") == []


async def test_a_lost_worker_leaves_what_is_open(folder: Path) -> None:
    async with Session(folders=[folder], ignored=QUIET) as session:
        session.open((folder / "README.md").as_uri(), (folder / "README.md").read_text())
        await rest(session)
        session.server.session.worker.close()
        assert told(await symbols(session, "retry")) == ALL[1:2]


@pytest.mark.parametrize(
    ("typed", "better", "worse"),
    [
        ("retry", "src/retry.py", "src/my_retry.py"),
        ("retry", "src/my_retry.py", "retry/all.py"),
        ("retry", "retry/all.py", "re/try.py"),
        ("re try", "retry.py", "re/a_try.py"),
        ("ÄRGER", "ärger.py", "x/ä/rger.py"),
    ],
)
def test_what_was_typed_fits_better_where_it_stands_together_in_the_name(typed: str, better: str, worse: str) -> None:
    query = CitedFileQuery(typed, ["/w"])
    fits = [query.fit(f"/w/{path}") for path in (better, worse)]
    assert None not in fits
    assert fits[0] < fits[1]  # type: ignore[operator]


def test_a_query_of_any_length_is_no_work() -> None:
    query = CitedFileQuery("a" * 100_000 + "b", ["/w"])
    assert query.fit("/w/" + "a" * 4000) is not None  # what is too long is cut
    assert query.fit("/w/" + "b" * 4000) is None
