"""Completion in documents: what is offered where a citation is being typed, and what the text is once it is taken."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.document.columns import to_units
from tests.server.at_rest import opened, shown_at_rest
from tests.server.harness import CAPABILITIES, Session

RETRY = """\
export const LIMIT = 3;

/** Waits. */
export class Retry {
  delay(): number {
    return LIMIT;
  }
}
"""
CITED = "The limit stands in `src/retry.ts:1`.\n\n"
INVOKED, TRIGGERED, AGAIN = 1, 2, 3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in {
        "src/retry.ts": RETRY,
        "src/server/session.py": "class Session:\n    def close(self):\n        return None\n",
        "docs/a.md": "",
        "docs/b.md": "# B\n",
        "notes/my plan.md": "# Plan\n",
        "Makefile": "all:\n\techo\n",
        ".gitignore": "secret.py\n",
        "secret.py": "key = 1\n",
        "logo.png": "x",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


class Desk:
    """A document at which somebody types: `|` is where."""

    def __init__(self, session: Session, uri: str, encoding: str = "utf-16") -> None:
        self.session = session
        self.uri = uri
        self.encoding = encoding
        self.lines: list[str] = []
        self.line = 0

    async def offer(self, text: str, kind: int = INVOKED) -> dict[str, Any] | None:
        """What is offered; behind a trigger character the client says which."""
        before, _, after = text.partition("|")
        self.session.change_all(self.uri, before + after)
        self.lines, self.line = (before + after).split("\n"), before.count("\n")
        column = to_units(self.lines[self.line], len(before) - before.rfind("\n") - 1, self.encoding)  # type: ignore[arg-type]
        context = {"triggerKind": kind, **({"triggerCharacter": before[-1]} if kind == TRIGGERED else {})}
        params = {"textDocument": {"uri": self.uri}, "position": {"line": self.line, "character": column}}
        found: dict[str, Any] | None = await self.session.request(
            "textDocument/completion", {**params, "context": context}
        )
        return found

    async def labels(self, text: str, kind: int = INVOKED) -> list[str]:
        """The labels of what is offered, in the order in which a client shows them."""
        found = await self.offer(text, kind)
        items = found["items"] if found is not None else []
        assert [each["sortText"] for each in items] == sorted(each["sortText"] for each in items)
        return [each["label"] for each in items]

    async def take(self, text: str, label: str, kind: int = INVOKED, *, replace: bool = False) -> str:
        """The line once an item is taken."""
        found = await self.offer(text, kind)
        assert found is not None, text
        (item,) = [each for each in found["items"] if each["label"] == label]
        edit = item["textEdit"]
        where = edit.get("range") or edit["replace" if replace else "insert"]
        line = self.lines[self.line].encode(
            {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[self.encoding]
        )
        width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.encoding]
        assert where["start"]["line"] == where["end"]["line"] == self.line
        first, last = (where[end]["character"] * width for end in ("start", "end"))
        codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[self.encoding]
        typed = line[first:last].decode(codec)
        assert item.get("filterText", "") in (typed, "") or replace  # so the client keeps it
        return (line[:first] + edit["newText"].encode(codec) + line[last:]).decode(codec)


async def desk(session: Session, folder: Path, encoding: str = "utf-16") -> Desk:
    uri = (folder / "docs/a.md").as_uri()
    await opened(session, uri, CITED)
    return Desk(session, uri, encoding)


def able(**item: Any) -> dict[str, Any]:
    """A client's capabilities with other ones of completion."""
    text = {**CAPABILITIES["textDocument"], "completion": {"completionItem": item}}
    return {**CAPABILITIES, "textDocument": text}


# --- paths


