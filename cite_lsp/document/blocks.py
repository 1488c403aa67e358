"""Cuts a document into blocks, line by line: what a sentence, a continuation or a code fence may not cross.

A block is whole lines. What follows a block depends only on the state behind it and on the lines after it, never on
lines before; so a document that was edited is cut again from a little before the edit until state and place agree
with an old block, and the blocks after that are kept. No rule looks further than two lines past the end of its block,
but front matter, which must close within `FRONT_MATTER_LINES`.

Markdown's rules are those of CommonMark and of GitHub's tables, told loosely where a person means a list and the
rules see code. reStructuredText and AsciiDoc have theirs; plain text has blank lines and bullets only (anchors.md).
"""

from collections.abc import Callable, Iterator

from cite_lsp.document.cuts import START, Cut, Lines, State, Stops
from cite_lsp.document.markdown_blocks import cut_markdown
from cite_lsp.document.other_blocks import cut_adoc, cut_rst, cut_text

FRONT_MATTER_LINES = 1000
_NO_STOPS: frozenset[int] = frozenset()

Rules = Callable[[Lines, int, State, Stops], Cut]

_RULES: dict[str, Rules] = {"markdown": cut_markdown, "rst": cut_rst, "asciidoc": cut_adoc, "text": cut_text}
_SYNTAX = {
    "rst": "rst",
    "rest": "rst",
    "adoc": "asciidoc",
    "asciidoc": "asciidoc",
    "asc": "asciidoc",
    "txt": "text",
}


def syntax_of(path: str) -> str:
    """Name the block rules for a document: markdown, rst, asciidoc or text; markdown where the name says nothing."""
    name = path.rpartition("/")[2]
    return _SYNTAX.get(name.rpartition(".")[2].lower(), "markdown") if "." in name else "markdown"


def front_matter(lines: Lines) -> Cut | None:
    """Cut the front matter that a document may begin with: from `---` or `+++` to the same line again (or `...`)."""
    first = (lines.at(0) or "").rstrip(" \t\r\n")
    if first not in ("---", "+++"):
        return None
    for number in range(1, FRONT_MATTER_LINES):
        line = lines.at(number)
        if line is None:
            return None
        text = line.rstrip(" \t\r\n")
        if text == first or (text == "..." and first == "---"):
            return Cut("front-matter", 0, number + 1, START, START)
    return None


def cut_blocks(
    lines: Lines, syntax: str, state: State = START, number: int = 0, stops: Stops = _NO_STOPS
) -> Iterator[Cut]:
    """Cut from line `number`, at which `state` holds, to the end. Linear in the text that is consumed.

    `stops` are line numbers at which a fence, comment or literal block may be cut in two, so that its tail is found
    again after an edit.
    """
    rules = _RULES[syntax]
    while number < lines.ready or lines.at(number) is not None:
        cut = rules(lines, number, state, stops)
        yield cut
        number += cut.size
        state = cut.exit
