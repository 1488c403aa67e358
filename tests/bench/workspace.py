"""Workspaces for the server's figures: cited files, documents that cite them, and a great many paths."""

import random
from collections.abc import Sequence
from pathlib import Path

from tests.bench.corpus import commit, git

FILE_LINES = 60
LONG_FILE = "src/long.ts"
FALSE_EVERY = 20
"""Every so many citations a sentence says what the cited line contradicts, so that the judge has something to tell."""


def write_cited(folder: Path, count: int, long: int) -> list[str]:
    """Write files to cite, and one a line shorter than `long`, and commit them; give the paths of the former."""
    paths = []
    for number in range(count):
        path = f"src/part{number % 10}/file{number:03}.ts"
        paths.append(path)
        lines = "".join(f"export const retryLimit{line} = {line};\n" for line in range(1, FILE_LINES + 1))
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(lines)
    (folder / LONG_FILE).write_text("".join(f"export const limit{line} = {line};\n" for line in range(1, long)))
    git(folder, "init", "-q")
    commit(folder, "write")
    return paths


def write_many(folder: Path, count: int) -> None:
    """Write that many more files, a hundred a folder, and commit them."""
    for low in range(0, count, 100):
        part = folder / f"lib/group{low // 10_000:02}/package{low // 100 % 100:02}"
        part.mkdir(parents=True)
        for number in range(low, min(low + 100, count)):
            (part / f"module_{number:06}.ts").touch()
    commit(folder, "write many")


def document(lines: int, anchors: int, paths: Sequence[str], seed: int = 1) -> str:
    """Give the text of a document of that many lines and citations; a few of its sentences are false."""
    rng = random.Random(seed)
    step = max(1, lines // anchors)
    parts = []
    for line in range(lines):
        number = line // step
        if line % step == 1 % step and number < anchors:
            parts.append(_citing(rng, number, paths))
        elif line % 12 == 0:
            parts.append(f"## Section {line}")
        elif line % 12 in (6, 11):
            parts.append("")
        else:
            parts.append("Some prose that says what the thing does, in fifty-five letters.")
    return "\n".join(parts) + "\n"


def _citing(rng: random.Random, number: int, paths: Sequence[str]) -> str:
    first = rng.randint(1, FILE_LINES - 4)
    path = paths[number % len(paths)]
    if number % FALSE_EVERY == 1:
        return f"The file exports `retryLimit{first} = {first + 40}` to callers (`{path}:{first}`)."
    return f"Retry loop {number} waits for `{path}:{first}-{first + 3}` before it gives up."


def document_of_one(path: str, lines: int) -> str:
    """Give a document of 200 citations of one file; the last is of line `lines`."""
    places = [1 + number * (lines - 2) // 200 for number in range(199)] + [lines]
    return "\n\n".join(f"The limit of that step stands in `{path}:{line}` for now." for line in places) + "\n"


def lines_with(text: str, what: str) -> list[int]:
    """Give the numbers of the lines that hold a text, from 0."""
    return [number for number, line in enumerate(text.split("\n")) if what in line]
