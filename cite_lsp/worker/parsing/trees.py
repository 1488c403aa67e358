"""Parses a file within limits, and finds its comments.

A parser written for editors takes any text; on some it needs seconds. It is asked to stop after `SECONDS` of processor
time; where it does not come to the place where it would, or what looks through the tree does not end, `service` ends
the process.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node, Parser, Query, QueryCursor, Tree

from cite_lsp.worker.parsing.grammar import Grammar, grammars_of

SECONDS = 0.25
"""Processor time that one text may take to be parsed: five times what the slowest file of a project was seen to take,
so that a busy or slower machine says the same of it.
"""

_CPLUSPLUS = re.compile(
    rb"^[ \t]*(?:namespace\b|template[ \t]*<|class[ \t]+\w|using[ \t]|(?:public|private|protected)[ \t]*:)|\w::\w",
    re.MULTILINE,
)
"""What headers of C++ hold: the grammar of C takes ten times as long over them and finds them wrong."""

_MOST_WRONG = 0.25
"""A text with more places to each line that are no code of the language says nothing."""

_SOME_WRONG = 3
"""So many places more may be wrong in a text of any length: somebody is typing."""


class GaveUp(Exception):  # noqa: N818 - it says what happened
    """The text was not parsed; its message says why."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment or docstring: 0-based rows, columns in bytes; `alone` where nothing stands left of it."""

    row: int
    start: int
    last_row: int
    end: int
    docstring: bool
    alone: bool


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A parsed text.

    Attributes:
        grammar: Whose names the nodes have.
        source: The text in UTF-8.
        lines: Its lines, without their ends.
        tree: What was parsed.
        starts: The byte where each line begins.
        comments: By place.
        comment_ends: The comments that stand alone on their lines, by their last row.
    """

    grammar: Grammar
    source: bytes
    lines: list[bytes]
    tree: Tree
    starts: list[int]
    comments: list[Comment]
    comment_ends: dict[int, Comment]


def parse(language: str, text: str) -> ParsedFile:
    """Parse a text by the grammar of its language; where there are two, by the one that finds less wrong with it.

    Raises:
        GaveUp: The language has no grammar, the text took too long, or most of it is no code of the language.
    """
    source = text.encode("utf-8", "replace").replace(b"\0", b" ")
    best: tuple[int, Grammar, Tree, list[tuple[Node, bool]]] | None = None
    late: GaveUp | None = None
    for grammar in _likeliest_first(language, source):
        try:
            tree = _tree(grammar, source)
        except GaveUp as why:
            late = why
            continue
        wrong, comments = _surveyed(grammar, tree)
        if best is None or wrong < best[0]:
            best = (wrong, grammar, tree, comments)
        if not wrong:
            break
    if best is None:
        raise late or GaveUp(f"there is no grammar of {language}")
    wrong, grammar, tree, comments = best
    if wrong > source.count(b"\n") * _MOST_WRONG + _SOME_WRONG:
        raise GaveUp(f"most of the text is no {language}")
    return _parsed(grammar, tree, source, comments)


def _likeliest_first(language: str, source: bytes) -> Iterator[Grammar]:
    if language == "c" and _CPLUSPLUS.search(source):
        yield from grammars_of("cpp")
        yield next(grammars_of("c"))
    else:
        yield from grammars_of(language)


def captures(query: Query, node: Node, span: tuple[int, int] | None = None) -> dict[str, list[Node]]:
    """Give the nodes that a query finds, where there is a `span` only what touches those bytes."""
    cursor = QueryCursor(query)
    if span is not None:
        cursor.set_byte_range(*span)
    return cursor.captures(node)


def _tree(grammar: Grammar, source: bytes) -> Tree:
    parser = Parser(grammar.language)
    due = time.process_time() + SECONDS

    def piece(offset: int, _: object) -> bytes:
        return source[offset : offset + (1 << 16)]

    def stop(_: int, __: bool) -> bool:
        return time.process_time() > due

    try:
        return parser.parse(piece, encoding="utf8", progress_callback=stop)
    except ValueError as error:
        raise GaveUp("it took too long to parse") from error


def _surveyed(grammar: Grammar, tree: Tree) -> tuple[int, list[tuple[Node, bool]]]:
    """Give how many places are no code of the language, and the comments, each with whether it is a docstring."""
    found = captures(grammar.survey, tree.root_node)
    wrong = len(found.get("wrong", ()))
    comments = [(node, False) for node in found.get("comment", ())]
    comments += [(node, True) for node in found.get("docstring", ())]
    return wrong, comments


def _parsed(grammar: Grammar, tree: Tree, source: bytes, nodes: list[tuple[Node, bool]]) -> ParsedFile:
    lines = source.split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    comments = sorted(
        (_comment(node, source, lines, docstring=docstring) for node, docstring in nodes),
        key=lambda comment: (comment.row, comment.start),
    )
    ends = {comment.last_row: comment for comment in comments if comment.alone and not comment_is_apart(comment, lines)}
    return ParsedFile(grammar, source, lines, tree, starts, comments, ends)


def comment_is_apart(comment: Comment, lines: list[bytes]) -> bool:
    """Say whether a comment speaks of the whole file, whatever stands below it."""
    return lines[comment.row][comment.start :].startswith((b"#!", b"//!", b"/*!"))


def _comment(node: Node, source: bytes, lines: list[bytes], *, docstring: bool) -> Comment:
    row, start = node.start_point
    last, end = node.end_point
    if last > row and not end:  # some grammars count the end of the line among the comment
        last -= 1
        end = len(lines[last])
    head = source[node.start_byte : node.start_byte + 4]
    of_form = head.startswith((b"///", b"//!", b"/**", b"/*!")) and head[:4] not in (b"////", b"/**/")
    alone = not docstring and not lines[row][:start].strip()
    return Comment(row, start, last, end, docstring or of_form, alone)
