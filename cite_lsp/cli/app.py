"""The commands, as Typer reads them; what they do is in the modules beside this one."""

import errno
import io
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import orjson
import typer
from rich.console import Console
from typer.core import TyperGroup

from cite_lsp import __version__
from cite_lsp.cli.cache import cache
from cite_lsp.cli.console import make_console, standard_input, write_bytes
from cite_lsp.cli.formats.as_text import visible
from cite_lsp.cli.formats.making import Output, ReportFile
from cite_lsp.cli.jobs import Shape, Share, shares
from cite_lsp.cli.options import (
    AcceptLevelOption,
    BaseUrlOption,
    CodesOption,
    ColorOption,
    DoctorAskOption,
    DryRunOption,
    EstimateOption,
    ExcerptsOption,
    ExcludeOption,
    FailOption,
    FormatOption,
    InteractiveOption,
    JobsOption,
    JudgeJobsOption,
    JudgeOption,
    LevelOption,
    ModelOption,
    NoCacheOption,
    NoVerdictsOption,
    OnFoundOption,
    OutputFormat,
    Paths,
    QuietOption,
    RecordsOption,
    ReportOption,
    RootOption,
    RunFormat,
    RunFormatOption,
    SchedulerOption,
    SchemaName,
    ScopeOption,
    ShownOption,
    SinceOption,
    StdinOption,
    UnsafeOption,
    WriteOption,
)
from cite_lsp.cli.policies import policies
from cite_lsp.cli.run import PLACE, Request, Run, UnfinishedError, UsageError, prepare
from cite_lsp.cli.summary import Summary
from cite_lsp.findings.finding import Severity

CLEAN, FOUND, USAGE, UNFINISHED = 0, 1, 2, 3
"""Exit statuses: clean; findings at or above the fail level; usage or configuration; could not finish."""
_INTERRUPTED = 130


class _ReaderGoneError(Exception):
    """Who read standard output has gone, as `head` does when it has enough."""


class _Commands(TyperGroup):
    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]
        """Run a command; what Typer would make of a closed pipe is the exit status of findings."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ReaderGoneError from error


app = typer.Typer(
    name="cite-lsp",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Keeps the line numbers that documents cite, and keeps them true.",
)

_PROGRESS_FROM = 20


def _version(value: bool) -> None:
    if value:
        typer.echo(f"cite-lsp {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Keep the line numbers that documents cite, and keep them true."""


@app.command()
def check(  # noqa: PLR0913, PLR0917 - its options
    paths: Paths = None,
    output: RunFormatOption = RunFormat.TEXT,
    report: ReportOption = None,
    fail_level: FailOption = Severity.ERROR,
    level: LevelOption = Severity.WARNING,
    stdin_path: StdinOption = None,
    root_folder: RootOption = None,
    force_exclude: ExcludeOption = False,
    excerpts: ExcerptsOption = False,
    since: SinceOption = None,
    jobs: JobsOption = 0,
    no_cache: NoCacheOption = False,
    quiet: QuietOption = False,
    no_color: ColorOption = False,
) -> None:
    """Check that citations lead to lines that are there.

    No judge is asked.

    Exit status: 0 clean, 1 findings at or above --fail-level, 2 usage or configuration, 3 could not finish.
    """
    given = tuple(paths or ())
    started = time.perf_counter()
    file = None if report is None else ReportFile(report)
    request = Request(given, standard_input(given), stdin_path, root_folder, force_exclude)
    run = prepare(request)
    if file is not None:
        file.leave_out(run)
    if since is not None:
        from cite_lsp.cli.since import narrow  # noqa: PLC0415 - only here

        narrow(run, since)
    console = make_console(no_color=no_color)
    outputs = [Output(output.value, level, excerpts=excerpts, quiet=quiet)]
    writers = [outputs[0].writer(write_bytes, run, console)]
    if file is not None:
        outputs.append(Output("markdown", level))
        writers.append(outputs[1].writer(file.write, run, console))
    shape = Shape(tuple(outputs), console.width, not no_cache)
    for writer in writers:
        writer.begin()
    summary = Summary()
    with _progress(shares(run, request, shape, jobs), len(run.documents), console, quiet=quiet) as done:
        for share in done:
            summary.merge(share.summary)
            for writer, piece in zip(writers, share.pieces, strict=True):
                writer.write(piece)
    seconds = time.perf_counter() - started
    for writer in writers:
        writer.end(summary, seconds)
    sys.stdout.flush()
    if file is not None:
        file.close()
    raise typer.Exit(_status(run, summary, fail_level))