async def test_paths_are_offered_where_a_citation_may_stand(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        for text in ("see `|", "see `|`", "[x](|)", "[x](<|>)", "see (|)", "see [|", "> `|", "- `|", "# `|"):
            labels = [each.removeprefix("../") for each in await at.labels(CITED + text)]
            assert {"src/retry.ts", "src/server/session.py", "Makefile"} <= set(labels), text
            assert not {"secret.py", "logo.png", "docs/a.md"} & set(labels), "ignored, no text, the document itself"
        assert await at.labels(CITED + "`sess|") == ["src/server/session.py"]
        assert (await at.labels(CITED + "src/|", TRIGGERED))[0] == "src/retry.ts"
        await shown_at_rest(session)


async def test_nothing_pops_up_where_nobody_wants_it(folder: Path) -> None:
    (folder / "and").mkdir()
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        for text in (
            "and/|", "either/or/|", "server/|", "`x`|", "`src/retry.ts`|", "```|", "``|", "- [|", "[|", "(|",
            "A sentence.|", "retry.|", "Note:|", "std::|", "https://host/src/|", "# |", "#|", "`nosuch.ts:|", "12:|",
            "```\nsrc/|\n```", "    src/|", "<!-- src/|", "text <!-- src/|", "`secret.py.|", "x=|", '"|', "{|",
        ):  # fmt: skip
            assert await at.offer(text, TRIGGERED) is None, text
        for text in ("retr|", "the|", "`--src|", "(zzz|", "`zzz|", ""):
            assert await at.offer(text + "" if "|" in text else text + "|", AGAIN) is None, text
        await shown_at_rest(session)


async def test_behind_a_bracket_in_prose_only_what_the_document_cites_pops_up(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        assert await at.labels(CITED + "It waits (|", TRIGGERED) == ["src/retry.ts"]
        assert await at.labels(CITED + "It waits (ret|", AGAIN) == ["src/retry.ts"]
        assert await at.labels(CITED + "It waits (ses|", AGAIN) == []
        assert await at.labels(CITED + "It waits (ses|") == ["src/server/session.py"]
        await shown_at_rest(session)


async def test_nothing_pops_up_in_a_sentence(folder: Path) -> None:
    """Neither where the client says that a letter was typed nor where it says, of the same, that it was asked to."""
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        for text in (
            "or /|", "smile :) ;/|", "/|", "![|", "close(|", "items[|", "fix(|", "[Note]:|", "In retry.ts:|", "`key=|",
            '`"|', "`x = {|", "`src/retry.ts` (see `{|",
        ):  # fmt: skip
            assert await at.offer(CITED + text, TRIGGERED) is None, text
        for text in ("It waits (s|", "It waits (se|", "src/retry.ts:1, r|", "src/retry.ts#L1-L2; retr|", "![src|"):
            for kind in (AGAIN, INVOKED):
                labels = await at.labels(CITED + text, kind)
                assert set(labels) <= {"src/retry.ts"}, (text, kind)
                assert not labels or "(" in text, (text, kind)
        assert await at.labels(CITED + "/|")
        assert await at.labels(CITED + "src/retry.ts:|", TRIGGERED)
        assert await at.labels(CITED + "`retry.ts:|", TRIGGERED)
        assert await at.labels(CITED + "[r]: |")
        await shown_at_rest(session)


async def test_a_path_that_is_cited_again_and_again_is_offered_once(folder: Path) -> None:
    often = "# H\n\nIt stands in `src/retry.ts:1`.\n\n" * 200 + "It stands in `src/server/session.py:1`.\n\n"
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        labels = ["src/retry.ts", "src/server/session.py"]
        assert await at.labels(often + "It waits (|", TRIGGERED) == labels, "those that are cited most come first"
        assert len(session.server.session.find(at.uri).checks.pieces) > 3
        found = await at.labels(often + "`|", TRIGGERED)
        assert sorted(set(found)) == sorted(found)
        assert set(labels) <= set(found)
        await shown_at_rest(session)


async def test_a_path_that_is_finished_closes_the_list(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        assert await at.offer("see src/retry.ts|", AGAIN) is None
        assert await at.offer("see src/retry.ts:1|", AGAIN) is None
        assert await at.labels("see src/retry.ts|") == ["src/retry.ts"]
        await shown_at_rest(session)


async def test_near_ones_come_first_then_those_that_are_cited(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        found = await at.offer(CITED + "`|")
        assert found is not None
        assert found["isIncomplete"] is True
        assert [each["label"] for each in found["items"]][:2] == ["docs/b.md", "src/retry.ts"]
        assert found["items"][1]["labelDetails"] == {"description": "cited here"}
        assert [each["kind"] for each in found["items"]] == [17] * len(found["items"])
        await shown_at_rest(session)


async def test_what_is_typed_is_replaced_and_nothing_else(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        for text, label, wanted in (
            ("see `ret|` now", "src/retry.ts", "see `src/retry.ts` now"),
            ("see `src/r|` now", "src/retry.ts", "see `src/retry.ts` now"),
            ("`grep x sr|`", "src/retry.ts", "`grep x src/retry.ts`"),
            ("see src/r| now", "src/retry.ts", "see src/retry.ts now"),
            ("(src/r|)", "src/retry.ts", "(src/retry.ts)"),
            ("`../src/r|`", "../src/retry.ts", "`../src/retry.ts`"),
            ("`./|`", "./b.md", "`./b.md`"),
            ("`/src/|`", "/src/retry.ts", "`/src/retry.ts`"),
            (r"`src\r|`", "src/retry.ts", "`src/retry.ts`"),
            ("[x](|)", "../src/retry.ts", "[x](../src/retry.ts)"),
            ("[x](src/r|)", "src/retry.ts", "[x](src/retry.ts)"),
            ("[x](|)", "../notes/my plan.md", "[x](../notes/my%20plan.md)"),
            ("[x](../notes/my%20p|)", "../notes/my plan.md", "[x](../notes/my%20plan.md)"),
            ("[x](<../notes/my p|>)", "../notes/my plan.md", "[x](<../notes/my plan.md>)"),
            ("`plan|`", "notes/my plan.md", "`notes/my plan.md`"),
            ("äö 😀 `src/r| 😀", "src/retry.ts", "äö 😀 `src/retry.ts 😀"),
            ("[x]: ../src/r|", "../src/retry.ts", "[x]: ../src/retry.ts"),
        ):
            assert await at.take(text, label) == wanted
        await shown_at_rest(session)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_places_are_in_the_clients_units(folder: Path, encoding: str) -> None:
    capabilities = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    async with Session(folders=[folder], capabilities=capabilities) as session:
        at = await desk(session, folder, encoding)
        assert await at.take("äö 😀 `src/r| 😀`", "src/retry.ts") == "äö 😀 `src/retry.ts 😀`"
        assert await at.take("\ufeffä 😀 `src/r|", "src/retry.ts") == "\ufeffä 😀 `src/retry.ts"
        assert await at.take("ä\r\n😀 `src/retry.ts:R|`", "Retry") == "😀 `src/retry.ts:4-8`"
        await shown_at_rest(session)


async def test_behind_the_place_is_replaced_only_where_the_client_asks_which(folder: Path) -> None:
    text = "`src/re|try.ts:1`"
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        assert await at.take(text, "src/retry.ts", replace=True) == "`src/retry.ts:1`"
        assert await at.take(text, "src/retry.ts") == "`src/retry.tstry.ts:1`"
        assert await at.take("`src/retry.ts:1|-7`", "1", replace=True) == "`src/retry.ts:1`"
        await shown_at_rest(session)
    async with Session(folders=[folder], capabilities=able()) as session:
        at = await desk(session, folder)
        found = await at.offer(text)
        assert found is not None
        assert set(found["items"][0]["textEdit"]) == {"range", "newText"}
        await shown_at_rest(session)


async def test_several_roots(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    for path in ("src/retry.ts", "src/remote.ts"):
        (other / path).parent.mkdir(exist_ok=True)
        (other / path).write_text("x\n")
    async with Session(folders=[folder, other]) as session:
        at = await desk(session, folder)
        assert (await at.labels("`src/re|"))[:2] == ["src/retry.ts", "src/remote.ts"]
        assert "../src/remote.ts" not in await at.labels("`../src/re|")
        assert await at.labels("`src/remote.ts:|") == ["1"]
        await shown_at_rest(session)


async def test_while_files_are_listed_what_is_known_is_offered(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        uri = (folder / "docs/a.md").as_uri()
        session.open(uri, CITED + "`src/")  # nothing is listed yet
        assert session.server.session is None or not session.server.session.workspace.complete
        params = {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 5}}
        found = await session.request("textDocument/completion", params)
        assert found["isIncomplete"] is True
        assert {each["label"] for each in found["items"]} <= {"src/retry.ts", "src/server/session.py"}
        await shown_at_rest(session)


async def test_a_file_that_appears_is_offered_and_one_that_is_gone_is_not(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        (folder / "src/fresh.ts").write_text("x\n")
        (folder / "src/retry.ts").unlink()
        session.files_changed(((folder / "src/fresh.ts").as_uri(), 1), ((folder / "src/retry.ts").as_uri(), 3))
        await shown_at_rest(session)
        assert await at.labels("`src/|") == ["src/fresh.ts", "src/server/session.py"]
        await shown_at_rest(session)


async def test_it_is_switched_off_at_once(folder: Path) -> None:
    async with Session(folders=[folder], options={"server": {"completion": False}}, settings=None) as session:
        at = await desk(session, folder)
        assert await at.offer("`src/|") is None
        await shown_at_rest(session)


# --- lines and names


async def test_a_name_stands_for_its_lines(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        for text, label, wanted in (
            ("`src/retry.ts:|`", "Retry", "`src/retry.ts:4-8`"),
            ("`src/retry.ts:|`", "1", "`src/retry.ts:1`"),
            ("`src/retry.ts:del|`", "delay", "`src/retry.ts:5-7`"),
            ("`retry.ts:5-|`", "7", "`retry.ts:5-7`"),
            ("see src/retry.ts:|", "Retry", "see src/retry.ts:4-8"),
            ("[x](../src/retry.ts#|)", "Retry", "[x](../src/retry.ts#L4-L8)"),
            ("[x](../src/retry.ts#L|)", "Retry", "[x](../src/retry.ts#L4-L8)"),
            ("[x](../src/retry.ts#L5-L|)", "7", "[x](../src/retry.ts#L5-L7)"),
            ("[x](../src/retry.ts#L5-|)", "7", "[x](../src/retry.ts#L5-L7)"),
            ("`src/retry.ts:1` and `:|`", "Retry", "`src/retry.ts:1` and `:4-8`"),
            ("`Makefile:|`", "all", "`Makefile:1-2`"),
            ("[x](../notes/my%20plan.md:|)", "Plan", "[x](../notes/my%20plan.md:1)"),
        ):
            assert await at.take(text, label) == wanted
        await shown_at_rest(session)


async def test_names_with_kind_and_lines_then_the_lines_with_their_text(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        found = await at.offer("`src/retry.ts:|", TRIGGERED)
        assert found is not None
        shown = [(each["label"], each["kind"], each["labelDetails"]) for each in found["items"][:3]]
        assert shown == [
            ("Retry", 7, {"detail": " 4-8"}),
            ("delay", 2, {"detail": " 5-7", "description": "Retry"}),
            ("1", 1, {"description": "export const LIMIT = 3;"}),
        ]
        await shown_at_rest(session)


async def test_unsaved_text_counts(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        code = (folder / "src/retry.ts").as_uri()
        session.open(code, "// new\n" + RETRY, language="typescript")
        assert await at.take("`src/retry.ts:Ret|`", "Retry") == "`src/retry.ts:5-9`"
        session.change(code, (0, 0), (1, 0), "")
        assert await at.take("`src/retry.ts:Ret|`", "Retry") == "`src/retry.ts:4-8`"
        session.close(code)
        await shown_at_rest(session)


# --- what the client can


async def test_a_client_that_says_nothing_gets_the_plain_form(folder: Path) -> None:
    async with Session(folders=[folder], capabilities=able()) as session:
        at = await desk(session, folder)
        for text in (CITED + "`|", "`src/retry.ts:|"):
            found = await at.offer(text)
            assert found is not None
            for item in found["items"]:
                assert set(item) <= {"label", "kind", "sortText", "filterText", "textEdit", "detail"}
                assert item["kind"] <= 18
        assert found is not None
        assert [each["detail"] for each in found["items"][:3]] == ["4-8", "5-7 · Retry", "export const LIMIT = 3;"]
        await shown_at_rest(session)


@pytest.mark.parametrize("formats", [["markdown"], ["plaintext"]])
async def test_the_lines_are_shown_when_an_item_is_looked_at(folder: Path, formats: list[str]) -> None:
    capabilities = able(documentationFormat=formats, resolveSupport={"properties": ["documentation"]})
    async with Session(folders=[folder], capabilities=capabilities) as session:
        at = await desk(session, folder)
        found = await at.offer("`src/retry.ts:delay|")
        assert found is not None
        assert "documentation" not in found["items"][0]
        resolved = await session.request("completionItem/resolve", found["items"][0])
        assert {name: value for name, value in resolved.items() if name != "documentation"} == found["items"][0]
        text = " 5    delay(): number {\n 6      return LIMIT;\n 7    }"
        value = f"```typescript\n{text}\n```" if formats == ["markdown"] else text
        assert resolved["documentation"] == {"kind": formats[0], "value": value}
        found = await at.offer("`src/ret|")
        assert found is not None
        resolved = await session.request("completionItem/resolve", found["items"][0])
        assert "LIMIT = 3" in resolved["documentation"]["value"]
        outside = {**found["items"][0], "data": {"path": "/etc/passwd", "first": 1, "last": 3}}
        for data in (outside["data"], {"path": 3}, {}, None, [1]):
            resolved = await session.request("completionItem/resolve", {**outside, "data": data})
            assert "documentation" not in resolved, data
        await shown_at_rest(session)


def _positions(text: str) -> Iterator[dict[str, int]]:
    for line, content in enumerate(text.split("\n")):
        for column in range(len(content) + 3):
            yield {"line": line, "character": column}
    yield {"line": 999, "character": 999}


async def test_it_can_be_asked_anywhere(folder: Path) -> None:
    text = "---\na: `src/\n---\n# `src/\n\n😀 [x](../src/retry.ts#L1-L2) `a.b:3`, `:4\n\n```\nsrc/\n```\n| `s` | b:1 |"
    async with Session(folders=[folder]) as session:
        at = await desk(session, folder)
        session.change_all(at.uri, text)
        for position in _positions(text):
            await session.request("textDocument/completion", {"textDocument": {"uri": at.uri}, "position": position})
        for other in ((folder / "src/retry.ts").as_uri(), "untitled:x", (folder / "none.md").as_uri()):
            params = {"textDocument": {"uri": other}, "position": {"line": 0, "character": 0}}
            assert await session.request("textDocument/completion", params) is None
        await shown_at_rest(session)
