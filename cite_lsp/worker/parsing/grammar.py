"""What is known of a language's grammar, and the grammars that are loaded."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from tree_sitter import Language, Node, Query

if TYPE_CHECKING:
    from cite_lsp.worker.parsing.reader import Reader


@dataclass(frozen=True, slots=True)
class Defined:
    """What a node defines.

    Attributes:
        name: Its name, never empty.
        keyword: function, class, struct, …
        owner: What it belongs to by its own words, beside what it stands in: `Session` of `func (s *Session) Mount`.
        function: The node whose parameters and body are its own: itself where None.
    """

    name: str
    keyword: str
    owner: str = ""
    function: Node | None = None


Rule = Callable[["Reader", Node], None]
Defines = Callable[["Reader", Node], Defined | None]


@dataclass(frozen=True, slots=True)
class Table:
    """The names that a language's grammar gives to what matters here.

    Attributes:
        package: The package of the grammar; `entry` the function in it.
        rules: What is read from nodes of a name.
        definitions: What nodes of a name define; None where one does not.
        comments: Names of comments.
        wrappers: Names of what stands around a definition and belongs to it.
        decorators: Names of what stands above a definition, as its sibling, and belongs to it.
        anonymous: Names of functions without a name: parameters and returned values are theirs.
        docstring: A pattern of queries that finds docstrings, as `@docstring`.
        more: Patterns for what the names alone do not tell; each captures `@node`, and `picked` are its rules.
    """

    package: str
    rules: Mapping[str, Rule]
    definitions: Mapping[str, Defines]
    comments: tuple[str, ...] = ("comment",)
    wrappers: frozenset[str] = frozenset()
    decorators: frozenset[str] = frozenset()
    anonymous: frozenset[str] = frozenset()
    docstring: str = ""
    more: str = ""
    picked: Mapping[str, Rule] = field(default_factory=dict)
    entry: str = "language"


@dataclass(frozen=True, slots=True)
class Grammar:
    """A loaded grammar.

    Attributes:
        table: Its names.
        language: The parser's own object.
        query: Finds every node that a rule or a definition is for, as `@node`.
        survey: Finds comments, docstrings and what is wrong, as `@comment`, `@docstring` and `@wrong`.
    """

    table: Table
    language: Language
    query: Query
    survey: Query = field(repr=False)


_TABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "python": ("python", ("PYTHON",)),
    "javascript": ("javascript", ("JAVASCRIPT",)),
    "typescript": ("javascript", ("TYPESCRIPT", "TSX")),
    "ruby": ("ruby", ("RUBY",)),
    "shell": ("bash", ("BASH",)),
    "rust": ("rust", ("RUST",)),
    "go": ("go", ("GO",)),
    "java": ("java", ("JAVA",)),
    "c": ("c", ("C", "CPP")),
    "cpp": ("c", ("CPP",)),
    "csharp": ("csharp", ("CSHARP",)),
}
"""The modules and tables of each language; a header may be of C or of C++, a script with or without markup."""

LANGUAGES = frozenset(_TABLES)
"""The names of `snapshot/languages.py` that have a grammar."""


def grammars_of(language: str) -> Iterator[Grammar]:
    """Give the grammars that a text of the language may be of, each loaded when it is reached."""
    module, names = _TABLES.get(language, ("", ()))
    for name in names:
        yield _loaded(module, name)


@cache
def _loaded(module: str, name: str) -> Grammar:
    table: Table = getattr(import_module(f"cite_lsp.worker.parsing.languages.{module}"), name)
    language = Language(getattr(import_module(table.package), table.entry)())
    return Grammar(table, language, Query(language, _query(table, language)), Query(language, _survey(table, language)))


_DEFINITIONS: dict[tuple[str, str], Query] = {}


def definitions_query(grammar: Grammar) -> Query:
    """Give the query for what may define something, as `@node`; made when an outline is first asked for."""
    table = grammar.table
    key = table.package, table.entry
    if key not in _DEFINITIONS:
        names = _alternatives(tuple(table.definitions), grammar.language)
        _DEFINITIONS[key] = Query(grammar.language, f"[{names}] @node")
    return _DEFINITIONS[key]


def _query(table: Table, language: Language) -> str:
    names = dict.fromkeys((*table.rules, *table.definitions, *table.anonymous))
    return f"[{_alternatives(tuple(names), language)}] @node\n{table.more}"


def _survey(table: Table, language: Language) -> str:
    return f"[{_alternatives(table.comments, language)}] @comment\n(ERROR) @wrong\n{table.docstring}"


def _alternatives(names: tuple[str, ...], language: Language) -> str:
    """Give the pattern of those nodes that this release of the grammar knows."""
    return " ".join(f"({name})" for name in names if language.id_for_node_kind(name, True) is not None)