@app.command()
def judge(  # noqa: PLR0913, PLR0917 - its options
    paths: Paths = None,
    judge_name: JudgeOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    scope: ScopeOption = None,
    on_found: OnFoundOption = None,
    write: WriteOption = False,
    estimate: EstimateOption = False,
    output: RunFormatOption = RunFormat.TEXT,
    report: ReportOption = None,
    fail_level: FailOption = Severity.ERROR,
    level: ShownOption = None,
    stdin_path: StdinOption = None,
    excerpts: ExcerptsOption = False,
    since: SinceOption = None,
    jobs: JudgeJobsOption = 0,
    scheduler: SchedulerOption = None,
    no_cache: NoVerdictsOption = False,
    quiet: QuietOption = False,
    no_color: ColorOption = False,
) -> None:
    """Check, and judge whether the cited lines carry the claims.

    What was answered is kept: a second run asks for what has changed only, also after Ctrl-C.

    Exit status under --on-found report: 0 whatever is found. Under fail: 1 for an unsupported citation that is not
    accepted, and for findings at or above --fail-level. Under repair: 1 if a citation is unsupported after the round.
    Always: 2 usage or configuration, 3 could not finish (a document was not read, the judge did not answer).
    """
    from cite_lsp.cli.judging import Wishes, judge_documents  # noqa: PLC0415 - only here

    given = {
        "judge.name": judge_name,
        "judge.model": model,
        "judge.base_url": base_url,
        "audit.scope": scope,
        "audit.on_found": on_found,
    }
    command_line = {
        name: value.value if isinstance(value, StrEnum) else value for name, value in given.items() if value is not None
    }
    named = tuple(paths or ())
    cached = not no_cache
    wishes = Wishes(
        output.value,
        command_line,
        fail_level,
        level,
        excerpts,
        since,
        estimate,
        write,
        cached,
        quiet,
        scheduler,
        report,
        jobs,
    )
    console = make_console(no_color=no_color)
    raise typer.Exit(judge_documents(named, wishes, standard_input(named), stdin_path, console))


def _status(run: Run, summary: Summary, fail_level: Severity) -> int:
    if run.problems:
        return USAGE
    return FOUND if summary.reaches(fail_level) else UNFINISHED if summary.unfinished else CLEAN


@contextmanager
def _progress(todo: Iterator[Share], documents: int, output: Console, *, quiet: bool) -> Iterator[Iterator[Share]]:
    """Give the shares, with a bar on a terminal when there are many: below the findings where they go there too."""
    shown = output if sys.stdout.isatty() else Console(stderr=True, no_color=output.no_color)
    if quiet or not (sys.stderr.isatty() and shown.is_interactive) or documents <= _PROGRESS_FROM:
        yield todo
        return
    from cite_lsp.cli.bar import bar_on  # noqa: PLC0415 - a run without a terminal does without

    with bar_on(shown) as bar:
        task = bar.add_task("checking", total=documents)

        def counted() -> Iterator[Share]:
            for share in todo:
                yield share
                bar.advance(task, share.summary.documents)

        yield counted()


@app.command()
def fix(
    paths: Paths = None,
    dry_run: DryRunOption = False,
    interactive: InteractiveOption = False,
    unsafe: UnsafeOption = False,
    records: RecordsOption = False,
    level: LevelOption = Severity.WARNING,
    stdin_path: StdinOption = None,
    quiet: QuietOption = False,
    no_color: ColorOption = False,
) -> None:
    """Write into the documents what has exactly one answer.

    With - the fixed text of standard input is printed.

    Exit status: 0 nothing is left to fix, 1 something is left, 2 usage or configuration, 3 could not finish.
    """
    from cite_lsp.cli.fixing import Wishes, fix_documents  # noqa: PLC0415 - only here

    wishes = Wishes(dry_run, interactive, unsafe, records, level, quiet)
    raise typer.Exit(fix_documents(tuple(paths or ()), wishes, stdin_path, make_console(no_color=no_color)))


@app.command()
def accept(
    paths: Paths = None,
    code: CodesOption = None,
    level: AcceptLevelOption = Severity.HINT,
    quiet: QuietOption = False,
    no_color: ColorOption = False,
) -> None:
    """Accept today's findings: they are not told again until the text they cite changes.

    Exit status: 0 done, 2 usage or configuration, 3 could not finish.
    """
    from cite_lsp.cli.accepting import accept_documents  # noqa: PLC0415 - only here

    console = make_console(no_color=no_color)
    raise typer.Exit(accept_documents(tuple(paths or ()), code or (), level, console, quiet=quiet))


@app.command()
def refs(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="PATH, PATH:LINE, PATH:LINE-END or PATH#L4-L9.")],
    output: FormatOption = OutputFormat.TEXT,
    no_color: ColorOption = False,
) -> None:
    """List the documents that cite a file, or lines of it.

    Exit status: 0 something cites it, 1 nothing does, 2 usage or configuration.
    """
    from cite_lsp.cli.refs import refs as run  # noqa: PLC0415 - only here

    found = run(target, make_console(no_color=no_color), json=output is OutputFormat.JSON)
    sys.stdout.flush()
    if not found and output is OutputFormat.TEXT:
        Console(stderr=True).print(f"nothing cites {visible(target)}", soft_wrap=True, markup=False, highlight=False)
    raise typer.Exit(CLEAN if found else FOUND)


