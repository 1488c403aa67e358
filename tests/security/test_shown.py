"""What a judge says and what files hold reaches an editor as data: no link to follow, no mark-up, no HTML."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from markdown_it import MarkdownIt

from tests.clients.scripted import Request, ScriptedServer, by_request, reply_for
from tests.server.at_rest import shown_at_rest
from tests.server.harness import CAPABILITIES, Session, at
from tests.server.judged import choose, rows_in

READER = MarkdownIt("gfm-like", {"linkify": False, "html": True})

REASONS = (
    "No. [here](http://e.example/a) <http://e.example/b> http://e.example/c www.e.example me@e.example",
    "![p](http://e.example/q) <img src=x onerror=alert(1)> <script>alert(2)</script> [l](javascript:alert(3))",
    "# Heading\n\n- item\n1. item\n\n> quote\n\n| a | b |\n|---|---|\n| c | d |\n\n---\n\n```\nfence\n```",
    "`code` **strong** _em_ ~~gone~~ &amp; &#91;x&#93;(http://e.example) \\[y\\](http://e.example)",
    "[a]: http://e.example/ref\n\n[a] and [b][a] and command:workbench.action.terminal.new",
    "[run](command:workbench.action.terminal.new?%5B%5D) [f](file:///etc/passwd) [v](vscode://x/y)",
)
LINES = (
    "```\n</pre><script>alert(2)</script>\n`````` [a](http://e.example)\n",
    "~~~\n[run](command:workbench.action.terminal.new)\n~~~~\n",
    "<!-- [a](http://e.example) -->\n<img src=x onerror=alert(4)>\n```` `x`\n",
)


def tokens(markdown: str) -> Iterator[Any]:
    """All tokens, those within lines too."""
    for token in READER.parse(markdown):
        yield token
        yield from token.children or ()


def hostile(reason: str) -> ScriptedServer:
    """A judge that cannot tell, or misses something, for this reason."""

    def answer(request: Request) -> str:
        return orjson.dumps({"results": [entry(number, lines) for number, lines in rows_in(request).items()]}).decode()

    def entry(number: int, lines: list[str]) -> dict[str, object]:
        claim = next(line for line in lines if line.startswith("claim| "))
        label, missing = ("partial", reason) if " 6 " in claim else ("cannot_tell", "")
        quote = next(line.partition("| ")[2] for line in lines if line.startswith("L2| "))
        return {"id": number, "reason": reason, "quote": quote, "missing": missing, "label": label}

    return ScriptedServer(by_request(lambda request: reply_for("openai", answer(request), (10, 10))))


@pytest.mark.parametrize("reason", REASONS, ids=range(len(REASONS)))
async def test_a_reason_is_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    for number, lines in enumerate(LINES):
        (folder / f"h{number}.md").write_text(lines)
    text = "".join(f"The limit of retries is {number + 5} (`h{number}.md:1-3`).\n\n" for number in range(len(LINES)))
    (folder / "a.md").write_text(text)
    uri = (folder / "a.md").as_uri()
    ignored = ("cite-lsp/status", "window/showMessage", "$/progress")
    with hostile(reason) as server:
        choose(monkeypatch, server, tmp_path / "cache")
        async with Session(folders=[folder], ignored=ignored) as session:
            session.open(uri, text)
            session.save(uri)
            shown = await shown_at_rest(session)
            hovers = [await session.request("textDocument/hover", at(uri, 2 * each, 30)) for each in range(len(LINES))]
    word = max(re.findall(r"\w+", reason), key=len)
    for hover in hovers:
        assert word in hover["contents"]["value"], "the judge was heard"
    for each in shown[uri]:
        assert "codeDescription" not in each
        assert "href" not in each
    for number, hover in enumerate(hovers):
        value = hover["contents"]["value"]
        found = list(tokens(value))
        assert not {token.type for token in found} & {
            "html_block",
            "html_inline",
            "link_open",
            "image",
            "heading_open",
            "table_open",
            "bullet_list_open",
            "ordered_list_open",
            "blockquote_open",
        }, value
        fences = [token for token in found if token.type == "fence"]
        assert len(fences) == 1, value
        assert all(line in fences[0].content for line in LINES[number].splitlines())
        outside = value.replace(fences[0].content, "")
        for scheme in ("http://", "https://", "www.", "command:", "javascript:", "vscode:", "mailto:"):
            bare = [token for token in found if token.type == "text" and scheme in token.content]
            assert not bare or scheme in ("command:", "javascript:", "vscode:"), outside


async def test_a_client_of_plain_text_gets_no_escapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "h.md").write_text(LINES[0])
    (folder / "a.md").write_text(text := "The limit of retries is 5 (`h.md:1-3`).\n")
    capabilities = json.loads(json.dumps(CAPABILITIES))
    capabilities["textDocument"]["hover"] = {"contentFormat": ["plaintext"]}
    uri = (folder / "a.md").as_uri()
    with hostile("No `code` [x](y).") as server:
        choose(monkeypatch, server, tmp_path / "cache")
        ignored = ("cite-lsp/status", "window/showMessage", "$/progress")
        async with Session(folders=[folder], capabilities=capabilities, ignored=ignored) as session:
            session.open(uri, text)
            session.save(uri)
            await shown_at_rest(session)
            hover = await session.request("textDocument/hover", at(uri, 0, 30))
    assert hover["contents"]["kind"] == "plaintext"
    assert "No `code` [x](y)." in hover["contents"]["value"]
