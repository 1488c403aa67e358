"""Git, asked safely: the only place that runs it.

The repository may be hostile. Its configuration can name programs that ordinary commands execute
(`core.fsmonitor`, `filter.*.clean`, `gpg.program`, hooks, `remote.*.uploadpack`), so only plumbing that reads
objects, the index and the ignore rules is used, never what reads the content of the working tree, and every
call carries the options and the environment of `_OPTIONS` and `_environment`. The program itself is taken
from absolute entries of PATH, because the working folder is the repository.

Nothing here raises: no git, no repository, a refusal and an overrun are values. Paths are text decoded with
`os.fsdecode` (a byte that is not UTF-8 becomes a surrogate), with "/" between segments.
"""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, Self, cast

from cite_lsp.snapshot.git_answers import NOT_INSTALLED, Answer, NoRepository, not_started, why_not
from cite_lsp.snapshot.listing import Listed, Listing, settled, with_inner
from cite_lsp.snapshot.listing_rows import Rows, listing_rows, paths_of
from cite_lsp.snapshot.past_names import PastNames, past_names, renames_in

__all__ = ["Answer", "Conversation", "NoRepository", "Repository", "ask"]

_OPTIONS = (
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "protocol.allow=never",
    "-c", "log.showSignature=false",
    "--no-pager",
    "--no-optional-locks",
)  # fmt: skip
_LITERAL = "--literal-pathspecs"

# Where git finds its own programs and the person's own settings. Everything else that starts with GIT_ is
# dropped: a hook is run with GIT_DIR and GIT_INDEX_FILE set, and they belong to that repository alone.
_KEPT = frozenset({
    "GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM",
})  # fmt: skip

_SECONDS = 10.0
_LISTING_SECONDS = 30.0
_NESTED_SECONDS = 40.0
_HISTORY_SECONDS = 20.0
_RENAME_SECONDS = 5.0
_RENAME_STEPS = 10
_SUBMODULE_DEPTH = 8
_IGNORE_SINGLY = 200
_LIVES = 1000
_LATE_LIVES = 2
_WATCH_SECONDS = 1.0
_NO_WINDOW: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)

_YES_OR_NO = re.compile(r"\n(?:true|false)\n")
_UNOPENED = re.compile(r"^warning: could not open directory '(.*)': Permission denied$", re.MULTILINE)


