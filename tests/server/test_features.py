"""Each feature by example, in the words that a person reads."""

import gc
import re
import subprocess
import weakref
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.server.features import document_link
from cite_lsp.server.hits import Hit
from cite_lsp.server.open_document import OpenDocument
from tests.server.at_rest import codes, rest, shown, shown_at_rest
from tests.server.harness import CAPABILITIES, Session, at, range_of
from tests.server.living import ENCODINGS, apply_edits

CODE = "import time\n\nLIMIT = 3\n\n\ndef retry(call):\n    for attempt in range(LIMIT):\n        call()\n"
HOVER = "textDocument/hover"
ACTIONS = "textDocument/codeAction"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """src/retry.py of eight lines, docs/."""
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "docs").mkdir()
    (folder / "src/retry.py").write_text(CODE)
    return folder


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder."""
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True)


def but(section: str, **more: Any) -> dict[str, Any]:
    """The harness' capabilities with other entries in one section."""
    return {**CAPABILITIES, section: {**CAPABILITIES[section], **more}}


async def opened(session: Session, uri: str, text: str, **more: Any) -> list[dict[str, Any]]:
    """Open a document and give its findings at rest."""
    session.open(uri, text, **more)
    return (await shown_at_rest(session)).get(uri, [])


async def hover(session: Session, uri: str, line: int, column: int) -> str:
    """The text of a hover."""
    answer = await session.request(HOVER, at(uri, line, column))
    text: str = answer["contents"]["value"]
    return text


async def actions(session: Session, uri: str, line: int, column: int, **context: Any) -> list[dict[str, Any]]:
    """The code actions at a place."""
    where = range_of((line, column), (line, column))
    params = {"textDocument": {"uri": uri}, "range": where, "context": {"diagnostics": [], **context}}
    found: list[dict[str, Any]] = await session.request(ACTIONS, params)
    return found


def edited(text: str, edit: dict[str, Any], uri: str, encoding: str = "utf-16") -> str:
    """The text after a workspace edit of one document."""
    if "changes" in edit:
        assert list(edit) == ["changes"]
        assert list(edit["changes"]) == [uri]
        return apply_edits(text, edit["changes"][uri], encoding)
    (change,) = edit["documentChanges"]
    assert change["textDocument"]["uri"] == uri
    return apply_edits(text, change["edits"], encoding)


def titled(found: list[dict[str, Any]], title: str) -> dict[str, Any]:
    """The one action of a title."""
    (action,) = [each for each in found if each["title"] == title]
    return action


# --- diagnostics


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_ranges_count_in_the_clients_units(folder: Path, encoding: str) -> None:
    uri = (folder / "docs/a.md").as_uri()
    capabilities = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    text = "# é\r\n\r\n😀 ä `src/retry.py:99`\r\n"
    before = {"utf-8": 4 + 1 + 2 + 1 + 1, "utf-16": 2 + 1 + 1 + 1 + 1, "utf-32": 5}[encoding]
    async with Session(folders=[folder], capabilities=capabilities) as session:
        (found,) = await opened(session, uri, text)
    assert found == {
        "range": range_of((2, before), (2, before + 15)),
        "severity": 1,
        "code": "line-out-of-range",
        "source": "cite-lsp",
        "message": "`src/retry.py` has 8 lines; line 99 does not exist",
    }


