"""The table of Python."""

import re

from tree_sitter import Node

from cite_lsp.worker.parsing.grammar import Table
from cite_lsp.worker.parsing.reader import Reader
from cite_lsp.worker.parsing.rules import (
    add_call,
    branch,
    callee_text,
    case,
    catches,
    chain,
    children_of_type,
    decorator,
    decorator_arguments,
    decorator_name,
    defines,
    environment,
    environment_call,
    first_part,
    parameter,
    part,
    parts,
    returns,
    throw,
    value,
)
from cite_lsp.worker.parsing.words import without_arguments

_ENV = re.compile(r"(?:os\.)?(?:environ\.(?:get|pop|setdefault)|getenv)")


def _call(reader: Reader, node: Node) -> None:
    name = without_arguments(callee_text(reader, node.child_by_field_name("function")))
    arguments = node.child_by_field_name("arguments")
    environment_call(_ENV, reader, node, name, arguments)
    if node.parent is None or node.parent.type != "decorator":
        add_call(reader, node, name, arguments)


def _subscript(reader: Reader, node: Node) -> None:
    if reader.text(node.child_by_field_name("value")) in ("os.environ", "environ"):
        environment(reader, node, node.child_by_field_name("subscript"))


def _parameters(reader: Reader, node: Node) -> None:
    for each in node.named_children:
        if each.type == "identifier":
            parameter(reader, each, reader.text(each))
        elif each.type in ("default_parameter", "typed_default_parameter"):
            name = reader.text(each.child_by_field_name("name"))
            parameter(reader, each, name, each.child_by_field_name("value"))
        elif each.type in ("typed_parameter", "list_splat_pattern", "dictionary_splat_pattern"):
            parameter(reader, each, reader.text(first_part(each)).lstrip("*"))


def _compare(reader: Reader, node: Node) -> None:
    sides = [each for each in node.named_children if "comment" not in each.type]
    signs = node.children_by_field_name("operators")
    for one, sign, other in zip(sides, signs, sides[1:], strict=False):
        reader.add("compare", node, reader.text(one), reader.text(other), sign=" ".join(reader.text(sign).split()))


def _caught(node: Node) -> list[Node]:
    caught = node.child_by_field_name("value")
    if caught is not None and caught.type == "as_pattern":
        caught = first_part(caught)
    if caught is None:
        return []
    return caught.named_children if caught.type == "tuple" else [caught]


def _import(reader: Reader, node: Node) -> None:
    for each in node.children_by_field_name("name"):
        module = each.child_by_field_name("name") if each.type == "aliased_import" else each
        alias = each.child_by_field_name("alias") if each.type == "aliased_import" else None
        reader.add("import", node, reader.text(module), reader.text(alias))


def _import_from(reader: Reader, node: Node) -> None:
    names = node.children_by_field_name("name") or list(children_of_type(node, "wildcard_import"))
    taken = ", ".join(map(reader.text, names))
    reader.add("import", node, reader.text(node.child_by_field_name("module_name")), taken)


def _patterns(node: Node) -> list[Node]:
    return list(children_of_type(node, "case_pattern"))


_if = chain(
    part("condition"), parts("consequence"), parts("alternative")
)  # an elif stands beside its fellows in the if

PYTHON = Table(
    "tree_sitter_python",
    rules={
        "assignment": value(),
        "named_expression": value("name", "value"),
        "keyword_argument": value("name", "value"),
        "pair": value("key", "value"),
        "parameters": _parameters,
        "lambda_parameters": _parameters,
        "call": _call,
        "subscript": _subscript,
        "comparison_operator": _compare,
        "raise_statement": throw,
        "except_clause": catches(_caught),
        "return_statement": returns,
        "if_statement": _if,
        "while_statement": branch("while", body="body"),
        "case_clause": case(
            lambda node: list(children_of_type(node, "case_pattern")),
            parts("consequence"),
            {"match_statement": "subject"},
        ),
        "decorator": decorator(decorator_name, decorator_arguments),
        "import_statement": _import,
        "import_from_statement": _import_from,
    },
    definitions={"function_definition": defines("function"), "class_definition": defines("class")},
    wrappers=frozenset({"decorated_definition"}),
    anonymous=frozenset({"lambda"}),
    docstring="(expression_statement . (string) @docstring .)",
)
