"""One server through random work: what a client did, and what a fresh server must say of where that led.

A step is plain data and means something in any state, so that a failing sequence can be cut down.
"""

import asyncio
import random
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from cite_lsp.server.protocol import Server
from tests.server.at_rest import shown_at_rest, troubles
from tests.server.harness import CAPABILITIES, Session

ENCODINGS = ("utf-8", "utf-16", "utf-32")
VERDICTS = frozenset({"unsupported", "partial", "review"})

DOCUMENTS = ("README.md", "docs/plan.md", "docs/guide.rst", "docs/notes.adoc", "CHANGELOG.md", "build/out.md")
CODE = ("src/pool.py", "src/app.py", "lib/pool.py", "src/Upper.py", "build/made.py", "src/empty.py")
OTHER = ("src/pool/mod.py", "src/new.py", "docs/more.md")
BESIDE = ("beside/README.md", "beside/src/pool.py", "beside/src/ap.py")
"""Files of the folder beside the first."""
FILES = (*DOCUMENTS, *CODE, *OTHER, *BESIDE)

_CODE_LINES = (
    "import time", "", "LIMIT = 3", "TIMEOUT = 30  # seconds", "def retry(call):", "    for attempt in range(LIMIT):",
    "        call()", "class Pool:", "    size = 8", "    # 😀 the pool", "",
)  # fmt: skip
_PIECES = (
    "`src/pool.py:3`", "`src/pool.py:1-4`", "`pool.py:2`", "src/app.py:5", "`lib/pool.py:40`", "`src/gone.py:3`",
    "[the pool](../src/pool.py#L2-L3)", "`src/upper.py:1`", "`src/new.py:1`", "`build/made.py:1`", "`src/app.py:9-4`",
    "`app.py:2`", "`src/empty.py:1`", "`src/pool/mod.py:1`", "`src/pool.py:2, 4, 99`", "`../x/y.py:4`", "`plan.md:1`",
    "`src/poll.py:1`", "https://github.com/o/r/blob/main/src/app.py#L3", "`src/ap\u200bp.py:1`", "`src/app.py:2`:3",
)  # fmt: skip
_WORDS = (
    "The limit is three", "The pool 😀 waits", "é ü", "a", " ", ".", "\n", "\r\n", "\n\n", "```\n", "> ", "- ",
    "| a | b |\n|---|---|\n",
    "# Head\n", "<!-- cite-lsp: ignore missing -->", "<!-- cite-lsp: ignore blank-line x -->\n",
    "`", "\r", "\u2028", "\f",
    "the limit is `3`", "The `pool` holds the calls.", "## Part\n\n",
    "the timeout is 30 seconds", "<!-- cite-lsp: ignore-file case-differs -->\n", "    ", "\t", "*", "[", "](", ")",
)  # fmt: skip
_SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"rules": {"missing": "off"}},
    {"rules": {"missing": "warning", "blank-line": "off"}, "files": {"exclude": ["docs/**"]}},
    {"files": {"include": ["docs/**/*.md"]}},
    {"anchors": {"in_fences": True}},
    {"records": ["docs/**"], "files": {"must_cite": ["**/*.md"]}, "rules": {"vacuous": "warning"}},
    {"anchors": {"foreign": ["src/gone.py"]}},
    {"server": {"max_diagnostics": 2}},
    {"files": {"max_bytes": 40}},
    {"anchors": {"pattern": r"(?P<path>[a-z/]+\.py):(?P<line>[0-9]+)"}},
    {"rules": {"cited-value": "warning", "section-citations": "error", "uncited": "information"}},
)
_PROJECT = (
    "", '[rules]\nmissing = "hint"\n', '[files]\nexclude = ["README.md"]\n', "[anchors]\nin_fences = true\n",
    '[[overrides]]\nglobs = ["docs/**"]\nrules = { "line-out-of-range" = "off" }\n',
)  # fmt: skip
_IGNORES = ("", "build/\n", "docs/\n", "*.py\n")

