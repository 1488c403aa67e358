"""Questions that a team asks of every document: policies, asked in two rounds of whoever answers yes or no.

The public names of `__all__` are loaded when they are asked for, as those of the package are.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cite_lsp.policy.asking import ClientError, ContractError
    from cite_lsp.policy.faults import PolicyError
    from cite_lsp.policy.language import Check, Choice, Concern, Factor, Filter, Policy, Role, Score, Side, YesNo
    from cite_lsp.policy.options import OptionsError
    from cite_lsp.policy.passages import SourceError, source
    from cite_lsp.policy.report import Finding, Report
    from cite_lsp.policy.run import judge

__all__ = [
    "Check",
    "Choice",
    "ClientError",
    "Concern",
    "ContractError",
    "Factor",
    "Filter",
    "Finding",
    "OptionsError",
    "Policy",
    "PolicyError",
    "Report",
    "Role",
    "Score",
    "Side",
    "SourceError",
    "YesNo",
    "judge",
    "source",
]

_HOMES = {
    "Check": "language",
    "Choice": "language",
    "ClientError": "asking",
    "Concern": "language",
    "ContractError": "asking",
    "Factor": "language",
    "Filter": "language",
    "Finding": "report",
    "OptionsError": "options",
    "Policy": "language",
    "PolicyError": "faults",
    "Report": "report",
    "Role": "language",
    "Score": "language",
    "Side": "language",
    "SourceError": "passages",
    "YesNo": "language",
    "judge": "run",
    "source": "passages",
}


def __getattr__(name: str) -> object:
    """Load a public name from the module that defines it."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'cite_lsp.policy' has no attribute {name!r}")
    value: object = getattr(import_module(f"cite_lsp.policy.{home}"), name)
    globals()[name] = value
    return value
