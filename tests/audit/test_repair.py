"""Repair: what a proposal may change, what a repairer is shown, and the one bounded round."""

import asyncio
import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.audit.judgement import Trouble
from cite_lsp.audit.nearby import MOST_CHARS, MOST_WINDOWS, windows
from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.proposals import MOST_LINES, Proposal, Repaired, repaired
from cite_lsp.audit.repair import Repairer, RepairFailed, RepairRequest, RoundOutcome, repair_round
from cite_lsp.audit.run import audit_document
from cite_lsp.audit.verdicts import Label, Row, Verdict
from cite_lsp.document.document import Document
from cite_lsp.judges.embedded import EmbeddedJudge
from cite_lsp.snapshot.snapshot import Snapshot

CODE = '''"""Retries."""

MAX_ATTEMPTS = 5
BACKOFF = 0.5


def delay(attempt: int) -> float:
    """Wait longer after each attempt."""
    return BACKOFF * 2**attempt


TIMEOUT = 30
'''
FILES = {"src/retry.py": CODE}
LINES = CODE.count("\n")


def sentence(text: str) -> Proposal:
    return Proposal("sentence", sentence=text)


def lines(first: int, last: int) -> Proposal:
    return Proposal("lines", lines=(first, last))


def tried(text: str, proposal: Proposal, *, path: str = "docs/a.md", count: int = 40) -> Repaired | str:
    """Carry a proposal out on the first citation."""
    document = Document.parse(text, path=path)
    return repaired(document, document.anchors[0], proposal, count)


def written(text: str, proposal: Proposal, **more: object) -> str:
    """The text with a proposal that is not refused."""
    outcome = tried(text, proposal, **more)  # type: ignore[arg-type]
    assert isinstance(outcome, Repaired), outcome
    return outcome.document.text


# --- other lines

ONE = "# T\n\nFirst words. The cap is five (`src/a.py:3`). Last words.\n"


@pytest.mark.parametrize(
    ("text", "span", "after"),
    [
        (ONE, (7, 9), ONE.replace(":3", ":7-9")),
        (ONE, (40, 40), ONE.replace(":3", ":40")),
        ("Five ([code](src/a.py#L3)).\n", (5, 6), "Five ([code](src/a.py#L5-L6)).\n"),
        ("Five in `src/a.py`, line 3, they say.\n", (5, 6), "Five in `src/a.py`, lines 5-6, they say.\n"),
        ("Five (`src/a.py:3-4`, 9).\n", (5, 5), "Five (`src/a.py:5`, 9).\n"),
    ],
)
def test_other_lines_are_written_in_the_form_of_the_citation(text: str, span: tuple[int, int], after: str) -> None:
    assert written(text, lines(*span)) == after


@pytest.mark.parametrize(
    ("span", "count", "why"),
    [
        (None, 40, "names no lines"),
        ((0, 1), 40, "are none"),
        ((-3, 2), 40, "are none"),
        ((9, 7), 40, "are none"),
        ((41, 41), 40, "the file has 40 lines; line 41 does not exist"),
        ((7, 41), 40, "line 41 does not exist"),
        ((1, MOST_LINES + 1), 400, f"more than {MOST_LINES}"),
        ((3, 3), 40, "cited already"),
        ((7, 7), 0, "it is not known how many lines"),
    ],
)
def test_lines_that_cannot_be_cited_are_refused(span: tuple[int, int] | None, count: int, why: str) -> None:
    outcome = tried(ONE, Proposal("lines", lines=span), count=count)
    assert isinstance(outcome, str)
    assert why in outcome


def test_a_citation_of_several_places_is_left_alone() -> None:
    assert "several places" in str(tried("Five (`src/a.py:3,9`).\n", lines(7, 7)))


# --- another sentence


