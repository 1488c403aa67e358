"""Walks over the nodes that touch some lines and gathers what their rules say, with what each belongs to."""

from bisect import bisect_left
from dataclasses import dataclass

from tree_sitter import Node

from cite_lsp.worker.parsing.grammar import Defined, definitions_query
from cite_lsp.worker.parsing.trees import ParsedFile, captures
from cite_lsp.worker.parsing.words import clipped, rows_of

Fact = tuple[str, int, int, str, str, str, str]
"""The fields of `CodeFact` in their order."""

CommentSpan = tuple[int, int, int, bool]
"""The fields of `Span` in their order."""

Outlined = tuple[str, str, str, int, int]
"""The fields of `Symbol` in their order."""

Rows = tuple[int, int]
"""First and last row, 0-based."""

_FUNCTION = "<function>"
"""Stands for a function without a name in the owner of its parameters and returned values."""

WIDEST = 8 << 10
"""Bytes of a line that is looked at: a minified file is one line, and a citation of it says nothing."""

_MOST_CLIMBED = 6
_MOST_ABOVE = 24
_MOST_WORDS = 8


def read_facts(file: ParsedFile, first: int, last: int) -> tuple[list[Fact], list[CommentSpan]]:
    """Give the facts that touch the rows `first` to `last`, 0-based, and the comments on them."""
    reader = Reader(file, first, last)
    reader.read()
    facts = sorted(dict.fromkeys(reader.facts), key=lambda fact: (fact[1], -fact[2]))
    return facts, list(_comments(file, first, last))


def read_outline(file: ParsedFile) -> list[Outlined]:
    """Give all definitions of a file in its order."""
    return Reader(file, 0, len(file.lines) - 1).outline()


@dataclass(slots=True)
class _Scope:
    """A definition or function around what is being read: to which byte, its dotted name, whether it has one."""

    end: int
    name: str
    named: bool


