"""What looks like a key: lines that are kept back from judges, and what messages and logs must not hold."""

import base64
import logging
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

REMOVED = "[redacted]"

_SHAPES = {
    "aws": r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
    "github": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{50,255})",
    "gitlab": r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_-]{20,64}",
    "slack": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,250}|\bxapp-[0-9]-[A-Za-z0-9-]{10,250}"
    r"|hooks\.slack\.com/services/T[A-Z0-9]{6,20}/B[A-Z0-9]{6,20}/[A-Za-z0-9]{16,40}",
    "stripe": r"\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,255}",
    "google": r"\bAIza[A-Za-z0-9_-]{35}|\bGOCSPX-[A-Za-z0-9_-]{20,64}|\bya29\.[A-Za-z0-9_-]{20,512}",
    "anthropic": r"\bsk-ant-[A-Za-z0-9_-]{16,255}",
    "openai": r"\bsk-(?:(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,255}|[A-Za-z0-9]{32,64}\b)",
    "npm": r"\bnpm_[A-Za-z0-9]{36}\b",
    "pypi": r"\bpypi-AgE[A-Za-z0-9_-]{50,512}",
    "jwt": r"\beyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,4096}",
    "pem": r"-----(?:BEGIN|END) (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----|\bAGE-SECRET-KEY-1[A-Z0-9]{58}",
    "azure": r"\b(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,100}={0,2}|[?&]sig=[A-Za-z0-9%+/]{40,120}",
    "twilio": r"\bSK[0-9a-f]{32}\b",
    "sendgrid": r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}",
    "hugging-face": r"\bhf_[A-Za-z0-9]{30,64}\b",
    "digitalocean": r"\bdo[oprt]_v1_[0-9a-f]{64}\b",
}
_SHAPE = re.compile("|".join(f"(?:{shape})" for shape in _SHAPES.values()))

_URL_PASSWORD = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/?#@:'\"<>]{0,100}:([^\s/?#@'\"<>]{3,200})@", re.IGNORECASE)
_NAMED = re.compile(
    r"(?:api[_-]?key|apikey|secret|token|passw(?:or)?d|passphrase|credentials?|private[_-]?key|access[_-]?key"
    r"|auth[_-]?key|encryption[_-]?key|signing[_-]?key|authorization)[A-Za-z0-9_-]{0,30}['\"]?\]?"
    r"\s{0,8}(?::\s{0,4}[A-Za-z]{1,12}\s{0,4})?(?::=|=>|=|:)\s{0,8}"
    r"(?:['\"](?:Bearer |Basic )?([A-Za-z0-9_+/=.~!@#%^&*-]{16,512})['\"]"
    r"|(?:Bearer |Basic )?([A-Za-z0-9_+/=.~-]{20,512})\s{0,8}$)",
    re.IGNORECASE,
)
_HEADER = re.compile(r"\bBearer\s{1,4}([A-Za-z0-9_+/=.~-]{20,512})")
_PLACEHOLDER = re.compile(
    r"example|placeholder|your|change[-_]?me|dummy|sample|redacted|x{4,}|\*{3,}|\.{3}|<|>|\$\{|\{\{|%\(|1234567|abcdef",
    re.IGNORECASE,
)
_WEAK_PASSWORDS = re.compile(
    r"(?:pass(?:word|wd)?|pw|pwd|secret|user|name|token|x+|\*+|\.+|…|\$.*|\{.*|%.*|\[.*|:.*|your.*)\Z", re.IGNORECASE
)
_WORDS = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}")
_ENCODED_LINE = re.compile(r"""[\s"'#*+-]{0,20}([A-Za-z0-9+/]{60,76}={0,2})(?:\\n)?["']?[\s,;+\\)]{0,8}""")
_MASKED = re.compile(r"[^\s'\"]{0,60}\*{3,}[^\s'\"]{0,60}")
_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
LONGEST = 20_000
"""Characters of a line that is looked at; a longer one is kept back."""
_PART = 8


def kept_back(line: str) -> bool:
    """Whether a line holds what looks like a key and must not leave the machine.

    Only the first 20,000 characters are looked at; a longer line is kept back, since nobody judges by it.
    """
    if len(line) > LONGEST:
        return True
    return next(_spans(line), None) is not None or _is_encoded(line)


