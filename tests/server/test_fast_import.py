"""The protocol's types as the process loads them: small, and to everybody who uses them the same."""

import json
import subprocess
import sys
from pathlib import Path

CAPABILITIES = Path(__file__).parent / "capabilities/vscode.json"
LIGHT = """
import json, sys
from pathlib import Path
if sys.argv[1] == "light":
    from cite_lsp.server.fast_import import load_types
    load_types()
from lsprotocol import types
from cite_lsp.server.converter import lenient_converter
given = {"processId": 1, "rootUri": None, "capabilities": json.loads(Path(sys.argv[2]).read_text())}
converter = lenient_converter()
read = converter.structure(given, types.InitializeParams)
one, other = types.Position(1, 2), types.Position(1, 2)
print(json.dumps({
    "back": converter.unstructure(read),
    "module": types.Hover.__module__,
    "equal": [one == other, types.Range(one, one) == types.Range(other, other), one < types.Position(1, 3)],
    "copied": sum("METHOD_TO_TYPES" in kind.__init__.__globals__ or "Position" in kind.__init__.__globals__
                  for kind in (types.Position, types.Range, types.ClientCapabilities, types.WorkspaceEdit)),
    "slots": "__slots__" in vars(types.Position),
}))
"""


def loaded(how: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", LIGHT, how, str(CAPABILITIES)], capture_output=True, encoding="utf-8", check=True
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_types_that_are_loaded_lightly_are_the_same_to_who_uses_them() -> None:
    light, plain = loaded("light"), loaded("plain")
    for name in ("back", "module", "equal"):
        assert light[name] == plain[name]
    assert light["equal"] == [True, True, True]
    assert (light["copied"], light["slots"]) == (0, False)
