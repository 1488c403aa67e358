"""The published packages that labelled rows cite: fetched once by name and version, unpacked without running them."""

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import platformdirs

VARIABLE = "CITE_LSP_BENCH_PACKAGES"
_NAME = re.compile(r"(?:@[a-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*")
_VERSION = re.compile(r"[0-9][\w.+-]*")
_DRIVE = re.compile(r"[A-Za-z]:")
_MOST_BYTES = 500_000_000
_PATIENCE = 300
"""Seconds that a registry's client may take for one package."""


class NotHadError(Exception):
    """A package that is not there; the message says why, in a few words."""


class Package(NamedTuple):
    """A published package: its name, its version, and `pypi` or `npm`."""

    name: str
    version: str
    registry: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def packages_folder() -> Path:
    """Give the folder in which packages are kept, each as NAME-VERSION; the environment may name it."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else Path(platformdirs.user_cache_dir("cite-lsp-bench", appauthor=False)) / "packages"


class Packages:
    """The packages of one run: each is fetched at most once, and asked for in vain at most once."""

    def __init__(self, folder: Path, *, fetch: bool = True) -> None:
        """Take the folder, which need not exist; `fetch` False takes only what lies in it."""
        self._folder = folder
        self._fetch = fetch
        self._known: dict[Package, Path | str] = {}

    def folder_of(self, package: Package) -> Path:
        """Give the folder that holds a package's files as its archive does, without the archive's top folder.

        Raises:
            NotHadError: It is neither here nor to be fetched.
        """
        known = self._known.get(package)
        if known is None:
            known = self._known[package] = self._look_for(package)
        if isinstance(known, str):
            raise NotHadError(known)
        return known

    def _look_for(self, package: Package) -> Path | str:
        if not (_NAME.fullmatch(package.name) and _VERSION.fullmatch(package.version)):
            return f"{package!s}: this is no name and version of a package"
        folder = self._folder / f"{package.name.replace('/', '__')}-{package.version}"
        if folder.is_dir():
            return folder
        if not self._fetch:
            return f"{package!s} is not in {self._folder}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self._folder, prefix=".fetching-") as name:
                archive = _fetched(package, Path(name))
                unpacked = Path(name) / "unpacked"
                unpack(archive.name, archive.read_bytes(), unpacked)
                unpacked.rename(folder)
        except (NotHadError, OSError, tarfile.TarError, zipfile.BadZipFile) as error:
            return f"{package!s} could not be had: {error}"
        return folder


def _fetched(package: Package, folder: Path) -> Path:
    """Let the registry's own client put the archive of a package into a folder."""
    if package.registry == "pypi":
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", package.name]
        command = [*pip, "--dest", str(folder), f"{package.name}=={package.version}"]
    elif package.registry == "npm":
        npm = shutil.which("npm")
        if npm is None:
            raise NotHadError("npm is not installed")
        command = [npm, "pack", "--silent", "--ignore-scripts", f"{package.name}@{package.version}"]
    else:
        raise NotHadError(f"{package.registry!r} is no registry that this bench knows")
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotHadError(f"{Path(command[0]).name} took more than {_PATIENCE} s") from None
    archives = sorted(each for each in folder.iterdir() if each.name.endswith((".tar.gz", ".tgz", ".zip", ".tar.bz2")))
    if done.returncode or len(archives) != 1:
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise NotHadError(said[-1] if said else f"the client ended with {done.returncode} and {len(archives)} archives")
    return archives[0]


def unpack(name: str, data: bytes, folder: Path) -> None:
    """Write the regular files of an archive below a folder, its top folder left out; links and devices are not.

    Args:
        name: The archive's name: its ending tells zip from tar.
        data: The archive.
        folder: Made here; nothing is written outside it.

    Raises:
        NotHadError: An entry leads outside, or all of them are larger than any package.
        tarfile.TarError, zipfile.BadZipFile, OSError: It cannot be read, or not be written.
    """
    folder.mkdir(parents=True)
    written = 0
    for entry, content in _zipped(data) if name.endswith(".zip") else _tarred(data):
        inside = PurePosixPath(entry)
        if inside.is_absolute() or ".." in inside.parts or "\\" in entry or any(map(_DRIVE.match, inside.parts)):
            raise NotHadError(f"its archive has an entry that leads outside: {entry!r}")
        written += len(content)
        if written > _MOST_BYTES:
            raise NotHadError(f"its archive holds more than {_MOST_BYTES:,} bytes")
        if len(inside.parts) > 1:
            target = folder.joinpath(*inside.parts[1:])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def _tarred(data: bytes) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            if member.isfile() and member.size <= _MOST_BYTES:
                file = archive.extractfile(member)
                if file is not None:
                    yield member.name, file.read()


def _zipped(data: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            if not entry.is_dir() and entry.file_size <= _MOST_BYTES:
                yield entry.filename, archive.read(entry)
