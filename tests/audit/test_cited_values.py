"""Values in code spans, the citation behind each, and whether its lines hold it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp import Document
from cite_lsp.audit.cited_values import Shown, values_of


def paired(text: str) -> list[tuple[str, list[str]]]:
    return [
        (value.text, [block.anchors[number].text for number in value.anchors])
        for block in Document.parse(text, "d.md").blocks
        for value in values_of(block)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cap is `3` (`a.py:2`).", [("3", ["a.py:2"])]),
        ("The cap is `3` (`a.py:2`) and the wait `4` (`a.py:4`).", [("3", ["a.py:2"]), ("4", ["a.py:4"])]),
        ("`a.py:2` sets the cap to `3` and `a.py:4` the wait to `4`.", [("3", ["a.py:2"]), ("4", ["a.py:4"])]),
        ("In `a.py:2` the cap is `3`, in `a.py:4` the wait is `4`.", [("3", ["a.py:2"]), ("4", ["a.py:4"])]),
        ("The cap is `3` and the wait `4` (`a.py:2`).", [("3", ["a.py:2"]), ("4", ["a.py:2"])]),
        ("The cap is `3` (`a.py:2`, `a.py:9`).", [("3", ["a.py:2", "a.py:9"])]),
        ("The cap is `3` (`a.py:2`), the rest follows.", [("3", ["a.py:2"])]),
        ("The cap is `3` (`a.py:2`), and `rest` follows.", [("3", ["a.py:2"])]),
        ("The cap is three (`a.py:2`), and `rest` follows.", [("rest", ["a.py:2"])]),
        ("| `cap` | `3` (`a.py:2`) | kept in `rest` |\n", [("cap", ["a.py:2"]), ("3", ["a.py:2"])]),
        ("`core/errors.py`, `cli/` and `other.ts` hold it too (`a.py:2`); so does `Mock:2-9`.", []),
        ("`loop.time` is read (`a.py:2`).", [("loop.time", ["a.py:2"])]),
        ("| cap | `3` | `a.py:2` |\n", [("3", ["a.py:2"])]),
        ("- The cap is `3` (a.py:2-4)", [("3", ["a.py:2-4"])]),
        ("The cap is `3`. It is set in `a.py:2`.", []),
        ("The cap is `3`.", []),
        ("The cap is 3 (`a.py:2`).", []),
        ("The cap is no longer `3` (`a.py:2`).", []),
        ("The cap is `3`, not `4` (`a.py:2`).", [("3", ["a.py:2"])]),
        ("See `a.py` (`src/a.py:2`), and `src/a.py:2-4`.", []),
        ("It was fixed in commit `1a2b3c4d` (`a.py:2`).", []),
        (f"The state is `{'1a' * 20}` (`a.py:2`).", []),
        ("The mask is `1a2b3c4d` (`a.py:2`).", [("1a2b3c4d", ["a.py:2"])]),
        ("It runs `a(...)` and `$ make` (`a.py:2`), or `…`.", []),
        ("[`cap`](a.py#L3) is `3`.", [("3", ["[`cap`](a.py#L3)"])]),
        ("```\nThe cap is `3` (`a.py:2`).\n```", []),
    ],
)
def test_which_citation_stands_behind_a_value(text: str, expected: list[tuple[str, list[str]]]) -> None:
    assert paired(text) == expected


@pytest.mark.parametrize(
    ("value", "line", "holds"),
    [
        ("3", "attempts = 3;", True),
        ("3", "const maxRetries = 30;", False),
        ("3", "version 3.5", False),
        ("3", "// defaults to 3.", True),
        ("0.5", "wait = 10.5", False),
        ("0.5", "wait = .5 or 0.5", True),
        ("retry.ts", "import './myretry.ts'", False),
        ("retry.ts", "import './retry.ts'", True),
        ("a+b", "x = a + b", True),
        ("attempts: 3", "attempts:3,", True),
        ("x = 3", "if x=3:", True),
        ("a b", "ab", False),
        ("1000", "timeout=1_000", True),
        ("1_000", "timeout = 1000", True),
        ("1,000", "timeout = 1000", True),
        ("1e3", "timeout = 1000", True),
        ("0x1F", "mask = 31", True),
        ("31", "mask = 0x1f", True),
        ("32", "mask = 0x1f", False),
        ("0", "mask = 0x1f", False),
        ("3600", "hour = 60 * 60", True),
        ("30s", "timeout_ms = 30000", True),
        ("30s", "timeout = 31", False),
        ("3", "three attempts", True),
        ("true", "x = True", True),
        ("true", "x = untrue", False),
        ('"fast"', "mode = 'fast'", True),
        ("retry()", "def retry(count):", True),
        ("Client.retry()", "def retry(count):", True),
        ("Client::retry", "    fn retry(&self) {", True),
        ("Client::retry", "impl Client {", False),
        ("Client::retry", "    fn retry_all(&self) {", False),
        ("--fast", 'const s = "--fast";', True),
        ("--fast", "--faster", False),
        ("9.9.9", "version = 9.9.10", False),
        ("1e999", "x = 1", False),
        ("é", "café", True),
    ],
)
def test_what_holds_a_value(value: str, line: str, holds: bool) -> None:
    assert Shown([line]).holds(value) == holds


TEXTS = st.lists(
    st.sampled_from(["`3`", "`a.py:2`", "a.py:4-9", "is", ", and so on", "; ", ". ", "not ", "| ", "`", "\n", "``x``"]),
    max_size=20,
).map(" ".join)


@given(TEXTS | st.text(max_size=60), st.lists(st.text(max_size=30), max_size=3))
def test_nothing_is_raised_and_every_value_stands_in_its_block(text: str, lines: list[str]) -> None:
    for block in Document.parse(text, "d.md").blocks:
        for value in values_of(block):
            assert value.text in block.text[value.start : value.end]
            assert value.anchors
            Shown(lines).holds(value.text)


@given(st.text(min_size=1, max_size=30).filter(lambda text: any(map(str.isalnum, text))))
def test_a_line_holds_itself(value: str) -> None:
    value = " ".join(value.split())
    assert not value or Shown([f" {value} "]).holds(value)


def test_many_values_and_citations_end(ends) -> None:
    text = " ".join(f"`{number}` (`a.py:{number}`)" for number in range(4_000))
    with ends():
        assert len(paired(text)) == 4_000
