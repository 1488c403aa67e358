"""Verdicts as a file that goes from one machine to another: JSON lines, the first of which names the form.

A line holds the key, the verdict and when it was given: of documents and code it holds the quoted evidence only.
"""

import gzip
import os
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Annotated, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from cite_lsp.audit.judgement import Judged
from cite_lsp.audit.row_data import verdict_to_data
from cite_lsp.audit.verdicts import Evidence, Kind, Label, Verdict
from cite_lsp.store.table import StoreError

FORM = "cite-lsp verdicts"
VERSION = 1
_LONGEST = 1_000_000
"""Bytes of a line."""
_LATEST = 253_402_300_799
"""The last second of the year 9999."""

Number = Annotated[int, Field(ge=0, le=2**31)]
Write = Callable[[int, Iterable[tuple[str, Judged]]], int]
"""Takes how many verdicts there are, and the verdicts with their keys; gives how many were written."""


class TransferError(StoreError):
    """The file that was named is not what it should be."""


class _Header(BaseModel):
    model_config = ConfigDict(strict=True)

    form: Literal["cite-lsp verdicts"]
    version: Number
    rows: Number | None = None
    """How many lines follow; a file that a person made of another may leave it out."""


class _Line(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    key: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    at: Annotated[float, Field(ge=0, le=_LATEST)]
    label: Label
    kind: Kind | None
    reason: str
    basis: str
    evidence: list[tuple[Number, Number, str]]
    confidence: Annotated[float, Field(ge=0, le=1)] | None
    judge: str

    @model_validator(mode="after")
    def _goes_together(self) -> "_Line":
        if self.kind is not None and self.label != "unsupported":
            raise ValueError(f"kind: a verdict {self.label!r} has none")
        if self.label == "supported" and not self.evidence:
            raise ValueError("evidence: a verdict 'supported' without evidence is none")
        return self

    def judged(self) -> Judged:
        evidence = tuple([Evidence(*each) for each in self.evidence])
        verdict = Verdict(self.label, self.kind, self.reason, self.basis, evidence, self.confidence, self.judge)
        return Judged(verdict, self.at)


def line_of(key: str, judged: Judged) -> bytes:
    """Give a verdict with its key as a line, without its end."""
    return orjson.dumps({"key": key, "at": judged.at, **verdict_to_data(judged.verdict)})


def judged_of(key: str, line: bytes) -> Judged | None:
    """Give the verdict of a line that `line_of` wrote for a key; None for anything else: it may come from anywhere."""
    try:
        found = _Line.model_validate_json(line)
    except ValidationError:
        return None
    return found.judged() if found.key == key else None


@contextmanager
def writing(path: str) -> Iterator[Write]:
    """Give what writes verdicts; the file is there, whole, when all went well, and as it was before when not.

    Raises:
        TransferError: No file can be made there, or one stands there that is no export.
        StoreError: It could not be written to its end.
    """
    _check_replaceable(path)
    path = os.path.realpath(path)
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=".cite-lsp-", suffix=".tmp", dir=os.path.dirname(path))
        os.close(descriptor)
    except OSError as error:
        raise TransferError(f"{path} cannot be written: {error.strerror or error}") from error
    try:
        yield lambda rows, verdicts: _write(temporary, path, rows, verdicts)
        os.replace(temporary, path)  # noqa: PTH105
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            Path(temporary).unlink()


def read(path: str) -> Iterator[tuple[str, Judged]]:
    """Give the verdicts of a file with their keys.

    Raises:
        TransferError: It cannot be read, is no export, or a line of it is wrong; the message names the line.
    """
    number, count = 0, 0
    try:
        with _opened(path, "rb") as file:
            header = _check_header(path, file.readline(_LONGEST))
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST), b""), 2):
                if not line.isspace():
                    found = _line(path, number, line)
                    count += 1
                    yield found.key, found.judged()
            if header.rows not in (None, count):
                raise TransferError(f"{path} holds {count:,} of {header.rows:,} verdicts; nothing was imported")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise TransferError(f"{path} is damaged or cut off after line {max(number, 1):,}: {error}") from error
    except OSError as error:
        raise TransferError(f"{path} cannot be read: {error.strerror or error}") from error


def _write(temporary: str, path: str, rows: int, verdicts: Iterable[tuple[str, Judged]]) -> int:
    count = 0
    with _opened(temporary, "wb", zipped=path.endswith(".gz")) as file:
        file.write(orjson.dumps({"form": FORM, "version": VERSION, "rows": rows}) + b"\n")
        for key, judged in verdicts:
            file.write(line_of(key, judged) + b"\n")
            count += 1
    return count


def _opened(path: str, mode: Literal["rb", "wb"], *, zipped: bool | None = None) -> IO[bytes]:
    if path.endswith(".gz") if zipped is None else zipped:
        return gzip.open(path, mode, 6)  # type: ignore[return-value]
    return Path(path).open(mode)


def _check_header(path: str, line: bytes) -> _Header:
    try:
        header = _Header.model_validate_json(line)
    except ValidationError as error:
        raise TransferError(
            f"{path}:1: this is no file that `cite-lsp cache export` wrote; nothing was imported"
        ) from error
    if header.version != VERSION:
        newer = f"form {header.version} of another cite-lsp; this one reads form {VERSION}"
        raise TransferError(f"{path}:1: the file has {newer}, so nothing was imported")
    return header


def _line(path: str, number: int, line: bytes) -> _Line:
    try:
        if len(line) >= _LONGEST and not line.endswith(b"\n"):
            raise TransferError(f"{path}:{number}: the line is longer than {_LONGEST:,} bytes; nothing was imported")
        return _Line.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        what = first["msg"].removeprefix("Value error, ")
        raise TransferError(f"{path}:{number}: {f'{place}: ' if place else ''}{what}; nothing was imported") from error


def _check_replaceable(path: str) -> None:
    """Raise `StoreError` where something stands that is no export of ours."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise TransferError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from error
    if not stat.S_ISREG(mode):
        raise TransferError(f"{path} is no plain file; name a file for the verdicts")
    try:
        with _opened(path, "rb") as file:
            _check_header(path, file.readline(_LONGEST))
    except (StoreError, OSError, EOFError, zlib.error) as error:
        raise TransferError(f"{path} is there already and is no export of verdicts; name another file") from error
