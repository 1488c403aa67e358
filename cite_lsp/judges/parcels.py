"""What goes to a cluster and what comes back: rows and answers as JSON, without keys and without lines that look so.

A parcel names the judge by its settings. What of these may hold a key is left out: whoever opens the parcel takes keys,
headers and credentials from the settings and the environment of its own machine.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import orjson

from cite_lsp.audit.judgement import Judged, Judgement, Trouble, Usage
from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.row_data import row_from_data, row_to_data, verdict_from_data, verdict_to_data
from cite_lsp.audit.verdicts import Row, Verdict, rests_on
from cite_lsp.clients.address import Address
from cite_lsp.clients.client import ClientError
from cite_lsp.clients.redaction import kept_back, kept_back_lines
from cite_lsp.config.settings import JudgeSettings

FORM = 1
"""The number of this form; a parcel of another one is not opened."""
IN_PLACE_OF_A_KEY = "-----BEGIN PRIVATE KEY-----(kept back)-----END PRIVATE KEY-----"
"""What stands in place of a line that looks like a key: another such line, so that it is told as one kept back."""
_MOST = 2**53
"""Of whatever an answer counts: what is more was made up, and no file holds it."""
_STAYS = {"headers", "exclude", "run"}
"""What of a judge's settings is not sent: secrets, and what only concerns documents."""


class BadParcelError(Exception):
    """The bytes are no parcel, or no answer to one."""


