"""The invariants of the architecture that can be held by reading the code (CONTRIBUTING.md, Invariants)."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cite_lsp
from cite_lsp.findings.catalogue import CATALOGUE, explain

PACKAGE = Path(cite_lsp.__file__).parent
ROOMS = ("document", "snapshot", "audit", "policy", "clients", "judges", "findings", "server", "cli")
CONFIG_FROM = ROOMS.index("judges")
WORKER_FROM = ("document", "snapshot", "audit", "judges", "findings", "store", "worker")
# Names of codes and severities are vocabulary: settings check them, and the modules that hold them import nothing back.
VOCABULARY = {"cite_lsp.findings.catalogue", "cite_lsp.findings.finding"}


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(("cite_lsp", *(part for part in parts if part != "__init__")))
        yield name, path


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: imports are absolute"
            found.add(node.module)
    return found


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


@pytest.mark.parametrize(("name", "path"), list(modules()), ids=lambda value: value if isinstance(value, str) else "")
def test_a_room_imports_only_from_rooms_to_its_left(name: str, path: Path) -> None:
    room = room_of(name)
    for imported in imports(path):
        if not imported.startswith("cite_lsp.") or imported in VOCABULARY:
            continue
        other = room_of(imported)
        if room in ROOMS and other in ROOMS:
            assert ROOMS.index(other) <= ROOMS.index(room), f"{name} imports {imported}"
        if room in ROOMS and other in ("config", "store"):
            assert ROOMS.index(room) >= CONFIG_FROM, f"{name} imports {imported}"
        if other == "worker":
            assert room in ("server", "cli", "worker"), f"{name} imports {imported}"
        if room == "worker" and other:
            assert other in WORKER_FROM, f"{name} imports {imported}"


CHECKS = ("lexicon", "claim", "lines", "beside", "conflicts", "support")


@pytest.mark.parametrize("room", CHECKS)
def test_the_rooms_of_the_embedded_judge_import_only_from_those_before_them(room: str) -> None:
    package = "cite_lsp.judges.embedded."
    for name, path in modules():
        if name.startswith(f"{package}{room}."):
            others = {each.removeprefix(package).split(".")[0] for each in imports(path) if each.startswith(package)}
            later = others & set(CHECKS[CHECKS.index(room) + 1 :])
            assert not later, f"{name} imports from {later}"


def test_the_vocabulary_that_settings_read_imports_nothing_back() -> None:
    for module in VOCABULARY:
        path = PACKAGE / (module.removeprefix("cite_lsp.").replace(".", "/") + ".py")
        rooms = {room_of(imported) for imported in imports(path) if imported.startswith("cite_lsp.")}
        assert rooms <= {"findings"}


@pytest.mark.parametrize(
    ("library", "allowed"),
    [
        ("lsprotocol", ("server",)),
        ("pygls", ("server",)),
        ("httpx", ("clients",)),
        ("tree_sitter", ("worker",)),
        ("typer", ("cli",)),
        ("rich", ("cli",)),
    ],
)
def test_libraries_stay_in_their_room(library: str, allowed: tuple[str, ...]) -> None:
    for name, path in modules():
        if any(imported.split(".")[0] == library for imported in imports(path)):
            assert room_of(name) in allowed, f"{name} imports {library}"


def test_only_the_child_that_may_crash_loads_a_parser() -> None:
    for name, path in modules():
        if any(imported.split(".")[0].startswith("tree_sitter") for imported in imports(path)):
            assert name.startswith("cite_lsp.worker.parsing"), name
        if not name.startswith("cite_lsp.worker.parsing"):
            assert not any(imported.startswith("cite_lsp.worker.parsing") for imported in imports(path)), name


@pytest.mark.parametrize("room", ["document", "snapshot"])
def test_pure_rooms_load_neither_asyncio_nor_pydantic(room: str) -> None:
    names = [name for name, _ in modules() if room_of(name) == room]
    code = f"import sys, {', '.join(names)}; print(sorted(m for m in ('asyncio', 'pydantic') if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_document_does_no_input_or_output() -> None:
    for name, path in modules():
        if room_of(name) != "document":
            continue
        assert not imports(path) & {"os", "io", "pathlib", "subprocess", "socket", "shutil"}, name
        calls = [node.func.id for node in ast.walk(ast.parse(path.read_text())) if _names_a_call(node)]
        assert "open" not in calls, name


def _names_a_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def test_programs_are_run_in_four_places() -> None:
    users = {
        name
        for name, path in modules()
        if "subprocess" in imports(path) or "create_subprocess" in path.read_text(encoding="utf-8")
    }
    ours = {"cite_lsp.worker.client", "cite_lsp.worker.parser"}  # children of this package
    assert users == {"cite_lsp.snapshot.git", "cite_lsp.judges.command", *ours}


def test_files_are_read_in_one_place() -> None:
    """Cited and scanned files go through `lines.py`; what else opens a file reads settings or our own pages."""
    openers = {
        name
        for name, path in modules()
        if any(
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("read_text", "read_bytes", "open", "fdopen")
            and _on_a_path(node.func.value)
            for node in ast.walk(ast.parse(path.read_text()))
        )
    }
    # the command line opens the null device in place of a standard stream that is closed
    ours = {"cite_lsp.config.files", "cite_lsp.findings.catalogue", "cite_lsp.cli.app"}
    ours |= {"cite_lsp.server.serve", "cite_lsp.worker.output"}  # the null device, and descriptors of pipes
    ours.add("cite_lsp.store.transfer")  # files of verdicts that a person names
    ours.add("cite_lsp.policy.files")  # the policies of the package
    assert openers <= {"cite_lsp.snapshot.lines", *ours}


def _on_a_path(value: ast.expr) -> bool:
    """Whether a method is called on what is no snapshot or reader of ours."""
    return not (isinstance(value, ast.Attribute) and value.attr in ("snapshot", "reader")) and not (
        isinstance(value, ast.Name) and value.id in ("self", "Snapshot", "reader", "snapshot")
    )


def test_no_public_name_is_a_modules_name() -> None:
    for name in cite_lsp.__all__:
        if name.startswith("__"):
            continue
        code = f"import cite_lsp, types; assert not isinstance(cite_lsp.{name}, types.ModuleType), {name!r}"
        subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import sys, cite_lsp; print([m for m in sys.modules if m.startswith('cite_lsp.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_code_has_a_page_and_can_be_switched_off() -> None:
    for code in CATALOGUE.values():
        page = explain(code.name)
        assert page is not None
        assert code.name in page
        assert "off" in page


def test_modules_are_short_enough_to_see() -> None:
    for name, path in modules():
        assert len(path.read_text().splitlines()) <= 500, f"{name} is too long"


def test_no_module_is_named_for_nothing() -> None:
    for name, _ in modules():
        assert not set(name.split(".")) & {"utils", "helpers", "manager", "common", "misc"}
