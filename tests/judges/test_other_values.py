"""Conflicts of values: another number, version, switch, member of a family, rate, bound; and what holds back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp import Row
from cite_lsp.judges.embedded.claim.claims import Claim
from cite_lsp.judges.embedded.conflicts.other_values import OTHER_VALUES
from cite_lsp.judges.embedded.conflicts.rivals import families
from cite_lsp.judges.embedded.lines.alignment import Index, align
from cite_lsp.judges.embedded.lines.reading import Reading

POOL = "def connect(host, pool_size=8, *, reuse=True, skip_checks=False, idle_timeout=30):"


def against(claim: str, text: str, path: str = "src/pool.py", language: str | None = "python") -> str:
    """Give the basis of the first conflict of values, or ""."""
    lines = text.split("\n")
    row = Row.of(claim=claim, lines=list(enumerate(lines, 1)), path=path, file=lines)
    reading = Reading(row)
    found = (check(clause, reading) for clause in Claim(claim).clauses for check in OTHER_VALUES)
    return next((conflict.basis for conflict in found if conflict is not None), "")


@pytest.mark.parametrize(
    ("claim", "text", "basis"),
    [
        ("Idle connections are closed after ten minutes.", POOL, "ten minutes, line 1 says idle_timeout=30"),
        (
            "Workers are retried at most nine times.",
            "MAX_WORKER_RETRIES = 4",
            "nine, line 1 says MAX_WORKER_RETRIES = 4",
        ),
        (
            "The nonce is 24 bytes long.",
            "nonce = os.token_bytes(12)",
            "24 bytes, line 1 says nonce = os.token_bytes(12)",
        ),
        (
            "The parse cache holds five thousand entries.",
            "const parseCache = new LRU({ max: 200 })",
            "LRU({ max: 200 })",
        ),
        (
            "The number of jobs is 16 by default.",
            'parser.add_argument(\n    "--jobs",\n    type=int,\n    default=4,\n)',
            "16, line 4 says default=4 for jobs",
        ),
        (
            "The header costs six extra bytes a block.",
            "# A block is preceded by a header of 12 bytes.",
            "six extra bytes",
        ),
        ("A failed run returns 3.", "def run():\n    return 1", "3, line 2 says return 1"),
    ],
)
def test_another_number_beside_the_words_is_named(claim: str, text: str, basis: str) -> None:
    assert basis in against(claim, text)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Idle connections are closed after half a minute.", "IDLE_TIMEOUT_MS = 30 * 1000"),
        ("The upload limit is 1 MiB.", "UPLOAD_LIMIT = 1 << 20"),
        ("The upload limit is ten KB.", "UPLOAD_LIMIT = 10 * 1024"),
        ("Keys are rotated every three months.", "# Keys are rotated every 90 days."),
        ("The write timeout is 60 seconds.", "def send(data, *, timeout=30): ..."),
        ("A timeout of 0 disables it.", "def send(data, *, timeout=30): ..."),
        ("The key is a 4-tuple.", "KEY = 3"),
        ("The buffer is four times the usual size.", "BUFFER_SIZE = 32 * 1024"),
        ("The timeout was 10 seconds.", "timeout = 30"),
        ("The depth is 32.", "#define MAX_DEPTH 64"),
        ("Three parsers share one cache.", "cache = {}"),
    ],
)
def test_the_same_value_or_another_thing_is_no_conflict(claim: str, text: str) -> None:
    assert against(claim, text) == ""


@pytest.mark.parametrize(
    ("claim", "text", "basis"),
    [
        ("the build needs hatchling 1.20 or newer", 'requires = ["hatchling>=1.26"]', "1.20 or newer, line 1"),
        ("the range shuts out attrs 23.x", '    "attrs>=22.1,<24",', "23 is shut out, line 1 says attrs>=22.1,<24"),
        ("tqdm is pinned to exactly 4.66.0", '"tqdm": "4.67.1"', "exactly 4.66.0"),
        (
            "lodash is pinned to exactly 4.17.21",
            '"lodash": "^4.17.21"',
            'exactly 4.17.21, line 1 says "lodash": "^4.17.21"',
        ),
        ("the database is PostgreSQL 15", "image: postgres:16-alpine", "version 15, line 1 says image: postgres:16"),
        ("Python 3.9 or older is needed", "python_requires = >=3.9", "at most 3.9"),
        ("Python 3.8 is the floor", 'requires-python = ">=3.10"', "3.8 or newer"),
        (
            "the plugin works from Vim 8 onwards",
            "The plugin needs Vim 9.1 or later.",
            "8 or newer, line 1 says Vim 9.1 or later",
        ),
    ],
)
def test_another_version_is_named(claim: str, text: str, basis: str) -> None:
    assert basis in against(claim, text)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("the build needs hatchling 1.26 or newer", 'requires = ["hatchling>=1.26.0"]'),
        ("the range shuts out attrs 24.x", '    "attrs>=22.1,<24",'),
        ("the range admits attrs 23.x", '    "attrs>=22.1,<24",'),
        ("Python 3.10 is the floor", 'requires-python = ">=3.10.0"'),
        ("the floor was raised from 3.8 to 3.10", 'requires-python = ">=3.10"'),
        ("Python older than 3.9 is not supported", "python_requires = >=3.9"),
        ("the build needs flit 3 or newer", 'requires = ["hatchling>=1.26"]'),
    ],
)
def test_the_same_version_is_no_conflict(claim: str, text: str) -> None:
    assert against(claim, text) == ""


@pytest.mark.parametrize(
    ("claim", "text", "named"),
    [
        ("Checks are skipped by default.", POOL, "skip_checks=False"),
        ("Checks are skipped unless told otherwise.", POOL, "skip_checks=False"),
        ("Connections are not reused by default.", POOL, "reuse=True"),
        ("Colour is on unless `no_color` is turned off.", "no_color: bool = False", "no_color: bool = False"),
        ("The header row is kept by default.", "def rows(path, *, skip_header=True):", "skip_header=True"),
        ("Strict mode is off until somebody enables it.", "strict_mode = True", "strict_mode = True"),
        (
            "The dry run is on by default.",
            'parser.add_argument("--dry-run", action="store_true")',
            "store_true",
        ),
    ],
)
def test_a_switch_that_stands_the_other_way_is_named(claim: str, text: str, named: str) -> None:
    assert named in against(claim, text)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Checks are not skipped by default.", POOL),
        ("Connections are reused by default.", POOL),
        ("The header row is skipped by default.", "def rows(path, *, skip_header=True):"),
        ("The header row is not kept by default.", "def rows(path, *, skip_header=True):"),
        ("Strict mode is on until somebody disables it.", "strict_mode = True"),
        ("Checks are skipped when reuse is on.", POOL),
    ],
)
def test_a_switch_that_stands_so_is_no_conflict(claim: str, text: str) -> None:
    assert against(claim, text) == ""


@pytest.mark.parametrize(
    ("claim", "text", "basis"),
    [
        ("Files are read as latin-1.", "def read_file(path, encoding='utf-8'):", "latin-1, line 1"),
        ("Passwords are hashed with bcrypt.", "def hash_password(raw):\n    return scrypt(raw)", "bcrypt, line 2"),
        ("HS256 tokens are accepted.", 'ACCEPTED_TOKENS = ("RS256", "ES256")', "HS256, line 1"),
        ("The default log level is debug.", 'LOG_LEVEL = "info"', 'debug, line 1 says LOG_LEVEL = "info"'),
    ],
)
def test_a_rival_is_named(claim: str, text: str, basis: str) -> None:
    assert basis in against(claim, text)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Files are read as UTF8.", "def read_file(path, encoding='utf-8'):"),
        ("Files are converted from latin-1.", "def read_file(path, encoding='utf-8'):"),
        ("Files are not read as latin-1.", "def read_file(path, encoding='utf-8'):"),
        ("RS256 tokens are accepted.", 'ACCEPTED_TOKENS = ("RS256", "ES256")'),
        ("Requests to Redis are counted.", "# the worker speaks to postgres"),
    ],
)
def test_no_rival_no_conflict(claim: str, text: str) -> None:
    assert against(claim, text) == ""


@pytest.mark.parametrize(
    ("claim", "text", "basis"),
    [
        ("A key may send 50 requests per hour.", "# A key may send 50 requests per minute.", "50 per hour"),
        ("Signing keys are rotated weekly.", "# Signing keys are rotated every 30 days.", "weekly"),
        ("The read limit is 10.", "# The read limit was changed from 10 to 20.", "10, line 1"),
        (
            "`retries` is required.",
            "interface Options {\n  retries?: number;\n}",
            "required, line 2 says retries?: number",
        ),
        ("The server listens on port 80.", "listen 8443 ssl;", "port 80, line 1"),
        (
            "Bodies smaller than MAX_BODY are rejected.",
            "if size > MAX_BODY:\n    raise TooLarge",
            "smaller than MAX_BODY",
        ),
        ("The queue holds over 500 jobs.", "# The queue holds under 500 jobs.", "over 500"),
    ],
)
def test_rates_changes_ports_and_bounds_are_named(claim: str, text: str, basis: str) -> None:
    assert basis in against(claim, text)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("A key may send 50 requests per minute.", "# A key may send 50 requests per minute."),
        ("Signing keys are rotated monthly.", "# Signing keys are rotated every 30 days."),
        ("The read limit was 10.", "# The read limit was changed from 10 to 20."),
        ("With TLS the server listens on port 443.", "listen 8443;"),
        ("Bodies larger than MAX_BODY are rejected.", "if size > MAX_BODY:\n    raise TooLarge"),
        ("Bodies smaller than MAX_BODY are accepted.", "if size > MAX_BODY:\n    raise TooLarge"),
    ],
)
def test_what_agrees_is_no_conflict(claim: str, text: str) -> None:
    assert against(claim, text) == ""


@pytest.mark.parametrize(
    ("value", "line", "stands"),
    [
        ("half a minute", "T = 30 * 1000", True),
        ("2,000 ms", "interval = 2 * time.Second", True),
        ("half an hour", "timedelta(minutes=30)", True),
        ("a minute and twelve seconds", "Default: `72000` (72 seconds)", True),
        ("64 megabytes", "64 * 1024 * 1024", True),
        ("one year", "# kept for 12 months", True),
        ("60 seconds", "60 minutes", False),
        ("1 GiB", "maxSurge: 1", False),
        ("60 seconds", "x = 1", False),
    ],
)
def test_a_value_is_found_in_another_form(value: str, line: str, stands: bool) -> None:
    found = [found for term, found in align(Claim(f"it is {value}"), Index([line])).pairs if term.kind == "value"]
    assert [each is not None for each in found] == [stands]


def test_no_member_stands_in_two_families() -> None:
    names = [name for family in families() for name, _ in family.members]
    assert len(names) == len(set(names))


@given(st.text(max_size=200), st.lists(st.text(max_size=120), min_size=1, max_size=4))
def test_no_text_raises(claim: str, lines: list[str]) -> None:
    against(claim, "\n".join(lines))


_WORDS = st.sampled_from(
    "timeout=0o9 default=5 for 'jobs' port 80 per hour every 3 months >=1.2,<3 ^4 from 1 to 2 is optional ${A:?b} over"
    " 10,000 ( ) [ ] unless it is switched on off utf-8 md5 return 1 image: a:1.2 0x_ 1e9 99999999 years half second"
    " `x=True` not -".split()
)


@given(st.lists(_WORDS, max_size=30), st.lists(_WORDS, max_size=60))
def test_no_mix_of_what_is_looked_for_raises(claim: list[str], line: list[str]) -> None:
    against(" ".join(claim), " ".join(line))
