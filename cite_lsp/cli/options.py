"""The options and arguments of the commands, as Typer reads them."""

from enum import StrEnum
from typing import Annotated

import typer

from cite_lsp.findings.finding import Severity


class OutputFormat(StrEnum):
    """How findings are written."""

    TEXT = "text"
    JSON = "json"


class RunFormat(StrEnum):
    """How what a run found is written, for people and for CI."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    GITLAB = "gitlab"
    MARKDOWN = "markdown"


class PolicyFormat(StrEnum):
    """How what policies found is written."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    GITLAB = "gitlab"


class JudgeChoice(StrEnum):
    """Who judges."""

    EMBEDDED = "embedded"
    OPENAI = "openai"
    OLLAMA = "ollama"
    ANTHROPIC = "anthropic"
    DECISION = "decision"
    COMMAND = "command"


class Scope(StrEnum):
    """Which citations are judged."""

    ALL = "all"
    SAMPLE = "sample"


class OnFound(StrEnum):
    """What follows from an unsupported citation."""

    REPORT = "report"
    FAIL = "fail"
    REPAIR = "repair"


class SchemaName(StrEnum):
    """Which JSON schema is printed."""

    SETTINGS = "settings"
    OUTPUT = "output"
    JUDGE = "judge"
    POLICY = "policy"
    POLICY_OUTPUT = "policy-output"


Paths = Annotated[list[str] | None, typer.Argument(metavar="PATH", help="Documents or folders; - is standard input.")]
FormatOption = Annotated[OutputFormat, typer.Option("--format", help="How findings are written.")]
RunFormatOption = Annotated[
    RunFormat,
    typer.Option(
        "--format",
        help="How findings are written: sarif is for code scanning, github are annotations, gitlab is a Code Quality "
        "report, markdown a report for people.",
    ),
]
PolicyFormatOption = Annotated[PolicyFormat, typer.Option("--format", help="How findings are written.")]
ReportOption = Annotated[
    str | None,
    typer.Option("--report", metavar="FILE", help="Also write the report for people, as Markdown, into a file."),
]
FailOption = Annotated[Severity, typer.Option("--fail-level", help="Exit with 1 from this severity on.")]
LevelOption = Annotated[Severity, typer.Option("--level", help="The quietest severity that is listed; json has all.")]
StdinOption = Annotated[
    str | None, typer.Option("--stdin-path", metavar="PATH", help="Where standard input stands in the workspace.")
]
ExcerptsOption = Annotated[bool, typer.Option("--excerpts", help="Put the cited lines into the JSON.")]
JobsOption = Annotated[
    int, typer.Option("--jobs", "-j", min=0, max=64, help="Processes; 0 is as many as the documents are worth.")
]
JudgeJobsOption = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        min=0,
        max=64,
        help="Processes that the embedded judge works in; 0 is as many as the citations are worth. Another judge is "
        "asked from one: judge.limits.concurrency bounds that.",
    ),
]
RootOption = Annotated[
    str | None,
    typer.Option(
        "--root", metavar="FOLDER", help="The folder whose settings and files count; unset, those above the first PATH."
    ),
]
ExcludeOption = Annotated[
    bool,
    typer.Option("--force-exclude", help="Leave out what the settings leave out also where it is named, as hooks do."),
]
DoctorAskOption = Annotated[
    bool, typer.Option("--ask", help="Ask the judge about one made-up citation, and whether a shared cache answers.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Write nothing; print what would change as a diff.")]
InteractiveOption = Annotated[bool, typer.Option("--interactive", "-i", help="Ask about each fix.")]
UnsafeOption = Annotated[
    bool, typer.Option("--unsafe", help="Also cite the lines that an edited text is aligned with.")
]
RecordsOption = Annotated[
    bool, typer.Option("--records", help="Also fix documents that describe a moment, as if they described today.")
]
CodesOption = Annotated[
    list[str] | None, typer.Option("--code", metavar="CODE", help="Accept findings of this code only; may be repeated.")
]
AcceptLevelOption = Annotated[Severity, typer.Option("--level", help="The quietest severity that is accepted.")]
SinceOption = Annotated[
    str | None,
    typer.Option("--since", metavar="REV", help="Only documents that changed since a commit, or cite what did."),
]
NoCacheOption = Annotated[
    bool, typer.Option("--no-cache", help="Look at everything anew, whatever the last check came to.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary; findings only.")]
