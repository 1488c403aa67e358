"""Which passages a policy is asked about, what stays on this machine, what is booked, and what was not checked."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.clients.redaction import kept_back
from cite_lsp.config.settings import JudgeSettings
from cite_lsp.judges.making import Unavailable
from cite_lsp.judges.policies import (
    Booking,
    CitedLines,
    Plan,
    PolicyOutcome,
    applies,
    cause_of,
    in_words,
    likely_paths,
    not_asked,
    plan,
    policy_client,
    run_policy,
)
from cite_lsp.policy.asking import Reply, Request
from cite_lsp.policy.files import PolicyFile, read_policy

KEY = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
STYLE = """\
passages = "lines"
retries = 0
window = 2

[[concern]]
name = "riddle"

[concern.detect]
question = "Does {passage} pose a riddle?"
yes = "A question asked to be puzzled over."
no = "A plain question, a statement, or a remark."
"""


def policy(head: str = "", text: str = STYLE) -> PolicyFile:
    file = read_policy(f"{head}\n{text}", "policies/style.toml").file
    assert file is not None
    return file


def sent(planned: Plan) -> dict[str, str]:
    return {each.id: each.text for each in planned.source.passages}


class Client:
    """Says *yes* of what holds a word; what holds "fail" fails, for the reason given."""

    identity = "a client of tests"

    def __init__(self, reason: Any = "server_error") -> None:
        self.reason = reason
        self.requests: list[Request] = []

    async def __call__(self, request: Request) -> Reply:
        self.requests.append(request)
        shown = request["state"]["passages"]
        if any("fail" in each["text"] for each in shown.values()):
            return {"error": self.reason}
        return {"answers": {key: {"noul": self._answer(key, shown)} for key in request["questions"]}, "usage": None}

    def _answer(self, key: str, shown: Mapping[str, Any]) -> float:
        name = key.removeprefix("confirm:").removesuffix(":riddle")
        return 0.9 if "riddle" in shown[name]["text"] else 0.1

    async def close(self) -> None:
        pass


def asked(text: str, client: Client, booking: Booking | None = None) -> PolicyOutcome:
    return asyncio.run(run_policy(client, plan(policy(), text, "a.md"), booking=booking))


# --- passages


def test_passages_are_parts_of_the_text_byte_for_byte() -> None:
    text = "  One riddle. \r\n\r\n\tTwo é𝒳\r\n"
    planned = plan(policy(), text, "a.md")
    assert sent(planned) == {"L1": "  One riddle. ", "L3": "\tTwo é𝒳"}
    assert all(text[each.start : each.end] == each.text for each in planned.pieces.values())
    assert planned.withheld == ()


def test_what_a_policy_shows_goes_along_and_nothing_else() -> None:
    text = "2026-01-02 10:00:00 ERROR down\n"
    planned = plan(policy('show = ["level"]', STYLE.replace('"lines"', '"log-lines"')), text, "a.log")
    (passage,) = planned.source.passages
    assert planned.source.shown(passage) == {"level": "error", "id": "L1", "text": text.rstrip("\n")}


def test_all_lines_of_a_private_key_stay_here() -> None:
    text = "Before.\n-----BEGIN RSA PRIVATE KEY-----\nMIIB short\n-----END RSA PRIVATE KEY-----\nBehind.\n"
    planned = plan(policy(), text, "a.md")
    assert list(sent(planned)) == ["L1", "L5"]
    assert [each.piece.id for each in planned.withheld] == ["L2", "L3", "L4"]
    whole = plan(policy("", STYLE.replace('"lines"', '"paragraphs"')), f"One.\nTwo {KEY}.\n\nThree.\n", "a.md")
    assert sent(whole) == {"P2": "Three."}


@given(st.lists(st.sampled_from(["One.", f"Key {KEY} here.", "", "Two\ud800.", "Three é."]), max_size=8))
def test_every_passage_is_sent_or_withheld_and_no_key_is_sent(lines: list[str]) -> None:
    planned = plan(policy(), "\n".join(lines), "a.md")
    assert {*sent(planned), *(each.piece.id for each in planned.withheld)} == set(planned.pieces)
    assert len(planned.source.passages) + len(planned.withheld) == len(planned.pieces)
    assert not any(kept_back(text) or "\ud800" in text for text in sent(planned).values())
    assert all(each.why for each in planned.withheld)


def test_a_document_that_may_not_be_sent_is_withheld_whole() -> None:
    planned = plan(policy(), "One.\nTwo.\n", "a.md", withheld="this document is a secret")
    assert sent(planned) == {}
    assert [each.why for each in planned.withheld] == ["this document is a secret"] * 2


@pytest.mark.parametrize("heading", [f"# Use {KEY}\n", f"Use {KEY}\n====\n", f"# *Use* `{KEY}` #\n"])
def test_a_heading_that_looks_like_a_key_is_not_shown(heading: str) -> None:
    text = f"One.\n\n{heading}\nTwo.\n\n# Else\n\nThree.\n"
    sentences = STYLE.replace('"lines"', '"sentences"')
    planned = plan(policy('show = ["section"]', sentences), text, "a.md")
    assert sent(planned) == {"S1": "One.", "S3": "Three."}
    assert [each.why for each in planned.withheld] == [
        "the heading above this passage looks like a key, so it was not sent"
    ]
    assert len(sent(plan(policy("", sentences), text, "a.md"))) == 3


@pytest.mark.parametrize(
    ("withheld", "why"),
    [("this document is a secret", "this document is a secret"), ("", "what this file cites is not known, as")],
)
def test_where_nobody_knows_what_is_cited_nothing_is_checked(withheld: str, why: str) -> None:
    planned = plan(policy('input = "cited"'), "One `a:1`.\nTwo.\n", "a.md", withheld=withheld, cited=None)
    assert sent(planned) == {}
    assert [each.why[: len(why)] for each in planned.withheld] == [why] * 2
    assert (len(planned.pieces), planned.left_out) == (2, 0)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (None, "this policy is asked beside an input, and none was given"),
        (f"It is\n{KEY}\n", "a line of the input looks like a key, so nothing was sent"),
        ("It is so.", ""),
    ],
)
def test_an_input_goes_along_with_each_passage(given: str | None, why: str) -> None:
    planned = plan(policy('input = "given"'), "One.\nTwo.\n", "a.md", given=given)
    assert [each.why for each in planned.withheld] == [why] * 2 * bool(why)
    shown = [planned.source.shown(each) for each in planned.source.passages]
    assert [each["input"] for each in shown] == ([] if why else [given, given])


def test_what_a_passage_cites_goes_along_with_it() -> None:
    text = "One `a:1` and `b:2`.\nTwo.\nThree `c:3`.\nFour `d:4`.\nFive `e:5`.\n"
    cited = [
        CitedLines(4, "a = 1"),
        CitedLines(14, "b = 2"),
        CitedLines(32, ""),
        CitedLines(text.index("`d"), "d = 4"),
        CitedLines(text.index("`d") + 1, "", "the cited file is a secret"),
        CitedLines(text.index("`e"), "e" * 50_000),
    ]
    planned = plan(policy('input = "cited"'), text, "a.md", cited=cited)
    assert [planned.source.shown(each)["input"] for each in planned.source.passages] == ["a = 1\n\nb = 2"]
    assert [(each.piece.id, each.why[:40]) for each in planned.withheld] == [
        ("L4", "the cited file is a secret"),
        ("L5", "the lines that this passage cites have m"),
    ]
    assert planned.left_out == 2


@pytest.mark.parametrize(
    ("head", "path", "is_document", "expected"),
    [
        ("", "a.md", True, True),
        ("", "a.log", False, False),
        ('applies_to = ["**/*.log"]', "logs/a.log", False, True),
        ('applies_to = ["**/*.log"]', "a.md", True, False),
        ('applies_to = ["docs/**"]', "docs/a.md", True, True),
    ],
)
def test_what_a_policy_is_about(head: str, path: str, is_document: bool, expected: bool) -> None:
    assert applies(policy(head), path, is_document=is_document) is expected


def test_few_paths_are_looked_at_where_the_globs_allow_it() -> None:
    paths = ("a.md", "policies/a.toml", "x.yaml")
    assert list(likely_paths(("policies/*.toml",), paths)) == ["policies/a.toml"]
    assert list(likely_paths(("policies/*",), paths)) == list(paths)
    assert list(likely_paths(("shipped:log-triage",), paths)) == []


# --- what was not checked


def test_what_failed_was_not_checked_and_says_why() -> None:
    outcome = asked("A riddle.\nTwo.\nThis will fail.\nFour.\n", Client())
    assert [each.concern for each in outcome.report.findings] == ["riddle"]
    assert [(each.piece.id, each.why, each.concern) for each in outcome.unchecked] == [
        ("L3", "the server failed", None),
        ("L4", "the server failed", None),
    ]
    assert (outcome.passages_unchecked, outcome.complete) == (2, False)
    assert [(each.cause, each.message, each.rows) for each in outcome.troubles] == [
        ("server_error", "the server failed", 2)
    ]


def test_one_that_failed_in_the_second_round_was_not_checked_for_its_concern() -> None:
    class Second(Client):
        async def __call__(self, request: Request) -> Reply:
            if "confirm:L1" in request["questions"]:
                return {"error": ["rate_limited", 7], "message": "the server takes no more today"}
            return await super().__call__(request)

    outcome = asked("A riddle.\nTwo.\n", Second())
    assert [(each.piece.id, each.concern, each.cause, each.why) for each in outcome.unchecked] == [
        ("L1", "riddle", "rate_limited", "the server takes no more today")
    ]


def test_what_is_withheld_was_not_checked() -> None:
    outcome = asked(f"A riddle.\nThe key is {KEY}.\n", Client())
    assert [(each.piece.id, each.cause) for each in outcome.unchecked] == [("L2", "withheld")]


def test_where_nobody_is_asked_nothing_was_checked() -> None:
    planned = plan(policy(), f"One.\nKey {KEY}.\nThree.\n", "a.md")
    outcome = not_asked(planned, "nobody is there")
    assert [(each.piece.id, each.why == "nobody is there") for each in outcome.unchecked] == [
        ("L1", True), ("L2", False), ("L3", True),
    ]  # fmt: skip
    assert outcome.report.findings == ()


@pytest.mark.parametrize(
    ("reason", "cause", "words"),
    [
        ("deadline", "deadline", "the time of the run was over"),
        (["rate_limited", 7000], "rate_limited", "the server takes no more requests for now"),
        (["strange", {"a": 1}], "strange", 'the request failed (["strange", {"a": 1}])'),
        (None, "failed", "the request failed (null)"),
        ([], "failed", "the request failed ([])"),
        (object, "failed", "the request failed ("),
        ("x" * 500, "x" * 500, "the request failed (xxx"),
    ],
)
def test_reasons_have_words(reason: object, cause: str, words: str) -> None:
    assert cause_of(reason) == cause
    assert in_words(reason).startswith(words)
    assert len(in_words(reason)) < 130


# --- who is asked, and what is booked


@pytest.mark.parametrize("name", ["embedded", "ollama", "anthropic", "command"])
def test_other_judges_are_not_asked(name: Any) -> None:
    with pytest.raises(Unavailable, match=f"of the judges decision and openai, and judge.name is {name}"):
        policy_client(JudgeSettings(name=name))


class Book:
    """A ledger that admits so many rows."""

    def __init__(self, rows: int) -> None:
        self.left = rows
        self.booked: list[tuple[str, int, float | None]] = []

    def admit(self, judge: str, rows: int, cost: float | None) -> str:
        if rows > self.left:
            return "no more today"
        self.left -= rows
        self.booked.append((judge, rows, cost))
        return ""


def test_each_request_is_booked_by_its_passages_and_one_too_many_is_not_sent() -> None:
    book, client = Book(5), Client()
    outcome = asked("A riddle.\nTwo.\nThree.\nFour.\nFive.\nSix.\n", client, Booking(book, "decision", 0.5))
    assert book.booked == [("decision", 2, 0.5), ("decision", 2, 0.5), ("decision", 1, 0.5)]
    assert len(client.requests) == 3
    assert [(each.cause, each.message, each.rows) for each in outcome.troubles] == [("declined", "no more today", 2)]


def test_what_reached_nobody_is_given_back() -> None:
    book = Book(10)
    asked("This will fail.\n", Client(["request_error", "econnrefused"]), Booking(book, "decision", 0.5))
    assert (book.left, book.booked) == (10, [("decision", 1, 0.5), ("decision", -1, -0.5)])
    asked("This will fail.\n", Client(["request_error", "econnreset"]), Booking(book, "decision"))
    assert book.left == 9
