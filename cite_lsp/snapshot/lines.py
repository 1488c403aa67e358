r"""The one way to read a cited or scanned file: bounded, inside the workspace, and never by guessing.

A file is read when, after its symbolic links are resolved, it is a regular file inside one of the roots and
not over the limit; its size is asked before its content. Devices, pipes and sockets are never read from, and
opening one does not wait. Text of open buffers (the overlay) wins over the disk.

A line ends at "\n", "\r\n" or "\r" and nowhere else: form feeds, vertical tabs, U+0085, U+2028 are text.
"""

import codecs
import errno
import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple

UnreadStatus = Literal["missing", "outside", "not-text", "too-large", "unreadable", "not-available"]

MAX_FILE_BYTES = 10_000_000
MAX_DOCUMENT_BYTES = 20_000_000
_KEEP_BYTES = 64_000_000
_MOST_LOOKED_UP = 20_000
"""Paths that are remembered from reader to reader: each key stroke in a path makes another one."""
_LINE_OVERHEAD = 64  # bytes that a short text costs beside its characters
_READ_AT_ONCE = 1 << 16
_LFS_FIRST_LINE = b"version https://git-lfs.github.com/spec/v1"
_LFS_POINTER_BYTES = 1024

_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)
_ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.ENXIO})

# The four bytes of UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class FileText:
    """A file's lines.

    Attributes:
        lines: Without their terminators; a final terminator adds no line, and an empty file has none.
        sha256: In hexadecimal, of the bytes on disk; of the text in UTF-8 when it comes from a buffer.
        decoded: False when bytes that fit no encoding were replaced by U+FFFD.
        from_buffer: True when the text is that of an open buffer.
    """

    lines: tuple[str, ...]
    sha256: str
    decoded: bool
    from_buffer: bool


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document's whole text, terminators kept.

    Attributes:
        text: Without a byte order mark; offsets are those of this text.
        bom: True when the file begins with a byte order mark.
        encoding: `utf-8`, or what the mark says: `utf-16-le` and its like.
        decoded: False when bytes that fit no encoding were replaced by U+FFFD: such a file is not rewritten.
        sha256: As in `FileText`.
        from_buffer: True when the text is that of an open buffer.
    """

    text: str
    bom: bool
    encoding: str
    decoded: bool
    sha256: str
    from_buffer: bool


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a file gives no text.

    Attributes:
        status: The finding's code ("findings.md").
        reason: The rest of a sentence that begins with the file's name, without a full stop.
    """

    status: UnreadStatus
    reason: str


_MISSING = Unread("missing", "does not exist")
_OUTSIDE = Unread("outside", "lies outside the workspace folders")
_LOOP = Unread("unreadable", "is a symbolic link that leads to itself")
_LFS = Unread("not-available", "is a Git LFS pointer; `git lfs pull` fetches its content")
_NUL = Unread("not-text", "holds NUL bytes, so it is not text")


