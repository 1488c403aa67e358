"""The tables of JavaScript and TypeScript."""

import re
from dataclasses import replace

from tree_sitter import Node

from cite_lsp.worker.parsing.grammar import Defined, Defines, Rule, Table
from cite_lsp.worker.parsing.reader import Reader
from cite_lsp.worker.parsing.rules import (
    add_call,
    arguments_of,
    branch,
    callee_text,
    case,
    catches,
    children_of_type,
    compare,
    decorator,
    decorator_arguments,
    decorator_name,
    defines,
    environment,
    parameter,
    parts,
    returns,
    subject_name,
    throw,
    value,
)
from cite_lsp.worker.parsing.words import unquoted, without_arguments

_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_MADE = {**dict.fromkeys(_FUNCTIONS, "function"), "class": "class"}
_OUTSIDE = re.compile(r"^(?:(?:module\.)?exports|this|self|window|globalThis)\.")


def _script_defines(name: str, made: str) -> Defines:
    """A name that a function or class is given to."""

    def defined(reader: Reader, node: Node) -> Defined | None:
        function = node.child_by_field_name(made)
        if function is None or function.type not in _MADE:
            return None
        own = reader.text(function.child_by_field_name("name"))
        owner, called = _given(reader, node.child_by_field_name(name), own)
        return Defined(called, _MADE[function.type], owner, function) if called else None

    return defined


def _given(reader: Reader, target: Node | None, own: str) -> tuple[str, str]:
    """Give whose the name is that a function is assigned to, and the name: A and b of `A.prototype.b`."""
    text = "" if target is None else subject_name(reader, target)
    if text in ("module.exports", "exports"):
        return "", own or "exports"
    text = _OUTSIDE.sub("", text).replace(".prototype.", ".")
    owner, _, called = text.rpartition(".")
    return without_arguments(owner), called


def _own_name(reader: Reader, node: Node) -> Defined | None:
    called = reader.text(node.child_by_field_name("name"))
    return Defined(called, _MADE[node.type]) if called else None


_SCRIPT_PARAMETERS = frozenset({"identifier", "assignment_pattern", "rest_pattern", "object_pattern", "array_pattern"})


def _script_parameters(reader: Reader, node: Node) -> None:
    for each in node.named_children:
        if each.type in _SCRIPT_PARAMETERS:
            _script_parameter(reader, each)


def _script_parameter(reader: Reader, node: Node) -> None:
    if node.type == "assignment_pattern":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and left.type == "object_pattern":
            _script_parameter(reader, left)
        else:
            parameter(reader, node, reader.text(left), right)
    elif node.type == "object_pattern":
        for each in node.named_children:
            _destructured(reader, each)
    else:
        parameter(reader, node, reader.text(node).lstrip("."))


def _destructured(reader: Reader, node: Node) -> None:
    if node.type == "object_assignment_pattern":
        name, default = node.child_by_field_name("left"), node.child_by_field_name("right")
        parameter(reader, node, reader.text(name), default)
    elif node.type == "pair_pattern":
        inner = node.child_by_field_name("value")
        default = (
            inner.child_by_field_name("right") if inner is not None and inner.type == "assignment_pattern" else None
        )
        parameter(reader, node, reader.text(node.child_by_field_name("key")), default)
    else:
        parameter(reader, node, reader.text(node).lstrip("."))


def _script_call(reader: Reader, node: Node) -> None:
    name = callee_text(reader, node.child_by_field_name("function"))
    arguments = node.child_by_field_name("arguments")
    if node.parent is not None and node.parent.type == "decorator":
        return
    add_call(reader, node, name, arguments)
    given = arguments_of(arguments)
    if name in ("require", "import") and len(given) == 1:
        holder = node.parent if node.parent is not None and node.parent.type == "variable_declarator" else None
        bound = holder.child_by_field_name("name") if holder is not None else None
        reader.add("import", node, unquoted(reader.text(given[0])), reader.text(bound))


def _script_env(reader: Reader, node: Node) -> None:
    environment(reader, node, node.child_by_field_name("property") or node.child_by_field_name("index"))


def _arrow(reader: Reader, node: Node) -> None:
    """An arrow that is an expression returns it; a single parameter may have no brackets."""
    body, alone = node.child_by_field_name("body"), node.child_by_field_name("parameter")
    if alone is not None:
        parameter(reader, alone, reader.text(alone))
    if body is not None and body.type != "statement_block":
        reader.add_inner("return", body, "", reader.text(body))


