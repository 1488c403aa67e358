"""The settings: their names, defaults, and which of them only the user may set (findings.md, Settings)."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import platformdirs
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from cite_lsp.audit.options import AuditOptions
from cite_lsp.config.cache_address import CacheAddress
from cite_lsp.document.pattern import compile_pattern
from cite_lsp.findings.catalogue import closest_codes, find_code
from cite_lsp.findings.finding import Level, Severity
from cite_lsp.snapshot.globs import MAX_ALTERNATIVES, check_glob, expand_braces, matches

LevelName = Literal["error", "warning", "information", "hint", "off"]
LEVELS: tuple[str, ...] = get_args(LevelName)

_MODEL_ROWS = (
    "name",
    "model",
    "base_url",
    "api_key_env",
    "headers",
    "command",
    "effort",
    "batch",
    "est_cost",
    "limits.max_turns",
    "limits.max_output_tokens_per_turn",
    "limits.max_rows_per_request",
    "limits.max_rows_per_day",
    "limits.max_cost_per_day",
    "limits.concurrency",
    "limits.timeout",
)

USER_ONLY: frozenset[str] = frozenset(
    {
        "anchors.repositories",
        *(f"judge.{row}" for row in _MODEL_ROWS),
        *(f"repair.{row}" for row in _MODEL_ROWS),
        "cache.path",
        "cache.url",
        "cache.max_rows",
        "policies.run",
        "server.trusted",
    }
)
"""Rows read from the user file, the environment and the command line only: a project's files, editor settings
kept in a repository among them, must not name addresses, programs, keys or files elsewhere on the machine."""

PROJECT_MAY: dict[str, frozenset[str]] = {
    "judge.name": frozenset({"embedded"}),
    "policies.run": frozenset({"manual"}),
}
"""Values of user rows that a project or an editor may set all the same: they send nothing anywhere."""

SECRET: frozenset[str] = frozenset(
    {"judge.headers", "judge.api_key_env", "repair.headers", "repair.api_key_env", "cache.url", "judge.base_url",
     "repair.base_url", "judge.command"}
)  # fmt: skip
"""Rows whose values are never printed, since they may hold a key."""


def _listed(given: object) -> object:
    return tuple(given) if isinstance(given, list) else given


def _glob_list(given: object) -> object:
    if isinstance(given, (list, tuple)) and len(given) > MAX_ALTERNATIVES:
        raise ValueError(f"the list has more than {MAX_ALTERNATIVES:,} globs")
    return _listed(given)


def _glob(text: str) -> str:
    fault = check_glob(text)
    if fault is not None:
        raise ValueError(f"this glob cannot be used: {fault}")
    return text


def _few(globs: tuple[str, ...]) -> tuple[str, ...]:
    if sum(len(expand_braces(glob)) for glob in globs) > MAX_ALTERNATIVES:
        raise ValueError(f"the list stands for more than {MAX_ALTERNATIVES:,} globs")
    return globs


def _no_return(globs: tuple[str, ...]) -> tuple[str, ...]:
    if any(text.startswith("!") for glob in globs for text in expand_braces(glob)):
        raise ValueError('a glob here may not start with "!": what is excluded stays excluded')
    return globs


def _pattern(source: str) -> str:
    outcome = compile_pattern(source)
    if isinstance(outcome, str):
        raise ValueError(outcome)  # noqa: TRY004  # pydantic reports a ValueError, not a TypeError
    return source


def _extension(text: str) -> str:
    name = text.removeprefix(".")
    if re.fullmatch(r"[\w+-]{1,40}", name) is None:
        raise ValueError('an extension is letters, digits, "_", "+" or "-", without a dot inside')
    return name


def _revision(text: str) -> str:
    if re.fullmatch(r"[0-9A-Za-z][0-9A-Za-z._/+-]{0,255}", text) is None or ".." in text:
        raise ValueError('legal is "written" or the name of one commit')
    return text


def _inside(text: str) -> str:
    parts = text.replace("\\", "/").split("/")
    if not text.strip() or text.startswith(("/", "\\", "~")) or ":" in parts[0] or ".." in parts or "\0" in text:
        raise ValueError("legal is a path inside the project, relative to its root")
    return text


def _folder(text: str) -> str:
    if "\0" in text or not text.strip():
        raise ValueError("legal is the path of a folder on this machine")
    path = Path(text)
    if text.startswith("~"):
        try:
            path = path.expanduser()
        except RuntimeError as error:
            raise ValueError("the home folder that ~ stands for is not known") from error
    if not path.is_absolute():
        raise ValueError("legal is an absolute path, or one that starts with ~/")
    return str(path)


def _address(text: str) -> str:
    if re.fullmatch(r"https?://[^\s/?#]+[^\s]*", text) is None:
        raise ValueError("legal is an address that starts with http:// or https://")
    return text


def _cache_address(text: str) -> str:
    CacheAddress.parse(text)
    return text


def _variable(text: str) -> str:
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text) is None:
        raise ValueError("legal is the name of an environment variable, not the key itself")
    return text


def _known_codes(rules: dict[str, Any]) -> dict[str, Any]:
    for name in rules:
        fault = unknown_code(name)
        if fault is not None:
            raise ValueError(fault)
    return rules


def unknown_code(name: str) -> str | None:
    """Why a name cannot stand under `rules`; None when it is a code."""
    if find_code(name) is not None:
        return None
    close = closest_codes(name, 1)
    return f"there is no code {name[:60]!r}" + (f"; did you mean {close[0]!r}?" if close else "")


Texts = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Glob = Annotated[str, AfterValidator(_glob)]
Globs = Annotated[tuple[Glob, ...], BeforeValidator(_glob_list), AfterValidator(_few)]
Count = Annotated[int, Field(ge=1, le=10**15)]
Cost = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Rules = Annotated[dict[str, LevelName], AfterValidator(_known_codes)]
JudgeName = Literal["embedded", "openai", "ollama", "anthropic", "decision", "command"]
Effort = Literal["low", "medium", "high", "max"]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class FileSettings(_Section):
    """Which files are documents, and how large a file may be."""

    include: Globs = Field(default=("**/*.{md,markdown,mdx,rst,adoc,txt}",), description="Globs of the documents.")
    exclude: Globs = Field(default=(), description="Globs of files that are no documents after all.")
    must_cite: Globs = Field(
        default=(), description="Globs of documents that have to cite something; one that does not is vacuous."
    )
    max_bytes: Count = Field(default=10_000_000, description="The largest cited file that is read, in bytes.")
    max_document_bytes: Count = Field(default=20_000_000, description="The largest document that is read, in bytes.")


class AnchorSettings(_Section):
    """How citations are recognised, and where paths of other repositories lead."""

    pattern: Annotated[str, AfterValidator(_pattern)] | None = Field(
        default=None, description="A regular expression whose matches are path:line; it replaces the grammar."
    )
    in_fences: bool = Field(default=False, description="Whether citations in fenced code count.")
    extensions: Annotated[tuple[Annotated[str, AfterValidator(_extension)], ...], BeforeValidator(_listed)] = Field(
        default=(), description="File extensions that make a path, beside the built-in ones."
    )
    foreign: Texts = Field(default=(), description="Folders that paths of other repositories begin with.")
    repositories: dict[str, Annotated[str, AfterValidator(_folder)]] = Field(
        default_factory=dict, description="Names of other repositories and the folders of their checkouts."
    )


class Override(_Section):
    """Severities for some documents only; of several that fit, the later one wins."""

    globs: Globs = Field(min_length=1, description="Globs of the documents this is about.")
    rules: Rules = Field(description="Severities by code.")


class DriftSettings(_Section):
    """Whether moved and changed citations are looked for."""

    enabled: bool = Field(default=True, description="Whether drift is looked for.")


class LimitSettings(_Section):
    """Bounds of what a judge may be asked."""

    max_turns: Count = Field(default=3, description="How often one row may be asked.")
    max_output_tokens_per_turn: Count | None = Field(default=None, description="The declared output cap of a request.")
    max_rows_per_request: Count | None = Field(default=None, description="How many rows one request carries.")
    max_rows_per_day: Count | None = Field(default=None, description="How many rows are asked in a day.")
    max_cost_per_day: Cost | None = Field(default=None, description="How much a day may cost, in the unit of est_cost.")
    concurrency: Count | None = Field(default=None, description="How many requests run at a time.")
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        default=None, description="How long one request may take, in seconds."
    )


class ModelSettings(_Section):
    """What the judge and the repair have in common; None means the judge's own default."""

    model: str | None = Field(default=None, description="The model's name.")
    base_url: Annotated[str, AfterValidator(_address)] | None = Field(
        default=None, repr=False, description="The address of the server."
    )
    api_key_env: Annotated[str, AfterValidator(_variable)] | None = Field(
        default=None, repr=False, description="The name of the environment variable that holds the key."
    )
    headers: dict[str, str] = Field(default_factory=dict, repr=False, description="Headers sent with each request.")
    command: Texts = Field(default=(), description='The program of the judge "command", and its arguments.')
    effort: Effort | None = Field(default=None, description="How hard the model thinks.")
    batch: bool = Field(default=True, description="Whether rows are asked several at a time.")
    est_cost: Cost | None = Field(default=None, description="The declared cost of one request.")
    limits: LimitSettings = LimitSettings()


