"""TOML while it is being typed: what stands at the cursor, and what the rest of the text holds."""

import tomllib
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.document.toml_outline import Outline, outline
from tests.growth import growth

ABOVE = 'name = "a"\n\n[[factor]]\nname = "one"\n\n[[concern]]\nname = "c"\n'
BELOW = '\n\n[[concern.role]]\nname = "r"\nfactor = "one"\n'


def at(typed: str, *, above: str = "", below: str = "") -> tuple[Outline, tuple[Any, ...] | None]:
    """The outline of a text whose cursor is `|`, and what stands there: place, path, the word."""
    offset = len(above) + typed.index("|")
    text = above + typed.replace("|", "", 1) + below
    found = outline(text, offset)
    spot = found.spot
    return found, None if spot is None else (spot.place, spot.path, text[spot.start : spot.end])


CONCERN = ("concern", 0)


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("|", ("key", CONCERN, "")),
        ("de|", ("key", CONCERN, "de")),
        ("|detect = 1", ("key", CONCERN, "detect")),
        ("  |  ", ("key", CONCERN, "")),
        ("detect.qu|", ("key", (*CONCERN, "detect"), "qu")),
        ("detect = |", ("value", (*CONCERN, "detect"), "")),
        ("detect = | # why", ("value", (*CONCERN, "detect"), "")),
        ("detect = {|", ("key", (*CONCERN, "detect"), "")),
        ("detect = { | }", ("key", (*CONCERN, "detect"), "")),
        ('detect = { question = "x", fo|', ("key", (*CONCERN, "detect"), "fo")),
        ('detect = { question = "is {|', ("string", (*CONCERN, "detect", "question"), "is {")),
        ('detect = { question = "is {|", yes = "y" }', ("string", (*CONCERN, "detect", "question"), "is {")),
        ("severity = er|", ("value", (*CONCERN, "severity"), "er")),
        ('severity = "er|', ("string", (*CONCERN, "severity"), "er")),
        ("severity = '|'", ("string", (*CONCERN, "severity"), "")),
        ('check = ["a", |]', ("value", (*CONCERN, "check", 1), "")),
        ("check = [|", ("value", (*CONCERN, "check", 0), "")),
        ('check = [\n  "a",\n  |', ("value", (*CONCERN, "check", 1), "")),
        ('check = [\n  "a", # why\n  "b|"\n]', ("string", (*CONCERN, "check", 1), "b")),
        ('message = """one\ntwo {|', ("string", (*CONCERN, "message"), "one\ntwo {\n\n")),
        ('message = """one\ntwo {|\n"""', ("string", (*CONCERN, "message"), "one\ntwo {\n")),
        ("[[con|", ("header", (), "con")),
        ("[[concern.|", ("header", CONCERN, "")),
        ("[[concern.ro|le]]", ("header", CONCERN, "role")),
        ("[|", ("header", (), "")),
        ("[concern.de|]", ("header", CONCERN, "de")),
        ("# why|", None),
        ('name = "x" |', None),
        ('name = | "x"', None),
    ],
)
def test_what_stands_at_the_cursor(typed: str, wanted: tuple[Any, ...] | None) -> None:
    found, spot = at(typed, above=ABOVE, below=BELOW)
    assert spot == wanted
    assert found.string(("factor", 0, "name")) == "one", "what stands above is known"
    roles = [path for path in found.entries if path[2:3] == ("role",) and path[-1] == "factor"]
    assert [found.string(path) for path in roles] == ["one"], "and so is what stands below"


@pytest.mark.parametrize("text", ["|", "pass|", 'passages = "lines"\n|', "a = 1\r\n|\r\nb = 2\r\n"])
def test_the_top_of_a_text_is_a_table(text: str) -> None:
    assert at(text)[1] == ("key", (), "pass" if "pass|" in text else "")


def test_what_a_long_text_holds_is_none_of_its_statements() -> None:
    text = 'text = """\n[[concern]]\nname = 1\n"""\nx = 1\n'
    found = outline(text)
    assert found.valid
    assert [*found.entries] == [("text",), ("x",)]


def test_quotes_before_the_closing_ones_belong_to_the_text() -> None:
    found = outline('a = """say ""x"""""\nb = \'\'\'it\'\'\'\'\n')
    assert found.valid
    assert (found.string(("a",)), found.string(("b",))) == ('say ""x""', "it'")


def test_at_gives_the_innermost_part() -> None:
    text = 'a = { b = "x", c = [1, "two"] }\n'
    found = outline(text)
    for part, path in {"a": ("a",), "b": ("a", "b"), "x": ("a", "b"), "1": ("a", "c", 0), "two": ("a", "c", 1)}.items():
        entry = found.at(text.index(part))
        assert entry is not None
        assert entry.path == path


TREES = st.recursive(
    st.text("ab {}[]#=.\n", max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc-_", min_size=1, max_size=3), inner),
    max_leaves=8,
)


def written(value: Any) -> str:
    """A value as inline TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {written(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return '"' + value.replace("\n", "\\n") + '"'


def raw(value: Any) -> Any:
    """The same with strings as they are written."""
    if isinstance(value, dict):
        return {key: raw(each) for key, each in value.items()}
    return [raw(each) for each in value] if isinstance(value, list) else value.replace("\n", "\\n")


@given(st.dictionaries(st.text("abc-_", min_size=1, max_size=3), TREES, max_size=4), st.lists(TREES, max_size=3))
def test_the_tree_of_a_valid_text_is_what_the_reader_of_the_standard_library_gives(
    top: dict[str, Any], tables: list[Any]
) -> None:
    text = "".join(f"{key} = {written(value)}\n" for key, value in top.items())
    text += "".join(f"[[tables.inner]]\nvalue = {written(value)}\n" for value in tables)
    if tables and "tables" in top:
        return
    tree = tomllib.loads(text)
    assert outline(text).tree() == raw(tree)


PIECES = (
    *("[[a.b]]", "[", "]", "{", "}", "=", ",", ".", '"', '"""', "'", "#"),
    *("\n", "\r\n", "a", "b = ", '"x"', " ", "\\", "é🧩"),
)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.integers(-1, 60))
def test_no_text_is_too_broken(text: str, offset: int) -> None:
    offset = min(offset, len(text))
    found = outline(text, offset)
    found.tree()
    for entry in found.entries.values():
        assert 0 <= entry.start <= entry.end <= len(text)
        assert entry.value is None or entry.end <= entry.value.end <= len(text)
    if found.spot is not None:
        assert 0 <= found.spot.start <= found.spot.end <= len(text)
        assert found.spot.start <= offset <= found.spot.end


@pytest.mark.parametrize(
    "unit", ["[", "{a=", 'a="', '"""', "'''", "a.", "[[a.", "[1,\n", '\\"', "#", "a=[\n", "[[a]]\n", "a={b=[\n"]
)
def test_work_is_linear_in_the_text(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = perf_counter()
        outline(text, size // 2)
        return perf_counter() - start

    assert growth(seconds, 25_000, 100_000, 8.0, 0.02) <= 8.0
