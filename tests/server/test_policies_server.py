"""Policies in the editor: whom they are asked of and when, where findings stand, and what is said where that fails."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cite_lsp.policy.files import read_policy
from cite_lsp.policy.hashes import wording_hash
from tests.clients.scripted import Request, ScriptedServer, Step, by_request, reply_for
from tests.clients.systemone_server import (
    SystemOne,
    failing,
    hang,
    late,
    malformed,
    missing,
    rule,
    serving,
)
from tests.server.at_rest import POPUP, codes, opened, popups, rest, shown_at_rest, status
from tests.server.harness import CAPABILITIES, IGNORED, ErrorAnswerError, Session, at

COMMAND = "cite-lsp.server.runPolicies"
CLEAR = "cite-lsp.server.clearCache"

STYLE = """\
summary = "how we write"
passages = "sentences"
retries = 0

[[concern]]
name = "riddle"
message = "{category}: {passage}"

[concern.detect]
question = "Does {passage} pose a riddle?"
yes = "A question asked to be puzzled over."
no = "A plain question, a statement, or a remark."
"""
CODE = "policy:style/riddle"
OUTAGE = "policy:logs/outage"
ALONE = '[judge]\nrun = "manual"\n'
"""Settings of a project in which saving has nobody asked about citations."""

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "policies").mkdir(parents=True)
    (folder / "policies" / "style.toml").write_text(STYLE)
    (folder / "cite-lsp.toml").write_text(ALONE)
    subprocess.run(["git", "-C", str(folder), "init", "-q"], check=True)
    track(folder)
    return folder


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SystemOne]:
    """A user whose environment names the scripted model as the judge, and has policies run on save."""
    with serving(rule(0.9, text="keys|riddle"), rule(0.5, text="perhaps"), default=0.1) as server:
        chosen = {
            "JUDGE_NAME": "decision",
            "JUDGE_BASE_URL": server.url,
            "CACHE_PATH": str(tmp_path / "cache"),
            "POLICIES_RUN": "save",
        }
        for name, value in chosen.items():
            monkeypatch.setenv(f"CITE_LSP_{name}", value)
        yield server


def written(folder: Path, text: str, name: str = "a.md") -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path.as_uri()


def track(folder: Path) -> None:
    subprocess.run(["git", "-C", str(folder), "add", "."], check=True)


TEXT = "The shop shuts at six.\n\nWhat has keys and opens no door? It is late.\n"


async def test_saving_tells_what_was_found_at_its_passage(folder: Path, model: SystemOne) -> None:
    uri = written(folder, TEXT)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        assert model.counts()["requests"] == 0
        session.save(uri)
        (found,) = (await shown_at_rest(session))[uri]
        assert found == {
            "range": {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 32}},
            "severity": 2,
            "code": CODE,
            "source": "cite-lsp",
            "message": "riddle: What has keys and opens no door?",
        }
        assert model.counts()["requests"] == 2
        assert status(session)["policies"] == {"passages": 3, "unchecked": 0, "why": None}
        session.save(uri)
        assert await shown_at_rest(session) == {uri: [found]}
        assert model.counts()["requests"] == 2


# --- when, and who


def loaded_after_a_save(folder: Path) -> list[str]:
    """The modules that a server has loaded which had a document opened and saved."""
    uri = written(folder, TEXT)
    code = f"""
import asyncio, sys
from pathlib import Path
from tests.server.at_rest import shown_at_rest
from tests.server.harness import Session

async def main():
    ignored = ("window/showMessage", "$/progress", "cite-lsp/status")
    async with Session(folders=[Path({str(folder)!r})], ignored=ignored) as session:
        session.open({uri!r}, {TEXT!r})
        session.save({uri!r})
        await shown_at_rest(session)
        print("\\n".join(sys.modules))

