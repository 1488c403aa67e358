"""Roles and conditions: what the cited lines give the other way about, by a parser and by text rules alike."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp import Row
from cite_lsp.judges.embedded.claim.claims import Claim
from cite_lsp.judges.embedded.conflicts.condition_conflicts import condition_conflict, condition_told
from cite_lsp.judges.embedded.conflicts.role_conflicts import role_conflict, role_told
from cite_lsp.judges.embedded.lines.code_reading import arguments, split_at, text_facts
from cite_lsp.judges.embedded.lines.reading import Reading
from cite_lsp.worker.parser import Parser

MERGED = ["def merged(user, project):", "    both = {**project, **user}", "    return both"]
UPDATED = ["chosen = dict(from_file)", "chosen.update(from_flags)"]
CHAINED = ["level = args.level or config.level or 'info'"]
BRANCHED = ["if options.token:", "    key = options.token", "else:", "    key = keyring.password()"]
CALLED = ["def close(self):", "    self.drain()", "    self.notify()"]
HANDED = ["def run(self):", "    return callback(request.body, request.headers)"]
MADE = ["left = salt + name", "right = path + method", "one = digest(left)", "two = digest(right)"]
LISTENED = ["leader.on('close', stopFollower)"]
SECONDS = ["def pause(delay_ms):", "    time.sleep(delay_ms / 1000)"]
BOUNDED = ["def join(parts):", "    if len(parts) > 3:", "        raise ValueError('too many parts')"]
GUARDED = ["def send(body):", "    if not body:", "        return None", "    return post(body)"]
CAUGHT = ["def load(path):", "    try:", "        return read(path)", "    except KeyError:", "        return {}"]
SYSTEM = ["if sys.platform == 'win32':", "    backlog = 16", "else:", "    backlog = 64"]
AWAITED = ["async def acquire(self):", "    await self.lock()"]
UNKNOWN = ["match unit {", '    "s" => Ok(1),', "    _ => Err(Error::UnknownUnit),", "}"]
SORTED = ["found = sorted(rows, key=score, reverse=True)"]

AGAINST = [
    (MERGED, "a.py", "The project settings override the user settings.", "**user"),
    (UPDATED, "a.py", "The file takes precedence over the flags.", "from_flags"),
    (CHAINED, "a.py", "`config.level` overrides `args.level`.", "args.level"),
    (BRANCHED, "a.py", "The keyring password wins over the token option.", "options.token"),
    (CALLED, "a.py", "`drain` calls `close`.", "close calls self.drain"),
    (CALLED, "a.py", "It notifies before it drains.", "line 3 calls self.notify"),
    (HANDED, "a.py", "The callback gets the headers first and the body second.", "request.body first"),
    (MADE, "a.py", "one is computed from the method and the path.", "right on line 2"),
    (LISTENED, "a.js", "As soon as a follower closes, the leader is stopped.", "leader has 'close'"),
    (SECONDS, "a.py", "The delay is converted from seconds to milliseconds.", "/ 1000"),
    (BOUNDED, "a.py", "Fewer than 3 parts are rejected.", "len(parts) > 3"),
    (BOUNDED, "a.py", "More than 3 parts are accepted.", "raises ValueError"),
    (BOUNDED, "a.py", "At least 3 parts are rejected.", "len(parts) > 3"),
    (BOUNDED, "a.py", "More than 2 parts are rejected.", "len(parts) > 3"),
    (SYSTEM, "a.py", "The backlog is 16 on every platform.", "if sys.platform"),
    (GUARDED, "a.py", "`send` returns None if the body is given.", "not body"),
    (CAUGHT, "a.py", "`load` raises `KeyError`.", "line 4 catches KeyError"),
    (SYSTEM, "a.py", "On Windows the backlog is 64.", "where not sys.platform"),
    (AWAITED, "a.py", "`acquire` is synchronous.", "async def acquire"),
    (UNKNOWN, "a.rs", "An unknown unit is treated as seconds.", "raises UnknownUnit"),
    (SORTED, "a.py", "Rows are sorted in ascending order.", "reverse=True"),
]
HOLDS = [
    (MERGED, "a.py", "The user settings override the project settings."),
    (UPDATED, "a.py", "The flags take precedence over the file."),
    (CHAINED, "a.py", "`args.level` overrides `config.level`."),
    (BRANCHED, "a.py", "The token option wins over the keyring password."),
    (CALLED, "a.py", "`close` calls `drain`."),
    (CALLED, "a.py", "It drains before it notifies."),
    (HANDED, "a.py", "The callback gets the body first and the headers second."),
    (MADE, "a.py", "two is computed from the method and the path."),
    (SECONDS, "a.py", "The delay is converted from milliseconds to seconds."),
    (BOUNDED, "a.py", "More than 3 parts are rejected."),
    (BOUNDED, "a.py", "Up to 3 parts are accepted."),
    (GUARDED, "a.py", "`send` returns None if the body is missing."),
    (AWAITED, "a.py", "`acquire` must be awaited."),
    (SORTED, "a.py", "Rows are sorted in descending order."),
]
NEITHER = [
    (CHAINED, "a.py", "`config.level` does not override `args.level`."),
    (CALLED, "a.py", "`close` calls `shutdown`."),
    (MERGED, "a.py", "The site settings override the page settings."),
    (BOUNDED, "a.py", "More than 8 parts are accepted."),
    (BOUNDED, "a.py", "At least 4 parts are rejected."),
    (GUARDED, "a.py", "`send` posts the body."),
    (UNKNOWN, "a.rs", "An unknown unit is an error."),
    (CAUGHT, "a.py", "`load` raises `OSError`."),
    (SYSTEM, "a.py", "On Windows the timeout is 64."),
]


@pytest.fixture(scope="module", params=["parsed", "text rules"])
def parser(request: pytest.FixtureRequest) -> Iterator[Parser | None]:
    if request.param == "text rules":
        yield None
        return
    with Parser() as parser:
        yield parser


def read(lines: list[str], path: str, parser: Parser | None = None) -> Reading:
    row = Row.of(claim="", lines=list(enumerate(lines, 1)), path=path, file=lines)
    reading = Reading(row, parser)
    assert parser is None or reading.code is not None
    return reading


def holds(claim: Claim, reading: Reading) -> bool:
    """Whether a fact of the lines says what the claim says of roles or conditions."""
    told = [each for each in (role_told(claim, reading), condition_told(claim, reading)) if each is not None]
    return bool(told) and all(each.holds for each in told)


@pytest.mark.parametrize(("lines", "path", "text", "basis"), AGAINST)
def test_the_other_way_about_is_a_conflict(
    lines: list[str], path: str, text: str, basis: str, parser: Parser | None
) -> None:
    claim, reading = Claim(text), read(lines, path, parser)
    found = role_conflict(claim, reading) or condition_conflict(claim, reading)
    assert found is not None
    assert basis in found.basis
    assert found.lines
    assert not holds(claim, reading)


@pytest.mark.parametrize(("lines", "path", "text"), HOLDS)
def test_the_same_way_about_is_support(lines: list[str], path: str, text: str, parser: Parser | None) -> None:
    claim, reading = Claim(text), read(lines, path, parser)
    assert role_conflict(claim, reading) is None
    assert condition_conflict(claim, reading) is None
    assert holds(claim, reading)


@pytest.mark.parametrize(("lines", "path", "text"), NEITHER)
def test_nothing_is_said_of_what_is_not_there(lines: list[str], path: str, text: str, parser: Parser | None) -> None:
    claim, reading = Claim(text), read(lines, path, parser)
    assert role_conflict(claim, reading) is None
    assert condition_conflict(claim, reading) is None
    assert not holds(claim, reading)


def test_a_text_that_says_it_the_other_way_about_is_a_conflict() -> None:
    reading = read(["`Command.width` overrides `Context.width`, and so do options."], "a.md")
    found = role_conflict(Claim("`Context.width` overrides `Command.width`"), reading)
    assert found is not None
    assert "line 1 says" in found.basis


def test_arguments_are_cut_outside_of_brackets_and_quotations() -> None:
    assert arguments("a, f(b, c), 'd, e', [1, 2]") == ["a", "f(b, c)", "'d, e'", "[1, 2]"]
    assert split_at("a or (b or c)", (" or ",)) == ["a", "(b or c)"]


_PIECES = st.sampled_from(
    "if else not ! is None == ( ) { } [ ] , ; : raise throw return calls overrides before first and second when 3 > x.y"
    " f(a, b) 'q \" ` => .update( = or && || unless more than is accepted Err(E) sorted by Windows".split(" ")
)


@given(st.lists(_PIECES, max_size=30), st.lists(st.lists(_PIECES, max_size=14), min_size=1, max_size=8))
def test_no_text_makes_them_raise(said: list[str], lines: list[list[str]]) -> None:
    claim, reading = Claim(" ".join(said)), read([" ".join(line) for line in lines], "a.py")
    role_conflict(claim, reading)
    condition_conflict(claim, reading)
    holds(claim, reading)
    for fact in text_facts(reading.lines):
        assert 1 <= fact.first <= fact.last <= len(lines)
