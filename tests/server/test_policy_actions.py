"""What can be done about findings of policies: a comment beside the passage, or a rule of the project."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.systemone_server import SystemOne, rule, serving
from tests.server.at_rest import codes, shown_at_rest
from tests.server.harness import CAPABILITIES, Session, range_of
from tests.server.living import apply_edits

ACTIONS = "textDocument/codeAction"
POLICY = """\
passages = "{passages}"
retries = 0

[[concern]]
name = "riddle"

[concern.detect]
question = "Does {{passage}} pose a riddle?"
yes = "A question asked to be puzzled over."
no = "A plain question, a statement, or a remark."
"""
CODE = "policy:style/riddle"
IGNORE = f"<!-- cite-lsp: ignore {CODE} -->"
ALONE = '[judge]\nrun = "manual"\n'

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "policies").mkdir(parents=True)
    asks(folder, "sentences")
    (folder / "cite-lsp.toml").write_text(ALONE)
    subprocess.run(["git", "-C", str(folder), "init", "-q"], check=True)
    subprocess.run(["git", "-C", str(folder), "add", "."], check=True)
    return folder


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SystemOne]:
    with serving(rule(0.9, text="riddle"), default=0.1) as server:
        chosen = {"JUDGE_NAME": "decision", "JUDGE_BASE_URL": server.url, "CACHE_PATH": str(tmp_path / "cache")}
        for name, value in {**chosen, "POLICIES_RUN": "save"}.items():
            monkeypatch.setenv(f"CITE_LSP_{name}", value)
        yield server


def asks(folder: Path, passages: str, more: str = "") -> None:
    (folder / "policies" / "style.toml").write_text(more + POLICY.format(passages=passages))


def write(path: Path, text: str) -> None:
    path.write_text(text)


async def found_in(session: Session, path: Path, text: str, language: str = "markdown") -> list[dict[str, Any]]:
    """Open and save a file, and give its findings."""
    write(path, text)
    session.open(path.as_uri(), text, language=language)
    session.save(path.as_uri())
    return (await shown_at_rest(session))[path.as_uri()]


async def offered(session: Session, path: Path, found: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    where = more.get("where", range_of(*[(found["range"]["start"]["line"], found["range"]["start"]["character"])] * 2))
    params = {"textDocument": {"uri": path.as_uri()}, "range": where, "context": {"diagnostics": []}}
    answer: list[dict[str, Any]] | None = await session.request(ACTIONS, params)
    return answer or []


def titles(actions: list[dict[str, Any]]) -> list[str]:
    return [each["title"] for each in actions]


IGNORED = {
    "end": ("sentences", "a.md", "It is late. A riddle. So.\n", f"It is late. A riddle. So. {IGNORE}\n"),
    "two-lines": ("sentences", "a.md", "A riddle\nof two lines.\n", f"{IGNORE}\nA riddle\nof two lines.\n"),
    "behind": ("sentences", "a.md", "Late. A riddle\nends. So.\n", f"Late. {IGNORE} A riddle\nends. So.\n"),
    "quote": ("sentences", "a.md", "> A riddle\r\n> ends.\r\n", f"> {IGNORE}\r\n> A riddle\r\n> ends.\r\n"),
    "paragraph": ("paragraphs", "a.md", "\nA riddle\nends. So.\n", f"\n{IGNORE}\nA riddle\nends. So.\n"),
    "section": ("sections", "a.md", "# A\nSo.\n# B\nA riddle.\n", f"# A\nSo.\n{IGNORE}\n# B\nA riddle.\n"),
    "item": ("sentences", "a.md", "- 😀 A riddle.\n- So.\n", f"- 😀 A riddle. {IGNORE}\n- So.\n"),
    "adoc": (
        "sentences",
        "a.adoc",
        "= T\n\nA riddle\nends.\n",
        f"= T\n\n// cite-lsp: ignore {CODE}\nA riddle\nends.\n",
    ),
    "mdx": (
        "sentences",
        "a.mdx",
        "A riddle\nends.\n",
        f"{{/* cite-lsp: ignore {CODE} */}}\nA riddle\nends.\n",
    ),
}


@pytest.mark.parametrize("name", IGNORED)
async def test_ignore_here_silences_it_and_has_nothing_asked_again(folder: Path, model: SystemOne, name: str) -> None:
    passages, file, text, wanted = IGNORED[name]
    asks(folder, passages)
    path = folder / file
    async with Session(folders=[folder]) as session:
        (found,) = await found_in(session, path, text)
        action = (await offered(session, path, found))[0]
        assert action["title"] == f"Ignore {CODE} here"
        assert action["diagnostics"] == [found]
        (change,) = action["edit"]["documentChanges"]
        made = apply_edits(text, change["edits"], "utf-16")
        assert made == wanted
        asked = model.counts()["requests"]
        for edit in change["edits"]:
            start, end = ((edit["range"][each]["line"], edit["range"][each]["character"]) for each in ("start", "end"))
            session.change(path.as_uri(), start, end, edit["newText"])
        assert codes((await shown_at_rest(session))[path.as_uri()]) == ["ignore-without-reason"]
        session.save(path.as_uri())
        now = (await shown_at_rest(session)).get(path.as_uri())
        assert now is None or codes(now) == ["ignore-without-reason"]
        assert model.counts()["requests"] == asked
        actions = await offered(session, path, found)
        assert not any(CODE in title for title in titles(actions)), "what is silenced is not offered"


@pytest.mark.parametrize(
    ("passages", "text", "wanted"),
    [
        ("sentences", "So it is.\nA riddle\nends.\n", f"So it is.\nA riddle {IGNORE}\nends.\n"),
        ("sentences", "- A riddle\n  ends.\n", f"- A riddle {IGNORE}\n  ends.\n"),
        (
            "sentences",
            "| a | b |\n|---|---|\n| a | riddle |\n",
            f"| a | b |\n|---|---|\n| a | riddle {IGNORE} |\n",
        ),
    ],
)
async def test_where_a_comment_has_to_stand_within_the_passage_it_is_asked_about_again(
    folder: Path, model: SystemOne, passages: str, text: str, wanted: str
) -> None:
    asks(folder, passages)
    path = folder / "a.md"
    async with Session(folders=[folder]) as session:
        (found,) = await found_in(session, path, text)
        (change,) = (await offered(session, path, found))[0]["edit"]["documentChanges"]
        made = apply_edits(text, change["edits"], "utf-16")
        assert made == wanted
        session.change_all(path.as_uri(), made)
        session.save(path.as_uri())
        assert codes((await shown_at_rest(session))[path.as_uri()]) == ["ignore-without-reason"]


async def test_switched_off_in_the_project_it_is_gone(folder: Path, model: SystemOne) -> None:
    path = folder / "a.md"
    text = "A riddle.\n\nNo joke.\n\nOne more riddle.\n"
    async with Session(folders=[folder]) as session:
        found = await found_in(session, path, text)
        everywhere = range_of((0, 0), (4, 3))
        actions = await offered(session, path, found[0], where=everywhere)
        switch = f"Switch {CODE} off in this project (cite-lsp.toml)"
        assert titles(actions) == [f"Ignore {CODE} here"] * 2 + [switch]
        assert actions[2]["diagnostics"] == found
        (change,) = actions[2]["edit"]["documentChanges"]
        settings = folder / "cite-lsp.toml"
        assert change["textDocument"] == {"uri": settings.as_uri(), "version": None}
        made = apply_edits(ALONE, change["edits"], "utf-16")
        assert made == f'{ALONE}\n[rules]\n"{CODE}" = "off"\n'
        settings.write_text(made)
        session.files_changed((settings.as_uri(), 2))
        assert (await shown_at_rest(session))[path.as_uri()] == []
        assert await offered(session, path, found[0], where=everywhere) == []


async def test_a_client_without_versioned_edits_switches_it_off_where_there_is_a_settings_file(
    folder: Path, model: SystemOne
) -> None:
    workspace = {**CAPABILITIES["workspace"], "workspaceEdit": {"resourceOperations": ["create"]}}
    path, settings = folder / "a.md", folder / "cite-lsp.toml"
    async with Session(folders=[folder], capabilities={**CAPABILITIES, "workspace": workspace}) as session:
        (found,) = await found_in(session, path, "A riddle.\n")
        ignore, switch = await offered(session, path, found)
        assert list(ignore["edit"]["changes"]) == [path.as_uri()]
        (edits,) = switch["edit"]["changes"].values()
        assert apply_edits(ALONE, edits, "utf-16").endswith(f'[rules]\n"{CODE}" = "off"\n')
        assert list(switch["edit"]["changes"]) == [settings.as_uri()]


async def test_elsewhere_nothing_is_offered_nor_still_right_anywhere(folder: Path, model: SystemOne) -> None:
    path = folder / "a.md"
    async with Session(folders=[folder]) as session:
        (found,) = await found_in(session, path, "A riddle.\n\nNo joke.\n")
        assert not any("Still right" in title for title in titles(await offered(session, path, found)))
        assert await offered(session, path, found, where=range_of((2, 0), (2, 3))) == []
        params = {
            "textDocument": {"uri": path.as_uri()},
            "range": found["range"],
            "context": {"diagnostics": [], "only": ["source.fixAll"]},
        }
        assert await session.request(ACTIONS, params) == []


async def test_in_a_file_that_is_no_document_it_can_be_switched_off_only(folder: Path, model: SystemOne) -> None:
    asks(folder, "log-lines", 'applies_to = ["*.log"]\n')
    path = folder / "run.log"
    text = "2026-01-02 10:00:00 INFO started\n2026-01-02 10:00:05 ERROR a riddle\n"
    async with Session(folders=[folder]) as session:
        (found,) = await found_in(session, path, text, "log")
        (action,) = await offered(session, path, found)
        assert action["title"] == f"Switch {CODE} off in this project (cite-lsp.toml)"
        assert action["diagnostics"] == [found]
        assert await offered(session, path, found, where=range_of((0, 0), (0, 3))) == []


async def test_without_a_settings_file_one_is_made(folder: Path, model: SystemOne) -> None:
    (folder / "cite-lsp.toml").unlink()
    path = folder / "a.md"
    async with Session(folders=[folder], settings={"judge": {"run": "manual"}}) as session:
        (found,) = await found_in(session, path, "A riddle.\n")
        created, change = (await offered(session, path, found))[1]["edit"]["documentChanges"]
        assert (created["kind"], created["uri"]) == ("create", (folder / "cite-lsp.toml").as_uri())
        assert [each["newText"] for each in change["edits"]] == [f'[rules]\n"{CODE}" = "off"\n']


async def test_a_client_that_takes_no_edits_is_offered_none(folder: Path, model: SystemOne) -> None:
    plain = {**CAPABILITIES["textDocument"], "codeAction": {}}
    path = folder / "a.md"
    async with Session(folders=[folder], capabilities={**CAPABILITIES, "textDocument": plain}) as session:
        (found,) = await found_in(session, path, "A riddle.\n")
        assert await offered(session, path, found) == []
