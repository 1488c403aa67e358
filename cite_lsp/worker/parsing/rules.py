"""How nodes of a kind become facts: makers of rules, each told by a language what its grammar calls the parts."""

import re
from collections.abc import Callable, Iterator, Sequence

from tree_sitter import Node

from cite_lsp.worker.parsing.grammar import Defined, Defines, Rule
from cite_lsp.worker.parsing.reader import Reader, Rows
from cite_lsp.worker.parsing.words import rows_of, unquoted, without_arguments, without_brackets

COMPARES = frozenset({"<", ">", "<=", ">=", "==", "!=", "===", "!==", "=~", "!~", "<=>", "instanceof", "in", "is"})
_CHAINED = ("assignment", "assignment_expression")
_MANY = ("pattern_list", "expression_list", "left_assignment_list", "right_assignment_list", "tuple_pattern")
_FALLBACKS = ("||", "??", "or", "?:")
_TEXTS = frozenset(
    "string string_literal interpreted_string_literal raw_string_literal template_string concatenated_string"
    " verbatim_string_literal interpolated_string_expression raw_string char_literal string_array".split()
)
_PASSED_THROUGH = frozenset("else_clause else then do do_group ensure begin_block".split())
_BLOCKS = frozenset(
    "block statement_block compound_statement body_statement block_body statement_list declaration_list"
    " constructor_body switch_body".split()
)
_MOST_CHAINED = 10
_MOST_TEXTS = 200
_MOST_UP = 4
_MOST_CASES = 20
_MOST_LINKS = 40
_COMMENT_MARKS = ("//", "/*", "#")

Parts = Callable[[Node], Sequence[Node]]
Part = Callable[[Node], Node | None]


def part(name: str) -> Part:
    """Give what takes the part of a node that the grammar calls `name`."""
    return lambda node: node.child_by_field_name(name)


def parts(name: str) -> Parts:
    """Give what takes all parts of a node that the grammar calls `name`."""
    return lambda node: node.children_by_field_name(name)


def last_part(node: Node) -> Node | None:
    """Take the last named child."""
    return node.named_child(node.named_child_count - 1) if node.named_child_count else None


def first_part(node: Node) -> Node | None:
    """Take the first named child."""
    return node.named_child(0) if node.named_child_count else None


# --- values ---------------------------------------------------------------------------------------


def value(left: Part | str = "left", right: Part | str = "right", operator: str = "") -> Rule:
    """An assignment or a field with its value; with `operator`, only where that is the plain one."""
    left, right = _taken(left), _taken(right)

    def rule(reader: Reader, node: Node) -> None:
        subject, said = left(node), right(node)
        plain = not operator or _operator(node) == operator
        if plain and subject is not None and said is not None and said != subject:
            _assign(reader, node, subject, said)

    return rule


def _operator(node: Node) -> str:
    found = node.child_by_field_name("operator")
    return found.type if found is not None else next((each.type for each in node.children if not each.is_named), "")


def _taken(what: Part | str) -> Part:
    return part(what) if isinstance(what, str) else what


def _assign(reader: Reader, node: Node, subject: Node, said: Node) -> None:
    for _ in range(_MOST_CHAINED):
        inner = said.child_by_field_name("right") if said.type in _CHAINED else None
        if inner is None:
            break
        said = inner
    subjects = subject.named_children if subject.type in _MANY else [subject]
    values = said.named_children if said.type in _MANY else [said]
    if len(subjects) != len(values):
        reader.add("value", node, reader.text(subject), reader.text(said))
        return
    for one, its in zip(subjects, values, strict=True):
        reader.add("value", node, subject_name(reader, one), reader.text(its))


def subject_name(reader: Reader, node: Node) -> str:
    """Give what a value is said of: a key without its quotes or its colon."""
    return unquoted(reader.text(node)).removeprefix(":")


def named(name: str = "name", values: str = "value") -> Rule:
    """A declaration of several names with several values, as `var a, b = 1, 2`."""

    def rule(reader: Reader, node: Node) -> None:
        subjects = node.children_by_field_name(name)
        said = [each for each in node.children_by_field_name(values) if each.is_named]
        if len(said) == 1 and said[0].type in _MANY:
            said = said[0].named_children
        subjects = [each for each in subjects if each.is_named]
        if len(subjects) == len(said):
            for one, its in zip(subjects, said, strict=True):
                reader.add("value", node, reader.text(one), reader.text(its))
        elif said:
            names = ", ".join(map(reader.text, subjects))
            reader.add("value", node, names, reader.between(said[0].start_byte, said[-1].end_byte))

    return rule


