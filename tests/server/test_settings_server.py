"""Settings: where they come from, what is said of wrong ones, and that a change counts at once."""

from pathlib import Path
from typing import Any

import pytest

from tests.server.at_rest import codes, shown_at_rest
from tests.server.harness import CAPABILITIES, Session, range_of

CODE = "import time\n\nLIMIT = 3\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(CODE)
    return tmp_path


def severities(found: list[dict[str, Any]]) -> list[int]:
    """The protocol's numbers of severities, in the order of the list."""
    return [each["severity"] for each in found]


async def severities_now(session: Session, uri: str, shown: dict[str, Any]) -> list[int]:
    """The severities of a document's findings once the server is at rest."""
    return severities((await shown_at_rest(session, shown)).get(uri, []))


PUSHING = {**CAPABILITIES, "workspace": {}}


async def test_initialization_options_count(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    options = {"rules": {"line-out-of-range": "hint"}, "trusted": False}
    async with Session(folders=[folder], capabilities=PUSHING, options=options) as session:
        session.open(uri, "See `a.py:9`.\n")
        assert await severities_now(session, uri, {}) == [4]
        assert session.server.session.trusted is False


async def test_settings_are_pulled_for_each_folder(folder: Path, tmp_path_factory: Any) -> None:
    other: Path = tmp_path_factory.mktemp("other")
    (other / "a.py").write_text(CODE)

    def settings(item: Any) -> Any:
        assert item["section"] == "cite-lsp"
        return {"rules": {"line-out-of-range": "hint" if item.get("scopeUri") == other.as_uri() else "warning"}}

    async with Session(folders=[folder, other], settings=settings) as session:
        shown: dict[str, Any] = {}
        for root, wanted in ((folder, 2), (other, 4)):
            uri = (root / "a.md").as_uri()
            session.open(uri, "See `a.py:9`.\n")
            assert await severities_now(session, uri, shown) == [wanted]


async def test_settings_that_are_pushed_replace_those_before(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], capabilities=PUSHING) as session:
        shown: dict[str, Any] = {}
        session.open(uri, "See `a.py:9`.\n")
        for tree, wanted in (
            ({"rules": {"line-out-of-range": "hint"}}, [4]),
            ({"rules": {"line-out-of-range": "off"}}, []),
            ({"rules": {"blank-line": "off"}}, [1]),
            ({"rules": {"line-out-of-range": "loud"}}, [1]),
            ({}, [1]),
        ):
            session.configure(tree)
            assert await severities_now(session, uri, shown) == wanted
        assert len(session.discard("window/showMessage")) == 1


@pytest.mark.parametrize("how", ["saved in the editor", "changed on disk"])
async def test_the_project_file_counts_when_it_changes(folder: Path, how: str) -> None:
    uri, project = (folder / "a.md").as_uri(), folder / "cite-lsp.toml"
    project.write_text('[rules]\nline-out-of-range = "hint"\n')
    async with Session(folders=[folder]) as session:
        shown: dict[str, Any] = {}
        session.open(uri, "See `a.py:9`.\n")
        assert await severities_now(session, uri, shown) == [4]
        if how == "saved in the editor":
            session.open(project.as_uri(), project.read_text(), language="toml")
            await shown_at_rest(session, shown)
        project.write_text('[rules]\nline-out-of-range = "warning"\n')
        if how == "saved in the editor":
            session.save(project.as_uri())
        else:
            session.files_changed((project.as_uri(), 2))
        assert await severities_now(session, uri, shown) == [2]
        project.unlink()
        session.files_changed((project.as_uri(), 3))
        assert await severities_now(session, uri, shown) == [1]


