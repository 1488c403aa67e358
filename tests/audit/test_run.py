"""One audit of a document, with judges of any kind."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp import AuditOptions, AuditReport, Document, EmbeddedJudge, Row, Snapshot, Verdict, audit_document
from cite_lsp.audit.judgement import Heard, Judged, Judgement, Trouble, Usage
from cite_lsp.audit.run import failing
from cite_lsp.audit.verdicts import LABELS, Label

LINES = "".join(f"value_{number} = {number}\n\n" for number in range(1, 31))
"""A value on each line of an odd number."""
SNAPSHOT = Snapshot.of({"a.py": LINES})
TEXT = "One is so `a.py:1`. Gone is so `./gone.py:1`. Two is so `a.py:3`, and here `a.py:0`. Three is so `a.py:5`."


@dataclass
class Answering:
    """A judge that says of each row what a function says."""

    say: Callable[[Row], object]
    identity: str = "answering/1"
    reads_file: bool = False
    asked: list[Row] = field(default_factory=list)

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        await asyncio.sleep(0)
        self.asked += rows
        return [self.say(row) for row in rows]  # type: ignore[misc]


@dataclass
class Telling(Answering):
    """One that tells of its answers in another order than that of the rows, and leaves some out."""

    order: Callable[[int], list[int]] = field(default=lambda count: list(range(count)))
    troubles: tuple[Trouble, ...] = ()

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        answers: list[Judged | None] = [None] * len(rows)
        for index in self.order(len(rows)):
            await asyncio.sleep(0)
            said = self.say(rows[index])
            assert isinstance(said, Verdict)
            answers[index] = answer = Judged(said, 1.0)
            if heard is not None:
                heard(index, answer)
        return Judgement(tuple(answers), Usage(1, 10, 5), self.troubles)

    async def close(self) -> None:
        """Nothing is open."""


def supported(row: Row) -> Verdict:
    return Verdict("supported", reason=row.claim)


def by_number(row: Row) -> Verdict:
    return Verdict(LABELS[row.excerpts[0].start_line // 2 % len(LABELS)], reason=row.excerpts[0].lines[0][1])


def parsed(text: str = TEXT) -> Document:
    return Document.parse(text, "d.md", SNAPSHOT.known)


async def test_only_rows_with_lines_go_to_the_judge() -> None:
    judge = Answering(supported)
    report = await audit_document(parsed(), SNAPSHOT, judge, AuditOptions())
    assert [row.excerpts[0].lines[0][1] for row in judge.asked] == ["value_1 = 1", "value_2 = 2", "value_3 = 3"]
    assert [verdict.label for verdict in report.verdicts] == [
        "supported", "unsupported", "supported", "unsupported", "supported",
    ]  # fmt: skip
    assert (report.meta.sampled, report.meta.supported, report.meta.unsupported, report.meta.unresolved) == (5, 3, 2, 2)
    assert [each.to_data()["anchor"] for each in report.unsound] == ["./gone.py:1", "a.py:0"]
    assert report.outcome == "findings"
    assert report.meta.judge_invoked


async def test_findings_are_the_mechanical_ones_first_then_those_of_the_judge_in_order() -> None:
    labels: list[Label] = ["unsupported", "partial", "supported"]
    judge = Answering(lambda row: Verdict(labels[row.excerpts[0].start_line // 2], reason="so"))
    report = await audit_document(parsed(), SNAPSHOT, judge)
    assert [each.to_data() for each in report.unsound][2:] == [
        {"row": 0, "section": "", "sentence": "One is so `a.py:1`.", "anchor": "a.py:1", "verdict": "unsupported",
         "reason": "so"},
        {"row": 2, "section": "", "sentence": "Two is so `a.py:3`, and here `a.py:0`.", "anchor": "a.py:3",
         "verdict": "partial", "reason": "so"},
    ]  # fmt: skip
    assert [each.row.number for each in report.unsound] == [1, 3, 0, 2]


@pytest.mark.parametrize("text", ["Gone is so `./gone.py:1`.", "Nothing is cited.", ""])
async def test_without_a_row_with_lines_nobody_is_asked(text: str) -> None:
    judge = Answering(supported)
    report = await audit_document(parsed(text), SNAPSHOT, judge)
    assert judge.asked == []
    assert not report.meta.judge_invoked
    assert not report.meta.judge_failed
    assert report.outcome == ("findings" if "gone" in text else "vacuous")


async def test_the_embedded_judge_says_what_the_lines_say() -> None:
    text = "`value_3` is 3 (`a.py:5`). `value_5` is 9 (`a.py:9`)."
    report = await audit_document(parsed(text), SNAPSHOT, EmbeddedJudge())
    assert [verdict.label for verdict in report.verdicts] == ["supported", "unsupported"]
    assert (report.meta.audit_scope, report.meta.resolver_version, report.meta.passes) == ("all", 2, 1)
    assert report.outcome == "findings"


def raising(row: Row) -> Verdict:
    raise RuntimeError("the key sk-123 was refused")


@pytest.mark.parametrize("kind", [Answering, Telling])
async def test_a_judge_that_raises_leaves_rows_unchecked(kind: type[Answering]) -> None:
    report = await audit_document(parsed(), SNAPSHOT, kind(raising))
    (trouble,) = report.judgement.troubles
    assert (trouble.cause, trouble.rows) == ("failed", 3)
    assert "RuntimeError" in trouble.message
    assert "sk-123" not in trouble.message
    assert [verdict.label for verdict in report.verdicts].count("unchecked") == 3
    assert (report.meta.judge_invoked, report.meta.judge_failed, report.outcome) == (True, True, "not-judged")


async def test_cancelling_ends_an_audit() -> None:
    async def never(rows: Sequence[Row]) -> list[Verdict]:
        begun.set()
        await asyncio.Event().wait()
        return []

    begun = asyncio.Event()
    judge = Answering(supported)
    judge.judge = never  # type: ignore[method-assign]
    task = asyncio.ensure_future(audit_document(parsed(), SNAPSHOT, judge))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("given", [None, "supported", Verdict("fine"), 3])  # type: ignore[arg-type]
async def test_what_is_no_verdict_counts_for_none(given: object) -> None:
    report = await audit_document(
        parsed(), SNAPSHOT, Answering(lambda row: given if row.excerpts[0].start_line == 3 else supported(row))
    )
    assert [verdict.label for verdict in report.verdicts] == [
        "supported", "unsupported", "unchecked", "unsupported", "supported",
    ]  # fmt: skip
    assert report.meta.judge_failed


LABELLED = st.sampled_from([*LABELS, "fine", None])


@given(
    st.lists(LABELLED, min_size=6, max_size=6), st.sampled_from([Answering, Telling]), st.booleans(), st.integers(0, 3)
)
def test_the_numbers_add_up_whatever_a_judge_says(
    labels: list[Any], kind: type[Answering], strict: bool, pinned: int
) -> None:
    text = "`a.py:0` and `gone.py:4` " + " ".join(
        f"## S{n % 3}\n\nClaim {n} is so `a.py:{2 * n + 1}`." for n in range(6)
    )
    text = text.replace(" ## ", "\n\n## ")

    def say(row: Row) -> Verdict:
        return Verdict(labels[row.excerpts[0].start_line // 2])

    for options in (AuditOptions(strict=strict), AuditOptions(scope="sample", sample_per_section=1, max_sampled=3)):
        report = asyncio.run(audit_document(parsed(text), SNAPSHOT, kind(say), options, pinned=[pinned]))
        meta = report.meta
        assert meta.sampled == len(report.rows) == len(report.verdicts)
        counts = [getattr(meta, label) for label in LABELS]
        assert sum(counts) == meta.sampled
        assert counts == [sum(getattr(each, label) for each in meta.per_section.values()) for label in LABELS]
        assert all(sum(getattr(each, label) for label in LABELS) == each.sampled for each in meta.per_section.values())
        assert meta.unresolved <= meta.unsupported
        given = [labels[row.excerpts[0].start_line // 2] for row in report.rows if row.row is not None]
        assert meta.judge_failed is (not set(given) <= set(LABELS))


async def test_too_few_verdicts_are_none() -> None:
    judge = Answering(supported)

    async def one(rows: Sequence[Row]) -> list[Verdict]:
        return [Verdict("supported")]

    judge.judge = one  # type: ignore[method-assign]
    report = await audit_document(parsed(), SNAPSHOT, judge)
    assert report.judgement.troubles[0].message == "the judge gave 1 verdicts for 3 rows"
    assert report.meta.supported == 0


def leaving_out(count: int) -> list[int]:
    return list(range(1, count))


async def test_strict_voids_the_pass_for_one_row_without_an_answer() -> None:
    trouble = (Trouble("timeout", "the judge took too long", 1),)
    salvaged = await audit_document(parsed(), SNAPSHOT, Telling(supported, order=leaving_out, troubles=trouble))
    assert salvaged.meta.supported == 2
    options = AuditOptions(strict=True)
    void = await audit_document(parsed(), SNAPSHOT, Telling(supported, order=leaving_out, troubles=trouble), options)
    assert (void.meta.supported, void.meta.unchecked, void.meta.unsupported) == (0, 3, 2)
    whole = await audit_document(parsed(), SNAPSHOT, Telling(supported), options)
    assert whole.meta.supported == 3


@given(st.permutations(range(8)))
def test_the_order_of_answers_changes_nothing(order: list[int]) -> None:
    text = " ".join(f"Claim {number} is so `a.py:{2 * number - 1}`." for number in range(1, 9))
    heard: dict[int, Verdict] = {}

    async def run(judge: Answering) -> AuditReport:
        return await audit_document(
            parsed(text), SNAPSHOT, judge, heard=lambda place, answer: heard.__setitem__(place, answer.verdict)
        )

    straight = asyncio.run(run(Telling(by_number)))
    heard.clear()
    shuffled = asyncio.run(run(Telling(by_number, order=lambda _: order)))
    assert shuffled == straight
    assert [heard[place] for place in range(8)] == list(straight.verdicts)
    plain = asyncio.run(run(Answering(by_number)))
    assert (plain.rows, plain.verdicts, plain.unsound) == (straight.rows, straight.verdicts, straight.unsound)


async def test_what_is_heard_is_told_by_the_place_in_the_report() -> None:
    heard: dict[int, Verdict] = {}
    for judge in (Answering(supported), Telling(supported)):
        heard.clear()
        report = await audit_document(
            parsed(), SNAPSHOT, judge, heard=lambda place, answer: heard.__setitem__(place, answer.verdict)
        )
        assert sorted(heard) == [0, 2, 4]
        assert all(report.verdicts[place] == verdict for place, verdict in heard.items())


@dataclass(frozen=True)
class Cap:
    max_output_tokens_per_turn: int | None


async def test_a_cap_that_cannot_carry_all_rows_refuses_before_anybody_is_asked(caplog) -> None:
    census = " ".join(f"Claim {number} is so `a.py:{2 * (number % 30) + 1}`." for number in range(215))
    judge = Answering(supported)
    refused = await audit_document(parsed(census), SNAPSHOT, judge, limits=Cap(9000))
    assert judge.asked == []
    assert [trouble.cause for trouble in refused.judgement.troubles] == ["output-cap"]
    assert "15,550" in refused.judgement.troubles[0].message
    assert (refused.meta.judge_invoked, refused.outcome) == (False, "not-judged")
    for limits, options in (
        (Cap(32000), AuditOptions()),
        (Cap(None), AuditOptions()),
        (None, AuditOptions()),
        (Cap(9000), AuditOptions(judge_output_cap_guard="warn")),
    ):
        judge.asked.clear()
        report = await audit_document(parsed(census), SNAPSHOT, judge, options, limits=limits)
        assert (len(judge.asked), report.outcome) == (215, "clean")
    assert "15,550" in caplog.text


async def test_two_rows_of_the_reference() -> None:
    """Its end-to-end examples: one judged unsupported; one that vanished."""
    files = {"src/a.ts": ["const a = 1;"], "src/b.ts": ["const b = 2;"]}

    def resolve(path: str, line: int) -> str | None:
        lines = files.get(path, [])
        return lines[line - 1] if 1 <= line <= len(lines) else None

    text = "The first holds [src/a.ts:1]. The second holds [src/b.ts:1]."
    judge = Answering(lambda row: Verdict("unsupported" if row.path == "src/b.ts" else "supported"))
    options = AuditOptions(scope="sample", resolver=1)
    report = await audit_document(parsed(text), Snapshot.of({}), judge, options, resolve=resolve)
    meta = report.meta
    assert (meta.sampled, meta.supported, meta.unsupported, meta.unresolved) == (2, 1, 1, 0)
    assert len(report.unsound) == 1
    del files["src/b.ts"]
    judge.asked.clear()
    report = await audit_document(parsed(text), Snapshot.of({}), judge, options, resolve=resolve)
    meta = report.meta
    assert (meta.sampled, meta.supported, meta.unsupported, meta.unresolved) == (2, 1, 1, 1)
    assert [row.path for row in judge.asked] == ["src/a.ts"]


async def test_pinned_rows_are_judged_beside_the_sample() -> None:
    text = " ".join(f"Claim {number} is so `a.py:{2 * number - 1}`." for number in range(1, 9))
    options = AuditOptions(scope="sample", sample_per_section=1)
    plain = await audit_document(parsed(text), SNAPSHOT, Answering(supported), options)
    report = await audit_document(parsed(text), SNAPSHOT, Answering(supported), options, pinned=range(3))
    assert {row.index for row in report.rows} == {0, 1, 2, plain.rows[0].index}
    assert report.rows[0] == plain.rows[0]


@pytest.mark.parametrize(
    ("label", "options", "fails"),
    [
        ("unsupported", {}, False),
        ("unsupported", {"on_found": "fail"}, True),
        ("unsupported", {"on_found": "repair"}, True),
        ("partial", {"on_found": "fail"}, False),
        ("partial", {"on_found": "fail", "fail_on_partial": True}, True),
        ("partial", {"fail_on_partial": True}, False),
        ("review", {"on_found": "fail", "fail_on_partial": True}, False),
        ("unchecked", {"on_found": "fail", "fail_on_partial": True}, False),
        ("supported", {"on_found": "fail", "fail_on_partial": True}, False),
    ],
)
async def test_postures(label: Label, options: dict[str, object], fails: bool) -> None:
    chosen = AuditOptions.model_validate(options)
    report = await audit_document(parsed("One is so `a.py:1`."), SNAPSHOT, Answering(lambda _: Verdict(label)), chosen)
    assert failing(report, chosen) == fails


async def test_a_judge_that_failed_is_never_good() -> None:
    options = AuditOptions(on_found="fail")
    report = await audit_document(parsed("One is so `a.py:1`."), SNAPSHOT, Answering(raising), options)
    assert failing(report, options)
    assert not failing(report, AuditOptions())