# --- parameters -----------------------------------------------------------------------------------


def parameter(reader: Reader, node: Node, name: str, default: Node | None = None) -> None:
    """Add a parameter, and its default as a value as well."""
    said = reader.text(default)
    reader.add_inner("parameter", node, name, said)
    if default is not None:
        reader.add_inner("value", node, name, said)


def a_parameter(name: Part | str = "name", default: Part | str = "value") -> Rule:
    """A node that is one parameter."""
    name, default = _taken(name), _taken(default)

    def rule(reader: Reader, node: Node) -> None:
        subject = name(node)
        if subject is not None:
            said = default(node)
            parameter(reader, node, reader.text(subject), said if said is not None and said != subject else None)

    return rule


# --- calls ----------------------------------------------------------------------------------------


def call(callee: Part | str = "function", arguments: str = "arguments") -> Rule:
    """A call: the callee as written, and what is passed."""
    callee = _taken(callee)

    def rule(reader: Reader, node: Node) -> None:
        called = callee(node)
        if called is not None:
            add_call(reader, node, callee_text(reader, called), node.child_by_field_name(arguments))

    return rule


def callee_text(reader: Reader, called: Node | None) -> str:
    """Give the source of a callee, of a chain without the comments between its links."""
    text, link = reader.text(called), called
    if called is None or not any(mark in text for mark in _COMMENT_MARKS):
        return text
    found: list[Node] = []
    for _ in range(_MOST_LINKS):
        found += [each for each in link.children if "comment" in each.type] if link is not None else []
        link = link.child(0) if link is not None and link.child_count else None
    found.sort(key=lambda each: each.start_byte)
    starts = [called.start_byte, *(each.end_byte for each in found)]
    ends = [*(each.start_byte for each in found), called.end_byte]
    return "".join(map(reader.between, starts, ends)) if found else text


def add_call(reader: Reader, node: Node, name: str, arguments: Node | None) -> None:
    """Add a call by its callee's text; one of a function that is written there has no name."""
    name = without_arguments(name).removeprefix("await ")
    if re.search(r"\w", name) and not re.match(r"[(\[]*(?:async\b|function\b|func\b|\()", name):
        reader.add("call", node, name, passed(reader, arguments))


def constructed(reader: Reader, node: Node) -> None:
    """Add a `new` as the call of its type."""
    add_call(reader, node, reader.text(node.child_by_field_name("type")), node.child_by_field_name("arguments"))


def passed(reader: Reader, arguments: Node | None) -> str:
    """Give the source of arguments without the brackets around them."""
    if arguments is None:
        return ""
    start, end = arguments.start_byte, arguments.end_byte
    if arguments.child_count and arguments.child(0).type == "(":
        start += 1
        end -= arguments.child(arguments.child_count - 1).type == ")"
    return reader.between(start, end)


def arguments_of(arguments: Node | None) -> list[Node]:
    """Give the arguments, without comments."""
    return [each for each in arguments.named_children if "comment" not in each.type] if arguments is not None else []


# --- raising and returning --------------------------------------------------------------------------


def raises(reader: Reader, node: Node, raised: Node | None, *, types: tuple[str, ...] = ()) -> None:
    """Add what is raised: the type of an expression that makes it, and its message."""
    if raised is None:
        reader.add("raise", node)
        return
    callee = next(
        (
            found
            for name in ("constructor", "function", "type", *types)
            if (found := raised.child_by_field_name(name)) is not None
        ),
        None,
    )
    arguments = raised.child_by_field_name("arguments")
    if callee is None or (arguments is None and raised.named_child_count < 1):
        reader.add("raise", node, reader.text(raised))
        return
    reader.add("raise", node, without_arguments(reader.text(callee)), message(reader, arguments))


def message(reader: Reader, arguments: Node | None) -> str:
    """Give the first text among arguments without its quotes; where there is none, all of them."""
    if arguments is None:
        return ""
    waiting = [arguments]
    for _ in range(_MOST_TEXTS):
        if not waiting:
            break
        node = waiting.pop()
        if node.type == "concatenated_string":
            return "".join(unquoted(reader.text(each)) for each in node.named_children)
        if node.type in _TEXTS:
            return unquoted(reader.text(node))
        waiting.extend(reversed(node.named_children))
    return passed(reader, arguments)