class Repository:
    """The work tree that a folder lies in, as it is when first asked: answers about history are kept.

    Attributes:
        top: The absolute path of the work tree's root, symbolic links resolved.
        index_file: The absolute path of the index, which may not be there yet.
    """

    def __init__(self, top: str, index_file: str) -> None:
        self.top = top
        self.index_file = index_file
        self.head: tuple[bytes, bool] | None = None
        self._renames: dict[bytes, dict[bytes, bytes]] = {}

    @classmethod
    def of(cls, folder: str) -> "Repository | NoRepository":
        """The repository whose work tree holds `folder`, or why there is none."""
        # Between two paths, which may hold line breaks, stands a word.
        answer = ask(folder, "rev-parse", "--show-toplevel", "--is-inside-work-tree", "--git-path", "index")
        if answer.code:
            return why_not(folder, answer)
        said, index_file = (*_YES_OR_NO.split(os.fsdecode(answer.out.removesuffix(b"\n")), 1), "")[:2]
        top = os.path.normpath(said)
        if not _within(os.path.realpath(folder), os.path.realpath(top)):
            return NoRepository("failed", f"the work tree of {folder} is elsewhere (core.worktree), at {top}")
        return cls(top, os.path.join(folder, index_file))

    def note_head(self) -> None:
        """Note what HEAD is now, and whether its history was cut off: what tells a later history from this one."""
        head = ask(self.top, "rev-parse", "--verify", "--quiet", "HEAD").out
        self.head = head, self.is_shallow

    @cached_property
    def is_shallow(self) -> bool:
        """True when the history was cut off by a shallow clone."""
        return ask(self.top, "rev-parse", "--is-shallow-repository").out.strip() == b"true"

    def tracked(self, under: str) -> list[str] | None:
        """Tracked files that exist below the absolute folder `under`, relative to it; None: git failed."""
        listing = self.listing(under)
        return list(listing.tracked) if isinstance(listing, Listing) else None

    def listed(self, under: str) -> list[str] | None:
        """Tracked and untracked files below `under`, without the ignored ones; None: git failed."""
        listing = self.listing(under)
        return sorted(listing.tracked + listing.untracked) if isinstance(listing, Listing) else None

    def listing(self, under: str, begun: Callable[[], object] | None = None) -> Listing | NoRepository:
        """Everything git knows below the absolute folder `under`, repositories inside it included.

        A nested repository that is no submodule gives untracked files: a clone of the outer one lacks them. `begun` is
        called when git is at it, and this thread is about to wait.
        """
        deadline = time.monotonic() + _NESTED_SECONDS
        return _listing(self, under, _SUBMODULE_DEPTH, deadline, begun or _nothing)

    def ignores_folder(self, folder: str) -> bool:
        """True when an ignore rule covers the absolute folder and nothing in it is tracked.

        Git lists nothing below such a folder, although a person may well ask for it.
        """
        if _same(folder, self.top) or ask(folder, "check-ignore", "-q", ".").code != 0:
            return False
        return not ask(folder, _LITERAL, "ls-files", "-z", "--cached", seconds=_LISTING_SECONDS).out

    def ignored(self, paths: Iterable[str]) -> set[str]:
        """Those of `paths` (relative to `top`) that ignore rules cover and that are not tracked.

        The index is asked too: a tracked file is in every clone, whatever the rules say. A path in a
        submodule is asked of the submodule's repository; one that leads out of the work tree is in no answer.
        """
        found: set[str] = set()
        for top, inside in self._by_work_tree(paths).items():
            found.update(asked for real in _ignored_in(top, list(inside)) for asked in inside[real])
        return found

    def names_in_history(self) -> frozenset[str] | None:
        """Every base name that a file had in any commit of HEAD's history; None: not known in 20 seconds.

        Empty before the first commit. In a shallow clone the names end where the history does.
        """
        return self._history.names

    def renamed_to(self, path: str) -> str | None:
        """Where a path that is not in HEAD went, by following renames forward; None where git does not say.

        Args:
            path: Relative to `top`.

        Returns:
            A path that is in HEAD. Git's own similarity limit of 50 % decides what a rename is.
        """
        deleted_by = self._history.deleted_by
        deadline = time.monotonic() + _RENAME_SECONDS
        step = _encoded(path)
        seen: set[bytes] = set()
        while step is not None and step not in seen and len(seen) < _RENAME_STEPS:
            seen.add(step)
            commit = deleted_by.get(step)
            if commit is None or time.monotonic() > deadline:
                return None
            step = self._renames_of(commit).get(step)
            if step is not None and step in self._history.head:
                return os.fsdecode(step)
        return None

    @cached_property
    def _history(self) -> PastNames:
        return past_names(self.top, ask, _HISTORY_SECONDS)

    def _renames_of(self, commit: bytes) -> dict[bytes, bytes]:
        """Old path: new path, of one commit; kept, because a moved folder is asked for once a file."""
        known = self._renames.get(commit)
        if known is None:
            known = self._renames[commit] = renames_in(self.top, commit.decode("ascii"), ask, _RENAME_SECONDS)
        return known

    def _by_work_tree(self, paths: Iterable[str]) -> dict[str, dict[str, list[str]]]:
        """Work tree: path in it, through no symbolic link: the paths as asked."""
        homes: dict[str, tuple[str, str] | None] = {}
        sorted_out: dict[str, dict[str, list[str]]] = {}
        for asked in paths:
            folder, _, name = asked.rpartition("/")
            if not name or _encoded(asked) is None or "\0" in asked:
                continue
            if folder not in homes:
                homes[folder] = self._home(folder)
            home = homes[folder]
            if home is not None:
                top, inside = home
                real = f"{inside}/{name}" if inside else name
                sorted_out.setdefault(top, {}).setdefault(real, []).append(asked)
        return sorted_out

    def _home(self, folder: str) -> tuple[str, str] | None:
        """The innermost work tree a folder lies in, and the folder relative to it; None: not in this one."""
        top = os.path.realpath(self.top)
        real = os.path.realpath(os.path.join(self.top, folder))
        if not _within(real, top):
            return None
        home = real
        while home != top and not os.path.lexists(os.path.join(home, ".git")):
            home = os.path.dirname(home)
        inside = os.path.relpath(real, home).replace(os.sep, "/")
        return home, "" if inside == "." else inside


