"""What the parser says of a sample in each language: every fact of it, in `tests/samples/parsing/*.facts`.

A line there is `lines owner kind name sign | value`, the owner `.` at the top of a file; of a comment
`line:start-end comment`, columns in code points.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cite_lsp.snapshot.code_facts import CodeFact, CodeFacts, Span
from cite_lsp.snapshot.languages import language_of
from cite_lsp.worker.parser import LANGUAGES, Parser

SAMPLES = Path(__file__).parents[1] / "samples" / "parsing"
KINDS = {
    "value", "parameter", "call", "raise", "catch", "return", "compare", "guard", "decorator", "definition", "async",
    "import", "env",
}  # fmt: skip
ABSENT = {
    "c": {"raise", "catch", "decorator", "async"},
    "cpp": {"decorator", "async"},
    "go": {"catch", "decorator", "async"},
    "java": {"async"},
    "ruby": {"decorator", "async"},
    "rust": {"catch"},
    "shell": {"parameter", "raise", "catch", "decorator", "async"},
    "javascript": {"decorator"},
}
"""What a language has no word for, or what its grammar does not tell apart."""


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with Parser() as parser:
        yield parser


def samples() -> list[Path]:
    return sorted(path for path in SAMPLES.iterdir() if path.suffix != ".facts")


def written(fact: CodeFact) -> str:
    lines = str(fact.first) if fact.first == fact.last else f"{fact.first}-{fact.last}"
    words = [lines, fact.owner or ".", fact.kind, *filter(None, (fact.name, fact.sign))]
    return " ".join(words) + (f" | {fact.value}" if fact.value else "")


def written_comment(span: Span) -> str:
    return f"{span.line}:{span.start}-{span.end} {'docstring' if span.docstring else 'comment'}"


def everything(facts: CodeFacts) -> list[str]:
    return [*map(written, facts.facts), *map(written_comment, facts.comments)]


def facts_of(parser: Parser, language: str, text: str, first: int = 1, last: int = 0) -> CodeFacts:
    lines = tuple(text.split("\n"))
    found = parser(language, lines, first, last or len(lines))
    assert found is not None
    return found


def said(parser: Parser, language: str, text: str, first: int = 1, last: int = 0) -> list[str]:
    return [written(fact) for fact in facts_of(parser, language, text, first, last).facts]


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.name)
def test_every_fact_of_a_sample(parser: Parser, path: Path) -> None:
    language = language_of(path.name)
    assert language is not None
    found = facts_of(parser, language, path.read_text(encoding="utf-8"))
    expected = path.with_name(f"{path.name}.facts").read_text(encoding="utf-8")
    assert "\n".join(everything(found)) + "\n" == expected
    kinds = {fact.kind for fact in found.facts}
    if path.suffix != ".tsx":
        assert kinds == KINDS - ABSENT.get(language, set())


def test_there_is_a_sample_of_every_language() -> None:
    assert {language_of(path.name) for path in samples()} == LANGUAGES


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.name)
def test_facts_of_a_line_are_those_of_the_file_that_touch_or_enclose_it(parser: Parser, path: Path) -> None:
    """Asked line by line, nothing is said that the whole file does not say, and nothing on the line is left out."""
    language = language_of(path.name) or ""
    lines = tuple(path.read_text(encoding="utf-8").split("\n"))
    whole = parser(language, lines, 1, len(lines))
    assert whole is not None
    for number in range(1, len(lines) + 1):
        found = parser(language, lines, number, number)
        assert found is not None
        assert set(found.facts) <= set(whole.facts), number
        touching = {fact for fact in whole.facts if fact.first <= number <= fact.last}
        assert touching <= set(found.facts), number
        rest = set(found.facts) - touching
        assert {fact.kind for fact in rest} <= {"guard"}, "a guard is told of on its condition's line, too"
        assert found.comments == tuple(span for span in whole.comments if span.line == number)


GUARDED = {
    "python": "if a > 1:\n    one()\nelif b:\n    two()\nelse:\n    three()\nwhile c:\n    four()",
    "javascript": "if (a > 1) {\n one()\n} else if (b) {\n two()\n} else {\n three()\n}\nwhile (c)\n four()",
    "go": (
        "package p\nfunc f() {\nif a > 1 {\n    one()\n} else if b {\n    two()\n} else {\n    three()\n}\n"
        "for c {\n    four()\n}\n}"
    ),
    "rust": ("fn f() {\nif a > 1 {\n one()\n} else if b {\n two()\n} else {\n three()\n}\nwhile c {\n four()\n}\n}"),
    "ruby": "if a > 1\n  one()\nelsif b\n  two()\nelse\n  three()\nend\nwhile c\n  four()\nend",
    "shell": "if [ $a -gt 1 ]; then\n one\nelif b; then\n two\nelse\n three\nfi\nwhile c; do\n four\ndone",
}
GUARDED |= dict.fromkeys(("typescript",), GUARDED["javascript"])
BRACED = "void f() {\nif (a > 1) {\n one();\n} else if (b) {\n two();\n} else {\n three();\n}\nwhile (c)\n four();\n}"
GUARDED |= {"c": BRACED, "cpp": BRACED, "java": f"class A {{ {BRACED} }}", "csharp": f"class A {{ {BRACED} }}"}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_what_guards_a_line_is_known_on_that_line(parser: Parser, language: str) -> None:
    text = GUARDED[language]
    condition = {"shell": "[ $a -gt 1 ]"}.get(language, "a > 1")
    for call, guards in (
        ("one", {("if", condition)}),
        ("two", {("else", condition), ("if", "b")}),
        ("three", {("else", condition), ("else", "b")}),
        ("four", {("while", "c")}),
    ):
        number = next(n for n, line in enumerate(text.split("\n"), 1) if line.strip().startswith(call))
        found = facts_of(parser, language, text, number, number).facts
        assert {(fact.sign, fact.value) for fact in found if fact.kind == "guard"} == guards, call


WRONG = {
    "python": "def whole(a=1):\n    return a\n\nx = = 3\n\ndef after(b=2):\n    return b\n",
    "javascript": "function whole(a = 1) { return a }\nlet x = = 3;\nfunction after(b = 2) { return b }\n",
    "rust": "fn whole() -> u8 { return 1; }\nlet let = 3;\nfn after() -> u8 { return 2; }\n",
    "go": "package p\nfunc whole() int { return 1 }\nfunc ) {\nfunc after() int { return 2 }\n",
    "java": "class A {\n int whole() { return 1; }\n int = = 3;\n int after() { return 2; }\n}\n",
    "c": "int whole(void) { return 1; }\nint = = 3;\nint after(void) { return 2; }\n",
    "csharp": "class A {\n int whole() { return 1; }\n int = = 3;\n int after() { return 2; }\n}\n",
    "ruby": "def whole\n  return 1\nend\nx = = 3\ndef after\n  return 2\nend\n",
    "shell": "whole() {\n  return 1\n}\nfi )\nafter() {\n  return 2\n}\n",
}
WRONG |= {"typescript": WRONG["javascript"], "cpp": WRONG["c"]}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_what_is_wrong_in_one_place_loses_nothing_elsewhere(parser: Parser, language: str) -> None:
    found = facts_of(parser, language, WRONG[language])
    names = [fact.name for fact in found.facts if fact.kind == "definition"]
    assert "whole" in names
    assert "after" in names
    owners = [fact.owner.rpartition(".")[2] for fact in found.facts if fact.kind == "return"]
    assert {"whole", "after"} <= set(owners)


def test_columns_are_code_points_of_the_line(parser: Parser) -> None:
    text = (
        "a = '\U0001f600\u00e9'  # \U0001f600 eye\n\ud800 = 1  # lone\nb = '\0\0'  # nul\n'''\U0001f600\n  inner\n'''"
    )
    found = facts_of(parser, "python", text)
    lines = text.split("\n")
    cut = [(span.line, lines[span.line - 1][span.start : span.end]) for span in found.comments]
    assert cut == [
        (1, "# \U0001f600 eye"), (2, "# lone"), (3, "# nul"), (4, "'''\U0001f600"), (5, "inner"), (6, "'''"),
    ]  # fmt: skip
    assert "1 . value a | '\U0001f600\u00e9'" in [written(fact) for fact in found.facts]


def test_lines_are_the_callers_whatever_ends_them(parser: Parser) -> None:
    """The file's reader has split at CRLF and CR; a line that holds an end nonetheless is still one line."""
    lines = ("a = 1", "b = [", "  2,\x0b\x0c\u2028 3]", "c = 'x\ny'", "d = 4\r", "e = 5")
    found = parser("python", lines, 1, 6)
    assert found is not None
    firsts = {fact.name: fact.first for fact in found.facts if fact.kind == "value"}
    assert firsts == {"a": 1, "b": 2, "c": 4, "d": 5, "e": 6}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_strange_texts_raise_nothing(parser: Parser, language: str) -> None:
    texts = [
        "",
        "\n",
        "\0",
        "\ud800",
        "\ufeffx = 1",
        "x" * 20_000,
        "é" * 1000,
        "\U0001f600\n" * 50,
        "\r\r\r",
        "\t \n \t",
    ]
    for text in texts:
        lines = tuple(text.split("\n"))
        parser(language, lines, 1, 1)
        parser(language, lines, len(lines), len(lines) + 5)
        assert parser(language, lines, 0, 1) is None
        assert parser(language, lines, 2, 1) is None
    assert parser(language, (), 1, 1) is None
    assert parser(language, ("a",), 7, 9) is None
    assert parser.losses == 0