@pytest.mark.parametrize(
    ("text", "new", "after"),
    [
        (ONE, "The cap is three (`src/a.py:3`).", ONE.replace("five", "three")),
        ("- Five (`src/a.py:3`).\n- other\n", "Three (`src/a.py:3`).", "- Three (`src/a.py:3`).\n- other\n"),
        (
            "| a | b |\n|---|---|\n| Five (`src/a.py:3`). | yes |\n",
            "Three (`src/a.py:3`).",
            "| a | b |\n|---|---|\n| Three (`src/a.py:3`). | yes |\n",
        ),
        ("## Five (`src/a.py:3`)\n\nmore\n", "Three (`src/a.py:3`)", "## Three (`src/a.py:3`)\n\nmore\n"),
        ("\ufeffFive (`src/a.py:3`)\r\n\r\nx\r\n", "Three (`src/a.py:3`)", "\ufeffThree (`src/a.py:3`)\r\n\r\nx\r\n"),
        (
            "é 😀. It is five, they say (`src/a.py:3`). x\n",
            "It is three 😀, they say (`src/a.py:3`).",
            "é 😀. It is three 😀, they say (`src/a.py:3`). x\n",
        ),
        (
            "Five, per [the code](src/a.py#L3). More.\n",
            "Three, as [the code](src/a.py#L3) has it.",
            "Three, as [the code](src/a.py#L3) has it. More.\n",
        ),
        (
            "Five (`src/a.py:3`) and six (`src/b.py:4-5`).\n",
            "Three (`src/a.py:3`) or four (`src/b.py:4-5`).",
            "Three (`src/a.py:3`) or four (`src/b.py:4-5`).\n",
        ),
    ],
)
def test_a_sentence_is_replaced_and_nothing_else(text: str, new: str, after: str) -> None:
    assert written(text, sentence(new)) == after


def test_a_wrapped_sentence_is_wrapped_as_its_block_is_and_never_into_another_block() -> None:
    text = (
        "> Some words, and then the cap of all retries is\n"
        "> said to be five in every one of the cases (`src/a.py:3`).\n"
        "> Another sentence.\n"
    )
    new = "Some words, and then the cap of all the many retries is 3 - at most, that is (`src/a.py:3`)."
    assert written(text, sentence(new)) == (
        "> Some words, and then the cap of all the many retries is 3\n"
        "> at most, that is (`src/a.py:3`).\n"
        "> Another sentence.\n"
    ).replace("is 3\n> at", "is 3 -\n> at")
    for word in ("-", "#", "1.", ">", "|", "+", "***"):
        words = f"{'word ' * 9}{word} {'word ' * 9}(`src/a.py:3`)."
        outcome = tried(text, sentence(words))
        if isinstance(outcome, Repaired):
            assert [each.kind for each in outcome.document.blocks] == [
                each.kind for each in Document.parse(text, path="a.md").blocks
            ]
            assert outcome.new == words


