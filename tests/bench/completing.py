"""What completion makes a person wait for who types a citation, in a workspace of a great many paths."""

import time
from collections.abc import Iterator

from tests.bench.client import Client, insertion
from tests.bench.figures import Figure, spread
from tests.bench.server import DOCUMENT, Bench

_TYPED = (
    "src/part3/file033.ts",
    "file04",
    "module_0423",
    "lib/group03/package2",
    "pack27",
    "nothing here",
    "longts",
)
"""What is typed, character by character: in code spans, found at once, by folders, by letters, not at all."""

_READING = 3.0
"""Seconds that somebody looks at a document before the first letter, in which the worker makes its texts."""

_ASKED_AGAIN = {"triggerKind": 3}


def completing(bench: Bench) -> Iterator[Figure]:
    """Completion of paths and lines while a citation is typed in the long document."""
    text = bench.text()
    paths: list[float] = []
    lines: list[float] = []
    with bench.ready(bench.large) as client:
        client.open(DOCUMENT, text)
        client.findings(DOCUMENT)
        line = text.count("\n") // 2
        time.sleep(_READING)
        for turn in range(max(1, bench.size.keys // sum(map(len, _TYPED)))):
            for typed in _TYPED:
                paths += _typed(client, line + turn, typed)
            lines += _typed(client, line + turn, "src/long.ts", ":12-14")
    yield spread(f"completion over {bench.size.paths:,} paths", paths, (10, 40))
    yield spread(f"  of lines and names of a file of {bench.size.lines:,} lines", lines, (10, 40))


def _typed(client: Client, line: int, path: str, lines: str = "") -> list[float]:
    """Type a code span into a line and ask with each character of `lines`, or of `path` where there are none."""
    begun = f"`{path}" if lines else "`"
    client.change(DOCUMENT, [insertion(line, begun, 0)])
    client.findings(DOCUMENT)
    spent = []
    column = len(begun)
    for letter in lines or path:
        client.change(DOCUMENT, [insertion(line, letter, column)])
        column += 1
        where = {"line": line, "character": column}
        params = {"textDocument": {"uri": client.uri_of(DOCUMENT)}, "position": where, "context": _ASKED_AGAIN}
        seconds, _ = client.ask("textDocument/completion", params)
        spent.append(seconds)
    client.change(DOCUMENT, [insertion(line, "", 0, remove=column)])
    return spent