_KINDS = {
    "edit": 36,
    "open": 12,
    "all": 4,
    "close": 4,
    "save": 4,
    "write": 8,
    "delete": 4,
    "rename": 4,
    "editor": 3,
    "project": 2,
    "ignore": 1,
    "beside": 2,
    "wait": 12,
    "ask": 6,
}
"""Kinds of steps, and how often there are such."""

Step = tuple[Any, ...]


def code_text(rng: random.Random) -> str:
    """A few lines of code."""
    end = rng.choice(("\n", "\n", "\r\n"))
    return end.join(rng.choice(_CODE_LINES) for _ in range(rng.randint(0, 9)))


def prose(rng: random.Random, most: int = 12) -> str:
    """Some text with citations."""
    return "".join(rng.choice(_PIECES if rng.random() < 0.45 else _WORDS) for _ in range(rng.randint(0, most)))


def any_text(rng: random.Random, name: str) -> str:
    """A text for a file of this name."""
    return code_text(rng) if name.endswith(".py") else prose(rng)


def steps(rng: random.Random, count: int) -> list[Step]:
    """Random steps."""
    return [_step(rng) for _ in range(count)]


def _step(rng: random.Random) -> Step:
    name = rng.choice(FILES)
    kind = rng.choices(tuple(_KINDS), tuple(_KINDS.values()))[0]
    if kind == "edit":
        places = [tuple(rng.random() for _ in range(4)) for _ in range(rng.choice((1, 1, 1, 2, 4)))]
        texts = [prose(rng, 2) if rng.random() < 0.8 else "" for _ in places]
        return kind, rng.random(), tuple(zip(places, texts, strict=True)), rng.random() < 0.15
    if kind in ("open", "all", "write"):
        return kind, name, rng.random(), any_text(rng, name), rng.random() < 0.5
    if kind in ("close", "save", "ask"):
        return kind, rng.random(), rng.random()
    if kind == "delete":
        return kind, name
    if kind == "rename":
        return kind, name, rng.choice(FILES)
    if kind == "editor":
        return kind, rng.randrange(len(_SETTINGS))
    if kind == "project":
        return kind, rng.choice(_PROJECT)
    if kind == "beside":
        return (kind,)
    if kind == "ignore":
        return kind, rng.choice(_IGNORES)
    return kind, rng.choice((0.0, 0.0, 0.0, 0.06, 0.12, 0.25))


# --- positions as the protocol has them, written once more


def lines_of(text: str) -> list[str]:
    """The lines with their ends; the last has none."""
    return re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z|\Z", text)[: len(re.findall(r"\r\n|\n|\r", text)) + 1]


def units(text: str, encoding: str) -> int:
    """How long a text is in units of an encoding."""
    if encoding == "utf-32":
        return len(text)
    return len(text.encode(encoding + ("-le" if encoding == "utf-16" else ""))) // (2 if encoding == "utf-16" else 1)


def position(text: str, offset: int, encoding: str) -> tuple[int, int]:
    """The protocol's position of an offset that is not between "\\r" and "\\n"."""
    before = 0
    lines = lines_of(text)
    for number, line in enumerate(lines):
        body = line.rstrip("\r\n")
        if offset <= before + len(body) or number == len(lines) - 1:
            return number, units(body[: offset - before], encoding)
        before += len(line)
        if offset < before:
            return number, units(body, encoding)
    return 0, 0


def offset_of(text: str, place: tuple[int, int], encoding: str) -> int:
    """The offset of a position; what lies past the end of line or text counts as that end."""
    line, column = place
    lines = lines_of(text)
    if line >= len(lines):
        return len(text)
    start = sum(map(len, lines[:line]))
    body = lines[line].rstrip("\r\n")
    for count in range(len(body) + 1):
        if units(body[:count], encoding) >= column:
            return start + count
    return start + len(body)


def replaced(text: str, start: tuple[int, int], end: tuple[int, int], new: str, encoding: str) -> str:
    """The text after one edit."""
    low, high = offset_of(text, start, encoding), offset_of(text, end, encoding)
    return text[:low] + new + text[high:]