@pytest.mark.parametrize(
    ("text", "new", "why"),
    [
        (ONE, "", "empty"),
        (ONE, "The cap is five (`src/a.py:3`).", "is the old one"),
        (ONE, "The cap is five (`src/a.py:3`).  ", "is the old one"),
        (ONE, "The cap is three.", "does not keep the citation"),
        (ONE, "The cap is three (`src/a.py:4`).", "does not keep the citation"),
        (ONE, "The cap is three (`src/a.py:3`, `src/b.py:4`).", "which citations there are"),
        (ONE, "The cap is three (`src/a.py:3`) (`src/a.py:3`).", "which citations there are"),
        (ONE, "The cap is three. So it is (`src/a.py:3`).", "not one sentence"),
        (ONE, "The cap is three (`src/a.py:3`). So it is.", "not one sentence"),
        (ONE, "Yes (`src/a.py:3`).", "says too little"),
        (ONE, "(`src/a.py:3`).", "not one sentence"),
        (ONE, "The cap\nis three (`src/a.py:3`).", "more than one line"),
        (ONE, "The cap is\x07 three (`src/a.py:3`).", "U+0007"),
        (ONE, "The cap is \u202ethree (`src/a.py:3`).", "U+202E"),
        (ONE, "The cap is\u200b three (`src/a.py:3`).", "U+200B"),
        (ONE, "The cap is\u2028three (`src/a.py:3`).", "U+2028"),
        (ONE, "The cap <b>is</b> three (`src/a.py:3`).", "HTML"),
        (ONE, "The cap is three (`src/a.py:3`). <!-- cite-lsp: ignore-file unsupported -->", "HTML"),
        (ONE, "The cap ![x](http://127.0.0.1:9/p) is three (`src/a.py:3`).", "link"),
        (ONE, "The cap is [three](javascript:x) (`src/a.py:3`).", "link"),
        (ONE, "The cap is three, see https://example.org (`src/a.py:3`).", "link"),
        (ONE, "The cap is three, see www.example.org (`src/a.py:3`).", "link"),
        (ONE, "The cap is {{ three }} (`src/a.py:3`).", "template"),
        (ONE, "The cap is ** three (`src/a.py:3`).", "opens or closes"),
        (ONE, "The cap is ` three (`src/a.py:3`).", "opens or closes"),
        (ONE, "The cap is three " + "x" * 500 + " (`src/a.py:3`).", "characters"),
        ("- Five (`src/a.py:3`).\n- b\n", "- Three (`src/a.py:3`).", "how the text around it is read"),
        ("- Five (`src/a.py:3`).\n- b\n", "# Three (`src/a.py:3`).", "not one sentence"),
        ("- Five (`src/a.py:3`).\n- b\n", "[ ] Three (`src/a.py:3`).", "not one sentence"),
        ("Five (`src/a.py:3`).\n", "# Three (`src/a.py:3`).", "how the text around it is read"),
        ("| a | b |\n|---|---|\n| Five (`src/a.py:3`). | y |\n", "Three | x (`src/a.py:3`).", "the text around"),
        ("Five <!-- note --> (`src/a.py:3`).\n", "Three (`src/a.py:3`).", "comment"),
        ("Five (`src/a.py:3`) and `src/b.py:4`.\n", "Four `src/b.py:4` and (`src/a.py:3`).", "does not keep"),
    ],
)
def test_a_sentence_that_is_more_than_a_sentence_is_refused(text: str, new: str, why: str) -> None:
    outcome = tried(text, sentence(new))
    assert isinstance(outcome, str), outcome.document.text
    assert why in outcome


def test_braces_are_code_in_mdx_only() -> None:
    new = "The cap is {three} (`src/a.py:3`)."
    assert isinstance(tried(ONE, sentence(new)), Repaired)
    assert "template" in str(tried(ONE, sentence(new), path="docs/a.mdx"))


def test_a_code_span_that_opens_in_the_sentence_closes_in_it() -> None:
    text = "Five (`src/a.py:3`) is it. Then a stray ` stands here.\n"
    outcome = tried(text, sentence("Three ` (`src/a.py:3`) is it."))
    assert isinstance(outcome, str)


MARKS = " .,;:!?`*_#|<>[](){}-+=~\\\"'/\n\r\té\u200b"
WORDS = st.text(alphabet=string.ascii_letters + string.digits + MARKS, max_size=60)
BODY = "# Head\n\nA first line. {claim} A last one `x`.\n\n- item\n- `src/b.py:9`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
CLAIM = "The cap is five (`src/a.py:3`)."


@given(st.lists(WORDS, min_size=1, max_size=3))
def test_whatever_is_proposed_nothing_outside_the_sentence_changes(parts: list[str]) -> None:
    text = BODY.format(claim=CLAIM)
    new = "(`src/a.py:3`)".join([*parts, "."][:2]) if len(parts) < 3 else "".join(parts)
    outcome = tried(text, sentence(new))
    if isinstance(outcome, str):
        return
    before, after = text.split(CLAIM)
    found = outcome.document.text
    assert found.startswith(before)
    assert found.endswith(after)
    assert outcome.edits[0].text == found[len(before) : len(found) - len(after)] == outcome.new
    old, read = Document.parse(text, path="docs/a.md"), Document.parse(found, path="docs/a.md")
    assert [block.kind for block in read.blocks] == [block.kind for block in old.blocks]
    assert [anchor.text for anchor in read.anchors] == [anchor.text for anchor in old.anchors]
    assert read.anchors[0].sentence == outcome.new
    assert read.anchors == outcome.document.anchors
    assert isinstance(repaired(outcome.document, outcome.anchor, sentence(new), 40), str), "twice is once"


