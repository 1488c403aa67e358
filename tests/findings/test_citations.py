"""Citations as they are kept: what comes out is what went in, and files are counted and chosen as one by one."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.findings.citations import Citation, Wanted, Wordings
from cite_lsp.findings.symbols import CitedFileQuery, best_symbols

ROOTS = ["/w", "/w/lib", "/other"]
NUMBERS = st.integers(0, 1_000)
FILES = st.sampled_from(["", "/w/a.py", "/w/lib/a.py", "/other/a.py", "/w/src/Retry.py", "/else/b.py"])
SPANS = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), max_size=2).map(tuple)
CITATIONS = st.lists(
    st.builds(Citation, NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.text(max_size=3), FILES, SPANS, st.sampled_from("ab"))
)


@given(st.lists(CITATIONS, max_size=4))
def test_what_comes_out_is_what_went_in(documents):
    wordings = Wordings()
    kept = [wordings.keep(each) for each in documents]
    for citations, each in zip(kept, documents, strict=True):
        assert list(citations) == each
        assert all(isinstance(citation, Citation) for citation in citations)
        assert [citations[at] for at in range(-len(each), len(each))] == each + each
        assert list(citations[1:3]) == each[1:3]
        assert len(citations) == len(each)
        assert citations.files() == {citation.path for citation in each} - {""}
    every = [citation for each in documents for citation in each]
    assert wordings.counted(kept) == Counter(citation.path for citation in every if citation.path)


@given(CITATIONS)
def test_each_file_is_asked_about_once(citations):
    wordings = Wordings()
    asked = []

    def fits(path: str) -> bool:
        asked.append(path)
        return "a" in path

    wanted = Wanted(wordings, fits)
    for _ in range(2):
        found = list(wordings.keep(citations).of_files(wanted))
        assert found == [each for each in citations if "a" in each.path]
    assert sorted(asked) == sorted({each.path for each in citations} - {""})


@given(CITATIONS, st.sampled_from(["", "a", "a.py", "w lib", "retry", "a.py:3", "zzz"]), st.integers(1, 5))
def test_the_best_are_the_same_without_the_files_that_have_none_of_them(citations, typed, limit):
    query = CitedFileQuery(typed, ROOTS)

    def best(files: set[str]) -> list[object]:
        found = (query.symbol(each.path, each.spans, "/w/d.md", each[:4]) for each in citations if each.path in files)
        return best_symbols((each for each in found if each is not None), limit)

    counts = Counter(each.path for each in citations if each.path)
    assert best(query.best_files(counts, limit)) == best(set(counts))
