# ruff: noqa: INP001 - a script, in no package
"""Writes `contributes.configuration` of package.json from the schema of the settings.

`python editors/vscode/scripts/settings.py` writes it, in an environment that has cite-lsp; `--check` writes nothing
and ends with status 1 when what is written differs from what would be.

Rows that only the user's own file may set are left out: the server refuses them from an editor, since an editor's
settings can come from the repository too.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cite_lsp.config import USER_ONLY, settings_schema

PACKAGE = Path(__file__).resolve().parents[1] / "package.json"
CLIENTS_OWN: Mapping[str, Mapping[str, Any]] = {
    "cite-lsp.server.path": {
        "type": "string",
        "default": "",
        "scope": "machine",
        "markdownDescription": "The `cite-lsp` program. Empty: the workspace's environment (in a trusted workspace), "
        "then `PATH`, then the one that this extension has installed.",
    },
    "cite-lsp.trace.server": {
        "type": "string",
        "enum": ["messages", "compact", "verbose"],
        "default": "messages",
        "scope": "window",
        "description": "What of the talk with the server goes to the output channel while its log level is Trace.",
    },
}
"""Settings that the client reads itself and never sends."""


def configuration() -> dict[str, Any]:
    """`contributes.configuration`: the client's own settings, then the server's in the order of the schema."""
    rows = {f"cite-lsp.{name}": _contributed(schema) for name, schema in _rows(settings_schema(), "")}
    return {"title": "cite-lsp", "properties": {**CLIENTS_OWN, **rows}}


def package(text: str) -> str:
    """The text of package.json with the configuration of today."""
    manifest = json.loads(text)
    manifest["contributes"]["configuration"] = configuration()
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def _rows(schema: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each row an editor may set, by its dotted name; a section is an object without a default of its own."""
    for key, part in schema["properties"].items():
        name = prefix + key
        if part.get("type") == "object" and "default" not in part:
            yield from _rows(part, f"{name}.")
        elif name not in USER_ONLY:
            yield name, part


def _contributed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A row as the settings editor of VS Code understands it: `type` lists in place of `anyOf`."""
    row = {key: value for key, value in schema.items() if key != "anyOf"}
    if "anyOf" in schema:
        row["type"] = [choice["type"] for choice in schema["anyOf"]]
        for choice in schema["anyOf"]:
            row.update({key: value for key, value in choice.items() if key != "type"})
    return {**row, "scope": "resource"}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, end with status 1 on a difference")
    before = PACKAGE.read_text(encoding="utf-8")
    after = package(before)
    if parser.parse_args().check:
        sys.exit(0 if before == after else f"out of date; python {Path(__file__)}")
    PACKAGE.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
