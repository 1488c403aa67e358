"""`cite-lsp cache …` as Typer reads it; what the commands do is in `caching`."""

import sys
from typing import Annotated

import typer

from cite_lsp.cli.console import make_console, write_bytes
from cite_lsp.cli.options import ColorOption, FormatOption, OutputFormat

cache = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="What is kept from run to run, for all projects.")


@cache.command("info")
def cache_info(output: FormatOption = OutputFormat.TEXT, no_color: ColorOption = False) -> None:
    """Tell what is kept, and where.

    Exit status: 0 done, 2 usage or configuration, 3 the file cannot be read.
    """
    from cite_lsp.cli.caching import cache_info as run  # noqa: PLC0415 - only here

    run(make_console(no_color=no_color), write_bytes, json=output is OutputFormat.JSON)
    sys.stdout.flush()


@cache.command("clear")
def cache_clear(
    shared: Annotated[bool, typer.Option("--shared", help="Also what is shared with others (cache.url).")] = False,
) -> None:
    """Forget all verdicts, and what checks and histories came to.

    What was asked of a judge today stays: the limits of the day go on.

    Exit status: 0 done, 2 usage or configuration, 3 a file or the shared cache could not be written.
    """
    from cite_lsp.cli.caching import clear_cache  # noqa: PLC0415 - only here

    clear_cache(make_console(), shared=shared)


@cache.command("export")
def cache_export(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write; NAME.gz is compressed.")],
) -> None:
    """Write all verdicts into a file, for another machine.

    Of documents and code it holds the lines that verdicts quote.

    Exit status: 0 done, 2 usage or configuration, 3 the file could not be written.
    """
    from cite_lsp.cli.caching import export_verdicts  # noqa: PLC0415 - only here

    export_verdicts(file, make_console())


@cache.command("import")
def cache_import(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file that `cite-lsp cache export` wrote.")],
    shared: Annotated[
        bool, typer.Option("--shared", help="Then write all verdicts into the shared cache, too (cache.url).")
    ] = False,
) -> None:
    """Take in the verdicts of a file, beside those that are kept; of two the newer one stays.

    Exit status: 0 done, 2 usage, configuration or a wrong line, after which nothing is taken in, 3 could not finish.
    """
    from cite_lsp.cli.caching import import_verdicts  # noqa: PLC0415 - only here

    import_verdicts(file, make_console(), shared=shared)