asyncio.run(main())
"""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_a_session_loads_nothing_of_policies_before_one_is_wanted(folder: Path) -> None:
    """Not even by saving, where the user has not asked for more."""
    names = ("httpx", "sqlite3", "cite_lsp.judges.policies", "cite_lsp.findings.policing")
    rooms = ("cite_lsp.policy", "cite_lsp.clients")
    assert [each for each in loaded_after_a_save(folder) if each in names or each.startswith(rooms)] == []


async def test_without_the_users_word_saving_asks_nobody(
    folder: Path, model: SystemOne, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITE_LSP_POLICIES_RUN")
    uri = written(folder, TEXT)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        assert await shown_at_rest(session) == {}
        assert "policies" not in status(session)
        assert popups(session) == []
    assert model.counts()["connections"] == 0


async def test_a_project_cannot_have_policies_run_on_save(
    folder: Path, model: SystemOne, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITE_LSP_POLICIES_RUN")
    (folder / "cite-lsp.toml").write_text(f'{ALONE}[policies]\nrun = "save"\n')
    uri = written(folder, TEXT)
    async with Session(folders=[folder], settings={"policies": {"run": "save"}}) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        await shown_at_rest(session)
        (said,) = popups(session)
        assert "editor: policies.run: this is the user's own setting and is not read from here" in said
    assert model.counts()["connections"] == 0


async def test_a_project_may_keep_to_running_them_by_hand(
    folder: Path, model: SystemOne, monkeypatch: pytest.MonkeyPatch, person: Path
) -> None:
    monkeypatch.delenv("CITE_LSP_POLICIES_RUN")
    (person / ".config" / "cite-lsp").mkdir(parents=True)
    (person / ".config" / "cite-lsp" / "cite-lsp.toml").write_text('[policies]\nrun = "save"\n')
    (folder / "cite-lsp.toml").write_text(f'{ALONE}[policies]\nrun = "manual"\n')
    uri = written(folder, TEXT)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        assert await shown_at_rest(session) == {}
    assert model.counts()["connections"] == 0


@pytest.mark.parametrize("by", ["options", "setting"])
async def test_in_an_untrusted_workspace_nobody_is_asked(
    folder: Path, model: SystemOne, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    if by == "setting":
        monkeypatch.setenv("CITE_LSP_SERVER_TRUSTED", "false")
    uri = written(folder, TEXT)
    async with Session(folders=[folder], options={"trusted": False} if by == "options" else None) as session:
        await opened(session, uri, TEXT)
        for _ in range(2):
            session.save(uri)
            assert await shown_at_rest(session) == {uri: []}
        (message,) = popups(session)
        assert message == (
            "cite-lsp: this workspace is not trusted, so the judge decision is not asked and nothing is sent;"
            " 3 passages were not checked"
        )
        now = status(session)["policies"]
        assert (now["passages"], now["unchecked"]) == (3, 3)
        with pytest.raises(ErrorAnswerError, match="nothing was checked: this workspace is not trusted"):
            await session.command(COMMAND, {"uri": uri})
        await rest(session)
        session.discard("textDocument/publishDiagnostics")
    assert model.counts()["connections"] == 0


async def test_with_the_embedded_judge_policies_are_not_checked_which_is_said_once(
    folder: Path, model: SystemOne, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_JUDGE_NAME", "embedded")
    why = (
        "policies are asked of the judges decision and openai, and judge.name is embedded: name one of them in your "
        "own settings"
    )
    uri, other = written(folder, TEXT), written(folder, TEXT, "b.md")
    async with Session(folders=[folder]) as session:
        for each in (uri, other):
            await opened(session, each, TEXT)
        for _ in range(3):
            for each in (uri, other):
                session.save(each)
                await shown_at_rest(session)
        assert popups(session) == [f"cite-lsp: {why}; 3 passages were not checked"]
        now = status(session)
        assert now["policies"] == {"passages": 6, "unchecked": 6, "why": why}
        assert now["lastError"] == why
        with pytest.raises(ErrorAnswerError, match=f"nothing was checked: {why}"):
            await session.command(COMMAND, {"uri": uri})
        await shown_at_rest(session)
        assert popups(session) == []
    assert model.counts()["connections"] == 0


# --- what is told


async def test_the_other_evidence_is_told_beside_each_passage(folder: Path, model: SystemOne) -> None:
    text = "First riddle here.\n\nNothing else.\n\nAnother riddle there.\n"
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        one, two = (await shown_at_rest(session))[uri]
        assert one["relatedInformation"] == [
            {"location": {"uri": uri, "range": two["range"]}, "message": "Another riddle there."}
        ]
        assert two["relatedInformation"] == [
            {"location": {"uri": uri, "range": one["range"]}, "message": "First riddle here."}
        ]
        session.change(uri, (2, 0), (2, 0), "Typed\nbetween.\n\n")
        one, two = await session.diagnostics_of(uri)
        assert two["range"]["start"]["line"] == 7
        assert one["relatedInformation"][0]["location"]["range"] == two["range"]
        session.change(uri, (7, 3), (7, 3), "x")
        (one,) = await session.diagnostics_of(uri)
        assert "relatedInformation" not in one
    silent = {**CAPABILITIES, "textDocument": {**CAPABILITIES["textDocument"], "publishDiagnostics": {}}}
    async with Session(folders=[folder], capabilities=silent) as session:
        await opened(session, uri, text)
        session.save(uri)
        assert not any("relatedInformation" in each for each in (await shown_at_rest(session))[uri])


async def test_of_much_evidence_the_nearest_is_told_beside_each(folder: Path, model: SystemOne) -> None:
    text = "".join(f"Riddle {number} here.\n\n" for number in range(30))
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        found = (await shown_at_rest(session))[uri]
        assert len(found) == 30
        beside = [
            [other["location"]["range"]["start"]["line"] // 2 for other in each["relatedInformation"]] for each in found
        ]
        assert beside[0] == [*range(1, 11)]
        assert beside[15] == [*range(10, 15), *range(16, 21)]
        assert beside[29] == [*range(19, 29)]


async def test_roles_are_named_beside_each_other(folder: Path, model: SystemOne) -> None:
    (folder / "policies" / "style.toml").write_text(BUILT)
    model.script(
        rules=[rule(0.9, text="opens", key="claim"), rule(0.9, text="shut", key="contrary"), rule(0.9, key="clash")]
    )
    text = "It opens at six.\n\nNothing.\n\nIt is shut all day.\n"
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        one, two = (await shown_at_rest(session))[uri]
        assert (one["code"], one["severity"]) == ("policy:style/contradiction", 2)
        assert [each["message"] for each in one["relatedInformation"]] == ["second: It is shut all day."]
        assert [each["message"] for each in two["relatedInformation"]] == ["first: It opens at six."]
        await session.command(CLEAR)
        model.script(faults=[failing(400, {"detail": "no"}, holds="clash", times=None)])
        session.save(uri)
        assert len((await shown_at_rest(session))[uri]) == 2  # nobody says that it is not so
        assert len(popups(session)) == 1
        assert status(session)["policies"]["unchecked"] == 2


BUILT = """\
passages = "sentences"
retries = 0

[[factor]]
name = "claim"
question = "Does {passage} say that something is open?"
yes = "It says so."
no = "It does not."

[[factor]]
name = "contrary"
question = "Does {passage} say that something is shut?"
yes = "It says so."
no = "It does not."

[[concern]]
name = "contradiction"

[[concern.role]]
name = "first"
factor = "claim"

[[concern.role]]
name = "second"
factor = "contrary"
distinct = true

[[concern.check]]
name = "clash"
question = "Do {first} and {second} say what cannot both be so?"
yes = "They cannot."
no = "They can."
"""


@pytest.mark.parametrize(
    ("rules", "severities"),
    [("", [2, 4]), (f'"{CODE}" = "error"', [1, 4]), (f'"{CODE}" = "information"', [3, 4]), (f'"{CODE}" = "off"', [])],
)
async def test_what_a_person_should_look_at_is_a_hint_whatever_the_rules_say(
    folder: Path, model: SystemOne, rules: str, severities: list[int]
) -> None:
    (folder / "cite-lsp.toml").write_text(f"{ALONE}[rules]\n{rules}\n")
    text = "Some riddle.\n\nIt is perhaps none.\n"
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        found = (await shown_at_rest(session))[uri]
        assert [each["severity"] for each in found] == severities
        if found:
            assert found[1]["message"] == "a person should look: riddle: It is perhaps none."


async def test_a_policy_gives_each_concern_its_severity_and_overrides_give_some_files_another(
    folder: Path, model: SystemOne
) -> None:
    text = STYLE.replace('name = "riddle"', 'name = "riddle"\nseverity = "error"')
    quiet = STYLE.replace('name = "riddle"', 'name = "quiet"\nseverity = "off"').partition("[[concern]]")[2]
    (folder / "policies" / "style.toml").write_text(f"{text}\n[[concern]]{quiet}")
    (folder / "cite-lsp.toml").write_text(
        f'{ALONE}[[overrides]]\nglobs = ["fun/**"]\nrules = {{ "{CODE}" = "hint", "policy:style/quiet" = "warning" }}\n'
    )
    uri, other = written(folder, TEXT), written(folder, TEXT, "fun/b.md")
    async with Session(folders=[folder]) as session:
        for each in (uri, other):
            session.open(each, TEXT)
            session.save(each)
        now = await shown_at_rest(session)
        assert [(each["code"], each["severity"]) for each in now[uri]] == [(CODE, 1)]
        assert {(each["code"], each["severity"]) for each in now[other]} == {(CODE, 4), ("policy:style/quiet", 2)}


async def test_errors_stand_first_and_the_rest_in_the_order_of_the_text(folder: Path, model: SystemOne) -> None:
    past = "`policies/style.toml:900`"
    text = f"A riddle in {past}.\n\nSee {past}.\n\nThe last riddle.\n"
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        found = (await shown_at_rest(session))[uri]
        assert codes(found) == ["line-out-of-range", "line-out-of-range", CODE, CODE]
        assert [each["range"]["start"]["line"] for each in found] == [0, 2, 0, 4]


async def test_ranges_are_in_the_clients_units_and_line_ends_do_not_matter(folder: Path, model: SystemOne) -> None:
    text = "𝒳 is é. 𝒴 poses a riddle.\r\n\r\nNot here.\r\n"
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        (found,) = (await shown_at_rest(session))[uri]
        assert found["range"] == {"start": {"line": 0, "character": 9}, "end": {"line": 0, "character": 27}}
        session.change(uri, (0, 2), (0, 2), "𝒵 ")
        (found,) = await session.diagnostics_of(uri)
        assert found["range"] == {"start": {"line": 0, "character": 12}, "end": {"line": 0, "character": 30}}


async def test_a_comment_silences_a_finding_and_one_that_silences_nothing_is_told(
    folder: Path, model: SystemOne
) -> None:
    text = (
        f"<!-- cite-lsp: ignore {CODE} as a joke -->\nSome riddle.\n\n"
        f"<!-- cite-lsp: ignore {CODE} as a joke -->\nNo joke.\n\nA last riddle.\n"
    )
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        session.open(uri, text)
        assert (await shown_at_rest(session))[uri] == []
        session.save(uri)
        found = (await shown_at_rest(session))[uri]
        assert [(each["code"], each["range"]["start"]["line"]) for each in found] == [("unused-ignore", 3), (CODE, 6)]
        session.change(uri, (1, 5), (1, 5), "more ")
        found = await session.diagnostics_of(uri)
        assert codes(found) == [CODE]  # it was edited, so nobody knows whether the comment is of use


async def test_scores_and_choices_stand_in_messages(folder: Path, model: SystemOne) -> None:
    more = """