def _script_import(reader: Reader, node: Node) -> None:
    source = node.child_by_field_name("source")
    if source is not None:
        taken = next(children_of_type(node, "import_clause", "export_clause", "namespace_export"), None)
        reader.add("import", node, unquoted(reader.text(source)), reader.text(taken))


_SWITCH = {"switch_statement": "value"}
_SCRIPT_RULES: dict[str, Rule] = {
    "variable_declarator": value("name", "value"),
    "assignment_expression": value(),
    "field_definition": value("property", "value"),
    "pair": value("key", "value"),
    "object_assignment_pattern": value(),
    "formal_parameters": _script_parameters,
    "arrow_function": _arrow,
    "call_expression": _script_call,
    "new_expression": lambda reader, node: add_call(
        reader, node, reader.text(node.child_by_field_name("constructor")), node.child_by_field_name("arguments")
    ),
    "binary_expression": compare(),
    "throw_statement": throw,
    "catch_clause": catches(lambda _: []),
    "return_statement": returns,
    "if_statement": branch(),
    "while_statement": branch("while", body="body"),
    "for_statement": branch("while", body="body"),
    "switch_case": case(parts("value"), parts("body"), _SWITCH, falls=True),
    "switch_default": case(lambda _: [], parts("body"), _SWITCH, falls=True),
    "decorator": decorator(decorator_name, decorator_arguments),
    "import_statement": _script_import,
    "export_statement": _script_import,
}
_SCRIPT_DEFINITIONS: dict[str, Defines] = {
    "function_declaration": defines("function"),
    "generator_function_declaration": defines("function"),
    "class_declaration": defines("class"),
    "method_definition": defines("function"),
    "variable_declarator": _script_defines("name", "value"),
    "assignment_expression": _script_defines("left", "right"),
    "field_definition": _script_defines("property", "value"),
    "pair": _script_defines("key", "value"),
    "function_expression": _own_name,
    "generator_function": _own_name,
    "class": _own_name,
}
_SCRIPT_WRAPPERS = frozenset(
    {"export_statement", "lexical_declaration", "variable_declaration", "expression_statement"}
)
_ENV = """
((member_expression object: (member_expression) @of) @node (#any-of? @of "process.env" "import.meta.env" "Deno.env"))
((subscript_expression object: (member_expression) @of) @node (#any-of? @of "process.env" "import.meta.env"))
"""

JAVASCRIPT = Table(
    "tree_sitter_javascript",
    rules=_SCRIPT_RULES,
    definitions=_SCRIPT_DEFINITIONS,
    comments=("comment", "hash_bang_line"),
    wrappers=_SCRIPT_WRAPPERS,
    decorators=frozenset({"decorator"}),
    anonymous=_FUNCTIONS,
    more=_ENV,
    picked={"member_expression": _script_env, "subscript_expression": _script_env},
)


def _typed_parameter(reader: Reader, node: Node) -> None:
    pattern, default = node.child_by_field_name("pattern"), node.child_by_field_name("value")
    if pattern is not None and pattern.type == "object_pattern":
        _script_parameter(reader, pattern)
    elif pattern is not None and pattern.type != "this":
        parameter(reader, node, reader.text(pattern).lstrip("."), default)


def _alias(reader: Reader, node: Node) -> None:
    name, said = node.child_by_field_name("name"), node.child_by_field_name("value")
    reader.add_beside("value", node, reader.text(name), reader.text(said))


TYPESCRIPT = Table(
    "tree_sitter_typescript",
    rules={
        **{name: rule for name, rule in _SCRIPT_RULES.items() if name not in ("formal_parameters", "field_definition")},
        "required_parameter": _typed_parameter,
        "optional_parameter": _typed_parameter,
        "public_field_definition": value("name", "value"),
        "enum_assignment": value("name", "value"),
        "type_alias_declaration": _alias,
    },
    definitions={
        **_SCRIPT_DEFINITIONS,
        "public_field_definition": _script_defines("name", "value"),
        "abstract_class_declaration": defines("class"),
        "interface_declaration": defines("interface"),
        "enum_declaration": defines("enum"),
        "type_alias_declaration": defines("type"),
        "internal_module": defines("namespace"),
        "module": defines("namespace"),
        "function_signature": defines("function"),
        "method_signature": defines("function"),
        "abstract_method_signature": defines("function"),
    },
    comments=("comment", "hash_bang_line"),
    wrappers=_SCRIPT_WRAPPERS | {"ambient_declaration"},
    decorators=frozenset({"decorator"}),
    anonymous=_FUNCTIONS,
    more=_ENV,
    picked=JAVASCRIPT.picked,
    entry="language_typescript",
)
TSX = replace(TYPESCRIPT, entry="language_tsx")
