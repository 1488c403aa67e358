"""Shapes of keys, and lines of ordinary code that are none. The keys here are made up."""

import json
import random
import string
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cite_lsp
from cite_lsp.clients.redaction import REMOVED, kept_back, kept_back_lines, redacted

_random = random.Random(4)


def drawn(length: int, letters: str = string.ascii_letters + string.digits) -> str:
    """A value as keys have it; made here, so that no scanner takes this file for a leak."""
    return "".join(_random.choice(letters) for _ in range(length))


UPPER = string.ascii_uppercase + "234567"
HEX = "0123456789abcdef"

KEYS = {
    "AWS": "AKIA" + drawn(16, UPPER),
    "AWS, for a session": "ASIA" + drawn(16, UPPER),
    "GitHub": "ghp_" + drawn(36),
    "GitHub, of an app": "ghs_" + drawn(36),
    "GitHub, fine-grained": "github_pat_" + drawn(22) + "_" + drawn(59),
    "GitLab": "glpat-" + drawn(20),
    "Slack": "xoxb-" + drawn(12, string.digits) + "-" + drawn(12, string.digits) + "-" + drawn(24),
    "Slack, an address": "https://hooks.slack.com/services/T"
    + drawn(8, UPPER)
    + "/B"
    + drawn(8, UPPER)
    + "/"
    + drawn(24),
    "Stripe": "sk_live_" + drawn(24),
    "Stripe, for tests": "rk_test_" + drawn(24),
    "Google": "AIza" + drawn(35),
    "Google, for clients": "GOCSPX-" + drawn(28),
    "OpenAI": "sk-" + drawn(48),
    "OpenAI, of a project": "sk-proj-" + drawn(40) + "_" + drawn(40),
    "Anthropic": "sk-ant-api03-" + drawn(80) + "-" + drawn(6) + "AA",
    "npm": "npm_" + drawn(36),
    "PyPI": "pypi-AgEIcHlwaS5vcmc" + drawn(80),
    "JWT": "eyJ" + drawn(30) + ".eyJ" + drawn(60) + "." + drawn(43),
    "PEM": "-----BEGIN RSA PRIVATE KEY-----",
    "PEM, without algorithm": "-----BEGIN PRIVATE KEY-----",
    "PEM, OpenSSH": "-----BEGIN OPENSSH PRIVATE KEY-----",
    "PGP": "-----BEGIN PGP PRIVATE KEY BLOCK-----",
    "Azure": "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + drawn(86) + "==;EndpointSuffix=core",
    "Azure, a queue": "Endpoint=sb://a/;SharedAccessKeyName=n;SharedAccessKey=" + drawn(43) + "=",
    "Twilio": "SK" + drawn(32, HEX),
    "SendGrid": "SG." + drawn(22) + "." + drawn(43),
    "Hugging Face": "hf_" + drawn(34),
    "DigitalOcean": "dop_v1_" + drawn(64, HEX),
    "a password in an address": "postgres://app:" + drawn(12) + "@db.internal:5432/app",
    "base64 of a key": drawn(63, string.ascii_letters + string.digits + "+/") + "0",
}
SETTINGS = ("{}", 'x = "{}"', "KEY={}", "  - name: '{}'", "# {} was here", '{{"a": "{}"}}', "f({})")


@pytest.mark.parametrize("name", list(KEYS))
def test_each_shape(name: str) -> None:
    for setting in SETTINGS:
        line = setting.format(KEYS[name])
        if name == "base64 of a key" and setting in ('x = "{}"', "KEY={}", "# {} was here", '{{"a": "{}"}}', "f({})"):
            continue  # a row of a block stands alone
        if name == "base64 of a key" and setting == "  - name: '{}'":
            continue
        assert kept_back(line), line
        if not name.startswith(("PEM", "PGP", "base64")):
            assert REMOVED in redacted(line)


NAMED = [
    'api_key = "{}"',
    "api_key: '{}'",
    'API_KEY="{}"',
    "OPENAI_API_KEY={}",
    'const apiKey = "{}";',
    '"apiKey": "{}",',
    'client_secret: str = "{}"',
    'password := "{}"',
    "aws_secret_access_key = {}",
    ":secret_token => '{}'",
    'headers["Authorization"] = "Bearer {}"',
    "curl -H 'Authorization: Bearer {}' https://x",
    'os.environ["DB_PASSWORD"] = "{}"',
    'private String authToken = "{}";',
]


@pytest.mark.parametrize("line", NAMED)
@pytest.mark.parametrize("value", [drawn(40) + "7a", drawn(32, HEX) + "9f", drawn(24) + "Q4", drawn(38) + "/+1="])
def test_a_value_that_was_drawn_under_a_name_that_tells(line: str, value: str) -> None:
    assert kept_back(line.format(value))
    assert value not in redacted(line.format(value))