class JudgeSettings(ModelSettings):
    """Who judges, and when."""

    run: Literal["save", "manual", "off"] = Field(default="save", description="When the judge is asked.")
    exclude: Annotated[Globs, AfterValidator(_no_return)] = Field(
        default=(),
        description="Globs of files whose text never leaves the machine; those of all sources count together.",
    )
    name: JudgeName = Field(default="embedded", description="Which judge.")


class RepairSettings(ModelSettings):
    """Who repairs; without a name, the judge does."""

    name: JudgeName | None = Field(default=None, description="Which model repairs; unset, the judge's.")


class CacheSettings(_Section):
    """Where verdicts are kept."""

    path: Annotated[str, AfterValidator(_folder)] | None = Field(
        default=None, description="The folder of the cache; unset, the user cache folder."
    )
    url: Annotated[str, AfterValidator(_cache_address)] | None = Field(
        default=None, repr=False, description="The address of a Redis or Valkey server that a team shares verdicts in."
    )
    max_rows: Count = Field(default=200_000, description="How many verdicts are kept.")

    @property
    def folder(self) -> str:
        """The folder of the cache on this machine."""
        return self.path or platformdirs.user_cache_dir("cite-lsp", appauthor=False)

    @property
    def shared(self) -> CacheAddress | None:
        """Where the shared cache is; None without one."""
        return None if self.url is None else CacheAddress.parse(self.url)


