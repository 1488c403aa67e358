"""Claims of which only a part is carried, and claims about something else: what is said, and what holds it back."""

from time import process_time

import pytest

from cite_lsp import Row
from cite_lsp.judges.embedded.beside.elsewhere import FileWords
from cite_lsp.judges.embedded.beside.laid import STRONG, Laid
from cite_lsp.judges.embedded.claim.claims import Claim
from cite_lsp.judges.embedded.claim.terms import Term, terms_of
from cite_lsp.judges.embedded.lines.alignment import Index
from cite_lsp.judges.embedded.lines.reading import Reading
from cite_lsp.judges.embedded.off_topic import off_topic
from cite_lsp.judges.embedded.partial import half_carried

FILE = '''\
"""Keeps what was fetched."""

import os

DEFAULT_SIZE = _size_of_pages()


def open_store(folder):
    """Open the store; its index is read from the folder."""
    index = read_index(folder)
    return Store(index, folder)


def close_store(store):
    """Write the index of the store and release its lock."""
    write_index(store.index, store.folder)
    store.lock.release()


def evict(store, keep=DEFAULT_SIZE):
    """Remove the pages that were not asked for lately."""
    for page in oldest(store.pages, keep):
        store.pages.remove(page)


def compress_pages(store, level):
    """Shrink every page with zlib at a level."""
    for page in store.pages:
        page.body = zlib.compress(page.body, level)
'''.split("\n")

CHANGES = """\
# Changes

## 2.4.0

- The store can be closed twice.
- Pages are compressed.

## 2.3.1

- Evicting pages of an empty store no longer fails.

## 2.3.0

- First public release.
""".split("\n")


def laid(claim: str, first: int, last: int, path: str = "src/store.py", file: list[str] | None = None) -> Laid:
    file = FILE if file is None else file
    cited = [(number, file[number - 1]) for number in range(first, last + 1)]
    return Laid(Claim(claim), Reading(Row.of(claim=claim, lines=cited, path=path, file=file)))


MISSING = {
    "Closing writes the index of the store, because the kernel may lose unflushed blocks.": ("the cause", "'kernel'"),
    "Closing writes the index of the store, and a mirror on the network gets a copy.": ("", "'mirror'"),
    "The lock of the store is released on every operating system, Solaris included.": ("the reach", "'operating"),
    "The lock of the store is released so that crashed workers recover quickly.": ("the purpose", "'crashed'"),
}


@pytest.mark.parametrize("claim", MISSING)
def test_a_part_that_no_line_says_is_named(claim: str) -> None:
    half = half_carried(laid(claim, 14, 17))
    assert half is not None
    name, word = MISSING[claim]
    assert f"of {name}".rstrip() in half.basis
    assert word in half.basis
    assert half.basis.startswith("line ")
    assert half.lines


def test_an_amount_that_is_hidden_behind_a_name() -> None:
    half = half_carried(laid("By default evict keeps 512 pages of the store.", 20, 23))
    assert half is not None
    assert half.basis.endswith("the cited lines have no number for '512'")


@pytest.mark.parametrize(
    ("claim", "first", "last"),
    [
        ("Closing writes the index of the store and releases its lock.", 14, 17),
        ("Closing writes the index of the store.", 14, 17),
        ("Two functions open the store and read its index.", 8, 11),  # code counts nothing
        ("Closing writes the index (`src/store.py:16`), and a mirror on the network gets a copy.", 14, 17),
        ("Closing writes the index, and the mirror gets it (`src/store.py:16`, `src/mirror.py:3`).", 14, 17),
        ("Step: closing writes the index; Why: kernels lose unflushed blocks; Where: everywhere", 14, 17),
    ],
)
def test_what_is_carried_or_may_stand_elsewhere_is_not_half_carried(claim: str, first: int, last: int) -> None:
    assert half_carried(laid(claim, first, last)) is None


def test_an_amount_in_whose_place_a_bare_name_stands() -> None:
    file = ["def follow(options, reply):", "    if options.redirects > options.maxRedirects:", "        reply.fail()"]
    half = half_carried(laid("The helper puts up with seven redirects and then fails the reply.", 1, 3, file=file))
    assert half is not None
    assert half.basis == "line 2 has options.maxRedirects where the claim says 'seven', and no number"


def test_what_the_file_says_at_its_head_is_not_missing() -> None:
    claim = "Closing writes the index of the store, so that tests need not wait."
    file = list(FILE)
    assert half_carried(laid(claim, 14, 17, file=file)) is not None
    file[0] = '"""Keeps what was fetched, so that tests do not wait for it."""'
    assert half_carried(laid(claim, 14, 17, file=file)) is None


def test_whole_seconds_may_be_said_by_a_division() -> None:
    file = ["def age(options):", "    options.age = floor(options.age / 1000)"]
    assert (
        half_carried(laid("Callers give the age in options; what lands there is whole seconds.", 1, 2, file=file))
        is None
    )


def test_an_amount_is_not_missed_where_lines_have_numbers() -> None:
    file = ["def wait(seconds=POLL_EVERY, tries=7):", "    pause(seconds)"]
    assert half_carried(laid("wait pauses for 30 seconds.", 1, 2, file=file)) is None


