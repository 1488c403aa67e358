"""*Wrong lines* in the editor: told of what is on the screen, whatever came first: document, files, settings."""

from pathlib import Path

import pytest

from cite_lsp.server import grounding
from tests.server.at_rest import codes, opened, shown_at_rest
from tests.server.harness import Session

CODE = "".join(f"def step_{number}(value):\n    return value + {number}\n\n" for number in range(12))
TEXT = "# Steps\n\nThe sum comes from `step_7` (`pool.py:3-5`).\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "docs").mkdir()
    return tmp_path


async def told(session: Session, uri: str) -> list[str]:
    shown: dict[str, list[dict[str, object]]] = {}
    await shown_at_rest(session, shown)
    return codes(shown[uri])


async def test_of_a_cited_file_that_appears(folder: Path) -> None:
    uri, code = (folder / "docs/a.md").as_uri(), folder / "src/pool.py"
    async with Session(folders=[folder], ignored=("cite-lsp/status", "$/progress")) as session:
        session.open(uri, TEXT)
        assert await told(session, uri) == ["elsewhere"]
        code.write_text(CODE)
        session.files_changed((code.as_uri(), 1))
        assert await told(session, uri) == ["wrong-lines"]


async def test_of_a_document_that_settings_have_read_anew(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    (folder / "src/pool.py").write_text(CODE)
    settings = {"rules": {"wrong-lines": "off"}}
    async with Session(folders=[folder], settings=lambda _: settings) as session:
        await opened(session, uri, TEXT)
        settings = {"rules": {"wrong-lines": "error"}}
        session.configure(None)
        assert await told(session, uri) == ["wrong-lines"]
        settings = {"rules": {"wrong-lines": "error"}, "anchors": {"in_fences": True}}
        session.configure(None)
        await shown_at_rest(session)
        session.change_all(uri, f"{TEXT}\nAnd more.\n")
        assert await told(session, uri) == ["wrong-lines"]


async def test_of_a_document_whose_past_becomes_known_at_that_moment(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    (folder / "src/pool.py").write_text(CODE)
    async with Session(folders=[folder]) as session:
        session.open(uri, TEXT)
        await session.settled()
        document = session.server.session.find(uri)
        document.forget_levels()
        session.server.session.grounding.start(document)
        assert session.server.session.grounding.busy
        assert await told(session, uri) == ["wrong-lines"]


async def test_of_claims_that_were_typed_and_are_no_longer_little_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grounding, "_MOST_UNUSED", 3)
    uri = (folder / "docs/a.md").as_uri()
    (folder / "src/pool.py").write_text(CODE)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        for number in (*range(12), 7):
            session.change_all(uri, TEXT.replace("step_7", f"step_{number}"))
            session.save(uri)
            found = await shown_at_rest(session)
        assert "wrong-lines" in codes(found[uri])
        assert len(session.server.session.grounding._known) == 3 + 2 * 1
