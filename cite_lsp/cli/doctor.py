"""`cite-lsp doctor`: what is found here, where each setting came from, and what keeps something from working.

Nothing is sent anywhere unless it is asked for: with `--ask` the judge gets one made-up citation, and a shared cache
one question. Of keys it is said whether there is one and where, never what it is.
"""

import asyncio
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import orjson
from rich.console import Console
from rich.text import Text

from cite_lsp import __version__
from cite_lsp.cli.formats.as_json import cleaned
from cite_lsp.cli.formats.as_text import visible
from cite_lsp.cli.run import Request, Run, UsageError, absolute, prepare, root_of
from cite_lsp.clients.address import Address
from cite_lsp.clients.client import ClientError
from cite_lsp.clients.keys import Keys
from cite_lsp.clients.making import default_base
from cite_lsp.config import CacheSettings, JudgeSettings, LoadedSettings, RepairSettings, Settings, load_settings
from cite_lsp.config.settings import SECRET
from cite_lsp.snapshot.git import NoRepository, Repository, ask
from cite_lsp.snapshot.lines import is_folder

if TYPE_CHECKING:
    from cite_lsp.clients.making import ServerName

State = Literal["good", "note", "wrong"]
_STYLES = {"good": "green", "note": "cyan", "wrong": "bold red"}
_MOST_CHARACTERS = 100
"""Of a setting's value that are shown."""
_MOST_PROBLEMS = 20
_EDITORS = {
    "code": "VS Code: install the extension cite-lsp",
    "nvim": "Neovim: add editors/neovim to the runtime path, then vim.lsp.enable('cite_lsp')",
    "emacs": "Emacs: editors/emacs.md, for Eglot",
    "hx": "Helix: editors/helix.md, for languages.toml",
    "zed": "Zed: editors/zed.md",
    "subl": "Sublime Text: editors/sublime.md, for the package LSP",
}
"""Programs, and where it says how their editors are set up."""
_CLAIM, _LINE, _FILE = "The limit is three retries.", "RETRY_LIMIT = 3", "limits.py"
"""What a judge is asked with `--ask`: made up, nothing of the person's."""
_REPAIRS: tuple["ServerName", ...] = ("openai", "ollama", "anthropic")


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one thing.

    Attributes:
        name: What it is about: `git`, `settings`, `judge`, …
        state: `good`; `note`, which may be as it is meant; `wrong`, which keeps something from working.
        message: What was found, without a full stop.
        mend: What to do about it; "" where there is nothing to do.
    """

    name: str
    state: State
    message: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class SetRow:
    """A setting that is not as it is by default: its name, its value as people may see it, where it was set."""

    name: str
    value: str
    source: str


def examine_machine(
    path: str | None, console: Console, write: Callable[[bytes], object], *, json: bool, ask: bool
) -> int:
    """Tell what is found; give the exit status: 0, or 1 where something is wrong.

    Args:
        path: A folder or document; the working folder where None.
        console: For text.
        write: For JSON.
        json: Whether JSON is written.
        ask: Whether judge and shared cache are asked.

    Raises:
        UsageError: There is no such path.
    """
    full = absolute(path or ".")
    if not os.path.lexists(full):
        raise UsageError(f"{path} does not exist")
    root = root_of(full)
    loaded = load_settings(root)
    found = list(_all(root, loaded, asked=ask))
    rows = list(set_rows(loaded))
    if json:
        data = {
            "schema": 1,
            "tool": {"name": "cite-lsp", "version": __version__},
            "root": root,
            "healthy": all(each.state != "wrong" for each in found),
            "checks": [asdict(each) for each in found],
            "settings": [asdict(each) for each in rows],
        }
        write(orjson.dumps(cleaned(data), option=orjson.OPT_INDENT_2) + b"\n")
    else:
        _tell(found, rows, root, console)
    sys.stdout.flush()
    return int(any(each.state == "wrong" for each in found))


def _all(root: str, loaded: LoadedSettings, *, asked: bool) -> Iterator[Finding]:
    settings = loaded.settings
    yield from _program()
    yield from _git(root)
    yield from _settings(loaded)
    yield from _workspace(root)
    yield _parser()
    yield from _judge(settings, asked=asked)
    yield from _repair(settings)
    yield from _cache(settings.cache)
    yield from _shared_cache(settings.cache, asked=asked)
    yield from _editors()


# This machine


def _program() -> Iterator[Finding]:
    where = f"Python {platform.python_version()} at {sys.executable}, {platform.system()} {platform.machine()}"
    yield Finding("program", "good", f"cite-lsp {__version__}, {where}")
    found = shutil.which("cite-lsp")
    own = Path(sys.executable).with_name("cite-lsp")
    if found is None:
        name = f"name it in full in the editor's settings: {own}" if own.exists() else "pip install cite-lsp"
        yield Finding("command", "note", "cite-lsp is not on the PATH: editors that start it do not find it", name)
    elif own.exists() and os.path.realpath(found) != os.path.realpath(own):
        told = f"the cite-lsp on the PATH is another one than this: {found}"
        yield Finding("command", "note", told, f"editors start that one; this one is {own}")
    else:
        yield Finding("command", "good", f"{found} is on the PATH")


def _git(root: str) -> Iterator[Finding]:
    answer = ask(root, "--version")
    if not answer.installed:
        told = "git is not installed: what cited text was when it was cited is not known, nor which files are ignored"
        yield Finding("git", "wrong", told, "install git")
        return
    version = answer.out.decode("utf-8", "replace").strip()
    repository = Repository.of(root)
    if isinstance(repository, NoRepository):
        state: State = "note" if repository.kind == "no-repository" else "wrong"
        yield Finding("git", state, f"{version}; {repository.reason}")
    elif repository.is_shallow:
        told = f"{version}; the repository at {repository.top} is shallow: older citations have no known past"
        yield Finding("git", "note", told, "git fetch --unshallow; in CI fetch-depth: 0")
    else:
        yield Finding("git", "good", f"{version}; the repository at {repository.top}")


def _settings(loaded: LoadedSettings) -> Iterator[Finding]:
    files = [f"of the project {loaded.project_file}" if loaded.project_file else "no project file"]
    there = os.path.lexists(loaded.user_file)
    files.append(f"of the user {loaded.user_file}" if there else f"no user file ({loaded.user_file})")
    yield Finding(
        "settings", "good", f"the settings file {', '.join(files)}" if loaded.project_file else ", ".join(files)
    )
    for problem in loaded.problems[:_MOST_PROBLEMS]:
        place = problem.source + ("" if problem.line is None else f":{problem.line}:{problem.column}")
        told = ": ".join(filter(None, (place, problem.name, problem.message)))
        yield Finding("settings", "wrong", told)
    if len(loaded.problems) > _MOST_PROBLEMS:
        yield Finding("settings", "wrong", f"{len(loaded.problems) - _MOST_PROBLEMS:,} more settings are refused")


def _workspace(root: str) -> Iterator[Finding]:
    try:
        run = prepare(Request((root,)))
    except UsageError as error:
        yield Finding("documents", "wrong", str(error))
        return
    count = len(run.documents)
    taken_in = ", ".join(run.settings.files.include)
    if count:
        yield Finding("documents", "good", f"{count:,} document{'' if count == 1 else 's'} below {root}")
    else:
        told = f"no document below {root}: files.include takes in {taken_in}, and what git ignores is no document"
        yield Finding("documents", "note", told)
    for folder, nested in run.gathering.nested.items():
        for problem in nested.problems:
            yield Finding("settings", "wrong", f"{problem.source}: {problem.name}: {problem.message} (below {folder})")
    yield from _policies(run)


def _policies(run: Run) -> Iterator[Finding]:
    from cite_lsp.cli.policy_shelf import Shelf  # noqa: PLC0415 - heavy

    shelf = Shelf.of(run)
    for each in shelf.faulty:
        yield Finding("policies", "wrong", f"{each.read.path} is refused", "cite-lsp policy check says what is wrong")
    if shelf.files:
        yield Finding("policies", "good", f"{len(shelf.files):,} can be asked; cite-lsp policy list names them")


def _parser() -> Finding:
    from cite_lsp.worker.parser import Parser  # noqa: PLC0415 - a process

    with Parser() as parser:
        works = parser("python", ("def limit():", "    return 3"), 1, 2) is not None
    if works:
        return Finding("parser", "good", "code is parsed, in a process of its own")
    told = "the process that parses code does not answer: text rules read code, which know less"
    return Finding("parser", "wrong", told, "pip install --force-reinstall cite-lsp, in the environment named above")


# Who is asked


def _judge(settings: Settings, *, asked: bool) -> Iterator[Finding]:
    judge = settings.judge
    if judge.run == "off":
        yield Finding("judge", "note", 'judge.run is "off": nobody is asked whether cited lines carry a claim')
    if judge.name == "embedded":
        yield Finding("judge", "good", "the embedded judge: no text leaves this process, and it needs no key")
        return
    if judge.name == "command":
        yield _command(judge)
    else:
        yield from _server("judge", judge.name, judge)
    if asked:
        yield asyncio.run(_answer(settings))
    else:
        yield Finding("judge", "note", "it was not asked", "with --ask it is asked about one made-up citation")


def _command(judge: JudgeSettings) -> Finding:
    if not judge.command:
        return Finding("judge", "wrong", 'the judge "command" needs judge.command: the program and its arguments')
    program = judge.command[0]
    if shutil.which(program) is None:
        told = f"{_program_of(judge.command)}, the program of judge.command, is not found"
        return Finding("judge", "wrong", told, "its first item is the program; each argument is an item of its own")
    return Finding("judge", "good", f"the program {program} gets the claims and the cited lines")


def _repair(settings: Settings) -> Iterator[Finding]:
    if settings.repair.name in _REPAIRS:
        yield from _server("repair", settings.repair.name, settings.repair)


def _server(role: str, name: "ServerName", told: JudgeSettings | RepairSettings) -> Iterator[Finding]:
    """Tell where a model is, and whether there is a key for it."""
    try:
        address = Address.parse(told.base_url or default_base(name), role)
    except ClientError as error:
        yield Finding(role, "wrong", error.message, f"set {role}.base_url anew")
        return
    where = "on this machine" if address.loopback else "on another machine: claims and cited lines are sent there"
    model = f", model {told.model}" if told.model else ""
    yield Finding(role, "good", f"{name} at {address.shown}{model}, {where}")
    try:
        key = asyncio.run(Keys(name, address, variable=told.api_key_env).find())
    except ClientError as error:
        yield Finding(role, "wrong", error.message)
        return
    said = f"there is a key for it: {key.origin}" if key.value else "it is asked without a key: none is set for it"
    yield Finding(role, "good" if key.value or address.loopback else "note", said)


async def _answer(settings: Settings) -> Finding:
    """Ask the judge about a made-up citation."""
    from cite_lsp.audit.verdicts import Row  # noqa: PLC0415 - only here
    from cite_lsp.judges.making import Unavailable, make_judge  # noqa: PLC0415

    row = Row.of(claim=_CLAIM, lines=[(1, _LINE)], path=_FILE, file=(_LINE,))
    begun = time.monotonic()
    try:
        judge = make_judge(settings.judge, settings.audit)
    except Unavailable as error:
        return Finding("judge", "wrong", error.message)
    try:
        judgement = await judge.ask([row])
    finally:
        await judge.close()
    if judgement.answers[0] is None:
        trouble = judgement.troubles[0].message if judgement.troubles else "it did not answer"
        return Finding("judge", "wrong", trouble)
    label = judgement.answers[0].verdict.label
    told = f"it answered about a made-up citation in {time.monotonic() - begun:.1f} s: {label}"
    return Finding("judge", "good" if label == "supported" else "note", told)


# What is kept


def _cache(settings: CacheSettings) -> Iterator[Finding]:
    from cite_lsp.store.verdicts import Verdicts  # noqa: PLC0415 - SQLite

    folder = settings.folder
    there = folder
    while not os.path.lexists(there) and os.path.dirname(there) != there:
        there = os.path.dirname(there)
    if not (is_folder(there) and os.access(there, os.W_OK | os.X_OK)):
        told = f"nothing can be kept in {folder}: {there} cannot be written"
        yield Finding("cache", "wrong", told, "set cache.path in the user file, or by CITE_LSP_CACHE_PATH")
        return
    verdicts = Verdicts(folder, max_rows=settings.max_rows)
    info = verdicts.info()
    verdicts.close()
    if verdicts.message:
        yield Finding("cache", "wrong", verdicts.message)
    else:
        yield Finding("cache", "good", f"{folder}: {info.rows:,} verdict{'' if info.rows == 1 else 's'}")


def _shared_cache(settings: CacheSettings, *, asked: bool) -> Iterator[Finding]:
    if settings.url is None:
        return
    from importlib.util import find_spec  # noqa: PLC0415 - only here

    address = settings.shared
    if address is None or find_spec("redis") is None:
        yield Finding(
            "shared cache", "wrong", "the package for cache.url is not installed", "pip install 'cite-lsp[redis]'"
        )
        return
    where = "on this machine" if address.loopback else "on another machine: verdicts are sent there"
    safe = "" if address.tls or address.loopback else ", not encrypted"
    yield Finding("shared cache", "good" if not safe else "note", f"{address.shown}, {where}{safe}")
    if not asked:
        yield Finding("shared cache", "note", "it was not asked", "with --ask it is")
        return
    from cite_lsp.store.shared_contents import look  # noqa: PLC0415

    seen = look(address, counting=False)
    yield Finding("shared cache", "wrong", seen.why) if seen.why else Finding("shared cache", "good", "it answers")


def _editors() -> Iterator[Finding]:
    for program, hint in _EDITORS.items():
        found = shutil.which(program)
        if found is not None:
            yield Finding("editor", "note", f"{found} is there", hint)


# Settings and telling


def set_rows(loaded: LoadedSettings) -> Iterator[SetRow]:
    """Give the settings that somebody has set, with nothing secret in their values."""
    data = loaded.settings.model_dump(mode="json")
    for name, source in sorted(loaded.sources.items()):
        if source == "default" or name == "rules":
            continue
        yield SetRow(name, _value(name, data), source)


def _value(name: str, data: Mapping[str, Any]) -> str:
    value: Any = data
    parts = ["rules", name.removeprefix("rules.")] if name.startswith("rules.") else name.split(".")
    for part in parts:
        value = value[part]
    if name in SECRET or name.endswith(".command"):
        return _hidden(name, value)
    text = orjson.dumps(cleaned(value)).decode()
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"


def _hidden(name: str, value: Any) -> str:  # noqa: ANN401 - any setting's
    """Say of a value that may hold a key what may be said."""
    if name.endswith(".base_url"):
        try:
            return Address.parse(str(value)).shown
        except ClientError:
            pass
    if name.endswith(".headers") and isinstance(value, Mapping):
        return f"{', '.join(map(str, value))} (values not shown)"
    if name.endswith(".command") and value:
        program = _program_of(value)
        return program if [program] == list(value) else f"{program} (arguments not shown)"
    return "set (not shown)"


def _program_of(command: Sequence[str]) -> str:
    """Give the program of a command; of a whole line in place of it, what stands before the first blank."""
    program = str(command[0])
    return program if shutil.which(program) is not None else program.partition(" ")[0]


def _tell(found: list[Finding], rows: list[SetRow], root: str, console: Console) -> None:
    width = max(len(each.name) for each in found)
    console.print(Text(visible(root), "bold"))
    for each in found:
        head = (f"{each.state:<5}  ", _STYLES[each.state]), f"{each.name:<{width}}  ", visible(each.message)
        console.print(Text.assemble(*head), highlight=False)
        if each.mend:
            console.print(Text(f"{'':<5}  {'':<{width}}  {visible(each.mend)}", "dim"), highlight=False)
    if rows:
        console.print()
        console.print(Text("settings that are not as by default", "bold"))
    for row in rows:
        console.print(Text(visible(f"  {row.name} = {row.value}  ({row.source})")), highlight=False)
    wrong = sum(each.state == "wrong" for each in found)
    console.print()
    told = f"{wrong:,} thing{' is' if wrong == 1 else 's are'} wrong" if wrong else "nothing is wrong"
    console.print(Text(told, "bold red" if wrong else "bold green"), highlight=False)
