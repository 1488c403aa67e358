"""A person at work, for the soak: what is typed, saved, renamed and asked, at random, through a real server."""

import contextlib
import queue
import random
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.bench.soak_client import SoakClient
from tests.bench.soak_ground import (
    BESIDE,
    CODE,
    DOCUMENTS,
    MOST_CHARACTERS,
    NEW,
    POLICIES,
    Repository,
    any_text,
    sentence,
)
from tests.server.living import apply_edits, position, prose

UNTITLED = "untitled:Untitled-1"
_CHANGED, _CREATED, _DELETED = 2, 1, 3
_EVENTS_AT_ONCE = 1_000
_MOST_OPEN_REQUESTS = 40
_TYPED = ("the limit", " (`src/", "area0/mod00.py:5`)", "é", "😀", "\n", "\n\n", ". ", "`", "[", "](", "#L3")
_EDITOR: tuple[dict[str, Any], ...] = (
    {},
    {"rules": {"missing": "off"}},
    {"rules": {"missing": "warning", "blank-line": "off"}, "files": {"exclude": ["docs/part1/**"]}},
    {"anchors": {"in_fences": True}, "server": {"code_lens": True, "inlay_hints": True}},
    {"drift": {"enabled": False}},
    {"judge": {"run": "manual"}},
    {"judge": {"run": "off"}},
    {"judge": {"name": "embedded"}},
    {"judge": {"exclude": ["src/area1/**"]}},
    {"policies": {"run": "save"}},
    {"rules": {"uncited": "information", "cited-value": "warning"}, "records": ["docs/part2/**"]},
    {"rules": {"no-such-code": "off"}},
)
_PROJECT = (
    "", '[rules]\nmissing = "hint"\n', '[files]\nexclude = ["README.md"]\n', "[anchors]\nin_fences = true\n",
    '[[overrides]]\nglobs = ["docs/**"]\nrules = { "line-out-of-range" = "off" }\n', "[rules\n", "[judge]\nrun = 3\n",
)  # fmt: skip
_IGNORES = ("build/\n", "build/\nsrc/area3/\n", "build/\ndocs/part2/\n")
_DRIFT = ("moved", "edited", "gone", "born-wrong")
_PLACED = ("hover", "definition", "declaration", "completion", "references")
_WHOLE = ("documentLink", "codeLens")
_COMMANDS = ("judgeDocument", "judgeDocument", "judgeDocument", "runPolicies", "fixAll", "requestRepair")

_KINDS = {
    "type": 300, "edit": 120, "code": 80, "save": 60, "open": 50, "close": 30, "ask": 200, "whole": 40, "action": 40,
    "command": 12, "write": 30, "delete": 8, "rename": 6, "editor": 5, "project": 4, "ignore": 2, "folders": 3,
    "policy": 15, "untitled": 6, "commit": 4, "switch": 3, "pause": 25, "undo": 15, "everything": 1, "clear": 1,
}  # fmt: skip
"""Kinds of steps, and how often there are such."""