ColorOption = Annotated[bool, typer.Option("--no-color", help="No colour (NO_COLOR does the same).")]

JudgeOption = Annotated[
    JudgeChoice | None, typer.Option("--judge", help="Who judges; unset, judge.name of your settings.")
]
ModelOption = Annotated[str | None, typer.Option("--model", metavar="NAME", help="The judge's model.")]
BaseUrlOption = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        metavar="URL",
        help="The judge's address. A key that your settings name for another one is not sent there.",
    ),
]
ScopeOption = Annotated[
    Scope | None, typer.Option("--scope", help="Every citation, or the deterministic sample (audit.scope).")
]
OnFoundOption = Annotated[
    OnFound | None,
    typer.Option("--on-found", help="What follows from an unsupported citation (audit.on_found)."),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Judge on the workers of a Dask cluster, tcp://host:port; claims and cited files are sent there. "
        "Needs cite-lsp[dask].",
    ),
]
WriteOption = Annotated[bool, typer.Option("--write", help="With --on-found repair: write, in place of a diff.")]
EstimateOption = Annotated[
    bool, typer.Option("--estimate", help="Say how many rows, requests and tokens it would take; send nothing.")
]
ShownOption = Annotated[
    Severity | None,
    typer.Option("--level", help="The quietest severity that is shown; unset, warnings and all that a judge says."),
]
NoVerdictsOption = Annotated[
    bool, typer.Option("--no-cache", help="Ask about everything anew, and keep nothing of it.")
]

PolicyNames = Annotated[
    list[str] | None,
    typer.Argument(metavar="POLICY", help="Names of policies, or policy files; without one, all of the settings."),
]
PolicyName = Annotated[str, typer.Argument(metavar="POLICY", help="The name of a policy, or a policy file.")]
PolicyFiles = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILE", help="Policy files; without one, all of the settings."),
]
PolicyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="NAME|FILE",
        help="Only this policy, of the settings or in a file; shipped:NAME is one of ours. May be repeated.",
    ),
]
InputOption = Annotated[
    str | None,
    typer.Option("--input", metavar="FILE", help='The text that policies with input = "given" are asked beside.'),
]
AskedOption = Annotated[
    bool, typer.Option("--estimate", help="Say how many passages, requests and tokens it would take; send nothing.")
]
IgnoredOption = Annotated[
    bool,
    typer.Option(
        "--ignored",
        help="Ask also about named documents that git ignores, as logs often are: their text is sent to the judge.",
    ),
]
WindowOption = Annotated[
    int | None, typer.Option("--window", min=1, max=1_000, help="Passages in a request; unset, as the policy says.")
]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option("--concurrency", min=1, max=256, help="Requests at a time; unset, judge.limits.concurrency."),
]
DeadlineOption = Annotated[
    float | None,
    typer.Option(
        "--deadline", min=0.1, metavar="SECONDS", help="When it has passed, what is not answered is not checked."
    ),
]
NoAnswersOption = Annotated[bool, typer.Option("--no-cache", help="Ask about everything anew, and keep nothing of it.")]
FindingsOption = Annotated[Severity, typer.Option("--level", help="The quietest severity that text shows.")]
AskOption = Annotated[
    bool, typer.Option("--ask", help="Ask the judge of your settings; without this, the recorded answers.")
]
RecordOption = Annotated[
    bool, typer.Option("--record", help="Ask the judge of your settings, and write its answers beside the policy.")
]
ExamplesOption = Annotated[
    str | None,
    typer.Option(
        "--examples", metavar="FILE", help="Labelled examples, one JSON object a line, beside those of the policy."
    ),
]
ErrorRateOption = Annotated[
    float,
    typer.Option(
        "--error-rate",
        min=0.001,
        max=0.5,
        help="Which share of the answers that decide may be wrong, of yes and of no each. The smaller, the more "
        "labelled examples it takes: without an error 28 of each at 0.1, 57 at 0.05.",
    ),
]
DiagramOption = Annotated[
    str | None, typer.Option("--diagram", metavar="FILE", help="Write the reliability diagram, as SVG.")
]
WriteBandsOption = Annotated[bool, typer.Option("--write", help="Write the bands beside the policy.")]
