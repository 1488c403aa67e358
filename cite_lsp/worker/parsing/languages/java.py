"""The table of Java."""

import re

from tree_sitter import Node

from cite_lsp.worker.parsing.grammar import Table
from cite_lsp.worker.parsing.reader import Reader
from cite_lsp.worker.parsing.rules import (
    a_parameter,
    add_call,
    branch,
    case,
    catches,
    children_of_type,
    compare,
    compare_by,
    constructed,
    decorator,
    defines,
    environment_call,
    first_part,
    part,
    returns,
    throw,
    value,
)

_ENV = re.compile(r"System\.getenv(?:\(\)\.(?:get|getOrDefault))?")


def _call(reader: Reader, node: Node) -> None:
    called, of = reader.text(node.child_by_field_name("name")), node.child_by_field_name("object")
    name = f"{reader.text(of)}.{called}" if of is not None else called
    arguments = node.child_by_field_name("arguments")
    environment_call(_ENV, reader, node, name, arguments)
    add_call(reader, node, name, arguments)


def _caught(node: Node) -> list[Node]:
    declared = next(children_of_type(node, "catch_formal_parameter"), None)
    types = next(children_of_type(declared, "catch_type"), None) if declared is not None else None
    return types.named_children if types is not None else []


def _label(node: Node) -> list[Node]:
    return [pattern for label in children_of_type(node, "switch_label") for pattern in label.named_children]


def _held(node: Node) -> list[Node]:
    return [each for each in node.named_children if each.type != "switch_label"]


def _lambda(reader: Reader, node: Node) -> None:
    body, alone = node.child_by_field_name("body"), node.child_by_field_name("parameters")
    if alone is not None and alone.type == "identifier":
        reader.add_inner("parameter", alone, reader.text(alone))
    if body is not None and body.type != "block":
        reader.add_inner("return", body, "", reader.text(body))


def _spread(node: Node) -> Node | None:
    return next((each.child_by_field_name("name") for each in children_of_type(node, "variable_declarator")), None)


def _none(_: Node) -> Node | None:
    return None


def _import(reader: Reader, node: Node) -> None:
    star = any(children_of_type(node, "asterisk"))
    reader.add("import", node, reader.text(first_part(node)), "*" if star else "")


_SWITCHES = {"switch_expression": "condition", "switch_statement": "condition"}
_case = case(_label, _held, _SWITCHES, falls=True)
_annotation = decorator(part("name"), part("arguments"))

JAVA = Table(
    "tree_sitter_java",
    rules={
        "variable_declarator": value("name", "value"),
        "assignment_expression": value(operator="="),
        "element_value_pair": value("key", "value"),
        "annotation_type_element_declaration": value("name", "value"),
        "formal_parameter": a_parameter("name", _none),
        "spread_parameter": a_parameter(_spread, _none),
        "method_invocation": _call,
        "object_creation_expression": constructed,
        "lambda_expression": _lambda,
        "throw_statement": throw,
        "catch_clause": catches(_caught),
        "return_statement": returns,
        "binary_expression": compare(),
        "instanceof_expression": compare_by("instanceof"),
        "if_statement": branch(),
        "while_statement": branch("while", body="body"),
        "for_statement": branch("while", body="body"),
        "switch_block_statement_group": _case,
        "switch_rule": _case,
        "annotation": _annotation,
        "marker_annotation": _annotation,
        "import_declaration": _import,
    },
    definitions={
        "class_declaration": defines("class"),
        "interface_declaration": defines("interface"),
        "enum_declaration": defines("enum"),
        "record_declaration": defines("record"),
        "annotation_type_declaration": defines("annotation"),
        "method_declaration": defines("function"),
        "constructor_declaration": defines("function"),
        "compact_constructor_declaration": defines("function"),
    },
    comments=("line_comment", "block_comment"),
    anonymous=frozenset({"lambda_expression"}),
)
