"""`cite-lsp serve`: the language server on standard input and output, until its client ends it or is gone."""

import argparse
import gc
import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from cite_lsp import __version__
from cite_lsp.server.keys import take_secrets

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

    from cite_lsp.server.protocol import Server
    from cite_lsp.server.stdio import Item

LEVELS = ("debug", "info", "warning", "error")
GRACE = 0.03
"""Seconds that the loop has to end by itself after `exit` or the end of input, before it is ended."""
_SWITCH_INTERVAL = 0.0005  # seconds: a thread that computes must not keep answers waiting (the default is ten times it)
_GARBAGE = (10_000, 2_000, 50)
"""How rarely Python looks for garbage by itself: a full look takes up to 60 ms. `garbage` looks while nobody waits."""
_USAGE = 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say it in one line."""
        sys.stderr.write(f"cite-lsp serve: {message}; cite-lsp serve --help lists the options\n")
        sys.exit(_USAGE)


def _process_number(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def parser() -> argparse.ArgumentParser:
    """Make the reader of the options."""
    made = _Parser(
        "cite-lsp serve", description="The language server, on standard input and output.", allow_abbrev=False
    )
    made.add_argument("--stdio", action="store_true", help="standard input and output; there is nothing else")
    made.add_argument(
        "--client-process-id",
        "--clientProcessId",
        metavar="N",
        type=_process_number,
        help="end when this process ends",
    )
    made.add_argument("--log-file", metavar="FILE", help="where to write what happens; no texts of documents")
    made.add_argument("--log-level", choices=LEVELS, default="info", help="how much goes there (info)")
    made.add_argument("--version", action="version", version=f"cite-lsp {__version__}")
    return made


def main(argv: list[str]) -> NoReturn:
    """Serve one client. The process ends here: 0 after `shutdown`, 1 otherwise, 2 for wrong options."""
    options = parser().parse_args(argv)
    handler = _log_handler(options.log_file)
    try:
        given, taken = _own_standard_streams()
    except OSError as error:
        sys.stderr.write(f"cite-lsp serve: standard input and output must be open: {error.strerror}\n")
        sys.exit(_USAGE)
    _set_up_logging(handler, options.log_level)
    secrets = take_secrets(os.environ)
    sys.setswitchinterval(_SWITCH_INTERVAL)
    gc.set_threshold(*_GARBAGE)
    try:
        _serve(given, taken, options.client_process_id, secrets)
    except KeyboardInterrupt:
        os._exit(130)


def _log_handler(path: str | None) -> logging.Handler:
    if path is None:
        return logging.NullHandler()
    try:
        handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        sys.stderr.write(f"cite-lsp serve: the log file {path} cannot be written: {error.strerror}\n")
        sys.exit(_USAGE)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    return handler


def _set_up_logging(handler: logging.Handler, level: str) -> None:
    """Send all that is logged to `handler`; pygls would log whole messages, so it stays at WARNING."""
    logging.captureWarnings(capture=True)
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("pygls").setLevel(logging.WARNING)
    quiet = isinstance(handler, logging.NullHandler)
    logging.getLogger("cite_lsp").setLevel(logging.WARNING if quiet else level.upper())


def _own_standard_streams() -> tuple[int, int]:
    """Take standard input and output for the protocol alone; give their descriptors.

    What prints goes to standard error from now on, and child processes get an empty input: neither can break a frame.
    Raises OSError where one of them is closed.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write("cite-lsp serve: an editor starts this and speaks LSP to it; Ctrl-C ends it\n")
    given, taken = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415

        msvcrt.setmode(given, os.O_BINARY)
        msvcrt.setmode(taken, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(nothing, 1)
    os.close(nothing)
    sys.stdout = sys.stderr
    return given, taken


def _serve(given: int, taken: int, client: int | None, secrets: "Mapping[str, str]") -> NoReturn:
    import asyncio  # noqa: PLC0415 - wrong options and --help need none of it

    from cite_lsp.server.fast_import import load_types  # noqa: PLC0415

    load_types()
    from cite_lsp.server.garbage import Garbage  # noqa: PLC0415
    from cite_lsp.server.protocol import make_server  # noqa: PLC0415
    from cite_lsp.server.stdio import Output  # noqa: PLC0415
    from cite_lsp.worker.giving_back import give_back, share_memory  # noqa: PLC0415

    share_memory()
    server = make_server()
    server.secrets = secrets
    server.loaded = gc.freeze  # what stays is most of what a full look for garbage would go over, in the loop
    server.watch = lambda number: _start(_leave_with, server, number)
    server.protocol.set_writer(Output(taken, server.leave))
    if client is not None:
        server.watch(client)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    garbage = Garbage(loop, give_back)

    def receive(items: "list[Item]") -> None:
        server.protocol.receive(items)
        garbage.heard()

    def deliver(items: "list[Item]") -> None:
        loop.call_soon_threadsafe(receive, items)

    _start(_read, server, given, loop, deliver)
    loop.run_forever()
    raise AssertionError("the loop ends with the process only")


def _start(target: Callable[..., None], *arguments: object) -> None:
    threading.Thread(target=target, args=arguments, daemon=True).start()


def _read(
    server: "Server", given: int, loop: "asyncio.AbstractEventLoop", receive: "Callable[[list[Item]], None]"
) -> None:
    """Hand what is read over; end the process if the loop is too busy to do so when it should."""
    from cite_lsp.server.handlers import LAST_MOMENT  # noqa: PLC0415
    from cite_lsp.server.stdio import read_messages  # noqa: PLC0415

    def deliver(items: "list[Item]") -> None:
        receive(items)
        methods = [item.get("method") for item in items if isinstance(item, dict)]
        if "exit" in methods:
            leave_in_time()

    def leave_in_time() -> None:
        time.sleep(GRACE)
        server.last_moment.wait(LAST_MOMENT)
        server.leave()

    def ended() -> None:
        loop.call_soon_threadsafe(server.protocol.leave_when_answered)
        leave_in_time()

    read_messages(given, deliver, ended)


def _leave_with(server: "Server", number: int) -> None:
    """Wait in this thread until the process ends, then leave.

    A process that is not there to begin with belongs to another machine or container: it is not waited for.
    """
    from cite_lsp.server.lifetime import wait_for_end  # noqa: PLC0415

    if wait_for_end(number):
        server.leave()