@app.command()
def explain(
    subject: Annotated[
        str, typer.Argument(metavar="CODE|PATH:LINE", help="A finding's code, or a line of a document.")
    ],
    no_color: ColorOption = False,
) -> None:
    """Explain a finding's code, or the citations of a line."""
    from cite_lsp.cli.citation import explain_citation  # noqa: PLC0415 - only here
    from cite_lsp.findings.catalogue import closest_codes  # noqa: PLC0415
    from cite_lsp.findings.catalogue import explain as page_of  # noqa: PLC0415

    console = make_console(no_color=no_color)
    page = page_of(subject)
    if page is not None:
        if console.is_terminal:
            from rich.markdown import Markdown  # noqa: PLC0415

            console.print(Markdown(page), soft_wrap=False)
        else:
            sys.stdout.write(page)
        return
    place = PLACE.fullmatch(subject)
    if place is not None:
        path, number = place.groups()
        if not explain_citation(path, int(number), console):
            raise UsageError(f"there is no citation on line {number} of {path}")
        return
    close = closest_codes(subject)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    raise UsageError(f"{subject} is neither a finding's code nor a place PATH:LINE{hint}")


app.add_typer(cache, name="cache")
app.add_typer(policies, name="policy")


@app.command()
def doctor(
    path: Annotated[str | None, typer.Argument(metavar="PATH", help="A folder or document.")] = None,
    ask: DoctorAskOption = False,
    output: FormatOption = OutputFormat.TEXT,
    no_color: ColorOption = False,
) -> None:
    """Tell what is found: Python, git, settings and where each came from, judge, keys, caches, editors.

    Nothing is sent anywhere without --ask, and no key is ever printed.

    Exit status: 0 nothing is wrong, 1 something is, 2 usage.
    """
    from cite_lsp.cli.doctor import examine_machine  # noqa: PLC0415 - only here

    console, json = make_console(no_color=no_color), output is OutputFormat.JSON
    raise typer.Exit(examine_machine(path, console, write_bytes, json=json, ask=ask))


@app.command()
def schema(
    name: Annotated[
        SchemaName,
        typer.Argument(
            help="settings: of the settings file; output: of --format json; judge: of the lines that a judge of the "
            "name command reads and writes; policy: of policy files; policy-output: of policy run --format json."
        ),
    ],
) -> None:
    """Print a JSON schema."""
    printed: dict[str, Any]
    if name is SchemaName.SETTINGS:
        from cite_lsp.config import settings_schema  # noqa: PLC0415

        printed = settings_schema()
    elif name is SchemaName.OUTPUT:
        from cite_lsp.cli.output_schema import output_schema  # noqa: PLC0415

        printed = output_schema()
    elif name is SchemaName.POLICY_OUTPUT:
        from cite_lsp.cli.policy_output_schema import policy_output_schema  # noqa: PLC0415

        printed = policy_output_schema()
    elif name is SchemaName.POLICY:
        from cite_lsp.policy.file_schema import file_schema  # noqa: PLC0415

        printed = file_schema()
    else:
        from cite_lsp.cli.judge_schema import judge_schema  # noqa: PLC0415

        printed = judge_schema()
    write_bytes(orjson.dumps(printed, option=orjson.OPT_INDENT_2) + b"\n")


@app.command(add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def serve(ctx: typer.Context) -> None:
    """Run the language server, on standard input and output; an editor starts it."""
    from cite_lsp.server.serve import main as run  # noqa: PLC0415 - only here

    run(ctx.args)


def _open_what_is_closed() -> None:
    """Give standard streams that the caller has closed a place to lead to, so that no file gets their number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - as long as we run


def _leave(status: int) -> NoReturn:
    """End the process and its children at once, with an exit status.

    An ordinary exit waits for the thread that feeds the children, and before Python 3.11.10 that thread waits for ever
    when one of them was killed while it was written to (CPython issue 94777).
    """
    from multiprocessing import active_children  # noqa: PLC0415 - few runs have children

    for child in active_children():
        child.terminate()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def main() -> None:
    """Run the command line; one clear message and an exit status for what a person can mend."""
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Unicode shows "?" and not a traceback
    try:
        app()
    except (UsageError, UnfinishedError) as error:
        Console(stderr=True).print(f"cite-lsp: {visible(str(error))}", soft_wrap=True, markup=False, highlight=False)
        if isinstance(error, UsageError):
            sys.exit(USAGE)
        _leave(UNFINISHED)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG):
            raise
        Console(stderr=True).print(f"cite-lsp: the output cannot be written: {error.strerror}", markup=False)
        os._exit(UNFINISHED)
    except _ReaderGoneError:
        os._exit(UNFINISHED)  # an ordinary exit would write what is still buffered, and complain
    except KeyboardInterrupt:
        _leave(_INTERRUPTED)
    except SystemExit as ended:
        _end(ended)


def _end(ended: SystemExit) -> NoReturn:
    """End as Typer wants it; after an interrupt at once."""
    if ended.code == _INTERRUPTED:
        _leave(_INTERRUPTED)
    raise ended
