"""The ground of the soak: a repository of two branches that differ in thousands of files, and a judge."""

import os
import random
import subprocess
import threading
from pathlib import Path

from tests.bench.answering import answer_to
from tests.clients.scripted import (
    Exchange,
    ScriptedServer,
    Step,
    after,
    cut_off,
    error_for,
    hang,
    hang_up,
    reply,
    reply_for,
    reset,
)

DOCUMENTS = (
    "README.md",
    *(f"docs/part{number % 3}/d{number:02}.md" for number in range(15)),
    "docs/guide.rst",
    "docs/manual.rst",
    "docs/notes.adoc",
    "CHANGELOG.md",
)
"""The twenty documents."""
CODE = tuple(f"src/area{number % 4}/mod{number:02}.py" for number in range(24))
BESIDE = ("beside.md", "tools/run.py")
"""Files of the second folder."""
POLICIES = ("policies/riddles.toml", "policies/claims.toml")
NEW = ("Makefile", "docs/new.md", "src/new.py", "src/area0/other.py", "docs/part1/more.md")
"""Files that come and go."""
BRANCHES = ("main", "other")
MOST_CHARACTERS = 6_000
"""So long a document may become before it is cut: the soak must not grow by itself."""

_POLICY = """summary = "{name}"
passages = "sentences"

[[filter]]
name = "claims"
question = "Does {{passage}} say something?"
yes = "A statement."
no = {{ what = "A greeting.", not_for = "A statement with a greeting." }}

[[concern]]
name = "riddle"
detect = {{ question = "Is {{passage}} a riddle?", yes = "A riddle.", no = "None." }}
"""
_PROSE = (
    "Some prose that says what the thing does and why.", "The limit is three.", "Waiting 😀 costs nothing here.",
    "Größe und Maß stehen daneben.", "A retry comes after a pause, and the pause doubles.",
)  # fmt: skip
_LISTED_EVERY = 100


def code_text(rng: random.Random, functions: int = 20) -> str:
    """Some functions, four lines each."""
    parts = []
    for number in range(functions):
        value = rng.randint(1, 9)
        parts.append(f"def step_{number}(value):\n    limit_{number} = {value}\n    return value + limit_{number}\n\n")
    return "".join(parts)


def sentence(rng: random.Random) -> str:
    """A sentence with a citation: of lines that are there mostly."""
    path = rng.choice(CODE)
    number = rng.randrange(20)
    first = 1 + 4 * number
    name = Path(path).name
    made = (
        f"Step {number} adds its limit to the value (`{path}:{first}-{first + 2}`).",
        f"The file exports `limit_{number} = 77` to callers (`{path}:{first + 1}`).",
        f"`step_{number}` gives the sum back (`{name}:{first + 2}`).",
        f"See [step {number}](/{path}#L{first}-L{first + 2}) for what it adds.",
        f"What is past the end stands in `{path}:{900 + number}` maybe.",
        f"Nobody has `src/gone{number}.py:{first}` any more.",
        f"Group {number} is generated (`lib/g{number:02}/f{number * 7:04}.ts:1`).",
        f"It is on the web: https://github.com/o/r/blob/main/{path}#L{first}.",
        f"The rule stands in lines 1-{first} of `Makefile`, see `Makefile` line 2, or [it](/Makefile#L1).",
        f"The blank one is {path}:{first + 3}, and `{path}:{first}, {first + 1}` are not.",
    )
    return rng.choices(made, (6, 3, 5, 3, 1, 1, 2, 1, 1, 1))[0]


def document_text(rng: random.Random, sentences: int = 14) -> str:
    """A document: headings, prose, citations, and what else documents have."""
    parts = ["# Title\n"]
    for number in range(sentences):
        if number % 5 == 4:
            parts.append(f"## Part {number}\n")
        parts.append(f"{rng.choice(_PROSE)} {sentence(rng)}\n")
        if rng.random() < 0.1:
            parts.append(f"```python\n# `{rng.choice(CODE)}:3`\n```\n")
        if rng.random() < 0.1:
            parts.append(f"- one {sentence(rng)}\n- two\n")
        if rng.random() < 0.05:
            parts.append("<!-- cite-lsp: ignore missing for now -->\n")
    return "\n".join(parts)