[[score]]
name = "hardness"
question = "How hard is it?"
levels = ["easy", "fair", "hard"]

[[choice]]
name = "kind"
question = "What kind is it?"
options = { wordplay = "On words.", logic = "On thought." }
"""
    text = STYLE.replace("{category}: {passage}", "{concern} ({verdict}): {kind}, {hardness}") + more
    (folder / "policies" / "style.toml").write_text(text)
    model.script(rules=[rule(0.9, text="riddle"), rule(1.6, kind="score"), rule("logic", kind="choice")])
    uri = written(folder, "One riddle.\n")
    async with Session(folders=[folder]) as session:
        await opened(session, uri, "One riddle.\n")
        session.save(uri)
        (found,) = (await shown_at_rest(session))[uri]
        assert found["message"] == "riddle (holds): logic, hard"


# --- edits


async def test_a_finding_stays_with_its_passage_and_goes_with_an_edit_of_it(folder: Path, model: SystemOne) -> None:
    uri = written(folder, TEXT)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        (found,) = (await shown_at_rest(session))[uri]
        session.change(uri, (0, 0), (0, 0), "# Title\n\n")
        (moved,) = await session.diagnostics_of(uri)
        assert moved == {
            **found,
            "range": {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 32}},
        }
        session.change(uri, (4, 33), (4, 33), "Well. ")  # another sentence of the same line
        assert len(await session.diagnostics_of(uri)) == 1
        session.change(uri, (4, 0), (4, 0), "So: a box. ")
        (moved,) = await session.diagnostics_of(uri)
        assert moved["range"]["start"] == {"line": 4, "character": 11}
        session.change(uri, (4, 20), (4, 20), "x")
        assert await session.diagnostics_of(uri) == []
        session.change(uri, (4, 20), (4, 21), "")
        assert await session.diagnostics_of(uri) == []  # until it is asked about again
        before = model.counts()["requests"]
        session.save(uri)
        assert len((await shown_at_rest(session))[uri]) == 1
        assert model.counts()["requests"] == before + 1  # "Well." and "So: a box." only: the rest is known
        asked = model.requests()[-1]["body"]["questions"]
        assert len(asked) == 5  # the window that they are in


async def test_what_is_typed_while_it_is_asked_moves_what_is_found(folder: Path, model: SystemOne) -> None:
    text = "First riddle here.\n\nSecond riddle here.\n\nThird riddle here.\n"
    uri = written(folder, text)
    model.script(delay=0.5)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        assert await asyncio.to_thread(model.wait_for, lambda counts: counts["running"] == 1)
        session.change(uri, (0, 0), (0, 0), "# Title\n\n")
        session.change(uri, (4, 3), (4, 3), "x")
        session.change(uri, (6, 18), (6, 18), "\n\nMore")
        found = (await shown_at_rest(session))[uri]
        assert [each["range"]["start"]["line"] for each in found] == [2, 6]
        assert [each["message"] for each in found] == ["riddle: First riddle here.", "riddle: Third riddle here."]


async def test_one_edited_passage_of_many_is_one_request_of_its_window(folder: Path, model: SystemOne) -> None:
    (folder / "policies" / "style.toml").write_text(STYLE.replace("retries = 0", "retries = 0\nwindow = 10"))
    lines = [f"Sentence {number} says it.\n\n" for number in range(400)]
    text = "".join(lines)
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        await shown_at_rest(session)
        assert model.counts()["requests"] == 40
        session.change(uri, (200, 0), (200, 8), "Phrase")
        session.change(uri, (0, 0), (0, 0), "# Title\n\n")
        session.save(uri)
        await shown_at_rest(session)
        (request,) = model.requests()[40:]
        assert request["passages"] == 10
        assert status(session)["policies"] == {"passages": 400, "unchecked": 0, "why": None}
    async with Session(folders=[folder]) as session:  # and another server knows it too
        text = text.replace("Sentence 100 ", "Phrase 100 ")
        await opened(session, uri, text)
        session.save(uri)
        await shown_at_rest(session)
        assert model.counts()["requests"] == 41


# --- what is not checked


async def test_what_was_found_stays_where_it_cannot_be_asked_again_and_is_not_checked(
    folder: Path, model: SystemOne
) -> None:
    text = "First riddle here.\n\nSecond riddle here.\n\nNothing.\n"
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        assert len((await shown_at_rest(session))[uri]) == 2
        await session.command(CLEAR)
        model.script(faults=[missing("riddle", times=None)])
        session.change(uri, (0, 0), (0, 5), "Third")  # its finding goes, and what stands there now is not known
        session.save(uri)
        (stays,) = (await shown_at_rest(session))[uri]
        assert stays["message"] == "riddle: Second riddle here."
        (message,) = popups(session)
        assert message.startswith("cite-lsp: ")
        assert message.endswith("; 3 passages were not checked")
        now = status(session)
        assert (now["policies"]["passages"], now["policies"]["unchecked"]) == (3, 3)
        assert now["policies"]["why"] == now["lastError"] != ""
        session.save(uri)
        await shown_at_rest(session)
        assert popups(session) == []  # it still holds
        model.script(faults=[], default=0.1, rules=[rule(0.9, text="Third")])
        session.save(uri)
        (found,) = (await shown_at_rest(session))[uri]
        assert found["message"] == "riddle: Third riddle here."  # and the second one is known to be none now
        now = status(session)
        assert (now["policies"]["unchecked"], now["lastError"]) == (0, None)
        await session.command(CLEAR)
        model.script(faults=[missing("riddle", times=None)])
        session.change(uri, (0, 0), (0, 5), "Fourth")
        session.save(uri)
        assert (await shown_at_rest(session))[uri] == []
        assert len(popups(session)) == 1  # it has worked in between
        assert status(session)["policies"]["unchecked"] == 3


async def test_a_failure_of_the_second_round_leaves_what_was_found_of_that_concern(
    folder: Path, model: SystemOne
) -> None:
    text = "First riddle here.\n\nNothing.\n"
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        assert len((await shown_at_rest(session))[uri]) == 1
        model.script(faults=[malformed("confirm", times=None)])
        session.change(uri, (2, 0), (2, 7), "Another riddle")
        session.save(uri)
        (found,) = (await shown_at_rest(session))[uri]
        assert found["message"] == "riddle: First riddle here."
        assert status(session)["policies"]["unchecked"] == 2
        assert len(popups(session)) == 1


async def test_some_windows_fail_and_the_others_are_told(folder: Path, model: SystemOne) -> None:
    (folder / "policies" / "style.toml").write_text(STYLE.replace("retries = 0", "retries = 0\nwindow = 2"))
    text = "".join(f"Riddle {number} here.\n\n" for number in range(6))
    uri = written(folder, text)
    model.script(faults=[failing(400, {"detail": "no"}, holds="Riddle 3", times=None)])
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        found = (await shown_at_rest(session))[uri]
        assert [each["range"]["start"]["line"] for each in found] == [0, 2, 8, 10]
        assert status(session)["policies"]["unchecked"] == 2
        (message,) = popups(session)
        assert message.endswith("; 2 passages were not checked")


async def test_lines_that_look_like_keys_and_what_is_excluded_or_ignored_are_not_sent(
    folder: Path, model: SystemOne
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (folder / "cite-lsp.toml").write_text(f'{ALONE}exclude = ["private/**"]\n')
    (folder / "policies" / "logs.toml").write_text(LOGS)
    (folder / ".gitignore").write_text("ignored.log\n")
    text = f"First riddle here.\n\nA riddle with {secret} in it.\n"
    uri = written(folder, text)
    hidden, ignored = written(folder, TEXT, "private/b.md"), written(folder, LOG, "ignored.log")
    async with Session(folders=[folder]) as session:
        session.open(uri, text)
        session.open(hidden, TEXT)
        session.open(ignored, LOG, language="log")
        await shown_at_rest(session)
        session.save(uri)
        (found,) = (await shown_at_rest(session))[uri]
        assert found["message"] == "riddle: First riddle here."
        assert status(session)["policies"] == {
            "passages": 2,
            "unchecked": 1,
            "why": "a line of this passage looks like a key, so it was not sent",
        }
        session.save(hidden)
        session.save(ignored)
        assert (await shown_at_rest(session)) == {hidden: []}
        books = session.server.session.documents
        assert [each.unchecked for each in books[hidden].policies.asked.values()] == [3]
        assert "judge.exclude" in books[hidden].policies.asked["style"].why
        assert "ignored by git" in books[ignored].policies.asked["logs"].why
        assert popups(session) == []
    assert [each["passages"] for each in model.requests()] == [1, 1]
    assert secret not in str(model.requests())


async def test_the_limits_of_the_day_leave_the_rest_not_checked(
    folder: Path, model: SystemOne, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_JUDGE_LIMITS_MAX_ROWS_PER_DAY", "4")
    (folder / "policies" / "style.toml").write_text(STYLE.replace("retries = 0", "retries = 0\nwindow = 2"))
    text = "".join(f"Riddle {number} here.\n\n" for number in range(6))
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        assert (await shown_at_rest(session))[uri] == []  # four were screened, and nobody could be asked again
        (message,) = popups(session)
        assert message.startswith("cite-lsp: judge.limits.max_rows_per_day is 4 and 4 rows were asked of decision")
        assert message.endswith("; 6 passages were not checked")
        assert status(session)["policies"]["unchecked"] == 6
    assert model.counts()["requests"] == 2


async def test_a_faulty_policy_file_is_not_asked_which_is_said(folder: Path, model: SystemOne) -> None:
    (folder / "policies" / "other.toml").write_text(STYLE.replace("{passage} pose", "this pose"))
    uri = written(folder, TEXT)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        assert codes((await shown_at_rest(session))[uri]) == [CODE]
        assert status(session)["lastError"] == "policies/other.toml is faulty, so it is not asked"
        done = await session.command(COMMAND, {"uri": uri})
        assert done["refused"] == ["policies/other.toml"]
        await shown_at_rest(session)


async def test_another_file_that_no_policy_is_about_takes_no_word_back(folder: Path, model: SystemOne) -> None:
    uri, code = written(folder, TEXT), written(folder, "x = 3\n", "a.py")
    model.script(faults=[missing("riddle", times=None)])
    async with Session(folders=[folder], ignored=(*IGNORED, POPUP)) as session:
        await opened(session, uri, TEXT)
        session.open(code, "x = 3\n", language="python")
        session.save(uri)
        await shown_at_rest(session)
        said = status(session)["lastError"]
        session.save(code)
        await shown_at_rest(session)
        session.change(uri, (0, 0), (0, 0), "\n")
        await shown_at_rest(session)
        assert session.server.session.policies.error == said != ""


async def test_a_file_that_is_newer_than_the_list_of_files_is_asked_about(folder: Path, model: SystemOne) -> None:
    (folder / ".gitignore").write_text("private/\n")
    (folder / "policies" / "logs.toml").write_text(LOGS)
    async with Session(folders=[folder]) as session:
        await shown_at_rest(session)
        uri, log = written(folder, TEXT, "new.md"), written(folder, LOG, "new.log")
        hidden = written(folder, TEXT, "private/new.md")
        for each, text in ((uri, TEXT), (log, LOG), (hidden, TEXT)):
            session.open(each, text)
            session.save(each)
        now = await shown_at_rest(session)
        assert (codes(now[uri]), codes(now[log]), now.get(hidden, [])) == ([CODE], [OUTAGE], [])
        asked = session.server.session.documents[hidden].policies.asked["style"]
        assert (asked.passages, asked.unchecked) == (3, 3)
        assert "ignored by git" in asked.why
        session.close(log)
        await shown_at_rest(session)


async def test_a_document_that_is_too_large_is_not_asked_about(folder: Path, model: SystemOne) -> None:
    (folder / "cite-lsp.toml").write_text(f"{ALONE}[files]\nmax_document_bytes = 20\n")
    uri = written(folder, TEXT)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        assert await shown_at_rest(session) == {}
        with pytest.raises(ErrorAnswerError, match="this document has more than 20 characters"):
            await session.command(COMMAND, {"uri": uri})
    assert model.counts()["connections"] == 0


def test_where_nobody_can_be_asked_no_client_is_loaded(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CITE_LSP_POLICIES_RUN", "save")
    monkeypatch.setenv("CITE_LSP_CACHE_PATH", str(tmp_path / "cache"))
    assert "httpx" not in loaded_after_a_save(folder)
    assert not (tmp_path / "cache" / "answers-1.db").exists()


# --- how it is asked


async def test_bands_that_were_calibrated_count_and_stale_ones_do_not(folder: Path, model: SystemOne) -> None:
    policy = read_policy(STYLE, "policies/style.toml").file
    assert policy is not None
    labels = ("detect:riddle", "confirm:riddle")
    questions = {
        label: {"wording": wording_hash(label, policy.policy), "low": 0.2, "high": 0.95, "rows": 90, "yes": 40}
        for label in labels
    }
    data = {
        "schema": 1, "policy": "style", "model": f"systemone jev-1.13.0 at {model.url}", "error_rate": 0.05,
        "confidence": 0.9, "calibrated_at": "2026-11-30", "questions": questions,
    }  # fmt: skip
    bands = folder / "policies" / "style.bands.json"
    bands.write_text(json.dumps(data))
    uri = written(folder, TEXT)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        assert [each["severity"] for each in (await shown_at_rest(session))[uri]] == [4]  # 0.9 is within the band
        bands.write_text(json.dumps({**data, "model": "another"}))
        session.save(uri)
        assert [each["severity"] for each in (await shown_at_rest(session))[uri]] == [2]
        session.save(uri)
        await shown_at_rest(session)
        (said,) = popups(session)
        assert "holds bands for the answers of another" in said
    assert model.counts()["requests"] == 2  # the answers are the same


async def test_policies_that_ship_and_those_of_the_settings_are_asked(folder: Path, model: SystemOne) -> None:
    (folder / "policies" / "style.toml").unlink()
    table = STYLE.replace("[[concern]]", "[[policy.concern]]").replace("[concern.detect]", "[policy.concern.detect]")
    (folder / "cite-lsp.toml").write_text(
        f'{ALONE}[policies]\nfiles = ["shipped:hedged-claims"]\n\n[[policy]]\nname = "table"\n{table}'
    )
    model.script(default=0.9)
    uri = written(folder, TEXT)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        found = (await shown_at_rest(session))[uri]
        assert {"policy:table/riddle", "policy:hedged-claims/hedge"} <= set(codes(found))


async def test_a_chat_model_is_asked_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its answers to a JSON schema are numbers, here the same one to all questions."""

    def answer(request: Request) -> Step:
        schema = request.body["response_format"]["json_schema"]["schema"]
        return reply_for("openai", json.dumps(dict.fromkeys(schema["properties"], 0.9)))

    with ScriptedServer(by_request(answer)) as server:
        for name, value in {"NAME": "openai", "MODEL": "gpt-test", "BASE_URL": server.base("openai")}.items():
            monkeypatch.setenv(f"CITE_LSP_JUDGE_{name}", value)
        monkeypatch.setenv("CITE_LSP_CACHE_PATH", str(tmp_path / "cache"))
        monkeypatch.setenv("CITE_LSP_POLICIES_RUN", "save")
        uri = written(folder, TEXT)
        async with Session(folders=[folder]) as session:
            await opened(session, uri, TEXT)
            session.save(uri)
            assert codes((await shown_at_rest(session))[uri]) == [CODE] * 3