def kept_back_lines(lines: Sequence[str]) -> frozenset[int]:
    """Give the indexes of lines that are kept back: as `kept_back`, and all that stands inside a private key."""
    found = {index for index, line in enumerate(lines) if kept_back(line)}
    begun: int | None = None
    for index, line in enumerate(lines):
        if _BEGIN.search(line):
            begun = index
        if _END.search(line):
            # the beginning may stand before the first line that is shown
            found.update(range(begun if begun is not None else 0, index + 1))
            begun = None
    if begun is not None:
        found.update(range(begun, len(lines)))
    return frozenset(found)


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """Take out of a text the secrets, in whatever way they are written, and all that looks like a key."""
    text = without(text, secrets)
    pieces: list[str] = []
    end = 0
    for first, last in sorted(_spans(text)):
        if last <= end:
            continue
        pieces += [text[end : max(first, end)], REMOVED]
        end = last
    return _MASKED.sub(REMOVED, "".join(pieces) + text[end:])


def without(text: str, secrets: Iterable[str]) -> str:
    """Take the secrets out of a text, in whatever way they are written."""
    for secret in sorted({each.strip() for each in secrets}, key=len, reverse=True):
        text = _without(text, secret)
    return text


def _without(text: str, secret: str) -> str:
    if len(secret) < 4:  # would tear words apart, and protects nothing
        return text
    written = [secret, quote(secret, safe=""), base64.b64encode(secret.encode()).decode()]
    patterns = [_in_json(each) for each in written]
    if len(secret) >= 2 * _PART:  # parts of it too: some servers say a key's beginning and end
        patterns += [_in_json(secret[:_PART]) + r"[^\s'\"]*", _in_json(secret[-_PART:])]
    # host names come back in lower case
    return re.sub("|".join(patterns), REMOVED, text, flags=re.IGNORECASE)


def _in_json(text: str) -> str:
    """Give a pattern of a text as it stands, and as JSON may write it: some servers put a backslash before a slash."""
    return "".join(
        each if each.isascii() and each.isalnum() else rf"(?:\\?{re.escape(each)}|\\u{ord(each):04x})" for each in text
    )


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where keys stand, as far as shapes tell."""
    for found in _SHAPE.finditer(text):
        yield found.span()
    if "://" in text:
        for found in _URL_PASSWORD.finditer(text):
            if not _WEAK_PASSWORDS.match(found[1]):
                yield found.span(1)
    for pattern in (_NAMED, _HEADER):
        for found in pattern.finditer(text):
            group = found.lastindex or 1
            if is_random(found[group]):
                yield found.span(group)


def is_random(value: str) -> bool:
    """Whether a value was drawn, not written: digits among letters, few repetitions, hardly a word."""
    if _PLACEHOLDER.search(value) or not (re.search(r"[0-9]", value) and re.search(r"[A-Za-z]", value)):
        return False
    words = sum(len(word) for word in _WORDS.findall(value))
    if words >= 0.65 * sum(each.isalnum() for each in value):
        return False
    return _entropy(value) >= (3.0 if re.fullmatch(r"[0-9a-fA-F-]+", value) else 3.5)


def _is_encoded(line: str) -> bool:
    """Whether a line is a row of base64, as keys and certificates have them."""
    found = _ENCODED_LINE.fullmatch(line)
    if found is None:
        return False
    value = found[1]
    mixed = all(re.search(kind, value) for kind in (r"[A-Z]", r"[a-z]", r"[0-9]"))
    return mixed and _entropy(value) >= 4.5


def _entropy(value: str) -> float:
    """Bits a character."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)


class _Discreet(logging.Filter):
    """Takes keys out of the records of other people's loggers."""

    def __init__(self) -> None:
        super().__init__()
        self.secrets: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, without keys."""
        said = record.getMessage()
        clean = redacted(said, self.secrets)
        if clean != said:
            record.msg, record.args = clean, ()
        return True


_DISCREET = _Discreet()
_LOGGERS = ("httpx", *(f"httpcore.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")), "httpcore")


def keep_out_of_logs(secrets: Iterable[str]) -> None:
    """From now on the loggers of the HTTP library write no secret, at whatever level somebody listens."""
    _DISCREET.secrets.update(each for each in secrets if each)
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_DISCREET)  # adding twice adds once