@given(st.integers(-5, 60), st.integers(-5, 60))
def test_whatever_lines_are_proposed_they_lie_in_the_file(first: int, last: int) -> None:
    outcome = tried(ONE, lines(first, last))
    if isinstance(outcome, str):
        return
    assert 1 <= first <= last <= 40
    assert outcome.anchor.spans == ((first, last),)
    assert Document.parse(outcome.document.text, path="docs/a.md").anchors[0].spans == ((first, last),)
    assert isinstance(repaired(outcome.document, outcome.anchor, lines(first, last), 40), str), "twice is once"


# --- what is shown


def test_windows_are_bounded_and_show_the_lines_that_say_it() -> None:
    file = [f"line {number} of many other words to fill it up, and more of them" for number in range(1, 3001)]
    file[1999] = "MAX_ATTEMPTS = 5"
    row = Row.of(claim="`MAX_ATTEMPTS` is five", lines=[(10, file[9])], path="src/a.py", file=file)
    found = windows(row, [(10, 10)])
    assert found[0].why == "cited"
    assert found[0].lines == ((10, file[9]),)
    assert any((2000, "MAX_ATTEMPTS = 5") in window.lines for window in found)
    assert len(found) <= MOST_WINDOWS
    assert len("\n".join(window.text for window in found)) <= MOST_CHARS
    numbers = [number for window in found for number, _ in window.lines]
    assert len(numbers) == len(set(numbers)), "no line twice"
    assert all(file[number - 1] == text for window in found for number, text in window.lines)


def test_of_a_row_without_its_file_the_excerpt_is_all_there_is() -> None:
    row = Row.of(claim="five", lines=[(3, "x = 5")])
    assert [window.lines for window in windows(row, [(3, 3)])] == [((3, "x = 5"),)]


@given(st.lists(st.text(max_size=30), min_size=1, max_size=80), st.data())
def test_windows_of_any_file_hold_lines_of_it(file: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(file)))
    claim = data.draw(st.sampled_from(file)) + " five"
    row = Row.of(claim=claim, lines=[(first, file[first - 1])], path="a.py", file=file)
    for window in windows(row, [(first, first)]):
        for number, text in window.lines:
            assert file[number - 1].startswith(text)


# --- the round


@dataclass
class Scripted:
    """A repairer that gives what a function gives, and remembers what it was shown."""

    give: Callable[[RepairRequest], Proposal | None]
    asked: list[RepairRequest] = field(default_factory=list)

    async def propose(self, request: RepairRequest) -> Proposal | None:
        self.asked.append(request)
        await asyncio.sleep(0)
        return self.give(request)


DOCUMENT = """# Limits

Nothing cited here.

`MAX_ATTEMPTS` is 7 (`src/retry.py:3`). `TIMEOUT` is 30 (`src/retry.py:12`).

- `BACKOFF` is 0.9 (`src/retry.py:4`).
- The delay grows  (`src/retry.py:7-9`).
"""


async def audited(
    text: str, repairer: Repairer, options: AuditOptions | None = None, files: dict[str, str] | None = None
) -> RoundOutcome:
    options = options or AuditOptions(on_found="repair")
    snapshot = Snapshot.of(FILES if files is None else files)
    document = Document.parse(text, path="docs/a.md", known=snapshot.known)
    report = await audit_document(document, snapshot, EmbeddedJudge(), options)
    outcome = await repair_round(document, snapshot, report, EmbeddedJudge(), repairer, options)
    if not outcome.repairs:
        assert outcome.report.rows == report.rows
    return outcome


