"""The table of Go."""

import re

from tree_sitter import Node

from cite_lsp.worker.parsing.grammar import Defined, Table
from cite_lsp.worker.parsing.reader import Reader
from cite_lsp.worker.parsing.rules import (
    add_call,
    branch,
    callee_text,
    case,
    children_of_type,
    compare,
    defines,
    environment_call,
    first_part,
    guard,
    message,
    named,
    parameter,
    parts,
    returns,
    value,
    within,
)
from cite_lsp.worker.parsing.words import rows_of, unquoted

_ENV = re.compile(r"os\.(?:Getenv|LookupEnv)|(?:\w+\.)?[gG]et[eE]nv\w*")
_RAISING = frozenset({"panic", "errors.New", "fmt.Errorf", "log.Fatal", "log.Fatalf", "log.Panic", "log.Panicf"})
_KEYWORDS = {"struct_type": "struct", "interface_type": "interface"}
_NOT_CONDITIONS = ("block", "for_clause", "range_clause", "comment")


def _call(reader: Reader, node: Node) -> None:
    name, arguments = callee_text(reader, node.child_by_field_name("function")), node.child_by_field_name("arguments")
    if name in _RAISING:
        reader.add("raise", node, name, message(reader, arguments))
    environment_call(_ENV, reader, node, name, arguments)
    add_call(reader, node, name, arguments)


def _method(reader: Reader, node: Node) -> Defined | None:
    name = reader.text(node.child_by_field_name("name"))
    receiver = node.child_by_field_name("receiver")
    declared = first_part(receiver) if receiver is not None else None
    kind = reader.text(declared.child_by_field_name("type") if declared is not None else None)
    return Defined(name, "function", kind.lstrip("*").partition("[")[0]) if name else None


def _type(reader: Reader, node: Node) -> Defined | None:
    name, made = reader.text(node.child_by_field_name("name")), node.child_by_field_name("type")
    keyword = {"struct_type": "struct", "interface_type": "interface"}.get(
        made.type if made is not None else "", "type"
    )
    return Defined(name, keyword) if name else None


def _parameters(reader: Reader, node: Node) -> None:
    listed = node.child_by_field_name("parameters")
    for each in listed.named_children if listed is not None else ():
        for name in each.children_by_field_name("name"):
            if name.is_named:
                parameter(reader, each, reader.text(name))


def _for(reader: Reader, node: Node) -> None:
    clause = next(children_of_type(node, "for_clause"), None)
    condition = (
        clause.child_by_field_name("condition")
        if clause is not None
        else next((each for each in node.named_children if each.type not in _NOT_CONDITIONS), None)
    )
    body = node.child_by_field_name("body")
    if condition is not None and body is not None:
        guard(reader, "while", condition, within(body), rows_of(condition))


def _body(node: Node) -> list[Node]:
    return list(children_of_type(node, "statement_list"))


def _import(reader: Reader, node: Node) -> None:
    path = reader.text(node.child_by_field_name("path"))
    reader.add("import", node, unquoted(path), reader.text(node.child_by_field_name("name")))


_SWITCHES = {"expression_switch_statement": "value", "type_switch_statement": "value", "select_statement": "none"}

GO = Table(
    "tree_sitter_go",
    rules={
        "const_spec": named(),
        "var_spec": named(),
        "short_var_declaration": value(),
        "assignment_statement": value(operator="="),
        "keyed_element": value("key", "value"),
        "call_expression": _call,
        "function_declaration": _parameters,
        "method_declaration": _parameters,
        "func_literal": _parameters,
        "method_elem": _parameters,
        "return_statement": returns,
        "binary_expression": compare(),
        "if_statement": branch(),
        "for_statement": _for,
        "expression_case": case(parts("value"), _body, _SWITCHES),
        "type_case": case(parts("type"), _body, _SWITCHES),
        "communication_case": case(parts("communication"), _body, _SWITCHES),
        "default_case": case(lambda _: [], _body, _SWITCHES),
        "import_spec": _import,
    },
    definitions={
        "function_declaration": defines("function"),
        "method_declaration": _method,
        "type_spec": _type,
        "type_alias": defines("type"),
        "method_elem": defines("function"),
    },
    wrappers=frozenset({"type_declaration"}),
    anonymous=frozenset({"func_literal"}),
)
