"""`cite-lsp cache`: what is kept from run to run, and the verdicts that go from one machine to another."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from rich.console import Console
from rich.text import Text

from cite_lsp.cli.formats.as_text import visible
from cite_lsp.cli.run import UnfinishedError, UsageError, absolute
from cite_lsp.config import CacheSettings, load_settings
from cite_lsp.store import StoreError, Table
from cite_lsp.store.answers import Answers, AnswersInfo
from cite_lsp.store.transfer import TransferError
from cite_lsp.store.verdicts import Info, Verdicts

if TYPE_CHECKING:
    from cite_lsp.config.cache_address import CacheAddress
    from cite_lsp.store.shared_contents import SharedInfo

_OTHERS = {"baselines": "baselines-1.db", "checks": "checks-1.db"}
"""Files beside the verdicts: all of them can be found out again at no cost."""


def cache_info(console: Console, write: Callable[[bytes], object], *, json: bool) -> None:
    """Tell what is kept and where. Raises `UsageError`, `UnfinishedError`."""
    settings = _settings()
    verdicts = _verdicts(settings)
    info = verdicts.info()
    verdicts.close()
    if verdicts.message:
        raise UnfinishedError(verdicts.message)
    answers = _answers(settings)
    answered = answers.info()
    answers.close()
    if answers.message:
        raise UnfinishedError(answers.message)
    shared = _looked_at(settings)
    if json:
        data = {**_as_data(info, answered, settings.folder), "shared": None if shared is None else asdict(shared)}
        write(orjson.dumps(data, option=orjson.OPT_INDENT_2) + b"\n")
    else:
        for line in (*_as_lines(info, answered, settings), *_as_shared(shared)):
            console.print(Text(visible(line)))


def clear_cache(console: Console, *, shared: bool = False) -> None:
    """Forget all that is kept, but not what was spent today. Raises `UsageError`, `UnfinishedError`.

    `shared`: also what is shared with others.
    """
    settings = _settings()
    address = _shared_address(settings) if shared else None
    verdicts, answers = _verdicts(settings), _answers(settings)
    try:
        count, answered = verdicts.clear(), answers.clear()
    except StoreError as error:
        raise UnfinishedError(str(error)) from error
    finally:
        verdicts.close()
        answers.close()
    for name in _OTHERS.values():
        _empty(settings.folder, name)
    kept = f"{_counted(count)}, {_answered(answered)} to policies"
    console.print(Text(visible(f"forgot {kept}, and what checks and histories came to, in {settings.folder}")))
    for path, size in _set_aside(settings.folder):
        console.print(Text(visible(f"{path} ({_in_words(size)}) was damaged and stays; delete it when you like")))
    if address is not None:
        from cite_lsp.store.shared_contents import clear  # noqa: PLC0415 - few share a cache

        taken = _done(lambda: clear(address))
        console.print(Text(visible(f"forgot {taken:,} verdicts and answers of everybody in {address.shown}")))
    elif settings.shared is not None:
        console.print(Text(visible(f"what is shared in {settings.shared.shown} stays; --shared forgets that as well")))


def export_verdicts(path: str, console: Console) -> None:
    """Write the verdicts into a file. Raises `UsageError`, `UnfinishedError`."""
    count = _moved(path, lambda verdicts, full: verdicts.export_to(full))
    console.print(Text(visible(f"wrote {_counted(count)} to {path}")))


def import_verdicts(path: str, console: Console, *, shared: bool = False) -> None:
    """Take in the verdicts of a file. Raises `UsageError`, `UnfinishedError`.

    `shared`: write all verdicts that are kept then into the shared cache, too.
    """
    address = _shared_address(_settings()) if shared else None
    done = _moved(path, lambda verdicts, full: verdicts.import_from(full))
    known = done.rows - done.added - done.renewed
    what = f"{done.added:,} new, {done.renewed:,} newer than ours, {known:,} known already"
    console.print(Text(visible(f"read {_counted(done.rows)} from {path}: {what}")))
    if address is not None:
        from cite_lsp.store.shared_contents import fill  # noqa: PLC0415 - few share a cache

        lines = _moved(path, lambda verdicts, _: verdicts.shareable())
        written = _done(lambda: fill(address, lines))
        console.print(Text(visible(f"wrote {_counted(written)} to {address.shown}")))


def _moved(path: str, move: "Callable[[Verdicts, str], Any]") -> Any:  # noqa: ANN401 - what the move gives
    full = absolute(path)
    verdicts = _verdicts(_settings())
    try:
        return move(verdicts, full)
    except TransferError as error:
        raise UsageError(str(error)) from error
    except StoreError as error:
        raise UnfinishedError(str(error)) from error
    finally:
        verdicts.close()


def _done(do: Callable[[], int]) -> int:
    try:
        return do()
    except StoreError as error:
        raise UnfinishedError(str(error)) from error


def _shared_address(settings: CacheSettings) -> "CacheAddress":
    if settings.shared is None:
        raise UsageError(
            "--shared is about the cache that is shared with others, and none is set: name it in the user's settings"
            " (cache.url) or in the environment (CITE_LSP_CACHE_URL)"
        )
    return settings.shared


def _looked_at(settings: CacheSettings) -> "SharedInfo | None":
    if settings.shared is None:
        return None
    from cite_lsp.store.shared_contents import look  # noqa: PLC0415 - few share a cache

    return look(settings.shared)


def _as_shared(info: "SharedInfo | None") -> Iterator[str]:
    if info is None:
        return
    counts = [
        many
        for many in (
            "" if info.verdicts is None else _counted(info.verdicts),
            "" if info.answers is None else f"{_answered(info.answers)} to policies",
        )
        if many
    ]
    what = ", ".join(counts) or ("not counted" if info.seconds is not None else "not in use")
    yield f"{info.address}: shared with others, {what}{'' if info.encrypted else '; the connection is not encrypted'}"
    if info.why:
        yield f"  {info.why}"


def _settings() -> CacheSettings:
    """Give the settings of the cache at the working folder; which cache is meant has to be certain."""
    loaded = load_settings(absolute("."))
    for problem in loaded.problems:
        if not problem.name or problem.name.split(".")[0] == "cache":
            place = "" if problem.line is None else f":{problem.line}:{problem.column}"
            raise UsageError(f"{problem.source}{place}: {problem.message}")
    return loaded.settings.cache


def _verdicts(settings: CacheSettings) -> Verdicts:
    return Verdicts(settings.folder, max_rows=settings.max_rows)


def _answers(settings: CacheSettings) -> Answers:
    return Answers(settings.folder, max_rows=settings.max_rows)


def _empty(folder: str, name: str) -> None:
    table = Table(folder, name, "")
    if os.path.lexists(table.path):
        done = table.empty()
        table.close()
        if table.message or not done:
            raise UnfinishedError(table.message or f"{table.path} cannot be cleared: {table.failure}")


def _as_data(info: Info, answered: AnswersInfo, folder: str) -> dict[str, Any]:
    return {
        "folder": folder,
        "verdicts": {**asdict(info), "judges": dict(info.judges)},
        "answers": {**asdict(answered), "clients": dict(answered.clients)},
        **{name: {"path": path, "bytes": size} for name, path, size in _others(folder)},
        "set_aside": [{"path": path, "bytes": size} for path, size in _set_aside(folder)],
    }


def _as_lines(info: Info, answered: AnswersInfo, settings: CacheSettings) -> Iterator[str]:
    yield f"{info.path}: {_counted(info.rows)} of at most {settings.max_rows:,}, {_in_words(info.bytes)}"
    if info.oldest is not None and info.newest is not None:
        yield f"  given from {_date(info.oldest)} to {_date(info.newest)}"
    for judge, count in info.judges.items():
        yield f"  {judge}: {count:,}"
    for spent in info.spent:
        cost = f", at a cost of {spent.cost:,g}" if spent.cost else ""
        yield f"  asked today (UTC) of {spent.judge}: {spent.rows:,} row{'' if spent.rows == 1 else 's'}{cost}"
    kept = f"{_answered(answered.rows)} to policies of at most {settings.max_rows:,}"
    yield f"{answered.path}: {kept}, {_in_words(answered.bytes)}"
    if answered.oldest is not None and answered.newest is not None:
        yield f"  given from {_date(answered.oldest)} to {_date(answered.newest)}"
    for client, count in answered.clients.items():
        yield f"  {client}: {count:,}"
    whose = {"baselines": "what citations showed when they were written", "checks": "what the last checks came to"}
    for name, path, size in _others(settings.folder):
        yield f"{path}: {whose[name]}, {_in_words(size)}"
    for path, size in _set_aside(settings.folder):
        yield f"{path}: was damaged and put aside, {_in_words(size)}; delete it when you like"


def _others(folder: str) -> Iterator[tuple[str, str, int]]:
    for name, file in _OTHERS.items():
        path = os.path.join(folder, file)
        yield name, path, sum(_size(path + ending) for ending in ("", "-wal", "-shm"))


def _set_aside(folder: str) -> list[tuple[str, int]]:
    try:
        found = sorted(Path(folder).glob("*-*.db.corrupt-*"))
    except OSError:
        return []
    return [(str(path), _size(str(path))) for path in found]


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def _counted(verdicts: int) -> str:
    return f"{verdicts:,} verdict{'' if verdicts == 1 else 's'}"


def _answered(answers: int) -> str:
    return f"{answers:,} answer{'' if answers == 1 else 's'}"


def _date(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))


def _in_words(size: float) -> str:
    if size < 1000:
        return f"{size:,.0f} byte{'' if size == 1 else 's'}"
    for unit in ("KB", "MB"):
        size /= 1000
        if size < 1000:
            return f"{size:,.1f} {unit}"
    return f"{size / 1000:,.1f} GB"