@dataclass(frozen=True, slots=True)
class Grant:
    """How much of the limits of a day may be used up for a parcel: rows, and cost in the unit of `est_cost`."""

    rows: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Parcel:
    """Rows of a document, and whom to ask about them.

    Attributes:
        version: Of the package that made it.
        identity: Of the judge that is asked: another one's verdicts are not wanted.
        judge, audit: How is asked.
        headers: Names of the headers that the judge is sent; their values stay.
        rows: What is asked.
        grant: What may be used up of the day's limits; None where there are none.
    """

    version: str
    identity: str
    judge: JudgeSettings
    audit: AuditOptions
    headers: tuple[str, ...]
    rows: tuple[Row, ...]
    grant: Grant | None = None

    def packed(self) -> bytes:
        """Give its bytes. The lines of whole files go to a judge that reads them, each file once."""
        with_files = self.judge.name == "embedded"
        files: dict[int, tuple[int, tuple[str, ...]]] = {}
        rows = []
        for row in self.rows:
            data = row_to_data(row if with_files else redacted_row(row), with_file=False)
            if with_files and row.file is not None:
                data["file"] = files.setdefault(id(row.file), (len(files), row.file))[0]
            rows.append(data)
        return _dumped({
            "form": FORM,
            "version": self.version,
            "identity": self.identity,
            "judge": shared_settings(self.judge).model_dump(mode="json", exclude=_STAYS),
            "audit": self.audit.model_dump(mode="json"),
            "headers": self.headers,
            "files": [lines for _, lines in files.values()],
            "rows": rows,
            "grant": None if self.grant is None else [self.grant.rows, self.grant.cost],
        })  # fmt: skip

    @classmethod
    def opened(cls, parcel: bytes) -> Self:
        """Give the parcel of some bytes. Raises `BadParcelError`; one of another version is not looked into."""
        data = _loaded(parcel)
        try:
            files = [tuple(lines) for lines in data["files"]]
            rows = []
            for each in data["rows"]:
                number = each.pop("file")
                row = row_from_data(each)
                rows.append(row if number is None else replace(row, file=files[number]))
            return cls(
                data["version"],
                data["identity"],
                JudgeSettings.model_validate(data["judge"]),
                AuditOptions.model_validate(data["audit"]),
                tuple(data["headers"]),
                tuple(rows),
                None if data["grant"] is None else Grant(*data["grant"]),
            )
        except (LookupError, TypeError, ValueError) as error:
            raise BadParcelError("a parcel that cannot be read") from error


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a parcel: what was said and what was used up of the grant, or why it was not opened."""

    judgement: Judgement
    used: Grant = Grant()

    def packed(self) -> bytes:
        """Give its bytes."""
        judgement = self.judgement
        usage = judgement.usage
        return _dumped({
            "form": FORM,
            "answers": [None if each is None else verdict_to_data(each.verdict) for each in judgement.answers],
            "usage": [usage.requests, usage.tokens_in, usage.tokens_out, usage.cost],
            "troubles": [[each.cause, each.message, each.rows] for each in judgement.troubles],
            "declined": judgement.declined,
            "used": [self.used.rows, self.used.cost],
        })  # fmt: skip

    @classmethod
    def opened(cls, answer: object, rows: Sequence[Row], at: float) -> Self:
        """Give the answer of some bytes: to some rows, received at a time in seconds since the epoch.

        Raises:
            BadParcelError: It is none: what a cluster sends is not trusted to be whole.
        """
        data = _loaded(answer if isinstance(answer, bytes) else b"")
        try:
            verdicts = [None if each is None else verdict_from_data(each) for each in data["answers"]]
            requests, tokens_in, tokens_out, cost = data["usage"]
            judgement = Judgement(
                tuple([None if each is None else Judged(each, at) for each in verdicts]),
                Usage(_count(requests), _count(tokens_in), _count(tokens_out), None if cost is None else _cost(cost)),
                tuple([Trouble(str(cause), str(message), _count(count)) for cause, message, count in data["troubles"]]),
                declined=bool(data["declined"]),
            )
            used = Grant(_count(data["used"][0]), _cost(data["used"][1]))
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise BadParcelError("an answer that cannot be read") from error
        if len(judgement.answers) != len(rows):
            raise BadParcelError(f"{len(judgement.answers):,} verdicts for {len(rows):,} rows")
        for verdict, row in zip(verdicts, rows, strict=True):
            if verdict is not None and not _holds_together(verdict, row):
                raise BadParcelError("a verdict that is none, or rests on lines that are not in its row")
        return cls(judgement, used)


def redacted_row(row: Row) -> Row:
    """Give a row as a judge elsewhere needs it: lines that look like keys are replaced, and judged as kept back."""
    excerpts = []
    for excerpt in row.excerpts:
        secret = kept_back_lines([text for _, text in excerpt.lines])
        lines = [(number, _shown(text, place in secret)) for place, (number, text) in enumerate(excerpt.lines)]
        excerpts.append(replace(excerpt, lines=tuple(lines)) if secret else excerpt)
    claim, part = (_shown(text, kept_back(text)) for text in (row.claim, row.part))
    sentence = "" if kept_back(row.sentence) else row.sentence
    return replace(row, claim=claim, part=part, sentence=sentence, section="", excerpts=tuple(excerpts))


class Keys:
    """Says of rows whether they hold what looks like a key, in the whole cited file too; a file is looked at once."""

    def __init__(self) -> None:
        self._files: dict[str, bool] = {}

    def in_row(self, row: Row) -> bool:
        """Say whether anything that would be sent of a row for the embedded judge looks like a key."""
        texts = (row.claim, row.sentence, row.part)
        if any(map(kept_back, texts)) or any(
            kept_back_lines([text for _, text in each.lines]) for each in row.excerpts
        ):
            return True
        if row.file is None or not row.file_sha256:
            return bool(kept_back_lines(row.file or ()))
        if row.file_sha256 not in self._files:
            self._files[row.file_sha256] = bool(kept_back_lines(row.file))
        return self._files[row.file_sha256]


def shared_settings(settings: JudgeSettings) -> JudgeSettings:
    """Give the settings of a judge as everybody may see them: its address without credentials."""
    if settings.base_url is None:
        return settings
    return settings.model_copy(update={"base_url": shown_address(settings.base_url)})


def shown_address(base_url: str | None) -> str | None:
    """Give an address without credentials and query; as it is where it cannot be read."""
    if base_url is None:
        return None
    try:
        return Address.parse(base_url).shown
    except ClientError:
        return base_url


def secrets_in(settings: JudgeSettings) -> str:
    """Say which setting would have to be sent and looks as if it held a key; "" where none does."""
    told: Iterable[tuple[str, Sequence[str]]] = (
        ("judge.command", settings.command),
        ("judge.model", [settings.model or ""]),
        ("judge.api_key_env", [settings.api_key_env or ""]),
    )
    return next((name for name, texts in told if any(map(kept_back, texts))), "")


def _holds_together(verdict: Verdict, row: Row) -> bool:
    """Whether a verdict says what one may say, as of those that a shared cache holds."""
    texts = (verdict.reason, verdict.basis, verdict.judge)
    return (
        all(isinstance(text, str) for text in texts)
        and (verdict.kind is None or verdict.label == "unsupported")
        and (verdict.label != "supported" or bool(verdict.evidence))
        and (verdict.confidence is None or 0 <= verdict.confidence <= 1)
        and rests_on(verdict, row)
    )


def _count(number: float) -> int:
    """Give a number of things. Raises `ValueError` where it is none, so that no limit is given back by it."""
    found = int(number)
    if not 0 <= found < _MOST:
        raise ValueError(f"{number!r} is no count")
    return found


def _cost(number: float) -> float:
    found = float(number)
    if not 0 <= found < _MOST:
        raise ValueError(f"{number!r} is no cost")
    return found


def _shown(text: str, is_key: bool) -> str:
    return IN_PLACE_OF_A_KEY if is_key else text


def _dumped(data: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(data)
    except (TypeError, orjson.JSONEncodeError):  # lone surrogates go through
        return json.dumps(data, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def _loaded(parcel: bytes) -> dict[str, Any]:
    try:
        data = orjson.loads(parcel)
    except orjson.JSONDecodeError:
        try:
            data = json.loads(parcel)
        except ValueError as error:
            raise BadParcelError("what is no JSON") from error
    if not isinstance(data, dict) or data.get("form") != FORM:
        raise BadParcelError("a form that is not known here")
    return data
