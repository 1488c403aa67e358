"""Policy files in the editor: their faults as they are typed, what may follow, and what is asked."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.policy.bands import ENDING, bands_text
from cite_lsp.policy.calibration import LabelledScore, fit
from cite_lsp.policy.files import read_policy
from cite_lsp.server import policy_files
from tests.server.at_rest import codes, shown_at_rest
from tests.server.harness import CAPABILITIES, PUBLISH, Session, at, range_of

TWELVE = (Path(__file__).parents[1] / "editors" / "policies" / "twelve-faults.toml").read_text(encoding="utf-8")
POLICY = """summary = "Riddles"
passages = "sentences"

[[filter]]
name = "claims"
question = "Does {passage} say something?"
yes = "A statement."
no = { what = "A greeting.", not_for = "A statement with a greeting." }

[[factor]]
name = "income"
question = "Does {passage} name an income?"
yes = "An income of a person."
no = "An expense."

[[concern]]
name = "riddle"
detect = { question = "Is {passage} a riddle?", yes = "A riddle.", no = "None." }

[[concern]]
name = "earnings"
role = [{ name = "earner", factor = "income" }]
check = [{ name = "enough", question = "Is {earner} enough?", yes = "It is.", no = "It is not." }]

[[score]]
name = "sureness"
question = "How sure is it?"
levels = ["low", "high"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "policies").mkdir()
    (tmp_path / "docs").mkdir()
    return tmp_path


def policy(folder: Path, text: str = POLICY, name: str = "policies/riddles.toml") -> str:
    """Write a policy file and give its URI."""
    (folder / name).write_text(text, encoding="utf-8")
    return (folder / name).as_uri()


def under(text: str, found: dict[str, Any], encoding: str = "utf-16-le") -> str:
    """What a diagnostic stands under, by the client's columns."""
    start, end = found["range"]["start"], found["range"]["end"]
    assert start["line"] == end["line"]
    width = {"utf-8": 1, "utf-16-le": 2, "utf-32-le": 4}[encoding]
    line = text.split("\n")[start["line"]].encode(encoding)
    return line[start["character"] * width : end["character"] * width].decode(encoding)


# --- diagnostics

