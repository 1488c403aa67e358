"""Which lines stand for a citation, language by language, and what holds for every text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.document.extensions import EXTENSIONS
from cite_lsp.snapshot.excerpt import Excerpt, language_of, unit_excerpt, window_excerpt

PYTHON = '''\
"""Retries.

Three attempts at most.
"""

import time

# cap is three
CAP = 3
BASE = 1


@retry
@cached(
    60)
def fetch(
    url,
):
    """Fetch.

    Waits between attempts.
    """
    if url:

        return CAP
    return None


VALUES = [
    1,
    2,
]
text = "a { b"
'''

TYPESCRIPT = """\
/**
 * Options of a run.
 *
 * - attempts: at most three
 *   of them
 */
export interface Options {
  attempts: number;
}

// one
// two
const cap = (x: number): number => {
  return Math.min(x, 3); // } not a bracket
};

class Runner {
  run(options: Options): void {
    call({
      a: `}`,
    });
  }
- y + z;
}

type Kind =
  | "a"
  | "b";
let other = 1;
"""

RUST = """\
/// A lifetime.
#[derive(Debug)]
pub struct Name<'a> {
    text: &'a str,
}

impl<'a> Name<'a>
where
    'a: 'static,
{
    pub(crate) fn open(&self) -> char {
        '{'
    }
}

fn next() {}
"""

GO = """\
package retry

// Cap is how often.
const Cap = 3

type Options struct {
	Cap int
}

func (o *Options) Run(n int) error {
	if n > o.Cap {
		return errors.New("too { many")
	}
	return nil
}

var raw = `
{
`
"""

C = """\
#include <stdio.h>
#include <stdlib.h>

/* Adds two
   numbers.

   Never overflows. */
static int add(int a,
               int b)
{
    return a + b;
}

struct point {
    int x;
};
int *p;
int q;
"""

SHELL = """\
#!/bin/sh
# retries

run() {
  case $1 in
    a) echo "}" ;;
  esac
}
run
"""

YAML = """\
# defaults
retries: 3
job:
  steps:
  - name: build
    run: |
      make

      make test
  - name: test
    run: pytest
other: {
  a: 1
}
last: true
"""

TOML = """\
# limits
[tool.a]
cap = 3
list = [
  "x",
]

[tool.a.sub]
y = 1

[other]
z = 2
"""

JSON = """\
{
  "name": "a: {",
  "scripts": {
    "build": "tsc",
    "list": [
      1
    ]
  },
  "last": true
}
"""

MARKDOWN = """\
---
title: A page
tags:
  - one
---
# First
## Child

text
text two

- item
  - nested

  para
lazy

| k | v |
| - | - |
| a | 1 |
| b | 2 |
| c | 3 |

```sh
# not a heading
- not an item
```

Setext
------
under
# Second
# Third
"""

RST = """\
Title
=====

Intro.

Child
-----

* one

  more
* two

Next
====