class Reader:
    """Reads files once: what it gave for a path it gives again for as long as it lives.

    Over `keep_bytes`, the texts used longest ago are forgotten and read again when asked for; their hash is
    kept, and `stale` tells that one had changed by then.
    """

    def __init__(
        self,
        roots: Sequence[str],
        *,
        overlay: Mapping[str, str] | None = None,
        max_bytes: int = MAX_FILE_BYTES,
        keep_bytes: int = _KEEP_BYTES,
        on_disk: bool = True,
    ) -> None:
        """Take the roots as they are now.

        Args:
            roots: Absolute folders; only files inside them are read.
            overlay: Absolute path (any key when not `on_disk`) to text; copied.
            max_bytes: The size of the largest file that `read` gives.
            keep_bytes: About how much memory the texts may take.
            on_disk: False for a reader that knows its overlay only.
        """
        self.stale = False
        self._on_disk = on_disk
        self._max_bytes = max_bytes
        self._keep_bytes = keep_bytes
        self._roots = tuple(os.path.realpath(root) for root in roots) if on_disk else ()
        self._overlay = dict(overlay or {})
        self._real_of = {path: real_path(path) for path in self._overlay if on_disk and _is_absolute(path)}
        self._real_overlay = {real: path for path, real in self._real_of.items()}
        self._kept: OrderedDict[str, tuple[FileText, int]] = OrderedDict()
        self._kept_bytes = 0
        self._unread: dict[str, Unread] = {}
        self._places: dict[str, str] = {}
        self._hashes: dict[str, str] = {}
        self._existing: dict[str, bool] = {}

    def renewed(self, buffers: Mapping[str, str | None], changed: Iterable[str] = ()) -> "Reader":
        """A reader of the files as they are now that keeps what this one has read, but for the paths named.

        Args:
            buffers: Absolute paths to the texts of buffers that were opened or edited; None for one that was closed.
            changed: Absolute paths of files that changed, appeared or vanished on disk.
        """
        overlay = {path: text for path, text in {**self._overlay, **buffers}.items() if text is not None}
        new = Reader((), max_bytes=self._max_bytes, keep_bytes=self._keep_bytes)
        new._roots, new._on_disk, new._overlay = self._roots, self._on_disk, overlay
        known = self._real_of  # to resolve the links of every open buffer anew would cost each key stroke that
        new._real_of = {path: known.get(path) or real_path(path) for path in overlay if _is_absolute(path)}
        new._real_overlay = {real: path for path, real in new._real_of.items()}
        named = {*buffers, *changed}
        gone = named | {real_path(path) for path in named}
        new._places = {path: place for path, place in self._places.items() if path not in gone and place not in gone}
        new._kept = OrderedDict((place, kept) for place, kept in self._kept.items() if place not in gone)
        new._kept_bytes = sum(cost for _, cost in new._kept.values())
        new._hashes = {place: digest for place, digest in self._hashes.items() if place not in gone}
        if len(self._unread) + len(self._existing) < _MOST_LOOKED_UP:
            new._unread = {path: why for path, why in self._unread.items() if path not in gone}
            new._existing = {path: known for path, known in self._existing.items() if path not in gone}
        return new

    def read(self, path: str) -> FileText | Unread:
        """The lines of a file by its absolute path, or by its key in the overlay."""
        known = self._unread.get(path)
        if known is not None:
            return known
        before = self._places.get(path)
        kept = self._kept.get(before) if before is not None else None
        if before is not None and kept is not None:
            self._kept.move_to_end(before)
            return kept[0]
        text = self._read_from(path, self._place(path))
        self.stale = self.stale or before not in (None, self._places.get(path))
        if isinstance(text, Unread):
            self.stale = self.stale or before is not None
            self._unread[path] = text
        return text

    def _read_from(self, path: str, place: str | Unread) -> FileText | Unread:
        if isinstance(place, Unread):
            return place
        self._places[path] = place
        kept = self._kept.get(place)
        if kept is not None:  # asked for by another path
            self._kept.move_to_end(place)
            return kept[0]
        text = self._load(place, self._max_bytes)
        return text if isinstance(text, Unread) else self._keep(place, text)

    def read_text(self, path: str, *, max_bytes: int = MAX_DOCUMENT_BYTES) -> DocumentText | Unread:
        """The whole text of a document, under the same bounds with a limit of its own; nothing is kept."""
        found = self._place(path)
        return found if isinstance(found, Unread) else self._load(found, max_bytes)

    def on_disk(self, path: str) -> FileText | Unread:
        """The lines of a file as they are on disk now, whatever a buffer says; nothing is kept."""
        found = Reader((), max_bytes=self._max_bytes)
        found._roots = self._roots
        return found.read(path)

    def place_of(self, path: str) -> str:
        """Where a path was last read from, links resolved, or the key of the buffer; the path itself if it was not."""
        return self._places.get(path, path)

    def exists(self, path: str) -> bool:
        """True for a regular file inside the roots, links resolved, and for a path of the overlay; looked up once."""
        known = self._existing.get(path)
        if known is None:
            found = self._place(path)
            known = not isinstance(found, Unread) and (found in self._overlay or _is_regular(found))
            self._existing[path] = known
        return known

    def sum_of(self, path: str) -> str:
        """Give the sha256, in hexadecimal, of a file's bytes on disk as they are now; "" for what is not to be read."""
        found = self._place(path)
        data = found if isinstance(found, Unread) else _bounded_bytes(found, self._max_bytes)
        return "" if isinstance(data, Unread) else sha256(data).hexdigest()

    def looked_up(self) -> Iterable[tuple[str, bool]]:
        """Give every path that was asked for so far, and whether a file was there."""
        yield from self._existing.items()
        yield from ((path, False) for path in self._unread if path not in self._existing)
        yield from ((path, True) for path in self._places if path not in self._existing and path not in self._unread)

    def _place(self, path: str) -> str | Unread:
        """The key of the overlay, or the resolved path on disk, that a path stands for."""
        if not self._on_disk or not _is_absolute(path):
            return path if path in self._overlay else _MISSING
        refusal: Unread | None = None
        try:
            real = os.path.realpath(path, strict=True)
        except ValueError:  # NUL, or a lone surrogate that stands for no byte
            return _MISSING
        except OSError as error:
            # Good enough to look for an open buffer, never to open: what follows a loop stays unresolved.
            refusal = _refusal(error)
            try:
                real = os.path.realpath(path)
            except ValueError:  # so long that it was refused before what is wrong with its letters was seen
                return _MISSING
        if not any(real == root or real.startswith(os.path.join(root, "")) for root in self._roots):
            return _OUTSIDE
        if path in self._overlay:
            return path
        return self._real_overlay.get(real) or refusal or real

    def _load(self, place: str, max_bytes: int) -> DocumentText | Unread:
        buffer = self._overlay.get(place)
        if buffer is None:
            data = _bounded_bytes(place, max_bytes)
            return data if isinstance(data, Unread) else decoded(data)
        encoded = buffer.encode("utf-8", "surrogatepass")
        if len(encoded) > max_bytes:
            return too_large(len(encoded), max_bytes)
        text = buffer.removeprefix("\ufeff")
        return DocumentText(text, text != buffer, "utf-8", True, sha256(encoded).hexdigest(), True)

    def _keep(self, place: str, whole: DocumentText) -> FileText:
        text = in_lines(whole)
        if self._hashes.setdefault(place, whole.sha256) != whole.sha256:
            self.stale = True
            self._hashes[place] = whole.sha256
        cost = len(whole.text) + _LINE_OVERHEAD * len(text.lines)
        self._kept[place] = (text, cost)
        self._kept_bytes += cost
        while self._kept_bytes > self._keep_bytes and self._kept:
            _, (_, freed) = self._kept.popitem(last=False)
            self._kept_bytes -= freed
        return text