class Reader:
    """What the rules read with.

    Attributes:
        facts: What was found.
        owner: The names of the definitions around the node that is being read, joined by dots.
    """

    def __init__(self, file: ParsedFile, first: int, last: int) -> None:
        self.facts: list[Fact] = []
        self.owner = ""
        self._file = file
        self._first = first
        self._last = last
        self._scopes: list[_Scope] = []
        self._named: set[int] = set()

    # --- for rules

    def text(self, node: Node | None) -> str:
        """Give a node's source, clipped; empty for None."""
        return "" if node is None else clipped(self._file.source[node.start_byte : node.end_byte])

    def between(self, start: int, end: int) -> str:
        """Give the source from one byte to before another, clipped."""
        return clipped(self._file.source[start:end])

    def add(
        self,
        kind: str,
        where: Node | Rows,
        name: str = "",
        value: str = "",
        *,
        sign: str = "",
        near: Rows | None = None,
    ) -> None:
        """Add a fact, where its lines or those `near` it, which its condition stands on, touch what is asked for."""
        rows = rows_of(where) if isinstance(where, Node) else where
        if self._touches(rows) or (near is not None and self._touches(near)):
            self.facts.append((kind, rows[0] + 1, rows[1] + 1, name, value, self.owner, sign))

    def add_inner(self, kind: str, node: Node, name: str = "", value: str = "") -> None:
        """Add a fact of the innermost function, though it has no name."""
        outer, self.owner = self.owner, self._scopes[-1].name if self._scopes else ""
        self.add(kind, node, name, value)
        self.owner = outer

    def add_beside(self, kind: str, node: Node, name: str, value: str) -> None:
        """Add a fact of the definition that is being read as something in what is around it."""
        inner = self.owner
        self.owner = next((scope.name for scope in reversed(self._scopes[:-1]) if scope.named), "")
        self.add(kind, node, name, value)
        self.owner = inner

    def add_decorator(self, node: Node, name: str, value: str) -> None:
        """Add a decorator; it belongs to the definition that it stands on."""
        target = self.decorated(node)
        defined = self.defined(target) if target is not None and target.start_byte > node.start_byte else None
        outer = self.owner
        if defined is not None:
            self.owner = _dotted(outer, defined.owner, defined.name)
        self.add("decorator", node, name, value)
        self.owner = outer

    # --- the walk

    def read(self) -> None:
        """Read all nodes that touch the rows."""
        starts = self._file.starts
        end = starts[self._below(self._last) + 1]
        found = captures(self._file.grammar.query, self._file.tree.root_node, (starts[self._first], end))
        table = self._file.grammar.table
        for node in sorted(found.get("node", ()), key=lambda node: (node.start_byte, -node.end_byte)):
            kind = node.type
            while self._scopes and self._scopes[-1].end <= node.start_byte:
                self._scopes.pop()
            self.owner = next((scope.name for scope in reversed(self._scopes) if scope.named), "")
            defined = self.defined(node)
            if defined is not None:
                self._define(node, defined)
            elif kind in table.anonymous and node.id not in self._named:
                inner = self._scopes[-1].name if self._scopes else ""
                self._scopes.append(_Scope(node.end_byte, _dotted(inner, _FUNCTION), named=False))
            rule = table.rules.get(kind) or table.picked.get(kind)
            if rule is not None and (defined is None or defined.function is None):
                rule(self, node)

    def outline(self) -> list[Outlined]:
        """Give what the file defines: name, keyword, owner, lines with decorators and without comments above."""
        found = captures(definitions_query(self._file.grammar), self._file.tree.root_node)
        symbols: list[Outlined] = []
        for node in sorted(found.get("node", ()), key=lambda node: (node.start_byte, -node.end_byte)):
            while self._scopes and self._scopes[-1].end <= node.start_byte:
                self._scopes.pop()
            defined = self.defined(node)
            if defined is None:
                continue
            if defined.function is not None and defined.function is not node:
                self._named.add(defined.function.id)
            owner = _dotted(self._scopes[-1].name if self._scopes else "", defined.owner)
            around = self.around(node)
            first, last = self._decorators_row(around), rows_of(around)[1]
            symbols.append((defined.name, defined.keyword, owner, first + 1, last + 1))
            self._scopes.append(_Scope(node.end_byte, _dotted(owner, defined.name), named=True))
        return symbols

    def defined(self, node: Node) -> Defined | None:
        """Give what a node defines, unless that was said of a node around it."""
        defines = self._file.grammar.table.definitions.get(node.type)
        return None if defines is None or node.id in self._named else defines(self, node)

    def _define(self, node: Node, defined: Defined) -> None:
        outer = self.owner
        name = _dotted(outer, defined.owner, defined.name)
        function = defined.function or node
        if function is not node:
            self._named.add(function.id)
        around = self.around(node)
        rows = self.first_row(around), rows_of(around)[1]
        self.owner = _dotted(outer, defined.owner)
        self.add("definition", rows, defined.name, defined.keyword)
        if self._is_async(function):
            self.add("async", rows, defined.name)
        self.owner = name
        self._scopes.append(_Scope(node.end_byte, name, named=True))

    def _is_async(self, node: Node) -> bool:
        """Say whether a function is asynchronous, by a word before its name."""
        for child in node.children[:_MOST_WORDS]:
            if child.type == "async":
                return True
            if child.type in ("modifier", "function_modifiers") and "async" in self.text(child).split():
                return True
            if child.type.endswith(("parameters", "parameter_list", "block", "body")):
                break
        return False

    def around(self, node: Node) -> Node:
        """Give the outermost node that is about this definition alone: with `export`, `template`, decorators."""
        wrappers = self._file.grammar.table.wrappers
        for _ in range(_MOST_CLIMBED):
            parent = node.parent
            if parent is None or parent.type not in wrappers or _has_twin(parent, node):
                break
            node = parent
        return node

    def _decorators_row(self, around: Node) -> int:
        """Give the first row of a definition with the decorators that stand above it as its siblings."""
        decorators = self._file.grammar.table.decorators
        row = around.start_point[0]
        above = around.prev_named_sibling if decorators else None
        for _ in range(_MOST_ABOVE):
            if above is None or above.type not in decorators or rows_of(above)[1] < row - 1:
                break
            row = above.start_point[0]
            above = above.prev_named_sibling
        return row

    def first_row(self, around: Node) -> int:
        """Give the first row of a definition with the comments and decorators directly above it."""
        row, column = around.start_point
        if self._file.lines[row][:column].strip():
            return row
        decorators = self._file.grammar.table.decorators
        anchor: Node | None = around
        for _ in range(_MOST_ABOVE):
            comment = self._file.comment_ends.get(row - 1)
            if comment is not None:
                row = comment.row
                continue
            anchor = _sibling_above(anchor, self._file.grammar.table.comments) if decorators else None
            if anchor is None or anchor.type not in decorators or rows_of(anchor)[1] < row - 1:
                break
            row = min(row, anchor.start_point[0])
        return row

    def _below(self, row: int) -> int:
        """Give the row below the comments and decorators that begin or go on at `row`: what they speak of is there."""
        last = len(self._file.lines) - 1
        for _ in range(_MOST_ABOVE):
            comment = self._comment_on(row)
            if comment is None or comment >= last or len(self._file.lines[comment + 1]) > WIDEST:
                break
            row = comment + 1
        return min(row, last)

    def _comment_on(self, row: int) -> int | None:
        """Give the last row of the comment or decorator that has a row for itself."""
        comments = self._file.comments
        place = bisect_left(comments, row, key=lambda comment: comment.last_row)
        if place < len(comments) and comments[place].row <= row and comments[place].alone:
            return comments[place].last_row
        return self._head_on(row)

    def _head_on(self, row: int) -> int | None:
        """Give the last row of a decorator, or of what else stands above a definition and belongs to it."""
        table = self._file.grammar.table
        line = self._file.lines[row]
        start = self._file.starts[row] + len(line) - len(line.lstrip())
        node = self._file.tree.root_node.named_descendant_for_byte_range(start, start)
        for _ in range(_MOST_CLIMBED if table.decorators or table.wrappers else 0):
            if node is None or node.type in table.decorators:
                break
            inner = self.defining(node) if node.type in table.wrappers else None
            if inner is not None and inner.start_point[0] > row:
                return inner.start_point[0] - 1
            node = node.parent
        return rows_of(node)[1] if node is not None and node.type in table.decorators else None

    def defining(self, wrapper: Node) -> Node | None:
        """Give what defines something in what is around it."""
        table = self._file.grammar.table
        for _ in range(_MOST_CLIMBED):
            inner = [each for each in wrapper.named_children if each.type in table.definitions]
            if inner:
                return inner[0]
            around = [each for each in wrapper.named_children if each.type in table.wrappers]
            if not around:
                break
            wrapper = around[0]
        return None

    def decorated(self, node: Node) -> Node | None:
        """Give what a decorator stands on."""
        table = self._file.grammar.table
        parent = node.parent
        for _ in range(_MOST_CLIMBED):
            if parent is None:
                return None
            if parent.type in table.definitions:
                return parent
            if parent.type in table.wrappers:
                return self.defining(parent)
            if parent.type not in ("modifiers", "attribute_list"):
                break
            parent = parent.parent
        following = node.next_named_sibling
        for _ in range(_MOST_ABOVE):
            if following is None or following.type not in (*table.comments, *table.decorators):
                break
            following = following.next_named_sibling
        return following

    def _touches(self, rows: Rows) -> bool:
        return rows[0] <= self._last and rows[1] >= self._first


