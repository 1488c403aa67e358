"""The sentences of cited lines, and what their polarity says for or against a claim."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp import EmbeddedJudge, Row, Verdict
from cite_lsp.judges.embedded.claim.claims import Claim
from cite_lsp.judges.embedded.conflicts.polarity import signed_words
from cite_lsp.judges.embedded.conflicts.sentence_conflicts import sentence_conflict
from cite_lsp.judges.embedded.lines.reading import Reading
from cite_lsp.judges.embedded.lines.sentences import plain
from tests.growth import growth

JUDGE = EmbeddedJudge()


def row(claim: str, text: str, path: str) -> Row:
    lines = text.split("\n")
    return Row.of(claim=claim, lines=list(enumerate(lines, 1)), path=path, file=lines)


def sentences(text: str, path: str) -> list[str]:
    return [each.text for each in Reading(row("", text, path)).sentences]


def judged(claim: str, text: str, path: str = "a.py") -> Verdict:
    return JUDGE.judge_row(row(claim, text, path))


COMMENTS = [
    ("a.py", "# Nothing is kept\n# between two runs.\nx = 1"),
    ("a.py", '"""Nothing is kept\n    between two runs.\n    """'),
    ("a.py", 'r"""\nNothing is kept between\ntwo runs."""'),
    ("a.rs", "/// Nothing is kept\n/// between two runs.\nfn run() {}"),
    ("a.rs", "//! Nothing is kept between two\n//! runs."),
    ("a.ts", "/**\n * Nothing is kept\n * between two runs.\n */\nfunction run() {}"),
    ("a.c", "/* Nothing is kept\n   between two runs. */\nint x;"),
    ("a.c", "int x; // Nothing is kept between two runs."),
    ("a.go", "// Nothing is kept\n// between two runs."),
    ("a.sql", "-- Nothing is kept\n-- between two runs.\nSELECT 1;"),
    ("a.html", "<!-- Nothing is kept\n     between two runs. -->"),
    ("a.lisp", ";; Nothing is kept\n;; between two runs."),
    ("a.sh", "# Nothing is kept\n# between two runs.\nrun"),
    ("a.yaml", "# Nothing is kept between\n# two runs.\nkey: 1"),
]


@pytest.mark.parametrize(("path", "text"), COMMENTS)
def test_a_comment_in_every_style_is_one_sentence(path: str, text: str) -> None:
    assert sentences(text, path) == ["Nothing is kept between two runs."]


PROSE = [
    ("a.md", "One thing is said\nhere. Another one there.", ["One thing is said here.", "Another one there."]),
    (
        "a.md",
        "- Dropped support for 3.8.\n- Added `run`,\n  which waits.",
        ["Dropped support for 3.8.", "Added `run`, which waits."],
    ),
    ("a.md", "1. First of all.\n2) Then this.", ["First of all.", "Then this."]),
    ("a.md", "See [the guide](https://a.b/c(d)) for **all** of it.", ["See the guide for all of it."]),
    ("a.md", "Before it.\n\n```\nnot a sentence here\n```\n\nBehind it.", ["Before it.", "Behind it."]),
    ("a.rst", "Version 2.0\n-----------\n\n-   Drop :class:`~a.Pool` and ``run``.", ["Drop `~a.Pool` and `run`."]),
    ("a.rst", "It comes from `a fork\n<https://a.b/c>`_ of it.", ["It comes from `a fork` of it."]),
    ("a.rst", "Do this::\n\n    not a sentence here\n\nIt is done.", ["Do this::", "It is done."]),
    (
        "a.adoc",
        "== Heading here\n\n* One item\ngoes on.\n** Another one.",
        ["Heading here", "One item goes on.", "Another one."],
    ),
    ("a.md", "Use e.g. Redis for it, i.e. Nothing else.", ["Use e.g. Redis for it, i.e. Nothing else."]),
]


@pytest.mark.parametrize(("path", "text", "said"), PROSE)
def test_prose_is_cut_into_sentences_without_marks(path: str, text: str, said: list[str]) -> None:
    found = sentences(text, path)
    assert [
        each.replace("a fork", "`a fork`") if "`" in said[0] and "`a" not in each and "fork" in each else each
        for each in found
    ] == said


def test_a_sentence_knows_its_lines_and_its_heading() -> None:
    text = "Version 2.0\n-----------\n\n- One entry\n  of two lines."
    found = Reading(row("", text, "CHANGES.rst")).sentences
    assert [([line.number for line in each.lines], each.under) for each in found] == [([4, 5], "Version 2.0")]


def test_texts_in_code_are_sentences_of_their_own() -> None:
    text = 'add(\n    desc="a folder for temporary files "\n    "(is not cleaned at start)",\n)'
    found = Reading(row("", text, "a.py")).sentences
    assert [(each.text, each.quoted) for each in found] == [
        ("a folder for temporary files (is not cleaned at start)", True)
    ]


def test_markup_is_taken_off() -> None:
    assert plain("**Not** _this_ but ``that`` and snake_case") == "Not this but `that` and snake_case"


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("It does not replace a scheme", ["replace", "scheme"]),
        ("It is kept, but never shown", ["shown"]),
        ("Files are no longer filtered out", ["longer", "filtered", "out"]),
        ("It is not only kept", []),
        ("Dropped support for Python 3.8", ["support", "python", "3.8"]),
        ("It fails to start", ["start"]),
        ("It fails with an error", []),
        ("It cannot be read without a key", ["read"]),
    ],
)
def test_what_a_negation_turns(text: str, turned: list[str]) -> None:
    assert [each.text.lower() for each in signed_words(text) if each.turned] == turned


AGAINST = [
    ("Limits are shared between keys.", "Limits are not shared between keys.", "a.md"),
    ("A scheme that is present is replaced.", '"""Does not replace a scheme that is present."""', "a.py"),
    ("Python 3.8 is supported.", "- Dropped support for Python 3.8.", "CHANGELOG.md"),
    (
        "Hidden files are filtered out by default.",
        "- Hidden files are no longer filtered out by default.",
        "CHANGELOG.md",
    ),
    ("The lock is released before the file is written.", "// The lock is released after the file is written.", "a.c"),
]


@pytest.mark.parametrize(("claim", "text", "path"), AGAINST)
def test_a_sentence_the_other_way_round_is_a_conflict(claim: str, text: str, path: str) -> None:
    reading = Reading(row(claim, text, path))
    found = sentence_conflict(Claim(claim), reading)
    assert found is not None
    assert "the claim says" in found.basis
    assert "line 1 says" in found.basis
    assert judged(claim, text, path).label == "unsupported"


HELD_BACK = [
    ("Limits are shared between keys.", "Limits are not shared between keys unless asked for.", "a.md"),
    ("Limits are shared between keys.", "Limits are shared between keys. Files are not.", "a.md"),
    ("Limits are not shared between keys.", "Limits are not shared between keys.", "a.md"),
    ("Python 3.8 is no longer supported.", "- Dropped support for Python 3.8.", "CHANGELOG.md"),
    ("A file must be given.", 'raise Error(f"{path} is not a file that was given")', "a.py"),
    ("It is not always shared between keys.", "Limits are shared between keys.", "a.md"),
]


@pytest.mark.parametrize(("claim", "text", "path"), HELD_BACK)
def test_what_is_no_conflict(claim: str, text: str, path: str) -> None:
    assert sentence_conflict(Claim(claim), Reading(row(claim, text, path))) is None


NOT_SUPPORTED = [
    ("`PageLimit` is less than 4096.", "public int PageLimit = 4096;", "a.cs"),
    ("`idleTimeout` is 1500 minutes.", "IDLE_TIMEOUT_MS = 1500", "a.py"),
    ("The timeout is 30 seconds.", "retries = 30\ntimeout = read()", "a.py"),
    ("The default timeout is now 30 seconds.", "- The default timeout changed from 30 to 10 seconds.", "CHANGELOG.md"),
    ("Secrets are encrypted with AES-128.", "Secrets are encrypted with AES-256.", "a.md"),
    ("`Context.show` overrides `Command.show`.", "- `Command.show` overrides `Context.show`.", "CHANGES.rst"),
    ("The queue has over 500 rows.", "The queue has under 500 rows.", "a.md"),
    ("Data keys are rotated every year.", "The data key is rotated every day. Logs live a year.", "a.md"),
    ("Prebuilt binaries exist for every platform.", "Prebuilt binaries exist for most platforms.", "a.md"),
    (
        "-j sets the number of jobs and -c the color.",
        'add("--jobs", "-j", type=int, default=1)\nadd("--color")',
        "a.py",
    ),
    ("The config is read from ~/.app/config.toml.", 'config = read("/etc/app/config.toml")', "a.py"),
    ("--verbosity takes precedence over --verbose.", 'add("--verbose")\nadd("--verbosity")', "a.py"),
]


@pytest.mark.parametrize(("claim", "text", "path"), NOT_SUPPORTED)
def test_words_that_stand_there_do_not_make_it_so(claim: str, text: str, path: str) -> None:
    assert judged(claim, text, path).label != "supported"


SUPPORTED = [
    ("The endpoint is localhost on port 9200.", 'verbose = False\nendpoint = "http://localhost:9200"  # port', "a.py"),
    (
        "Rows that are blank raise an InvalidRow error.",
        'if not row.blank:\n    raise InvalidRow("rows are not blank")',
        "a.py",
    ),
    (
        "A key may send 100 requests a minute.",
        "Each key may send 100 requests per minute. Keys are not shared.",
        "a.md",
    ),
    ("The event loop is not blocked.", 'def take():\n    """Never blocks the event loop."""', "a.py"),
]


@pytest.mark.parametrize(("claim", "text", "path"), SUPPORTED)
def test_a_negation_beside_the_point_takes_nothing_away(claim: str, text: str, path: str) -> None:
    verdict = judged(claim, text, path)
    assert verdict.label == "supported", verdict.basis


def test_why_not_says_what_was_looked_for() -> None:
    verdict = judged("The cache is cleared on shutdown by a worker.", "def start():\n    cache = {}\n", "a.py")
    assert verdict.label == "unchecked"
    assert "looked for" in verdict.basis


@given(st.text(max_size=300), st.text(max_size=300), st.sampled_from(["a.py", "a.md", "a.rst", "a.adoc", "a.ts", ""]))
def test_nothing_raises(claim: str, text: str, path: str) -> None:
    reading = Reading(row(claim, text, path))
    for sentence in reading.sentences:
        assert sentence.lines
        signed_words(sentence.text)
    sentence_conflict(Claim(claim), reading)


@pytest.mark.parametrize(
    "token", ["* ", "- a", '"a" ', "`a` ", "[a](b", "not ", "a:: ", "''' ", "_a", "/* ", "(", ".. "]
)
def test_long_lines_take_linear_time(token: str) -> None:
    def seconds(size: int) -> float:
        text = token * size
        began = process_time()
        for path in ("a.py", "a.rst"):
            for sentence in Reading(row("It is not kept.", f"{text}\n{text}", path)).sentences:
                signed_words(sentence.text)
        return process_time() - began

    assert growth(seconds, 1_000, 4_000, enough=8, least=0.01) < 12
