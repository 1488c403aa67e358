"""The grammar by example: each table is a part of anchors.md, each row one thing that it says."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.document.anchors import FORMS, Anchor
from cite_lsp.document.document import Document
from cite_lsp.document.extensions import EXTENSIONS, PRODUCT_NAMES
from cite_lsp.document.find import find_anchors
from cite_lsp.document.path_token import make_grammar

Row = tuple[str, str, str, list[tuple[int, int]]]


def parse(text: str, name: str = "docs/d.md", known: frozenset[str] = frozenset()) -> tuple[Anchor, ...]:
    """Parse, and hold every anchor to what is true of each."""
    document = Document.parse(text, name, known)
    for anchor in document.anchors:
        assert document.text[anchor.start : anchor.end] == anchor.text
        assert anchor.form in FORMS
        for (first, last), places in zip(anchor.spans, anchor.number_ranges, strict=True):
            digits = [text[low:high] for low, high in places]
            assert all(number.isdigit() and number.isascii() for number in digits)
            assert [int(number) if len(number) < 10 else 0 for number in digits] == [first, last][: len(digits)]
    return document.anchors


def rows(text: str) -> list[Row]:
    return [(anchor.text, anchor.form, anchor.path, list(anchor.spans)) for anchor in parse(text)]


def cited(text: str, known: frozenset[str] = frozenset()) -> list[str]:
    """`path:spans` of every anchor, short enough for a table."""
    return [
        f"{anchor.path}:" + ",".join(str(low) if low == high else f"{low}-{high}" for low, high in anchor.spans)
        for anchor in parse(text, known=known)
    ]


# ------------------------------------------------------------------------------------------------ what is an anchor


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see `src/retry.ts:24`", ("src/retry.ts:24", "path-line", "src/retry.ts", [(24, 24)])),
        ("src/retry.ts:24-26", ("src/retry.ts:24-26", "path-line-range", "src/retry.ts", [(24, 26)])),
        ("src/retry.ts:24–26", ("src/retry.ts:24–26", "path-line-range", "src/retry.ts", [(24, 26)])),
        ("src/retry.ts:24—26", ("src/retry.ts:24—26", "path-line-range", "src/retry.ts", [(24, 26)])),
        ("a.py:10,20-25", ("a.py:10,20-25", "list", "a.py", [(10, 10), (20, 25)])),
        ("a.py:10/20", ("a.py:10/20", "list", "a.py", [(10, 10), (20, 20)])),
        ("[x](src/a.ts#L10-L20)", ("[x](src/a.ts#L10-L20)", "markdown-link", "src/a.ts", [(10, 20)])),
        ("[x](src/a.ts:12)", ("[x](src/a.ts:12)", "markdown-link", "src/a.ts", [(12, 12)])),
        (
            "[a.go:38-47](file://pkg/a.go#L38-L47)",
            ("[a.go:38-47](file://pkg/a.go#L38-L47)", "markdown-link", "pkg/a.go", [(38, 47)]),
        ),
        ("`path.py` line 10", ("path.py` line 10", "words", "path.py", [(10, 10)])),
        ("path.py lines 10-20", ("path.py lines 10-20", "words", "path.py", [(10, 20)])),
        ("`path.py` (L10)", ("path.py` (L10", "words", "path.py", [(10, 10)])),
        (
            "https://host/o/r/blob/v1/p.c#L1-L2",
            ("https://host/o/r/blob/v1/p.c#L1-L2", "permalink", "p.c", [(1, 2)]),
        ),
        ("p.rs:12:5", ("p.rs:12:5", "path-line-column", "p.rs", [(12, 12)])),
        ("p.rs:~12", ("p.rs:~12", "approximate", "p.rs", [(12, 12)])),
        ("p.rs:12+", ("p.rs:12+", "approximate", "p.rs", [(12, 12)])),
    ],
)
def test_each_form(text: str, expected: Row) -> None:
    assert rows(text) == [expected]


def test_continuation() -> None:
    assert rows("`a.py:10` and then `:45-50`") == [
        ("a.py:10", "path-line", "a.py", [(10, 10)]),
        (":45-50", "continuation", "a.py", [(45, 50)]),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "`src/a.ts:5`",
        "(`src/a.ts:5`)",
        "src/a.ts:5",
        "(src/a.ts:5)",
        "[src/a.ts:5]",
        "**src/a.ts:5**",
        "'src/a.ts:5'",
        '"src/a.ts:5"',
        "“src/a.ts:5”",
        "<src/a.ts:5>",
        "see src/a.ts:5.",
        "| src/a.ts:5 | x |",
        "- src/a.ts:5",
        "> src/a.ts:5",
        "# src/a.ts:5",
        "漢字🚀 src/a.ts:5",
        "x=src/a.ts:5",
        "``src/a.ts:5``",
        "— src/a.ts:5 —",
    ],
)
def test_wrappers_stay_outside(text: str) -> None:
    assert rows(text) == [("src/a.ts:5", "path-line", "src/a.ts", [(5, 5)])]


# ------------------------------------------------------------------------------------------------ path token


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("docs/naïve.md:3", "docs/naïve.md"),
        ("docs/файл.md:3", "docs/файл.md"),
        ("docs/e\u0301te\u0301.md:3", "docs/e\u0301te\u0301.md"),
        ("@scope/pkg/a.ts:3", "@scope/pkg/a.ts"),
        ("c++/x.cpp:3", "c++/x.cpp"),
        ("~/x/a_b-c.d$e%f&g.ts:3", "~/x/a_b-c.d$e%f&g.ts"),
        ("app/[slug]/(auth)/page.tsx:3", "app/[slug]/(auth)/page.tsx"),
        ("app/[...slug].tsx:3", "app/[...slug].tsx"),
        ("pages/[id].vue:3", "pages/[id].vue"),
        ("(app/(auth)/page.tsx:3)", "app/(auth)/page.tsx"),
        ("packages/.../x.ts:3", "packages/.../x.ts"),
        ("packages/…/x.ts:3", "packages/…/x.ts"),
        ("…/x.ts:3", "…/x.ts"),
        ("C:\\w\\x.rs:3", "C:\\w\\x.rs"),
        ("C:/w/x.rs:3", "C:/w/x.rs"),
        ("src\\win\\x.rs:3", "src\\win\\x.rs"),
        ("/etc/x.conf:3", "/etc/x.conf"),
        ("./a.ts:3", "./a.ts"),
        ("../b/a.ts:3", "../b/a.ts"),
        ("a/src/x.ts:3", "a/src/x.ts"),
        ("src/./a.ts:3", "src/a.ts"),
        ("src//a.ts:3", "src/a.ts"),
        ("C:\\\\w\\\\x.rs:3", "C:\\w\\x.rs"),
        ("file:///home/u/a.ts:3", "/home/u/a.ts"),
        ("file://pkg/a.ts:3", "pkg/a.ts"),
        ("file://My%20Notes/a.ts:3", "My Notes/a.ts"),
        ("src/a%20b.ts:3", "src/a%20b.ts"),
        ("my\\_file.ts:3", "my_file.ts"),
        ("app/\\[slug\\]/x.ts:3", "app/[slug]/x.ts"),
        ("`my\\_file.ts:3`", "my\\_file.ts"),
        (".env.local.json:3", ".env.local.json"),
        ("`My Notes/a b.md:3`", "My Notes/a b.md"),
        ("`grep -n x src/a.py:3`", "src/a.py"),
        ("`at source.rs:3`", "source.rs"),
        ("`x docs/a.md:3`", "docs/a.md"),
        ("My Notes/a.md:3", "Notes/a.md"),
        ("[x](My%20Notes/a.md:3)", "My Notes/a.md"),
        ("[x](<My Notes/a.md:3>)", "My Notes/a.md"),
        ("`docs/map/SEAM-x-\n  rules.md:3`", "docs/map/SEAM-x-rules.md"),
        ("> `docs/map/SEAM-x-\n> rules.md:3`", "docs/map/SEAM-x-rules.md"),
        ("- item `docs/a\n  /b.md:3`", "docs/a/b.md"),
    ],
)
def test_path(text: str, path: str) -> None:
    assert [(anchor.path, anchor.spans) for anchor in parse(text)] == [(path, ((3, 3),))]


@pytest.mark.parametrize(
    "text",
    [
        "src/a.ts:10src/b.ts:20",
        "https://example.com/src/a.ts:3",
        "http://example.com:8080/api",
        "ssh://git@host/x.git:3",
        "x:a.ts:3",
        "see #L12",
        "src/a.ts 1/2",
        "a.ts: 3",
        "SPEC.md: ~430 lines",
        "a.ts :3"[:5],
    ],
)
def test_no_path_no_anchor(text: str) -> None:
    assert cited(text) == []


def test_a_known_path_with_spaces_is_taken_whole_in_a_code_span() -> None:
    known = frozenset({"read me.md", "src/a.py"})
    assert cited("`read me.md:3`", known) == ["read me.md:3"]
    assert cited("`read me.md:3`") == ["me.md:3"]
    assert cited("`cat src/x src/a.py:3`", known) == ["src/a.py:3"]


# ------------------------------------------------------------------------------------------------ when a path counts


def test_the_list_of_extensions(shared: Path) -> None:
    listed = (shared / "corpora" / "extensions.txt").read_text(encoding="utf-8").split()
    assert set(listed) == EXTENSIONS
    assert {extension for extension in EXTENSIONS if len(extension) == 1} == {"c", "h"}


@pytest.mark.parametrize("extension", sorted(EXTENSIONS))
def test_every_extension_counts(extension: str) -> None:
    assert cited(f"see src/name.{extension}:3.") == [f"src/name.{extension}:3"]


@pytest.mark.parametrize("name", sorted(PRODUCT_NAMES))
def test_product_names_are_no_paths(name: str) -> None:
    assert cited(f"{name}:20") == []
    assert cited(f"{name.upper()}:20") == []
    assert cited(f"lib/{name}:20") == [f"lib/{name}:20"]
    assert cited(f"{name}:20", frozenset({name})) == [f"{name}:20"]


@pytest.mark.parametrize("name", ["Makefile", "Dockerfile", ".gitignore", "LICENSE", "bin/tool", "a.unknownext"])
def test_without_an_extension_only_what_is_known(name: str) -> None:
    document = Document.parse(f"see {name}:3", "d.md")
    assert document.anchors == ()
    assert document.refused == {name}
    assert cited(f"see {name}:3", frozenset({name})) == [f"{name}:3"]


def test_known_is_asked_without_dot_and_with_slashes() -> None:
    assert cited("./Makefile:3", frozenset({"Makefile"})) == ["./Makefile:3"]
    assert cited("tools\\Makefile:3", frozenset({"tools/Makefile"})) == ["tools\\Makefile:3"]


def test_known_asks_for_names_with_a_letter_only() -> None:
    asked: list[object] = []

    class Everything:
        def __contains__(self, path: object) -> bool:
            asked.append(path)
            return True

    document = Document.parse("at 12:30, 4.5:1 and 127.0.0.1:80", "d.md", known=Everything())
    assert (document.anchors, document.refused, asked) == ((), frozenset(), [])


def test_added_extensions() -> None:
    document = Document.parse("a.zz:3 b.QQ:4 c.yy:5", "d.md", extensions=frozenset({"zz", ".qq"}))
    assert [anchor.text for anchor in document.anchors] == ["a.zz:3", "b.QQ:4"]
    assert document.refused == {"c.yy"}


@pytest.mark.parametrize(
    "text",
    [
        "serve on 127.0.0.1:8080, api.acme.com:443",
        "localhost:5000/team/app:2",
        "released 2020.12.03:5",
        "a 4.5:1 contrast ratio",
        "at 12:30",
        "00.12:45",
        "acceptance.minSpawnedChildren:4",
        "I/O, try/except:4",
        "U.S.A:3",
        "plan.C:3",
        "alice@x.com:25",
        "e.g:3",
    ],
)
def test_hosts_ratios_times_and_settings_are_no_paths(text: str) -> None:
    assert cited(text) == []


# ------------------------------------------------------------------------------------------------ line forms


@pytest.mark.parametrize(
    ("text", "form", "span"),
    [
        ("p.ts:24", "path-line", (24, 24)),
        ("p.ts:24-26", "path-line-range", (24, 26)),
        ("p.ts:L24", "path-line", (24, 24)),
        ("p.ts:L24-L26", "path-line-range", (24, 26)),
        ("p.ts:L24-26", "path-line-range", (24, 26)),
        ("p.ts#L24", "path-line", (24, 24)),
        ("p.ts#L24-L26", "path-line-range", (24, 26)),
        ("p.ts#L24-26", "path-line-range", (24, 26)),
        ("p.ts#L24C3-L26C9", "path-line-range", (24, 26)),
        ("p.ts#L24C3", "path-line", (24, 24)),
        ("p.ts#L24,3", "path-line-column", (24, 24)),
        ("p.ts:24:5", "path-line-column", (24, 24)),
        ("p.ts:24:5-26:1", "path-line-column", (24, 26)),
        ("p.ts(24)", "path-line", (24, 24)),
        ("p.ts(24,5)", "path-line-column", (24, 24)),
        ("p.ts:~24", "approximate", (24, 24)),
        ("p.ts:~24-26", "approximate", (24, 26)),
        ("p.ts:24+", "approximate", (24, 24)),
        ("p.ts:007", "path-line", (7, 7)),
        ("p.ts:999999999", "path-line", (999999999, 999999999)),
        *[
            (f"p.ts:24{dash}26", "path-line-range", (24, 26))
            for dash in ["-", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "..", "...", "..=", "…"]
        ],
    ],
)
@pytest.mark.parametrize("place", ["{}", "`{}`", "({})"])
def test_line_form(text: str, form: str, span: tuple[int, int], place: str) -> None:
    assert rows(place.format(text)) == [(text, form, text[:4], [span])]


@pytest.mark.parametrize(
    "lines", [":24", ":24-26", "#L24", "#L24-L26", "#L24-26", "#L24C3-L26C9", "#L24,3", ":24:5", ":L24", ":24–26"]
)
def test_line_form_in_targets_and_definitions(lines: str) -> None:
    last = 26 if "26" in lines else 24
    link, definition = parse(f"[x](src/p.ts{lines})\n\n[y]: src/p.ts{lines} 'title'\n")
    assert (link.path, link.spans, link.form) == ("src/p.ts", ((24, last),), "markdown-link")
    assert (definition.path, definition.spans, definition.form) == ("src/p.ts", ((24, last),), "markdown-link")
    assert definition.text == f"[y]: src/p.ts{lines} 'title'"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x.rs:66 — 46 lines later", ["x.rs:66"]),
        ("x.rs:66 - 46", ["x.rs:66"]),
        ("made by tool.cpp:9.", ["tool.cpp:9"]),
        ("see a.ts:4 and a.ts:9.", ["a.ts:4", "a.ts:9"]),
        ("src/a.ts:24: error", ["src/a.ts:24"]),
        ("a.ts:9, b.ts:8; c.ts:7", ["a.ts:9", "b.ts:8", "c.ts:7"]),
        ("[a.md, b.md:1-3]", ["b.md:1-3"]),
        ("a.ts:24th", []),
        ("a.ts:24_x", []),
        ("a.ts:2.5", []),
        ("a.ts:24-bit", []),
        ("a.ts:24/src", []),
        ("a.ts:24 lines", []),
        ("a.ts:24lines", []),
        ("a.ts:430 LOC", []),
        ("a.ts:24 kB", []),
        ("a.ts:24MB", []),
        ("a.ts:24 GB", []),
        ("a.ts:24ms", []),
        ("a.ts:24%", []),
        ("a.ts:24x", []),
        ("a.ts:24 tokens", []),
        ("a.ts:24 linesman", ["a.ts:24"]),
        ("a.ts:L24 lines", ["a.ts:24"]),
        ("a.ts line 24 lines up", ["a.ts:24"]),
        ("console.log(42) and (env.properties(7))", []),
        ("src/console.log(42)", ["src/console.log:42"]),
        ("f.c(42) g.h(3)", []),
        ("src/main.rs(42): error", ["src/main.rs:42"]),
        ("foo(42)", []),
        ("a.ts:٣", []),
        ("a.ts:２４", []),
    ],
)
def test_where_a_number_ends(text: str, expected: list[str]) -> None:
    assert cited(text) == expected


@pytest.mark.parametrize(
    ("text", "spans", "defect"),
    [
        ("p.ts:10-20-30", [(10, 20)], "third-number"),
        ("p.ts:10-20-30-40", [(10, 20)], "third-number"),
        ("p.ts:0", [(0, 0)], "zero"),
        ("p.ts:0-5", [(0, 5)], "zero"),
        ("p.ts#L0", [(0, 0)], "zero"),
        ("p.ts:26-24", [(26, 24)], "reversed"),
        ("p.ts:1413-429", [(1413, 429)], "reversed"),
        ("p.ts#L1413-L429", [(1413, 429)], "reversed"),
        ("p.ts:1234567890", [(0, 0)], "too-long"),
        ("p.ts:5-1234567890", [(5, 0)], "too-long"),
        ("p.ts:5,0", [(5, 5), (0, 0)], "zero"),
        ("p.ts:5,9-7", [(5, 5), (9, 7)], "reversed"),
        ("p.ts(0)", [(0, 0)], "zero"),
        ("p.ts line 0", [(0, 0)], "zero"),
    ],
)
def test_malformed(text: str, spans: list[tuple[int, int]], defect: str) -> None:
    (anchor,) = parse(f"See {text}, then.")
    assert (anchor.text, list(anchor.spans), anchor.defect) == (text, spans, defect)


def test_four_hundred_thousand_digits_are_one_malformed_anchor() -> None:
    (anchor,) = parse("a.c:" + "1" * 400_000)
    assert (anchor.spans, anchor.defect, len(anchor.text)) == (((0, 0),), "too-long", 400_004)


# ------------------------------------------------------------------------------------------------ lists


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.py:10,20-25", "10,20-25"),
        ("a.py:10, 20", "10,20"),
        ("a.py:10;20", "10,20"),
        ("a.py:10 & 20", "10,20"),
        ("a.py:10&20", "10,20"),
        ("a.py:10/20/30", "10,20,30"),
        ("a.py:10 and 20", "10,20"),
        ("a.py:10, 20 and 30", "10,20,30"),
        ("a.py:10,20/30 & 40; 50", "10,20,30,40,50"),
        ("a.py:309-310,:380", "309-310,380"),
        ("a.py:5,L6,~7", "5,6,7"),
        ("a.py:30,10", "30,10"),
        ("a.py:10,\n20", "10,20"),
        ("a.py:10, 20 of them", "10"),
        ("`a.py:10, 20 of them`", "10,20"),
        ("(a.py:10, 20 of them)", "10,20"),
        ("[a.py:10, 20 of them](a.py)", "10,20"),
        ("a.py:10, 20.", "10,20"),
        ("a.py:10,000", "10"),
        ("a.py:10,20th", "10"),
        ("a.py:10, 20 lines", "10"),
        ("a.py:10, 3.5", "10"),
        ("a.py:10, 20:15", "10"),
        ("a.py:10, 2024-01-02.", "10"),
        ("a.py:10 20", "10"),
        ("a.py:10, b", "10"),
        ("a.py:10, and 20 more", "10"),
    ],
)
def test_list(text: str, expected: str) -> None:
    assert cited(text) == [f"a.py:{expected}"]


def test_a_list_is_one_anchor_with_a_place_for_each_number() -> None:
    (anchor,) = parse("see a.py:10,20-25.")
    assert (anchor.text, anchor.form) == ("a.py:10,20-25", "list")
    assert anchor.number_ranges == (((9, 11),), ((12, 14), (15, 17)))


def test_a_list_with_an_approximate_item_is_approximate() -> None:
    assert [anchor.approximate for anchor in parse("a.py:10,~20 b.py:10,20")] == [True, False]


# ------------------------------------------------------------------------------------------------ words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.ts line 10", ["a.ts:10"]),
        ("a.ts Line 10", ["a.ts:10"]),
        ("a.ts lines 10-20", ["a.ts:10-20"]),
        ("a.ts ln 10", ["a.ts:10"]),
        ("a.ts L10", ["a.ts:10"]),
        ("a.ts L10-L20", ["a.ts:10-20"]),
        ("a.ts L10-20", ["a.ts:10-20"]),
        ("`a.ts` line 10", ["a.ts:10"]),
        ("**a.ts** line 10", ["a.ts:10"]),
        ("**`a.ts`** line 10", ["a.ts:10"]),
        ("a.ts, line 10", ["a.ts:10"]),
        ("a.ts: line 10", ["a.ts:10"]),
        ("a.ts (line 10)", ["a.ts:10"]),
        ("a.ts [L10]", ["a.ts:10"]),
        ("a.ts at line 10", ["a.ts:10"]),
        ("a.ts on line 10", ["a.ts:10"]),
        ("a.ts @ line 10", ["a.ts:10"]),
        ("a.ts @L10", ["a.ts:10"]),
        ("`a.ts`\nlines 10-20", ["a.ts:10-20"]),
        ("> `a.ts`\n> line 10", ["a.ts:10"]),
        ("`a.ts` lines 10 to 20", ["a.ts:10-20"]),
        ("`a.ts` lines 10 - 20", ["a.ts:10-20"]),
        ("`a.ts` lines 10 – 20", ["a.ts:10-20"]),
        ("`a.ts` lines 3, 4 and 5", ["a.ts:3,4,5"]),
        ("`a.ts` (lines 195/197/199, shallow)", ["a.ts:195,197,199"]),
        ("line 10 of a.ts", ["a.ts:10"]),
        ("line 10 of the a.ts", ["a.ts:10"]),
        ("lines 10-20 in `a.ts`", ["a.ts:10-20"]),
        ("lines 3 and 4 from src/a.ts", ["src/a.ts:3,4"]),
        ("Lines 3, 4 of the `src/a.ts`", ["src/a.ts:3,4"]),
        ("a.ts L101 kebab-case at L570", ["a.ts:101"]),
        ("foo() lines 605-616", []),
        ("a.ts has more on line 10", []),
        ("a.ts - line 10", []),
        ("deadline 10", []),
        ("XL10", []),
        ("a.ts outline 10", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert cited(text) == expected


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("see `a.ts` (lines 10-20) x", "a.ts` (lines 10-20"),
        ("see line 10 of `a.ts` x", "line 10 of `a.ts"),
        ("see a.ts, line 10.", "a.ts, line 10"),
    ],
)
def test_words_run_from_one_end_to_the_other(text: str, whole: str) -> None:
    assert [(anchor.text, anchor.form) for anchor in parse(text)] == [(whole, "words")]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("the guard on line 92", 1),
        ("a.ts is good, and lines 605-616 too", 1),
        ("on line 3, and on lines 4, 5 and 6", 2),
        ("see `:12`", 1),
        ("see `:12`, `:14`", 2),
        ("a.ts line 3", 0),
        ("L3 and XL5", 0),
        ("12:30", 0),
    ],
)
def test_not_attached_is_counted(text: str, count: int) -> None:
    assert Document.parse(text, "d.md").unattached == count


# ------------------------------------------------------------------------------------------------ continuation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`a.py:10` … `:45-50`", ["a.py:10", "a.py:45-50"]),
        ("`b.sh` says so at `:5-12`", ["b.sh:5-12"]),
        ("`a.py:1`, `b.py` and `:7`", ["a.py:1", "b.py:7"]),
        ("`a.py` and `b.py:1`, `:7`", ["b.py:1", "b.py:7"]),
        ("`b.py:1` `a.py` `:7`", ["b.py:1", "a.py:7"]),
        ("[a](src/a.py) at :7", ["src/a.py:7"]),
        ("[`a`](src/a.py) and [b](src/b.py#L2), :7", ["src/b.py:2", "src/b.py:7"]),
        ("a.py:10 :7", ["a.py:10", "a.py:7"]),
        ("a.py:10 (:7)", ["a.py:10", "a.py:7"]),
        ("a.py:10 [:7]", ["a.py:10", "a.py:7"]),
        ("a.py:10|:7", ["a.py:10", "a.py:7"]),
        ("a.py:10 – :7", ["a.py:10", "a.py:7"]),
        ("`a.rs:462`-`:531`", ["a.rs:462", "a.rs:531"]),
        ("a.py:10 **:7**", ["a.py:10", "a.py:7"]),
        ("a.py:10 :7,9-11", ["a.py:10", "a.py:7,9-11"]),
        ("a.py:10 :~7", ["a.py:10", "a.py:7"]),
        ("a.py:10 :7+", ["a.py:10", "a.py:7"]),
        ("a.py:10 :7:3", ["a.py:10", "a.py:7"]),
        ("a.py:10 y:7", ["a.py:10"]),
        ("a.py:10 s[:7] f(:8)", ["a.py:10"]),
        ("a.py:10 :100: for emoji", ["a.py:10"]),
        ("`a.py:10` one\ntwo `:7`", ["a.py:10", "a.py:7"]),
        ("- `a.py:10`\n  more `:7`", ["a.py:10", "a.py:7"]),
        ("| `a.py:10` | `:7` |", ["a.py:10", "a.py:7"]),
        ("# `a.py:10` `:7`", ["a.py:10", "a.py:7"]),
        ("- `a.py:10`\n- `:7`", ["a.py:10"]),
        ("`a.py:10`\n\n`:7`", ["a.py:10"]),
        ("# `a.py:10`\n`:7`", ["a.py:10"]),
        ("| `a.py:10` |\n|---|\n| `:7` |", ["a.py:10"]),
        ("plain a.py and `:7`", []),
        ("`not a path` and `:7`", []),
        ("line 3 of `a.py`, `:7`", ["a.py:3", "a.py:7"]),
    ],
)
def test_continuations(text: str, expected: list[str]) -> None:
    assert cited(text) == expected


def test_the_form_of_a_continuation_is_continuation_whatever_its_lines() -> None:
    assert [anchor.form for anchor in parse("`a.py:1` `:2,3` `:~4` `:5:6`")][1:] == ["continuation"] * 3


def test_two_anchors_joined_by_a_dash_stay_two() -> None:
    assert [anchor.text for anchor in parse("`a.rs:11`-`a.rs:13`")] == ["a.rs:11", "a.rs:13"]


# ------------------------------------------------------------------------------------------------ links


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[x](src/a.ts#L10)", ["src/a.ts:10"]),
        ("![x](src/a.ts#L10)", ["src/a.ts:10"]),
        ("[x](src/a.ts#L10 'title')", ["src/a.ts:10"]),
        ("[x](src/a.ts?plain=1#L10)", ["src/a.ts:10"]),
        ("[x](#L12)", ["docs/d.md:12"]),
        ("[`a.ts`](src/a.ts#L10)", ["src/a.ts:10"]),
        ("[a.ts:10](src/a.ts#L10)", ["src/a.ts:10"]),
        ("[a.ts:10-20](src/a.ts#L10)", ["src/a.ts:10-20"]),
        ("[a.rs:50](../a.rs)", ["../a.rs:50"]),
        ("[`V.md` L94](./V.md)", ["./V.md:94"]),
        ("[lines 5-6](./V.md)", ["./V.md:5-6"]),
        ("[see :12](./V.md)", ["./V.md:12"]),
        ("[L94](./V.md)", ["./V.md:94"]),
        ("[auth.ts:267-282](https://h/o/r/blob/main/auth.ts)", ["auth.ts:267-282"]),
        ("[auth.ts:267](https://example.com/)", ["auth.ts:267"]),
        ("[x](https://example.com/a.ts:3)", []),
        ("[x](src/a.ts)", []),
        ("[x](src/)", []),
        ("[x](mailto:a@b.ts:3)", []),
        ("[x]: src/a.ts#L5", ["src/a.ts:5"]),
        ("[x]: <src/a b.ts#L5>", ["src/a b.ts:5"]),
        ("[x]: src/a.ts:5", ["src/a.ts:5"]),
        ("[text][x]\n\n[x]: src/a.ts#L5", ["src/a.ts:5"]),
        ("[^1]: see src/a.ts:5 for it", ["src/a.ts:5"]),
        ("[x](a.ts#L3) [y](b.ts#L4)", ["a.ts:3", "b.ts:4"]),
        ("[f(a)[0]](a.ts#L3)", ["a.ts:3"]),
        ("[x](app/(auth)/a.ts#L3)", ["app/(auth)/a.ts:3"]),
        ("[x](Makefile#L3)", []),
    ],
)
def test_links(text: str, expected: list[str]) -> None:
    assert cited(text) == expected


def test_a_link_is_one_anchor_that_covers_it() -> None:
    text = "see [`a.ts:10`](src/a.ts#L12-L14) now"
    (anchor,) = parse(text)
    assert (anchor.text, anchor.form) == ("[`a.ts:10`](src/a.ts#L12-L14)", "markdown-link")
    assert anchor.target is not None
    assert text[anchor.target.start : anchor.target.end] == "#L12-L14"


@pytest.mark.parametrize(
    ("text", "disagrees"),
    [
        ("[a.ts:10](src/a.ts#L12)", "lines"),
        ("[a.ts:165-221](src/a.ts#L165)", ""),
        ("[a.ts:165-221](src/a.ts#L165-L220)", "lines"),
        ("[a.ts:165](src/a.ts#L165-L220)", ""),
        ("[a.ts:10](src/b.ts#L10)", "name"),
        ("[L10](src/b.ts#L12)", "lines"),
        ("[lines 5-6](./V.md#L5-L6)", ""),
        ("[x](src/b.ts#L12)", ""),
        ("[a.rs:50](../a.rs)", ""),
        ("[old/a.ts:10](src/a.ts#L10)", ""),
        ("[a.ts:10](https://h/o/r/blob/main/src/a.ts#L11)", "lines"),
    ],
)
def test_text_and_target_that_disagree(text: str, disagrees: str) -> None:
    (anchor,) = parse(text)
    assert anchor.target is not None
    assert anchor.target.disagrees == disagrees


@pytest.mark.parametrize(
    ("text", "path", "spans", "repository", "ref"),
    [
        ("https://github.com/o/r/blob/main/src/a.ts#L3", "src/a.ts", [(3, 3)], "https://github.com/o/r", "main"),
        ("https://h/o/r/blob/feat/x/src/a.ts#L3", "x/src/a.ts", [(3, 3)], "https://h/o/r", "feat"),
        ("https://gitlab.com/g/s/r/-/blob/main/a.ts#L3-5", "a.ts", [(3, 5)], "https://gitlab.com/g/s/r", "main"),
        ("https://h/o/r/blame/0a1b2c3/a.ts#L3-L5", "a.ts", [(3, 5)], "https://h/o/r", "0a1b2c3"),
        ("https://h/o/r/tree/main/a.ts#L3", "a.ts", [(3, 3)], "https://h/o/r", "main"),
        ("https://h/o/r/raw/main/a.ts#L3", "a.ts", [(3, 3)], "https://h/o/r", "main"),
        ("https://h/o/r/src/main/a.ts#L3", "a.ts", [(3, 3)], "https://h/o/r", "main"),
        ("https://h/o/r/blob/main/Makefile#L3", "Makefile", [(3, 3)], "https://h/o/r", "main"),
        ("https://h/o/r/blob/main/a%20b.ts?plain=1#L3", "a b.ts", [(3, 3)], "https://h/o/r", "main"),
        ("https://h/o/r/blob/main/a.ts#L3C2-L5C1", "a.ts", [(3, 5)], "https://h/o/r", "main"),
    ],
)
@pytest.mark.parametrize("place", ["see {}.", "<{}>", "`{}`", "[x]({})", "[x]: {}"])
def test_permalinks(text: str, path: str, spans: list[tuple[int, int]], repository: str, ref: str, place: str) -> None:
    (anchor,) = parse(place.format(text))
    assert (anchor.form, anchor.path, list(anchor.spans)) == ("permalink", path, spans)
    assert (anchor.repository, anchor.ref) == (repository, ref)


def test_a_target_that_goes_up_to_blob_is_of_this_repository() -> None:
    (anchor,) = parse("[x](../../blob/main/src/a.ts#L3)")
    assert (anchor.form, anchor.path, anchor.repository, anchor.ref) == ("permalink", "src/a.ts", ".", "main")
    assert cited("[x](blob/main/src/a.ts#L3)") == ["blob/main/src/a.ts:3"]


def test_an_address_without_lines_is_no_anchor() -> None:
    assert cited("https://h/o/r/blob/main/a.ts and https://h/o/r/blob/main/a.ts#readme") == []


# ------------------------------------------------------------------------------------------------ precedence


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("[x](https://h/o/r/blob/m/a.ts#L1-L2)", "permalink"),
        ("[a.ts:1,2](a.ts)", "markdown-link"),
        ("a.ts lines 1,2", "words"),
        ("a.ts:~1,2", "list"),
        ("a.ts:~1-2", "approximate"),
        ("a.ts:1:2-3:4", "path-line-column"),
        ("a.ts:1-2", "path-line-range"),
        ("a.ts:1", "path-line"),
    ],
)
def test_the_first_form_that_applies(text: str, form: str) -> None:
    assert [anchor.form for anchor in parse(text)] == [form]


# ------------------------------------------------------------------------------------------------ offsets


def test_offsets_are_code_points_of_the_whole_text() -> None:
    text = "\ufeff---\na: 1\n---\r\n\r\n🚀🚀 see a.ts:9-12,\r\nthen `:14`\u2028\n"
    first, second = parse(text)
    assert (first.text, text[first.start : first.end]) == ("a.ts:9-12", "a.ts:9-12")
    assert [text[low:high] for low, high in first.number_ranges[0]] == ["9", "12"]
    assert (second.path, second.spans) == ("a.ts", ((14, 14),))
    assert [text[low:high] for low, high in second.number_ranges[0]] == ["14"]


def test_offsets_of_a_citation_over_a_line_end() -> None:
    text = "- see `docs/a-\n  b.md:12-15`"
    (anchor,) = parse(text)
    assert anchor.text == "docs/a-\n  b.md:12-15"
    assert [text[low:high] for low, high in anchor.number_ranges[0]] == ["12", "15"]


# ------------------------------------------------------------------------------------------ seen in public documents


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rows inherit the `defaults.lock` (L2) of the package", []),
        ("`timing.log` is read (:3563) first", []),
        ("rows inherit `conf/defaults.lock` (L2)", ["conf/defaults.lock:2"]),
        ("`out/timing.log` is read (:3563) first", ["out/timing.log:3563"]),
        ("`timing.log` line 3", ["timing.log:3"]),
        ("timing.log:3", ["timing.log:3"]),
        ("{{#include part.md:2}} and a.py:3", ["a.py:3"]),
        ("{{#rustdoc_include src/a.rs:2:5}}", []),
        ("{{#include part.md:2 and a.py:3", ["part.md:2", "a.py:3"]),
        ("{{ part.md:2 }}", ["part.md:2"]),
        ("see sshd.conf(5) and man malloc.conf(5)", []),
        ("conf/sshd.conf(5)", ["conf/sshd.conf:5"]),
        ("`a.py` serves on :3000/_console", []),
    ],
)
def test_methods_levels_and_directives_are_no_citations(text: str, expected: list[str]) -> None:
    assert cited(text) == expected


# ------------------------------------------------------------------------------------------------ what most blocks are

PARTS = (
    "`src/a.py:3`", "`a.py:3-9`", "`a.py:9-3`", "`./b//c.rs:12`", "`no.such:4`", "`Node.js:4`", "`a.py`", ":7", "`:7`",
    "lines 3-9", "L4", "a.py:8", "`a.py:1, 3`", "`", "(3)", "`x(3)`", "`a.py:3` at `b.py:4`", "`a.py:0`", " ", "\n",
)  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=8).map("".join))
def test_blocks_of_plain_citations_are_read_as_all_others_are(text: str) -> None:
    """Most blocks cite in plain code spans only, and those are found on a shorter way."""
    grammar = make_grammar({"no.such"})
    short = find_anchors(text, grammar)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("cite_lsp.document.find._plain_anchors", lambda *_: [])
        assert find_anchors(text, grammar) == short
