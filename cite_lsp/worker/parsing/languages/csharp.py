"""The table of C#."""

import re

from tree_sitter import Node

from cite_lsp.worker.parsing.grammar import Table
from cite_lsp.worker.parsing.reader import Reader
from cite_lsp.worker.parsing.rules import (
    a_parameter,
    add_call,
    branch,
    callee_text,
    case,
    catches,
    children_of_type,
    compare,
    compare_by,
    constructed,
    decorator,
    defines,
    environment,
    first_part,
    imports,
    last_part,
    part,
    returns,
    throw,
    value,
)

_ENV = re.compile(r"(?:System\.)?Environment\.GetEnvironmentVariable")
_LAMBDAS = frozenset({"lambda_expression", "anonymous_method_expression"})


def _behind_equals(node: Node) -> Node | None:
    """Give what stands behind the equals sign: the grammar does not name it."""
    for place, child in enumerate(node.children[:-1]):
        if child.type == "=":
            return node.child(place + 1)
    return None


def _call(reader: Reader, node: Node) -> None:
    name, arguments = callee_text(reader, node.child_by_field_name("function")), node.child_by_field_name("arguments")
    listed = [first_part(each) for each in arguments.named_children] if arguments is not None else []
    if _ENV.fullmatch(name) and listed and listed[0] is not None:
        environment(reader, node, listed[0])
    add_call(reader, node, name, arguments)


def _argument(reader: Reader, node: Node) -> None:
    name, said = node.child_by_field_name("name"), last_part(node)
    if name is not None and said is not None and said != name:
        reader.add("value", node, reader.text(name), reader.text(said))


def _property(reader: Reader, node: Node) -> None:
    said = node.child_by_field_name("value")
    if said is None:
        return
    name = reader.text(node.child_by_field_name("name"))
    if said.type == "arrow_expression_clause":
        reader.add_inner("return", said, "", reader.text(first_part(said)))
    else:
        reader.add_beside("value", node, name, reader.text(said))


def _arrow(reader: Reader, node: Node) -> None:
    if node.parent is not None and node.parent.type != "property_declaration":
        reader.add_inner("return", node, "", reader.text(first_part(node)))


def _caught(node: Node) -> list[Node]:
    declared = next(children_of_type(node, "catch_declaration"), None)
    kind = declared.child_by_field_name("type") if declared is not None else None
    return [kind] if kind is not None else []


def _patterns(node: Node) -> list[Node]:
    return [each for each in node.named_children if each.type.endswith("pattern") or each.type == "discard"]


def _held(node: Node) -> list[Node]:
    chosen = {each.id for each in _patterns(node)}
    return [each for each in node.named_children if each.id not in chosen and each.type != "when_clause"]


def _lambda(reader: Reader, node: Node) -> None:
    body, alone = node.child_by_field_name("body"), node.child_by_field_name("parameters")
    if alone is not None and alone.type != "parameter_list":
        reader.add_inner("parameter", alone, reader.text(alone))
    if body is not None and body.type != "block":
        reader.add_inner("return", body, "", reader.text(body))


def _attribute_arguments(node: Node) -> Node | None:
    return next(children_of_type(node, "attribute_argument_list"), None)


_SWITCHES = {"switch_statement": "value", "switch_expression": ""}

CSHARP = Table(
    "tree_sitter_c_sharp",
    rules={
        "variable_declarator": value("name", _behind_equals),
        "assignment_expression": value(operator="="),
        "enum_member_declaration": value("name", "value"),
        "property_declaration": _property,
        "argument": _argument,
        "attribute_argument": value("name", last_part),
        "parameter": a_parameter("name", _behind_equals),
        "invocation_expression": _call,
        "object_creation_expression": constructed,
        "lambda_expression": _lambda,
        "throw_statement": throw,
        "throw_expression": throw,
        "catch_clause": catches(_caught),
        "return_statement": returns,
        "arrow_expression_clause": _arrow,
        "binary_expression": compare(),
        "is_pattern_expression": compare_by("is", "expression", "pattern"),
        "is_expression": compare_by("is"),
        "if_statement": branch(),
        "while_statement": branch("while", body="body"),
        "for_statement": branch("while", body="body"),
        "switch_section": case(_patterns, _held, _SWITCHES, falls=True),
        "switch_expression_arm": case(_patterns, _held, _SWITCHES),
        "attribute": decorator(part("name"), _attribute_arguments),
        "using_directive": imports(last_part),
    },
    definitions={
        "class_declaration": defines("class"),
        "struct_declaration": defines("struct"),
        "record_declaration": defines("record"),
        "interface_declaration": defines("interface"),
        "enum_declaration": defines("enum"),
        "delegate_declaration": defines("delegate"),
        "method_declaration": defines("function"),
        "constructor_declaration": defines("function"),
        "destructor_declaration": defines("function"),
        "local_function_statement": defines("function"),
        "property_declaration": defines("property"),
        "namespace_declaration": defines("namespace"),
    },
    anonymous=_LAMBDAS,
)