async def test_what_is_wrong_in_the_project_file_is_told_at_its_place_and_taken_back(folder: Path) -> None:
    uri, project = (folder / "a.md").as_uri(), folder / "cite-lsp.toml"
    project.write_text('[rules]\nmissing = "hint"\nline-out-of-range = "loud"\n')
    async with Session(folders=[folder]) as session:
        session.open(uri, "See `a.py:9`.\n")
        shown = await shown_at_rest(session)
        (found,) = shown[project.as_uri()]
        assert (found["code"], found["severity"], found["source"]) == ("setting", 1, "cite-lsp")
        assert found["range"] == range_of((2, 0), (2, 17))
        assert found["message"].startswith('rules.line-out-of-range: "loud" was given; legal is')
        project.write_text('[rules]\nmissing = "hint"\n')
        session.files_changed((project.as_uri(), 2))
        assert (await shown_at_rest(session, shown))[project.as_uri()] == []
        project.write_text("[rules\n")
        session.files_changed((project.as_uri(), 2))
        assert codes((await shown_at_rest(session, shown))[project.as_uri()]) == ["setting"]
        assert session.discard("window/showMessage") == []


@pytest.mark.parametrize("is_open", [False, True])
async def test_what_is_wrong_in_a_pyproject_is_told_at_its_place_and_taken_back(folder: Path, is_open: bool) -> None:
    project = folder / "pyproject.toml"
    wrong = '[project]\nname = "x"\n\n[tool.cite-lsp]\nrecords = ["😀"]\nserver = { code_lens = true, "ö" = 1 }\n'
    right = wrong.replace(', "ö" = 1', "")
    project.write_text(wrong)
    async with Session(folders=[folder]) as session:
        await session.settled()
        if is_open:
            session.open(project.as_uri(), wrong, language="toml")
        shown = await shown_at_rest(session)
        (found,) = shown[project.as_uri()]
        assert (found["code"], found["range"]["start"]) == ("setting", {"line": 5, "character": 29})
        if is_open:  # what is typed counts once it is saved
            session.change_all(project.as_uri(), right)
            assert len((await shown_at_rest(session, shown))[project.as_uri()]) == 1
            project.write_text(right)
            session.save(project.as_uri())
            assert (await shown_at_rest(session, shown))[project.as_uri()] == []
            session.close(project.as_uri())
        else:
            project.write_text(right)
            session.files_changed((project.as_uri(), 2))
        assert (await shown_at_rest(session, shown))[project.as_uri()] == []


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 22), ("utf-16", 20), ("utf-32", 19)])
async def test_places_in_settings_files_count_in_the_clients_units(folder: Path, encoding: str, column: int) -> None:
    project = folder / "cite-lsp.toml"
    project.write_text('rules = { "😀" = 1, missing = "loud" }\n')
    capabilities = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    async with Session(folders=[folder], capabilities=capabilities) as session:
        found = (await shown_at_rest(session))[project.as_uri()]
    places = [each["range"] for each in found if "missing" in each["message"]]
    assert places == [range_of((0, column), (0, column + len("missing")))]


async def test_a_wrong_value_leaves_the_last_good_one(folder: Path) -> None:
    uri, project = (folder / "a.md").as_uri(), folder / "cite-lsp.toml"
    project.write_text('[rules]\nline-out-of-range = "hint"\n')
    async with Session(folders=[folder]) as session:
        session.open(uri, "See `a.py:9`.\n")
        shown: dict[str, Any] = {}
        assert await severities_now(session, uri, shown) == [4]
        for text in ('[rules]\nline-out-of-range = "loud"\n', "[rules\n", "[rules]\nline-out-of-range = 7\n"):
            project.write_text(text)
            session.files_changed((project.as_uri(), 2))
            assert await severities_now(session, uri, shown) == [4]


