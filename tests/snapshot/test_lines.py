"""Every kind of bad input that a cited file can be."""

import errno
import hashlib
import os
import re
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cite_lsp.snapshot.lines import DocumentText, FileText, Reader, Unread, split_lines


def written(folder: Path, data: bytes, name: str = "a.txt") -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return str(path)


def read(folder: Path, data: bytes) -> FileText | Unread:
    return Reader([str(folder)]).read(written(folder, data))


def lines_of(folder: Path, data: bytes) -> tuple[str, ...]:
    text = read(folder, data)
    assert isinstance(text, FileText), text
    return text.lines


def status(found: object) -> str:
    return found.status if isinstance(found, Unread) else "read"


@contextmanager
def no_privileges() -> Iterator[Path]:
    """A folder open to all, and a process that permissions hold for, also when the tests run as root."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    privileged = os.geteuid() == 0
    try:
        if privileged:
            os.chown(folder, 65534, 65534)
            os.seteuid(65534)
        yield folder
    finally:
        if privileged:
            os.seteuid(0)
        for entry in folder.rglob("*"):
            entry.chmod(0o700)
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", ()),
        (b"\n", ("",)),
        (b"a", ("a",)),
        (b"a\n", ("a",)),
        (b"a\n\n", ("a", "")),
        (b"a\r\nb\rc\nd", ("a", "b", "c", "d")),
        (b"a\r\r\nb\n\rc", ("a", "", "b", "", "c")),
        (b"\xef\xbb\xbfa\nb\n", ("a", "b")),
        (b"\xef\xbb\xbf", ()),
        (
            "a\x0cb\x0bc\x85d\u2028e\u2029f\x1cg\x1dh\x1ei\nj".encode(),
            ("a\x0cb\x0bc\x85d\u2028e\u2029f\x1cg\x1dh\x1ei", "j"),
        ),
        ("\ufefföä\r\nü".encode("utf-16-le"), ("öä", "ü")),
        ("\ufefföä\r\nü".encode("utf-16-be"), ("öä", "ü")),
        ("\ufeffx🚀\ny".encode("utf-32-le"), ("x🚀", "y")),
    ],
)
def test_lines_end_where_lines_end(tmp_path, data, lines):
    assert lines_of(tmp_path, data) == lines


@given(st.text(alphabet="ab\r\n\x0c\x0b\x85\u2028"))
@example("\r")
@example("\n\r")
def test_split_lines_agrees_with_the_definition(text):
    pieces = re.split("\r\n|\r|\n", text)
    assert split_lines(text) == (pieces if pieces[-1] else pieces[:-1])


def test_bytes_that_are_not_utf_8_are_replaced_and_said_to_be(tmp_path):
    text = read(tmp_path, b"caf\xe9 \xff\xfe\nnext\n")
    assert isinstance(text, FileText)
    assert text.lines == ("caf\ufffd \ufffd\ufffd", "next")
    assert not text.decoded
    assert text.sha256 == hashlib.sha256(b"caf\xe9 \xff\xfe\nnext\n").hexdigest()


def test_half_a_utf_16_character_is_replaced(tmp_path):
    text = read(tmp_path, b"\xff\xfea\x00\x00\xd8b\x00\n")
    assert isinstance(text, FileText)
    assert not text.decoded


@pytest.mark.parametrize(
    "data", [b"a\0b\n", b"\x7fELF\0\0", "\ufeffa\0b".encode("utf-16-le"), "ab".encode("utf-16-le")]
)
def test_nul_is_not_text(tmp_path, data):
    found = read(tmp_path, data)
    assert status(found) == "not-text"
    assert "NUL" in found.reason


def test_a_line_of_10_megabytes_is_one_line(tmp_path):
    assert lines_of(tmp_path, b"x" * 9_999_999 + b"\n") == ("x" * 9_999_999,)


def test_size_is_asked_before_content(tmp_path, ends):
    path = tmp_path / "sparse.log"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    with ends():
        found = Reader([str(tmp_path)]).read(str(path))
    assert status(found) == "too-large"
    assert "100,000,000" in found.reason


def test_the_limit_is_the_last_size_that_is_read(tmp_path):
    path = written(tmp_path, b"12345")
    assert status(Reader([str(tmp_path)], max_bytes=5).read(path)) == "read"
    assert status(Reader([str(tmp_path)], max_bytes=4).read(path)) == "too-large"


def test_a_file_that_does_not_tell_its_size_is_bounded():
    endless_looking = "/proc/self/maps"
    if not os.path.exists(endless_looking):  # noqa: PTH110
        endless_looking = __file__
    assert status(Reader(["/"], max_bytes=10).read(endless_looking)) == "too-large"


def test_missing_files(tmp_path):
    file = written(tmp_path, b"x")
    reader = Reader([str(tmp_path)])
    for name in ("no", "no/such", "a.txt/below", "n\0ul", "\ud800", "n" * 300, "a\nb"):
        found = reader.read(str(tmp_path / name) if "\0" not in name else f"{tmp_path}/{name}")
        assert status(found) == "missing", name
        assert not reader.exists(f"{tmp_path}/{name}")
    assert reader.exists(file)
    assert not reader.exists(str(tmp_path))


def test_names_with_newlines_and_bytes_that_are_no_utf_8(tmp_path):
    for name in (b"a\nb.txt", b"\xff\xfe.txt", "ö.txt".encode()):
        path = os.fsencode(tmp_path) + b"/" + name
        with open(path, "wb") as file:  # noqa: PTH123
            file.write(b"here\n")
        found = Reader([str(tmp_path)]).read(os.fsdecode(path))
        assert isinstance(found, FileText)
        assert found.lines == ("here",)


def test_no_permission():
    with no_privileges() as folder:
        file = Path(written(folder, b"secret"))
        inner = Path(written(folder / "closed", b"secret"))
        file.chmod(0)
        inner.parent.chmod(0)
        reader = Reader([str(folder)])
        for path in (file, inner):
            found = reader.read(str(path))
            assert status(found) == "unreadable"
            assert "permission" in found.reason
        assert reader.exists(str(file))
        assert not reader.exists(str(inner))


def test_links_inside_the_root_are_followed(tmp_path):
    written(tmp_path / "real", b"x\ny\n")
    (tmp_path / "link.txt").symlink_to("real/a.txt")
    (tmp_path / "folder").symlink_to("real")
    reader = Reader([str(tmp_path)])
    assert reader.read(str(tmp_path / "link.txt")) is reader.read(str(tmp_path / "real/a.txt"))
    assert reader.read(str(tmp_path / "folder/a.txt")) is reader.read(str(tmp_path / "real/a.txt"))
    assert reader.exists(str(tmp_path / "folder/a.txt"))


def test_a_root_given_through_a_link(tmp_path):
    written(tmp_path / "real", b"x\n")
    (tmp_path / "root").symlink_to("real")
    reader = Reader([str(tmp_path / "root")])
    assert status(reader.read(str(tmp_path / "root/a.txt"))) == "read"
    assert status(reader.read(str(tmp_path / "real/a.txt"))) == "read"


def test_links_that_loop(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "self").symlink_to("self/deeper")
    reader = Reader([str(tmp_path)])
    for name in ("a", "self", "a/x.txt"):
        found = reader.read(str(tmp_path / name))
        assert status(found) == "unreadable", name
        assert "leads to itself" in found.reason
        assert not reader.exists(str(tmp_path / name))


def test_nothing_outside_the_roots_is_read(tmp_path):
    root = tmp_path / "root"
    outside = written(tmp_path / "outside", b"secret\n")
    root.mkdir()
    (tmp_path / "root-beside").mkdir()
    beside = written(tmp_path / "root-beside", b"secret\n")
    (root / "link.txt").symlink_to(outside)
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to("loop")
    reader = Reader([str(root)])
    tried = [outside, beside, "/etc/passwd", f"{root}/link.txt", f"{root}/folder/a.txt", f"{root}/../outside/a.txt"]
    for path in tried:
        assert status(reader.read(path)) == "outside", path
        assert not reader.exists(path)
    # What follows a loop, or a folder that is not there, stays unresolved: it must not be opened as it stands.
    for path in (f"{root}/loop/../folder/a.txt", f"{root}/no/../loop/../folder/a.txt"):
        assert status(reader.read(path)) in {"unreadable", "missing"}
        assert not reader.exists(path)


def test_pipes_devices_sockets_and_folders_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "zero").symlink_to("/dev/zero")
    short = Path(tempfile.mkdtemp(dir="/tmp"))  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(short / "s"))
        for path, words in [
            (tmp_path / "pipe", "a named pipe"),
            (tmp_path / "folder", "a folder"),
            (short / "s", "a socket"),
            (Path("/dev/zero"), "a device"),
            (Path("/dev/tty"), "a device"),
        ]:
            reader = Reader([str(tmp_path), str(short), "/dev"])
            found = reader.read(str(path))
            assert status(found) == "unreadable", path
            assert words in found.reason
            assert not reader.exists(str(path))
    shutil.rmtree(short)
    assert status(Reader([str(tmp_path)]).read(str(tmp_path / "zero"))) == "outside"


def test_a_pipe_with_a_writer_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    held = os.open(tmp_path / "pipe", os.O_RDWR)
    try:
        assert status(Reader([str(tmp_path)]).read(str(tmp_path / "pipe"))) == "unreadable"
    finally:
        os.close(held)


def test_git_lfs_pointers_are_not_the_file(tmp_path):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"
    found = read(tmp_path, pointer)
    assert status(found) == "not-available"
    assert "git lfs pull" in found.reason
    assert status(read(tmp_path, b"See version https://git-lfs.github.com/spec/v1\n")) == "read"
    assert status(read(tmp_path, pointer + b"x" * 2_000)) == "read"


def test_a_file_is_read_once(tmp_path):
    path = written(tmp_path, b"before\n")
    reader = Reader([str(tmp_path)])
    first = reader.read(path)
    written(tmp_path, b"after\n")
    assert reader.read(path) is first
    Path(path).unlink()
    assert reader.read(path) is first
    assert not reader.stale


def test_what_is_forgotten_and_changed_is_noticed(tmp_path):
    first, second = written(tmp_path, b"x" * 600, "1"), written(tmp_path, b"y" * 600, "2")
    reader = Reader([str(tmp_path)], keep_bytes=1000)
    reader.read(first)
    reader.read(second)
    reader.read(first)
    assert not reader.stale
    reader.read(second)
    written(tmp_path, b"z" * 600, "1")
    again = reader.read(first)
    assert isinstance(again, FileText)
    assert again.lines == ("z" * 600,)
    assert reader.stale


def test_what_is_forgotten_and_gone_is_noticed(tmp_path):
    path = written(tmp_path, b"x" * 600)
    reader = Reader([str(tmp_path)], keep_bytes=10)
    reader.read(path)
    Path(path).unlink()
    assert status(reader.read(path)) == "missing"
    assert reader.stale


def test_a_link_that_leads_elsewhere_when_read_again_is_noticed(tmp_path):
    written(tmp_path, b"x" * 600, "1")
    written(tmp_path, b"x" * 600, "2")
    link = tmp_path / "link"
    link.symlink_to("1")
    reader = Reader([str(tmp_path)], keep_bytes=10)
    reader.read(str(link))
    reader.read(str(link))
    assert not reader.stale
    link.unlink()
    link.symlink_to("2")
    reader.read(str(link))
    assert reader.stale


def test_the_one_used_longest_ago_is_forgotten_first(tmp_path):
    paths = [written(tmp_path, b"x" * 400, str(number)) for number in range(3)]
    reader = Reader([str(tmp_path)], keep_bytes=1000)
    first, second = reader.read(paths[0]), reader.read(paths[1])
    reader.read(paths[0])
    reader.read(paths[2])
    assert reader.read(paths[0]) is first
    assert reader.read(paths[1]) is not second


def test_open_buffers_win_over_the_disk(tmp_path):
    path = written(tmp_path / "real", b"disk\n")
    (tmp_path / "link").symlink_to("real")
    new = str(tmp_path / "not/yet/saved.py")
    outside = "/etc/passwd"
    reader = Reader([str(tmp_path)], overlay={path: "buffer\r\nß", new: "\ufeffnew\0", outside: "open"})
    text = reader.read(path)
    assert text == FileText(("buffer", "ß"), hashlib.sha256("buffer\r\nß".encode()).hexdigest(), True, True)
    assert reader.read(str(tmp_path / "link/a.txt")) is text
    saved = reader.read(new)
    assert isinstance(saved, FileText)
    assert saved.lines == ("new\0",)
    assert reader.exists(new)
    assert status(reader.read(outside)) == "outside"


def test_a_reader_in_memory_knows_its_keys_only():
    reader = Reader([], overlay={"src/a.py": "1\n2", "/etc/passwd": "mine"}, on_disk=False)
    text = reader.read("src/a.py")
    assert isinstance(text, FileText)
    assert text.lines == ("1", "2")
    mine = reader.read("/etc/passwd")
    assert isinstance(mine, FileText)
    assert mine.lines == ("mine",)
    assert status(reader.read("/etc/hostname")) == "missing"
    assert status(reader.read(__file__)) == "missing"
    assert reader.exists("src/a.py")
    assert not reader.exists(__file__)


def test_a_buffer_over_the_limit_is_too_large():
    reader = Reader([], overlay={"a": "ß" * 3}, on_disk=False, max_bytes=5)
    assert status(reader.read("a")) == "too-large"


def test_documents_keep_their_text_whole(tmp_path):
    path = written(tmp_path, "\ufeff---\r\na: 1\r---\n\x0c".encode())
    found = Reader([str(tmp_path)], max_bytes=1).read_text(path)
    assert isinstance(found, DocumentText)
    assert found.text == "---\r\na: 1\r---\n\x0c"
    assert (found.bom, found.encoding, found.decoded, found.from_buffer) == (True, "utf-8", True, False)
    assert status(Reader([str(tmp_path)]).read_text(path, max_bytes=5)) == "too-large"


def test_documents_in_utf_16_say_so(tmp_path):
    path = written(tmp_path, "\ufeffä\n".encode("utf-16-be"))
    found = Reader([str(tmp_path)]).read_text(path)
    assert isinstance(found, DocumentText)
    assert (found.text, found.encoding) == ("ä\n", "utf-16-be")


def test_ten_megabytes_of_bytes_that_are_no_text_take_no_long_time(tmp_path, ends):
    path = written(tmp_path, b"\xff" * 9_999_999)
    with ends():
        assert status(Reader([str(tmp_path)]).read(path)) == "read"


def test_other_errors_of_the_system_are_told(tmp_path, monkeypatch):
    path = written(tmp_path, b"x")

    def failing(*_: object) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "open", failing)
    found = Reader([str(tmp_path)]).read(path)
    assert status(found) == "unreadable"
    assert os.strerror(errno.EIO) in found.reason
    assert stat.S_ISREG(Path(path).stat().st_mode)


def test_a_path_that_is_too_long_and_no_text_is_not_there(tmp_path: Path) -> None:
    path = f"{tmp_path}/{'long/' * 2000}\ud83d.md"
    assert not Reader((str(tmp_path),)).exists(path)