def test_a_list_that_changed_is_another_file(parser: Parser) -> None:
    lines = ["a = 1"]
    first = parser("python", lines, 1, 1)
    lines[0] = "b = 2"
    second = parser("python", lines, 1, 1)
    assert first is not None
    assert second is not None
    assert [fact.name for fact in (*first.facts, *second.facts)] == ["a", "b"]


def test_the_comment_above_belongs_to_the_definition(parser: Parser) -> None:
    text = "# Licence.\n\n# One.\n# Two.\n@cache\ndef f():\n    pass\nx = 1  # no\ndef g():\n    pass"
    assert "3-7 . definition f | function" in said(parser, "python", text, 3, 3)
    assert said(parser, "python", text, 1, 1) == []
    assert "9-10 . definition g | function" in said(parser, "python", text)
    rust = "/// Doc.\n#[inline]\n// More.\n#[cold]\nfn f() {}\n"
    for line in range(1, 6):
        assert "1-5 . definition f | function" in said(parser, "rust", rust, line, line)
    first = "#include <x.h>\n/* Of the whole. */\n\nint f(void) { return 1; }"
    assert said(parser, "c", first, 2, 2) == []


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "x = y = z = 3", {"1 . value x | 3", "1 . value y | 3", "1 . value z | 3"}),
        ("python", "a, b = c", {"1 . value a, b | c"}),
        ("python", "def f(*, k=(1,\n         2)): ...", {"1-2 f value k | (1, 2)"}),
        ("python", "raise A.B('x' 'y')", {"1 . raise A.B | xy"}),
        ("python", "raise KeyError", {"1 . raise KeyError"}),
        ("python", "x = os.environ.get('A')", {"1 . env A"}),
        ("python", "import a.b as c\nfrom . import d\nfrom x import *", {"1 . import a.b | c", "2 . import . | d",
                                                                         "3 . import x | *"}),
        ("javascript", "const { a, b: c = 1 } = require('x')", {"1 . import x | { a, b: c = 1 }"}),
        ("javascript", "module.exports.go = () => 1; this.x = function () {}", {"1 . definition go | function",
                                                                                  "1 . definition x | function"}),
        ("javascript", "(function () { a() })(); new (class {})()", {"1 . call a"}),
        ("javascript", "f(...a)(b)", {"1 . call f | ...a", "1 . call f() | b"}),
        ("typescript", "export default class extends A {}", set()),
        ("typescript", "abstract class A { @x() private readonly y = 3 }", {"1 A decorator x", "1 A value y | 3"}),
        ("typescript", "const a = <T,>(x: T) => x;", {"1 . definition a | function", "1 a return | x"}),
        ("go", "package p\nvar x = map[string]int{\"a\": 1, \"b\": 2}", {"2 . value a | 1", "2 . value b | 2"}),
        ("go", "package p\nfunc (p Pool[T]) Get() {}", {"2 Pool definition Get | function"}),
        ("rust", "impl a::B<C> for D<E> { fn f() {} }", {"1 . definition D | impl", "1 D definition f | function"}),
        ("rust", "#[cfg(test)]\nmod t {}", {"1 t decorator cfg | test", "1-2 . definition t | module"}),
        ("java", "@A class B { @C void d() {} }", {"1 B decorator A", "1 B.d decorator C"}),
        ("c", "#ifndef A_H\n#define A_H\nint x = 1;\n#endif", {"3 . value x | 1"}),
        ("c", "static int (*f)(int a) = g;", {"1 . value f | g"}),
        ("c", "typedef enum { A = 2 } e_t;", {"1 . definition e_t | enum", "1 e_t value A | 2"}),
        ("cpp", "A::~A() { b(); }", {"1 A definition ~A | function", "1 A.~A call b"}),
        ("cpp", "namespace a::b { struct C { int d = 1; }; }", {"1 a.b.C value d | 1"}),
        ("csharp", "namespace A { class B { int C => 1; } }", {"1 A.B.C return | 1"}),
        ("ruby", "class A::B\n  def c = 1\nend", {"2 A::B definition c | function"}),
        ("ruby", "x = [1, 2]\na, b = 1, 2", {"1 . value x | [1, 2]", "2 . value a | 1", "2 . value b | 2"}),
        ("cpp", "class A { int (*f)(int) = g; int (*h)() = nullptr; };", {"1 A value f | g", "1 A value h | nullptr"}),
        ("c", "#ifdef __cplusplus\nint a = 1;\n#endif", {"2 . guard if | defined __cplusplus"}),
        ("javascript", "a.b(1) // why\n  // so\n  .c(2) /* x */ .d(3)", {"1-3 . call a.b().c | 2",
                                                                      "1-3 . call a.b().c().d | 3"}),
        ("javascript", "f('//')(2); g('/*').h(1);", {"1 . call f() | 2", "1 . call g().h | 1"}),
        ("rust", "fn f() { a.b(1) // x\n .c(2); }", {"1-2 f call a.b().c | 2"}),
        ("go", "package p\nfunc f() { a.b(1). // x\n c(2) }", {"2-3 f call a.b().c | 2"}),
        ("python", "(a.b(1)  # x\n .c(2))", {"1-2 . call a.b().c | 2"}),
        ("csharp", "class A { void F() { a.b(1) // x\n .c(2); } }", {"1-2 A.F call a.b().c | 2"}),
        ("shell", "A=1 B=2 run --x", {"1 . value A | 1", "1 . value B | 2", "1 . call run | --x"}),
        ("shell", "x=${A:-1}; y=${B}", {"1 . env A | 1", "1 . value y | ${B}"}),
    ],
)  # fmt: skip
def test_forms(parser: Parser, language: str, text: str, expected: set[str]) -> None:
    assert expected <= set(said(parser, language, text))