async def test_a_client_that_gives_other_than_was_asked_is_no_harm(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    for answer in ([], [None], [None, None, None, None], [7, "x"], 7, {}):
        async with Session(folders=[folder], answers={"workspace/configuration": answer}) as session:
            session.open(uri, "See `a.py:9`.\n")
            assert await severities_now(session, uri, {}) == [1]
            assert len(session.discard("window/showMessage")) <= 2


async def test_settings_that_change_while_a_cited_buffer_is_typed_in_do_not_lose_it(folder: Path) -> None:
    document, code = (folder / "a.md").as_uri(), (folder / "a.py").as_uri()
    capabilities = {**CAPABILITIES, "workspace": {}}
    async with Session(folders=[folder], capabilities=capabilities) as session:
        await session.settled()
        session.open(document, "See `a.py:4`.\n")
        session.open(code, CODE, language="python")
        shown: dict[str, Any] = await shown_at_rest(session)
        assert codes(shown[document]) == ["line-out-of-range"]
        session.change(code, (3, 0), (3, 0), "more = 1\n")
        session.configure({"rules": {"missing": "hint"}})
        assert (await shown_at_rest(session, shown))[document] == []


async def test_pushed_settings_replace_pulled_ones(folder: Path) -> None:
    """VS Code answers the pull and pushes afterwards."""
    uri = (folder / "a.md").as_uri()
    now: dict[str, Any] = {"rules": {"line-out-of-range": "warning"}}
    async with Session(folders=[folder], settings=lambda item: now) as session:
        await session.settled()
        session.open(uri, "See `a.py:9`.\n")
        shown = await shown_at_rest(session)
        assert [each["severity"] for each in shown[uri]] == [2]
        now = {"rules": {"line-out-of-range": "hint"}}
        session.configure(now)
        assert [each["severity"] for each in (await shown_at_rest(session, shown))[uri]] == [4]


async def test_a_folder_that_is_added_is_asked_for_its_settings(folder: Path, tmp_path_factory: Any) -> None:
    other = tmp_path_factory.mktemp("other")
    uri = (other / "b.md").as_uri()

    def settings(item: Any) -> Any:
        return {"rules": {"missing": "hint"}} if item.get("scopeUri") == other.as_uri() else {}

    async with Session(folders=[folder], settings=settings) as session:
        await session.settled()
        session.folders_changed(added=[other])
        session.open(uri, "See `src/gone/no.py:9` and `./none.py:3`.\n")
        found = (await shown_at_rest(session))[uri]
        assert {each["severity"] for each in found if each["code"] == "missing"} == {4}


async def test_opening_a_settings_file_keeps_what_is_wrong_in_it(folder: Path) -> None:
    project = folder / "cite-lsp.toml"
    project.write_text('[rules]\nmissing = "loud"\n')
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open((folder / "a.md").as_uri(), "x\n")
        shown = await shown_at_rest(session)
        assert codes(shown[project.as_uri()]) == ["setting"]
        session.open(project.as_uri(), project.read_text(), language="toml")
        assert codes((await shown_at_rest(session, shown))[project.as_uri()]) == ["setting"]


async def test_globs_of_the_editors_settings_count_from_the_workspace_folder(folder: Path) -> None:
    """Without a settings file or `.git` they count from the folder that the server happens to run in."""
    (folder / "docs").mkdir()
    uri = (folder / "docs/a.md").as_uri()
    for settings, wanted in (
        ({"records": ["docs/**"]}, [3]),
        ({"files": {"include": ["docs/*.md"]}}, [1]),
        ({"files": {"exclude": ["docs/**"]}}, []),
        ({"overrides": [{"globs": ["docs/**"], "rules": {"line-out-of-range": "hint"}}]}, [4]),
    ):
        async with Session(folders=[folder], settings=settings) as session:
            await session.settled()
            session.open(uri, "See `a.py:99`.\n")
            found = (await shown_at_rest(session)).get(uri, [])
            assert [each["severity"] for each in found] == wanted, settings


async def test_a_document_that_grows_over_the_limit_and_shrinks_again(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], settings={"files": {"max_document_bytes": 1000}}) as session:
        await session.settled()
        session.open(uri, "See `a.py:99`.\n")
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["line-out-of-range"]
        session.change(uri, (1, 0), (1, 0), "words\n" * 1000)
        (found,) = (await shown_at_rest(session, shown))[uri]
        assert "max_document_bytes" in found["message"]
        session.change(uri, (1, 0), (1001, 0), "")
        assert codes((await shown_at_rest(session, shown))[uri]) == ["line-out-of-range"]