@pytest.mark.parametrize("status", ["404", "410"])
def test_an_amount_that_code_says_by_name_is_not_missed(status: str) -> None:
    file = ["def missing(request):", "    return Response(status=HTTPStatus.NOT_FOUND)"]
    assert half_carried(laid(f"A missing response has status {status}.", 1, 2, file=file)) is None


def test_comments_alone_and_numbers_that_may_follow_say_nothing() -> None:
    ends = ["def stop(server):", "    server.close()", "", "", "# done"]
    assert off_topic(laid("The server is closed by stop.", 5, 5, file=ends)) is None
    assert off_topic(laid("A request is sent four times at most.", 1, 1, file=["RETRIES = 3"])) is None
    assert off_topic(laid("A request is sent over a fresh connection.", 1, 1, file=["RETRIES = 3"])) is not None


def test_words_that_stand_together_elsewhere() -> None:
    found = off_topic(laid("Every page is shrunk with zlib at a level.", 8, 11))
    assert found is not None
    assert found.kind == "off-topic"
    assert found.basis == "lines 26 to 27 have 'shrunk', 'zlib', 'level', and the cited lines do not"


def test_a_name_that_stands_elsewhere() -> None:
    found = off_topic(laid("`compress_pages` is given a folder.", 14, 17))
    assert found is not None
    assert "'compress_pages'" in found.basis


@pytest.mark.parametrize(
    ("claim", "first", "last"),
    [
        ("The index of the store is written and its lock released.", 14, 17),
        ("`close_store` shrinks every page with zlib at a level.", 14, 17),  # they are about it
        ("The index is written, and every page is shrunk with zlib.", 14, 17),  # a part is carried
        ("Pages that nobody asked for lately are removed.", 21, 22),  # the comment above says so
    ],
)
def test_what_is_here_at_least_in_part_is_on_topic(claim: str, first: int, last: int) -> None:
    assert off_topic(laid(claim, first, last)) is None


def test_a_line_of_the_same_shape_is_cited() -> None:
    file = ["if find(reply, EIGHTBIT):", "    extensions.push(EIGHTBIT)", "", "if find(reply, PIPELINING):"]
    against = off_topic(laid("Pipelining is noted once the server lists it.", 1, 2, path="a.py", file=file))
    assert against is not None
    assert against.basis == (
        "line 4 has 'Pipelining', where the cited line 1, otherwise much like it, says if find(reply, EIGHTBIT)"
    )
    assert off_topic(laid("Eightbit is noted once the server lists it.", 1, 2, path="a.py", file=file)) is None


def test_of_another_version() -> None:
    found = off_topic(laid("Version 2.3.1 mended the closing of stores.", 5, 5, "CHANGELOG.md", CHANGES))
    assert found is not None
    assert found.basis == (
        "the claim is about 2.3.1, which has its section at line 8; the cited lines stand under 2.4.0, line 3"
    )


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("2.3.1 mended the evicting of pages of an empty store.", 10),
        ("9.9.9 lets the store be closed twice.", 5),
        ("The store can be closed twice.", 5),
    ],
)
def test_of_its_own_version_or_none(claim: str, line: int) -> None:
    found = off_topic(laid(claim, line, line, "CHANGELOG.md", CHANGES))
    assert found is None or "section" not in found.basis


def test_files_that_say_nothing() -> None:
    assert off_topic(laid("Every page is shrunk with zlib at a level.", 1, 1, file=[""])) is None


WORDS = (
    "Retries are sent after 30 seconds, half a minute, 1,000 times; `maxRetries` and `keep-alive` in a configuration."
)
TEXTS = [
    "MAX_RETRIES = 3",
    "def send(cfg, timeout_ms=30_000):",
    "    # we retry; keep-alive is off, keepAlive too",
    "    return post(cfg, wait=30)  # thirty",
    "colour = behaviour(0x1E, 30 * 1000)",
    "nothing at all",
    "it is 1000 or 1,000 or 1e3; a second",
    "RETRYING and reTry and retries",
    "\u0130stanbul sends the configuration",
]


def test_a_file_is_searched_as_lines_are() -> None:
    """The search by text finds what the index of all lines does."""
    index, words = Index(TEXTS), FileWords(TEXTS)

    def by_index(term: Term) -> tuple[int, ...]:
        found = index.find(term)
        return tuple(at + 1 for at in found.at) if found is not None and found.how in STRONG else ()

    terms = [term for term in terms_of(Claim(WORDS)) if term.kind != "value"]
    assert len(terms) > 6
    assert {term.text: words.lines_of(term) for term in terms} == {term.text: by_index(term) for term in terms}
    assert any(words.lines_of(term) for term in terms)


def test_numbers_are_searched_as_they_are_written() -> None:
    words = FileWords(TEXTS)
    found = {term.text: words.lines_of(term) for term in terms_of(Claim(WORDS)) if term.kind == "value"}
    assert found == {"30 seconds": (2, 4, 5), "half a minute": (2, 4, 5), "1,000": (5, 7)}


def test_a_file_of_one_word_is_searched_in_bounded_time() -> None:
    (term,) = terms_of(Claim("settled"))
    start = process_time()
    assert FileWords(["set " * 150] * 20_000).lines_of(term) == ()
    assert process_time() - start < 5
