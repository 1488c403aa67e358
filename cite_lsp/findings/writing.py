"""Replacing a file as a whole: never half written, never over somebody else's change, never outside the root."""

import os
import secrets
import shutil
import stat
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from cite_lsp.snapshot.ladder import within
from cite_lsp.snapshot.lines import DocumentText, Reader, real_path

CHANGED = "has changed on disk in the meantime"
"""Why a file was not replaced: what `known` names is not what it holds any more."""

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def replace_file(path: str, data: bytes, known: str, root: str) -> str:
    """Let a file hold `data`, all of it or what it held before; a link stays, and the file it leads to is replaced.

    Args:
        path: Absolute.
        data: The new content.
        known: The SHA-256 of the bytes that it is known to hold, in hexadecimal; "" of a file that is not there yet.
        root: The absolute folder that the file must lie in, links resolved.

    Returns:
        "" when it is done; else why not: the rest of a sentence that begins with the file's name. Mode, owner and
        extended attributes stay. Never raises for what the file system says.
    """
    real = real_path(path)
    if within(real_path(root), real) is None:
        return "lies outside the project, so it is not written"
    if _digest(real, root) != known:
        return CHANGED
    try:
        if known:
            return _replaced(real, data, known, root)
        Path(real).touch(exist_ok=False)  # it gets the mode that this person's files get
    except FileExistsError:
        return CHANGED
    except OSError as error:
        return _refused(error)
    why = _replaced(real, data, sha256(b"").hexdigest(), root)
    if why:
        with suppress(OSError):
            if Path(real).stat().st_size == 0:
                Path(real).unlink()
    return why


def _replaced(real: str, data: bytes, known: str, root: str) -> str:
    temporary = ""
    try:
        found = Path(real).stat()
        if not found.st_mode & _WRITABLE or not os.access(real, os.W_OK):
            return "is read-only, so it was not written"
        descriptor, temporary = tempfile.mkstemp(
            prefix=f".cite-lsp-{secrets.token_hex(4)}-", suffix=".tmp", dir=os.path.dirname(real)
        )
        try:
            _write(descriptor, data)
        finally:
            os.close(descriptor)
        _take_over(real, temporary, found)
        if _digest(real, root) != known:
            return CHANGED
        Path(temporary).replace(real)
    except OSError as error:
        return _refused(error)
    else:
        temporary = ""
    finally:
        if temporary:
            with suppress(OSError):
                Path(temporary).unlink()
    return ""


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.fsync(descriptor)


def _take_over(real: str, temporary: str, found: os.stat_result) -> None:
    """Give the new file what the old one has but its content and its times."""
    if hasattr(os, "chown"):
        with suppress(OSError):  # only a privileged person writes files that stay another's
            os.chown(temporary, found.st_uid, found.st_gid)
    shutil.copystat(real, temporary)
    os.utime(temporary)


def _digest(real: str, root: str) -> str | None:
    """Give the SHA-256 of a file's bytes; "" when there is none, None when it cannot be read."""
    try:
        size = Path(real).stat().st_size
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return None
    reader = Reader((root,))
    text = reader.read_text(real, max_bytes=size)
    return text.sha256 if isinstance(text, DocumentText) else None


def _refused(error: OSError) -> str:
    return f"cannot be written: {error.strerror or 'no reason given'}"
