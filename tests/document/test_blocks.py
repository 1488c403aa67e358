"""Blocks: what a sentence and a continuation may not cross, and what hides citations."""

import pytest

from cite_lsp.document.blocks import syntax_of
from cite_lsp.document.document import Document


def kinds(text: str, name: str = "d.md") -> list[tuple[str, str]]:
    """Kind and text of every block but the blank ones."""
    document = Document.parse(text, name)
    blocks = list(document.blocks)
    assert "".join(block.text for block in blocks) == text
    assert sum(block.line_count for block in blocks) == document.line_count
    return [(block.kind, block.text) for block in blocks if block.kind != "blank"]


def seen(text: str, name: str = "d.md", *, in_fences: bool = False) -> list[str]:
    return [anchor.text for anchor in Document.parse(text, name, in_fences=in_fences).anchors]


@pytest.mark.parametrize(
    ("name", "syntax"),
    [
        ("d.md", "markdown"),
        ("d.markdown", "markdown"),
        ("d.mdx", "markdown"),
        ("README", "markdown"),
        ("", "markdown"),
        ("docs.txt/README", "markdown"),
        ("d.RST", "rst"),
        ("d.adoc", "asciidoc"),
        ("d.asciidoc", "asciidoc"),
        ("d.txt", "text"),
    ],
)
def test_the_name_chooses_the_rules(name: str, syntax: str) -> None:
    assert syntax_of(name) == syntax


# ------------------------------------------------------------------------------------------------ Markdown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n\nc\n", [("paragraph", "a\nb\n"), ("paragraph", "c\n")]),
        ("# A\nb", [("heading", "# A\n"), ("paragraph", "b")]),
        ("   ## A ##\nb", [("heading", "   ## A ##\n"), ("paragraph", "b")]),
        ("#A", [("paragraph", "#A")]),
        ("A\n===\nb", [("heading", "A\n===\n"), ("paragraph", "b")]),
        ("A\nB\n---\n", [("heading", "A\nB\n---\n")]),
        ("- a\n- b\n", [("list-item", "- a\n"), ("list-item", "- b\n")]),
        ("- a\n  more\n- b\n", [("list-item", "- a\n  more\n"), ("list-item", "- b\n")]),
        ("* a\n+ b\n1. c\n2) d\n", [("list-item", t) for t in ("* a\n", "+ b\n", "1. c\n", "2) d\n")]),
        ("- a\n  - b\n", [("list-item", "- a\n"), ("list-item", "  - b\n")]),
        ("- a\n\n  b\n", [("list-item", "- a\n"), ("paragraph", "  b\n")]),
        ("text\n- a\n", [("paragraph", "text\n"), ("list-item", "- a\n")]),
        ("in\n1990. a\n", [("paragraph", "in\n1990. a\n")]),
        ("> a\n> b\n\nc", [("paragraph", "> a\n> b\n"), ("paragraph", "c")]),
        ("> a\n> - b\n", [("paragraph", "> a\n"), ("list-item", "> - b\n")]),
        ("---\n\n***\n", [("break", "---\n"), ("break", "***\n")]),
        ("[x]: a.ts\nb", [("link-definition", "[x]: a.ts\n"), ("paragraph", "b")]),
        ("[^1]: a\n", [("paragraph", "[^1]: a\n")]),
        (
            "a | b\n--|--\n1 | 2\n\nx | y\n",
            [*[("table-row", t) for t in ("a | b\n", "--|--\n", "1 | 2\n")], ("paragraph", "x | y\n")],
        ),
        (
            "text\n| a | b |\n|---|---|\n",
            [("paragraph", "text\n"), ("table-row", "| a | b |\n"), ("table-row", "|---|---|\n")],
        ),
        ("a\n\n    b\n    c\n", [("paragraph", "a\n"), ("code", "    b\n    c\n")]),
        ("a\n    b\n", [("paragraph", "a\n    b\n")]),
        ("a\u2028b\x0cc\nd", [("paragraph", "a\u2028b\x0cc\nd")]),
        ("a\r\rb\r\n\r\nc", [("paragraph", "a\r"), ("paragraph", "b\r\n"), ("paragraph", "c")]),
        ("", []),
        ("\n \n\t\n", []),
    ],
)
def test_markdown(text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "```\na.ts:1\n```\n",
        "```ts title=a.ts:1\na.ts:1\n```\n",
        "~~~\na.ts:1\n```\na.ts:2\n~~~\n",
        "````\n```\na.ts:1\n```\na.ts:2\n````\n",
        "```\na.ts:1\n    ```\na.ts:2\n```\n",
        "```\na.ts:1\n\n\n## H a.ts:2\n",
        "  ```\n  a.ts:1\n  ```\n",
        "- x\n\n  ```\n  a.ts:1\n  ```\n",
        "- ```\n  a.ts:1\n  ```\n",
        "1. x\n   ```\n   a.ts:1\n   ```\n",
        "> ```\n> a.ts:1\n> ```\n",
        "> - ```\n>   a.ts:1\n>   ```\n",
        "    a.ts:1\n",
        "\ta.ts:1\n",
        "- x\n\n      a.ts:1\n",
        "<!-- a.ts:1 -->\n",
        "<!--\na.ts:1\n\na.ts:2\n-->\n",
        "text <!-- a.ts:1 --> more\n",
        "text <!-- a.ts:1\na.ts:2 --> more\n",
        "- x <!-- a.ts:1 -->\n",
        "<pre>\na.ts:1\n\na.ts:2\n</pre>\n",
        "<script>a.ts:1</script>\n",
        "<style>\n/* a.ts:1 */\n</style>\n",
    ],
)
def test_what_hides_citations_in_markdown(hidden: str) -> None:
    assert seen(hidden) == []
    tail = "" if "## H" in hidden else "\nafter b.ts:9\n"
    assert seen("before b.ts:8\n\n" + hidden + tail) == ["b.ts:8", *(["b.ts:9"] if tail else [])]