End.
"""

ADOC = """\
== Parent
text
----
== not a heading
----
=== Child
* one
** nested
* two
== Next
"""

EXAMPLES = [
    # path, text, cited line, unit, lines
    ("a.py", PYTHON, 3, "comment-declaration", range(1, 5)),
    ("a.py", PYTHON, 8, "comment-declaration", (8, 9, 10)),
    ("a.py", PYTHON, 9, "paragraph", (8, 9, 10)),
    ("a.py", PYTHON, 13, "definition", range(13, 27)),
    ("a.py", PYTHON, 14, "definition", range(13, 27)),
    ("a.py", PYTHON, 16, "definition", range(13, 27)),
    ("a.py", PYTHON, 19, "comment-declaration", range(16, 23)),
    ("a.py", PYTHON, 21, "comment-declaration", range(16, 23)),
    ("a.py", PYTHON, 22, "comment-declaration", range(16, 23)),
    ("a.py", PYTHON, 23, "paragraph", (21, 22, 23)),
    ("a.py", PYTHON, 29, "statement", range(29, 33)),
    ("a.py", PYTHON, 33, "paragraph", (29, 30, 31, 32, 33)),
    ("a.ts", TYPESCRIPT, 2, "comment-declaration", range(1, 10)),
    ("a.ts", TYPESCRIPT, 4, "list-item", (4, 5)),
    ("a.ts", TYPESCRIPT, 7, "definition", (7, 8, 9)),
    ("a.ts", TYPESCRIPT, 12, "comment-declaration", range(11, 16)),
    ("a.ts", TYPESCRIPT, 13, "definition", (13, 14, 15)),
    ("a.ts", TYPESCRIPT, 17, "definition", range(17, 25)),
    ("a.ts", TYPESCRIPT, 18, "definition", range(18, 23)),
    ("a.ts", TYPESCRIPT, 19, "statement", (19, 20, 21)),
    ("a.ts", TYPESCRIPT, 22, "paragraph", (22,)),
    ("a.ts", TYPESCRIPT, 23, "paragraph", range(18, 25)),
    ("a.ts", TYPESCRIPT, 26, "definition", (26, 27, 28)),
    ("a.rs", RUST, 1, "comment-declaration", range(1, 6)),
    ("a.rs", RUST, 2, "definition", range(2, 6)),
    ("a.rs", RUST, 3, "definition", range(2, 6)),
    ("a.rs", RUST, 7, "definition", range(7, 15)),
    ("a.rs", RUST, 11, "definition", range(11, 14)),
    ("a.rs", RUST, 16, "definition", (16,)),
    ("a.go", GO, 3, "comment-declaration", (3, 4)),
    ("a.go", GO, 6, "definition", (6, 7, 8)),
    ("a.go", GO, 10, "definition", range(10, 16)),
    ("a.go", GO, 11, "statement", (11, 12, 13)),
    ("a.c", C, 1, "paragraph", (1, 2)),
    ("a.c", C, 5, "comment-declaration", range(4, 13)),
    ("a.c", C, 7, "comment-declaration", range(4, 13)),
    ("a.c", C, 8, "definition", range(8, 13)),
    ("a.c", C, 14, "definition", (14, 15, 16)),
    ("a.c", C, 18, "paragraph", range(14, 19)),
    ("a.sh", SHELL, 2, "comment-declaration", (1, 2)),
    ("a.sh", SHELL, 4, "definition", range(4, 9)),
    ("a.sh", SHELL, 9, "paragraph", range(4, 10)),
    ("a.yaml", YAML, 1, "comment-declaration", range(1, 8)),
    ("a.yaml", YAML, 2, "key", (2,)),
    ("a.yaml", YAML, 3, "key", range(3, 12)),
    ("a.yaml", YAML, 4, "key", range(4, 12)),
    ("a.yaml", YAML, 5, "key", range(5, 10)),
    ("a.yaml", YAML, 6, "key", range(6, 10)),
    ("a.yaml", YAML, 12, "key", (12, 13, 14)),
    ("a.toml", TOML, 1, "comment-declaration", range(1, 7)),
    ("a.toml", TOML, 2, "key", range(2, 10)),
    ("a.toml", TOML, 3, "key", (3,)),
    ("a.toml", TOML, 4, "key", (4, 5, 6)),
    ("a.json", JSON, 1, "paragraph", (1,)),
    ("a.json", JSON, 2, "key", (2,)),
    ("a.json", JSON, 3, "key", range(3, 9)),
    ("a.json", JSON, 6, "paragraph", range(1, 11)),
    ("a.md", MARKDOWN, 2, "key", (2,)),
    ("a.md", MARKDOWN, 3, "key", (3, 4)),
    ("a.md", MARKDOWN, 9, "paragraph", (9, 10)),
    ("a.md", MARKDOWN, 12, "list-item", range(12, 17)),
    ("a.md", MARKDOWN, 13, "list-item", (13,)),
    ("a.md", MARKDOWN, 18, "table-row", range(18, 23)),
    ("a.md", MARKDOWN, 22, "table-row", (18, 19, 22)),
    ("a.md", MARKDOWN, 24, "paragraph", range(24, 28)),
    ("a.md", MARKDOWN, 25, "paragraph", (25, 26)),
    ("a.md", MARKDOWN, 29, "section", (29, 30, 31)),
    ("a.md", MARKDOWN, 30, "section", (29, 30, 31)),
    ("a.md", MARKDOWN, 32, "section", (32,)),
    ("a.rst", RST, 1, "section", range(1, 14)),
    ("a.rst", RST, 6, "section", range(6, 14)),
    ("a.rst", RST, 7, "section", range(6, 14)),
    ("a.rst", RST, 9, "list-item", (9, 10, 11)),
    ("a.rst", RST, 13, "paragraph", (13,)),
    ("a.adoc", ADOC, 1, "section", range(1, 10)),
    ("a.adoc", ADOC, 6, "section", range(6, 10)),
    ("a.adoc", ADOC, 7, "list-item", (7, 8)),
]


def excerpt(text: str, line: int, path: str | None = None, last: int | None = None, **limits: int) -> Excerpt:
    found = unit_excerpt(text.split("\n"), line, last, language=None if path is None else language_of(path), **limits)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("path", "text", "line", "unit", "numbers"),
    EXAMPLES,
    ids=[f"{path}:{line}" for path, _, line, *_ in EXAMPLES],
)
def test_example(path: str, text: str, line: int, unit: str, numbers: range) -> None:
    found = excerpt(text, line, path)
    assert (found.unit, [number for number, _ in found.lines]) == (unit, list(numbers))
    assert not found.truncated


def test_a_docstring_below_a_header_with_a_remark_or_many_parameters() -> None:
    remark = 'def f(a):  # noqa: X\n    """One.\n\n    Two.\n    """\n    return a'
    for line in (2, 4, 5):
        found = excerpt(remark, line, "a.py")
        assert (found.unit, found.start_line, found.end_line) == ("comment-declaration", 1, 5)
    parameters = "".join(f"    a{number},\n" for number in range(14))
    found = excerpt(f'def f(\n{parameters}):\n    """One.\n\n    Two."""\n    return a', 17, "a.py")
    assert (found.unit, found.end_line) == ("comment-declaration", 19)
    assert excerpt('x = {"a":  # b\n    """c"""}', 2, "a.py").unit != "comment-declaration"


def test_text_is_the_references_form() -> None:
    assert excerpt("a\n\nb", 1).text == "L1: a"
    assert excerpt("| k |\n| - |\n| 1 |\n| 2 |", 4).text == "L1: | k |\nL2: | - |\nL4: | 2 |"


def test_a_written_range_is_exactly_its_lines_in_every_language() -> None:
    for path in ("a.py", "a.md", "a.yaml", None):
        found = excerpt(PYTHON, 9, path, last=17)
        assert (found.unit, found.start_line, found.end_line, found.truncated) == ("paragraph", 9, 17, False)
        assert [text for _, text in found.lines] == PYTHON.split("\n")[8:17]
    assert [number for number, _ in excerpt(PYTHON, 9, "a.py", last=9).lines] == [9]


def test_a_range_past_the_cap_is_truncated() -> None:
    text = "\n".join(f"line {number}" for number in range(1, 60))
    assert not excerpt(text, 1, last=20).truncated
    found = excerpt(text, 1, last=21)
    assert (found.end_line, found.truncated, found.clipped) == (20, True, False)
    assert not excerpt(text, 50, last=900).truncated


def test_a_reversed_range_is_a_single_line() -> None:
    assert excerpt("a\n\nb", 3, last=1) == excerpt("a\n\nb", 3)


def test_truncated_only_where_something_was_left_out() -> None:
    body = "\n".join(["# A", *(f"line {number}" for number in range(19))])
    assert not excerpt(body, 1, "a.md").truncated
    assert not excerpt(body + "\n\n# B", 1, "a.md").truncated
    assert excerpt(body + "\n\nmore", 1, "a.md").truncated


def test_the_cited_line_is_not_pushed_out_by_those_above() -> None:
    text = "\n".join(["x" * 1000, "y" * 1000, "z"])
    found = excerpt(text, 3)
    assert [number for number, _ in found.lines] == [2, 3]
    assert (found.truncated, found.clipped) == (True, False)
    found = excerpt("a\nb\nc\nd", 4, max_lines=2)
    assert [number for number, _ in found.lines] == [3, 4]
    assert found.truncated


def test_a_clipped_line_is_a_true_start_and_no_character_is_cut_in_two() -> None:
    found = excerpt("a" + "\U0001f600" * 1000, 1)
    ((number, text),) = found.lines
    assert (number, found.truncated, found.clipped) == (1, True, True)
    assert text == "a" + "\U0001f600" * 797  # 4 of the label, 1, and 797 pairs: 1599 of 1600
    assert found.text == f"L1: {text}…"
    window = window_excerpt(["x" * 900], 1, None)
    assert window is not None
    assert window.lines == ((1, "x" * 796),)
    assert len(window.text) == 801


def test_a_line_of_which_nothing_fits_is_left_out() -> None:
    found = excerpt("abcdef\nghi", 1, max_chars=12)
    assert found.lines == ((1, "abcdef"),)
    assert (found.truncated, found.text) == (True, "L1: abcdef…")


def test_blank_and_lone_bracket_lines_stand_alone() -> None:
    for lone in ("", "   ", "}", "  });", "{", "],"):
        for path in (None, "a.py", "a.ts", "a.md", "a.json"):
            found = excerpt(f"a\n{lone}\nb", 2, path)
            assert found.lines == ((2, lone),), (lone, path)


def test_prose_rules_hold_in_prose_only() -> None:
    minus = "x = [\n- y + z,\n]"
    assert excerpt(minus, 2).unit == "list-item"
    assert excerpt(minus, 2, "a.js").unit == "paragraph"
    lone = "x = 1\n# cap is three\nCAP = 3\n\nz"
    assert (excerpt(lone, 2).unit, excerpt(lone, 2).end_line) == ("section", 5)
    for path in ("a.py", "a.sh", "a.yaml", "Makefile", "a.rb"):
        assert (excerpt(lone, 2, path).unit, excerpt(lone, 2, path).end_line) == ("comment-declaration", 3)
    titles = "# One\n# Two\ntext"
    assert excerpt(titles, 1).unit == "comment-declaration"
    assert excerpt(titles, 1, "a.md").lines == ((1, "# One"),)
    bar = "x = a\n| b"
    assert excerpt(bar, 2, "a.ts").unit == "paragraph"
    assert excerpt(bar, 2, "a.md").unit == "table-row"


def test_a_block_comment_with_blank_lines_is_whole_and_globs_do_not_end_it() -> None:
    text = "/**\n * Reads src/**/*.ts\n *\n * and test/**/x.ts too\n */\nread();\n\nother();"
    found = excerpt(text, 4, "a.ts")
    assert (found.unit, found.start_line, found.end_line) == ("comment-declaration", 1, 6)


def test_code_below_a_comment_is_no_comment() -> None:
    assert excerpt("/* one\n   two */\na\n\nb", 3, "a.c").unit == "paragraph"
    assert excerpt('x = """\nDo.\n"""\ny = 1', 4, "a.py").unit == "paragraph"


def test_other_languages() -> None:
    ruby = "class A\n  def b\n    c\n  rescue D\n    e\n  end\n\n  def f; end\nend"
    assert [n for n, _ in excerpt(ruby, 2, "a.rb").lines] == [2, 3, 4, 5, 6]
    assert [n for n, _ in excerpt(ruby, 1, "a.rb").lines] == list(range(1, 10))
    java = "@Override\npublic List<String> go(\n    int a) {\n  if (a) {\n  }\n}\nint b;"
    assert [n for n, _ in excerpt(java, 2, "A.java").lines] == [1, 2, 3, 4, 5, 6]
    sql = "-- caps\ncreate table a (\n  b int\n);\nselect 1;"
    assert [n for n, _ in excerpt(sql, 2, "a.sql").lines] == [2, 3, 4]
    ini = "[a]\nx = 1\n  2\ny = 3\n\n[b]\nz = 1"
    assert [n for n, _ in excerpt(ini, 1, "setup.cfg").lines] == [1, 2, 3, 4]
    assert [n for n, _ in excerpt(ini, 2, "setup.cfg").lines] == [2, 3]
    lisp = "; c\n(defun a (b)\n  (c b))\n(d)"
    assert [n for n, _ in excerpt(lisp, 2, "a.el").lines] == [2, 3]
    html = "<!-- caps\n\nat three -->\n<p>\n\n<b>"
    assert [n for n, _ in excerpt(html, 3, "a.html").lines] == [1, 2, 3, 4]


def test_outside_the_file_there_is_none() -> None:
    for first in (0, -1, 3, 10**30):
        assert unit_excerpt(["a", "b"], first, None) is None
        assert window_excerpt(["a", "b"], first, None) is None
    assert unit_excerpt([], 1, None) is None


def test_limits_below_one_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        unit_excerpt(["a"], 1, None, max_lines=0)
    with pytest.raises(ValueError, match="at least 1"):
        unit_excerpt(["a"], 1, None, max_chars=0)
    with pytest.raises(ValueError, match="less than 0"):
        window_excerpt(["a"], 1, None, window=-1)


def test_a_window_of_none_is_the_cited_line() -> None:
    found = window_excerpt(["a", "b"], 1, None, window=0)
    assert found == Excerpt(1, 1, "window", truncated=False, lines=((1, "a"),))


def test_every_known_extension_has_a_language() -> None:
    assert [extension for extension in sorted(EXTENSIONS) if language_of(f"x/a.{extension}") is None] == []


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("docs/a.MD", "markdown"),
        ("Makefile", "hash-comments"),
        ("deep/Dockerfile", "hash-comments"),
        ("Dockerfile.dev", "hash-comments"),
        ("CMakeLists.txt", "hash-comments"),
        ("requirements-dev.txt", "hash-comments"),
        ("notes.txt", "text"),
        (".gitignore", "hash-comments"),
        ("a.b/LICENSE", None),
        ("a.unknown", None),
        ("", None),
    ],
)
def test_language_of(path: str, language: str | None) -> None:
    assert language_of(path) == language


PATHS = [None, "a.txt", "Makefile", *(f"a.{extension}" for extension in sorted(EXTENSIONS))]
FRAGMENTS = [
    *("# x", "## y", "---", "===", "```", "~~~", "| a |", "| - |", "- a", "  - b", "1. c", "* d", "** e", "> q"),
    *("/*", " * x", " */", "/** a */", "// x", "-- x", "#include <a>", "<!--", "-->", '"""', "    '''Doc.", "'''"),
    *("def f():", "class A:", "@dec", "fn x() {", "func y() {", "struct a {", "x = (", ")", "}", "{", "[", "];"),
    *("key: v", "key:", '"k": {', "[a.b]", "x = [", "", "   ", "\t", "    deep", "text", "'", "`", "\\", "\U0001f600"),
]
LINES = st.lists(
    st.one_of(st.sampled_from(FRAGMENTS), st.text(st.characters(exclude_characters="\r\n"), max_size=30)),
    min_size=1,
    max_size=40,
)


@given(
    LINES,
    st.integers(1, 40),
    st.one_of(st.none(), st.integers(-2, 60)),
    st.sampled_from(PATHS),
    st.integers(1, 25),
    st.integers(1, 400),
)
def test_what_holds_for_every_text(
    lines: list[str], first: int, last: int | None, path: str | None, max_lines: int, max_chars: int
) -> None:
    language = None if path is None else language_of(path)
    found = unit_excerpt(lines, first, last, language=language, max_lines=max_lines, max_chars=max_chars)
    assert (found is None) == (first > len(lines))
    if found is None:
        return
    check(found, lines, first)
    assert len(found.lines) <= max_lines
    limit = max(max_chars, len(f"L{first}: ")) + found.clipped
    assert len(found.text.encode("utf-16-le", "surrogatepass")) // 2 <= limit
    if last is not None and last >= first:
        assert [number for number, _ in found.lines] == list(range(first, first + len(found.lines)))
        assert found.truncated == (found.clipped or found.end_line < min(last, len(lines)))


@given(LINES, st.integers(1, 40), st.one_of(st.none(), st.integers(-2, 60)), st.integers(0, 60))
def test_what_holds_for_every_window(lines: list[str], first: int, last: int | None, window: int) -> None:
    found = window_excerpt(lines, first, last, window=window)
    assert (found is None) == (first > len(lines))
    if found is not None:
        check(found, lines, first)
        assert found.start_line == first
        assert len(found.lines) <= 12


def check(found: Excerpt, lines: list[str], first: int) -> None:
    numbers = [number for number, _ in found.lines]
    assert first in numbers
    assert numbers == sorted(set(numbers))
    assert (found.start_line, found.end_line) == (numbers[0], numbers[-1])
    for number, text in found.lines[:-1]:
        assert text == lines[number - 1]
    number, text = found.lines[-1]
    assert lines[number - 1].startswith(text)
    assert found.clipped or text == lines[number - 1]
    assert found.truncated or not found.clipped


HOSTILE = ["[" + " " * 5000, "x " * 3000, "('\\" * 1500, '"\\' * 1500, "a: " * 2000, "- " * 3000, "|-" * 3000]
HOSTILE += ["static " * 800, "const a = (" * 500, "a<" * 3000 + "(", "=" * 5000, "{" * 5000, " " * 5000 + "x"]


@pytest.mark.parametrize("line", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_lines_cost_little(line: str, ends) -> None:
    lines = [line] * 500
    languages = {language_of(path) for path in PATHS if path}
    with ends():
        for language in languages:
            unit_excerpt(lines, 250, None, language=language)


def test_only_what_is_near_is_looked_at_in_a_large_file(ends) -> None:
    lines = ["    some text of a line"] * 1_000_000
    wide = ["x" * 10_000_000, "y", "z" * 10_000_000]
    for path in ("a.py", "a.ts", "a.md", "a.rst", "a.yaml", "a.json", None):
        language = None if path is None else language_of(path)
        with ends():
            middle = unit_excerpt(lines, 500_000, None, language=language)
            between = unit_excerpt(wide, 2, None, language=language)
        assert middle is not None
        assert between is not None
        assert (middle.unit, middle.start_line) == ("paragraph", 499_995)
        assert [number for number, _ in between.lines] == [2, 3]
        assert between.clipped
