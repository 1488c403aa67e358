"""textDocument/completion: what may stand at a place, by the kind of file."""

from typing import Any

from lsprotocol import types

from cite_lsp.server.client import Client
from cite_lsp.server.session import Session

_POLICY_TRIGGERS = frozenset('[."={')
"""What in a policy file begins a table, a name in it, a text, a value, a placeholder."""

_DOCUMENT_TRIGGERS = frozenset("[.`(/:#")
"""Those behind which a citation may begin or go on."""

_KNOWN_TO_ALL = 18
"""The highest of the protocol's kinds of items that a client knows which does not say what it knows."""

_STANDS_FOR = {20: 13, 22: 7, 21: 14, 23: 3, 24: 3, 25: 7}
"""For each kind above that the one that comes nearest."""


async def completions_at(session: Session, params: types.CompletionParams) -> object:
    """Give what may stand at a position: a list of items, or one that is to be asked for again; None for nothing."""
    document = session.find(params.text_document.uri)
    if document is None:
        return None
    where = params.position
    trigger = params.context.trigger_character if params.context is not None else None
    policies = session.policy_files.get(document)
    if policies is not None:
        if trigger is not None and trigger not in _POLICY_TRIGGERS:
            return None
        from cite_lsp.server.features.policy_completion import policy_items  # noqa: PLC0415 - few files need it

        items = policy_items(document, policies, where.line, where.character)
        return None if items is None else [_of_known_kind(item, session.client) for item in items]
    if document.document is None or (trigger is not None and trigger not in _DOCUMENT_TRIGGERS):
        return None
    from cite_lsp.server.features.citation_completion import citation_items  # noqa: PLC0415 - when first asked for

    found = await citation_items(session, document, where.line, where.character, _kind_of(params))
    if found is not None:
        found["items"] = [_of_known_kind(item, session.client) for item in found["items"]]
    return found


def resolved_item(session: Session, item: types.CompletionItem) -> types.CompletionItem:
    """Give an item with its documentation, where it has some."""
    from cite_lsp.server.features.citation_completion import documentation  # noqa: PLC0415 - when first asked for

    if isinstance(item.data, dict):
        item.documentation = documentation(session, item.data)
    return item


def _kind_of(params: types.CompletionParams) -> int:
    context = params.context
    return types.CompletionTriggerKind.Invoked.value if context is None else int(context.trigger_kind)


def _of_known_kind(item: dict[str, Any], client: Client) -> dict[str, Any]:
    kind = item["kind"]
    known = kind <= _KNOWN_TO_ALL or kind in client.completion_kinds
    return item if known else {**item, "kind": _STANDS_FOR[kind]}
