"""What the client can do, read once from `initialize`."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from lsprotocol import types

from cite_lsp.document.columns import Encoding

_ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


@dataclass(frozen=True, slots=True)
class Client:
    """Capabilities of the client as plain answers; whatever it does not say is False."""

    name: str = ""
    position_encoding: Encoding = "utf-16"
    hover_markdown: bool = False
    definition_links: bool = False
    declaration_links: bool = False
    code_action_literals: bool = False
    code_action_resolve_edit: bool = False
    code_action_data: bool = False
    code_action_is_preferred: bool = False
    document_link_tooltip: bool = False
    related_information: bool = False
    version_support: bool = False
    configuration: bool = False
    did_change_configuration_dynamic: bool = False
    watched_files_dynamic: bool = False
    watched_files_relative: bool = False
    apply_edit: bool = False
    document_changes: bool = False
    create_files: bool = False
    show_message_actions: bool = False
    work_done_progress: bool = False
    llm_generated_tag: bool = False
    workspace_folders: bool = False
    code_lens_refresh: bool = False
    inlay_hint_refresh: bool = False
    completion: bool = False
    completion_insert_replace: bool = False
    completion_label_details: bool = False
    completion_resolves_documentation: bool = False
    completion_markdown: bool = False
    completion_kinds: frozenset[int] = frozenset()
    """Those it knows beside the first ones, which every client knows."""

    @classmethod
    def of(cls, params: types.InitializeParams) -> Self:
        """Read `params.capabilities` and the client's name."""
        has = _Capabilities(params.capabilities)
        item = "text_document.completion.completion_item"
        formats = [_plain(value) for value in has.many("text_document.hover.content_format")]
        return cls(
            name=params.client_info.name if params.client_info else "",
            position_encoding=_encoding(has.many("general.position_encodings")),
            hover_markdown=next((value for value in formats if value in ("markdown", "plaintext")), "") == "markdown",
            definition_links=has("text_document.definition.link_support"),
            declaration_links=has("text_document.declaration.link_support"),
            code_action_literals=has("text_document.code_action.code_action_literal_support"),
            code_action_resolve_edit="edit" in has.many("text_document.code_action.resolve_support.properties"),
            code_action_data=has("text_document.code_action.data_support"),
            code_action_is_preferred=has("text_document.code_action.is_preferred_support"),
            document_link_tooltip=has("text_document.document_link.tooltip_support"),
            related_information=has("text_document.publish_diagnostics.related_information"),
            version_support=has("text_document.publish_diagnostics.version_support"),
            configuration=has("workspace.configuration"),
            did_change_configuration_dynamic=has("workspace.did_change_configuration.dynamic_registration"),
            watched_files_dynamic=has("workspace.did_change_watched_files.dynamic_registration"),
            watched_files_relative=has("workspace.did_change_watched_files.relative_pattern_support"),
            apply_edit=has("workspace.apply_edit"),
            document_changes=has("workspace.workspace_edit.document_changes"),
            create_files="create" in map(_plain, has.many("workspace.workspace_edit.resource_operations")),
            show_message_actions=has("window.show_message.message_action_item"),
            work_done_progress=has("window.work_done_progress"),
            llm_generated_tag=types.CodeActionTag.LlmGenerated.value
            in [_plain(value) for value in has.many("text_document.code_action.tag_support.value_set")],
            workspace_folders=has("workspace.workspace_folders"),
            code_lens_refresh=has("workspace.code_lens.refresh_support"),
            inlay_hint_refresh=has("workspace.inlay_hint.refresh_support"),
            completion=has("text_document.completion"),
            completion_insert_replace=has(f"{item}.insert_replace_support"),
            completion_label_details=has(f"{item}.label_details_support"),
            completion_resolves_documentation="documentation" in has.many(f"{item}.resolve_support.properties"),
            completion_markdown=_plain(next(iter(has.many(f"{item}.documentation_format")), "")) == "markdown",
            completion_kinds=frozenset(
                kind
                for kind in map(_plain, has.many("text_document.completion.completion_item_kind.value_set"))
                if isinstance(kind, int)
            ),
        )


class _Capabilities:
    __slots__ = ("_all",)

    def __init__(self, capabilities: types.ClientCapabilities) -> None:
        self._all = capabilities

    def __call__(self, path: str) -> bool:
        """Say whether the capability is there: true, or an object that describes it."""
        value = self._at(path)
        return value is not None and value is not False

    def many(self, path: str) -> Iterable[object]:
        """Give the values of a list; nothing where there is none."""
        value = self._at(path)
        return value if isinstance(value, (list, tuple)) else ()

    def _at(self, path: str) -> object:
        value: object = self._all
        for name in path.split("."):
            value = getattr(value, name, None)
        return value


def _plain(value: object) -> object:
    return getattr(value, "value", value)


def _encoding(offered: Iterable[object]) -> Encoding:
    """Take the client's first that we know: it lists what it likes best first."""
    names = [_plain(value) for value in offered]
    return next((known for name in names for known in _ENCODINGS if name == known), "utf-16")
