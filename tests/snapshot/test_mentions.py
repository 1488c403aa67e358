"""The paths that a document names, by how they end."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.document.document import Document
from cite_lsp.document.path_token import clean_path, path_start
from cite_lsp.snapshot.mentions import Mentions
from cite_lsp.snapshot.snapshot import Snapshot
from tests.growth import growth


@pytest.mark.parametrize(
    ("text", "tail", "longer"),
    [
        ("see `src/a.py:3`", "a.py", {"src/a.py"}),
        ("see x/src/a.py.", "src/a.py", {"x/src/a.py"}),
        ("_x/src/a.py_", "a.py", {"_x/src/a.py"}),
        ("x\\src\\a.py", "a.py", {"x/src/a.py"}),
        ("x\\src\\a.py", "src/a.py", {"x/src/a.py"}),
        ("`app/[slug]/page.tsx:3`", "[slug]/page.tsx", {"app/[slug]/page.tsx"}),
        ("`app/+page.svelte:3`", "+page.svelte", {"app/+page.svelte"}),
        ("`docs/naïve-файл.md:3`", "naïve-файл.md", {"docs/naïve-файл.md"}),
        ("b/a.py，c/a.py", "a.py", {"b/a.py", "c/a.py"}),
        ("/a.py", "a.py", set()),
        ("a.py and b.py", "a.py", set()),
        ("lib/data.py", "a.py", set()),
        ("lib/a.pyc", "a.py", set()),
        ("lib/a.py.bak", "a.py", set()),
        ("", "a.py", set()),
        ("src/x", "", set()),
    ],
)
def test_longer(text, tail, longer):
    assert Mentions(text).longer(tail) == longer


def looked_for(text: str, tail: str, *, whole_names: bool) -> set[str]:
    """The same by looking through the whole text; `whole_names`: no letter, dot or dash goes on behind the name."""
    found: set[str] = set()
    for at in range(1, len(text)):
        behind = text[at + len(tail) : at + len(tail) + 1]
        if not text.replace("\\", "/").startswith(tail, at) or text[at - 1] not in "/\\" or behind.isalnum():
            continue
        start = path_start(text, 0, at + len(tail))
        if start is not None and start < at - 1 and not (whole_names and behind and behind in "_.-"):
            found.add(clean_path(text[start : at + len(tail)], escaped=False, percent=False).replace("\\", "/"))
    return found


@given(
    st.text(alphabet="ab./\\-_ é[]", max_size=40),
    st.from_regex(r"([ab]{1,2}/)?[\[é]?[ab.-]{1,3}[\]b_]?", fullmatch=True),
)
def test_what_is_found_is_what_a_look_through_the_text_finds(text, tail):
    found = Mentions(text).longer(tail)
    assert found <= looked_for(text, tail, whole_names=False)
    assert found >= looked_for(text, tail, whole_names=True)


def test_names_that_many_files_have_cost_no_more_each_in_a_long_document():
    def seconds(count: int) -> float:
        files = {f"{folder}/n{number}.py": "x\n" for folder in "ab" for number in range(count)}
        text = "".join(f"See `n{number}.py:1` there.\n\n" for number in range(count))
        snapshot = Snapshot.of({**files, "d.md": text})
        document = Document.parse(text, "d.md", snapshot.known)
        anchors = document.anchors
        started = time.process_time()
        statuses = {snapshot.resolve(anchor, document).status for anchor in anchors}
        spent = time.process_time() - started
        assert statuses == {"ambiguous"}
        return spent

    assert growth(seconds, 2000, 8000, 9) <= 9
