"""What is told of what policies found: code, severity, words, the passages beside."""

import asyncio

import pytest

from cite_lsp.config import Settings
from cite_lsp.findings.check import Levels, as_finding
from cite_lsp.findings.finding import Severity
from cite_lsp.findings.policing import PolicyTold, told_of
from cite_lsp.judges.policies import plan, run_policy
from cite_lsp.policy.asking import Reply, Request
from cite_lsp.policy.files import read_policy

POLICY = """\
name = "style"
passages = "lines"
retries = 0

[[concern]]
name = "riddle"
category = "puzzles"

[concern.detect]
question = "Does {passage} pose a riddle?"
yes = "A question asked to be puzzled over."
no = "A plain question, a statement, or a remark."
"""
SCORED = """
[[score]]
name = "hardness"
question = "How hard is it?"
levels = ["easy", "fair", "hard"]

[[choice]]
name = "kind"
question = "What kind is it?"
options = { wordplay = "On words.", logic = "On thought." }
"""


class Client:
    """Answers by numbers that stand in the passages: `0.9` first, and behind it what is said when asked again."""

    identity = "a client of tests"

    def __init__(self, score: float = 0.0) -> None:
        self.score = score

    async def __call__(self, request: Request) -> Reply:
        shown = request["state"]["passages"]
        return {"answers": {key: self._answer(key, each["type"], shown) for key, each in request["questions"].items()}}

    def _answer(self, key: str, kind: str, shown: dict[str, dict[str, str]]) -> dict[str, object]:
        if kind == "score":
            return {"score": self.score, "confidence": 0.5}
        if kind == "choice":
            return {"choice": "logic", "confidence": 0.5}
        name = key.removeprefix("confirm:").removesuffix(":riddle")
        first, _, again = shown[name]["text"].partition(" ")[0].partition("/")
        return {"noul": float(again or first) if key.startswith("confirm:") else float(first)}

    async def close(self) -> None:
        pass


def told(text: str, policy: str = POLICY, client: Client | None = None) -> tuple[PolicyTold, ...]:
    file = read_policy(policy, "policies/style.toml").file
    assert file is not None
    return told_of(asyncio.run(run_policy(client or Client(), plan(file, text, "a.md"))))


def levels(rules: dict[str, str]) -> Levels:
    return Levels("a.md", Settings.model_validate({"rules": rules}), tracked=True)


def test_a_finding_is_told_at_its_passage() -> None:
    text = "é\n0.9 Why?\n0.1 So.\n".replace("é", "0.1 é𝒳")
    (found,) = told(text)
    assert (found.told.code, found.verdict, found.policy, found.concern) == (
        "policy:style/riddle", "holds", "style", "riddle",
    )  # fmt: skip
    assert text[found.told.start : found.told.end] == found.piece.text == "0.9 Why?"
    assert found.told.message == "puzzles: A question asked to be puzzled over"
    assert found.related == ()


def test_what_fails_is_told_nowhere() -> None:
    assert told("0.9/0.1 Why?\n") == ()


def test_review_of_a_passage_or_of_the_finding_is_doubtful() -> None:
    text = "0.9/0.9 One\n0.9/0.5 Two\n0.9/0.1 Three\n"
    one, two = told(text)
    assert [(each.verdict, each.told.doubtful) for each in (one, two)] == [("holds", False), ("review", True)]
    assert two.told.message.startswith("a person should look: puzzles: ")
    assert [each.message for each in one.related] == ["0.9/0.5 Two"]
    (alone,) = told("0.5/0.9 One\n")  # it was gathered in doubt only
    assert alone.verdict == "review"


@pytest.mark.parametrize(
    ("rules", "severities"),
    [
        ({}, [Severity.WARNING, Severity.HINT]),
        ({"policy:style/riddle": "error"}, [Severity.ERROR, Severity.HINT]),
        ({"policy:style/riddle": "off"}, [None, None]),
        ({"policy:style/other": "off"}, [Severity.WARNING, Severity.HINT]),
    ],
)
def test_settings_give_the_severity_of_what_holds(rules: dict[str, str], severities: list[Severity | None]) -> None:
    findings = [as_finding(each.told, levels(rules)) for each in told("0.9 One\n0.9/0.5 Two\n")]
    assert [each and each.severity for each in findings] == severities


@pytest.mark.parametrize("level", ["error", "information", "hint", "off"])
def test_a_concern_has_the_severity_that_its_policy_gives(level: str) -> None:
    (found,) = told("0.9 One\n", POLICY.replace('name = "riddle"', f'name = "riddle"\nseverity = "{level}"'))
    finding = as_finding(found.told, levels({}))
    assert (finding and finding.severity.value) == (None if level == "off" else level)
    louder = as_finding(found.told, levels({"policy:style/riddle": "warning"}))
    assert louder is not None


@pytest.mark.parametrize(("score", "level"), [(0.0, "easy"), (0.49, "easy"), (0.5, "fair"), (1.6, "hard"), (2, "hard")])
def test_templates_name_what_was_found(score: float, level: str) -> None:
    template = 'message = "{concern} {category} {verdict}: {passage} ({kind}, {hardness})"'
    policy = POLICY.replace('name = "riddle"', f'name = "riddle"\n{template}') + SCORED
    (found,) = told("0.9 Why?\n", policy, Client(score))
    assert found.told.message == f"riddle puzzles holds: 0.9 Why? (logic, {level})"


def test_a_message_is_one_line_with_nothing_hidden_and_not_long() -> None:
    template = 'message = "it says {passage}"'
    policy = POLICY.replace('name = "riddle"', f'name = "riddle"\n{template}')
    (found,) = told(f"0.9 a\u202eb\t{'long ' * 50}\n", policy)
    assert found.told.message.startswith("it says 0.9 a\\u{202e}b long long")
    assert len(found.told.message) < 90
