"""Addresses of documents: `file:` URIs and paths, and one key for each document however a client spells it.

Paths are absolute, with "/" between names. A drive letter is upper case in paths and, as VS Code writes it, lower case
in URIs; a path that begins with "//" names a machine of the network.
"""

import posixpath
import re
from functools import lru_cache
from urllib.parse import quote, unquote

_FILE = re.compile(r"file:(?://([^/?#]*))?(/[^?#]*)?", re.IGNORECASE)
_DRIVE = re.compile(r"/([A-Za-z]):(?=/|$)")
_WINDOWS = re.compile(r"([A-Za-z]):(?=[\\/]|$)")
_KEPT = 512
"""Answers: open documents and what they cite are asked for again and again, thousands of changed files once."""


@lru_cache(maxsize=_KEPT)
def to_path(uri: str) -> str | None:
    """Give the path of a `file:` URI, without "." and ".." and a slash at the end; None for whatever is no file.

    Bytes that are no UTF-8 become surrogates, as the operating system's names do in Python; a "%" that begins no
    escape stands for itself.
    """
    match = _FILE.match(uri)
    if match is None or match[2] is None:
        return None
    host = (match[1] or "").lower()
    path = unquote(match[2], errors="surrogateescape")
    if "\0" in path or "\0" in host:
        return None
    drive = _DRIVE.match(path)
    if drive is not None:
        if host in ("", "localhost"):
            return f"{drive[1].upper()}:{posixpath.normpath(path[3:] or '/')}"
        return posixpath.normpath(f"//{unquote(host)}{path}")
    if host in ("", "localhost"):
        return posixpath.normpath(path)
    return posixpath.normpath(f"//{unquote(host)}{path}")


@lru_cache(maxsize=_KEPT)
def to_uri(path: str) -> str:
    """Give the `file:` URI of an absolute path, escaped as VS Code does; the inverse of `to_path`."""
    drive = _WINDOWS.match(path)
    if drive is not None:
        rest = path[2:].replace("\\", "/") or "/"
        return f"file:///{drive[1].lower()}%3A{_escaped(rest)}"
    if path.startswith("\\\\"):
        path = path.replace("\\", "/")
    if path.startswith("//"):
        return f"file:{_escaped(path)}"
    return f"file://{_escaped(path)}"


@lru_cache(maxsize=_KEPT)
def key(uri: str) -> str:
    """Give what two spellings of one document have in common; URIs of no file are their own key."""
    path = to_path(uri)
    return uri if path is None else to_uri(path)


def _escaped(path: str) -> str:
    try:
        return quote(path, errors="surrogateescape")
    except UnicodeEncodeError:  # half of a pair that stands for no byte
        return quote(path, errors="surrogatepass")
