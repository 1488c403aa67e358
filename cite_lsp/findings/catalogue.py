"""The catalogue of finding codes, in the order of findings.md, each with the page that explains it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

from cite_lsp.findings.finding import Level, Severity

Layer = Literal["document", "resolve", "drift", "grounding", "verdict", "reference", "settings", "policy"]

POLICY_CODE = r"policy:[A-Za-z0-9_][A-Za-z0-9_.-]*/[A-Za-z0-9_][A-Za-z0-9_.-]*"
"""The shape `policy:<policy>/<concern>`, in what JSON Schema's regular expressions share with Python's."""

_CLOSE_ENOUGH = 60.0
_PAGES = "cite_lsp.findings"


@dataclass(frozen=True, slots=True)
class Code:
    """One code.

    `layer` is the step that finds it; `default_severity` what it has when no setting says otherwise;
    `summary` one sentence without a full stop; `page` the file name of its page.
    """

    name: str
    layer: Layer
    default_severity: Level
    summary: str
    page: str


_E, _W, _I, _H = Severity.ERROR, Severity.WARNING, Severity.INFORMATION, Severity.HINT

_ROWS: tuple[tuple[str, Layer, Level, str], ...] = (
    ("malformed", "resolve", _E, "the line numbers of a citation cannot be read as lines"),
    ("outside", "resolve", _W, "the cited path leads out of the workspace"),
    ("missing", "resolve", _E, "the cited file is not there"),
    ("elsewhere", "resolve", _I, "the cited path is of another tree than this one"),
    ("ambiguous", "resolve", _W, "several files fit the cited path"),
    ("not-text", "resolve", _I, "the cited file is not text, so it has no lines"),
    ("too-large", "resolve", _I, "the cited file is over the size limit and was not read"),
    ("unreadable", "resolve", _I, "the cited file exists and could not be read"),
    ("not-available", "resolve", _I, "the cited file's content is not on this machine"),
    ("line-out-of-range", "resolve", _E, "the cited line is past the end of the file"),
    ("end-out-of-range", "resolve", _W, "the cited range starts in the file and ends past it"),
    ("blank-line", "resolve", _W, "the cited lines are blank"),
    ("case-differs", "resolve", _W, "the cited path differs from the real one in upper and lower case"),
    ("ignored-target", "resolve", _I, "the cited file is ignored by git, so others may not have it"),
    ("untracked-target", "resolve", _H, "the cited file is not yet tracked by git"),
    ("link-disagrees", "document", _W, "a link's text and its target name different lines"),
    ("format-character", "document", _W, "an invisible character stands in or beside a citation"),
    ("moved", "drift", _W, "the cited text stands on other lines now"),
    ("edited", "drift", _I, "the cited text was changed where the claim depends on it"),
    ("gone", "drift", _W, "the cited text stands nowhere in the file any more"),
    ("born-wrong", "drift", _W, "the citation was already past the end, or missing, when it was written"),
    ("wrong-lines", "grounding", _W, "what the claim names stands on other lines of the cited file"),
    ("unsupported", "verdict", _W, "the cited lines do not carry the claim"),
    ("partial", "verdict", _I, "the cited lines carry a part of the claim"),
    ("review", "verdict", _H, "the judge could not decide and asks a person"),
    ("cited-value", "reference", "off", "a quoted value does not stand on the cited line"),
    ("section-citations", "reference", "off", "a section has fewer citations than it needs"),
    ("uncited", "reference", "off", "a factual sentence cites nothing"),
    ("vacuous", "document", _W, "a document that must cite cites nothing"),
    ("unused-ignore", "document", _H, "an ignore comment silences nothing"),
    ("ignore-without-reason", "document", _H, "an ignore comment does not say why"),
    ("setting", "settings", _E, "a setting was refused"),
    ("policy-file", "policy", _E, "a policy file was refused"),
)

CATALOGUE: Mapping[str, Code] = MappingProxyType(
    {name: Code(name, layer, level, summary, f"{name}.md") for name, layer, level, summary in _ROWS}
)
"""Every code but those of policies, by name, in the order of findings.md: within the layer *resolve* the order in which
one status hides another (`snapshot.resolve.PRECEDENCE`)."""


def is_policy_code(name: str) -> bool:
    """Whether the name has the shape `policy:<policy>/<concern>`."""
    return re.fullmatch(POLICY_CODE, name) is not None


def find_code(name: str) -> Code | None:
    """The code of that name, the codes of policies included; None for a name that is no code.

    A concern of a policy brings its own severity; the default here is the one it has without.
    """
    if is_policy_code(name):
        summary = "a concern of one of the team's policies was found in this passage"
        return Code(name, "policy", Severity.WARNING, summary, "policy.md")
    return CATALOGUE.get(name)


def explain(name: str) -> str | None:
    """The page of a code, as Markdown; None for a name that is no code."""
    code = find_code(name)
    return None if code is None else _page(code.page)


@cache
def _page(name: str) -> str:
    return files(_PAGES).joinpath("pages", name).read_text(encoding="utf-8")


def closest_codes(name: str, limit: int = 3) -> tuple[str, ...]:
    """Up to `limit` codes that look like a name that is none, closest first ("did you mean")."""
    asked = name.strip().lower().replace("_", "-")[:100]
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - 3 MB that few need

    found = process.extract(asked, list(CATALOGUE), scorer=fuzz.ratio, limit=limit, score_cutoff=_CLOSE_ENOUGH)
    return tuple(match[0] for match in found)
