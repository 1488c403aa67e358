"""What goes to a cluster and comes back: nothing is lost, no key goes, and nothing malformed is taken."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.audit.judgement import Judged, Judgement, Trouble, Usage
from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.verdicts import Evidence, Row, Verdict
from cite_lsp.config.settings import JudgeSettings
from cite_lsp.judges.parcels import Answer, BadParcelError, Grant, Keys, Parcel, redacted_row, secrets_in
from cite_lsp.judges.shown_lines import KEPT_BACK, shown_lines, why_not_shown

KEY = "AKIAIOSFODNN7ABCDEFG"
FILE = ("CAP = 3", f'KEY = "{KEY}"', "LAST = 5")
ROW = Row.of(claim="The cap is 3.", lines=[(1, FILE[0])], path="src/a.py", file=FILE)
texts = st.text(st.characters(), max_size=40) | st.just("half a pair \ud800")


def parcel(*rows: Row, **judge: object) -> Parcel:
    return Parcel("1.0", "somebody/1", JudgeSettings.model_validate(judge), AuditOptions(strict=True), (), rows)


@given(st.lists(st.tuples(texts, texts, st.lists(texts, min_size=1, max_size=3)), max_size=4))
def test_rows_arrive_as_they_were_sent(drawn):
    rows = [
        Row.of(claim=claim, sentence=sentence, lines=enumerate(lines, 1), path="a.py", file=lines)
        for claim, sentence, lines in drawn
    ]
    sent = replace(parcel(*rows), grant=Grant(3, 0.5))
    assert Parcel.opened(sent.packed()) == sent


def test_a_file_goes_once_and_only_to_the_judge_that_reads_files():
    several = [replace(ROW, claim=f"The cap is {number}.") for number in range(5)]
    assert parcel(*several).packed().count(b"LAST = 5") == 1
    arrived = Parcel.opened(parcel(*several).packed()).rows
    assert all(row.file is arrived[0].file for row in arrived)
    packed = parcel(*several, name="openai", model="m").packed()
    assert b"LAST = 5" not in packed
    assert KEY.encode() not in packed


@pytest.mark.parametrize("lines", [FILE, (FILE[1],), ("-----BEGIN PRIVATE KEY-----", "abc", "CAP = 3"), ("CAP = 3",)])
def test_a_judge_is_shown_the_same_of_a_row_without_keys(lines):
    row = Row.of(claim="The cap is 3.", lines=enumerate(lines, 1), path="src/a.py")
    there = redacted_row(row)
    assert KEY not in str(there)
    assert shown_lines(there) == shown_lines(row)
    assert why_not_shown(there, shown_lines(there)) == why_not_shown(row, shown_lines(row))
    assert (KEPT_BACK in {line.shown for line in shown_lines(row)}) is (len(lines) != 1 or KEY in lines[0])
    claimed = replace(row, claim=f"The key is {KEY}.", sentence=f"The key is {KEY}.", part=f"{KEY}")
    assert KEY not in str(redacted_row(claimed))
    assert why_not_shown(redacted_row(claimed), shown_lines(claimed)) == why_not_shown(claimed, shown_lines(claimed))


def test_a_key_anywhere_in_a_cited_file_is_seen():
    keys = Keys()
    for sha256 in ("", "f" * 64, "f" * 64):
        assert keys.in_row(replace(ROW, file_sha256=sha256))
    assert not keys.in_row(replace(ROW, file=FILE[:1], file_sha256="e" * 64))
    assert not keys.in_row(replace(ROW, file=None))
    assert keys.in_row(replace(ROW, file=None, sentence=f"It is {KEY}."))
    assert keys.in_row(Row.of(claim="It is.", lines=[(1, FILE[1])]))


def test_what_may_hold_a_key_stays():
    settings = {
        "name": "openai",
        "model": "m",
        "base_url": "https://me:open-sesame@judge.example/v1?token=knock-knock",
        "headers": {"X-Pass": "swordfish"},
        "exclude": ["secret-project/**"],
    }
    packed = replace(parcel(ROW, **settings), headers=("X-Pass",)).packed()
    for secret in (b"open-sesame", b"knock-knock", b"swordfish", b"secret-project"):
        assert secret not in packed
    arrived = Parcel.opened(packed)
    assert (arrived.judge.base_url, arrived.headers) == ("https://judge.example/v1", ("X-Pass",))
    assert secrets_in(JudgeSettings(name="command", command=("judge", f"--key={KEY}"))) == "judge.command"
    assert secrets_in(JudgeSettings(name="openai", api_key_env=KEY)) == "judge.api_key_env"
    assert secrets_in(JudgeSettings(name="command", command=("judge", "--fast"), model="gpt-5")) == ""


def test_answers_arrive_as_they_were_given():
    verdict = Verdict("unsupported", "contradicted", "No.", "line 1", (Evidence(0, 0, "CAP = 3"),), None, "somebody/1")
    troubles = (Trouble("timeout", "it took too long", 1),)
    judgement = Judgement((Judged(verdict, 7.0), None), Usage(2, 30, 4, 0.5), troubles, declined=True)
    answer = Answer(judgement, Grant(2, 0.5))
    assert Answer.opened(answer.packed(), [ROW, ROW], 7.0) == answer


SUPPORTED = Verdict("supported", evidence=(Evidence(0, 0, FILE[0]),))
GOOD = json.loads(Answer(Judgement((Judged(SUPPORTED, 0.0),))).packed())
SAID = GOOD["answers"][0]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        b"",
        b"\xff\xfe",
        b"[]",
        b"{}",
        {"form": 2},
        {"answers": []},
        {"answers": [None, None]},
        {"answers": None},
        {"answers": [{"label": "good"}]},
        {"answers": [{"label": "supported", "evidence": [[0]]}]},
        {"answers": ["supported"]},
        {"usage": [1, 2, 3]},
        {"usage": ["many", 2, 3, None]},
        {"troubles": [["cause"]]},
        {"used": [1]},
        {"used": None},
        {"answers": [SAID | {"evidence": []}]},
        {"answers": [SAID | {"evidence": [[0, 0, "CAP = 4"]]}]},
        {"answers": [SAID | {"evidence": [[0, 1, FILE[1]]]}]},
        {"answers": [SAID | {"evidence": [[1, 0, FILE[0]]]}]},
        {"answers": [SAID | {"evidence": [[-1, 0, FILE[0]]]}]},
        {"answers": [SAID | {"kind": "contradicted"}]},
        {"answers": [SAID | {"confidence": 1.5}]},
        {"answers": [SAID | {"confidence": float("nan")}]},
        {"answers": [SAID | {"reason": ["no", "text"]}]},
        {"usage": [-1, 0, 0, None]},
        {"usage": [float("inf"), 0, 0, None]},
        {"usage": [0, 0, 0, float("nan")]},
        {"troubles": [["cause", "message", -5]]},
        {"used": [-1_000_000, 0.0]},
        {"used": [0, -5.0]},
        {"used": [0, float("nan")]},
        {"used": [10**30, 0.0]},
    ],
)
def test_what_is_no_answer_is_not_taken(answer):
    packed = json.dumps({**GOOD, **answer}).encode() if isinstance(answer, dict) else answer
    assert Answer.opened(json.dumps(GOOD).encode(), [ROW], 0.0)
    with pytest.raises(BadParcelError):
        Answer.opened(packed, [ROW], 0.0)
    if isinstance(packed, bytes):
        with pytest.raises(BadParcelError):
            Parcel.opened(packed)