RIGHT = {
    "src/retry.py:3": "`MAX_ATTEMPTS` is 5 (`src/retry.py:3`).",
    "src/retry.py:4": "`BACKOFF` is 0.5 (`src/retry.py:4`).",
}


async def test_a_round_repairs_what_is_unsupported_and_judges_it_anew() -> None:
    repairer = Scripted(lambda request: sentence(RIGHT[request.citation]))
    outcome = await audited(DOCUMENT, repairer)
    assert [request.citation for request in repairer.asked] == ["src/retry.py:3", "src/retry.py:4"]
    assert outcome.document.text == DOCUMENT.replace("is 7", "is 5").replace("is 0.9", "is 0.5")
    assert outcome.survivors == ()
    assert [repair.verdict.label for repair in outcome.repairs] == ["supported", "supported"]
    assert [repair.before.label for repair in outcome.repairs] == ["unsupported", "unsupported"]
    assert outcome.repairs[0].old == "`MAX_ATTEMPTS` is 7 (`src/retry.py:3`)."
    assert outcome.repairs[0].new == "`MAX_ATTEMPTS` is 5 (`src/retry.py:3`)."
    meta = outcome.report.meta
    assert (meta.passes, meta.first_pass_findings, meta.citation_repair_rounds, meta.unsupported) == (2, 2, 1, 0)
    text = DOCUMENT
    for edit in reversed(outcome.edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    assert text == outcome.document.text


async def test_a_round_is_shown_excerpts_and_windows_of_the_cited_file() -> None:
    repairer = Scripted(lambda _: None)
    await audited(DOCUMENT, repairer)
    first = repairer.asked[0]
    assert first.document == "docs/a.md"
    assert first.sentence == "`MAX_ATTEMPTS` is 7 (`src/retry.py:3`)."
    assert first.citations == ("src/retry.py:3",)
    assert first.line_count == LINES
    assert first.windows[0].lines[0] == (3, "MAX_ATTEMPTS = 5")
    assert {number for window in first.windows for number, _ in window.lines} == set(range(1, LINES + 1))
    assert first.verdict.label == "unsupported"


@dataclass
class ByNumbers:
    """A judge: every number of a claim has to stand in the lines. It says nothing where there is none."""

    asked: list[str] = field(default_factory=list)
    identity: str = "by numbers"
    reads_file: bool = False

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        self.asked += [row.claim for row in rows]
        return [Verdict(self.label(row)) for row in rows]

    def label(self, row: Row) -> Label:
        lines = " ".join(text for excerpt in row.excerpts for _, text in excerpt.lines)
        numbers = re.findall(r"[0-9.]*[0-9]", row.claim)
        if not numbers:
            return "unchecked"
        return "supported" if all(number in lines for number in numbers) else "unsupported"


def said_of(first: str, second: str) -> str:
    return f"The attempts are {first} (`src/retry.py:3`); the time to wait is {second} (`src/retry.py:4`)."


async def by_numbers(
    text: str, judge: ByNumbers, repairer: Repairer, options: AuditOptions | None = None
) -> RoundOutcome:
    options = options or AuditOptions(on_found="repair")
    snapshot = Snapshot.of(FILES)
    document = Document.parse(text, path="docs/a.md", known=snapshot.known)
    report = await audit_document(document, snapshot, judge, options)
    judge.asked.clear()
    return await repair_round(document, snapshot, report, judge, repairer, options)


@pytest.mark.parametrize(
    ("first", "harm"),
    [
        ("5", ""),
        ("6", "`src/retry.py:3` would be unsupported"),
        ("many", "`src/retry.py:3` would be unchecked"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"scope": "sample", "sample_per_section": 2}])
async def test_a_repair_that_another_citation_pays_for_is_none(first: str, harm: str, options: dict[str, Any]) -> None:
    text = f"The limit of time is 30 (`src/retry.py:12`). {said_of('5', '0.9')}\n"
    repairer = Scripted(lambda _: sentence(said_of(first, "0.5")))
    outcome = await by_numbers(text, ByNumbers(), repairer, AuditOptions(on_found="repair", **options))
    (repair,) = outcome.repairs
    assert repair.verdict.label == "supported"
    assert repair.harm == harm
    assert repair.good is not bool(harm)
    assert bool(outcome.survivors) is bool(harm)


async def test_a_repair_that_hangs_on_one_that_is_not_good_is_not_good() -> None:
    """An item borrows from the sentence that leads in its list, which was another one when it was judged."""
    text = "The time to wait is 0.9 (`src/retry.py:12`):\n\n- 31 (`src/retry.py:12`)\n"

    def give(request: RepairRequest) -> Proposal:
        return sentence(request.sentence.replace("0.9", value).replace("31", "30"))

    value = "long"
    outcome = await by_numbers(text, ByNumbers(), Scripted(give))
    assert [(each.verdict.label, each.good) for each in outcome.repairs] == [("unchecked", False), ("supported", False)]
    assert "hangs on another repair" in outcome.repairs[1].harm
    value = "30"
    outcome = await by_numbers(text, ByNumbers(), Scripted(give))
    assert [(each.verdict.label, each.good) for each in outcome.repairs] == [("supported", True), ("supported", True)]


async def test_what_the_first_pass_was_answered_is_not_asked_again() -> None:
    judge = ByNumbers()
    text = f"The limit of time is 30 (`src/retry.py:12`). {said_of('5', '0.9')}\n"
    outcome = await by_numbers(text, judge, Scripted(lambda _: sentence(said_of("5", "0.5"))))
    assert len(judge.asked) == 2, "the two of the sentence that has changed"
    assert [verdict.label for verdict in outcome.report.verdicts] == ["supported"] * 3
    assert outcome.report.meta.cached == 1
    await by_numbers(text, judge, Scripted(lambda _: lines(9, 9)))
    assert len(judge.asked) == 1, "the other one of the sentence is given the same"


async def test_what_citations_mean_is_as_the_first_pass_knew_it() -> None:
    """Citations that are read as of a commit stay so, and one that gets other lines is looked up in the same file."""
    snapshot = Snapshot.of({**FILES, "old/retry.py": "TIMEOUT = 31\n" * 20})
    text = "The limit of time is 31 (`src/retry.py:12`). The attempts are 5 at most (`src/retry.py:1`).\n"
    document = Document.parse(text, path="docs/a.md", known=snapshot.known)
    old = Document.parse("`old/retry.py:12`", path="docs/a.md", known=snapshot.known)
    resolutions = [
        snapshot.resolve(old.anchors[0], old),
        snapshot.resolve(document.anchors[1], document),
    ]
    judge, options = ByNumbers(), AuditOptions(on_found="repair")
    report = await audit_document(document, snapshot, judge, options, resolutions=resolutions)
    assert [each.label for each in report.verdicts] == ["supported", "unsupported"]
    repairer = Scripted(lambda _: lines(3, 3))
    outcome = await repair_round(document, snapshot, report, judge, repairer, options, resolutions=resolutions)
    assert [each.label for each in outcome.report.verdicts] == ["supported", "supported"]
    assert [each.good for each in outcome.repairs] == [True]


async def test_nothing_unsupported_is_no_round() -> None:
    repairer = Scripted(lambda _: None)
    outcome = await audited("`MAX_ATTEMPTS` is 5 (`src/retry.py:3`).\n", repairer)
    assert repairer.asked == []
    assert outcome.repairs == outcome.edits == ()
    assert (outcome.report.meta.passes, outcome.report.meta.citation_repair_rounds) == (1, 0)


async def test_a_repair_that_does_not_repair_is_said_so() -> None:
    repairer = Scripted(lambda _: sentence("`MAX_ATTEMPTS` is 8 (`src/retry.py:3`)."))
    outcome = await audited("`MAX_ATTEMPTS` is 7 (`src/retry.py:3`).\n", repairer)
    (survivor,) = outcome.survivors
    assert survivor.verdict.label == "unsupported"
    assert survivor.new == "`MAX_ATTEMPTS` is 8 (`src/retry.py:3`)."
    assert outcome.report.outcome == "findings"
    assert outcome.report.meta.passes == 2


async def test_what_was_carried_is_looked_at_again_whatever_the_sample_of_the_new_text() -> None:
    """Another word anywhere draws another sample: without the pin a repair that is none would not be seen."""
    good = "".join(f"`TIMEOUT` is 30 in case {number} (`src/retry.py:12`).\n\n" for number in range(12))
    options = AuditOptions(on_found="repair", scope="sample", sample_per_section=1, max_sampled=1)
    seen = 0
    for number in range(40):
        text = f"Number {number}.\n\n`MAX_ATTEMPTS` is 7 (`src/retry.py:3`).\n\n{good}"
        repairer = Scripted(lambda _: sentence("`MAX_ATTEMPTS` is 7  (`src/retry.py:3`)."))
        outcome = await audited(text, repairer, options)
        if not repairer.asked:
            continue  # the first sample did not take the row
        seen += 1
        assert outcome.document.text == text.replace("is 7 (", "is 7  (")
        assert len(outcome.survivors) == 1
        assert outcome.report.meta.unsupported == 1
    assert seen, "no sample took the row: the test shows nothing"


async def test_one_repair_for_each_sentence() -> None:
    text = "The value of `MAX_ATTEMPTS` is 7 (`src/retry.py:3`); the value of `BACKOFF` is 0.9 (`src/retry.py:4`).\n"
    repairer = Scripted(lambda _: lines(12, 12))
    outcome = await audited(text, repairer)
    assert len(outcome.edits) == 1
    assert len(outcome.repairs) == 2
    assert outcome.repairs[1].edits == ()
    assert "another repair" in outcome.repairs[1].why
    assert outcome.document.text == text.replace(":3`", ":12`")


async def test_proposals_that_are_refused_leave_the_document_and_say_why() -> None:
    repairer = Scripted(lambda _: lines(900, 901))
    outcome = await audited(DOCUMENT, repairer)
    assert outcome.document.text == DOCUMENT
    assert outcome.edits == ()
    assert all("does not exist" in repair.why for repair in outcome.survivors)
    assert len(outcome.survivors) == 2
    meta = outcome.report.meta
    assert (meta.passes, meta.first_pass_findings, meta.citation_repair_rounds) == (1, 2, 1)


@pytest.mark.parametrize("failure", [RepairFailed(Trouble("unauthorised", "the key was refused")), ValueError("odd")])
async def test_a_repairer_that_fails_ends_the_round_and_the_document_stays(failure: Exception) -> None:
    def give(request: RepairRequest) -> Proposal:
        if request.citation.endswith(":4"):
            raise failure
        return sentence(RIGHT[request.citation])

    outcome = await audited(DOCUMENT, Scripted(give))
    assert outcome.document.text == DOCUMENT
    assert outcome.edits == ()
    assert outcome.trouble is not None
    assert outcome.trouble.rows == 2
    assert outcome.trouble.message
    assert len(outcome.survivors) == 2
    assert outcome.report.meta.citation_repair_rounds == 0
    assert outcome.report.meta.unsupported == 2


async def test_cancelling_a_round_cancels_the_repairer() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    class Slow:
        async def propose(self, _: RepairRequest) -> Proposal | None:
            begun.set()
            try:
                await asyncio.sleep(3600)
            finally:
                ended.set()
            return None

    task = asyncio.ensure_future(audited(DOCUMENT, Slow()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


async def test_lines_past_the_end_can_be_repaired_and_a_file_that_is_not_there_is_not_asked_about() -> None:
    text = "`MAX_ATTEMPTS` is 5 (`src/retry.py:900`).\n\n`MAX_ATTEMPTS` is 5 (`src/gone.py:3`).\n"
    repairer = Scripted(lambda _: lines(3, 3))
    outcome = await audited(text, repairer)
    assert [request.citation for request in repairer.asked] == ["src/retry.py:900"]
    assert outcome.document.text == text.replace(":900", ":3")
    assert [repair.verdict.label for repair in outcome.repairs] == ["supported", "unsupported"]
    assert "nothing is known of the cited file" in outcome.repairs[1].why


async def test_what_may_not_be_shown_is_not_shown() -> None:
    snapshot = Snapshot.of(FILES)
    document = Document.parse(DOCUMENT, path="docs/a.md", known=snapshot.known)
    options = AuditOptions(on_found="repair")
    report = await audit_document(document, snapshot, EmbeddedJudge(), options)
    repairer = Scripted(lambda request: sentence(RIGHT[request.citation]))
    outcome = await repair_round(
        document, snapshot, report, EmbeddedJudge(), repairer, options, held_back=lambda row: "it is a secret"
    )
    assert repairer.asked == []
    assert {repair.why for repair in outcome.repairs} == {"it is a secret"}


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.lists(st.integers(0, 5), min_size=6, max_size=6))
def test_a_round_changes_the_carried_sentences_and_no_other_byte(rows: list[int], how: list[int]) -> None:
    """Sentences of all kinds; proposals of all kinds; the second round of the same proposals changes nothing more."""
    claims = [
        "`MAX_ATTEMPTS` is 7 (`src/retry.py:3`).",
        "`TIMEOUT` is 30 (`src/retry.py:12`).",
        "`BACKOFF` is 0.9 (`src/retry.py:4`).",
        "Words that nobody can judge (`src/retry.py:8`).",
    ]
    proposals = [
        sentence("`MAX_ATTEMPTS` is 5 (`src/retry.py:3`)."),
        sentence("`BACKOFF` is 0.5 (`src/retry.py:4`)."),
        lines(12, 12),
        lines(1, 99),
        Proposal("none", reason="no"),
        sentence("`MAX_ATTEMPTS` is \u202e5 (`src/retry.py:3`)."),
    ]
    parts = [claims[row] for row in rows]
    text = "Before. " + " Between. ".join(parts) + " After.\n"
    numbers = iter(how)
    chosen: dict[str, Proposal] = {}

    def give(request: RepairRequest) -> Proposal:
        if request.sentence not in chosen:
            chosen[request.sentence] = proposals[next(numbers, 4)]
        return chosen[request.sentence]

    outcome = asyncio.run(audited(text, Scripted(give)))
    now = outcome.document.text
    assert now.startswith("Before. ")
    assert now.endswith(" After.\n")
    pieces = now.removeprefix("Before. ").removesuffix(" After.\n").split(" Between. ")
    assert len(pieces) == len(parts)
    carried = {repair.old for repair in outcome.repairs}
    for old, new in zip(parts, pieces, strict=True):
        assert new == old or old in carried
    assert all(repair.new != repair.old for repair in outcome.repairs if repair.edits)
    again = asyncio.run(audited(now, Scripted(lambda request: chosen.get(request.sentence))))
    assert all(repair.old not in chosen for repair in again.repairs if repair.edits)
    verdicts = {row.index: verdict for row, verdict in zip(outcome.report.rows, outcome.report.verdicts, strict=True)}
    assert all(repair.verdict == verdicts[repair.row.index] for repair in outcome.repairs)


def test_a_verdict_is_what_it_was_where_nothing_was_done() -> None:
    outcome = asyncio.run(audited(DOCUMENT, Scripted(lambda _: None)))
    assert all(repair.verdict is repair.before for repair in outcome.repairs)
    assert all(isinstance(repair.verdict, Verdict) for repair in outcome.repairs)