FAULTS = [
    '"log triage"',
    '"sentence"',
    "treshold",
    '"Does it say something?"',
    '"income"',
    "{person}",
    '"loud"',
    "noo",
    '"incomes"',
    '{ name = "enough", question = "Is {earner} enough?", yes = "It is." }',
    '["low"]',
    "riddles",
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_twelve_faults_are_told_at_their_places(folder: Path, encoding: str) -> None:
    uri = policy(folder, TWELVE, "policies/log-triage.toml")
    capabilities = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    async with Session(folders=[folder], capabilities=capabilities) as session:
        session.open(uri, TWELVE, language="toml")
        told = await session.publish(uri)
        assert told["version"] == 1
        found = told["diagnostics"]
        units = encoding if encoding == "utf-8" else f"{encoding}-le"
        assert [under(TWELVE, each, units) for each in found] == FAULTS
        assert {(each["code"], each["severity"], each["source"]) for each in found} == {("policy-file", 1, "cite-lsp")}
        assert len({each["message"] for each in found}) == 12


async def test_faults_come_and_go_with_typing_and_go_when_the_file_is_closed(folder: Path) -> None:
    uri = policy(folder)
    async with Session(folders=[folder]) as session:
        session.open(uri, POLICY, language="plaintext")
        assert await session.publish(uri) == {"uri": uri, "version": 1, "diagnostics": []}
        session.change(uri, (1, 20), (1, 21), "")
        told = await session.publish(uri)
        assert told["version"] == 2
        (fault,) = told["diagnostics"]
        assert (under(POLICY.replace("sentences", "sentence"), fault), fault["code"]) == ('"sentence"', "policy-file")
        assert "did you mean" in fault["message"]
        session.change(uri, (3, 0), (3, 12), "[[filter")
        (fault,) = await session.diagnostics_of(uri)
        assert fault["range"]["start"]["line"] == 3
        assert "TOML" in fault["message"]
        session.change(uri, (3, 0), (3, 8), "[[filter]]")
        session.change(uri, (1, 20), (1, 20), "s")
        assert await session.diagnostics_of(uri) == []
        session.change(uri, (1, 0), (1, 8), "passage")
        assert codes(await session.diagnostics_of(uri)) == ["policy-file"]
        session.close(uri)
        assert await session.diagnostics(uri) == []


async def test_many_edits_at_once_are_one_report(folder: Path) -> None:
    uri = policy(folder)
    async with Session(folders=[folder]) as session:
        session.open(uri, POLICY)
        await session.publish(uri)
        for number in range(20):
            session.change(uri, (0, 11), (0, 11), "x")
            assert session.versions[uri] == number + 2
        await shown_at_rest(session)
        assert session.discard(PUBLISH) == []
        session.change(uri, (1, 12), (1, 12), "x")
        assert len(await session.diagnostics(uri)) == 1


async def test_other_toml_files_are_left_alone(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        for name in ("Cargo.toml", "docs/notes.toml", "policies/deeper/x.toml", "pyproject.toml", "policies/x.json"):
            session.open((folder / name).as_uri(), 'passages = "nothing"\n[[policy]]\nx = 1\n', language="toml")
            assert await session.request("textDocument/completion", at((folder / name).as_uri(), 0, 2)) is None
            assert await session.request("textDocument/hover", at((folder / name).as_uri(), 0, 2)) is None
        session.open("untitled:Untitled-1", "passages = 1\n", language="toml")
        assert await shown_at_rest(session) == {}


async def test_the_settings_say_which_files_are_policies_and_how_loud_their_faults_are(folder: Path) -> None:
    project = folder / "cite-lsp.toml"
    project.write_text('[policies]\nfiles = ["shipped:log-triage", "docs/*.toml"]\n[rules]\npolicy-file = "warning"\n')
    uri, other = policy(folder, TWELVE, "docs/rules.toml"), policy(folder, TWELVE)
    async with Session(folders=[folder]) as session:
        session.open(uri, TWELVE)
        session.open(other, TWELVE)
        shown = await shown_at_rest(session)
        assert {each["severity"] for each in shown[uri]} == {2}
        assert other not in shown
        project.write_text('[rules]\npolicy-file = "off"\n')
        session.files_changed((project.as_uri(), 2))
        assert (await shown_at_rest(session, shown)).get(uri) == []
        project.write_text("[server]\nmax_diagnostics = 5\n")
        session.files_changed((project.as_uri(), 2))
        found = (await shown_at_rest(session, shown))[other]
        assert len(found) == 6
        assert "7 more faults" in found[-1]["message"]


async def test_a_file_over_the_limit_gets_one_message(folder: Path) -> None:
    text = POLICY + "# " + "x" * 1_000_000 + "\n"
    uri = policy(folder, "")
    async with Session(folders=[folder]) as session:
        session.open(uri, text)
        (found,) = await session.diagnostics(uri)
        assert "1,000,000" in found["message"]
        assert await session.request("textDocument/completion", at(uri, 0, 0)) is None
        session.change(uri, (len(text.split("\n")) - 2, 0), (len(text.split("\n")), 0), "")
        assert await session.diagnostics_of(uri) == []


async def test_a_long_file_is_read_when_typing_rests(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    real = policy_files._read

    def counted(text: str, *more: Any) -> Any:
        reads.append(text)
        return real(text, *more)

    monkeypatch.setattr(policy_files, "_read", counted)
    long = POLICY + '[[test]]\nname = "long"\ntext = """\n' + "A statement. " * 2000 + '"""\n'
    uri = policy(folder, long)
    async with Session(folders=[folder]) as session:
        session.open(uri, long)
        assert await session.diagnostics_of(uri) == []
        for _ in range(30):
            session.change(uri, (1, 12), (1, 12), "x")
            await session.settled()
        (fault,) = await session.diagnostics_of(uri)
        assert '"xxxx' in fault["message"]
        assert len(reads) < 10
        session.expect_nothing()


async def test_a_file_that_is_closed_while_it_is_read_stays_silent(folder: Path) -> None:
    long = POLICY.replace("sentences", "x") + "#" * 20_000
    uri = policy(folder, long)
    async with Session(folders=[folder]) as session:
        for closing in (True, False):
            session.open(uri, long)
            await session.settled()
            if closing:
                session.close(uri)
        assert len(await session.diagnostics(uri)) == 1
        await shown_at_rest(session)


@pytest.mark.parametrize("seed", range(6))
async def test_after_any_typing_the_faults_are_those_of_the_text(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    pieces = ["x", '"', "[[concern]]\n", "\n", "{passage}", "= ", "🧩", "é", "'", "\r\n", 'name = "b"\n', "{", "# "]
    uri = policy(folder, TWELVE)
    text = chance.choice([POLICY, TWELVE])
    async with Session(folders=[folder]) as session:
        session.open(uri, text)
        await session.diagnostics_of(uri)
        for _ in range(60):
            lines = text.split("\n")
            line = chance.randrange(len(lines))
            column = chance.randrange(len(lines[line].rstrip("\r")) + 1)
            if not lines[line].isascii():
                column = 0
            cut = chance.choice([0, 0, 0, min(3, len(lines[line].rstrip("\r")) - column)])
            piece = chance.choice(pieces)
            start = sum(len(each) + 1 for each in lines[:line]) + column
            text = text[:start] + piece + text[start + cut :]
            session.change(uri, (line, column), (line, column + cut), piece)
            await session.request("textDocument/completion", at(uri, line, column + 1))
            await session.request("textDocument/hover", at(uri, line, column))
        found = await session.diagnostics_of(uri)
        faults = read_policy(text, "policies/riddles.toml").faults
        assert [each["message"] for each in found] == [fault.message for fault in faults]
        assert [each["range"]["start"]["line"] + 1 for each in found] == [fault.line for fault in faults]
        session.discard(PUBLISH)


# --- policies in a settings file

SETTINGS = """[rules]
missing = "loud"

[[policy]]
name = "riddles"
passages = "sentence"

[[policy.concern]]
name = "riddle"
detect = { question = "Is {passage} a riddle?", yes = "A riddle.", no = "None." }
"""


@pytest.mark.parametrize("name", ["cite-lsp.toml", "pyproject.toml"])
async def test_policies_in_the_settings_are_told_of_with_the_settings_and_once(folder: Path, name: str) -> None:
    text = SETTINGS
    if name == "pyproject.toml":
        text = text.replace("[rules", "[tool.cite-lsp.rules").replace("[[policy", "[[tool.cite-lsp.policy")
    uri = policy(folder, text, name)
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, text, language="toml")
        shown = await shown_at_rest(session)
        assert sorted((each["code"], each["range"]["start"]["line"]) for each in shown[uri]) == [
            ("policy-file", 5),
            ("setting", 1),
        ]
        session.change(uri, (0, 0), (0, 0), "# one\n# two\n")
        told = await session.publish(uri)
        assert told["version"] == 2
        assert sorted(each["range"]["start"]["line"] for each in told["diagnostics"]) == [3, 7], (
            "both move with the text"
        )
        session.change(uri, (7, 12), (7, 20), "sentences")
        assert codes(await session.diagnostics_of(uri)) == ["setting"]
        text = "# one\n# two\n" + text.replace('"sentence"', '"sentences"').replace("loud", "error")
        policy(folder, text, name)
        session.change_all(uri, text)
        session.save(uri)
        assert (await shown_at_rest(session, shown))[uri] == []
        session.close(uri)
        await shown_at_rest(session)


async def test_what_is_wrong_with_the_settings_stays_when_their_file_is_closed(folder: Path) -> None:
    uri = policy(folder, SETTINGS, "cite-lsp.toml")
    async with Session(folders=[folder]) as session:
        session.open((folder / "docs/a.md").as_uri(), "x\n")
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["setting"], "policies are told of in open files"
        session.open(uri, SETTINGS, language="toml")
        assert sorted(codes((await shown_at_rest(session, shown))[uri])) == ["policy-file", "setting"]
        session.close(uri)
        assert codes((await shown_at_rest(session, shown))[uri]) == ["setting"]


async def test_settings_that_are_no_toml_are_told_of_once(folder: Path) -> None:
    uri = policy(folder, SETTINGS, "cite-lsp.toml")
    async with Session(folders=[folder]) as session:
        session.open(uri, SETTINGS, language="toml")
        shown = await shown_at_rest(session)
        broken = SETTINGS + "[[policy.\n"
        session.change_all(uri, broken)
        assert codes((await shown_at_rest(session, shown))[uri]) == ["setting"]
        policy(folder, broken, "cite-lsp.toml")
        session.save(uri)
        (found,) = (await shown_at_rest(session, shown))[uri]
        assert (found["code"], "TOML" in found["message"]) == ("setting", True)


async def test_completion_in_the_settings_is_of_policies_only(folder: Path) -> None:
    uri = policy(folder, SETTINGS, "cite-lsp.toml")
    async with Session(folders=[folder]) as session:
        session.open(uri, SETTINGS)
        labels = await completed(session, uri, SETTINGS.replace('"sentence"', '"|"'))
        assert labels[0] == "lines"
        assert "[[policy.filter]]" in await completed(session, uri, SETTINGS + "|")
        assert await completed(session, uri, SETTINGS.replace('missing = "loud"', 'missing = "loud"\n|')) == []
        await shown_at_rest(session)


# --- completion


async def completed(session: Session, uri: str, text: str, *, apply: str = "") -> Any:
    """The labels offered where `|` stands; with `apply` the text once that item is taken."""
    before, _, after = text.partition("|")
    session.change_all(uri, before + after)
    line, column = before.count("\n"), len(before) - before.rfind("\n") - 1
    items = await session.request("textDocument/completion", at(uri, line, column)) or []
    if not apply:
        return [item["label"] for item in items]
    (edit,) = [item["textEdit"] for item in items if item["label"] == apply]
    lines = (before + after).split("\n")
    start, end = edit["range"]["start"], edit["range"]["end"]
    assert start["line"] == end["line"] == line
    assert start["character"] <= column <= end["character"]
    lines[line] = lines[line][: start["character"]] + edit["newText"] + lines[line][end["character"] :]
    return "\n".join(lines)


IN_CONCERN = POLICY.partition("[[score]]")[0]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("thr|\n" + POLICY, {"threshold", "window", "applies_to"}),
        (POLICY.replace('"sentences"', "|"), {"lines", "sentences", "log-lines"}),
        (POLICY.replace('"sentences"', '"se|'), {"lines", "sentences", "log-lines"}),
        ("show = [|]\n" + POLICY, {"line", "section", "input"}),
        (IN_CONCERN + "[[concern]]\nsev|", {"severity", "detect", "confirm", "[[concern.role]]", "[concern.detect]"}),
        (IN_CONCERN + '[[concern]]\nseverity = "|"', {"error", "off"}),
        (IN_CONCERN + "[[concern]]\ndetect = { | }", {"question", "focus", "yes", "no"}),
        (IN_CONCERN + '[[concern]]\ndetect = { question = "x", yes = { |', {"what", "not_for", "examples"}),
        (IN_CONCERN + '[[concern.role]]\nfactor = "|"', {"income"}),
        (IN_CONCERN + "[[concern.role]]\noptional = |", {"true", "false"}),
        (IN_CONCERN + '[[test]]\nname = "x"\nfound = { | }', {"riddle", "earnings"}),
        (IN_CONCERN + '[[test]]\nname = "x"\nverdicts = { riddle = "|" }', {"holds", "review", "fails", "absent"}),
        (POLICY + "\n[[|", {"filter", "factor", "concern", "score", "choice", "test"}),
        (IN_CONCERN + "\n[[concern.|", {"role", "check"}),
        (IN_CONCERN + "\n[concern.|", {"detect", "confirm"}),
    ],
)
async def test_what_may_follow_is_offered_while_the_text_is_no_toml_yet(
    folder: Path, typed: str, offered: set[str]
) -> None:
    uri = policy(folder)
    async with Session(folders=[folder]) as session:
        session.open(uri, POLICY)
        assert offered <= {*await completed(session, uri, typed)}
        await shown_at_rest(session)


async def test_keys_that_are_there_are_not_offered(folder: Path) -> None:
    uri = policy(folder)
    async with Session(folders=[folder]) as session:
        session.open(uri, POLICY)
        labels = await completed(session, uri, POLICY.replace('name = "riddle"\n', 'name = "riddle"\n|\n'))
        assert {"severity", "category", "confirm"} <= {*labels}
        assert not {"name", "detect", "[concern.detect]"} & {*labels}
        labels = await completed(session, uri, 'show = ["line", "|"]\n' + POLICY)
        assert "section" in labels
        assert "line" not in labels
        await shown_at_rest(session)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (POLICY.replace("Is {passage} a", "Is {| a"), ["{passage}"]),
        (POLICY.replace("Is {passage} a", "Is {pas|} a"), ["{passage}"]),
        (POLICY.replace("Is {earner} enough", "Is {| enough"), ["{earner}"]),
        (POLICY.replace("How sure", "How {| sure"), []),
        (POLICY.replace('"A riddle."', '"A {|"'), []),
        (POLICY.replace("Is {passage} a", "Is | a"), []),
        (
            POLICY.replace('name = "riddle"', 'name = "riddle"\nmessage = "{|"'),
            ["{concern}", "{category}", "{verdict}", "{passage}", "{sureness}"],
        ),
    ],
)
async def test_placeholders_are_offered_where_they_are_legal(folder: Path, typed: str, offered: list[str]) -> None:
    uri = policy(folder)
    async with Session(folders=[folder]) as session:
        session.open(uri, POLICY)
        assert await completed(session, uri, typed) == offered
        await shown_at_rest(session)


