"""What a server may send to a client, by what the client says it can do (LSP 3.17 and 3.18).

A `Watched` session of the harness looks at every message that goes out and keeps what the client did not ask for.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cite_lsp.server.stdio import Frames
from tests.server.harness import Message, Session

CAPTURED = Path(__file__).parent / "capabilities"
CLIENTS = ("vscode", "neovim", "helix", "zed", "emacs")

Fault = str
_DIAGNOSTIC = {"range", "severity", "code", "source", "message"}


def captured(name: str) -> tuple[Message, Message] | None:
    """What a client said of itself, and its capabilities; None where they were not captured."""
    file = CAPTURED / f"{name}.json"
    if not file.is_file():
        return None
    said = json.loads(file.read_text("utf-8"))
    return said.get("client", {"name": name}), said.get("capabilities", said)


class Allowed:
    """The rules of one client. Each method gives what is wrong with a message, in words."""

    def __init__(self, capabilities: Message) -> None:
        self._all = capabilities

    def has(self, path: str) -> Any:
        """The capability at a dotted path; None where it is not there."""
        value: Any = self._all
        for name in path.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def notification(self, method: str, params: Any) -> Iterator[Fault]:
        """Look at a notification of the server."""
        known = {
            "textDocument/publishDiagnostics",
            "window/showMessage",
            "window/logMessage",
            "$/logTrace",
            "$/progress",
            "cite-lsp/status",
        }
        if method not in known:
            yield f"the notification {method} is not of the protocol"
        if method == "textDocument/publishDiagnostics":
            yield from self._publish(params)
        if method == "$/progress" and not self.has("window.workDoneProgress"):
            yield "progress"

    def request(self, method: str, params: Any) -> Iterator[Fault]:
        """Look at a request of the server."""
        needed = {
            "workspace/configuration": "workspace.configuration",
            "workspace/applyEdit": "workspace.applyEdit",
            "window/workDoneProgress/create": "window.workDoneProgress",
            "window/showDocument": "window.showDocument.support",
            "workspace/workspaceFolders": "workspace.workspaceFolders",
            "workspace/codeLens/refresh": "workspace.codeLens.refreshSupport",
            "workspace/inlayHint/refresh": "workspace.inlayHint.refreshSupport",
        }
        if method in needed and not self.has(needed[method]):
            yield f"{method} without {needed[method]}"
        elif method == "workspace/applyEdit":
            yield from self._edit(params["edit"])
            if set(params) - {"edit", "label"}:
                yield f"applyEdit with {sorted(params)}"
        elif method == "client/registerCapability":
            yield from self._registrations(params["registrations"])
        elif method == "window/showMessageRequest":
            yield from self._question(params)
        elif method not in needed:
            yield f"the request {method} is not known"

    def result(self, method: str, result: Any) -> Iterator[Fault]:
        """Look at the answer to a request of the client."""
        looks: dict[str, Callable[[Any], Iterator[Fault]]] = {
            "initialize": self._initialized,
            "textDocument/hover": self._hover,
            "textDocument/definition": lambda value: self._places("definition", value),
            "textDocument/declaration": lambda value: self._places("declaration", value),
            "textDocument/documentLink": self._links,
            "textDocument/codeAction": self._actions,
            "codeAction/resolve": lambda value: self._action(value, resolved=True),
            "textDocument/completion": self._completions,
            "completionItem/resolve": self._completion,
            "textDocument/inlayHint": self._hints,
            "workspace/symbol": self._symbols,
            "workspace/willRenameFiles": self._edit,
        }
        if result is not None and method in looks:
            yield from looks[method](result)

    # --- parts

    def _initialized(self, result: Any) -> Iterator[Fault]:
        offered = self.has("general.positionEncodings") or ["utf-16"]
        if result["capabilities"].get("positionEncoding", "utf-16") not in offered:
            yield "a position encoding that was not offered"
        for name in ("definition", "declaration", "hover", "documentLink", "codeAction"):
            if result["capabilities"].get(f"{name}Provider") is None:
                yield f"{name} is not announced"

    def _publish(self, params: Any) -> Iterator[Fault]:
        if "version" in params and not self.has("textDocument.publishDiagnostics.versionSupport"):
            yield "version without versionSupport"
        for each in params["diagnostics"]:
            yield from self._diagnostic(each)

    def _diagnostic(self, each: Any) -> Iterator[Fault]:
        optional = {
            "relatedInformation": "relatedInformation",
            "tags": "tagSupport",
            "codeDescription": "codeDescriptionSupport",
            "data": "dataSupport",
        }
        for name in set(each) - _DIAGNOSTIC:
            if name not in optional:
                yield f"a diagnostic with {name}"
            elif not self.has(f"textDocument.publishDiagnostics.{optional[name]}"):
                yield f"{name} without {optional[name]}"
        if not isinstance(each["message"], str):
            yield "a diagnostic whose message is no string"

    def _hover(self, result: Any) -> Iterator[Fault]:
        kind = result["contents"]["kind"]
        if kind not in (self.has("textDocument.hover.contentFormat") or ["plaintext"]):
            yield f"a hover in {kind}"

    def _places(self, name: str, result: Any) -> Iterator[Fault]:
        links = [each for each in result if "targetUri" in each]
        if links and not self.has(f"textDocument.{name}.linkSupport"):
            yield f"{name}: LocationLink without linkSupport"

    def _links(self, result: Any) -> Iterator[Fault]:
        if any("tooltip" in each for each in result) and not self.has("textDocument.documentLink.tooltipSupport"):
            yield "tooltip without tooltipSupport"

    def _actions(self, result: Any) -> Iterator[Fault]:
        literals = self.has("textDocument.codeAction.codeActionLiteralSupport")
        for each in result:
            if isinstance(each.get("command"), str):
                continue
            if not literals:
                yield "a code action literal without codeActionLiteralSupport"
            yield from self._action(each)

    def _action(self, action: Any, *, resolved: bool = False) -> Iterator[Fault]:
        optional = {
            "isPreferred": "isPreferredSupport",
            "disabled": "disabledSupport",
            "data": "dataSupport",
            "tags": "tagSupport",
        }
        for name, capability in optional.items():
            if name in action and not self.has(f"textDocument.codeAction.{capability}"):
                yield f"{name} without {capability}"
        if not resolved and not {"edit", "command", "disabled"} & set(action):
            properties = self.has("textDocument.codeAction.resolveSupport.properties") or []
            if "edit" not in properties or "data" not in action:
                yield "an action with neither edit nor command, that cannot be resolved"
        kinds = self.has("textDocument.codeAction.codeActionLiteralSupport.codeActionKind.valueSet") or []
        kind = action.get("kind", "")
        if not any(each in ("", kind) or kind.startswith(f"{each}.") for each in kinds):
            yield f"the kind {kind}"
        for each in action.get("diagnostics", ()):
            yield from self._diagnostic(each)
        if action.get("edit") is not None:
            yield from self._edit(action["edit"])

    def _completions(self, result: Any) -> Iterator[Fault]:
        if isinstance(result, dict):
            given = self.has("textDocument.completion.completionList.itemDefaults") or ()
            for name in set(result.get("itemDefaults") or ()) - set(given):
                yield f"itemDefaults.{name} without the capability"
        for item in result["items"] if isinstance(result, dict) else result:
            yield from self._completion(item)

    def _completion(self, item: Any) -> Iterator[Fault]:
        optional = {
            "labelDetails": "labelDetailsSupport",
            "commitCharacters": "commitCharactersSupport",
            "preselect": "preselectSupport",
            "deprecated": "deprecatedSupport",
            "tags": "tagSupport",
            "insertTextMode": "insertTextModeSupport",
        }
        for name, capability in optional.items():
            if name in item and not self.has(f"textDocument.completion.completionItem.{capability}"):
                yield f"{name} without {capability}"
        if item.get("insertTextFormat") == 2 and not self.has("textDocument.completion.completionItem.snippetSupport"):
            yield "a snippet without snippetSupport"
        replaces = "insert" in (item.get("textEdit") or ())
        if replaces and not self.has("textDocument.completion.completionItem.insertReplaceSupport"):
            yield "an InsertReplaceEdit without insertReplaceSupport"
        kinds = self.has("textDocument.completion.completionItemKind.valueSet") or range(1, 19)
        if "kind" in item and item["kind"] not in kinds:
            yield f"the kind {item['kind']}"
        formats = self.has("textDocument.completion.completionItem.documentationFormat") or ["plaintext"]
        documentation = item.get("documentation")
        if isinstance(documentation, dict) and documentation["kind"] not in formats:
            yield f"documentation in {documentation['kind']}"

    def _hints(self, result: Any) -> Iterator[Fault]:
        if not self.has("textDocument.inlayHint"):
            yield "inlay hints without textDocument.inlayHint"
        for hint in result:
            if not {"position", "label"} <= set(hint):
                yield "a hint without position or label"

    def _symbols(self, result: Any) -> Iterator[Fault]:
        kinds = self.has("workspace.symbol.symbolKind.valueSet") or range(1, 19)
        for symbol in result:
            if symbol["kind"] not in kinds:
                yield f"the kind {symbol['kind']}"
            if "range" not in symbol["location"] and not self.has("workspace.symbol.resolveSupport"):
                yield "a symbol without range"
            if "tags" in symbol and not self.has("workspace.symbol.tagSupport"):
                yield "tags without tagSupport"

    def _edit(self, edit: Any) -> Iterator[Fault]:
        if edit.get("documentChanges") is not None and not self.has("workspace.workspaceEdit.documentChanges"):
            yield "documentChanges without the capability"
        if edit.get("changeAnnotations") is not None:
            yield "changeAnnotations"
        for change in edit.get("documentChanges") or ():
            if "kind" in change and change["kind"] not in (
                self.has("workspace.workspaceEdit.resourceOperations") or ()
            ):
                yield f"the operation {change['kind']}"
            elif "kind" not in change and "version" not in change["textDocument"]:
                yield "a text document edit without version"

    def _registrations(self, registrations: Any) -> Iterator[Fault]:
        sections = {
            "workspace/didChangeConfiguration": "workspace.didChangeConfiguration",
            "workspace/didChangeWatchedFiles": "workspace.didChangeWatchedFiles",
        }
        for each in registrations:
            section = sections.get(each["method"])
            if section is None or not self.has(f"{section}.dynamicRegistration"):
                yield f"dynamic registration of {each['method']}"
            for watcher in (each.get("registerOptions") or {}).get("watchers", ()):
                relative = not isinstance(watcher["globPattern"], str)
                if relative and not self.has(f"{section}.relativePatternSupport"):
                    yield "a relative pattern without relativePatternSupport"

    def _question(self, params: Any) -> Iterator[Fault]:
        more = self.has("window.showMessage.messageActionItem.additionalPropertiesSupport")
        for item in params.get("actions") or ():
            if set(item) != {"title"} and not more:
                yield "a message action with more than a title"


class Watched(Session):
    """A session that looks at every message of the server."""

    def __init__(self, capabilities: Message, **more: Any) -> None:
        super().__init__(capabilities=capabilities, **more)
        self.allowed = Allowed(capabilities)
        self.faults: list[Fault] = []
        self.methods: list[str] = []
        self._sent: dict[int, str] = {}
        self._seen = Frames()

    def start(self, method: str, params: Any = None) -> int:
        """Send a request, and remember its method."""
        self._sent[self._number + 1] = method
        return super().start(method, params)

    def _written(self, data: bytes) -> None:
        for message in self._seen.feed(data):
            self.faults += self._look(message)
        super()._written(data)

    def _look(self, message: Any) -> Iterator[Fault]:
        method = message.get("method")
        if method is None:
            asked = self._sent.get(message["id"], "")
            yield from (f"{asked}: {each}" for each in self.allowed.result(asked, message.get("result")))
            return
        self.methods.append(method)
        look = self.allowed.request if "id" in message else self.allowed.notification
        yield from (f"{method}: {each}" for each in look(method, message.get("params")))
