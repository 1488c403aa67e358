"""What a claim names, looked for in the cited lines and in the rest of the file (findings.md, `wrong-lines`)."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.audit.grounding import (
    MOST_BESIDE,
    Grounding,
    besides,
    ground,
    grounding_from_data,
    grounding_to_data,
)
from cite_lsp.audit.rows import row_of
from cite_lsp.audit.verdicts import Row
from cite_lsp.document.document import Document
from cite_lsp.snapshot.snapshot import Snapshot


def filler(first: int, end: int) -> list[str]:
    """Statements, each alone."""
    return ["" if number % 2 else f"step{number}();" for number in range(first, end)]


RETRY = [
    "import { Clock, backoffBase } from './clock';",
    "",
    "/** What a retry may cost, see retryBudget. */",
    "export interface RetryPolicy {",
    "  attempts: number;",
    "  backoffMs: number;",
    "}",
    "",
    *filler(9, 30),
    "",
    "// the limits",
    "export const",
    "  maxAttempts = 3;",
    "",
    "export function waitBefore(attempt: number): number {",
    "  return backoffBase * 2 ** attempt;",
    "}",
    *filler(38, 60),
    "",
    "export class Retry {",
    "  private failures = 0;",
    "",
    "  constructor(private policy: RetryPolicy) {}",
    "",
    *[f"  field{number};" for number in range(66, 90)],
    "",
    "  shouldStop(): boolean {",
    "    return this.failures >= maxAttempts;",
    "  }",
    "}",
    *filler(96, 120),
    "// retryBudget is spent elsewhere",
]
GUIDE = [
    "# Guide",
    "",
    "Some prose about `shouldRetry`.",
    *["", "Words."] * 12,
    "",
    "## The `retry_budget` setting",
    "",
    "It is spent.",
]
LIMITS = [
    "[limits]",
    *[f"key{number} = false" for number in range(20)],
    "max_retry_count = 7",
    "idle_timeout_ms = 30000",
    'mode = "fast"',
]
FILES = {
    "src/retry.ts": "\n".join(RETRY) + "\n",
    "docs/guide.md": "\n".join(GUIDE) + "\n",
    "limits.toml": "\n".join(LIMITS) + "\n",
    "src/other.ts": "export const otherThing = 1;\n" + "step();\n\n" * 30 + "export const shouldStop = 2;\n",
}


def found(text: str, files: dict[str, str] | None = None) -> list[tuple[str, Grounding]]:
    """The findings of a document by the text of their anchor."""
    snapshot = Snapshot.of(FILES if files is None else files)
    document = Document.parse(text, "notes.md", known=snapshot.known)
    findings: list[tuple[str, Grounding]] = []
    bound = iter(document.anchors)
    for block in document.blocks:
        anchors = [next(bound) for _ in block.anchors]
        rows = [row_of(anchor, snapshot.resolve(anchor, document), snapshot) for anchor in anchors]
        for anchor, row, beside in zip(anchors, rows, besides(anchors, rows), strict=True):
            result = ground(row, anchor.spans, beside) if row is not None else None
            if result is not None:
                findings.append((anchor.text, result))
    return findings


def lines(text: str, files: dict[str, str] | None = None) -> list[tuple[int, int, str]]:
    """First and last line of the places of the only finding, with the role of each."""
    ((_, result),) = found(text, files)
    return [(place.first, place.last, place.role) for place in result.places]


def test_the_definition_comes_first_then_the_nearest_use() -> None:
    ((anchor, result),) = found("`maxAttempts` is three (src/retry.ts:20).")
    assert anchor == "src/retry.ts:20"
    assert result.tokens == ("maxAttempts",)
    assert [(place.first, place.role, place.text) for place in result.places] == [
        (33, "assignment", "maxAttempts = 3;"),
        (92, "use", "return this.failures >= maxAttempts;"),
    ]
    assert not result.certain


def test_one_place_alone_is_certain() -> None:
    ((_, result),) = found("The wait grows in `waitBefore` (src/retry.ts:5).")
    assert (result.certain, [place.first for place in result.places]) == (True, [35])


def test_a_range_is_offered_the_whole_definition_else_as_many_lines() -> None:
    assert lines("`waitBefore` doubles the wait (src/retry.ts:10-12).") == [(35, 37, "definition")]
    assert lines("`this.failures >= maxAttempts` stops it (src/retry.ts:17-19).")[0] == (92, 94, "quote")


def test_a_range_is_clipped_to_the_file() -> None:
    files = {"a.ts": "step();\n" * 30 + "export const lastThing = 1;\n"}
    assert lines("`lastThing` is one (a.ts:3-9).", files) == [(31, 31, "definition")]


def test_code_is_looked_for_as_it_is_written_before_its_names() -> None:
    text = "The loop ends at `this.failures >= maxAttempts` (src/retry.ts:20)."
    assert lines(text)[0] == (92, 92, "quote")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("`maxAttempts` is three (src/retry.ts:33).", id="it is cited"),
        pytest.param("`maxAttempts` is three (src/retry.ts:28).", id="within the lines below"),
        pytest.param("`maxAttempts` is three (src/retry.ts:40).", id="within the lines above"),
        pytest.param("`waitBefore` is three (src/retry.ts:8-60).", id="within a range longer than an excerpt"),
        pytest.param("`max_attempts` is three (src/retry.ts:33).", id="in another spelling"),
        pytest.param("`hardLimit` is three (src/retry.ts:20).", id="nowhere in the file"),
        pytest.param("`Retry` counts what failed (src/retry.ts:75).", id="the lines lie within it"),
        pytest.param("`Retry` stops in `shouldStop` (src/retry.ts:75).", id="the lines lie within the first name"),
        pytest.param("`retry` is the module (src/retry.ts:10).", id="the path carries it"),
        pytest.param("It does not read `maxAttempts` (src/retry.ts:20).", id="denied"),
        pytest.param("Unlike `maxAttempts` it is a type (src/retry.ts:20).", id="set apart"),
        pytest.param("Anders als hier wird nicht `maxAttempts` gelesen (src/retry.ts:20).", id="denied in German"),
        pytest.param("`retryBudget` is spent (src/retry.ts:76).", id="only in comments"),
        pytest.param("The `attempts` are counted (src/retry.ts:50).", id="a plain word that nothing defines"),
        pytest.param("Version 1.2.3 of deadbeef1234 is meant (src/retry.ts:20).", id="versions and hashes"),
        pytest.param("`backoffMs` beside `maxAttempts` (src/retry.ts:6).", id="one of two names is cited"),
        pytest.param("`RetryPolicy` has it (src/retry.ts:4), `maxAttempts` too (src/retry.ts:33).", id="each its own"),
        pytest.param(
            "`maxAttempts` is read by `shouldStop` (src/retry.ts:20, src/retry.ts:91).", id="another covers it"
        ),
        pytest.param("`maxAttempts` is three (src/retry.ts:20, src/gone.ts:4).", id="another is not read"),
        pytest.param("`shouldRetry` is told (docs/guide.md:19).", id="prose that is no heading"),
    ],
)
def test_silent(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("It reads `maxAttempts` (src/retry.ts:20).", True, id="not denied"),
        pytest.param("`shouldStop` is one (src/other.ts:12).", True, id="told in another file"),
        pytest.param("`waitBefore` is three (src/retry.ts:8-20).", True, id="a range that ends before it"),
        pytest.param("`maxAttempts` is three (src/retry.ts:20, src/retry.ts:5).", False, id="beside a part of it"),
    ],
)
def test_what_makes_the_difference(text: str, *, told: bool) -> None:
    assert bool(found(text)) is told


def test_an_import_is_no_place() -> None:
    assert lines("`backoffBase` is the base (src/retry.ts:76).") == [(36, 36, "use")]


def test_a_heading_of_prose_is_a_place() -> None:
    assert lines("The budget is told at `retry_budget` (docs/guide.md:5).") == [(29, 29, "definition")]


def test_a_weakly_covered_claim_is_told_when_its_first_name_is_defined_at_one_other_place() -> None:
    text = "`waitBefore` takes the `attempts` (src/retry.ts:5)."
    assert lines(text) == [(35, 35, "definition")]
    assert found("The `attempts` go to `waitBefore` (src/retry.ts:5).") == []


def test_qualified_names_belong_to_what_qualifies_them() -> None:
    assert lines("`Retry.shouldStop` decides (src/retry.ts:10).") == [(91, 91, "definition")]
    assert found("`Other.shouldStop` decides (src/retry.ts:10).") == []
    assert found("`Policy.attempts` decides (src/retry.ts:50).") == []


def test_a_row_lends_its_first_cell_only() -> None:
    head = "| name | where | note |\n|---|---|---|\n"
    ((_, result),) = found(head + "| `waitBefore` | src/retry.ts:5 | calls `shouldStop` |\n")
    assert result.tokens == ("waitBefore",)
    assert found(head + "| the wait | src/retry.ts:5 | calls `shouldStop` |\n") == []
    ((_, own),) = found(head + "| `RetryPolicy` | `waitBefore` src/retry.ts:66 | x |\n")
    assert own.tokens == ("waitBefore",)


def test_quoted_text_and_options() -> None:
    files = {"cli.py": "import sys\n" + "step()\n\n" * 20 + "add('--dry-run')\nfail('no such file here')\n"}
    assert lines('It says "no such file here" (cli.py:2).', files) == [(43, 43, "quote")]
    assert lines("`--dry-run` prints the plan (cli.py:2).", files) == [(42, 42, "quote")]


def test_a_number_counts_where_a_line_sets_what_the_claim_speaks_of() -> None:
    ((_, result),) = found("The retry count is at most 7 (limits.toml:3).")
    assert (result.tokens, result.places[0].line, result.certain) == (("7",), 22, True)
    assert [result.places[0].line for _, result in found("The idle timeout is 30 seconds (limits.toml:3).")] == [23]
    assert found("The retry count is at most 8 (limits.toml:3).") == []
    assert found("The size is 7 (limits.toml:3).") == []
    assert found("The retry count is at most 7 (limits.toml:22).") == []
    assert found("The retry count is not 7 (limits.toml:3).") == []


def test_a_name_that_only_has_its_bounds_in_a_docstring_is_told() -> None:
    """Reference audit, weaknesses: "bounds" in prose silenced requireBounds."""
    body = [
        "/**",
        " * The bounds of a claim.",
        " */",
        *filler(4, 87),
        "function requireBounds(a) {",
        "}",
        *filler(89, 95),
    ]
    files = {"a.ts": "\n".join([*body, "requireBounds(1);"]) + "\n"}
    assert lines("`requireBounds` refuses it (a.ts:2).", files) == [(87, 87, "definition"), (95, 95, "use")]


def test_lines_around_a_python_definition_count_as_within_it() -> None:
    body = ["class Pool:", '    """Text."""', "", "    def drain(", "        self,", "    ) -> None:"]
    body += [text for number in range(20) for text in (f"        step({number})", "")]
    files = {"p.py": "\n".join([*body, "", "", "def fill_up():", "    pass", ""]) + "\n"}
    assert found("`Pool.drain` goes step by step (p.py:39).", files) == []
    assert found("`drain` of `Pool` goes step by step (p.py:39).", files) == []
    assert lines("`fill_up` adds (p.py:19).", files) == [(49, 49, "definition")]


def test_a_c_function_with_its_brace_on_a_line_of_its_own() -> None:
    body = ["static int flush_all(int fd,", "\t\tint flags)", "{", *[f"\tstep({number});" for number in range(40)], "}"]
    files = {"io.c": "\n".join([*body, "", *["int x;"] * 20, "int open_all(void)", "{", "}"]) + "\n"}
    assert found("`flush_all` steps on (io.c:30).", files) == []
    assert lines("`open_all` opens (io.c:10).", files) == [(66, 66, "definition")]


def test_besides_are_those_of_the_sentence_or_the_claim() -> None:
    snapshot = Snapshot.of(FILES)
    document = Document.parse(
        "One is what `a_b` has (src/retry.ts:1, src/other.ts:1). Two of these stand elsewhere in it (src/retry.ts:5).",
        "n.md",
    )
    rows = [row_of(anchor, snapshot.resolve(anchor, document), snapshot) for anchor in document.anchors]
    assert [len(each) for each in besides(document.anchors, rows)] == [1, 1, 0]


def test_of_very_many_citations_in_one_sentence_nothing_is_said() -> None:
    cited = ", ".join(["src/retry.ts:5"] * MOST_BESIDE)
    assert len(found(f"The wait grows in `waitBefore`, they say: {cited}.")) == MOST_BESIDE
    assert found(f"The wait grows in `waitBefore`, they say: {cited}, src/retry.ts:5, src/retry.ts:5.") == []


def test_plain_data_and_back() -> None:
    ((_, result),) = found("`maxAttempts` is three (src/retry.ts:20).")
    assert grounding_from_data(grounding_to_data(result)) == result
    with pytest.raises(ValueError, match="at least one"):
        grounding_from_data({**grounding_to_data(result), "places": []})


PIECES = st.sampled_from(
    [
        "`a_b`",
        "`x`",
        '"some text"',
        " not ",
        "`fooBar(1, 2)`",
        "Foo::bar",
        "--opt",
        "`",
        "@a/b",
        "30 s",
        "\ud800",
        ", ",
        " ",
    ]
)
CODE = st.sampled_from(
    [
        "a_b = 1",
        "def fooBar():",
        '"""',
        "/*",
        "*/",
        "  Foo::bar()",
        "import a_b",
        "# x",
        "{",
        "}",
        "",
        "\t\tfooBar(1, 2)",
    ]
)


