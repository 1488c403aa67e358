"""A generated workspace: code files, and documents that cite them as people do, in a git repository."""

import random
import subprocess
from pathlib import Path

CODE_FILES = 300
LINES = 200

_WORDS = (
    "the parser keeps every token until a retry reads the window again and the cache drops what is old "
    "a writer flushes its queue when the timer fires so that no reader waits for more than one round"
).split()


def _sentence(rng: random.Random, words: int) -> str:
    text = " ".join(rng.choice(_WORDS) for _ in range(words))
    return text[0].upper() + text[1:]


def _code(rng: random.Random, number: int) -> str:
    lines = [f'"""Module {number}."""', ""]
    while len(lines) < LINES:
        name = f"step_{number}_{len(lines)}"
        lines += [
            f"def {name}(value: int) -> int:",
            f"    # {_sentence(rng, 6)}",
            f"    limit = {rng.randint(1, 9999)}",
        ]
        lines += ["    return value if value < limit else limit", ""]
    return "\n".join(lines[:LINES]) + "\n"


def _citation(rng: random.Random) -> str:
    number = rng.randrange(CODE_FILES)
    path = _module(number)
    first = rng.randint(1, LINES - 20)
    last = first + rng.randint(1, 15)
    return rng.choice(
        (
            f"`{path}:{first}`",
            f"`{path}:{first}-{last}`",
            f"(`{path}:{first}`)",
            f"[{path}:{first}](../{path}#L{first})",
        )
    )


def _document(rng: random.Random, anchors: int) -> str:
    parts = [f"# {_sentence(rng, 4)}", ""]
    while anchors > 0:
        parts += [f"## {_sentence(rng, 3)}", "", f"{_sentence(rng, 40)}.", ""]
        for _ in range(min(anchors, rng.randint(1, 4))):
            parts.append(f"- {_sentence(rng, 12)} {_citation(rng)}.")
            anchors -= 1
        parts.append("")
    return "\n".join(parts)


def build(folder: Path, documents: int, anchors: int, seed: int = 1) -> None:
    """Write the workspace and commit it; later code lines are then moved by a second commit."""
    rng = random.Random(seed)
    for number in range(CODE_FILES):
        path = folder / _module(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_code(rng, number))
    for number in range(documents):
        path = folder / _note(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        share = anchors * (number + 1) // documents - anchors * number // documents
        path.write_text(_document(rng, share))
    git(folder, "init", "-q")
    commit(folder, "write")
    for number in range(0, CODE_FILES, 3):
        path = folder / _module(number)
        path.write_text("import os\n\n" + path.read_text())
    commit(folder, "move")


def build_history(folder: Path, documents: int, anchors: int, commits: int, seed: int = 1) -> None:
    """Write the workspace, then so many commits: code grows above and in what is cited, and documents are added to."""
    build(folder, documents, anchors, seed)
    rng = random.Random(seed)
    for number in range(commits):
        for _ in range(4):
            path = folder / _module(rng.randrange(CODE_FILES))
            lines = path.read_text().splitlines(keepends=True)
            at = rng.randrange(len(lines))
            if number % 5:
                lines.insert(at, f"# {_sentence(rng, 5)}\n")
            else:
                lines[at : at + 1] = [f"value_{number} = {rng.randint(1, 9999)}\n"]
            path.write_text("".join(lines))
        if number % 3 == 0:
            document = folder / _note(rng.randrange(documents))
            document.write_text(f"{document.read_text()}\n{_sentence(rng, 12)} {_citation(rng)}.\n")
        commit(folder, f"change {number}")


def _module(number: int) -> str:
    return f"src/part{number % 20:02}/module_{number:03}.py"


def _note(number: int) -> str:
    return f"docs/area{number % 30:02}/note_{number:04}.md"


def git(folder: Path, *arguments: str) -> None:
    """Run git as nobody in particular."""
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def commit(folder: Path, message: str) -> None:
    """Commit everything."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
