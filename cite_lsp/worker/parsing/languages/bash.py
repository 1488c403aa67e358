"""The table of Bash."""

from tree_sitter import Node

from cite_lsp.worker.parsing.grammar import Table
from cite_lsp.worker.parsing.reader import Reader
from cite_lsp.worker.parsing.rules import (
    case,
    chain,
    children_of_type,
    compare,
    defines,
    first_part,
    guard,
    parts,
    value,
    within,
)
from cite_lsp.worker.parsing.words import rows_of, unquoted

_BRANCHES = ("elif_clause", "else_clause")
_DEFAULTS = (":-", "-", ":=", "=")


def _command(reader: Reader, node: Node) -> None:
    name = reader.text(node.child_by_field_name("name"))
    given = node.children_by_field_name("argument")
    said = reader.between(given[0].start_byte, given[-1].end_byte) if given else ""
    if name == "return":
        reader.add_inner("return", node, "", said)
    elif name in ("source", ".") and given:
        reader.add("import", node, unquoted(said))
    elif name:
        reader.add("call", node, name, said)


def _expansion(reader: Reader, node: Node) -> None:
    sign = node.child_by_field_name("operator")
    name = next(children_of_type(node, "variable_name"), None)
    if sign is not None and name is not None and sign.type in _DEFAULTS:
        end = node.end_byte - 1
        reader.add("env", node, reader.text(name), reader.between(sign.end_byte, end))


def _branches(node: Node) -> list[Node]:
    return list(children_of_type(node, *_BRANCHES))


def _body(node: Node) -> list[Node]:
    """Take the commands behind the condition: the first child where the grammar does not name it."""
    conditions = node.children_by_field_name("condition") or node.named_children[:1]
    end = conditions[-1].end_byte if conditions else node.start_byte
    return [
        each
        for each in node.named_children
        if each.start_byte >= end and each.type not in ("elif_clause", "else_clause")
    ]


def _condition(node: Node) -> Node | None:
    return node.child_by_field_name("condition") or first_part(node)


def _loop(reader: Reader, node: Node) -> None:
    condition, body = _condition(node), node.child_by_field_name("body")
    if condition is not None and body is not None:
        sign = "unless" if node.child_count and node.child(0).type == "until" else "while"
        guard(reader, sign, condition, within(body), rows_of(condition))


def _case_body(node: Node) -> list[Node]:
    values = {each.id for each in node.children_by_field_name("value")}
    return [each for each in node.named_children if each.id not in values]


_if = chain(_condition, _body, _branches)

BASH = Table(
    "tree_sitter_bash",
    rules={
        "variable_assignment": value("name", "value", operator="="),
        "command": _command,
        "expansion": _expansion,
        "binary_expression": compare(),
        "if_statement": _if,
        "while_statement": _loop,
        "case_item": case(parts("value"), _case_body, {"case_statement": "value"}),
    },
    definitions={"function_definition": defines("function")},
)
