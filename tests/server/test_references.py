"""textDocument/references: from a citation and from the lines that it cites, in open documents and closed ones."""

from pathlib import Path
from typing import Any

import pytest

from tests.server.at_rest import rest
from tests.server.harness import CAPABILITIES, PUBLISH, Session, at, range_of
from tests.server.living import ENCODINGS

CODE = "".join(f"line {number}\n" for number in range(1, 41))
QUIET = ("cite-lsp/status", PUBLISH)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """src/retry.py of forty lines, two documents that cite it, and one that does not."""
    folder = tmp_path / "work"
    for path, text in {
        "src/retry.py": CODE,
        "src/pool.py": CODE,
        "README.md": "It waits (`src/retry.py:3`).\n",
        "docs/a.md": "Twice: `retry.py:8-12` and\n[there](../src/retry.py#L10).\n",
        "docs/b.md": "`src/pool.py:10`\n",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


async def references(session: Session, uri: str, line: int, column: int = 0, *, declaration: bool = False) -> Any:
    """The answer at a place."""
    context = {"includeDeclaration": declaration}
    return await session.request("textDocument/references", {**at(uri, line, column), "context": context})


def places(folder: Path, found: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """Path and line of each."""
    return [(each["uri"].removeprefix(f"{folder.as_uri()}/"), each["range"]["start"]["line"]) for each in found]


async def test_a_line_of_code_knows_who_cites_it(folder):
    uri = (folder / "src/retry.py").as_uri()
    async with Session(folders=[folder], ignored=QUIET) as session:
        assert session.capabilities_of_server["referencesProvider"]
        session.open(uri, CODE, language="python")
        await rest(session)
        assert places(folder, await references(session, uri, 9)) == [("docs/a.md", 0), ("docs/a.md", 1)]
        assert places(folder, await references(session, uri, 2)) == [("README.md", 0)]
        assert await references(session, uri, 30) == []
        first = (await references(session, uri, 7, declaration=True))[0]
        assert first["range"] == range_of((0, 8), (0, 21))


async def test_a_citation_knows_the_others_of_its_lines(folder):
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder], ignored=QUIET) as session:
        session.open(uri, (folder / "docs/a.md").read_text())
        await rest(session)
        assert places(folder, await references(session, uri, 1, 5)) == [("docs/a.md", 0), ("docs/a.md", 1)]
        found = await references(session, uri, 1, 5, declaration=True)
        assert found[0] == {"uri": (folder / "src/retry.py").as_uri(), "range": range_of((9, 0), (9, 7))}
        assert len(found) == 3


async def test_open_documents_answer_as_they_are_now(folder):
    code, document = (folder / "src/retry.py").as_uri(), (folder / "README.md").as_uri()
    async with Session(folders=[folder], ignored=QUIET) as session:
        session.open(document, (folder / "README.md").read_text())
        await rest(session)
        assert places(folder, await references(session, code, 2)) == [("README.md", 0)]
        session.change_all(document, "\n\n`src/retry.py:20`\n")
        assert await references(session, code, 2) == []
        assert places(folder, await references(session, code, 19)) == [("README.md", 2)]
        session.close(document)  # what was not saved is gone
        assert places(folder, await references(session, code, 2)) == [("README.md", 0)]
        assert await references(session, code, 19) == []


async def test_what_is_written_to_disk_counts(folder):
    code = (folder / "src/retry.py").as_uri()
    async with Session(folders=[folder], ignored=QUIET) as session:
        await rest(session)
        assert places(folder, await references(session, code, 2)) == [("README.md", 0)]
        (folder / "README.md").write_text("\n`src/retry.py:3` and `src/retry.py:4`\n")
        (folder / "docs/new.md").write_text("`src/retry.py:3`\n")
        session.files_changed(((folder / "README.md").as_uri(), 2), ((folder / "docs/new.md").as_uri(), 1))
        await rest(session)
        assert places(folder, await references(session, code, 2)) == [("README.md", 1), ("docs/new.md", 0)]


async def test_a_document_is_cited_too(folder):
    (folder / "docs/c.md").write_text("`README.md:1`\n")
    uri = (folder / "README.md").as_uri()
    async with Session(folders=[folder], ignored=QUIET) as session:
        session.open(uri, (folder / "README.md").read_text())
        await rest(session)
        assert places(folder, await references(session, uri, 0, 2)) == [("docs/c.md", 0)]


async def test_there_is_no_answer_where_nothing_can_be_cited(folder):
    uri = (folder / "README.md").as_uri()
    async with Session(folders=[folder], ignored=QUIET) as session:
        session.open(uri, "`src/gone.py:3`\n")
        session.open("untitled:Untitled-1", "nothing\n")
        await rest(session)
        assert await references(session, uri, 0, 4) is None
        assert await references(session, "untitled:Untitled-1", 0) is None
        assert await references(session, folder.parent.joinpath("beside.py").as_uri(), 0) is None


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_closed_documents_count_in_the_clients_units(folder, encoding):
    (folder / "docs/b.md").write_text("😀 é `src/pool.py:7`\n")
    capabilities = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    async with Session(folders=[folder], capabilities=capabilities, ignored=QUIET) as session:
        await rest(session)
        (found,) = await references(session, (folder / "src/pool.py").as_uri(), 6)
    column = {"utf-8": 9, "utf-16": 6, "utf-32": 5}[encoding]
    assert found["range"] == range_of((0, column), (0, column + len("src/pool.py:7")))


async def test_settings_of_the_editor_hold_for_closed_documents(folder):
    uri = (folder / "src/retry.py").as_uri()
    settings: dict[str, Any] = {"files": {"exclude": ["docs/**"]}}
    async with Session(folders=[folder], ignored=QUIET, settings=lambda _: settings) as session:
        await rest(session)
        assert await references(session, uri, 9) == []
        settings.clear()
        session.configure(None)
        await rest(session)
        assert places(folder, await references(session, uri, 9)) == [("docs/a.md", 0), ("docs/a.md", 1)]


async def test_documents_of_another_workspace_folder_are_asked_too(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.md").write_text(f"`src/retry.py:3` and `../{folder.name}/src/retry.py:3`\n")
    async with Session(folders=[folder, other], ignored=QUIET) as session:
        await rest(session)
        found = await references(session, (folder / "src/retry.py").as_uri(), 2)
    assert [each["uri"].rpartition("/")[2] for each in found] == ["x.md", "x.md", "README.md"]


async def test_a_lost_worker_leaves_what_is_open(folder):
    uri, document = (folder / "src/retry.py").as_uri(), (folder / "README.md").as_uri()
    async with Session(folders=[folder], ignored=QUIET) as session:
        session.open(document, (folder / "README.md").read_text())
        await rest(session)
        session.server.session.worker.close()
        assert places(folder, await references(session, uri, 2)) == [("README.md", 0)]
