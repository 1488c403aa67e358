"""What an audit came to in numbers and in one word."""

from collections import Counter
from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp import AuditOptions, Document, Snapshot, Verdict, select_rows
from cite_lsp.audit.guard import estimated_tokens, guard
from cite_lsp.audit.judgement import Judged, Judgement, Trouble, Usage
from cite_lsp.audit.meta import OUTCOMES, Meta, Tally, meta_of, outcome
from cite_lsp.audit.verdicts import LABELS, Label

ROW_LABELS = st.lists(st.sampled_from(LABELS), max_size=8)


def counted(labels: list[Label], **changed: object) -> Meta:
    tally = Tally.of(Verdict(label) for label in labels)
    made = Meta(
        tally.sampled, tally.supported, tally.partial, tally.unsupported, 0, {}, judge_invoked=True, judge_failed=False,
        judge_declined=False, audited_hash="", sample_per_section=2, max_sampled=24, resolver_version=2,
        audit_scope="all", review=tally.review, unchecked=tally.unchecked,
    )  # fmt: skip
    return replace(made, **changed)


@pytest.mark.parametrize(
    ("labels", "accepted", "word"),
    [
        ([], [], "vacuous"),
        (["supported"], [], "clean"),
        (["supported", "review"], [], "review"),
        (["review", "partial"], [], "partial"),
        (["supported", "unchecked"], [], "partial"),
        (["unchecked", "unchecked"], [], "not-judged"),
        (["unsupported", "partial"], [], "findings"),
        (["unsupported", "partial"], ["unsupported"], "accepted"),
        (["unsupported", "unsupported"], ["unsupported"], "findings"),
        (["partial"], ["partial"], "accepted"),
        (["unsupported", "partial"], ["partial"], "findings"),
    ],
)
def test_the_word_of_a_document(labels: list[Label], accepted: list[Label], word: str) -> None:
    assert outcome(counted(labels), accepted) == word


@given(ROW_LABELS, ROW_LABELS, st.booleans(), st.booleans())
def test_the_first_word_that_applies_is_the_word(
    labels: list[Label], accepted: list[Label], failed: bool, declined: bool
) -> None:
    meta = counted(labels, judge_failed=failed, judge_declined=declined)
    counts, allowed = Counter(labels), Counter(accepted)
    applies = {
        "not-judged": failed or declined or (bool(labels) and counts["unchecked"] == len(labels)),
        "findings": counts["unsupported"] > allowed["unsupported"],
        "accepted": bool(accepted),
        "partial": bool(counts["partial"] or counts["unchecked"]),
        "review": bool(counts["review"]),
        "vacuous": not labels,
        "clean": True,
    }
    assert list(applies) == list(OUTCOMES)
    assert outcome(meta, accepted) == next(word for word, holds in applies.items() if holds)


@given(ROW_LABELS)
def test_clean_is_said_of_nothing_but_supported_rows(labels: list[Label]) -> None:
    assert (outcome(counted(labels)) == "clean") == (bool(labels) and set(labels) == {"supported"})


TEXT = "Top is so `a.py:1`.\n\n## A\n\nOne is so `a.py:2`. Gone is so `./gone.py:1`.\n\n## B\n\nTwo is so `a.py:3`.\n"
SNAPSHOT = Snapshot.of({"a.py": "x = 1\ny = 2\nz = 3\n"})
NAMES = [
    "sampled", "supported", "partial", "unsupported", "unresolved", "per_section", "judge_invoked", "judge_failed",
    "judge_declined", "audited_hash", "sample_per_section", "max_sampled", "resolver_version", "audit_scope", "passes",
    "first_pass_findings", "citation_repair_rounds", "review", "unchecked", "cached", "requests", "tokens_in",
    "tokens_out", "cost", "seconds",
]  # fmt: skip


def test_the_numbers_of_an_audit() -> None:
    rows = select_rows(Document.parse(TEXT, "d.md"), SNAPSHOT)
    assert [row.anchor.text for row in rows] == ["a.py:1", "a.py:2", "a.py:3", "./gone.py:1"]
    answers = [Verdict("supported"), Verdict("partial"), Verdict("review")]
    verdicts = [*answers, rows[3].known or Verdict("unchecked")]
    judged = (Judged(answers[0], 1.0, cached=True), Judged(answers[1], 2.0), Judged(answers[2], 2.0))
    judgement = Judgement(judged, Usage(2, 700, 80, 0.25))
    meta = meta_of(rows, verdicts, judgement, AuditOptions(), "ab", invoked=True, seconds=1.5)
    assert list(meta.to_data()) == NAMES
    assert orjson.loads(orjson.dumps(meta.to_data())) == meta.to_data()
    assert (meta.sampled, meta.supported, meta.partial, meta.unsupported, meta.review, meta.unchecked) == (
        4, 1, 1, 1, 1, 0,
    )  # fmt: skip
    assert (meta.unresolved, meta.cached, meta.requests, meta.tokens_in, meta.tokens_out, meta.cost) == (
        1, 1, 2, 700, 80, 0.25,
    )  # fmt: skip
    assert meta.per_section == {
        "": Tally(1, supported=1),
        "## A": Tally(2, partial=1, unsupported=1),
        "## B": Tally(1, review=1),
    }
    assert outcome(meta) == "findings"


@pytest.mark.parametrize(
    ("judgement", "failed", "declined", "invoked"),
    [
        (Judgement(()), False, False, True),
        (Judgement((None,)), True, False, True),
        (Judgement((None,), troubles=(Trouble("timeout", "too long", 1),)), True, False, True),
        (Judgement((None,), troubles=(Trouble("declined", "no more today", 1),), declined=True), False, True, False),
        (Judgement((None,), troubles=(Trouble("declined", "no more today", 1),)), False, True, True),
        (
            Judgement((None,), troubles=(Trouble("declined", "no more", 1), Trouble("timeout", "too long", 1))),
            True,
            True,
            True,
        ),
    ],
)
def test_who_failed_and_who_was_declined(judgement: Judgement, failed: bool, declined: bool, invoked: bool) -> None:
    meta = meta_of((), (), judgement, AuditOptions(), "", invoked=True)
    assert (meta.judge_failed, meta.judge_declined, meta.judge_invoked) == (failed, declined, invoked)


def test_the_guard_names_both_numbers_and_what_follows() -> None:
    assert guard(0, 1, "fail") == guard(24, None, "fail") == guard(24, estimated_tokens(24), "fail") == ""
    said = guard(122, 9000, "fail")
    assert "9,040" in said
    assert "9,000" in said
    assert "nothing was asked" in said
    assert "nothing was asked" not in guard(122, 9000, "warn")
