"""The logical unit of a line: a definition, a statement over several lines, an entry, a clause, a docstring."""

from tree_sitter import Node

from cite_lsp.worker.parsing.reader import Reader
from cite_lsp.worker.parsing.trees import Comment, ParsedFile
from cite_lsp.worker.parsing.words import rows_of

Unit = tuple[str, int, int]
"""Kind, first and last line, 1-based."""

_HOLD_STATEMENTS = frozenset(
    "module program source_file translation_unit compilation_unit block statement_block compound_statement"
    " body_statement block_body statement_list declaration_list field_declaration_list class_body interface_body"
    " object_type enum_body constructor_body switch_body switch_block switch_block_statement_group switch_section"
    " switch_case switch_default case_statement expression_case type_case default_case case_clause then do do_group"
    " enum_member_declaration_list enum_variant_list enumerator_list annotation_type_body match_block else_clause"
    " preproc_if preproc_ifdef preproc_else preproc_elif preproc_elifdef linkage_specification case_item".split()
)
_CLAUSES = frozenset(
    "elif_clause else_clause except_clause except_group_clause finally_clause case_clause catch_clause switch_case"
    " switch_default switch_section switch_block_statement_group switch_rule case_statement expression_case type_case"
    " communication_case default_case case_item elsif else when rescue ensure in_clause match_arm".split()
)
_ENTRIES = frozenset("pair keyed_element field_initializer initializer_pair keyword_argument".split())
_NOT_STATEMENTS = frozenset("else_clause elif_clause".split())
_TEXTS = ("string", "heredoc", "template_literal")
_LONGEST = 20
"""Lines of a statement around a line in its middle that still speak of it; more would push out what stands near."""

_COMMENT_REACH = 12
_MOST_UP = 60


def unit_at(file: ParsedFile, row: int) -> Unit | None:
    """Give the unit of a row, 0-based; None where text rules know as well: on comments, on what is no statement."""
    line = file.lines[row]
    if not line.strip():
        return None
    start = file.starts[row] + len(line) - len(line.lstrip())
    comment = _comment_at(file, row, start - file.starts[row])
    node = file.tree.root_node.descendant_for_byte_range(start, start + 1)
    reader = Reader(file, row, row)
    if comment is not None:
        return _docstring_unit(file, reader, node, comment, row)
    return _definition_at(file, reader, node, row) or _statement_at(node, row)


def _comment_at(file: ParsedFile, row: int, column: int) -> Comment | None:
    """Give the comment or docstring that the row begins with, or is inside of."""
    for comment in file.comments:
        if comment.row <= row <= comment.last_row and (comment.row, comment.start) <= (row, column):
            return comment if (row, column) < (comment.last_row, comment.end) else None
    return None


def _docstring_unit(file: ParsedFile, reader: Reader, node: Node | None, comment: Comment, row: int) -> Unit | None:
    """Give a docstring with the head of what it documents; other comments are the text rules' affair."""
    if comment.alone or not comment.docstring:
        return None
    for _ in range(_MOST_UP):
        if node is None or node.type in file.grammar.table.definitions:
            break
        node = node.parent
    body = None if node is None else _body(reader, node)
    first = comment.row
    if node is not None and body is not None and body.start_byte == file.starts[comment.row] + comment.start:
        first = reader.around(node).start_point[0]
    elif any(line.strip() for line in file.lines[: comment.row][-1:]):
        return None  # of the line above, an attribute's
    return "comment-declaration", max(first, row - _COMMENT_REACH) + 1, comment.last_row + 1


def _definition_at(file: ParsedFile, reader: Reader, node: Node | None, row: int) -> Unit | None:
    """Give the definition whose head the row is a part of."""
    table = file.grammar.table
    for _ in range(_MOST_UP):
        if node is None or node.type in _HOLD_STATEMENTS:
            return None
        if node.type in table.decorators or node.type in ("modifiers", "attribute_list"):
            target = reader.decorated(node)
            return _whole(reader, target, row) if target is not None and reader.defined(target) is not None else None
        inner = reader.defining(node) if node.type in table.wrappers else node
        if inner is not None and reader.defined(inner) is not None:
            body = _body(reader, inner)
            ends = None if body is None else body.start_point[0]
            if ends is None or row < ends or row == inner.start_point[0] or (row == ends and _is_braced(body)):
                return _whole(reader, inner, row)
            return None
        node = node.parent
    return None


def _whole(reader: Reader, node: Node, row: int) -> Unit:
    around = reader.around(node)
    first = min(max(reader.first_row(around), around.start_point[0] - _COMMENT_REACH), row)
    if row - first >= _LONGEST:
        return "paragraph", row + 1, row + 1
    return "definition", first + 1, max(rows_of(around)[1], row) + 1


def _body(reader: Reader, node: Node) -> Node | None:
    """Give the body of what a node defines."""
    defined = reader.defined(node)
    function = defined.function if defined is not None and defined.function is not None else node
    body = function.child_by_field_name("body")
    if body is None:
        made = function.child_by_field_name("type")
        body = made if made is not None and made.type in ("struct_type", "interface_type") else None
    return body


def _is_braced(body: Node | None) -> bool:
    return body is not None and body.child_count > 0 and body.child(0).type == "{"


def _statement_at(node: Node | None, row: int) -> Unit | None:
    """Give the innermost statement, clause or entry that the row is a part of."""
    in_text = False
    for _ in range(_MOST_UP):
        parent = None if node is None else node.parent
        if node is None or parent is None:
            return None
        in_text = in_text or any(word in node.type for word in _TEXTS)
        first, last = rows_of(node)
        if node.is_named and node.type in _CLAUSES and first == row:
            return "statement", first + 1, last + 1
        if node.type in _ENTRIES and first == row < last:
            return "key", first + 1, last + 1
        if parent.type in _HOLD_STATEMENTS and node.is_named and node.type not in _NOT_STATEMENTS:
            break
        node = parent
    else:
        return None
    if first == last:
        return "paragraph", row + 1, row + 1
    if row == first or last - first < _LONGEST:
        return "statement", first + 1, last + 1
    return ("paragraph", row + 1, row + 1) if in_text else None
