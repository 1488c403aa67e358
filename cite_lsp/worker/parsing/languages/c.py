"""The tables of C and C++."""

import re
from dataclasses import replace

from tree_sitter import Node

from cite_lsp.worker.parsing.grammar import Defined, Defines, Table
from cite_lsp.worker.parsing.reader import Reader
from cite_lsp.worker.parsing.rules import (
    add_call,
    branch,
    callee_text,
    case,
    catches,
    compare,
    constructed,
    defines,
    environment_call,
    first_part,
    guard,
    last_part,
    parameter,
    parts,
    returns,
    throw,
    value,
)
from cite_lsp.worker.parsing.words import rows_of

_ENV = re.compile(r"(?:std::)?(?:secure_)?getenv")
_NAMES = frozenset(
    "identifier field_identifier type_identifier qualified_identifier destructor_name operator_name"
    " namespace_identifier primitive_type template_function structured_binding_declarator".split()
)
_MOST_DOWN = 8


def _declared(node: Node | None) -> Node | None:
    """Give the name that a declarator declares: p of `*p[3]`."""
    for _ in range(_MOST_DOWN):
        if node is None or node.type in _NAMES:
            return node
        node = node.child_by_field_name("declarator") or last_part(node)
    return None


def _function_of(node: Node | None) -> Node | None:
    """Give the declarator that has parameters, below pointers and references."""
    for _ in range(_MOST_DOWN):
        if node is None or node.type == "function_declarator":
            return node
        if node.type not in ("pointer_declarator", "reference_declarator", "parenthesized_declarator"):
            return None
        node = node.child_by_field_name("declarator") or last_part(node)
    return None


def _name_in(node: Node) -> Node | None:
    return _declared(node.child_by_field_name("declarator"))


def _function(reader: Reader, node: Node) -> Defined | None:
    """A function, or its declaration: one whose declarator has parameters."""
    declarator = _function_of(node.child_by_field_name("declarator"))
    inner = declarator.child_by_field_name("declarator") if declarator is not None else None
    if inner is None or inner.type == "parenthesized_declarator":
        return None
    owner, _, name = reader.text(inner).rpartition("::")
    return Defined(name, "function", owner.replace("::", ".")) if name else None


def _aggregate(keyword: str) -> Defines:
    """A struct, union, enum or class that is written out; one without a name has that of its typedef."""

    def defined(reader: Reader, node: Node) -> Defined | None:
        if node.child_by_field_name("body") is None:
            return None
        name = node.child_by_field_name("name")
        if name is None and node.parent is not None and node.parent.type == "type_definition":
            name = _name_in(node.parent)
        text = reader.text(name).replace("::", ".")
        return Defined(text, keyword) if text else None

    return defined


def _typedef(reader: Reader, node: Node) -> Defined | None:
    made = node.child_by_field_name("type")
    if made is not None and made.child_by_field_name("body") is not None:
        return None
    name = reader.text(_name_in(node))
    return Defined(name, "type") if name else None


def _parameters(reader: Reader, node: Node) -> None:
    listed = node.child_by_field_name("parameters")
    for each in listed.named_children if listed is not None else ():
        name = _name_in(each)
        if name is not None:
            parameter(reader, each, reader.text(name), each.child_by_field_name("default_value"))


def _call(reader: Reader, node: Node) -> None:
    name, arguments = callee_text(reader, node.child_by_field_name("function")), node.child_by_field_name("arguments")
    environment_call(_ENV, reader, node, name, arguments)
    add_call(reader, node, name, arguments)


def _designated(node: Node) -> Node | None:
    designator = node.child_by_field_name("designator")
    return first_part(designator) if designator is not None else None


def _body(node: Node) -> list[Node]:
    chosen = node.child_by_field_name("value")
    return [each for each in node.named_children if each != chosen]


def _defines(reader: Reader, node: Node, tested: Node) -> bool:
    return reader.text(node.child_by_field_name("name")) == reader.text(tested)


def _namespace(reader: Reader, node: Node) -> Defined | None:
    name = reader.text(node.child_by_field_name("name")).replace("::", ".")
    return Defined(name, "namespace") if name else None