def policy_text(name: str) -> str:
    """A policy file."""
    return _POLICY.format(name=Path(name).stem)


def any_text(rng: random.Random, name: str) -> str:
    """A text for a file of this name."""
    if name.endswith(".py"):
        return code_text(rng)
    return policy_text(name) if name.endswith(".toml") else document_text(rng)


class Repository:
    """The repository below a folder. `files`: how many more files the branches differ in."""

    def __init__(self, folder: Path, files: int) -> None:
        self.folder = folder
        self.files = files
        self.branch = BRANCHES[0]

    def git(self, *arguments: str) -> str:
        """Run git; give what it says."""
        settings = {"user.name": "a", "user.email": "a@example.org", "gc.auto": "0", "maintenance.auto": "false"}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *options, *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def make(self, rng: random.Random) -> None:
        """Write both branches."""
        self.folder.mkdir(parents=True)
        self.git("init", "-q", "-b", BRANCHES[0])
        self._write(rng, "first")
        self.commit("write")
        self.git("checkout", "-q", "-b", BRANCHES[1])
        self._write(rng, "second")
        self.commit("write otherwise")
        self.git("checkout", "-q", BRANCHES[0])

    def _write(self, rng: random.Random, word: str) -> None:
        for name in (*DOCUMENTS, *CODE, *POLICIES):
            if word == "second" and rng.random() < 0.5:
                continue
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(any_text(rng, name), encoding="utf-8")
        (self.folder / ".gitignore").write_text("build/\n")
        for number in range(self.files):
            path = self.folder / f"lib/g{number // _LISTED_EVERY:02}/f{number:04}.ts"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"export const {word}{number} = {number};\n")

    def commit(self, message: str) -> None:
        """Commit all there is."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def switch(self) -> list[tuple[str, str]]:
        """Commit what is there and check the other branch out; give what changed: "A", "M" or "D", and a path."""
        self.commit("before the switch")
        before = self.git("rev-parse", "HEAD").strip()
        self.branch = BRANCHES[1 - BRANCHES.index(self.branch)]
        self.git("checkout", "-q", self.branch)
        words = self.git("diff", "--name-status", "--no-renames", "-z", before, "HEAD").split("\0")
        return list(zip(words[::2], words[1::2], strict=False))


class Judge:
    """A judge over HTTP on loopback that fails at random until it is told to be reliable."""

    def __init__(self, seed: int) -> None:
        self.reliable = False
        self.asked = 0
        self.failed = 0
        self._rng = random.Random(seed)
        self._lock = threading.Lock()
        self.server = ScriptedServer(self._step)

    def _step(self, exchange: Exchange) -> None:
        with self._lock:
            self.asked += 1
            self.server.requests.clear()  # nobody reads them, and there are many
            step = self._choose(answer_to(exchange.request))
        step(exchange)

    def _choose(self, answer: str) -> Step:
        right = reply_for("openai", answer)
        if self.reliable:
            return right
        pause = self._rng.uniform(0.0, 0.4)
        if self._rng.random() < 0.75:
            return after(pause, right)
        self.failed += 1
        wrong = (
            error_for("openai", 500, "it is broken"),
            error_for("openai", 429, "too many", {"Retry-After": "1"}),
            error_for("openai", 503, "later"),
            error_for("openai", 400, "no"),
            reply(200, "this is no JSON"),
            reply_for("openai", "{}"),
            reply_for("openai", '{"results": [{"id": 0}]}'),
            reply_for("openai", answer, cut_off=True),
            reply_for("openai", answer, refusal="I do not want to"),
            cut_off({"choices": ["x" * 100]}),
            reset(),
            hang_up(),
            hang(),
            hang(after_head=True),
        )
        return after(pause, self._rng.choice(wrong))