class PolicySettings(_Section):
    """Which policy files there are, and when they run."""

    files: Globs = Field(default=("policies/*.toml",), description="Globs of the policy files.")
    run: Literal["save", "manual"] = Field(default="manual", description="When policies run.")


class ServerSettings(_Section):
    """What the language server shows."""

    trusted: bool = Field(
        default=True, description="Whether a judge that leaves the machine may run in this workspace."
    )
    completion: bool = Field(
        default=True, description="Whether paths, lines and names are offered while a citation is being typed."
    )
    inlay_hints: bool = Field(default=False, description="Whether verdicts are marked beside their citations.")
    code_lens: bool = Field(default=False, description="Whether headings and cited code show counts.")
    max_diagnostics: Count = Field(default=500, description="The most findings shown for one document.")


_RECORDS = (
    "**/{adr,adrs,decisions,audits,plans,rfcs,postmortems,archive}/**",
    "**/*[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*",
    "**/CHANGELOG*",
)


class Settings(_Section):
    """All settings. A value is complete and checked; `load_settings` makes one from what people wrote."""

    files: FileSettings = FileSettings()
    anchors: AnchorSettings = AnchorSettings()
    rules: Rules = Field(default_factory=dict, description="Severities by code; the rest have their default.")
    overrides: Annotated[tuple[Override, ...], BeforeValidator(_listed)] = Field(
        default=(), description="Severities for some documents only; of several that fit, the later one wins."
    )
    records: Globs = Field(default=_RECORDS, description="Globs of documents that describe a moment, not the present.")
    as_of: Annotated[str, AfterValidator(_revision)] = Field(
        default="written", description='The commit records are read at: "written", or the name of one commit.'
    )
    accepted: Annotated[str, AfterValidator(_inside)] = Field(
        default="cite-lsp.accepted.json", description="The file of accepted findings, relative to the root."
    )
    drift: DriftSettings = DriftSettings()
    audit: AuditOptions = AuditOptions()
    judge: JudgeSettings = JudgeSettings()
    repair: RepairSettings = RepairSettings()
    cache: CacheSettings = CacheSettings()
    policies: PolicySettings = PolicySettings()
    policy: Annotated[tuple[dict[str, Any], ...], BeforeValidator(_listed)] = Field(
        default=(), description="Policies written here instead of in a file of their own."
    )
    server: ServerSettings = ServerSettings()

    def is_document(self, path: str) -> bool:
        """Whether `files` takes in a path relative to the root; what git ignores is the index's to say."""
        return matches(self.files.include, path) and not matches(self.files.exclude, path)

    def is_record(self, path: str) -> bool:
        """Whether a document describes a moment (drift.md, As of)."""
        return matches(self.records, path)

    def must_cite(self, path: str) -> bool:
        """Whether a document has to cite something."""
        return matches(self.files.must_cite, path)


def severity_of(code: str, path: str, settings: Settings, default: Level) -> Level:
    """The severity of a code in a document: the last override that fits, else the rule, else `default`.

    `path` is relative to the root, with `/` between its parts. `default` is the caller's, since one code may
    have two: `ignored-target` in a tracked document is a warning.
    """
    chosen: str = settings.rules.get(code, default)
    for override in settings.overrides:
        if code in override.rules and matches(override.globs, path):
            chosen = override.rules[code]
    return "off" if chosen == "off" else Severity(chosen)
