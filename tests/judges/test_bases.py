"""Bases that a person can check at a glance, and what must not be called another topic for how lines are shown."""

from dataclasses import replace
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp import EmbeddedJudge, Row, Verdict
from cite_lsp.judges.embedded.claim.claims import MAX_CLAIM, Claim
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.snapshot.excerpt import unit_excerpt

JUDGE = EmbeddedJudge()
LONGEST_BASIS = 500
PADDING = "which_is_a_rather_long_name " * 40


def judged_at(claim: str, file: list[str], first: int, last: int | None = None, *, part: str = "") -> Verdict:
    excerpt = unit_excerpt(file, first, last, language="rust")
    assert excerpt is not None
    row = Row(claim=claim, excerpts=(excerpt,), path="a.rs", language="rust", file=tuple(file), part=part)
    return JUDGE.judge_row(row)


# --- what is shown


@given(st.text("ab_. é", max_size=200), st.integers(2, 120))
def test_a_text_is_cut_behind_a_word(text: str, most: int) -> None:
    shown = clipped(text, most)
    assert len(shown) <= most
    kept = shown.removesuffix("…")
    assert text.strip().startswith(kept)
    if shown.endswith("…"):
        behind = text.strip()[len(kept) : len(kept) + 1]
        inside = bool(kept) and (kept[-1].isalnum() or kept[-1] == "_") and (behind.isalnum() or behind == "_")
        assert not inside or len(kept) < 25 or not set(kept[-24:]) & set(". ")
    else:
        assert kept == text.strip()


def test_a_name_in_back_ticks_is_not_cut_in_two() -> None:
    assert clipped("for big numbers above `Number.MAX_SAFE_INTEGER` only", 36) == "for big numbers above…"
    assert clipped("`a_name_that_takes_all_of_it and_more`", 30) == "`a_name_that_takes_all_of_it…"


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("`TIMEOUT` is 30.", f"TIMEOUT = 60  # {PADDING}"),
        (
            f"`load` reads the settings of the {PADDING[:600]}folder.",
            f"def load(settings, folder):  # reads the {PADDING}",
        ),
        ("Python 3.9 or newer is needed.", f'requires-python = ">=3.8"  # {PADDING}'),
        (f"The cache never keeps {PADDING[:900]}pages.", f"# The cache keeps {PADDING[:400]}pages."),
        (f"{PADDING[:700]} overrides the file.", f"value = file or environment  # {PADDING}"),
        (f"`load` opens the file, because {PADDING[:700]} was wanted.", "def load(): return open(file)"),
    ],
)
def test_a_basis_is_no_wall(claim: str, line: str) -> None:
    for path in ("a.py", "a.md", "a.toml"):
        verdict = JUDGE.judge_row(Row.of(claim=claim, lines=[(1, line), (2, "x = 1")], path=path))
        assert len(verdict.basis) < LONGEST_BASIS, verdict.basis


@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_requirement_is_shown_without_half_a_quote(quote: str) -> None:
    claim = "The build needs setuptools 61 or newer."
    verdict = JUDGE.judge_row(
        Row.of(claim=claim, lines=[(1, f"requires = [{quote}setuptools>=45{quote}]")], path="pyproject.toml")
    )
    assert verdict.basis == "the claim says 61, line 1 says setuptools>=45"


# --- what is not another topic

RULES = [
    "pub const FIRST: u8 = 1;",
    "pub const OTHER: u8 = 1;",
    "",
    "pub const TABLE: &[Row] = &[",
    "    Row { letter: 'i', needs_recursion: true },",
    "];",
    *["fn filler() {}", ""] * 30,
    "/// Single source of truth of the rules.",
    "pub const LAST: u8 = 1;",
]


def test_what_stands_behind_a_citation_keeps_it_on_topic() -> None:
    claim = "Single source of truth of the rules - the row with `needs_recursion: true`."
    part = "Single source of truth of the rules"
    assert judged_at(claim, RULES, 4, 6, part=part).kind is None
    other = judged_at(claim.replace("needs_recursion", "needs_nothing"), RULES, 4, 6, part=part)
    assert other.kind == "off-topic", "nothing of the claim stands there"


@pytest.mark.parametrize("header", [["{"], ["where", "    T: Copy,", "{"], [") -> u8", "{"]])
def test_lines_that_begin_within_a_header_are_enclosed_by_it(header: list[str]) -> None:
    file = [
        "/// Signs all blocks.",
        "pub fn sign_blocks<T>(",
        "    blocks: &[T],",
        *header,
        "    blocks.iter().sum()",
        "}",
    ]
    file += [*["", "fn other() {}"] * 30, "/// sign_blocks folds every piece.", "fn last() {}"]
    at = 4
    assert judged_at("`sign_blocks` folds every piece.", file, at, at + len(header)).kind is None


def test_a_range_that_was_cut_may_hold_what_is_not_shown() -> None:
    file = ["fn first() {", *[f"    step_{number}();" for number in range(70)], "    grind_the_coffee();", "}", ""]
    file += [f"fn filler_{number}() {{}}" for number in range(40)]
    assert judged_at("`grind_the_coffee` comes last.", file, 1, 73).label != "unsupported"
    assert judged_at("`grind_the_coffee` comes last.", file, 75, 77).label == "unsupported"


@pytest.mark.parametrize(
    "claim",
    [
        "Knob: idle; Default: 30 s",
        "#: 16; file:line; syscall: `open`; class: other",
        "Function; Purpose: resets the list; Tested: yes",
    ],
)
def test_rows_of_tables_are_told(claim: str) -> None:
    assert Claim(claim).of_table
    assert not Claim("It keeps the list: sixteen entries at most; others are dropped.").of_table


def test_one_word_said_often_is_not_much_that_is_absent() -> None:
    claim = "The tape is kept, kept and kept, kept and kept."
    row = Row.of(claim=claim, lines=[(1, "def g(a): return a + b")], path="a.py")
    assert JUDGE.judge_row(row).kind != "off-topic"


# --- time

SPACES = " " * (MAX_CLAIM - 100)


@pytest.mark.parametrize(
    "claim",
    [
        f"It stays off until{SPACES}x",
        f"an{SPACES}_ `load_all` reads",
        f"{SPACES}`load_all` reads the list",
        ("and is and " * 200)[:MAX_CLAIM],
    ],
)
@pytest.mark.parametrize(
    "line", ["\t" * 590 + "x = 1", " " * 590 + "}", "until" + " " * 580 + "x", "if a < b: raise E('x y') " * 24]
)
def test_runs_of_white_space_cost_little(claim: str, line: str) -> None:
    row = Row.of(claim=claim, lines=[(number, line) for number in range(1, 21)], path="a.py")
    begun = process_time()
    for each in (row, replace(row, language="markdown"), replace(row, language=None)):
        JUDGE.judge_row(each)
    assert process_time() - begun < 5