@pytest.mark.parametrize(
    "text",
    [
        "> ```\n> x\n\na.ts:1\n",
        "- ```\n  x\n\na.ts:1\n",
        "```not a fence``` a.ts:1\n",
        "- a\n\n    a.ts:1\n",
        "1. a\n\n   a.ts:1\n",
        "<!-- x --> a.ts:1\n",
        "a <!-- b\n\na.ts:1\n",
        "text\n    a.ts:1\n",
        "<div>\na.ts:1\n</div>\n",
        "<details><summary>a.ts:1</summary>\n",
        "\\`a.ts:1\n",
    ],
)
def test_what_does_not_hide_them(text: str) -> None:
    assert seen(text) == ["a.ts:1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\nsee: a.ts:1\n---\nb.ts:2\n", ["b.ts:2"]),
        ("+++\nsee = 'a.ts:1'\n+++\nb.ts:2\n", ["b.ts:2"]),
        ("---\nsee: a.ts:1\n...\nb.ts:2\n", ["b.ts:2"]),
        ("\ufeff---\r\nsee: a.ts:1\r\n---\r\nb.ts:2\r\n", ["b.ts:2"]),
        ("---\nsee a.ts:1\n\nb.ts:2\n", ["a.ts:1", "b.ts:2"]),
        ("\n---\nsee: a.ts:1\n---\nb.ts:2\n", ["a.ts:1", "b.ts:2"]),
        ("---\n" + "x\n" * 1_200 + "a.ts:1\n---\n", ["a.ts:1"]),
    ],
)
def test_front_matter(text: str, expected: list[str]) -> None:
    assert seen(text) == expected


def test_a_line_below_front_matter_is_counted_from_the_top() -> None:
    text = "---\na: 1\nb: 2\nc: 3\nd: 4\n---\n\n\nsrc/a.ts:9\n"
    (anchor,) = Document.parse(text, "d.md").anchors
    assert text[: anchor.start].count("\n") + 1 == 9


def test_a_byte_order_mark_is_ignored() -> None:
    assert kinds("\ufeff# A\n") == [("mark", "\ufeff"), ("heading", "# A\n")]
    assert kinds("\ufeff") == [("mark", "\ufeff")]
    assert seen("\ufeffa.ts:1") == ["a.ts:1"]


def test_fences_are_read_when_asked_for() -> None:
    text = "```\na.ts:1\n  :2\n```\n\n    b.ts:3\n\n<!-- c.ts:4 -->\n\n<pre>\nd.ts:5\n</pre>\n"
    assert seen(text, in_fences=True) == ["a.ts:1", "b.ts:3"]
    assert seen("<pre>a.ts:1</pre>\n", in_fences=True) == []
    assert seen(".. code::\n\n   a.ts:1\n", "d.rst", in_fences=True) == ["a.ts:1"]


