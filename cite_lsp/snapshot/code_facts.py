"""What a parser says of some lines of code: plain data, made by the worker's parser and read by whoever is handed it.

Nobody here loads a parser. Where there is none, or it gives up on a file, the text rules hold.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

FactKind = Literal[
    "value",
    "parameter",
    "call",
    "raise",
    "catch",
    "return",
    "compare",
    "guard",
    "decorator",
    "definition",
    "async",
    "import",
    "env",
]

VALUE_CHARS = 200
"""Code points of a fact's value at most; what is longer is cut."""


@dataclass(frozen=True, slots=True)
class CodeFact:
    """One thing that code says.

    Attributes:
        kind: value: an assignment (not `+=`), a constant, a field, key or keyword argument with its value, a
            parameter's default; `name` the subject as written, a quoted key without its quotes. parameter: `value` its
            default or empty. call: `name` the callee as written, in its brackets nothing, `value` the arguments.
            raise: `name` the type, `value` its message without quotes. catch: `name` the type, empty where all are
            caught. return: `value` the source. compare: `name` the left side, `sign` the operator, `value` the right
            side. guard: `value` the condition without brackets around it, `first` to `last` the lines it guards; of a
            case the pattern, and `name` what is chosen by. decorator: `name` without its arguments, `value` these.
            definition: `value` its keyword (function for a method, too), `first` to `last` the whole of it with
            decorators and the comment above. async: that definition again. import: `name` the module, `value` what is
            taken from it or what it is called by. env: `name` the variable, `value` its default.
        first: The first line, 1-based.
        last: The last line, 1-based, inclusive.
        name: See `kind`.
        value: Source text, over several lines as one, at most `VALUE_CHARS` code points.
        owner: The names of the enclosing definitions, joined by dots; empty at the top of the file. A decorator belongs
            to what it stands on; parameters and results of a function without a name to `<function>` in its owner.
        sign: The operator of a compare; of a guard if, else, while, case or unless, else with the condition that does
            not hold there; empty otherwise.
    """

    kind: FactKind
    first: int
    last: int
    name: str = ""
    value: str = ""
    owner: str = ""
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a line that is comment, or docstring.

    Attributes:
        line: The line, 1-based.
        start: Where it begins, in code points of the line.
        end: Where it ends, exclusive.
        docstring: Whether it belongs to a docstring, or is a comment of documentation by its form (`///`, `/**`).
    """

    line: int
    start: int
    end: int
    docstring: bool = False


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """What a parser says of some lines.

    Attributes:
        facts: By first line; definitions and guards that only enclose the lines are among them.
        comments: By line and column.
        unit: The logical unit that the first of the lines asked for is a part of: its kind, one of those of `Excerpt`,
            first and last line. None where text rules know as well. A paragraph is that line alone: a statement in one
            line, whatever it looks like.
    """

    facts: tuple[CodeFact, ...] = ()
    comments: tuple[Span, ...] = ()
    unit: tuple[str, int, int] | None = None


FactsOf = Callable[[str, Sequence[str], int, int], CodeFacts | None]
"""From a language's name (`snapshot/languages.py`), all lines of a file, and first and last line asked for, 1-based,
to what touches or encloses them. None: the file was not parsed, and the text rules hold."""

UnitOf = Callable[[str, Sequence[str], int], tuple[str, int, int] | None]
"""From a language's name, all lines of a file and one of them, 1-based, to a unit's kind, first and last line."""


def unit_of(lines: Sequence[str], line: int, facts: CodeFacts | None) -> tuple[str, int, int] | None:
    """Give the unit of a line, by facts that were asked for from that line on; None where the text rules hold."""
    unit = None if facts is None else facts.unit
    return unit if unit is not None and 1 <= unit[1] <= line <= unit[2] <= len(lines) else None


def units_by(facts_of: FactsOf) -> UnitOf:
    """Give what `unit_excerpt` and `Snapshot.excerpts` take as `units`."""

    def unit(language: str, lines: Sequence[str], line: int) -> tuple[str, int, int] | None:
        return unit_of(lines, line, facts_of(language, lines, line, line))

    return unit
