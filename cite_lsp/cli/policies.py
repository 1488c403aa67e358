"""`cite-lsp policy …` as Typer reads it; what the commands do is in the modules beside this one (policy.md)."""

from typing import Any

import typer

from cite_lsp.cli.options import (
    AskedOption,
    AskOption,
    BaseUrlOption,
    ColorOption,
    ConcurrencyOption,
    DeadlineOption,
    DiagramOption,
    ErrorRateOption,
    ExamplesOption,
    FailOption,
    FindingsOption,
    FormatOption,
    IgnoredOption,
    InputOption,
    JudgeOption,
    ModelOption,
    NoAnswersOption,
    OutputFormat,
    Paths,
    PolicyFiles,
    PolicyFormat,
    PolicyFormatOption,
    PolicyName,
    PolicyNames,
    PolicyOption,
    QuietOption,
    RecordOption,
    StdinOption,
    WindowOption,
    WriteBandsOption,
)
from cite_lsp.findings.finding import Severity

policies = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Questions that a team asks of every document."
)


@policies.command("run")
def run_policies(  # noqa: PLR0913, PLR0917 - its options
    paths: Paths = None,
    policy: PolicyOption = None,
    input_file: InputOption = None,
    ignored: IgnoredOption = False,
    estimate: AskedOption = False,
    judge_name: JudgeOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    window: WindowOption = None,
    concurrency: ConcurrencyOption = None,
    deadline: DeadlineOption = None,
    no_cache: NoAnswersOption = False,
    output: PolicyFormatOption = PolicyFormat.TEXT,
    fail_level: FailOption = Severity.ERROR,
    level: FindingsOption = Severity.HINT,
    stdin_path: StdinOption = None,
    quiet: QuietOption = False,
    no_color: ColorOption = False,
) -> None:
    """Ask the questions of policies of the documents that they apply to.

    A document that is named together with --policy is asked whatever the policy applies to. What was answered is
    kept: a second run asks for what has changed only, also after Ctrl-C.

    Exit status: 0 no finding at or above --fail-level, 1 there is one, 2 usage or configuration, 3 something was not
    checked (nobody who answers, a failed request, the deadline, a document that was not read).
    """
    from cite_lsp.cli.console import make_console, standard_input  # noqa: PLC0415 - only here
    from cite_lsp.cli.policy_asked import Wishes  # noqa: PLC0415
    from cite_lsp.cli.policy_asking import ask_policies  # noqa: PLC0415

    named = tuple(paths or ())
    wishes = Wishes(
        policies=tuple(policy or ()),
        given=input_file,
        command_line=_command_line(judge_name, model, base_url, concurrency),
        window=window,
        concurrency=concurrency,
        deadline=deadline,
        ignored=ignored,
        estimate=estimate,
        output=output.value,
        fail_level=fail_level,
        level=level,
        cached=not no_cache,
        quiet=quiet,
    )
    raise typer.Exit(ask_policies(named, wishes, standard_input(named), stdin_path, make_console(no_color=no_color)))


@policies.command("check")
def check_policies(
    files: PolicyFiles = None,
    output: FormatOption = OutputFormat.TEXT,
    quiet: QuietOption = False,
    no_color: ColorOption = False,
) -> None:
    """Check policy files. Nobody is asked.

    Exit status: 0 nothing is wrong, 1 something is, 2 usage or configuration, 3 a file could not be read.
    """
    from cite_lsp.cli.console import make_console  # noqa: PLC0415
    from cite_lsp.cli.policy_checking import check_policies as work  # noqa: PLC0415

    console = make_console(no_color=no_color)
    raise typer.Exit(work(tuple(files or ()), console, json=output is OutputFormat.JSON, quiet=quiet))


@policies.command("list")
def list_policies(
    output: FormatOption = OutputFormat.TEXT,
    no_color: ColorOption = False,
) -> None:
    """List the policies of the settings, and those that come with cite-lsp.

    Exit status: 0 done, 2 usage or configuration.
    """
    from cite_lsp.cli.console import make_console  # noqa: PLC0415
    from cite_lsp.cli.policy_checking import list_policies as work  # noqa: PLC0415

    raise typer.Exit(work(make_console(no_color=no_color), json=output is OutputFormat.JSON))


@policies.command("test")
def try_policies(  # noqa: PLR0913, PLR0917 - its options
    policy: PolicyNames = None,
    ask: AskOption = False,
    record: RecordOption = False,
    judge_name: JudgeOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    concurrency: ConcurrencyOption = None,
    output: FormatOption = OutputFormat.TEXT,
    quiet: QuietOption = False,
    no_color: ColorOption = False,
) -> None:
    """Try policies on the examples that they come with, by the answers that were recorded.

    Exit status: 0 all examples come out as labelled, 1 one does not, 2 usage or configuration, 3 something was not
    checked (no recorded answer, a failed request).
    """
    from cite_lsp.cli.console import make_console  # noqa: PLC0415
    from cite_lsp.cli.policy_testing import Wishes, try_examples  # noqa: PLC0415

    wishes = Wishes(
        ask=ask or record,
        record=record,
        command_line=_command_line(judge_name, model, base_url, concurrency),
        json=output is OutputFormat.JSON,
        quiet=quiet,
    )
    raise typer.Exit(try_examples(tuple(policy or ()), wishes, make_console(no_color=no_color)))


@policies.command("calibrate")
def calibrate_policy(  # noqa: PLR0913, PLR0917 - its options
    policy: PolicyName,
    examples: ExamplesOption = None,
    error_rate: ErrorRateOption = 0.1,
    ask: AskOption = False,
    diagram: DiagramOption = None,
    write: WriteBandsOption = False,
    judge_name: JudgeOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    concurrency: ConcurrencyOption = None,
    output: FormatOption = OutputFormat.TEXT,
    quiet: QuietOption = False,
    no_color: ColorOption = False,
) -> None:
    """Fit when an answer decides, and when a person should look, on labelled examples.

    Exit status: 0 done, 2 usage or configuration, 3 no question could be calibrated, or something was not answered.
    """
    from cite_lsp.cli.console import make_console  # noqa: PLC0415
    from cite_lsp.cli.policy_calibrating import Wishes, calibrate  # noqa: PLC0415

    wishes = Wishes(
        examples=examples,
        error_rate=error_rate,
        ask=ask,
        diagram=diagram,
        write=write,
        command_line=_command_line(judge_name, model, base_url, concurrency),
        json=output is OutputFormat.JSON,
        quiet=quiet,
    )
    raise typer.Exit(calibrate(policy, wishes, make_console(no_color=no_color)))


def _command_line(
    judge_name: JudgeOption, model: ModelOption, base_url: BaseUrlOption, concurrency: ConcurrencyOption
) -> dict[str, Any]:
    """Give the settings that the command line gives, by their dotted names."""
    given = {
        "judge.name": None if judge_name is None else judge_name.value,
        "judge.model": model,
        "judge.base_url": base_url,
        "judge.limits.concurrency": concurrency,
    }
    return {name: value for name, value in given.items() if value is not None}
