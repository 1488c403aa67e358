"""The table of Rust."""

import re

from tree_sitter import Node

from cite_lsp.worker.parsing.grammar import Defined, Table
from cite_lsp.worker.parsing.reader import Reader
from cite_lsp.worker.parsing.rules import (
    a_parameter,
    add_call,
    arguments_of,
    branch,
    callee_text,
    case,
    children_of_type,
    compare,
    defines,
    environment,
    first_part,
    last_part,
    message,
    parts,
    passed,
    returns,
    value,
)
from cite_lsp.worker.parsing.words import without_arguments

_ENV = re.compile(r"(?:std::)?env::var(?:_os)?")
_ENV_MACROS = ("env", "option_env")
_RAISING = frozenset({"panic", "bail", "unreachable", "todo", "unimplemented", "anyhow", "compile_error"})
_NO_RESULT = frozenset(f"{name}_expression" for name in ("if", "match", "return", "loop", "while", "for", "assignment"))
_OR_ELSE = ("unwrap_or", "unwrap_or_else", "unwrap_or_default", "ok", "map", "and_then", "map_err", "or")


def _impl(reader: Reader, node: Node) -> Defined | None:
    name = reader.text(node.child_by_field_name("type")).partition("<")[0].strip()
    return Defined(name, "impl") if name else None


def _call(reader: Reader, node: Node) -> None:
    called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if called is not None and called.type == "generic_function":
        called = called.child_by_field_name("function")
    name = callee_text(reader, called)
    given = arguments_of(arguments)
    if name == "Err" and len(given) == 1:
        _error(reader, node, given[0])
    if given and _ENV.fullmatch(name):
        environment(reader, node, given[0], _env_default(reader, node))
    add_call(reader, node, name, arguments)


def _error(reader: Reader, node: Node, made: Node) -> None:
    name = made.child_by_field_name("function") or made.child_by_field_name("macro") or made.child_by_field_name("name")
    if name is None:
        reader.add("raise", node, reader.text(made))
        return
    arguments = made.child_by_field_name("arguments") or next(children_of_type(made, "token_tree"), None)
    reader.add("raise", node, without_arguments(reader.text(name)), message(reader, arguments))


def _env_default(reader: Reader, node: Node) -> str:
    """Give what the calls behind a look-up fall back to."""
    for _ in range(4):
        field = node.parent
        outer = field.parent if field is not None and field.type == "field_expression" else None
        if field is None or outer is None or outer.type != "call_expression":
            return ""
        method = reader.text(field.child_by_field_name("field"))
        if method in ("unwrap_or", "unwrap_or_else"):
            return passed(reader, outer.child_by_field_name("arguments"))
        if method not in _OR_ELSE:
            return ""
        node = outer
    return ""


def _macro(reader: Reader, node: Node) -> None:
    name = reader.text(node.child_by_field_name("macro"))
    tokens = next(children_of_type(node, "token_tree"), None)
    if name.rpartition("::")[2] in _RAISING:
        reader.add("raise", node, f"{name}!", message(reader, tokens))
    if name in _ENV_MACROS and tokens is not None and tokens.named_child_count:
        environment(reader, node, first_part(tokens))
    add_call(reader, node, f"{name}!", tokens)


def _result(reader: Reader, node: Node) -> None:
    """The last expression of a function is what it returns, where that is plain to see."""
    body = node.child_by_field_name("body")
    last = last_part(body) if body is not None else None
    if last is not None and last.type.endswith(("expression", "literal", "identifier")) and last.type not in _NO_RESULT:
        reader.add_inner("return", last, "", reader.text(last))


def _closure(reader: Reader, node: Node) -> None:
    parameters = node.child_by_field_name("parameters")
    for each in parameters.named_children if parameters is not None else ():
        if each.type == "identifier":
            reader.add_inner("parameter", each, reader.text(each))


def _attribute(reader: Reader, node: Node) -> None:
    attribute = next(children_of_type(node, "attribute"), None)
    if attribute is not None:
        name = reader.text(first_part(attribute))
        said = attribute.child_by_field_name("value")
        arguments = attribute.child_by_field_name("arguments")
        reader.add_decorator(node, name, reader.text(said) if said is not None else passed(reader, arguments))


def _use(reader: Reader, node: Node) -> None:
    argument = node.child_by_field_name("argument")
    listed = argument.child_by_field_name("list") if argument is not None else None
    if argument is not None and listed is not None:
        reader.add("import", node, reader.text(argument.child_by_field_name("path")), reader.text(listed).strip("{} "))
    else:
        reader.add("import", node, reader.text(argument))


RUST = Table(
    "tree_sitter_rust",
    rules={
        "let_declaration": value("pattern", "value"),
        "const_item": value("name", "value"),
        "static_item": value("name", "value"),
        "assignment_expression": value(),
        "field_initializer": value("field", "value"),
        "enum_variant": value("name", "value"),
        "parameter": a_parameter("pattern", "default"),
        "closure_expression": _closure,
        "call_expression": _call,
        "macro_invocation": _macro,
        "return_expression": returns,
        "function_item": _result,
        "binary_expression": compare(),
        "if_expression": branch(),
        "while_expression": branch("while", body="body"),
        "match_arm": case(parts("pattern"), parts("value"), {"match_expression": "value"}),
        "attribute_item": _attribute,
        "use_declaration": _use,
    },
    definitions={
        "function_item": defines("function"),
        "function_signature_item": defines("function"),
        "struct_item": defines("struct"),
        "enum_item": defines("enum"),
        "union_item": defines("union"),
        "trait_item": defines("trait"),
        "impl_item": _impl,
        "mod_item": defines("module"),
        "macro_definition": defines("macro"),
        "type_item": defines("type"),
    },
    comments=("line_comment", "block_comment"),
    decorators=frozenset({"attribute_item"}),
    anonymous=frozenset({"closure_expression", "async_block"}),
)