def _directive(reader: Reader, node: Node) -> None:
    """What is compiled only where a macro is defined, or a condition holds; the fence of a header says nothing."""
    tested = node.child_by_field_name("name") or node.child_by_field_name("condition")
    if tested is None:
        return
    alternative = node.child_by_field_name("alternative")
    held = [each for each in node.named_children if each not in (tested, alternative)]
    absent = node.child_count > 0 and node.child(0).type == "#ifndef"
    if absent and held and held[0].type == "preproc_def" and _defines(reader, held[0], tested):
        return
    if "__cplusplus" in reader.text(tested) and any(each.type == "linkage_specification" for each in held):
        return  # `extern "C" {` between its own two lines: to the grammar all that follows is in it
    condition = f"defined {reader.text(tested)}" if "ifdef" in node.type else reader.text(tested)
    near = rows_of(tested)
    if held:
        rows = held[0].start_point[0], rows_of(held[-1])[1]
        guard(reader, "unless" if absent else "if", condition, rows, near)
    if alternative is not None:
        guard(reader, "if" if absent else "else", condition, rows_of(alternative), near)


def _include(reader: Reader, node: Node) -> None:
    reader.add("import", node, reader.text(node.child_by_field_name("path")).strip('<>"'))


_SWITCHES = {"switch_statement": "condition"}

C = Table(
    "tree_sitter_c",
    rules={
        "init_declarator": value(lambda node: _declared(node.child_by_field_name("declarator")), "value"),
        "assignment_expression": value(operator="="),
        "initializer_pair": value(_designated, "value"),
        "enumerator": value("name", "value"),
        "preproc_def": value("name", "value"),
        "function_declarator": _parameters,
        "call_expression": _call,
        "return_statement": returns,
        "binary_expression": compare(),
        "if_statement": branch(),
        "while_statement": branch("while", body="body"),
        "for_statement": branch("while", body="body"),
        "case_statement": case(parts("value"), _body, _SWITCHES, falls=True),
        "preproc_ifdef": _directive,
        "preproc_elifdef": _directive,
        "preproc_if": _directive,
        "preproc_elif": _directive,
        "preproc_include": _include,
    },
    definitions={
        "function_definition": _function,
        "declaration": _function,
        "struct_specifier": _aggregate("struct"),
        "union_specifier": _aggregate("union"),
        "enum_specifier": _aggregate("enum"),
        "type_definition": _typedef,
        "preproc_function_def": defines("macro"),
    },
    wrappers=frozenset({"type_definition", "declaration"}),
)


def _caught(node: Node) -> list[Node]:
    listed = node.child_by_field_name("parameters")
    declared = first_part(listed) if listed is not None else None
    kind = declared.child_by_field_name("type") if declared is not None else None
    return [kind] if kind is not None else []


def _field(reader: Reader, node: Node) -> None:
    name, default = _name_in(node), node.child_by_field_name("default_value")
    declared = _function_of(node.child_by_field_name("declarator"))
    is_pure = declared is not None and first_part(declared) == name  # not a pointer to one, which has a value
    if name is not None and default is not None and not is_pure:
        reader.add("value", node, reader.text(name), reader.text(default))


def _first_value(node: Node) -> Node | None:
    """Give the condition of `if (init; condition)`, or what else stands there."""
    clause = node.child_by_field_name("condition")
    inner = clause.child_by_field_name("value") if clause is not None else None
    return inner if inner is not None else clause


CPP = replace(
    C,
    package="tree_sitter_cpp",
    rules={
        **C.rules,
        "field_declaration": _field,
        "abstract_function_declarator": _parameters,
        "new_expression": constructed,
        "throw_statement": throw,
        "catch_clause": catches(_caught),
        "co_return_statement": returns,
        "if_statement": branch(condition=_first_value),
        "while_statement": branch("while", condition=_first_value, body="body"),
    },
    definitions={
        **C.definitions,
        "field_declaration": _function,
        "class_specifier": _aggregate("class"),
        "namespace_definition": _namespace,
        "alias_declaration": defines("type"),
        "concept_definition": defines("concept"),
    },
    wrappers=C.wrappers | {"template_declaration", "field_declaration"},
    anonymous=frozenset({"lambda_expression"}),
)
