"""Families of which a thing is usually one: another hash, another level, another format than the claim says."""

import re
from dataclasses import dataclass
from functools import lru_cache

from cite_lsp.judges.embedded.beside.laid import WORDED
from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.terms import Term
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.conflict import NEAR, Conflict, another_case
from cite_lsp.judges.embedded.conflicts.polarity import NEGATION
from cite_lsp.judges.embedded.lines.alignment import Index, align, weight
from cite_lsp.judges.embedded.lines.facts import Line
from cite_lsp.judges.embedded.lines.reading import Reading

_FAMILIES = """
hash function: md5; sha1, sha-1; sha224, sha-224; sha256, sha-256; sha384, sha-384; sha512, sha-512; blake2b; \
blake2s; blake3; crc32; xxhash; siphash; murmur3
password hash: bcrypt; scrypt; argon2, argon2id, argon2i; pbkdf2
cipher: aes-128, aes128; aes-192, aes192; aes-256, aes256; chacha20; 3des; blowfish; rc4
cipher mode: gcm; cbc; ctr; ecb; ccm
signature: hs256; hs384; hs512; rs256; rs384; rs512; es256; es384; es512; ps256; eddsa, ed25519
database: postgresql, postgres; mysql; mariadb; sqlite, sqlite3; mongodb, mongo; redis; memcached, memcache; \
cassandra; dynamodb; elasticsearch; duckdb; clickhouse
encoding: utf-8, utf8; utf-16, utf16; utf-32, utf32; ascii; latin-1, latin1, iso-8859-1, iso8859-1; \
cp1252, windows-1252; base64; base32
log level: debug; info; notice; warning; critical; fatal; verbose
system: linux; windows, win32, win_amd64, nt; macos, darwin, osx; freebsd; openbsd; solaris; android
format: json; yaml, yml; toml; xml; csv; ini; msgpack, messagepack; protobuf; cbor; ndjson, jsonl; html; markdown
compression: gzip; zlib; deflate; brotli; zstd, zstandard; lz4; bzip2; lzma; snappy
module system: commonjs; esm, es modules; umd
processor: x86_64, amd64; arm64, aarch64; i686; armv7l, armv7; ppc64le; s390x; riscv64
interpreter: cpython; pypy, pypy3; jython; graalpy
roll-out: rollingupdate, rolling update; recreate
licence: mit; apache-2.0, apache 2.0; bsd-3-clause; bsd-2-clause; gpl-3.0, gplv3; gpl-2.0, gplv2; lgpl; mpl-2.0; \
isc; unlicense
test runner: pytest; unittest; nose; jest; mocha; vitest; ava; tap
package manager: npm; yarn; pnpm; pip; poetry; conda; cargo; maven; gradle
build backend: setuptools; hatchling; flit; flit_core; poetry-core; maturin; meson-python; pdm-backend
linter: flake8; pylint; ruff; eslint; tslint; standard; xo; biome
formatter: black; autopep8; yapf; prettier
signal: sigterm; sigint; sigkill; sighup; sigquit; sigusr1; sigusr2; sigstop; sigchld
method: get; post; put; patch; delete; head; options
transport: tcp; udp; quic; sctp
address family: ipv4; ipv6
tls version: tls 1.0, tlsv1; tls 1.1, tlsv1.1; tls 1.2, tlsv1.2; tls 1.3, tlsv1.3
http version: http/1.0; http/1.1; http/2; http/3
stream: stdin; stdout; stderr
separator: comma, ",", ','; semicolon, ";", ';'; tab, "\\t", '\\t'; pipe, "|", '|'
separator of words: underscore; hyphen, dash
quote: single quotes, single quote; double quotes, double quote
case: uppercase, upper case; lowercase, lower case
frequency: hourly; daily; weekly; monthly; yearly
bus: rabbitmq; kafka; nats; sqs; zeromq
browser: chrome; firefox; safari
cloud: aws; azure; gcp
backoff: exponential; linear; constant; fibonacci
eviction: least recently used, lru; most recently used, mru; least frequently used, lfu; fifo; lifo
newline: crlf; lf
endian: big-endian, big endian; little-endian, little endian
parity: odd; even
"""
_CASED = frozenset(
    {"get", "post", "put", "patch", "delete", "head", "options", "standard", "tap", "mit", "ini", "nt", "ava"}
)
"""Everyday words that are members in the spelling of a name only: GET, MIT."""

_UNSURE = re.compile(
    r"\b(?:from|into|to convert\w*|instead|rather|other|unlike|besides|like|such as|similar|than|if|unless|when|where"
    r"|compatible|used to|formerly|previously|was|were|or|e\.g|for example|optionally|also|too)\b",
    re.IGNORECASE,
)
_PIECE = re.compile("[a-z0-9]+")
_LEAST = 0.5
_NEAR = 3
_LONGEST = 600


