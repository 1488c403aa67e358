import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.findings.comments import Ignore, Ignores, ignore_findings, parse_ignores
from cite_lsp.findings.finding import Finding, Severity
from tests.growth import growth


def only(text: str) -> Ignore:
    (comment,) = parse_ignores(text).comments
    return comment


def told(text: str, used: set[tuple[Ignore, str]] | None = None, reported: set[str] | None = None) -> list[Finding]:
    ignores = parse_ignores(text)
    looked_for = {"missing", "moved"} if reported is None else reported
    return list(ignore_findings(text, ignores, used or set(), looked_for, lambda _: Severity.HINT))


def applied(text: str, finding: Finding) -> str:
    ((fix),) = finding.fixes
    (edit,) = fix.edits
    return text[: edit.start] + edit.text + text[edit.end :]


def test_a_comment_beside_text_covers_its_own_line_only() -> None:
    ignores = parse_ignores("one\ntwo `a.py:1` <!-- cite-lsp: ignore missing sample -->\nthree\n")
    assert ignores.covers("missing", 1) is not None
    assert [ignores.covers("missing", line) for line in (0, 2)] == [None, None]
    assert ignores.covers("blank-line", 1) is None


@pytest.mark.parametrize(
    "text",
    [
        "<!-- cite-lsp: ignore missing old layout -->\n`a.py:1`\n`b.py:1`\n",
        "<!-- cite-lsp: ignore missing old layout -->\r\n`a.py:1`\r\n`b.py:1`\r\n",
        "<!-- cite-lsp: ignore missing old layout -->\r`a.py:1`\r`b.py:1`",
        "  {/* cite-lsp: ignore missing old layout */}\n`a.py:1`\n`b.py:1`\n",
        "// cite-lsp: ignore missing old layout\n`a.py:1`\n`b.py:1`\n",
        "> <!-- cite-lsp: ignore missing old layout -->\n> `a.py:1`\n> `b.py:1`\n",
    ],
)
def test_a_comment_alone_covers_the_next_line(text: str) -> None:
    ignores = parse_ignores(text)
    assert ignores.comments[0].reason == "old layout"
    assert ignores.covers("missing", 1) is ignores.comments[0]
    assert ignores.covers("missing", 0) is None
    assert ignores.covers("missing", 2) is None


def test_blank_lines_and_other_ignore_comments_are_passed_over() -> None:
    text = ".. cite-lsp: ignore missing a\n\n.. cite-lsp: ignore moved b\n\nText a.py:1\nmore\n"
    ignores = parse_ignores(text)
    assert ignores.covers("missing", 4) is ignores.comments[0]
    assert ignores.covers("moved", 4) is ignores.comments[1]
    assert ignores.covers("missing", 5) is None


def test_no_other_character_ends_a_line() -> None:
    ignores = parse_ignores("a\u2028b\x0bc\x0cd\x85e\n`a.py:1` <!-- cite-lsp: ignore missing x -->")
    assert ignores.covers("missing", 1) is not None


def test_a_comment_over_several_lines_covers_the_line_after_its_end() -> None:
    ignores = parse_ignores("<!-- cite-lsp: ignore missing,\n moved the plan\n   is old -->\ntext\n")
    assert ignores.comments[0].names == ("missing", "moved")
    assert ignores.comments[0].reason == "the plan is old"
    assert ignores.covers("moved", 3) is ignores.comments[0]


def test_a_comment_of_the_file_covers_every_line() -> None:
    ignores = parse_ignores("a\nb\n<!-- cite-lsp: ignore-file blank-line generated -->\nc\n")
    assert all(ignores.covers("blank-line", line) is ignores.comments[0] for line in range(5))
    assert ignores.covers("missing", 3) is None


@pytest.mark.parametrize(
    ("body", "names", "reason"),
    [
        ("ignore moved because it did", ("moved",), "because it did"),
        ("ignore moved,edited: the plan", ("moved", "edited"), "the plan"),
        ("ignore moved , edited — the plan", ("moved", "edited"), "the plan"),
        ("ignore moved edited", ("moved",), "edited"),
        ("ignore policy:answers-grounded/conflict known", ("policy:answers-grounded/conflict",), "known"),
        ("ignore moved", ("moved",), ""),
        ("ignore moved, ", ("moved",), ""),
        ("ignore", (), ""),
        ("ignore 3 reasons", (), "3 reasons"),
    ],
)
def test_codes_then_the_reason(body: str, names: tuple[str, ...], reason: str) -> None:
    comment = only(f"x <!-- cite-lsp: {body} -->")
    assert (comment.names, comment.reason) == (names, reason)


