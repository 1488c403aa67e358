"""cite-lsp keeps the line numbers that documents cite, and keeps them true.

The public names of `__all__` are loaded when they are asked for, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cite_lsp.audit.options import AuditOptions
    from cite_lsp.audit.run import AuditReport, audit_document
    from cite_lsp.audit.selecting import AuditRow, select_rows
    from cite_lsp.audit.verdicts import Row, Verdict
    from cite_lsp.clients.making import decision_client
    from cite_lsp.config import Settings
    from cite_lsp.document.anchors import Anchor
    from cite_lsp.document.document import Document
    from cite_lsp.findings.check import check_document
    from cite_lsp.findings.finding import Finding
    from cite_lsp.judges.embedded import EmbeddedJudge
    from cite_lsp.snapshot.drift import Drift
    from cite_lsp.snapshot.excerpt import Excerpt
    from cite_lsp.snapshot.resolve import Resolution
    from cite_lsp.snapshot.snapshot import Snapshot

__version__ = "0.1.0"

__all__ = [
    "Anchor",
    "AuditOptions",
    "AuditReport",
    "AuditRow",
    "Document",
    "Drift",
    "EmbeddedJudge",
    "Excerpt",
    "Finding",
    "Resolution",
    "Row",
    "Settings",
    "Snapshot",
    "Verdict",
    "__version__",
    "audit_document",
    "check_document",
    "decision_client",
    "select_rows",
]

_HOMES = {
    "Anchor": "cite_lsp.document.anchors",
    "AuditOptions": "cite_lsp.audit.options",
    "AuditReport": "cite_lsp.audit.run",
    "AuditRow": "cite_lsp.audit.selecting",
    "Document": "cite_lsp.document.document",
    "Drift": "cite_lsp.snapshot.drift",
    "EmbeddedJudge": "cite_lsp.judges.embedded",
    "Excerpt": "cite_lsp.snapshot.excerpt",
    "Finding": "cite_lsp.findings.finding",
    "Resolution": "cite_lsp.snapshot.resolve",
    "Row": "cite_lsp.audit.verdicts",
    "Settings": "cite_lsp.config",
    "Snapshot": "cite_lsp.snapshot.snapshot",
    "Verdict": "cite_lsp.audit.verdicts",
    "audit_document": "cite_lsp.audit.run",
    "check_document": "cite_lsp.findings.check",
    "decision_client": "cite_lsp.clients.making",
    "select_rows": "cite_lsp.audit.selecting",
}


def __getattr__(name: str) -> object:
    """Load a public name from the module that defines it."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'cite_lsp' has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value