@pytest.mark.parametrize(
    ("typed", "item", "wanted"),
    [
        ("win|\n", "window", "window = \n"),
        ("win| = 3\n", "window", "window = 3\n"),
        ("passages = |\n", "log-lines", 'passages = "log-lines"\n'),
        ("passages = lo|\n", "log-lines", 'passages = "log-lines"\n'),
        ('passages = "lo|\n', "log-lines", 'passages = "log-lines"\n'),
        ('passages = "lo|gs"\n', "log-lines", 'passages = "log-lines"\n'),
        ("show = |\n", "time", 'show = ["time"]\n'),
        ("window = |\n", "40", "window = 40\n"),
        ("[[con|\n", "concern", "[[concern]]\n"),
        ("[[con|]]\n", "concern", "[[concern]]\n"),
        ("con|\n", "[[concern]]", "[[concern]]\n\n"),
        ('[[filter]]\nquestion = "Is {pas|} 🧩?"\n', "{passage}", '[[filter]]\nquestion = "Is {passage} 🧩?"\n'),
        ('[[filter]]\nquestion = "Is {| it?"\n', "{passage}", '[[filter]]\nquestion = "Is {passage} it?"\n'),
        (
            '[[concern]]\nname = "a.b"\n[[test]]\nfound = { | }\n',
            "a.b",
            '[[concern]]\nname = "a.b"\n[[test]]\nfound = { "a.b" =  }\n',
        ),
    ],
)
async def test_an_item_replaces_the_word_that_was_begun(folder: Path, typed: str, item: str, wanted: str) -> None:
    uri = policy(folder)
    async with Session(folders=[folder]) as session:
        session.open(uri, POLICY)
        assert await completed(session, uri, typed, apply=item) == wanted
        await shown_at_rest(session)


