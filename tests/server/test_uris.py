"""URIs and paths: the same document has one key, and nothing raises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.server.uris import key, to_path, to_uri


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///folder/a.md", "/folder/a.md"),
        ("FILE:///folder/a.md", "/folder/a.md"),
        ("file:/folder/a.md", "/folder/a.md"),
        ("file://localhost/folder/a.md", "/folder/a.md"),
        ("file://LOCALHOST/folder/a.md", "/folder/a.md"),
        ("file:///folder/a%20b%23c%3F.md", "/folder/a b#c?.md"),
        ("file:///folder/%E6%97%A5.md", "/folder/日.md"),
        ("file:///folder/日.md", "/folder/日.md"),
        ("file:///folder/a.md#L3", "/folder/a.md"),
        ("file:///folder/a.md?x=1", "/folder/a.md"),
        ("file:///folder/./b/../a.md", "/folder/a.md"),
        ("file:///folder//a.md", "/folder/a.md"),
        ("file:///folder/", "/folder"),
        ("file:///", "/"),
        ("file:///folder/100%.md", "/folder/100%.md"),
        ("file:///folder/%zz%4", "/folder/%zz%4"),
        ("file:///folder/%FF", "/folder/\udcff"),
        ("file:///c%3A/x", "C:/x"),
        ("file:///C:/x", "C:/x"),
        ("file:///c:", "C:/"),
        ("file:///c:x", "/c:x"),
        ("file://server/share/a.md", "//server/share/a.md"),
        ("file://SERVER/share/a.md", "//server/share/a.md"),
        ("file:////server/share/a.md", "//server/share/a.md"),
        ("file:", None),
        ("file:a.md", None),
        ("file://", None),
        ("file:///folder/a%00.md", None),
        ("untitled:Untitled-1", None),
        ("untitled:/folder/a.md", None),
        ("vscode-remote://wsl%2Bubuntu/folder/a.md", None),
        ("git:/folder/a.md?ref", None),
        ("http://example.org/a.md", None),
        ("files:///folder/a.md", None),
        ("", None),
        ("/folder/a.md", None),
    ],
)
def test_the_path_of_a_uri(uri: str, path: str | None) -> None:
    assert to_path(uri) == path


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/folder/a.md", "file:///folder/a.md"),
        ("/folder/a b#c?%.md", "file:///folder/a%20b%23c%3F%25.md"),
        ("/folder/日~-_.md", "file:///folder/%E6%97%A5~-_.md"),
        ("/folder/\udcff", "file:///folder/%FF"),
        ("C:/x", "file:///c%3A/x"),
        ("c:\\x\\y", "file:///c%3A/x/y"),
        ("//server/share/a.md", "file://server/share/a.md"),
        ("\\\\server\\share", "file://server/share"),
        ("/", "file:///"),
    ],
)
def test_the_uri_of_a_path(path: str, uri: str) -> None:
    assert to_uri(path) == uri


@pytest.mark.parametrize(
    "spellings",
    [
        ["file:///c%3A/x/a.md", "file:///C:/x/a.md", "file:///c:/x/a.md", "file://localhost/C%3a/x/a.md"],
        ["file:///folder/a%2Bb.md", "file:///folder/a+b.md", "file:/folder/a+b.md", "file:///folder/./a%2bb.md"],
        ["file://Server/share/a.md", "file:////server/share/a.md"],
    ],
)
def test_spellings_of_one_document_have_one_key(spellings: list[str]) -> None:
    assert len({key(uri) for uri in spellings}) == 1


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "git:/a.md", "file:///a%00", "", "nonsense"])
def test_what_is_no_file_is_its_own_key(uri: str) -> None:
    assert key(uri) == uri


TEXTS = st.text(st.characters(exclude_characters="\0", categories=None), max_size=30)


@given(TEXTS)
def test_nothing_raises_and_keys_are_stable(text: str) -> None:
    for uri in (text, "file://" + text, "file:///" + text):
        to_path(uri)
        assert key(key(uri)) == key(uri)


@given(
    st.lists(TEXTS.map(lambda text: text.replace("/", "")).filter(lambda name: name not in ("", ".", "..")), min_size=1)
)
def test_a_path_survives_the_way_through_a_uri(names: list[str]) -> None:
    path = "/" + "/".join(["work", *names])
    uri = to_uri(path)
    assert uri.isascii()
    assert to_path(uri) == path or any("\ud800" <= char <= "\udfff" for char in path)