def test_a_long_fence_is_cut_and_stays_shut() -> None:
    text = "```\n" + "a.ts:1\n" * 1_000 + "```\nb.ts:2\n"
    assert seen(text) == ["b.ts:2"]
    assert len(kinds(text)) > 10


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("## A\nsee a.ts:1", "## A"),
        ("# A\nsee a.ts:1", ""),
        ("## A\n### B\nsee a.ts:1", "## A"),
        ("## A\n# B\nsee a.ts:1", "## A"),
        ("## A ##  \nsee a.ts:1", "## A ##"),
        ("   ## A\nsee a.ts:1", "## A"),
        ("##\tA\nsee a.ts:1", "##\tA"),
        ("\ufeff## A\nsee a.ts:1", "## A"),
        ("A\n---\nsee a.ts:1", "A\n---"),
        ("A\n===\nsee a.ts:1", ""),
        ("## A\r\nsee a.ts:1", "## A"),
        ("```\n## A\n```\nsee a.ts:1", ""),
        ("<!--\n## A\n-->\nsee a.ts:1", ""),
        ("> ## A\n\nsee a.ts:1", ""),
        ("- x\n\n    ## A\n\nsee a.ts:1", ""),
        ("## See a.ts:1", ""),
    ],
)
def test_section(text: str, section: str) -> None:
    (anchor,) = Document.parse(text, "d.md").anchors
    assert anchor.section == section


# ------------------------------------------------------------------------------------------------ the other syntaxes


@pytest.mark.parametrize(
    ("hidden", "name"),
    [
        ("::\n\n  a.ts:1\n\n  a.ts:2\n\n", "d.rst"),
        ("Like this::\n\n  a.ts:1\n\n", "d.rst"),
        ("- item::\n\n    a.ts:1\n\n", "d.rst"),
        (".. code-block:: ts\n   :linenos:\n\n   a.ts:1\n\n", "d.rst"),
        (".. literalinclude:: a.ts:1\n\n", "d.rst"),
        (".. a comment a.ts:1\n   and a.ts:2\n\n", "d.rst"),
        (">>> open('a.ts:1')\n\n", "d.rst"),
        ("----\na.ts:1\n\na.ts:2\n----\n", "d.adoc"),
        ("....\na.ts:1\n....\n", "d.adoc"),
        ("////\na.ts:1\n////\n", "d.adoc"),
        ("```ts\na.ts:1\n```\n", "d.adoc"),
        ("// a.ts:1\n", "d.adoc"),
        (" a.ts:1\n", "d.adoc"),
    ],
)
def test_what_hides_citations_elsewhere(hidden: str, name: str) -> None:
    assert seen("before b.ts:8\n\n" + hidden + "\nafter b.ts:9\n", name) == ["b.ts:8", "b.ts:9"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (".. note:: see a.ts:1\n", "d.rst"),
        (".. note::\n\n   see a.ts:1\n", "d.rst"),
        (".. [1] see a.ts:1\n", "d.rst"),
        ("    quoted a.ts:1\n", "d.rst"),
        ("Title a.ts:1\n============\n", "d.rst"),
        ("```\na.ts:1\n```\n", "d.rst"),
        ("* a.ts:1\n", "d.adoc"),
        ("== Title a.ts:1\n", "d.adoc"),
        ("|===\n| a.ts:1\n|===\n", "d.adoc"),
        ("NOTE: a.ts:1\n", "d.adoc"),
        ("    a.ts:1\n", "d.txt"),
        ("```\na.ts:1\n```\n", "d.txt"),
        ("---\na.ts:1\n---\n", "d.txt"),
        ("# a.ts:1\n", "d.txt"),
    ],
)
def test_what_does_not_hide_them_elsewhere(text: str, name: str) -> None:
    assert seen(text, name) == ["a.ts:1"]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("A\n=\n\nB\n---\nc", "d.rst", ["paragraph", "heading", "paragraph"]),
        ("* a\n* b\n", "d.rst", ["list-item", "list-item"]),
        ("| a | b |\n", "d.rst", ["table-row"]),
        ("== A\n\n* b\n** c\n. d\n", "d.adoc", ["heading", "list-item", "list-item", "list-item"]),
        ("a\nb\n- c\n- d\n", "d.txt", ["paragraph", "list-item", "list-item"]),
    ],
)
def test_kinds_elsewhere(text: str, name: str, expected: list[str]) -> None:
    assert [kind for kind, _ in kinds(text, name)] == expected