def apply_edits(text: str, edits: list[dict[str, Any]], encoding: str = "utf-16") -> str:
    """The text after the edits of one TextDocumentEdit, all of which mean the text before."""
    spots = []
    for edit in edits:
        start, end = (
            offset_of(text, (edit["range"][side]["line"], edit["range"][side]["character"]), encoding)
            for side in ("start", "end")
        )
        assert start <= end
        spots.append((start, end, edit["newText"]))
    spots.sort(key=lambda spot: spot[:2])
    for (_, end, _), (start, _, _) in pairwise(spots):
        assert end <= start, "edits overlap"
    for start, end, new in reversed(spots):
        text = text[:start] + new + text[end:]
    return text


# --- a client that works


def place_of(folder: Path, name: str) -> Path:
    """Where a file of a workspace is; "beside/" is the folder beside the first."""
    if name.startswith("beside/"):
        return folder.with_name(f"{folder.name}-beside") / name.removeprefix("beside/")
    return folder / name


@dataclass
class Life:
    """A client with one server, and the state that a fresh server is held against."""

    folder: Path
    encoding: str
    pulls: bool
    make: Callable[[Callable[[int], None]], Server]
    editor: dict[str, Any] = field(default_factory=dict)
    base: dict[str, Any] = field(default_factory=dict)
    open: dict[str, str] = field(default_factory=dict)
    """Texts of open buffers by relative path."""
    shown: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    two: bool = False
    """Whether the folder beside the first is one of the workspace, too."""

    @property
    def beside(self) -> Path:
        """The second folder."""
        return self.path("beside/x").parent

    def session(self) -> Session:
        """A client of this kind."""
        capabilities = {
            **CAPABILITIES,
            "general": {"positionEncodings": [self.encoding]},
            "workspace": {**CAPABILITIES["workspace"], "configuration": self.pulls},
        }
        return Session(
            capabilities=capabilities,
            folders=[self.folder, self.beside] if self.two else [self.folder],
            options=None if self.pulls else self.tree,
            settings=(lambda item: self.tree) if self.pulls else None,
            ignored=("cite-lsp/status", "window/showMessage"),
            make=self.make,
        )

    @property
    def tree(self) -> dict[str, Any]:
        """The editor's settings as they are now."""
        return {**self.base, **self.editor}

    def path(self, name: str) -> Path:
        """Where a file is."""
        return place_of(self.folder, name)

    def uri(self, name: str) -> str:
        """The address of a file."""
        return self.path(name).as_uri()

    def pick(self, where: float) -> str | None:
        """One of the open files."""
        names = list(self.open)
        return names[int(where * len(names))] if names else None

    async def do(self, session: Session, step: Step) -> None:
        """Do one step."""
        kind, *more = step
        outcome = getattr(self, f"_{kind}")(session, *more)
        if outcome is not None:
            await outcome

    def _beside(self, session: Session) -> None:
        self.two = not self.two
        changed = [self.beside]
        session.folders_changed(added=changed if self.two else (), removed=() if self.two else changed)

    def _edit(self, session: Session, where: float, edits: Any, wild: bool) -> None:
        name = self.pick(where)
        if name is None:
            return
        text, made = self.open[name], []
        for (low, high, up, more), new in edits:
            places = sorted((low, high if more < 0.3 else low + (high - low) * 0.1))
            start, end = (position(text, int(at * (len(text) + 1)), self.encoding) for at in places)
            if wild:
                end = (end[0] + int(up * 4), end[1] + int(more * 100))
            made.append((start, end, new))
            text = replaced(text, start, end, new, self.encoding)
        self.open[name] = text
        session.changes(self.uri(name), made)

    def _open(self, session: Session, name: str, chance: float, text: str, other: bool) -> None:
        path = self.path(name)
        if name in self.open:
            return
        if path.is_file() and not other:
            text = path.read_bytes().decode("utf-8", errors="replace")
        self.open[name] = text
        session.open(self.uri(name), text, language="python" if name.endswith(".py") else "markdown")

    def _all(self, session: Session, name: str, chance: float, text: str, other: bool) -> None:
        picked = self.pick(chance)
        if picked is None:
            return
        self.open[picked] = text if other else self.open[picked] + text
        session.change_all(self.uri(picked), self.open[picked])

    def _close(self, session: Session, where: float, _: float) -> None:
        name = self.pick(where)
        if name is not None:
            del self.open[name]
            session.close(self.uri(name))

    def _save(self, session: Session, where: float, _: float) -> None:
        name = self.pick(where)
        if name is not None:
            self.save(session, name)

    def save(self, session: Session, name: str) -> None:
        """Write a buffer to disk and tell of it, as editors do."""
        path = self.path(name)
        there = path.is_file()
        if path.is_dir() or not self._can(path):
            return
        path.write_bytes(self.open[name].encode())
        session.save(self.uri(name))
        session.files_changed((self.uri(name), 2 if there else 1))

    def _can(self, path: Path) -> bool:
        parent = path.parent
        if parent.is_file() or path.is_dir():
            return False
        parent.mkdir(parents=True, exist_ok=True)
        return True

    def _write(self, session: Session, name: str, _: float, text: str, __: bool) -> None:
        path = self.path(name)
        there = path.is_file()
        if self._can(path):
            path.write_bytes(text.encode())
            session.files_changed((self.uri(name), 2 if there else 1))

    def _delete(self, session: Session, name: str) -> None:
        path = self.path(name)
        if path.is_file():
            path.unlink()
            session.files_changed((self.uri(name), 3))

    def _rename(self, session: Session, name: str, new: str) -> None:
        path, target = self.path(name), self.path(new)
        if not path.is_file() or target.exists() or not self._can(target):
            return
        path.rename(target)
        session.files_changed((self.uri(name), 3), (self.uri(new), 1))

    def _editor(self, session: Session, number: int) -> None:
        self.editor = _SETTINGS[number]
        session.configure(None if self.pulls else self.tree)

    def _project(self, session: Session, text: str) -> None:
        self._replace(session, "cite-lsp.toml", text)

    def _ignore(self, session: Session, text: str) -> None:
        self._replace(session, ".gitignore", text)

    def _replace(self, session: Session, name: str, text: str) -> None:
        path = self.path(name)
        there = path.is_file()
        if text:
            path.write_text(text)
            session.files_changed((self.uri(name), 2 if there else 1))
        elif there:
            path.unlink()
            session.files_changed((self.uri(name), 3))

    async def _wait(self, session: Session, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _ask(self, session: Session, where: float, at: float) -> None:
        name = self.pick(where)
        if name is None:
            return
        line, column = position(self.open[name], int(at * (len(self.open[name]) + 1)), self.encoding)
        document = {"uri": self.uri(name)}
        place = {"textDocument": document, "position": {"line": line, "character": column}}
        await session.request("textDocument/hover", place)
        await session.request("textDocument/definition", place)
        await session.request("textDocument/documentLink", {"textDocument": document})

    async def fresh(self, *, save: bool = False) -> dict[str, list[dict[str, Any]]]:
        """What a server that is started now shows of the open documents."""
        async with self.session() as session:
            await session.settled()
            for name, text in self.open.items():
                session.open(self.uri(name), text, language="python" if name.endswith(".py") else "markdown")
            now = await shown_at_rest(session)
            if save:
                for name in self.open:
                    session.save(self.uri(name))
                await shown_at_rest(session, now)
            assert troubles(session) == []
        return now


def make_folder(folder: Path, rng: random.Random, template: Path | None) -> None:
    """Lay out a small workspace and a folder beside it; `template`: a folder whose `.git` is copied."""
    folder.mkdir()
    if template is not None:
        shutil.copytree(template, folder, dirs_exist_ok=True)
    for name in FILES:
        if rng.random() < 0.6:
            path = place_of(folder, name)
            if path.parent.is_file() or path.is_dir():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(any_text(rng, name).encode())