# --- what changes meanwhile


async def test_findings_of_a_policy_that_changed_or_is_gone_vanish(folder: Path, model: SystemOne) -> None:
    (folder / "policies" / "more.toml").write_text(STYLE)
    uri, policy = written(folder, TEXT), folder / "policies" / "style.toml"
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        found = (await shown_at_rest(session))[uri]
        assert codes(found) == ["policy:more/riddle", CODE]
        policy.write_text(STYLE.replace("how we write", "how everybody writes"))
        session.files_changed((policy.as_uri(), 2))
        assert await shown_at_rest(session) == {}  # nothing of it is asked or told
        policy.write_text(STYLE.replace("a riddle", "a puzzle"))
        session.files_changed((policy.as_uri(), 2))
        assert codes((await shown_at_rest(session))[uri]) == ["policy:more/riddle"]
        (folder / "policies" / "more.toml").unlink()
        session.files_changed(((folder / "policies" / "more.toml").as_uri(), 3))
        assert (await shown_at_rest(session))[uri] == []
        assert "policies" not in status(session)
        session.save(uri)
        assert codes((await shown_at_rest(session))[uri]) == [CODE]


async def test_a_policy_that_is_saved_in_the_editor_counts_from_then_on(folder: Path, model: SystemOne) -> None:
    uri, policy = written(folder, TEXT), folder / "policies" / "style.toml"
    async with Session(folders=[folder], ignored=("cite-lsp/status", "$/progress")) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        assert len((await shown_at_rest(session))[uri]) == 1
        session.open(policy.as_uri(), STYLE, language="toml")
        session.change_all(policy.as_uri(), STYLE.replace("a riddle", "a puzzle"))
        assert uri not in await shown_at_rest(session)  # it is as it is on disk
        policy.write_text(STYLE.replace("a riddle", "a puzzle"))
        session.save(policy.as_uri())
        assert (await shown_at_rest(session))[uri] == []