ORDINARY = [
    'api_key = os.environ["OPENAI_API_KEY"]',
    "api_key = settings.openai_api_key_2024",
    'api_key = "your-api-key-goes-here-1"',
    'api_key = "sk-..."',
    'api_key = "${OPENAI_API_KEY_2}"',
    'api_key = "<insert your key 1 here>"',
    'API_KEY = "xxxxxxxxxxxxxxxxxxxx1"',
    "export OPENAI_API_KEY=sk-your-key",
    "secret_name = 'prod/database/credentials-2024'",
    'token = "next_page_token_v2_of_list"',
    "token: str = field(default_factory=make_token_1)",
    'password = "correct horse battery staple"',
    "passwords = [row.password for row in rows if row.active1]",
    "self.token_count = count_tokens_in(self.text_2)",
    "token = get_token_v2_for_user_1_and_project",
    "MAX_TOKENS = 8192",
    "the secret is to keep the line number: src/app.py:24-26",
    "postgres://user:password@localhost/db",
    "postgres://${USER}:${PASSWORD}@localhost/db",
    "redis://:@localhost:6379/0",
    "https://example.org:8080/a@b",
    "git@github.com:owner/repository.git",
    "http://localhost:8000/users/me@example.org",
    "see https://example.org/blob/4f1c0d9e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e/src/a.py#L24",
    "commit 4f1c0d9e8b7a6f5e4d3c2b1a0f9e8d7c6b5a4f3e",
    'sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "id = '123e4567-e89b-12d3-a456-426614174000'",
    '"integrity": "sha512-' + "a" * 40 + '"',
    "def test_a_key_that_is_kept_under_a_name_that_is_very_long_indeed_is_found(self):",
    "AbstractSingletonProxyFactoryBeanWithAVeryLongNameThatGoesOnAndOn",
    "task-sk-and-more: risk-assessment-of-the-whole-organisation-2024",
    "hf_hub_download(repo_id, filename)",
    "npm_config_registry=https://registry.npmjs.org",
    "xoxo",
    "SGD.optimizer.step",
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----",
    "ssh-keygen -t ed25519",
    "=" * 64,
    "-" * 64,
    "/usr/local/share/ca-certificates/extra/internal/root/authority/x1",
    "",
]


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_lines(line: str) -> None:
    assert not kept_back(line)


def test_few_false_alarms_in_much_code() -> None:
    roots = [Path(cite_lsp.__file__).parent]
    stdlib = Path(sysconfig.get_paths()["stdlib"])
    roots += [stdlib / part for part in ("asyncio", "collections", "concurrent", "email", "http", "json", "logging")]
    lines = [
        (str(path), number, line)
        for root in roots
        for path in root.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]
    assert len(lines) > 30_000
    alarms = [place for place in lines if kept_back(place[2])]
    assert len(alarms) <= len(lines) / 10_000, alarms


def test_lines_inside_of_a_private_key() -> None:
    body = [drawn(64) for _ in range(3)]
    short = drawn(12) + "=="
    begin, end = "-----BEGIN EC PRIVATE KEY-----", "-----END EC PRIVATE KEY-----"
    assert kept_back_lines(["a = 1", begin, *body, short, end, "b = 2"]) == frozenset(range(1, 7))
    assert kept_back_lines([*body, short, end, "b = 2"]) == frozenset(range(5))
    assert kept_back_lines(["a = 1", begin, short]) == frozenset({1, 2})
    assert kept_back_lines(["a = 1", "b = 2"]) == frozenset()
    assert kept_back_lines([]) == frozenset()


def test_a_line_that_is_too_long_is_kept_back() -> None:
    assert kept_back("a " * 20_000)


@pytest.mark.parametrize(
    "text",
    [
        "eyJ" * 7_000,
        "A1b/" * 5_000,
        "sk-" * 6_000,
        "a://" * 5_000,
        'key = "' * 2_800,
        "token" * 4_000,
        "-----BEGIN " * 1_800,
    ],
)
def test_texts_that_are_meant_to_take_long(text: str, ends) -> None:
    with ends():
        kept_back(text)
        redacted(text * 3, [text[:30]])


@given(st.text(max_size=100), st.text(alphabet=string.ascii_letters + string.digits + "+/=-_.%", min_size=4), st.text())
def test_a_secret_is_nowhere_in_what_is_left(before: str, secret: str, after: str) -> None:
    assert secret not in redacted(before + secret + after, [secret]).replace(REMOVED, "")


@pytest.mark.parametrize("secret", ["p@ss/word&1", drawn(40), 'quo"te\\d1'])
def test_a_secret_is_found_in_whatever_way_it_is_written(secret: str) -> None:
    import base64
    from urllib.parse import quote

    for written in (secret, quote(secret, safe=""), base64.b64encode(secret.encode()).decode(), secret.upper()):
        assert written not in redacted(f"the key {written} is not known", [secret])


@pytest.mark.parametrize("secret", ["abc/Def+ghij/klmn0123/456=", "p@ss/word&1", "a<b>&c/d"])
def test_a_secret_is_found_as_json_may_write_it(secret: str) -> None:
    slashes = secret.replace("/", "\\/")
    codes = "".join(each if each.isalnum() else f"\\u{ord(each):04X}" for each in secret)
    for written in (slashes, codes, codes.lower(), slashes.replace("+", "\\u002b")):
        assert redacted(f'{{"key": "{written}", "n": 1}}', [secret]) == f'{{"key": "{REMOVED}", "n": 1}}'


def test_what_servers_show_of_a_key() -> None:
    assert redacted("Incorrect API key provided: sk-abc12***********wxyz.") == f"Incorrect API key provided: {REMOVED}"


@given(st.text())
def test_texts_without_keys_stay(text: str) -> None:
    plain = "".join(each for each in text if each.isspace() or each.isalpha())[:15]
    assert redacted(plain) == plain


def test_lines_of_a_settings_file() -> None:
    data = {
        "model": "gpt-5",
        "max_tokens": 4096,
        "base_url": "https://api.openai.com/v1",
        "api_key_env": "OPENAI_API_KEY",
    }
    assert not any(kept_back(line) for line in json.dumps(data, indent=2).splitlines())