def throw(reader: Reader, node: Node) -> None:
    """A statement that raises what its expression makes."""
    raises(reader, node, first_part(node))


def catches(types: Callable[[Node], Sequence[Node]]) -> Rule:
    """A clause that catches: one fact a type, one without a name where it takes all."""

    def rule(reader: Reader, node: Node) -> None:
        for name in map(reader.text, types(node) or (None,)):
            reader.add("catch", node, name)

    return rule


def returns(reader: Reader, node: Node) -> None:
    """A statement that returns; its value is empty where it returns nothing."""
    first, last = first_part(node), last_part(node)
    reader.add_inner("return", node, "", reader.between(first.start_byte, last.end_byte) if first and last else "")


# --- comparisons ------------------------------------------------------------------------------------


def compare(left: str = "left", right: str = "right", operator: str = "operator") -> Rule:
    """An expression of two sides, where its operator compares."""

    def rule(reader: Reader, node: Node) -> None:
        sign = node.child_by_field_name(operator)
        if sign is not None and (sign.type in COMPARES or sign.type == "test_operator"):
            one, other = node.child_by_field_name(left), node.child_by_field_name(right)
            reader.add("compare", node, reader.text(one), reader.text(other), sign=reader.text(sign))

    return rule


def compare_by(sign: str, left: Part | str = "left", right: Part | str = "right") -> Rule:
    """An expression that always compares, by `sign`."""
    left, right = _taken(left), _taken(right)

    def rule(reader: Reader, node: Node) -> None:
        reader.add("compare", node, reader.text(left(node)), reader.text(right(node)), sign=sign)

    return rule


# --- guards -----------------------------------------------------------------------------------------


def within(node: Node) -> Rows:
    """Give the rows of what a branch holds, without the brackets or words around it."""
    for _ in range(_MOST_UP):
        if node.type not in _BLOCKS and node.type not in _PASSED_THROUGH:
            break
        first, last = first_part(node), last_part(node)
        if first is None or last is None:
            break
        if first != last or (first.type not in _BLOCKS and node.type != "else_clause"):
            return first.start_point[0], rows_of(last)[1]
        node = first
    return rows_of(node)


def guard(reader: Reader, sign: str, condition: Node | str, rows: Rows, near: Rows, name: str = "") -> None:
    """Add what guards some rows; it is told of the rows of its condition, too."""
    text = condition if isinstance(condition, str) else reader.text(condition)
    reader.add("guard", rows, name, without_brackets(text), sign=sign, near=near)


def branch(
    sign: str = "if",
    otherwise: str = "else",
    *,
    condition: Part | str = "condition",
    body: str = "consequence",
    alternative: str = "alternative",
) -> Rule:
    """A condition with a branch, and maybe another for where it does not hold."""
    condition = _taken(condition)

    def rule(reader: Reader, node: Node) -> None:
        tested, taken = condition(node), node.child_by_field_name(body)
        if tested is None or taken is None:
            return
        near = rows_of(tested)
        guard(reader, sign, tested, within(taken), near)
        other = node.child_by_field_name(alternative)
        if other is not None:
            guard(reader, otherwise, tested, within(other), near)

    return rule


def chain(condition: Part, bodies: Parts, alternatives: Parts) -> Rule:
    """A condition with its branch and all its alternatives in one node; those that have conditions are alike."""

    def rule(reader: Reader, node: Node) -> None:
        others = alternatives(node)
        for place, each in enumerate((node, *others)):
            tested = condition(each) if each == node or "else" not in each.type else None
            if tested is None:
                break
            near, held, following = rows_of(tested), bodies(each), others[place:]
            if held:
                guard(reader, "if", tested, (within(held[0])[0], within(held[-1])[1]), near)
            if following:
                guard(reader, "else", tested, (within(following[0])[0], within(following[-1])[1]), near)

    return rule


def case(patterns: Parts, bodies: Parts, switches: dict[str, str], *, falls: bool = False) -> Rule:
    """One case of a choice: `name` of the guard is what is chosen by, `value` the patterns.

    `switches`: the nodes around a case, and what their grammar calls what is chosen by; empty for the first child.
    `falls`: an empty case does what the next one does.
    """

    def rule(reader: Reader, node: Node) -> None:
        held = bodies(node)
        if falls and not held:
            held = next((found for each in _cases_beside(node, "next") if (found := bodies(each))), held)
        rows = (within(held[0])[0], within(held[-1])[1]) if held else rows_of(node)
        _add_case(reader, node, patterns, rows, _subject(reader, node, switches))
        for each in _cases_beside(node, "prev") if falls else ():
            if bodies(each):
                break
            _add_case(reader, each, patterns, rows, _subject(reader, node, switches))

    return rule


