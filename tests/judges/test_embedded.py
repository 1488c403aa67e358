"""The embedded judge: worked examples (`embedded.md`), and what must hold whatever the texts."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cite_lsp import EmbeddedJudge, Row, Verdict
from cite_lsp.judges.embedded import better_lines
from cite_lsp.judges.embedded.claim.claims import MAX_CLAIM
from cite_lsp.judges.embedded.claim.values import Value, amount_of, values_in_prose
from cite_lsp.judges.embedded.claim.words import name_words
from cite_lsp.snapshot.excerpt import unit_excerpt
from tests.growth import growth

JUDGE = EmbeddedJudge()


def judged(claim: str, lines: list[str], path: str = "a.py", file: list[str] | None = None) -> Verdict:
    return JUDGE.judge_row(Row.of(claim=claim, lines=list(enumerate(lines, 1)), path=path, file=file or lines))


def examples() -> Iterator[tuple[str, list[str], str, str, str]]:
    path, lines, inside = "", [], False
    for text in (Path(__file__).parent / "embedded.md").read_text(encoding="utf-8").split("\n"):
        if text.startswith("```"):
            if not inside:
                path, lines = text.split()[1], []
            inside = not inside
        elif inside:
            lines.append(text)
        elif text.startswith("|") and not re.match(r"\|-|\| claim", text):
            claim, label, basis = (cell.strip() for cell in text.strip("|").split("|"))
            yield path, lines, claim, label, basis


@pytest.mark.parametrize(("path", "lines", "claim", "label", "basis"), list(examples()))
def test_worked_examples(path: str, lines: list[str], claim: str, label: str, basis: str) -> None:
    verdict = judged(claim, lines, path)
    assert verdict.label == label, verdict
    assert basis in verdict.basis


@pytest.mark.parametrize(("path", "lines", "claim", "label", "basis"), list(examples()))
def test_a_verdict_shows_its_lines(path: str, lines: list[str], claim: str, label: str, basis: str) -> None:
    verdict = judged(claim, lines, path)
    assert verdict.judge == "embedded/2"
    assert verdict.reason
    assert verdict.basis
    assert verdict.confidence is None
    assert (verdict.kind is not None) == (verdict.label == "unsupported")
    assert bool(verdict.evidence) == (verdict.label != "unchecked")
    for each in verdict.evidence:
        assert lines[each.offset] == each.text


async def test_many_rows_are_answered_in_order() -> None:
    rows = [Row.of(claim=f"`LIMIT` is {n}.", lines=[(7, "LIMIT = 3")], path="a.py") for n in (3, 4, 3)]
    assert [verdict.label for verdict in await JUDGE.judge(rows)] == ["supported", "unsupported", "supported"]


@pytest.mark.parametrize(
    "claim",
    [
        "`LIMIT` is 3 (`src/a.py:5`).",
        "`LIMIT` is 3, src/a.py:5-9.",
        "`LIMIT` is 3 [here](src/a.py#L5).",
        "As `src/a.py:5` says, `LIMIT` is 3.",
        "`LIMIT` is 3, see src/a.py line 5.",
        "`LIMIT` is 3 (src/a.py, lines 5 and 8).",
        "`LIMIT` is 3 (`a.py:5,8`).",
        "`LIMIT` is 3 (Makefile:12).",
        "In src/a.py:5 the `LIMIT` is 3.",
    ],
)
def test_a_citation_in_the_claim_is_no_part_of_it(claim: str) -> None:
    assert judged(claim, ["LIMIT = 3"]).label == "supported"
    assert judged(claim, ["LIMIT = 4"]).label == "unsupported"


def test_an_address_is_no_citation() -> None:
    assert judged("`LISTEN` is 127.0.0.1:80.", ['LISTEN = "127.0.0.1:81"']).label != "supported"


# --- what holds a verdict back


def test_the_claimed_value_elsewhere_in_the_cited_lines_holds_it_back() -> None:
    assert judged("The timeout is 60.", ["timeout = 30", "x = 60"]).label == "unchecked"


def test_another_value_of_the_same_name_near_by_holds_it_back() -> None:
    file = ["timeout = 30", "", "", "", "timeout = 60"]
    row = Row.of(claim="The timeout is 60.", lines=[(1, file[0])], path="a.py")
    assert JUDGE.judge_row(row).label == "unsupported"
    assert JUDGE.judge_row(replace(row, file=tuple(file))).label == "unchecked"


def test_two_things_of_the_claims_words_hold_it_back() -> None:
    assert judged("The pool timeout is 5.", ["pool_timeout = 30", "timeout = 40"]).label == "unchecked"


def test_an_excerpt_that_was_cut_asks_a_person() -> None:
    excerpt = unit_excerpt(["timeout = 30", *["x = y + z"] * 80], 1, 60, language="python")
    assert excerpt is not None
    assert excerpt.truncated
    row = Row(claim="The timeout is 60.", excerpts=(excerpt,), language="python")
    assert JUDGE.judge_row(row).label == "review"


def test_a_comment_says_it_where_the_code_does_not_say_otherwise() -> None:
    claim, comment = "`Pool` is capped at 10 connections.", "# Pool is capped at 10 connections"
    verdict = judged(claim, [comment, "pool = Pool()"])
    assert (verdict.label, verdict.basis) == ("supported", f"line 1 says {comment}")
    assert judged(claim, [comment, "pool = Pool(connections=20)"]).label != "supported"


@pytest.mark.parametrize("lines", [[], [""], ["", "   "]])
def test_nothing_cited_is_not_judged(lines: list[str]) -> None:
    assert judged("`LIMIT` is 3.", lines).label == "unchecked"


def test_a_name_that_stands_elsewhere_is_off_topic() -> None:
    file = ["def hide_help(self):", "    self.hidden = True", "", "def make_mandatory(self):", "    self.mandatory = 1"]
    excerpt = unit_excerpt(file, 4, None, language="python")
    assert excerpt is not None
    row = Row(claim="`hide_help` leaves an option out.", excerpts=(excerpt,), language="python", file=tuple(file))
    verdict = JUDGE.judge_row(row)
    assert (verdict.label, verdict.kind) == ("unsupported", "off-topic")
    assert "hide_help is defined on line 1" in verdict.basis
    inside = unit_excerpt(file, 2, 2, language="python")
    assert inside is not None
    assert JUDGE.judge_row(replace(row, excerpts=(inside,))).label != "unsupported", "the name encloses these lines"


# --- metamorphic


NAMES = st.sampled_from(["maxRetries", "max_retries", "MAX_RETRIES", "poolSize", "read-timeout", "cache.limit"])
TEMPLATES = st.sampled_from(["`{}` is {}.", "`{}` defaults to {}.", "By default, `{}` is {}."])


@given(NAMES, TEMPLATES, st.integers(2, 10**6), st.integers(2, 10**6))
def test_another_number_is_never_supported(name: str, template: str, value: int, other: int) -> None:
    lines = [f"{name} = {value}"]
    assert judged(template.format(name, value), lines).label == "supported"
    label = judged(template.format(name, other), lines).label
    assert label == ("supported" if other == value else "unsupported")


@given(st.sampled_from(["tls", "verify", "verbose_output"]), st.booleans(), st.booleans())
def test_the_opposite_truth_is_never_supported(name: str, value: bool, said: bool) -> None:
    word = "enabled" if said else "disabled"
    label = judged(f"`{name}` is {word} by default.", [f"{name} = {value}"]).label
    assert label != ("unsupported" if said == value else "supported")


@given(
    st.sampled_from([("timeout_ms", 0.001), ("timeout_seconds", 1), ("timeout_minutes", 60), ("timeout", None)]),
    st.integers(1, 500),
    st.sampled_from([("ms", 0.001), ("milliseconds", 0.001), ("seconds", 1), ("minutes", 60), ("hours", 3600)]),
)
def test_another_unit_for_the_same_time_is_no_conflict(
    name: tuple[str, float | None], value: int, unit: tuple[str, float]
) -> None:
    amount = Fraction(value) * Fraction(str(name[1] or 1)) / Fraction(str(unit[1]))
    assume(amount.denominator in (1, 2, 4, 5, 10, 20, 100, 1000))
    verdict = judged(f"The timeout is {float(amount)} {unit[0]}.", [f"{name[0]} = {value}"])
    assert verdict.label != "unsupported", verdict


@given(st.sampled_from(["at most 3", "3", "three", "03", "3.0"]))
def test_another_spelling_of_the_number_is_no_conflict(spelling: str) -> None:
    assert judged(f"`MAX_TRIES` is {spelling}.", ["MAX_TRIES = 3"]).label != "unsupported"


def test_moving_the_lines_changes_nothing() -> None:
    here = JUDGE.judge_row(Row.of(claim="`A_B` is 3.", lines=[(1, "A_B = 4")], path="a.py"))
    there = JUDGE.judge_row(Row.of(claim="`A_B` is 3.", lines=[(900, "A_B = 4")], path="a.py"))
    assert (here.label, here.kind, here.evidence) == (there.label, there.kind, there.evidence)


# --- any text


TEXT = st.text(
    st.one_of(st.sampled_from("`'\"=:(){}[]<>#/*-_.,; 0123456789abcABC\u2028\ud800é"), st.characters()), max_size=80
)


@given(TEXT, st.lists(TEXT, max_size=8), st.sampled_from(["a.py", "a.md", "a.toml", "a.c", "a", ""]))
def test_no_text_makes_it_raise(claim: str, lines: list[str], path: str) -> None:
    verdict = judged(f"{claim} `x_y` is 3", lines, path)
    for each in verdict.evidence:
        assert lines[each.offset] == each.text
    better_lines(Row.of(claim=claim, lines=[(1, "")], path=path), lines, 1, 1)


def test_numbers_too_large_to_be_meant_are_no_trouble() -> None:
    assert amount_of("9**9**9") is None
    assert amount_of("1 << 99") is None
    assert judged("`N` is " + "9" * 400 + " and 2**64.", ["N_MAX = " + "9" * 400, "N = 10 ** 400"]).label == "unchecked"


@pytest.mark.parametrize(
    "piece", ["a = 1, ", "a.", "`", '"x ', "one hundred ", "1 * ", "x: y: ", "a(", " " * 8, "A", "1,000,", "-- "]
)
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    """Eight times as much; a quadratic rule would take sixty-four times as long."""

    def seconds(size: int) -> float:
        line = piece * (size // len(piece))
        row = Row.of(claim="`limit` is 3 at most " + piece * 80, lines=[(n, line) for n in range(1, 9)], path="a.py")
        row = replace(row, file=tuple([line] * 8))
        start = process_time()
        JUDGE.judge_row(row)
        return process_time() - start

    assert growth(seconds, 2_000, 16_000, 24, least=0.003) <= 24


_CODE = [
    "# Every limit that is not set before the call is read from the file, and never from the environment.",
    "if not path or len(path) > 4096: raise ValueError('the path is empty or too long')",
    "timeout = options.get('timeout') or 30  # seconds, until somebody says otherwise",
    "return sorted(load(read(path)), key=lambda each: each.size, reverse=True)",
]


@pytest.mark.parametrize(
    "piece",
    [
        "it raises `ValueError` when the path is empty, ",
        "unless a path is given the limit is at least 40, ",
        "`load` calls `read` before it calls `sort`, ",
        'the message is "the path is empty or too long" and ',
        "needs Python >= 3.8 and requests 2.31, ",
        "the timeout is 30 seconds by default, ",
        "the file is read from disk and never from the environment, ",
        "options override the environment on Windows, ",
        "because of that, so that nobody waits, for every caller, ",
        "see `src/a.py:5` and src/b.py, lines 5 and 8, ",
    ],
)
def test_time_grows_with_the_claim_and_no_faster(piece: str) -> None:
    """Other words each time: what is remembered of a text is no measure."""
    turn = itertools.count()

    def seconds(size: int) -> float:
        claim = f"limit {next(turn)} " + piece * (size // len(piece))
        lines = [f"{text} # {next(turn)}" for text in _CODE * 6]
        row = Row.of(claim=claim[:MAX_CLAIM], lines=list(enumerate(lines, 1)), path="a.py", file=lines * 4)
        start = process_time()
        JUDGE.judge_row(row)
        return process_time() - start

    assert growth(seconds, MAX_CLAIM // 6, MAX_CLAIM, 12, least=0.002) <= 18


@pytest.mark.parametrize("path", ["a.py", "a.md"])
@pytest.mark.parametrize("text", _CODE)
def test_time_grows_with_the_cited_lines_and_no_faster(text: str, path: str) -> None:
    turn = itertools.count()

    def seconds(size: int) -> float:
        lines = [f"{text} # {next(turn)}" for _ in range(size)]
        claim = "It raises `ValueError` when the path is not empty; a timeout of 40 seconds overrides the environment."
        row = Row.of(claim=claim, lines=list(enumerate(lines, 1)), path=path, file=lines)
        start = process_time()
        JUDGE.judge_row(row)
        return process_time() - start

    assert growth(seconds, 40, 320, 16, least=0.004) <= 24


def test_time_grows_with_the_file_and_no_faster() -> None:
    turn = itertools.count()

    def seconds(size: int) -> float:
        file = [f"{text} {next(turn)}" for text in _CODE * (size // len(_CODE))]
        claims = [f"The limit of option {n} is read from the cache before the network is asked." for n in range(20)]
        rows = [Row.of(claim=claim, lines=[(n + 1, file[n])], path="a.py", file=file) for n, claim in enumerate(claims)]
        rows = [replace(row, file=rows[0].file) for row in rows]
        start = process_time()
        for row in rows:
            JUDGE.judge_row(row)
        return process_time() - start

    assert growth(seconds, 2_000, 16_000, 16, least=0.01) <= 24


# --- better lines


def test_better_lines_are_the_nearest_first_and_at_most_three() -> None:
    file = [
        text
        for n in range(12)
        for text in (f"limit_{n} = {n}", "LIMIT = 7" if n in (1, 5, 8, 11) else "other = 0", "", "")
    ]
    row = Row.of(claim="`LIMIT` is 7.", lines=[(21, file[20])], path="a.py", file=file)
    found = better_lines(row, file, 25, 25)
    assert [each.first for each in found] == [22, 34, 6]
    assert all(file[each.first - 1] == "LIMIT = 7" for each in found)
    assert all(each.verdict.label == "supported" for each in found)


def test_better_lines_have_the_length_that_was_cited() -> None:
    file = ["a = 1", "b = 2", "c = 3", "", "", "", "LIMIT = 7", "d = 4", "e = 5"]
    row = Row.of(claim="`LIMIT` is 7.", lines=[(1, file[0]), (2, file[1])], path="a.py", file=file)
    assert [(each.first, each.last) for each in better_lines(row, file, 1, 2)] == [(7, 8)]


def test_no_better_lines_where_none_support_it() -> None:
    file = ["a = 1", "", "LIMIT = 8"]
    assert better_lines(Row.of(claim="`LIMIT` is 7.", lines=[(1, "a = 1")], path="a.py"), file, 1, 1) == []


def test_the_search_ends_when_nobody_waits() -> None:
    file = ["a = 1", "", "LIMIT = 7"]
    row = Row.of(claim="`LIMIT` is 7.", lines=[(1, "a = 1")], path="a.py")
    assert better_lines(row, file, 1, 1, dropped=lambda: True) == []


# --- the parts


@pytest.mark.parametrize(
    ("text", "kind", "amount"),
    [
        ("three", "number", 3),
        ("twenty five", "number", 25),
        ("one hundred and five", "number", 105),
        ("two thousand", "number", 2000),
        ("1,000,000", "number", 1_000_000),
        ("2**14", "number", 16384),
        ("1e3", "number", 1000),
        ("0xff", "number", 255),
        ("60 * 60", "number", 3600),
        ("250 ms", "time", 0.25),
        ("1.5 hours", "time", 5400),
        ("a quarter of an hour", "time", 900),
        ("ten minutes", "time", 600),
        ("5 KiB", "bytes", 5120),
        ("80%", "percent", 0.8),
    ],
)
def test_values_of_prose(text: str, kind: str, amount: float) -> None:
    [value] = values_in_prose(f"it takes {text}, all told")
    assert value.kind == kind
    assert amount == pytest.approx(value.amounts[0])


def test_a_kilobyte_is_either_and_a_path_is_no_number() -> None:
    [kilo] = values_in_prose("2 KB")
    assert kilo.agrees(Value("bytes", (2048,), ""))
    assert kilo.agrees(Value("bytes", (2000,), ""))
    assert list(values_in_prose("v1.2.3 a/3 one of them #4 x86")) == []


def test_names_in_any_style_have_the_same_words() -> None:
    assert len({name_words(name) for name in ("maxRetries", "MAX_RETRIES", "max-retries", "max.retries")}) == 1


def test_a_thin_sentence_is_judged_itself_where_what_it_borrows_says_nothing() -> None:
    lines = [(3, "MAX_ATTEMPTS = 3")]
    row = Row.of(claim="Retries", sentence="`MAX_ATTEMPTS` is five.", lines=lines, path="src/retry.py")
    assert EmbeddedJudge().judge_row(row).label == "unsupported"
    good = Row.of(claim="Retries", sentence="`MAX_ATTEMPTS` is three.", lines=lines, path="src/retry.py")
    assert EmbeddedJudge().judge_row(good).label == "supported"