def _ignored_in(top: str, paths: list[str]) -> Iterator[str]:
    # check-ignore knows no literal pathspecs; "./" in front keeps a leading ":" from being read as magic.
    fed = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
    answer = ask(top, "check-ignore", "-z", "--stdin", fed=fed)
    if answer.code in (0, 1):
        for name in answer.out.split(b"\0"):
            if name:
                yield os.fsdecode(name.removeprefix(b"./"))
    elif len(paths) > 1 and not answer.overrun:
        for path in paths[:_IGNORE_SINGLY]:  # one path that git will not look at spoils the whole answer
            yield from _ignored_in(top, [path])


def _listed(under: str, begun: Callable[[], object]) -> Listed | NoRepository:
    """Ask at once what is tracked, what is not, and what is gone from disk: git does one after the other by itself."""
    command = (_LITERAL, "ls-files", "-z")
    with (
        _Run(under, *command, "-t", "-s", "--cached") as cached,
        _Run(under, *command, "--others", "--exclude-standard") as others,
        _Run(under, *command, "--deleted") as deleted,
    ):
        begun()
        answer = cached.answer()
        rows = listing_rows(answer.out, under) if not answer.code else Rows()  # the others go on meanwhile
        beside, gone = others.answer(), deleted.answer()
    failed = next((each for each in (answer, beside, gone) if each.code), None)
    if failed is not None:
        return why_not(under, failed)
    notes = [f"no permission to read {name.rstrip('/')}" for name in _UNOPENED.findall(beside.err)]
    return Listed(rows, paths_of(beside.out), frozenset(paths_of(gone.out)), notes)


def _listing(
    repository: Repository, under: str, depth: int, deadline: float, begun: Callable[[], object]
) -> Listing | NoRepository:
    found = settled(lambda: _listed(under, begun), repository.index_file)
    if isinstance(found, Listed):
        return with_inner(found, lambda folder: _inner_listing(under, folder, depth, deadline), deadline)
    return found


def _inner_listing(under: str, folder: str, depth: int, deadline: float) -> Listing | NoRepository | None:
    """The files of a repository inside another; None where there is none, as in a submodule never fetched."""
    inner = os.path.join(under, folder)
    if not depth or _is_link(inner) or not os.path.lexists(os.path.join(inner, ".git")):
        return None
    found = Repository.of(inner)
    if isinstance(found, NoRepository):
        return found
    return _listing(found, inner, depth - 1, deadline, _nothing) if _same(found.top, inner) else None