def _comments(file: ParsedFile, first: int, last: int) -> "list[CommentSpan]":
    """Give what is comment on the rows, line by line, columns in code points."""
    found: list[CommentSpan] = []
    for comment in file.comments:
        if comment.last_row < first or comment.row > last:
            continue
        for row in range(max(comment.row, first), min(comment.last_row, last) + 1):
            line = file.lines[row]
            start = comment.start if row == comment.row else len(line) - len(line.lstrip())
            end = comment.end if row == comment.last_row else len(line)
            if start < end:
                found.append((row + 1, _points(line, start), _points(line, end), comment.docstring))
    return sorted(set(found))


def _points(line: bytes, column: int) -> int:
    """Give the code points left of a column in bytes."""
    return column if line.isascii() else len(line[:column].decode("utf-8", "ignore"))


def _dotted(*names: str) -> str:
    return ".".join(name for name in names if name)


def _has_twin(parent: Node, node: Node) -> bool:
    """Say whether a parent holds others of the node's kind: then it is not about this one alone."""
    return sum(each.type == node.type for each in parent.named_children) > 1


def _sibling_above(node: Node | None, comments: tuple[str, ...]) -> Node | None:
    above = None if node is None else node.prev_named_sibling
    while above is not None and above.type in comments:
        above = above.prev_named_sibling
    return above