@given(st.lists(PIECES, max_size=12), st.lists(CODE, min_size=1, max_size=60), st.data())
def test_places_are_outside_the_cited_lines_and_carry_what_they_say(
    claim: list[str], file: list[str], data: st.DataObject
) -> None:
    cited = data.draw(st.integers(1, len(file)))
    path = data.draw(st.sampled_from(["a.py", "b.rs", "c.c", "d.json", "e.md", "f"]))
    row = Row.of(claim="".join(claim), lines=[(cited, file[cited - 1])], path=path, file=file)
    result = ground(row, ((cited, cited),))
    if result is None:
        return
    assert 1 <= len(result.places) <= 3
    for place in result.places:
        assert 1 <= place.first <= place.last <= len(file)
        assert place.line not in range(cited - 2, cited + 3)
        assert place.token in result.tokens
        assert file[place.line - 1].strip().startswith(place.text)


@pytest.mark.parametrize(
    "line",
    [
        "a " * 20_000,
        "(" * 40_000,
        "a:" * 20_000,
        "const " * 7_000,
        '"' * 40_000,
        " " * 40_000,
        "export {" * 5_000,
        "\t" * 300 + "x",
    ],
)
def test_hostile_lines_end(line: str, ends: Callable[[], AbstractContextManager[None]]) -> None:
    file = [line] * 40 + ["x"] * 20 + [f"{line} foo_bar {line}"] + ["x"] * 20
    with ends():
        for path in ("a.ts", "b.py", "c.toml"):
            for claim in ("`foo_bar` is 5.", "The most retry count is 5.", "`foo.bar(" + "1," * 90 + ")`"):
                ground(Row.of(claim=claim, lines=[(50, "x")], path=path, file=file), ((50, 50),))


def test_many_names_in_a_long_file_end(ends: Callable[[], AbstractContextManager[None]]) -> None:
    names = [f"name_{number}_x" for number in range(1000)]
    file = tuple(f"    let a = {names[number % 1000]}();" for number in range(50_000))
    with ends():
        for start in range(0, 1000, 20):
            claim = " ".join(f"`{name}`" for name in names[start : start + 20])
            ground(Row.of(claim=claim, lines=[(25_000, "}")], path="a.rs", file=file), ((25_000, 25_000),))