def ask(folder: str, *arguments: str, fed: bytes | None = None, seconds: float = _SECONDS) -> Answer:
    """Run git in a folder with bytes or nothing on its standard input."""
    program = _program()
    if program is None:
        return NOT_INSTALLED
    try:
        done = subprocess.run(
            [program, *_OPTIONS, *arguments],
            cwd=folder,
            env=_environment(),
            input=fed,
            stdin=subprocess.DEVNULL if fed is None else None,
            capture_output=True,
            timeout=max(seconds, 0.01),
            check=False,
            creationflags=_NO_WINDOW,
        )
    except subprocess.TimeoutExpired as overrun:
        return Answer(-1, overrun.stdout or b"", "", overrun=True)
    except (OSError, ValueError) as error:
        return not_started(folder, error)
    return Answer(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


class _Run:
    """A run of git that goes on beside others for at most so many seconds; a context, at whose end it has ended.

    It writes to a file in memory where the system has such: megabytes would come through a pipe in hundreds of pieces,
    and this thread had to wait for another one of the process before each.
    """

    def __init__(self, folder: str, *arguments: str, seconds: float = _LISTING_SECONDS) -> None:
        self._until = time.monotonic() + seconds
        self._failed = NOT_INSTALLED
        self._process: subprocess.Popen[bytes] | None = None
        self._out: BinaryIO | None = None
        program = _program()
        if program is None:
            return
        try:
            self._out = _memory_file()
            self._process = subprocess.Popen(
                [program, *_OPTIONS, *arguments],
                cwd=folder,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if self._out is None else self._out,
                stderr=subprocess.PIPE,
                creationflags=_NO_WINDOW,
            )
        except (OSError, ValueError) as error:
            self._failed = not_started(folder, error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            _ended(self._process)
        if self._out is not None:
            self._out.close()

    def answer(self) -> Answer:
        """Wait until it has ended, and give what it said."""
        if self._process is None:
            return self._failed
        try:
            out, err = self._process.communicate(timeout=max(self._until - time.monotonic(), 0.01))
        except subprocess.TimeoutExpired:
            return Answer(-1, b"", "", overrun=True)
        if self._out is not None:
            self._out.seek(0)
            out = self._out.read()
        return Answer(self._process.returncode, out, err.decode("utf-8", "replace"))


def _memory_file() -> BinaryIO | None:
    """Give an empty file in memory; None where the system has none, or the C library that Python was made for."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            return open(os.memfd_create("git"), "r+b", buffering=0)  # noqa: PTH123 - it has no path
    return None


class Conversation:
    """One git process that answers line by line (`cat-file --batch`); for one thread at a time.

    It is started when first asked and again when it died, as it does over an object that a partial clone lacks; it is
    killed when an answer takes longer than `seconds`, by `close` and at the end of the interpreter. One question is
    on its way at a time, so that no pipe can fill up.
    """

    def __init__(self, folder: str, *arguments: str, seconds: float = _SECONDS) -> None:
        self._folder = folder
        self._arguments = arguments
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._end: Callable[[], object] = _nothing
        self._lives = _LIVES
        self._asked_at: float | None = None
        self._is_watched = False

    def ask(self, question: bytes) -> tuple[bytes, BinaryIO] | None:
        """Give the first line of the answer and what the rest is read from; None: git did not answer.

        `question` holds no line break. Whoever asks reads the whole answer, then calls `answered`.
        """
        process = self._running()
        if process is None or process.stdin is None or process.stdout is None or b"\n" in question:
            return None
        self._asked_at = time.monotonic()
        try:
            process.stdin.write(question + b"\n")
            process.stdin.flush()
            first = process.stdout.readline()
        except (OSError, ValueError):
            first = b""
        if first.endswith(b"\n"):
            self._lives = _LIVES
            return first[:-1], cast("BinaryIO", process.stdout)
        self.close()
        return None

    def answered(self) -> None:
        """Say that the answer was read to its end."""
        self._asked_at = None

    def close(self) -> None:
        """End the process; the next question starts another one."""
        self._asked_at = None
        self._end()
        self._process = None

    def _running(self) -> "subprocess.Popen[bytes] | None":
        if self._process is None and self._lives:
            self._lives -= 1
            program = _program()
            if program is not None:
                try:
                    self._process = subprocess.Popen(
                        [program, *_OPTIONS, *self._arguments],
                        cwd=self._folder,
                        env=_environment(),
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL,
                        creationflags=_NO_WINDOW,
                    )
                except (OSError, ValueError):
                    return None
                self._end = weakref.finalize(self, _ended, self._process)
                if not self._is_watched:
                    self._is_watched = True
                    threading.Thread(target=_watched, args=(weakref.ref(self),), name="git", daemon=True).start()
        return self._process

    def end_if_late(self) -> None:
        """Kill the process when its answer takes too long; whoever reads from it then reads its end."""
        asked_at, process = self._asked_at, self._process
        if asked_at is not None and process is not None and time.monotonic() - asked_at > self._seconds:
            self._lives = min(self._lives, _LATE_LIVES)
            process.kill()


def _nothing() -> None:
    """End nothing."""


def _ended(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    process.wait()


def _watched(watch: "weakref.ref[Conversation]") -> None:
    while (conversation := watch()) is not None:
        conversation.end_if_late()
        del conversation
        time.sleep(_WATCH_SECONDS)


def _program() -> str | None:
    """Git from PATH, absolute entries only: a relative one would be looked up in the repository."""
    name = "git.exe" if os.name == "nt" else "git"
    absolute = (Path(entry) / name for entry in os.get_exec_path() if Path(entry).is_absolute())
    return next(filter(None, map(shutil.which, map(str, absolute))), None)


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _KEPT}
    return kept | {
        "LC_ALL": "C",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        # Outranks `protocol.<name>.allow` of the repository, which `protocol.allow` does not.
        "GIT_ALLOW_PROTOCOL": "",
    }


def _encoded(path: str) -> bytes | None:
    try:
        return os.fsencode(path)
    except UnicodeEncodeError:  # a lone surrogate that stands for no byte: no file has such a name
        return None


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


def _is_link(path: str) -> bool:
    return os.path.islink(path)  # noqa: PTH114 - Path's raises without permission


def _same(first: str, second: str) -> bool:
    try:
        return Path(first).samefile(second)
    except OSError:
        return False