async def test_other_settings_end_a_run_and_begin_it_anew(
    folder: Path, model: SystemOne, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.script(faults=[hang(times=1)])
    uri, settings = written(folder, TEXT), folder / "cite-lsp.toml"
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        assert await asyncio.to_thread(model.wait_for, lambda counts: counts["running"] == 1)
        settings.write_text(f'{ALONE}exclude = ["*.py"]\n')
        session.files_changed((settings.as_uri(), 2))
        assert codes((await shown_at_rest(session))[uri]) == [CODE]
        assert model.counts()["gone"] == 1
        model.script(faults=[hang(times=1)])
        session.change(uri, (0, 0), (0, 0), "More. ")
        session.save(uri)
        assert await asyncio.to_thread(model.wait_for, lambda counts: counts["running"] == 1)
        settings.write_text(f'{ALONE}[policies]\nrun = "manual"\n')
        monkeypatch.delenv("CITE_LSP_POLICIES_RUN")
        session.files_changed((settings.as_uri(), 2))
        assert codes((await shown_at_rest(session))[uri]) == [CODE]  # as it was known
        assert model.counts()["gone"] == 2


async def test_a_newer_save_ends_the_older_run_and_what_was_answered_is_not_asked_again(
    folder: Path, model: SystemOne, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_JUDGE_LIMITS_CONCURRENCY", "1")  # what was asked before has been kept then
    policy = STYLE.replace("retries = 0", "retries = 0\nwindow = 2")
    (folder / "policies" / "style.toml").write_text(policy)
    text = "".join(f"Sentence {number} says it.\n\n" for number in range(8))
    uri = written(folder, text)
    model.script(faults=[hang(after=3, times=1)])
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        assert await asyncio.to_thread(
            model.wait_for, lambda counts: counts["requests"] == 4 and counts["running"] == 1
        )
        session.change(uri, (16, 0), (16, 0), "One more.\n")
        session.save(uri)
        assert await shown_at_rest(session) == {uri: []}
        assert status(session)["policies"] == {"passages": 9, "unchecked": 0, "why": None}
    assert model.counts()["requests"] == 6


async def test_two_documents_saved_at_once_are_both_told(folder: Path, model: SystemOne) -> None:
    model.script(delay=0.2)
    other_text = "A riddle of another kind.\n"
    uri, other = written(folder, TEXT), written(folder, other_text, "b.md")
    async with Session(folders=[folder]) as session:
        session.open(uri, TEXT)
        session.open(other, other_text)
        await shown_at_rest(session)
        session.save(uri)
        session.save(other)
        now = await shown_at_rest(session)
        assert (codes(now[uri]), codes(now[other])) == ([CODE], [CODE])
        now = status(session)
        assert now["policies"] == {"passages": 4, "unchecked": 0, "why": None}
        assert (now["queued"], now["requests"]) == (0, 4)
    assert model.counts()["most"] == 2


async def test_a_document_that_is_closed_meanwhile_is_not_told_and_asks_nothing_more(
    folder: Path, model: SystemOne
) -> None:
    uri = written(folder, TEXT)
    model.script(faults=[hang(times=1)])
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        assert await asyncio.to_thread(model.wait_for, lambda counts: counts["running"] == 1)
        session.close(uri)
        assert await shown_at_rest(session) == {}
        assert await asyncio.to_thread(model.wait_for, lambda counts: counts["gone"] == 1)
        session.open(uri, TEXT)
        assert await shown_at_rest(session) == {uri: []}
        session.save(uri)
        assert codes((await shown_at_rest(session))[uri]) == [CODE]
        session.close(uri)
        assert (await shown_at_rest(session))[uri] == []


async def test_a_folder_that_is_taken_away_takes_its_run_along(folder: Path, model: SystemOne, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    uri = written(folder, TEXT)
    model.script(faults=[hang(times=1)])
    async with Session(folders=[other, folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        assert await asyncio.to_thread(model.wait_for, lambda counts: counts["running"] == 1)
        session.folders_changed(removed=[folder])
        assert codes((await shown_at_rest(session))[uri]) == [CODE]  # it is looked at as a file of its own now
        assert model.counts()["gone"] == 1


async def test_the_end_of_the_session_ends_a_run(folder: Path, model: SystemOne) -> None:
    uri = written(folder, TEXT)
    model.script(faults=[hang(times=1)])
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        assert await asyncio.to_thread(model.wait_for, lambda counts: counts["running"] == 1)
    assert await asyncio.to_thread(model.wait_for, lambda counts: counts["gone"] == 1)


# --- files that are no documents

LOGS = """\
applies_to = ["**/*.log"]
passages = "log-lines"
retries = 0

[[concern]]
name = "outage"
severity = "error"

[concern.detect]
question = "Does {passage} say that something is down?"
yes = "Something that others need does not answer."
no = "A note, a warning, or something that went well."
"""
LOG = """\
2026-01-02 10:00:00 INFO started
2026-01-02 10:00:05 ERROR no keys from the database
  Traceback: it is down
2026-01-02 10:00:09 INFO stopped
"""


async def test_a_log_that_is_no_document_of_ours_has_findings(folder: Path, model: SystemOne) -> None:
    (folder / "policies" / "logs.toml").write_text(LOGS)
    (folder / "cite-lsp.toml").write_text(
        f'{ALONE}[[overrides]]\nglobs = ["old/**"]\nrules = {{ "{OUTAGE}" = "hint" }}\n'
    )
    uri, old = written(folder, LOG, "run.log"), written(folder, LOG, "old/run.log")
    async with Session(folders=[folder]) as session:
        session.open(uri, LOG, language="log")
        session.open(old, LOG, language="log")
        assert await shown_at_rest(session) == {}
        session.save(uri)
        session.save(old)
        now = await shown_at_rest(session)
        (found,) = now[uri]
        assert found["range"] == {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 23}}
        assert (found["severity"], found["code"]) == (1, OUTAGE)
        assert found["message"] == "outage: Something that others need does not answer"
        assert [each["severity"] for each in now[old]] == [4]
        session.change(uri, (0, 0), (0, 0), "2026-01-02 09:00:00 INFO begun\n")
        (moved,) = await session.diagnostics_of(uri)
        assert moved["range"]["start"]["line"] == 2
        session.change(uri, (3, 23), (3, 23), "\n  and more")
        assert await session.diagnostics_of(uri) == []  # the entry has grown
        session.save(uri)
        assert len((await shown_at_rest(session))[uri]) == 1
        (folder / "cite-lsp.toml").write_text(f'{ALONE}[rules]\n"{OUTAGE}" = "off"\n')
        session.files_changed(((folder / "cite-lsp.toml").as_uri(), 2))
        now = await shown_at_rest(session)
        assert (now[uri], now[old]) == ([], [])
        session.close(uri)
        session.close(old)
        await shown_at_rest(session)


async def test_a_log_beside_all_workspace_folders(folder: Path, model: SystemOne, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "policies").mkdir(parents=True)
    (other / "policies" / "logs.toml").write_text(LOGS)
    (other / "cite-lsp.toml").write_text(ALONE)
    uri = written(other, LOG, "run.log")
    async with Session(folders=[folder]) as session:
        session.open(uri, LOG, language="log")
        session.save(uri)
        assert codes((await shown_at_rest(session))[uri]) == [OUTAGE]
        session.close(uri)
        assert (await shown_at_rest(session))[uri] == []
        assert len(session.server.session.spaces) == 1


# --- what is cited

GROUNDED = """\
passages = "sentences"
input = "cited"
retries = 0

[[concern]]
name = "baseless"

[concern.detect]
question = "Does {passage} say anything that the input shown with it does not?"
yes = "Something that stands nowhere in the input."
no = "What the input says."
"""


async def test_a_sentence_is_asked_about_beside_the_lines_that_it_cites(folder: Path, model: SystemOne) -> None:
    (folder / "policies" / "style.toml").unlink()
    (folder / "policies" / "grounded.toml").write_text(GROUNDED)
    (folder / "limits.py").write_text("FIRST = 3\n\nSECOND = 4\n")
    (folder / "key.py").write_text('TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"\n')
    text = (
        "The first riddle is 3 (`limits.py:1`).\n\nThis cites nothing.\n\n"
        "The second is 4 (`limits.py:3`).\n\nThe token is long (`key.py:1`).\n\nIt is gone (`limits.py:99`).\n"
    )
    uri = written(folder, text)
    track(folder)
    async with Session(folders=[folder]) as session:
        session.open(uri, text)
        await shown_at_rest(session)
        session.save(uri)
        found = (await shown_at_rest(session))[uri]
        assert codes(found) == ["line-out-of-range", "policy:grounded/baseless"]
        now = status(session)["policies"]
        assert (now["passages"], now["unchecked"]) == (3, 1)
        assert now["why"] == "a line that this passage cites looks like a key, so it was not sent"
        shown = model.requests()[0]["body"]["state"]["passages"]
        assert [(each["text"], each["input"]) for each in shown.values()] == [
            ("The first riddle is 3 (`limits.py:1`).", "FIRST = 3"),
            ("The second is 4 (`limits.py:3`).", "SECOND = 4"),
        ]
        before = model.counts()["requests"]
        (folder / "limits.py").write_text("# moved\n\nFIRST = 3\n\nSECOND = 5\n")
        session.files_changed(((folder / "limits.py").as_uri(), 2))
        session.change(uri, (0, 34), (0, 35), "3")
        session.change(uri, (4, 28), (4, 29), "5")
        session.save(uri)
        await shown_at_rest(session)
        assert model.counts()["requests"] > before  # the lines say something else now
        shown = model.requests()[before]["body"]["state"]["passages"]
        assert [each["input"] for each in shown.values()] == ["FIRST = 3", "SECOND = 5"]


async def test_a_policy_that_needs_an_input_is_not_checked_in_the_editor(folder: Path, model: SystemOne) -> None:
    text = GROUNDED.replace('input = "cited"', 'input = "given"')
    (folder / "policies" / "style.toml").write_text(text)
    uri = written(folder, TEXT)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        assert await shown_at_rest(session) == {uri: []}
        assert status(session)["policies"] == {
            "passages": 3,
            "unchecked": 3,
            "why": "this policy is asked beside an input, and none was given",
        }
        assert popups(session) == []
    assert model.counts()["connections"] == 0


# --- by hand


async def test_by_hand_a_person_hears_what_it_came_to(
    folder: Path, model: SystemOne, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITE_LSP_POLICIES_RUN")
    (folder / "policies" / "logs.toml").write_text(LOGS)
    text = f"{TEXT}\nIt is perhaps one.\n"
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        done = await session.command(COMMAND, {"uri": uri})
        assert done == {
            "policies": [
                {"policy": "style", "passages": 4, "unchecked": 0, "found": 1, "review": 1, "why": None},
            ],
            "refused": [],
            "cancelled": False,
        }
        assert codes((await shown_at_rest(session))[uri]) == [CODE, CODE]
        session.save(uri)
        assert await shown_at_rest(session) == {}


async def test_by_hand_a_file_that_no_policy_is_about_is_told_so(folder: Path, model: SystemOne) -> None:
    uri = written(folder, "x = 3\n", "a.py")
    async with Session(folders=[folder]) as session:
        session.open(uri, "x = 3\n", language="python")
        with pytest.raises(ErrorAnswerError, match=r"no policy is about this file \(policies.files\)"):
            await session.command(COMMAND, {"uri": uri})
        with pytest.raises(ErrorAnswerError, match="is not open"):
            await session.command(COMMAND, {"uri": f"{uri}x"})
        with pytest.raises(ErrorAnswerError, match="the command takes one object"):
            await session.command(COMMAND)
        await rest(session)
    assert model.counts()["connections"] == 0


async def test_progress_says_how_far_it_is_and_ends_the_run_with_what_is_known(folder: Path, model: SystemOne) -> None:
    policy = STYLE.replace("retries = 0", "retries = 0\nwindow = 2")
    (folder / "policies" / "style.toml").write_text(policy)
    text = "".join(f"Riddle {number} here.\n\n" for number in range(12))
    uri = written(folder, text)
    model.script(faults=[hang(holds="Riddle 1[01]", times=None)])
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        command = session.start("workspace/executeCommand", {"command": COMMAND, "arguments": [{"uri": uri}]})
        token = (await session.asked("window/workDoneProgress/create"))["token"]
        begin = await session.notification("$/progress")
        assert begin["value"]["title"] == "Asking about a.md"
        assert begin["value"]["cancellable"] is True
        assert begin["value"]["message"].endswith(" of 12 passages")
        assert await asyncio.to_thread(model.wait_for, lambda counts: counts["requests"] == 6)
        session.notify("window/workDoneProgress/cancel", {"token": token})
        done = (await session.answer(command))["result"]
        assert done["cancelled"] is True
        (count,) = done["policies"]
        assert (count["passages"], count["found"]) == (12, 0)
        assert count["unchecked"] == 12  # ten were screened, and none was asked about again
        assert session.discard("$/progress")[-1]["value"] == {"kind": "end", "message": "stopped"}
        await shown_at_rest(session)
        assert popups(session) == []
        model.script(faults=[])
        before = model.counts()["requests"]
        done = await session.command(COMMAND, {"uri": uri})
        assert (done["policies"][0]["unchecked"], done["policies"][0]["found"]) == (0, 12)
        assert model.counts()["requests"] == before + 2
        await shown_at_rest(session)


async def test_a_command_that_is_cancelled_ends_the_run(folder: Path, model: SystemOne) -> None:
    uri = written(folder, TEXT)
    model.script(faults=[hang(times=1)])
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        command = session.start("workspace/executeCommand", {"command": COMMAND, "arguments": [{"uri": uri}]})
        assert await asyncio.to_thread(model.wait_for, lambda counts: counts["running"] == 1)
        session.cancel(command)
        assert (await session.answer(command))["error"]["code"] == -32800
        assert (await shown_at_rest(session))[uri] == []
        assert status(session)["policies"]["unchecked"] == 3
        assert model.counts()["gone"] == 1


async def test_a_cleared_cache_has_everything_asked_again(folder: Path, model: SystemOne) -> None:
    uri = written(folder, TEXT)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        await shown_at_rest(session)
        assert model.counts()["requests"] == 2
        assert await session.command(CLEAR) == 4  # three passages, and one question about one
        session.save(uri)
        await shown_at_rest(session)
        assert model.counts()["requests"] == 4


async def test_answers_come_late_and_other_requests_do_not_wait(folder: Path, model: SystemOne) -> None:
    uri = written(folder, TEXT)
    model.script(faults=[late(3, times=1)])
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        assert await asyncio.to_thread(model.wait_for, lambda counts: counts["running"] == 1)
        assert await session.request("textDocument/hover", at(uri, 0, 3)) is None
        assert model.counts()["running"] == 1
        assert codes((await shown_at_rest(session))[uri]) == [CODE]


# --- what is not checked is not clean, and what is over is not told any more


@pytest.mark.parametrize("name", ["a.md", "a.log"])
async def test_where_what_is_cited_stays_here_nothing_is_clean(folder: Path, model: SystemOne, name: str) -> None:
    (folder / "policies" / "style.toml").write_text(f'input = "cited"\napplies_to = ["a.*"]\n{STYLE}')
    (folder / "cite-lsp.toml").write_text(f'{ALONE}exclude = ["a.md"]\n')
    text = "A riddle in `policies/style.toml:1`.\n"
    uri = written(folder, text, name)
    track(folder)
    async with Session(folders=[folder]) as session:
        session.open(uri, text)
        session.save(uri)
        await shown_at_rest(session)
        now = status(session)["policies"]
        assert (now["passages"], now["unchecked"]) == (1, 1)
        why = {"a.md": "this document is under judge.exclude", "a.log": "what this file cites is not known"}
        assert now["why"].startswith(why[name])
    assert model.counts()["requests"] == 0


@pytest.mark.parametrize("by", ["closing", "deleting"])
async def test_a_failure_is_over_with_its_file_and_with_its_policy(folder: Path, model: SystemOne, by: str) -> None:
    model.script(faults=[failing(400, {"detail": "no"}, times=None)])
    uri, policy = written(folder, TEXT), folder / "policies" / "style.toml"
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        await shown_at_rest(session)
        assert len(popups(session)) == 1
        assert "refused the request (400)" in status(session)["lastError"]
        if by == "closing":
            session.close(uri)
        else:
            policy.unlink()
            session.files_changed((policy.as_uri(), 3))
        await shown_at_rest(session)
        now = status(session)
        assert now["lastError"] is None
        assert "policies" not in now


async def test_a_policy_that_becomes_faulty_takes_its_findings_along_and_says_so(
    folder: Path, model: SystemOne
) -> None:
    uri, policy = written(folder, TEXT), folder / "policies" / "style.toml"
    async with Session(folders=[folder]) as session:
        await opened(session, uri, TEXT)
        session.save(uri)
        assert codes((await shown_at_rest(session))[uri]) == [CODE]
        policy.write_text(f"{STYLE}[[[")
        session.files_changed((policy.as_uri(), 2))
        assert (await shown_at_rest(session))[uri] == []
        assert status(session)["lastError"] == "policies/style.toml is faulty, so it is not asked"
        policy.write_text(STYLE)
        session.files_changed((policy.as_uri(), 2))
        await shown_at_rest(session)
        assert status(session)["lastError"] is None


@pytest.mark.parametrize("name", ["a.md", "a.log"])
async def test_a_file_that_git_ignores_from_now_on_is_not_sent_any_further(
    folder: Path, model: SystemOne, name: str
) -> None:
    (folder / "policies" / "style.toml").write_text(f'window = 1\napplies_to = ["a.*"]\n{STYLE}')
    text = "".join(f"Riddle {number}.\n\n" for number in range(40))
    uri = written(folder, text, name)
    model.script(faults=[hang(after=4, times=None)])
    async with Session(folders=[folder]) as session:
        session.open(uri, text)
        await shown_at_rest(session)
        session.save(uri)
        assert await asyncio.to_thread(model.wait_for, lambda counts: counts["running"] == 4)
        model.script(faults=[])
        written(folder, "a.*\n", ".gitignore")
        session.files_changed(((folder / ".gitignore").as_uri(), 1))
        await shown_at_rest(session)
        now = status(session)["policies"]
        assert (now["unchecked"], now["why"][:34]) == (40, "this document is ignored by git, s")
    assert model.counts()["requests"] == 8


async def test_saving_again_what_is_being_asked_asks_nothing_twice(folder: Path, model: SystemOne) -> None:
    (folder / "policies" / "style.toml").write_text(f"window = 1\n{STYLE}")
    text = "".join(f"Sentence {number} says it.\n\n" for number in range(8))
    uri = written(folder, text)
    model.script(delay=0.1)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        assert await asyncio.to_thread(model.wait_for, lambda counts: counts["running"] > 1)
        session.save(uri)
        session.save(uri)
        await shown_at_rest(session)
        now = status(session)
        assert (now["policies"]["unchecked"], now["requests"], now["queued"]) == (0, 8, 0)
    assert model.counts()["requests"] == 8


async def test_a_log_over_the_limit_is_not_asked_about(folder: Path, model: SystemOne) -> None:
    (folder / "policies" / "style.toml").write_text(f'applies_to = ["*.log"]\n{STYLE}')
    (folder / "cite-lsp.toml").write_text(f"{ALONE}[files]\nmax_document_bytes = 10\n")
    uri = written(folder, TEXT, "a.log")
    track(folder)
    async with Session(folders=[folder]) as session:
        session.open(uri, TEXT)
        session.save(uri)
        await shown_at_rest(session)
        why = "this file has more than 10 characters (files.max_document_bytes)"
        assert status(session)["lastError"] == why
        with pytest.raises(ErrorAnswerError, match="nothing was checked: this file has more than 10 characters"):
            await session.command(COMMAND, {"uri": uri})
        await rest(session)
    assert model.counts()["requests"] == 0


@pytest.mark.parametrize("name", ["a.md", "a.log", "commented.md"])
async def test_of_many_findings_the_first_are_told_and_how_many_more_there_are(
    folder: Path, model: SystemOne, name: str
) -> None:
    (folder / "policies" / "style.toml").write_text(f'applies_to = ["**"]\n{STYLE}')
    text = "".join(f"Riddle {number} here.\n\n" for number in range(12))
    text += "<!-- cite-lsp: ignore moved there -->\n" if name == "commented.md" else ""
    uri = written(folder, text, name)
    track(folder)
    async with Session(folders=[folder], settings={"server": {"max_diagnostics": 5}}) as session:
        session.open(uri, text)
        await shown_at_rest(session)
        session.save(uri)
        *found, last = (await shown_at_rest(session))[uri]
        assert [each["range"]["start"]["line"] for each in found] == [0, 2, 4, 6, 8]
        assert all(len(each["relatedInformation"]) == 10 for each in found)
        assert last["message"] == "7 more findings are not shown here (server.max_diagnostics)"
