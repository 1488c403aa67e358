"""textDocument/completion: what may stand at a place, by the kind of file."""

from typing import Any

from cite_lsp.server.session import Session


def completions_at(session: Session, uri: str, line: int, units: int) -> list[dict[str, Any]] | None:
    """Give what may stand at a position, all of it; None where nothing is known to."""
    document = session.find(uri)
    if document is None:
        return None
    policies = session.policy_files.get(document)
    if policies is not None:
        from cite_lsp.server.features.policy_completion import policy_items  # noqa: PLC0415 - few files need it

        return policy_items(document, policies, line, units)
    return None