class Life:
    """A client at work. `open` are the texts of its buffers by name; a name is relative to the repository."""

    def __init__(self, client: SoakClient, ground: Repository, beside: Path, encoding: str, rng: random.Random) -> None:
        self.client = client
        self.ground = ground
        self.beside = beside
        self.encoding = encoding
        self.rng = rng
        self.open: dict[str, str] = {}
        self.two = False
        """Whether the folder beside is one of the workspace."""
        self.done: deque[str] = deque(maxlen=400)
        self.counts: Counter[str] = Counter()
        self._before: dict[str, str] = {}
        self._versions = 0

    # --- names

    @property
    def folders(self) -> list[Path]:
        """The folders of the workspace."""
        return [self.ground.folder, self.beside] if self.two else [self.ground.folder]

    def path(self, name: str) -> Path:
        """Where a file is."""
        return self.beside / name if name in BESIDE else self.ground.folder / name

    def uri(self, name: str) -> str:
        """The address of a file or buffer."""
        return name if name.startswith("untitled:") else self.path(name).as_uri()

    def is_committed(self, name: str) -> bool:
        """Whether git can know a file's past; of others only a server that was there knows what citations showed."""
        return not name.startswith("untitled:") and name not in BESIDE

    def on_disk(self, name: str) -> str | None:
        """The text of a file, None where there is none."""
        if name.startswith("untitled:"):
            return None
        try:
            return self.path(name).read_bytes().decode("utf-8")
        except OSError:
            return None

    def _pick(self, *wanted: str) -> str | None:
        names = [name for name in self.open if not wanted or name in wanted]
        return self.rng.choice(names) if names else None

    def _document(self) -> str | None:
        return self._pick(*DOCUMENTS, *DOCUMENTS, UNTITLED, "docs/new.md", "docs/part1/more.md", "beside.md")

    # --- steps

    def step(self) -> None:
        """Do something. Raises Gone."""
        kind = self.rng.choices(tuple(_KINDS), tuple(_KINDS.values()))[0]
        self.counts[kind] += 1
        what = getattr(self, f"_{kind}")()
        self.done.append(f"{kind} {what if what is not None else ''}".strip())
        self.apply_wanted()
        if len(self.client.open_requests) > _MOST_OPEN_REQUESTS:
            self.client.all_answered(self.apply_wanted)

    def apply_wanted(self) -> None:
        """Apply the edits that the server has asked for."""
        while True:
            try:
                number, edit = self.client.edits.get_nowait()
            except queue.Empty:
                return
            self._apply(edit)
            self.client.reply(number, {"applied": True})

    def show(self, name: str, text: str) -> None:
        """Open a buffer."""
        self.open[name] = text
        self._versions += 1
        language = "python" if name.endswith(".py") else "toml" if name.endswith(".toml") else "markdown"
        item = {"uri": self.uri(name), "languageId": language, "version": self._versions, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def _change(self, name: str, changes: list[dict[str, Any]], text: str) -> None:
        self.open[name] = text
        self._versions += 1
        document = {"uri": self.uri(name), "version": self._versions}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def _replace(self, name: str, low: int, high: int, new: str) -> None:
        """Write a text in place of what stands between two offsets."""
        text = self.open[name]
        spot = {}
        for side, offset in (("start", low), ("end", high)):
            line, character = position(text, offset, self.encoding)
            spot[side] = {"line": line, "character": character}
        self._change(name, [{"range": spot, "text": new}], text[:low] + new + text[high:])

    def reload(self, name: str, text: str) -> None:
        """Take a text from disk into a buffer, as editors do."""
        self._change(name, [{"text": text}], text)

    def _place(self, text: str) -> int:
        return self.rng.randint(0, len(text))

    def _type(self) -> str | None:
        name = self._document()
        if name is None:
            return None
        self._before[name] = self.open[name]
        new = self.rng.choice(_TYPED) if self.rng.random() < 0.6 else sentence(self.rng)[: self.rng.randint(1, 60)]
        at = self._place(self.open[name])
        if self.open[name][at : at + 1] == "\n" and self.open[name][at - 1 : at] == "\r":
            return None
        for character in new:
            self._replace(name, at, at, character)
            at += 1
            if self.rng.random() < 0.1:
                self._ask_at(name, at, "completion")
            time.sleep(0.005)
        return name

    def _edit(self) -> str | None:
        name = self._document()
        if name is None:
            return None
        text = self._before[name] = self.open[name]
        at = self._place(text)
        if len(text) > MOST_CHARACTERS:
            self._replace(name, at, min(len(text), at + len(text) // 3), "")
        elif self.rng.random() < 0.4:
            self._replace(name, at, min(len(text), at + self.rng.randint(1, 200)), "")
        elif self.rng.random() < 0.3:
            self._replace(name, at, at, prose(self.rng, 3).replace("\r", ""))
        else:
            end = text.find("\n\n", at)
            at = len(text) if end < 0 else end
            self._replace(name, at, at, f"\n\n{sentence(self.rng)}")
        return name

    def _undo(self) -> str | None:
        name = self._document()
        if name is None or name not in self._before:
            return None
        self.reload(name, self._before.pop(name))
        return name

    def edited_code(self, text: str) -> str:
        """A code file after an edit as people make them."""
        lines = text.split("\n")
        at = self.rng.randrange(len(lines))
        end = min(len(lines), at + self.rng.randint(1, 6))
        kind = self.rng.choice(("insert", "insert", "delete", "change", "move", "new"))
        if kind == "insert" and len(lines) < 160:
            lines[at:at] = [f"new_{self.rng.randrange(1000)} = {self.rng.randrange(9)}"] * self.rng.randint(1, 4)
        elif kind == "change":
            lines[at] = f"{lines[at][:80]}  # changed"
        elif kind == "new":
            return any_text(self.rng, "x.py")
        else:
            block = lines[at:end]
            del lines[at:end]
            if kind == "move":
                to = self.rng.randrange(len(lines) + 1)
                lines[to:to] = block
        return "\n".join(lines)

    def _code(self) -> str | None:
        name = self._pick(*CODE, "src/new.py", "src/area0/other.py", "tools/run.py")
        if name is None:
            return None
        text = self.open[name]
        if self.rng.random() < 0.5:
            at = self._place(text)
            self._replace(name, at, at, self.rng.choice(("\n", "x", "  # typed\n")))
        else:
            self.reload(name, self.edited_code(text))
        return name

    def _save(self) -> str | None:
        name = self._pick()
        if name is None or name == UNTITLED:
            return None
        self.save(name)
        return name

    def save(self, name: str) -> None:
        """Write a buffer to disk, and say so."""
        kind = self.write(name, self.open[name])
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri(name)}})
        self.events([(self.path(name), kind)])

    def write(self, name: str, text: str) -> int:
        """Write a file; give what kind of event that is."""
        path = self.path(name)
        kind = _CHANGED if path.exists() else _CREATED
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return kind

    def events(self, news: Iterable[tuple[Path, int]]) -> None:
        """Tell what happened to files, where the client watches them."""
        if "workspace/didChangeWatchedFiles" not in self.client.registered:
            return
        changes = [
            {"uri": path.as_uri(), "type": kind}
            for path, kind in news
            if any(path.is_relative_to(folder) for folder in self.folders)
        ]
        for low in range(0, len(changes), _EVENTS_AT_ONCE):
            self.client.notify("workspace/didChangeWatchedFiles", {"changes": changes[low : low + _EVENTS_AT_ONCE]})

    def _open(self) -> str | None:
        name = self.rng.choice((*DOCUMENTS, *CODE, *BESIDE, *NEW) if len(self.open) < 26 else BESIDE)
        if name in self.open:
            return None
        text = self.on_disk(name)
        if text is None and self.rng.random() < 0.7:
            return None
        self.show(name, any_text(self.rng, name) if text is None else text)
        return name

    def _close(self) -> str | None:
        name = self._pick()
        if name is None or (name in DOCUMENTS and len(self.open) < 18):
            return None
        del self.open[name]
        self._before.pop(name, None)
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})
        return name

    def _untitled(self) -> str:
        if UNTITLED not in self.open:
            self.show(UNTITLED, any_text(self.rng, "x.md"))
        return UNTITLED

    # --- what happens to files

    def _write(self) -> str | None:
        """Another program writes a file."""
        name = self.rng.choice((*CODE, *CODE, *DOCUMENTS, *NEW, *BESIDE, "build/made.py"))
        before = self.on_disk(name)
        clean = name not in self.open or self.open[name] == before
        if before is None or len(before) > MOST_CHARACTERS or not name.endswith(".py"):
            text = any_text(self.rng, name)
        else:
            text = self.edited_code(before)
        self.events([(self.path(name), self.write(name, text))])
        if name in self.open and clean:
            self.reload(name, text)
        return name

    def _delete(self) -> str | None:
        name = self.rng.choice((*CODE, *DOCUMENTS, *NEW, *NEW, *NEW))
        if self.on_disk(name) is None:
            return None
        if self.rng.random() < 0.5:
            self._request(
                "workspace/willDeleteFiles", {"files": [{"uri": self.uri(name)}]}, "fileOperations.willDelete"
            )
        self.path(name).unlink()
        self.events([(self.path(name), _DELETED)])
        return name

    def _rename(self) -> str | None:
        """Rename a cited file as an editor does, or behind its back."""
        name, new = self.rng.choice(CODE), self.rng.choice((*CODE, "src/new.py", "src/area0/other.py"))
        if self.on_disk(name) is None or self.on_disk(new) is not None or name in self.open or new in self.open:
            return None
        files = {"files": [{"oldUri": self.uri(name), "newUri": self.uri(new)}]}
        by_editor = self.rng.random() < 0.7
        if by_editor:
            self._apply(self.client.ask("workspace/willRenameFiles", files) or {})
        self.path(new).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).rename(self.path(new))
        if by_editor:
            self.client.notify("workspace/didRenameFiles", files)
        self.events([(self.path(name), _DELETED), (self.path(new), _CREATED)])
        return f"{name} → {new}"

    def _apply(self, edit: Mapping[str, Any]) -> None:
        """Apply a workspace edit: to buffers, and to files that are not open."""
        edits = dict(edit.get("changes") or {})
        for each in edit.get("documentChanges") or ():
            if "textDocument" in each:
                edits[each["textDocument"]["uri"]] = each["edits"]
        names = {self.uri(name): name for name in (*DOCUMENTS, *CODE, *NEW, *BESIDE, UNTITLED)}
        for uri, changes in edits.items():
            name = names.get(uri)
            if name is None:
                continue
            if name in self.open:
                with contextlib.suppress(AssertionError):  # the buffer is another by now, as it is in editors
                    self.reload(name, apply_edits(self.open[name], changes, self.encoding))
            elif (text := self.on_disk(name)) is not None:
                self.events([(self.path(name), self.write(name, apply_edits(text, changes, self.encoding)))])

    def _commit(self) -> None:
        self.commit()

    def commit(self) -> None:
        """Commit all there is."""
        self.ground.commit("work")
        self._git_news("index", "HEAD", "logs/HEAD")

    def _git_news(self, *names: str) -> None:
        self.events([(self.ground.folder / ".git" / name, _CHANGED) for name in names])

    def _switch(self) -> str:
        """Check the other branch out: thousands of files change at once, and clean buffers are read anew."""
        clean = [name for name, text in self.open.items() if name not in BESIDE and text == self.on_disk(name)]
        kinds = {"A": _CREATED, "D": _DELETED}
        changed = self.ground.switch()
        self._git_news("index", "HEAD", "logs/HEAD")
        self.events([(self.ground.folder / path, kinds.get(kind, _CHANGED)) for kind, path in changed])
        for name in clean:
            text = self.on_disk(name)
            if text is not None and text != self.open[name]:
                self.reload(name, text)
        return f"to {self.ground.branch}, {len(changed)} files"

    # --- settings

    def _editor(self) -> str:
        self.settle_settings(self.rng.choice(_EDITOR))
        return str(self.client.settings)

    def settle_settings(self, tree: Mapping[str, Any]) -> None:
        """Change the editor's settings, and say so as the client does it."""
        self.client.settings = tree
        pulled = "workspace/didChangeConfiguration" in self.client.registered
        settings = None if pulled else {"cite-lsp": dict(tree)}
        self.client.notify("workspace/didChangeConfiguration", {"settings": settings})

    def _project(self) -> str:
        text = self.rng.choice(_PROJECT)
        self.write_or_remove("cite-lsp.toml", text)
        return repr(text)

    def write_or_remove(self, name: str, text: str) -> None:
        """Write a file, or remove it where the text is empty."""
        path = self.path(name)
        if text:
            self.events([(path, self.write(name, text))])
        elif path.exists():
            path.unlink()
            self.events([(path, _DELETED)])

    def _ignore(self) -> str:
        text = self.rng.choice(_IGNORES)
        self.write_or_remove(".gitignore", text)
        return repr(text)

    def _folders(self) -> str:
        self.two = not self.two
        folder = {"uri": self.beside.as_uri(), "name": self.beside.name}
        event = {"added": [folder] if self.two else [], "removed": [] if self.two else [folder]}
        self.client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        return "two" if self.two else "one"

    def _policy(self) -> str:
        """Type in a policy file, or put it right and save it."""
        name = self.rng.choice(POLICIES)
        if name not in self.open:
            self.show(name, self.on_disk(name) or any_text(self.rng, name))
        elif self.rng.random() < 0.3:
            self.reload(name, any_text(self.rng, name))
            self.save(name)
        else:
            at = self._place(self.open[name])
            end = min(len(self.open[name]), at + self.rng.choice((0, 0, 3)))
            self._replace(name, at, end, self.rng.choice(("x", '"', "[", "=", "\n", " = 3\n", "")))
            self._ask_at(name, at, self.rng.choice(("completion", "hover")))
        return name

    # --- requests

    def _request(self, method: str, params: object, able: str) -> None:
        """Send a request that the server says it can answer; now and then it is not wanted any more at once."""
        there: Any = self.client.capabilities
        for part in ("workspace." + able if able.startswith("fileOperations") else able).split("."):
            there = (there or {}).get(part) if isinstance(there, Mapping) else None
        if not there:
            return
        number = self.client.begin(method, params)
        if self.rng.random() < 0.25:
            if self.rng.random() < 0.5:
                time.sleep(self.rng.uniform(0.0, 0.01))
            self.client.cancel(number)

    def _ask_at(self, name: str, offset: int, what: str) -> None:
        line, character = position(self.open[name], min(offset, len(self.open[name])), self.encoding)
        params: dict[str, Any] = {
            "textDocument": {"uri": self.uri(name)},
            "position": {"line": line, "character": character},
        }
        if what == "references":
            params["context"] = {"includeDeclaration": False}
        self._request(f"textDocument/{what}", params, f"{what}Provider")

    def _ask(self) -> str | None:
        name = self._pick()
        if name is None:
            return None
        text = self.open[name]
        found = text.find(".py", self._place(text))
        what = self.rng.choice(_PLACED)
        self._ask_at(name, self._place(text) if found < 0 else found, what)
        return f"{what} {name}"

    def _whole(self) -> str | None:
        name = self._pick()
        if name is None:
            return None
        document = {"textDocument": {"uri": self.uri(name)}}
        lines = self.open[name].count("\n")
        around = {"start": {"line": 0, "character": 0}, "end": {"line": lines, "character": 0}}
        for what in _WHOLE:
            self._request(f"textDocument/{what}", document, f"{what}Provider")
        self._request("textDocument/inlayHint", {**document, "range": around}, "inlayHintProvider")
        query = {"query": self.rng.choice(("", "mod", "src/area1", "zz"))}
        self._request("workspace/symbol", query, "workspaceSymbolProvider")
        return name

    def _action(self) -> str | None:
        """Ask what can be done about a finding, have it resolved, and now and then do it."""
        name = self._document()
        shown = self.client.shown.get(self.uri(name), []) if name is not None else []
        if name is None or not shown:
            return None
        finding = self.rng.choice(shown)
        params = {
            "textDocument": {"uri": self.uri(name)},
            "range": finding["range"],
            "context": {"diagnostics": [finding]},
        }
        actions = [each for each in self.client.ask("textDocument/codeAction", params) or () if "kind" in each]
        if not actions:
            return name
        action = self.rng.choice(actions)
        if "edit" not in action:
            action = self.client.ask("codeAction/resolve", action) or {}
        self.apply_wanted()
        if self.rng.random() < 0.5 and "edit" in action:
            if finding.get("code") in _DRIFT and "cite-lsp: ignore" in str(action["edit"]):
                return name  # a server that does not know the same past has nothing to ignore there
            self._apply(action["edit"])
        elif self.rng.random() < 0.2 and action.get("command"):
            self._run(action["command"]["command"], action["command"].get("arguments", []))
        return f"{name} {action.get('title')}"

    def _run(self, command: str, arguments: list[Any]) -> None:
        if command.startswith("cite-lsp.server."):
            params = {"command": command, "arguments": arguments}
            self._request("workspace/executeCommand", params, "executeCommandProvider")

    def _command(self) -> str | None:
        name = self._document()
        if name is None:
            return None
        command = self.rng.choice(_COMMANDS)
        self._run(f"cite-lsp.server.{command}", [{"uri": self.uri(name)}])
        return f"{command} {name}"

    def _everything(self) -> None:
        self._run("cite-lsp.server.judgeWorkspace", [])

    def _clear(self) -> None:
        self._run("cite-lsp.server.clearCache", [])

    def _pause(self) -> None:
        time.sleep(self.rng.uniform(0.1, 1.5))