@dataclass(frozen=True, slots=True)
class Family:
    """A family by the pattern of each member, its first spelling being its name.

    `beginnings` is what its spellings begin with; `signs` says that some are signs, which begin with no letter.
    """

    name: str
    members: tuple[tuple[str, re.Pattern[str]], ...]
    beginnings: frozenset[str]
    signs: bool

    def among(self, text: str) -> dict[str, str]:
        """Give the members that a text names, each as it is spelled there."""
        if not self.signs and self.beginnings.isdisjoint(_pieces_in(text)):
            return {}
        found = ((name, pattern.search(text)) for name, pattern in self.members)
        return {name: match[0] for name, match in found if match}


@lru_cache(maxsize=1)
def families() -> tuple[Family, ...]:
    """Give all families."""
    return tuple(_family(line) for line in _FAMILIES.strip().split("\n"))


def rival_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """Another member of a family than the claim's, on a line of which the claim has the other words."""
    if clause.negated or _UNSURE.search(clause.without_default):
        return None
    told = _told(clause.text)
    for family, claimed in told:
        if len(claimed) != 1 or _carries_another(told, family, reading):
            continue
        name, spelled = next(iter(claimed.items()))
        if another_case(Clause(clause.text.replace(spelled, " ")), reading):
            continue
        if any(name in family.among(line.text[:_LONGEST]) for line in reading.lines):
            continue
        rivals = [(line, family.among(line.text[:_LONGEST])) for line in reading.lines]
        rivals = [(line, others) for line, others in rivals if others and not NEGATION.search(line.text[:_LONGEST])]
        if len({other for _, others in rivals for other in others}) == 1 or len(rivals) == 1:
            line = rivals[0][0]
            if _is_about(clause, spelled, line, reading) and not _near(family, name, line, reading):
                basis = f"the claim says {spelled}, line {line.number} says {clipped(line.text)}"
                return Conflict(basis, [line], clause)
    return None


def _told(text: str) -> list[tuple[Family, dict[str, str]]]:
    """Give the families of which a text names members, and these."""
    table = _by_beginning()
    near = {family.name: family for piece in _pieces_in(text) for family in table.get(piece, ())}
    told = ((family, family.among(text)) for _, family in sorted(near.items()))
    return [(family, members) for family, members in told if members]


def _carries_another(told: list[tuple[Family, dict[str, str]]], family: Family, reading: Reading) -> bool:
    """Whether the clause has a member of another family too, and the lines have it: a part of it is carried then."""
    others = [(other, members.keys()) for other, members in told if other is not family]
    return any(other.among(line.text[:_LONGEST]).keys() & said for other, said in others for line in reading.lines)


def _is_about(clause: Clause, spelled: str, line: Line, reading: Reading) -> bool:
    """Whether most of the clause's other words stand on a line or near it, one of them there or in what encloses it."""
    own = [other.text for other in reading.lines if abs(other.number - line.number) <= _NEAR]
    pairs = [
        pair for pair in align(clause, Index([line.text, *own, *reading.context])).pairs if _else(pair[0], spelled)
    ]
    whole = sum(weight(term) for term, _ in pairs)
    held = sum(weight(term) for term, found in pairs if found is not None and found.how in WORDED)
    return held >= 1 and held >= _LEAST * whole


def _else(term: Term, spelled: str) -> bool:
    return (
        not term.soft
        and term.kind != "value"
        and spelled.lower() not in term.text.lower()
        and term.text.lower() not in spelled.lower()
    )


def _near(family: Family, name: str, line: Line, reading: Reading) -> bool:
    """Whether the claimed member stands in lines around the cited ones, where it may be meant."""
    file = reading.row.file or ()
    return any(name in family.among(text[:_LONGEST]) for text in file[max(0, line.number - NEAR) : line.number + NEAR])


@lru_cache(maxsize=1)
def _by_beginning() -> dict[str, list[Family]]:
    """Give the families by what the spellings of their members begin with."""
    found: dict[str, list[Family]] = {}
    for family in families():
        for piece in family.beginnings:
            found.setdefault(piece, []).append(family)
    return found


def _family(line: str) -> Family:
    name, _, members = line.partition(": ")
    begin = (piece for spelling in re.split("[;,] ", members) for piece in _PIECE.findall(spelling)[:1])
    every = [spelling for each in members.split("; ") for spelling in each.split(", ")]
    signs = not all(map(_PIECE.search, every))
    return Family(
        name,
        tuple(_member(each) for each in members.split("; ")),
        frozenset(begin),
        signs,
    )


@lru_cache(maxsize=128)
def _pieces_in(text: str) -> frozenset[str]:
    return frozenset(_PIECE.findall(text.lower()))


def _member(spellings: str) -> tuple[str, re.Pattern[str]]:
    every = spellings.split(", ")
    cased = any(each in _CASED for each in every)
    spelled = "|".join(re.escape(each.upper() if cased else each) for each in every)
    flags = re.NOFLAG if cased else re.IGNORECASE
    return every[0], re.compile(rf"(?<![A-Za-z0-9])(?:{spelled})(?![A-Za-z0-9]|\.[0-9])", flags)