async def test_errors_come_first_then_the_order_of_the_text(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    text = "`src/retry.py:2` `src/retry.py:99` `src/none.py:1` `src/retry.py:7-9`\n"
    async with Session(folders=[folder]) as session:
        found = await opened(session, uri, text)
    assert codes(found) == ["line-out-of-range", "missing", "blank-line", "end-out-of-range"]


async def test_versions_are_those_of_the_document(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, "`src/retry.py:99`\n", version=4)
        assert (await session.publish(uri))["version"] == 4
        session.change(uri, (0, 0), (0, 0), "x ")
        published = await session.publish(uri)
        assert published["version"] == 5
        assert published["diagnostics"][0]["range"] == range_of((0, 3), (0, 18))
        await shown_at_rest(session)


async def test_a_clean_document_gets_an_explicit_empty_list_once_for_each_version(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, "`src/retry.py:3`\n")
        assert await session.publish(uri) == {"uri": uri, "diagnostics": [], "version": 1}
        await rest(session)
        session.expect_nothing()
        session.change(uri, (0, 0), (0, 0), "x ")
        assert await session.publish(uri) == {"uri": uri, "diagnostics": [], "version": 2}


async def test_no_more_than_the_limit_and_one_line_that_says_how_many_more(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    settings = {"server": {"max_diagnostics": 3}}
    for text in (
        "`src/retry.py:2`\n\n" * 5 + "`src/retry.py:99`\n",
        "`src/retry.py:2`\n\n" * 5 + "`src/retry.py:99`\n\n<!-- cite-lsp: ignore-file missing x -->\n",
    ):
        async with Session(folders=[folder], settings=settings) as session:
            found = await opened(session, uri, text)
        assert codes(found)[:3] == ["line-out-of-range", "blank-line", "blank-line"]
        assert len(found) == 4
        assert re.fullmatch(r"[34] more findings are not shown here \(server\.max_diagnostics\)", found[3]["message"])


async def test_what_is_typed_in_a_cited_file_counts_unsaved(folder: Path) -> None:
    uri, code = (folder / "docs/a.md").as_uri(), (folder / "src/retry.py").as_uri()
    async with Session(folders=[folder]) as session:
        assert codes(await opened(session, uri, "`src/retry.py:9`\n")) == ["line-out-of-range"]
        session.open(code, CODE, language="python")
        session.change(code, (8, 0), (8, 0), "more()\n")
        assert (await shown_at_rest(session))[uri] == []
        session.close(code)
        assert codes((await shown_at_rest(session))[uri]) == ["line-out-of-range"]


# --- hover


async def test_hover_in_markdown_and_in_plain_text(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        await opened(session, uri, "The limit (`src/retry.py:3`).\n")
        answer = await session.request(HOVER, at(uri, 0, 14))
        assert answer == {
            "contents": {"kind": "markdown", "value": "**`src/retry.py:3`**\n\n```python\n 3  LIMIT = 3\n```"},
            "range": range_of((0, 12), (0, 26)),
        }
        assert await session.request(HOVER, at(uri, 0, 2)) is None
    async with Session(
        folders=[folder], capabilities=but("textDocument", hover={"contentFormat": ["plaintext"]})
    ) as session:
        await opened(session, uri, "The limit (`src/retry.py:3`).\n")
        answer = await session.request(HOVER, at(uri, 0, 14))
        assert answer["contents"] == {"kind": "plaintext", "value": "src/retry.py:3\n\n 3  LIMIT = 3"}


async def test_hover_shows_several_spans(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        await opened(session, uri, "See `src/retry.py:1, 3`.\n")
        text = await hover(session, uri, 0, 8)
    assert "**`src/retry.py:1, 3`**" in text
    assert "1  import time" in text
    assert "3  LIMIT = 3" in text
    assert text.count("```python") == 2


async def test_hover_is_capped(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    (folder / "src/long.py").write_text("".join(f"x{number} = '{'y' * 500}'\n" for number in range(3000)))
    async with Session(folders=[folder]) as session:
        await opened(
            session, uri, "See `src/long.py:1-3000` and `src/long.py:" + ", ".join(map(str, range(1, 40, 2))) + "`.\n"
        )
        for column in (8, 32):
            text = await hover(session, uri, 0, column)
            assert len(text) < 30_000
            assert "…" in text


async def test_back_ticks_in_the_excerpt_make_the_fence_longer(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    (folder / "src/x.md").write_text("`````\n```` <b> ````\n")
    async with Session(folders=[folder]) as session:
        await opened(session, uri, "See `src/x.md:1-2`.\n")
        text = await hover(session, uri, 0, 8)
    fences = [line for line in text.split("\n") if line.startswith("``````")]
    assert len(fences) == 2
    assert fences[1] == "``````"


def outside_code(markdown: str) -> str:
    """What a renderer may make active: the text without fences and code spans."""
    text = re.sub(r"(?ms)^(`{3,})[^\n`]*\n.*?^\1`*$", "", markdown)
    return re.sub(r"(?s)(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", text)


HOSTILE = "<img src=x onerror=alert(1)> [click](command:rm) ![i](http://e.vil/x.png) <http://e.vil> &lt; ``` ~~~ https://e.vil/"


async def test_nothing_cited_becomes_active(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    (folder / "src/x.md").write_text(HOSTILE + "\n" + f"LIMIT = '{HOSTILE}'\n")
    (folder / "src/<b>[x](command:y).md").write_text("x\n")
    text = (
        "`LIMIT` is 7 and <img src=x> [click](command:rm) (`src/x.md:2`).\n\n"
        "`src/x.md:99`\n\n`src/<b>[x](command:y).md:1` and `src/[x](command:y)<b>.md:1`\n"
    )
    async with Session(folders=[folder]) as session:
        session.open(uri, text)
        session.save(uri)
        now = await shown_at_rest(session)
        links = await session.request("textDocument/documentLink", {"textDocument": {"uri": uri}})
        assert now[uri]
        for link in links:
            start = link["range"]["start"]
            active = outside_code(await hover(session, uri, start["line"], start["character"] + 1))
            assert not re.search(r"(?<!\\)[<\[!]", active), active
            assert "://" not in active


async def test_a_reason_is_data(folder: Path) -> None:
    """What the judge says quotes the claim and the lines; none of it may be followed or rendered."""
    uri = (folder / "docs/a.md").as_uri()
    (folder / "src/conf.py").write_text("TIMEOUT = '<b>[x](http://e.vil)</b>'  # 30\n")
    async with Session(folders=[folder]) as session:
        session.open(uri, "`TIMEOUT` is `[y](http://e.vil/2)<i>` or 45 (`src/conf.py:1`).\n")
        session.save(uri)
        await shown_at_rest(session)
        active = outside_code(await hover(session, uri, 0, 50))
    assert "judge embedded/2" in active
    assert not re.search(r"(?<!\\)[<\[!]", active), active
    assert "://" not in active


async def test_hover_says_when_the_text_is_not_the_file(folder: Path) -> None:
    uri, code = (folder / "docs/a.md").as_uri(), (folder / "src/retry.py").as_uri()
    async with Session(folders=[folder]) as session:
        await opened(session, uri, "See `src/retry.py:3`.\n")
        session.open(code, CODE, language="python")
        assert (await hover(session, uri, 0, 8)).startswith("**`src/retry.py:3`** · from the open buffer\n")
        session.change(code, (2, 8), (2, 9), "4")
        text = await hover(session, uri, 0, 8)
        assert text.startswith("**`src/retry.py:3`** · from the unsaved buffer\n")
        assert "LIMIT = 4" in text
        await shown_at_rest(session)


async def test_hover_of_what_leads_nowhere_says_why(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        await opened(session, uri, "See `src/none.py:3` and `src/retry.py:99`.\n")
        assert await hover(session, uri, 0, 8) == "`src/none.py` does not exist"
        assert "`src/retry.py` has 8 lines; line 99 does not exist" in await hover(session, uri, 0, 28)


async def test_hover_marks_the_lines_a_verdict_relies_on(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, "`LIMIT` is 7 (`src/retry.py:1-8`).\n")
        session.save(uri)
        assert codes((await shown_at_rest(session))[uri]) == ["unsupported"]
        text = await hover(session, uri, 0, 18)
    assert "\n>3  LIMIT = 3\n" in text
    assert text.count("\n>") == 1
    said = "**unsupported**: `the claim says 7, line 3 says LIMIT = 3` — judge embedded/2, just now, lines marked >"
    assert said in text


# --- definition, declaration, links


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("what", ["definition", "declaration"])
async def test_definition_is_the_cited_lines(folder: Path, encoding: str, what: str) -> None:
    uri, code = (folder / "docs/a.md").as_uri(), (folder / "src/wide.py").as_uri()
    (folder / "src/wide.py").write_text("a = 1\nb = '😀ä'\n")
    end = {"utf-8": 5 + 4 + 2 + 1, "utf-16": 5 + 2 + 1 + 1, "utf-32": 8}[encoding]
    start = {"utf-8": 5, "utf-16": 3, "utf-32": 2}[encoding]
    general = {"positionEncodings": [encoding]}
    params = at(uri, 0, start + 3)
    async with Session(folders=[folder], capabilities={**CAPABILITIES, "general": general}) as session:
        await opened(session, uri, "😀 `src/wide.py:1-2`\n")
        (link,) = await session.request(f"textDocument/{what}", params)
        assert link["targetUri"] == code
        assert link["targetRange"] == link["targetSelectionRange"] == range_of((0, 0), (1, end))
        assert link["originSelectionRange"]["start"] == {"line": 0, "character": start + 1}
    plain = {"definition": {"linkSupport": False}, "declaration": {}}
    capabilities = {**but("textDocument", **plain), "general": general}
    async with Session(folders=[folder], capabilities=capabilities) as session:
        await opened(session, uri, "😀 `src/wide.py:1-2`\n")
        assert await session.request(f"textDocument/{what}", params) == [
            {"uri": code, "range": range_of((0, 0), (1, end))}
        ]


async def test_definition_of_spans_and_of_what_goes_past_the_end(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        await opened(session, uri, "`src/retry.py:1, 3, 99` `src/retry.py:7-99` `src/retry.py:99` `src/none.py:1`\n")
        three = await session.request("textDocument/definition", at(uri, 0, 3))
        assert [each["targetRange"]["start"]["line"] for each in three or ()] in ([], [0, 2])
        (clamped,) = await session.request("textDocument/definition", at(uri, 0, 28))
        assert clamped["targetRange"] == range_of((6, 0), (7, 14))
        assert await session.request("textDocument/definition", at(uri, 0, 50)) is None
        assert await session.request("textDocument/definition", at(uri, 0, 68)) is None


async def test_links_are_worked_out_piece_by_piece(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients ask for all links again after each edit: it costs the piece that was edited, or cites what was."""
    uri, code = (folder / "docs/a.md").as_uri(), (folder / "src/retry.py").as_uri()
    other = folder / "src/other.py"
    other.write_text("a = 1\nb = 2\nc = 3\n")
    worked_out: list[str] = []
    link = document_link._link

    def counted(document: OpenDocument, hit: Hit) -> tuple[str, str] | None:
        worked_out.append(hit.anchor.text)
        return link(document, hit)

    monkeypatch.setattr(document_link, "_link", counted)
    paragraphs = [f"Number {number} (`src/retry.py:{number % 8 + 1}`).\n\n" for number in range(300)]
    paragraphs[150] = "The other (`src/other.py:2-3`).\n\n"
    ask = {"textDocument": {"uri": uri}}

    async def asked(session: Session) -> list[tuple[int, str]]:
        worked_out.clear()
        links = await session.request("textDocument/documentLink", ask)
        return [(each["range"]["start"]["line"], each["target"].removeprefix(folder.as_uri())) for each in links]

    async with Session(folders=[folder]) as session:
        await opened(session, uri, "".join(paragraphs))
        first = await asked(session)
        assert first[150] == (300, "/src/other.py#L2")
        assert len(worked_out) == len(first) == 300
        assert await asked(session) == first
        assert not worked_out
        session.change(uri, (0, 0), (0, 0), "One line more.\n\n")
        assert await asked(session) == [(line + 2, target) for line, target in first]
        assert 0 < len(worked_out) <= 128
        session.change(uri, (2, 0), (2, 0), "And one (`src/other.py:1`). ")
        assert (await asked(session))[0] == (2, "/src/other.py#L1")
        await shown_at_rest(session)
        session.open(other.as_uri(), "a = 1\n", language="python")
        await shown_at_rest(session)
        links = await asked(session)
        assert [target for _, target in links if "other" in target] == ["/src/other.py#L1"]
        assert 0 < len(worked_out) <= 256
        assert code.endswith("/src/retry.py")
        (folder / "src/retry.py").unlink()
        session.files_changed((code, 3))
        await shown_at_rest(session)
        assert [target for _, target in await asked(session)] == ["/src/other.py#L1"]


async def test_nothing_is_kept_of_the_versions_of_a_document_that_are_gone(folder: Path) -> None:
    """Whatever a client asks for after each edit: what it is made of goes with the version."""
    uri = (folder / "docs/a.md").as_uri()
    whole = {"textDocument": {"uri": uri}, "range": range_of((0, 0), (9, 0)), "context": {"diagnostics": []}}
    pieces: list[weakref.ref[object]] = []
    async with Session(folders=[folder]) as session:
        await opened(session, uri, "A list.\n")
        for number in range(60):
            session.change_all(uri, f"Number {number} (`src/retry.py:{number % 8 + 1}`).\n")
            for method in ("documentLink", "codeLens", "inlayHint", "codeAction"):
                await session.request(f"textDocument/{method}", whole)
            await session.request(HOVER, at(uri, 0, 15))
            document = session.server.session.find(uri)
            pieces += map(weakref.ref, document.document.pieces)
        await shown_at_rest(session)
        del document
        gc.collect()
        assert sum(piece() is not None for piece in pieces) <= 30
        session.close(uri)
        await shown_at_rest(session)
        gc.collect()
        assert sum(piece() is not None for piece in pieces) <= 10


async def test_links_and_tooltips(folder: Path) -> None:
    uri, code = (folder / "docs/a.md").as_uri(), (folder / "src/retry.py").as_uri()
    page = "https://github.com/o/r/blob/main/src/retry.py#L3-L4"
    text = f"`src/retry.py:3` `src/retry.py:6-8` `src/none.py:3` <{page}> [x](../src/retry.py#L1)\n"
    ask = {"textDocument": {"uri": uri}}
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        links = await session.request("textDocument/documentLink", ask)
        assert [(link["target"], link.get("tooltip")) for link in links] == [
            (f"{code}#L3", "src/retry.py, line 3"),
            (f"{code}#L6", "src/retry.py, lines 6-8"),
            (page, "github.com"),
            (f"{code}#L1", "src/retry.py, line 1"),
        ]
        assert links[0]["range"] == range_of((0, 1), (0, 15))
        session.open(code, CODE, language="python")
        await shown_at_rest(session)
        assert await session.request("textDocument/documentLink", {"textDocument": {"uri": code}}) is None
    async with Session(folders=[folder], capabilities=but("textDocument", documentLink={})) as session:
        await opened(session, uri, text)
        links = await session.request("textDocument/documentLink", ask)
        assert {tuple(sorted(link)) for link in links} == {("range", "target")}


# --- code actions


async def test_fixes_with_one_answer_are_preferred_and_say_what_they_mend(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    cases = {
        "See `src/retry.py:6-99`.\n": ("End at line 8", "See `src/retry.py:6-8`.\n"),
        "See `src/retry.py:8-6`.\n": ("Write 6-8", "See `src/retry.py:6-8`.\n"),
        "See `src/retry.py#L8-L6`.\n": ("Write 6-8", "See `src/retry.py#L6-L8`.\n"),
    }
    async with Session(folders=[folder]) as session:
        for text, (title, wanted) in cases.items():
            (found,) = await opened(session, uri, text)
            action = titled(await actions(session, uri, 0, 8), title)
            assert action["isPreferred"] is True
            assert action["kind"] == "quickfix"
            assert action["diagnostics"] == [found]
            assert edited(text, action["edit"], uri) == wanted
            assert action["edit"]["documentChanges"][0]["textDocument"]["version"] == session.versions[uri]
            session.change_all(uri, wanted)
            assert (await shown_at_rest(session))[uri] == []
            session.close(uri)
            await shown_at_rest(session)


async def test_the_real_spelling_is_offered(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    text = "See `src/Retry.py:3` and [x](../src/RETRY.py#L3).\n"
    async with Session(folders=[folder]) as session:
        found = await opened(session, uri, text)
        assert codes(found) == ["case-differs"] * 2
        for each in found:
            start = each["range"]["start"]
            action = titled(await actions(session, uri, 0, start["character"] + 1), "Spell it src/retry.py")
            assert action["isPreferred"] is True
            assert "src/retry.py" in edited(text, action["edit"], uri)


async def test_closest_paths_are_offered_and_none_is_preferred(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    text = "See `src/retri.py:3`.\n"
    async with Session(folders=[folder]) as session:
        (found,) = await opened(session, uri, text)
        assert found["message"] == "`src/retri.py` does not exist; the closest path is `src/retry.py`"
        action = titled(await actions(session, uri, 0, 8), "Cite src/retry.py")
        assert "isPreferred" not in action
        assert edited(text, action["edit"], uri) == "See `src/retry.py:3`.\n"


async def test_candidates_are_offered_and_none_is_preferred(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "pool.py").write_text(CODE)
    text = "See `pool.py:3`.\n"
    async with Session(folders=[folder]) as session:
        assert codes(await opened(session, uri, text)) == ["ambiguous"]
        found = [each for each in await actions(session, uri, 0, 8) if each["title"].startswith("Cite")]
        assert [each["title"] for each in found] == ["Cite one/pool.py", "Cite two/pool.py"]
        assert not any("isPreferred" in each for each in found)
        assert edited(text, found[1]["edit"], uri) == "See `two/pool.py:3`.\n"


async def test_a_renamed_path_that_git_knows_is_preferred(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "1")
    git(folder, "mv", "src/retry.py", "src/again.py")
    git(folder, "commit", "-qm", "2")
    text = "See `src/retry.py:3`.\n"
    async with Session(folders=[folder]) as session:
        (found,) = await opened(session, uri, text)
        assert found["message"] == "`src/retry.py` does not exist; git says it was renamed to `src/again.py`"
        action = titled(await actions(session, uri, 0, 8), "Cite src/again.py")
        assert action["isPreferred"] is True
        assert edited(text, action["edit"], uri) == "See `src/again.py:3`.\n"


IGNORED = {
    "a.md": ("See `src/retry.py:2`.\nmore\n", "See `src/retry.py:2`. <!-- cite-lsp: ignore blank-line -->\nmore\n"),
    "b.md": (
        "See `src/retry.py:2`  \r\nmore\r\n",
        "See `src/retry.py:2` <!-- cite-lsp: ignore blank-line -->  \r\nmore\r\n",
    ),
    "c.md": ("See `src/retry.py:2`\\\nmore\n", "See `src/retry.py:2` <!-- cite-lsp: ignore blank-line -->\\\nmore\n"),
    "d.md": (
        "| a | b |\n|---|---|\n| x | `src/retry.py:2` |\n",
        "| a | b |\n|---|---|\n| x | `src/retry.py:2` <!-- cite-lsp: ignore blank-line --> |\n",
    ),
    "e.mdx": ("See `src/retry.py:2`.\n", "See `src/retry.py:2`. {/* cite-lsp: ignore blank-line */}\n"),
    "f.rst": (
        "Title\n=====\n\nSee ``src/retry.py:2``.\n",
        "Title\n=====\n\n.. cite-lsp: ignore blank-line\n\nSee ``src/retry.py:2``.\n",
    ),
    "g.adoc": ("= T\n\nSee `src/retry.py:2`.\n", "= T\n\n// cite-lsp: ignore blank-line\nSee `src/retry.py:2`.\n"),
    "h.md": ("- 😀 `src/retry.py:2`\n", "- 😀 `src/retry.py:2` <!-- cite-lsp: ignore blank-line -->\n"),
    "i.md": ("# See `src/retry.py:2`\n", "# See `src/retry.py:2` <!-- cite-lsp: ignore blank-line -->\n"),
}


@pytest.mark.parametrize("name", IGNORED)
async def test_ignore_here_silences_the_finding(folder: Path, name: str) -> None:
    text, wanted = IGNORED[name]
    uri = (folder / "docs" / name).as_uri()
    async with Session(folders=[folder]) as session:
        (found,) = await opened(session, uri, text)
        assert found["code"] == "blank-line"
        start = found["range"]["start"]
        action = titled(await actions(session, uri, start["line"], start["character"] + 2), "Ignore blank-line here")
        assert edited(text, action["edit"], uri) == wanted
        session.change_all(uri, wanted)
        assert codes((await shown_at_rest(session))[uri]) == ["ignore-without-reason"]


async def test_what_a_comment_silences_is_not_offered_and_an_idle_comment_is_told(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        text = "See `src/retry.py:7-9`. <!-- cite-lsp: ignore end-out-of-range because -->\n"
        assert await opened(session, uri, text) == []
        assert await actions(session, uri, 0, 8) == []
        session.change(uri, (0, 20), (0, 21), "8")
        (found,) = (await shown_at_rest(session))[uri]
        assert (found["code"], found["severity"]) == ("unused-ignore", 4)
        assert found["message"] == "there is no end-out-of-range here to ignore"


FIXABLE = "`src/retry.py:7-9` and `src/retry.py:8-7`.\n\n`src/Retry.py:3` `src/retri.py:3`\n"
FIXED = "`src/retry.py:7-8` and `src/retry.py:7-8`.\n\n`src/retry.py:3` `src/retri.py:3`\n"


@pytest.mark.parametrize("only", ["source.fixAll.cite-lsp", "source.fixAll", "source", ""])
async def test_fix_all_with_resolve(folder: Path, only: str) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        await opened(session, uri, FIXABLE)
        found = await actions(session, uri, 0, 0, only=[only])
        action = titled(found, "Fix all citations that have one answer")
        assert action["kind"] == "source.fixAll.cite-lsp"
        assert "edit" not in action
        resolved = await session.request("codeAction/resolve", action)
        assert edited(FIXABLE, resolved["edit"], uri) == FIXED
        assert resolved["title"] == action["title"]


async def test_fix_all_without_resolve_and_without_document_changes(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    literals = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "source.fixAll"]}}}
    capabilities = but("textDocument", codeAction=literals)
    capabilities["workspace"] = {**CAPABILITIES["workspace"], "workspaceEdit": {}}
    async with Session(folders=[folder], capabilities=capabilities) as session:
        await opened(session, uri, FIXABLE)
        (action,) = await actions(session, uri, 0, 0, only=["source.fixAll"])
        assert list(action["edit"]) == ["changes"]
        assert edited(FIXABLE, action["edit"], uri) == FIXED
        for each in await actions(session, uri, 0, 3):
            assert "isPreferred" not in each


async def test_only_filters(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        await opened(session, uri, FIXABLE)
        kinds = {}
        for only in ("quickfix", "source", "refactor", "source.organizeImports", "quickfix.other", "quick"):
            kinds[only] = {each["kind"] for each in await actions(session, uri, 0, 3, only=[only])}
        assert kinds == {
            "quickfix": {"quickfix"},
            "source": {"source.fixAll.cite-lsp"},
            "refactor": set(),
            "source.organizeImports": set(),
            "quickfix.other": set(),
            "quick": set(),
        }
        assert {each["kind"] for each in await actions(session, uri, 0, 3)} == {"quickfix"}
        await shown_at_rest(session)
        session.change_all(uri, FIXED.replace("`src/retri.py:3`", ""))
        await shown_at_rest(session)
        assert await actions(session, uri, 0, 3, only=["source"]) == []


async def test_a_client_without_literals_gets_commands_only(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder], capabilities=but("textDocument", codeAction={})) as session:
        session.open(uri, "`LIMIT` is 7 (`src/retry.py:3`). `src/retry.py:7-9`\n")
        session.save(uri)
        await shown_at_rest(session)
        (accept,) = await actions(session, uri, 0, 40)
        assert accept["command"] == "cite-lsp.server.accept"
        repair, accept = await actions(session, uri, 0, 20)
        assert repair["command"] == "cite-lsp.server.requestRepair"
        assert accept["command"] == "cite-lsp.server.accept"
        assert isinstance(repair["title"], str)


# --- commands


class Editor:
    """The client's side of applyEdit: it applies what it is sent to its text, and answers as it is told."""

    def __init__(self, uri: str, text: str, *, applied: bool = True) -> None:
        self.uri, self.text, self.applied = uri, text, applied
        self.session: Session | None = None

    def apply(self, params: Any) -> Any:
        if self.applied:
            self.text = edited(self.text, params["edit"], self.uri)
            assert self.session is not None
            self.session.change_all(self.uri, self.text)
        return {"applied": self.applied}


@pytest.mark.parametrize("applied", [True, False])
async def test_fix_all_as_a_command(folder: Path, applied: bool) -> None:
    uri = (folder / "docs/a.md").as_uri()
    editor = Editor(uri, FIXABLE, applied=applied)
    async with Session(folders=[folder], answers={"workspace/applyEdit": editor.apply}) as session:
        editor.session = session
        await opened(session, uri, FIXABLE)
        count = await session.command("cite-lsp.server.fixAll", {"uri": uri})
        assert count == (3 if applied else 0)
        assert editor.text == (FIXED if applied else FIXABLE)
        if applied:
            assert codes((await shown_at_rest(session))[uri]) == ["missing"]
            assert await session.command("cite-lsp.server.fixAll", {"uri": uri}) == 0
        assert len([method for method, _ in session.requests if method == "workspace/applyEdit"]) == 1


async def test_judge_document_counts(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder], settings={"judge": {"run": "manual"}}) as session:
        text = (
            "`LIMIT` is 7 (`src/retry.py:3`).\n\n`LIMIT` is 3 (`src/retry.py:3`).\n\n"
            "Bananas sing (`src/retry.py:1`). `src/none.py:3`\n"
        )
        assert codes(await opened(session, uri, text)) == ["missing"]
        session.save(uri)
        assert await shown_at_rest(session) == {}
        counts = await session.command("cite-lsp.server.judgeDocument", {"uri": uri})
        assert set(counts) == {"rows", "supported", "partial", "unsupported", "review", "unchecked"}
        assert counts["rows"] == sum(counts.values()) - counts["rows"] == 3
        assert counts["unsupported"] == 1
        assert codes((await shown_at_rest(session))[uri]) == ["missing", "unsupported"]


# --- verdicts


async def test_a_verdict_comes_with_saving_moves_with_its_sentence_and_goes_with_it(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        assert await opened(session, uri, "`LIMIT` is 7 (`src/retry.py:3`).\n") == []
        session.save(uri)
        (found,) = (await shown_at_rest(session))[uri]
        assert found == {
            "range": range_of((0, 15), (0, 29)),
            "severity": 2,
            "code": "unsupported",
            "source": "cite-lsp",
            "message": "the cited lines say otherwise: the claim says 7, line 3 says LIMIT = 3",
            "relatedInformation": [
                {
                    "location": {"uri": (folder / "src/retry.py").as_uri(), "range": range_of((2, 0), (2, 9))},
                    "message": "line 3: LIMIT = 3",
                }
            ],
        }
        session.change(uri, (0, 0), (0, 0), "A paragraph.\n\nAnother.\n\n")
        (moved,) = (await shown_at_rest(session))[uri]
        assert moved == {**found, "range": range_of((4, 15), (4, 29))}
        session.change(uri, (4, 11), (4, 12), "8")
        assert (await shown_at_rest(session))[uri] == []
        session.save(uri)
        (again,) = (await shown_at_rest(session))[uri]
        assert "the claim says 8" in again["message"]


async def test_the_lines_of_a_verdict_are_shown_where_they_stand(folder: Path) -> None:
    """The cited file is typed in; a comment in the document changes nothing of that."""
    uri, code = (folder / "docs/a.md").as_uri(), (folder / "src/retry.py").as_uri()
    text = "`missing.py:1` <!-- cite-lsp: ignore missing it comes -->\n\n`LIMIT` is 7 (`src/retry.py:1-8`).\n"
    for document in (text, text.partition("\n\n")[2]):
        async with Session(folders=[folder]) as session:
            session.open(uri, document)
            session.open(code, CODE, language="python")
            session.save(uri)
            now = await shown_at_rest(session)
            found = now[uri][-1]
            assert found["code"] == "unsupported"
            assert found["relatedInformation"][0]["location"]["range"]["start"]["line"] == 2
            session.change(code, (1, 0), (1, 0), "import re\n")
            found = (await shown_at_rest(session, now))[uri][-1]
            (line,) = found["relatedInformation"]
            assert (line["location"]["range"]["start"]["line"], line["message"]) == (3, "line 4: LIMIT = 3")
            session.change(code, (3, 8), (3, 9), "9")
            found = (await shown_at_rest(session, now))[uri][-1]
            (line,) = found["relatedInformation"]
            assert (found["message"].endswith("line 4 says LIMIT = 9"), line["message"]) == (True, "line 4: LIMIT = 9")


async def test_a_client_that_shows_no_places_beside_a_finding_gets_none(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    plain = but("textDocument", publishDiagnostics={})
    async with Session(folders=[folder], capabilities=plain) as session:
        session.open(uri, "`LIMIT` is 7 (`src/retry.py:3`).\n")
        session.save(uri)
        (found,) = (await shown_at_rest(session))[uri]
        assert found["code"] == "unsupported"
        assert "relatedInformation" not in found


async def test_what_is_unchecked_is_counted_and_said_in_a_hover_and_never_underlined(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, "The weather is fine today (`src/retry.py:3`).\n")
        counts = await session.command("cite-lsp.server.judgeDocument", {"uri": uri})
        assert (counts["rows"], counts["unchecked"]) == (1, 1)
        assert (await shown_at_rest(session))[uri] == []
        text = await hover(session, uri, 0, 32)
    assert re.search(r"\*\*unchecked\*\*: `looked for '.*' in the cited lines and did not find", text), text
    assert ">3" not in text


async def test_a_verdict_hangs_on_the_cited_file(folder: Path) -> None:
    uri, code = (folder / "docs/a.md").as_uri(), (folder / "src/retry.py").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, "`LIMIT` is 7 (`src/retry.py:3`).\n")
        session.open(code, CODE, language="python")
        session.save(uri)
        now = await shown_at_rest(session)
        assert codes(now[uri]) == ["unsupported"]
        session.change(code, (2, 8), (2, 9), "7")
        (folder / "src/retry.py").write_text(CODE.replace("3", "7"))
        session.save(code)
        assert (await shown_at_rest(session, now))[uri] == []


async def test_a_newer_save_ends_the_older_run(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    text = "".join(f"`LIMIT` is {number + 7} (`src/retry.py:3`).\n\n" for number in range(300))
    async with Session(folders=[folder], ignored=("$/progress",)) as session:
        await opened(session, uri, text)
        session.save(uri)
        await session.settled()
        session.change_all(uri, "`LIMIT` is 5 (`src/retry.py:3`).\n")
        session.save(uri)
        found = (await shown_at_rest(session))[uri]
        assert [each["message"].rpartition(": ")[2] for each in found] == ["the claim says 5, line 3 says LIMIT = 3"]
        assert session.discard("cite-lsp/status")[-1]["queued"] == 0


@pytest.mark.parametrize("run", ["manual", "off"])
async def test_saving_judges_nothing_where_it_should_not(folder: Path, run: str) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder], settings={"judge": {"run": run}}) as session:
        assert await opened(session, uri, "`LIMIT` is 7 (`src/retry.py:3`).\n") == []
        session.save(uri)
        assert await shown_at_rest(session) == {}


async def test_a_verdicts_code_can_be_switched_off_and_ignored(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    text = "`LIMIT` is 7 (`src/retry.py:3`).\n"
    async with Session(folders=[folder]) as session:
        session.open(uri, text)
        session.save(uri)
        now = await shown_at_rest(session)
        action = titled(await actions(session, uri, 0, 20), "Ignore unsupported here")
        session.change_all(uri, edited(text, action["edit"], uri))
        assert codes((await shown_at_rest(session, now))[uri]) == ["ignore-without-reason"]
        session.change_all(uri, text)
        session.save(uri)
        assert codes((await shown_at_rest(session, now))[uri]) == ["unsupported"]
        session.settings = {"rules": {"unsupported": "off"}}
        session.configure(None)
        assert (await shown_at_rest(session, now))[uri] == []


# --- request repair

BETTER = "".join(f"def step{number}(call):\n    call({number})\n\n\n" for number in range(9)) + "LIMIT = 3\n"


async def repairing(
    folder: Path, text: str, answers: Any, column: int = 18, **more: Any
) -> tuple[Editor, list[Any], list[str]]:
    """Ask for a repair; give the editor, what was asked, and what was said."""
    uri = (folder / "docs/a.md").as_uri()
    editor = Editor(uri, text)

    def answer(params: Any) -> Any:
        return answers(params, editor)

    both = {"workspace/applyEdit": editor.apply, "window/showMessageRequest": answer}
    async with Session(folders=[folder], answers=both, **more) as session:
        editor.session = session
        await opened(session, uri, text)
        argument = {"uri": uri, "range": range_of((0, column), (0, column))}
        outcome = await session.command("cite-lsp.server.requestRepair", argument)
        assert (outcome["written"] is None) is (outcome["reason"] != "") is (not outcome["applied"])
        await shown_at_rest(session)
        said = [params["message"] for params in session.discard("window/showMessage")]
        asked = [params for method, params in session.requests if method == "window/showMessageRequest"]
    return editor, asked, said


@pytest.mark.parametrize("choice", ["Apply", "Discard", None])
async def test_a_repair_is_shown_and_applied_when_chosen(folder: Path, choice: str | None) -> None:
    text = "See the `src/retry.py:7-99`.\n"
    editor, asked, said = await repairing(folder, text, lambda params, _: None if choice is None else {"title": choice})
    assert len(asked) == 1
    assert [each["title"] for each in asked[0]["actions"]] == ["Apply", "Discard"]
    assert asked[0]["message"] == "docs/a.md: src/retry.py:7-99 would become src/retry.py:7-8."
    assert editor.text == ("See the `src/retry.py:7-8`.\n" if choice == "Apply" else text)
    assert said == []


async def test_a_repair_of_a_claim_looks_for_lines_that_say_it(folder: Path) -> None:
    (folder / "src/better.py").write_text(BETTER)
    text = "`LIMIT` is 3 (`src/better.py:2`).\n"
    editor, asked, said = await repairing(folder, text, lambda params, _: {"title": "Apply"})
    assert said == []
    assert [each["title"] for each in asked[0]["actions"]] == ["Apply", "Discard"]
    assert "src/better.py:2 would become src/better.py:37. This is supported" in asked[0]["message"]
    assert editor.text == "`LIMIT` is 3 (`src/better.py:37`).\n"


async def test_a_document_that_changed_meanwhile_is_left_alone(folder: Path) -> None:
    text = "See the `src/retry.py:7-99`.\n"

    def answer(params: Any, editor: Editor) -> Any:
        assert editor.session is not None
        editor.text = "New. " + editor.text
        editor.session.change(editor.uri, (0, 0), (0, 0), "New. ")
        return {"title": "Apply"}

    editor, _, said = await repairing(folder, text, answer)
    assert editor.text == "New. See the `src/retry.py:7-99`.\n"
    assert said == ["cite-lsp: the document changed meanwhile, so nothing was applied; request the repair again"]


async def test_no_repair_says_so(folder: Path) -> None:
    for text, column in (("Bananas sing (`src/retry.py:1`).\n", 18), ("nothing here at all, no citation\n", 18)):
        editor, asked, said = await repairing(folder, text, lambda params, _: None, column)
        assert asked == []
        assert len(said) == 1
        assert "repair" in said[0]
        assert editor.text == text


async def test_an_action_asks_for_the_repair_of_what_is_unsupported(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, "`LIMIT` is 7 (`src/retry.py:3`).\n")
        session.save(uri)
        now = await shown_at_rest(session)
        action = titled(await actions(session, uri, 0, 20), "Request repair: look for lines that say this")
        assert action["diagnostics"] == now[uri]
        assert action["command"]["command"] == "cite-lsp.server.requestRepair"
        assert action["command"]["arguments"] == [{"uri": uri, "range": now[uri][0]["range"]}]


# --- status


async def test_status_says_what_there_is(folder: Path) -> None:
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder], ignored=("$/progress",)) as session:
        session.open(uri, "`LIMIT` is 7 (`src/retry.py:3`). `src/retry.py:99`\n\nBananas sing (`src/retry.py:1`).\n")
        session.open((folder / "src/retry.py").as_uri(), CODE, language="python")
        await shown_at_rest(session)
        before = session.discard("cite-lsp/status")
        assert before[-1] == {
            "documents": 1, "anchors": 3, "findings": 1, "judged": 0, "unchecked": 3, "queued": 0,
            "judge": "embedded/2", "requests": 0, "tokensIn": 0, "tokensOut": 0, "declined": 0,
            "indexing": False, "watching": "client", "lastError": None,
        }  # fmt: skip
        session.save(uri)
        await shown_at_rest(session)
        after = session.discard("cite-lsp/status")
        assert (after[-1]["judged"], after[-1]["unchecked"], after[-1]["findings"]) == (1, 2, 2)
        assert all(one != other for one, other in zip([*before, *after], [*before, *after][1:], strict=False))
        session.close(uri)
        await shown_at_rest(session)
        assert session.discard("cite-lsp/status")[-1]["documents"] == 0


# --- what is a document


async def test_records_are_told_softly(folder: Path) -> None:
    (folder / "docs/adr").mkdir()
    (folder / "cite-lsp.toml").write_text("")
    uri = (folder / "docs/adr/0001-pool.md").as_uri()
    text = "See `src/retry.py:99` and `src/retry.py:7-9`.\n"
    async with Session(folders=[folder], settings={"records": ["docs/adr/**"]}) as session:
        found = await opened(session, uri, text)
        assert {each["severity"] for each in found} == {3}
        assert all("it may have been right when it was written" in each["message"] for each in found)
        assert not any("isPreferred" in each for each in await actions(session, uri, 0, 30))
        assert await session.command("cite-lsp.server.fixAll", {"uri": uri}) == 0


async def test_what_is_no_document_is_told_nothing(folder: Path) -> None:
    git(folder, "init", "-q")
    (folder / ".gitignore").write_text("made/\n")
    (folder / "made").mkdir()
    (folder / "made/x.md").write_text("See `src/retry.py:99`.\n")
    async with Session(folders=[folder], settings={"files": {"exclude": ["docs/old/**"]}}) as session:
        for name in ("src/notes.py", "docs/old/x.md", "made/x.md", "docs/x.json"):
            uri = (folder / name).as_uri()
            assert await opened(session, uri, "See `src/retry.py:99`.\n") == []
            assert await session.request(HOVER, at(uri, 0, 8)) is None
            assert await session.request("textDocument/documentLink", {"textDocument": {"uri": uri}}) is None


@pytest.mark.parametrize(
    ("language", "checked"), [("markdown", True), ("restructuredtext", True), ("plaintext", True), ("python", False)]
)
async def test_untitled_documents_of_prose(folder: Path, language: str, checked: bool) -> None:
    uri = "untitled:Untitled-1"
    async with Session(folders=[folder]) as session:
        found = await opened(session, uri, "See src/retry.py:99 there.\n", language=language)
        assert codes(found) == (["line-out-of-range"] if checked else [])
        session.change(uri, (0, 0), (0, 22), "See src/retry.py:3 now")
        assert (await shown_at_rest(session)).get(uri, []) == []


async def test_several_folders_may_have_the_same_paths(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for root, lines in ((one, 2), (two, 5)):
        (root / "src").mkdir(parents=True)
        (root / "src/a.py").write_text("x = 1\n" * lines)
    async with Session(folders=[one, two]) as session:
        uris = [(root / "README.md").as_uri() for root in (one, two)]
        for uri in uris:
            session.open(uri, "See `src/a.py:4`.\n")
        now = await shown_at_rest(session)
        assert [codes(now[uri]) for uri in uris] == [["line-out-of-range"], []]
        (link,) = await session.request("textDocument/definition", at(uris[1], 0, 8))
        assert link["targetUri"] == (two / "src/a.py").as_uri()
        session.folders_changed(removed=[two])
        now = await shown_at_rest(session, now)
        assert [codes(now[uri]) for uri in uris] == [["line-out-of-range"], []]


async def test_folders_come_and_go(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "lib").mkdir(parents=True)
    (other / "lib/only.py").write_text("x = 1\n")
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder]) as session:
        now: dict[str, Any] = {}
        session.open(uri, "See `lib/only.py:1`.\n")
        first = codes((await shown_at_rest(session, now))[uri])
        assert first in (["missing"], ["elsewhere"])
        session.folders_changed(added=[other])
        assert (await shown_at_rest(session, now))[uri] == []
        session.folders_changed(removed=[other])
        assert codes((await shown_at_rest(session, now))[uri]) == first


async def test_a_file_appears_and_vanishes(folder: Path) -> None:
    uri, new = (folder / "docs/a.md").as_uri(), folder / "src/new.py"
    async with Session(folders=[folder]) as session:
        now: dict[str, Any] = {}
        session.open(uri, "See `src/new.py:1`.\n")
        assert codes((await shown_at_rest(session, now))[uri]) == ["missing"]
        new.write_text("x = 1\n")
        session.files_changed((new.as_uri(), 1))
        assert (await shown_at_rest(session, now))[uri] == []
        new.unlink()
        session.files_changed((new.as_uri(), 3))
        assert codes((await shown_at_rest(session, now))[uri]) == ["missing"]
        assert shown(session) == {}