async def test_what_may_follow_is_asked_for_behind_these_characters(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        provider = session.capabilities_of_server["completionProvider"]
        assert set('[."={') <= set(provider["triggerCharacters"])
        uri = (folder / "docs/a.md").as_uri()
        session.open(uri, 'passages = "\n')
        assert await session.request("textDocument/completion", at(uri, 0, 12)) is None
        await shown_at_rest(session)


# --- hover


async def hovered(session: Session, uri: str, text: str, word: str, number: int = 0) -> dict[str, Any] | None:
    """The hover over a word's `number`th occurrence."""
    offset = -1
    for _ in range(number + 1):
        offset = text.index(word, offset + 1)
    line, column = text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1
    found: dict[str, Any] | None = await session.request("textDocument/hover", at(uri, line, column))
    return found


def asked(value: str) -> list[dict[str, Any]]:
    """The questions that a hover shows as JSON."""
    return [json.loads(part.partition("```")[0]) for part in value.split("```json\n")[1:]]


async def test_hover_says_what_is_asked_in_which_round_as_a_client_gets_it(folder: Path) -> None:
    uri = policy(folder)
    async with Session(folders=[folder]) as session:
        session.open(uri, POLICY)
        await session.publish(uri)
        found = await hovered(session, uri, POLICY, '"claims"')
        assert found is not None
        value = found["contents"]["value"]
        assert "first round" in value
        (question,) = asked(value)
        assert question == {
            "type": "noul",
            "instructions": {
                "question": "Does `passages.<id>.text` say something?",
                "inspect": "`passages.<id>.text`",
            },
            "criteria": {
                "true": {"what": "A statement."},
                "false": {"what": "A greeting.", "not_for": "A statement with a greeting."},
            },
        }
        found = await hovered(session, uri, POLICY, "Does {passage} say")
        assert found is not None
        assert found["contents"]["value"] == value
        assert found["range"] == range_of((5, 0), (5, 8))

        value = (await hovered(session, uri, POLICY, '"riddle"') or {})["contents"]["value"]
        assert "In the second round it is asked again" in value
        value = (await hovered(session, uri, POLICY, "[[concern]]", 1) or {})["contents"]["value"]
        factor, check = asked(value)
        assert factor["instructions"]["question"] == "Does `passages.<id>.text` name an income?"
        assert check["instructions"] == {"question": "Is `earner.text` enough?", "inspect": "`earner.text`"}
        value = (await hovered(session, uri, POLICY, '"sureness"') or {})["contents"]["value"]
        (score,) = asked(value)
        assert (score["type"], score["criteria"]) == ("score", ["low", "high"])
        assert "It decides nothing" in value
        value = (await hovered(session, uri, POLICY, "summary") or {})["contents"]["value"]
        assert value == "**`summary`**: What the policy looks for, on one line."


async def test_hover_works_in_a_file_with_faults_and_in_one_that_is_no_toml(folder: Path) -> None:
    uri = policy(folder, TWELVE)
    async with Session(folders=[folder]) as session:
        session.open(uri, TWELVE)
        for text in (TWELVE, TWELVE + "[[con"):
            session.change_all(uri, text)
            found = await hovered(session, uri, text, '"riddle"')
            assert found is not None
            (question,) = asked(found["contents"]["value"])
            assert question["instructions"]["question"] == "Ist `passages.<id>.text` ein Rätsel 🧩?"
            assert question["criteria"]["false"] == {"what": "Keines."}
        await shown_at_rest(session)


def bands(model: str, policy_text: str = POLICY) -> str:
    """Bands of `detect:riddle`, found on rows that are told apart well."""
    file = read_policy(policy_text, "policies/riddles.toml").file
    assert file is not None
    rows = [
        LabelledScore("detect:riddle", f"{truth}{number}", 0.9 - number / 2000 if truth else 0.1 + number / 2000, truth)
        for truth in (True, False)
        for number in range(150)
    ]
    (found,) = fit(rows).values()
    assert found.band is not None
    return bands_text([found], file.policy, name="riddles", identity=model, calibrated_at="2026-11-30")


async def test_hover_says_how_a_question_was_calibrated(folder: Path) -> None:
    uri = policy(folder)
    beside = folder / f"policies/riddles{ENDING}"
    beside.write_text(bands("systemone m1 at http://127.0.0.1:1"))
    async with Session(folders=[folder]) as session:
        session.open(uri, POLICY)
        await session.publish(uri)
        value = (await hovered(session, uri, POLICY, '"riddle"') or {})["contents"]["value"]
        assert "Calibrated on 300 labelled answers of systemone m1" in value
        assert "2026-11-30: up to " in value
        assert "does not count" not in value
        value = (await hovered(session, uri, POLICY, '"claims"') or {})["contents"]["value"]
        assert "alibrated" not in value

        text = POLICY.replace("Is {passage} a riddle", "Is {passage} a real riddle")
        session.change_all(uri, text)
        value = (await hovered(session, uri, text, '"riddle"') or {})["contents"]["value"]
        assert "It does not count" in value
        assert "the wording of detect:riddle has changed" in value
        await shown_at_rest(session)


async def test_a_file_of_bands_that_cannot_be_read_is_said(folder: Path) -> None:
    uri = policy(folder)
    (folder / f"policies/riddles{ENDING}").write_text("{")
    async with Session(folders=[folder]) as session:
        session.open(uri, POLICY)
        await session.publish(uri)
        value = (await hovered(session, uri, POLICY, '"riddle"') or {})["contents"]["value"]
        assert "Not calibrated: riddles.bands.json counts for nothing" in value


# --- what is loaded

LOADED = """
import asyncio, sys
from pathlib import Path
from tests.server.harness import Session, at

async def main(folder):
    async with Session(folders=[folder]) as session:
        for name in ("a.md", "Cargo.toml"):
            uri = (folder / name).as_uri()
            session.open(uri, "x = 1\\n")
            await session.request("textDocument/completion", at(uri, 0, 0))
            await session.request("textDocument/hover", at(uri, 0, 0))
        await session.settled()
        session.discard("textDocument/publishDiagnostics")
        print(sorted(name for name in sys.modules if name.startswith("cite_lsp.policy")))

asyncio.run(main(Path(sys.argv[1])))
"""


def test_nothing_of_policies_is_loaded_before_one_is_open(folder: Path) -> None:
    command = [sys.executable, "-c", LOADED, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    assert done.stdout.strip() == "[]"