@pytest.mark.parametrize(
    ("language", "text", "kind"),
    [
        ("python", "x += 1", "value"),
        ("go", "package p\nfunc f() { x += 1 }", "value"),
        ("java", "class A { void f() { x += 1; } }", "value"),
        ("c", "void f(void) { x += 1; }", "value"),
        ("csharp", "class A { void F() { X += 1; } }", "value"),
        ("ruby", "x += 1", "value"),
        ("cpp", "class A {\n  virtual int f(int a) = 0;\n  virtual int *g() = 0;\n  ~A() = default;\n};", "value"),
        ("c", '#ifdef __cplusplus\nextern "C" {\n#endif\nint a;\n#ifdef __cplusplus\n}\n#endif', "guard"),
        ("c", '#if defined (__cplusplus)\nextern "C" {\n#endif\nint a;\n#if defined (__cplusplus)\n}\n#endif', "guard"),
        ("shell", "x+=1", "value"),
        ("javascript", "x += 1", "value"),
        ("rust", "fn f() { x += 1; }", "value"),
        ("c", "#ifndef A_H\n#define A_H\nint x;\n#endif", "guard"),
        ("javascript", "function f() { return list.map(function (x) { return x.id }) }", "env"),
        ("python", "if a:\n    pass", "compare"),
    ],
)
def test_what_is_not_said(parser: Parser, language: str, text: str, kind: str) -> None:
    assert kind not in {fact.kind for fact in facts_of(parser, language, text).facts}


def test_a_header_of_cpp_is_read_as_such(parser: Parser) -> None:
    text = "namespace net {\nclass A : public B {\n public:\n  virtual int f(int a = 3) const { return a; }\n};\n}"
    assert "4 net.A.f parameter a | 3" in said(parser, "c", text)


def test_markup_in_a_script_is_read_as_such(parser: Parser) -> None:
    text = "const A = ({ size = 3 }: P) => {\n  return <b title={x}>{size}</b>;\n};"
    assert "1 A parameter size | 3" in said(parser, "typescript", text)


def test_values_are_cut(parser: Parser) -> None:
    (fact,) = facts_of(parser, "python", f"x = '{'é' * 500}'").facts
    assert fact.value == "'" + "é" * 199