def _add_case(reader: Reader, node: Node, patterns: Parts, rows: Rows, subject: str) -> None:
    chosen = patterns(node)
    pattern = ", ".join(map(reader.text, chosen)) if chosen else _first_word(reader, node)
    near = node.start_point[0], rows_of(chosen[-1])[1] if chosen else node.start_point[0]
    guard(reader, "case", pattern, rows, near, subject)


def _cases_beside(node: Node, side: str) -> Iterator[Node]:
    """Give the cases below or above one, nearest first."""
    for _ in range(_MOST_CASES):
        beside = node.next_named_sibling if side == "next" else node.prev_named_sibling
        if beside is None:
            return
        node = beside
        if "comment" not in node.type:
            yield node


def _first_word(reader: Reader, node: Node) -> str:
    return reader.text(node.child(0)) if node.child_count else ""


def _subject(reader: Reader, node: Node, switches: dict[str, str]) -> str:
    parent = node.parent
    for _ in range(_MOST_UP):
        if parent is None or parent.type in switches:
            break
        parent = parent.parent
    if parent is None or parent.type not in switches:
        return ""
    name = switches[parent.type]
    subject = parent.child_by_field_name(name) if name else first_part(parent)
    return without_brackets(reader.text(subject))


# --- the environment --------------------------------------------------------------------------------


def environment(reader: Reader, node: Node, variable: Node | None, default: Node | str | None = None) -> None:
    """Add a variable of the environment that is read; a default may also stand behind the expression."""
    if variable is None:
        return
    said = default if isinstance(default, str) else reader.text(default)
    reader.add("env", node, subject_name(reader, variable), said or fallback(reader, node))


def fallback(reader: Reader, node: Node) -> str:
    """Give what an expression is followed by where it gives nothing: `x || 3`."""
    parent = node.parent
    if parent is None:
        return ""
    sign = parent.child_by_field_name("operator")
    left = parent.child_by_field_name("left")
    if sign is None or sign.type not in _FALLBACKS or left != node:
        return ""
    return reader.text(parent.child_by_field_name("right"))


def environment_call(callees: re.Pattern[str], reader: Reader, node: Node, name: str, arguments: Node | None) -> bool:
    """Add the variable that a call reads, where its callee is one that reads; say whether it is."""
    given = arguments_of(arguments)
    if not given or not callees.fullmatch(name):
        return False
    environment(reader, node, given[0], given[1] if len(given) > 1 else None)
    return True


def decorator(name: Part, arguments: Part) -> Rule:
    """What is written above a definition about it."""

    def rule(reader: Reader, node: Node) -> None:
        called = name(node)
        if called is not None:
            reader.add_decorator(node, reader.text(called), passed(reader, arguments(node)))

    return rule


def imports(module: Part, names: Part | None = None) -> Rule:
    """One module that is imported, and what of it."""

    def rule(reader: Reader, node: Node) -> None:
        source = module(node)
        taken = names(node) if names is not None else None
        if source is not None:
            reader.add("import", node, unquoted(reader.text(source)).strip("<>"), reader.text(taken))

    return rule


def children_of_type(node: Node, *kinds: str) -> Iterator[Node]:
    """Give the named children of some kinds."""
    return (each for each in node.named_children if each.type in kinds)


def _decorating_call(node: Node) -> Node | None:
    """Give the call that a decorator is, if it is one."""
    made = first_part(node)
    return made if made is not None and made.type in ("call", "call_expression") else None


def decorator_name(node: Node) -> Node | None:
    """Take the name of a decorator that may be a call."""
    made = _decorating_call(node)
    return made.child_by_field_name("function") if made is not None else first_part(node)


def decorator_arguments(node: Node) -> Node | None:
    """Take the arguments of a decorator that is a call."""
    made = _decorating_call(node)
    return made.child_by_field_name("arguments") if made is not None else None


def defines(keyword: str, name: str = "name") -> Defines:
    """A node that defines what it calls by `name`."""

    def defined(reader: Reader, node: Node) -> Defined | None:
        called = reader.text(node.child_by_field_name(name))
        return Defined(called, keyword) if called else None

    return defined