def in_lines(whole: DocumentText) -> FileText:
    """Give the same text as lines."""
    return FileText(tuple(split_lines(whole.text)), whole.sha256, whole.decoded, whole.from_buffer)


def is_file(path: str) -> bool:
    """True for a file, links followed; not where that cannot be found out (no permission, a name too long)."""
    return _answers(Path.is_file, path)


def is_folder(path: str) -> bool:
    """True for a folder, links followed; not where that cannot be found out (no permission, a name too long)."""
    return _answers(Path.is_dir, path)


def _answers(test: Callable[[Path], bool], path: str) -> bool:
    try:
        return test(Path(path))
    except (OSError, ValueError):
        return False


def split_lines(text: str) -> list[str]:
    r"""The lines of a text without their terminators: "\n", "\r\n", "\r"; a final one adds no line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _bounded_bytes(path: str, max_bytes: int) -> bytes | Unread:
    """The bytes of a resolved path, if it is a regular file of at most `max_bytes`."""
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
    except ValueError:
        return _MISSING
    except OSError as error:
        # A socket, and a pipe or device without its other end, cannot even be opened.
        return _kind_refusal(path) or _refusal(error)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return _not_regular(found.st_mode)
        if found.st_size > max_bytes:
            return too_large(found.st_size, max_bytes)
        data = _read(descriptor, found.st_size, max_bytes + 1)
        return data if len(data) <= max_bytes else too_large(len(data), max_bytes)
    except OSError as error:
        return _refusal(error)
    finally:
        os.close(descriptor)


def _read(descriptor: int, size: int, most: int) -> bytes:
    """Read at most so many bytes of a file of about that size: it may grow, and some files do not tell their size.

    A buffer is no larger than the file: one of the largest size, per thread, stays with the process in part.
    """
    pieces, ask = [], size + 1
    while most > 0 and (piece := os.read(descriptor, min(ask, most))):
        pieces.append(piece)
        most -= len(piece)
        ask = _READ_AT_ONCE
    return b"".join(pieces)


def decoded(data: bytes) -> DocumentText | Unread:
    """Give the text of a file's bytes; not of a Git LFS pointer, and not where NUL says that it is none."""
    found = _plain(data)
    if isinstance(found, Unread):
        return found
    return DocumentText(found.text, found.bom, found.encoding, found.decoded, sha256(data).hexdigest(), False)


def text_of(data: bytes) -> str | Unread:
    """Give the text alone, as `decoded` does, where nothing is to be known by its hash."""
    found = _plain(data)
    return found if isinstance(found, Unread) else found.text


class _Plain(NamedTuple):
    text: str
    bom: bool
    encoding: str
    decoded: bool


def _plain(data: bytes) -> _Plain | Unread:
    if len(data) < _LFS_POINTER_BYTES and data.partition(b"\n")[0].rstrip(b"\r") == _LFS_FIRST_LINE:
        return _LFS
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    body = data[len(mark) :]
    if encoding == "utf-8" and b"\0" in body:
        return _NUL
    try:
        text, decoded = body.decode(encoding), True
    except UnicodeDecodeError:
        text, decoded = body.decode(encoding, "replace"), False
    if encoding != "utf-8" and "\0" in text:
        return _NUL
    return _Plain(text, bool(mark), encoding, decoded)


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def _kind_refusal(path: str) -> Unread | None:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return None
    return None if stat.S_ISREG(mode) or stat.S_ISLNK(mode) else _not_regular(mode)


def _not_regular(mode: int) -> Unread:
    kinds = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    kind = next((name for test, name in kinds if test(mode)), "something else")
    return Unread("unreadable", f"is {kind}, not a file")


def _refusal(error: OSError) -> Unread:
    if error.errno == errno.ELOOP:
        return _LOOP
    if error.errno in _ABSENT:
        return _MISSING
    if error.errno in (errno.EACCES, errno.EPERM):
        return Unread("unreadable", "cannot be read: there is no permission to")
    return Unread("unreadable", f"cannot be read: {error.strerror or 'no reason given'}")


def too_large(size: int, limit: int) -> Unread:
    """Say that so many bytes are too many."""
    return Unread("too-large", f"has {size:,} bytes or more, over the limit of {limit:,}")


def _is_absolute(path: str) -> bool:
    return os.path.isabs(path)  # noqa: PTH117 - no Path is made in a hot loop


def real_path(path: str) -> str:
    """Give where the links of a path lead; the path itself where that cannot be found out."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path
