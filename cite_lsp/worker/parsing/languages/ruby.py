"""The table of Ruby."""

from tree_sitter import Node

from cite_lsp.worker.parsing.grammar import Rule, Table
from cite_lsp.worker.parsing.reader import Reader
from cite_lsp.worker.parsing.rules import (
    add_call,
    arguments_of,
    branch,
    case,
    catches,
    compare,
    defines,
    environment,
    first_part,
    guard,
    last_part,
    message,
    parameter,
    parts,
    returns,
    value,
    within,
)
from cite_lsp.worker.parsing.words import rows_of, unquoted

_NO_RESULT = frozenset(
    "if unless while until case begin for return comment assignment operator_assignment rescue ensure"
    " if_modifier unless_modifier while_modifier until_modifier yield heredoc_body method class module call".split()
)


def _call(reader: Reader, node: Node) -> None:
    receiver, method = node.child_by_field_name("receiver"), reader.text(node.child_by_field_name("method"))
    arguments = node.child_by_field_name("arguments")
    given = arguments_of(arguments)
    if receiver is None and method in ("raise", "fail"):
        _raise(reader, node, given)
        return
    if receiver is None and method in ("require", "require_relative", "load") and len(given) == 1:
        reader.add("import", node, unquoted(reader.text(given[0])))
        return
    if reader.text(receiver) == "ENV" and method in ("fetch", "dig") and given:
        block = node.child_by_field_name("block")
        default = given[1] if len(given) > 1 else last_part(block) if block is not None else None
        environment(reader, node, given[0], default)
    name = f"{reader.text(receiver)}.{method}" if receiver is not None else method
    add_call(reader, node, name, arguments)


def _raise(reader: Reader, node: Node, given: list[Node]) -> None:
    if not given:
        reader.add("raise", node)
        return
    raised = given[0]
    if raised.type == "call" and reader.text(raised.child_by_field_name("method")) == "new":
        name = reader.text(raised.child_by_field_name("receiver"))
        reader.add("raise", node, name, message(reader, raised.child_by_field_name("arguments")))
    elif raised.type == "string":
        reader.add("raise", node, "RuntimeError", unquoted(reader.text(raised)))
    else:
        reader.add("raise", node, reader.text(raised), message(reader, given[1]) if len(given) > 1 else "")


def _parameters(reader: Reader, node: Node) -> None:
    for each in node.named_children:
        named = each.child_by_field_name("name")
        if each.type == "identifier" or named is not None:
            default = each.child_by_field_name("value") if named is not None else None
            parameter(reader, each, reader.text(named if named is not None else each), default)


def _environment(reader: Reader, node: Node) -> None:
    if reader.text(node.child_by_field_name("object")) == "ENV":
        environment(reader, node, last_part(node))


def _caught(node: Node) -> list[Node]:
    exceptions = node.child_by_field_name("exceptions")
    return exceptions.named_children if exceptions is not None else []


def _result(reader: Reader, node: Node) -> None:
    """The last expression of a method is what it returns, where that is plain to see."""
    body = node.child_by_field_name("body")
    last = last_part(body) if body is not None and body.type == "body_statement" else body
    if last is not None and last.type not in _NO_RESULT:
        reader.add_inner("return", last, "", reader.text(last))


def _modifier(sign: str) -> Rule:
    def rule(reader: Reader, node: Node) -> None:
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        if condition is not None and body is not None:
            guard(reader, sign, condition, within(body), rows_of(condition))

    return rule


def _returns(reader: Reader, node: Node) -> None:
    first = first_part(node)
    if first is not None and first.type == "argument_list":
        reader.add_inner("return", node, "", reader.text(first))
    else:
        returns(reader, node)


def _else(reader: Reader, node: Node) -> None:
    if node.parent is not None and node.parent.type in _CASES:
        _case_else(reader, node)


_CASES = {"case": "value", "case_match": "value"}

_case_else = case(lambda _: [], lambda node: node.named_children, _CASES)

RUBY = Table(
    "tree_sitter_ruby",
    rules={
        "assignment": value(),
        "pair": value("key", "value"),
        "call": _call,
        "method_parameters": _parameters,
        "lambda_parameters": _parameters,
        "element_reference": _environment,
        "binary": compare(),
        "rescue": catches(_caught),
        "return": _returns,
        "method": _result,
        "singleton_method": _result,
        "if": branch(),
        "elsif": branch(),
        "unless": branch("unless", "if"),
        "while": branch("while", body="body"),
        "until": branch("unless", body="body"),
        "if_modifier": _modifier("if"),
        "unless_modifier": _modifier("unless"),
        "while_modifier": _modifier("while"),
        "until_modifier": _modifier("unless"),
        "when": case(parts("pattern"), parts("body"), _CASES),
        "else": _else,
        "in_clause": case(parts("pattern"), parts("body"), _CASES),
    },
    definitions={
        "method": defines("function"),
        "singleton_method": defines("function"),
        "class": defines("class"),
        "module": defines("module"),
    },
    anonymous=frozenset({"lambda"}),
)