@pytest.mark.parametrize(
    "text",
    [
        "cite-lsp: ignore missing x",
        "<!-- cite-lsp: ignored missing x -->",
        "<!-- cite-lsp: ignore missing x",
        "<!-- note cite-lsp: ignore missing x -->",
        "text // cite-lsp: ignore missing x",
        "as in `<!-- cite-lsp: ignore missing x -->`",
        "<!-- cite-lsp: ignore-line missing x -->",
    ],
)
def test_what_is_no_ignore_comment(text: str) -> None:
    assert parse_ignores(text).comments == ()


def test_excluded_places_do_not_count() -> None:
    text = "```\n<!-- cite-lsp: ignore missing x -->\n```\n<!-- cite-lsp: ignore moved y -->\nz\n"
    fence_end = text.index("```\n<!-- cite-lsp: ignore moved")
    ignores = parse_ignores(text, lambda offset: offset < fence_end)
    assert [comment.names for comment in ignores.comments] == [("moved",)]


def test_nothing_named_silences_nothing_and_is_told() -> None:
    for text in ("a <!-- cite-lsp: ignore -->", "a\n<!-- cite-lsp: ignore-file -->\n"):
        assert parse_ignores(text).covers("missing", 0) is None
        (finding,) = told(text)
        assert finding.code == "unused-ignore"
        assert applied(text, finding).rstrip() == "a"


def test_an_unknown_name_is_told_with_the_closest_code() -> None:
    text = "a <!-- cite-lsp: ignore mising typo -->"
    assert parse_ignores(text).covers("mising", 0) is None
    (finding,) = told(text)
    assert finding.message == "mising is no code; did you mean missing?"
    assert text[finding.start : finding.end] == "mising"


def test_an_unused_comment_is_removed_with_its_line() -> None:
    text = "a\n  <!-- cite-lsp: ignore missing old -->  \r\nb\n"
    (finding,) = told(text)
    assert finding.message == "there is no missing here to ignore"
    assert applied(text, finding) == "a\nb\n"


def test_an_unused_comment_in_a_quote_goes_with_its_marker() -> None:
    text = "> a\n> <!-- cite-lsp: ignore missing old -->\n> b\n"
    (finding,) = told(text)
    assert applied(text, finding) == "> a\n> b\n"


def test_only_the_idle_codes_are_taken_out() -> None:
    text = "a.py:1 <!-- cite-lsp: ignore moved, missing old -->"
    comment = only(text)
    (finding,) = told(text, used={(comment, "missing")})
    assert text[finding.start : finding.end] == "moved"
    assert applied(text, finding) == "a.py:1 <!-- cite-lsp: ignore missing old -->"


def test_a_code_that_was_not_looked_for_is_not_called_unused() -> None:
    assert told("a <!-- cite-lsp: ignore unsupported the judge is wrong here -->") == []


def test_a_missing_reason_is_told_and_has_no_fix() -> None:
    text = "a.py:1 <!-- cite-lsp: ignore missing -->"
    (finding,) = told(text, used={(only(text), "missing")})
    assert (finding.code, finding.fixes) == ("ignore-without-reason", ())


def test_a_switched_off_code_is_not_told() -> None:
    ignores = parse_ignores("a <!-- cite-lsp: ignore missing -->")
    assert ignore_findings("", ignores, set(), {"missing"}, lambda _: "off") == ()


@given(
    st.lists(
        st.sampled_from(
            [
                "<!--",
                "-->",
                "{/*",
                "*/}",
                " cite-lsp:",
                " ignore",
                "ignore-file",
                " missing",
                ",",
                "\n",
                "\r",
                "`",
                ".. ",
                "// ",
                "é",
            ]
        ),
        max_size=40,
    ).map("".join)
)
def test_any_text_is_read_and_its_fixes_stay_inside_it(text: str) -> None:
    ignores = parse_ignores(text)
    for comment in ignores.comments:
        assert 0 <= comment.start < comment.end <= len(text)
        assert "cite-lsp:" in text[comment.start : comment.end]
        assert all(text[a:b] == name for name, (a, b) in zip(comment.names, comment.name_ranges, strict=True))
    for finding in told(text):
        for fix in finding.fixes:
            for edit in fix.edits:
                assert 0 <= edit.start <= edit.end <= len(text)


@pytest.mark.parametrize(
    "piece", ["<!-- cite-lsp: ignore a ", "// cite-lsp: ignore a\n", "cite-lsp: \n", "<!--" + " " * 50]
)
def test_time_is_linear_in_the_text(piece: str) -> None:
    def seconds(count: int) -> float:
        text = piece * count + "cite-lsp:"
        begin = time.process_time()
        parse_ignores(text)
        return time.process_time() - begin

    assert growth(seconds, 4_000, 16_000, 16, least=0.004) <= 16


def test_no_comment_is_one_search() -> None:
    assert parse_ignores("text\n" * 1000) == Ignores()
