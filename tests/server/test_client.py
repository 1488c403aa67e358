"""What is read from a client's capabilities."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from cite_lsp.server.client import Client
from cite_lsp.server.converter import lenient_converter
from tests.server.harness import CAPABILITIES

CAPTURED = sorted((Path(__file__).parent / "capabilities").glob("*.json"))


def client(capabilities: dict[str, Any], **more: Any) -> Client:
    params = {"processId": None, "rootUri": None, "capabilities": capabilities, **more}
    return Client.of(lenient_converter().structure(params, types.InitializeParams))


def test_who_says_nothing_can_do_nothing() -> None:
    assert client({}) == Client()
    for field in dataclasses.fields(Client):
        if field.type is bool:
            assert getattr(Client(), field.name) is False


def test_who_can_do_all_is_known_for_it() -> None:
    able = client(
        {
            **CAPABILITIES,
            "workspace": {
                **CAPABILITIES["workspace"],
                "codeLens": {"refreshSupport": True},
                "inlayHint": {"refreshSupport": True},
            },
            "textDocument": {
                **CAPABILITIES["textDocument"],
                "codeAction": {**CAPABILITIES["textDocument"]["codeAction"], "tagSupport": {"valueSet": [1]}},
            },
        },
        clientInfo={"name": "editor"},
    )
    assert able.name == "editor"
    for field in dataclasses.fields(Client):
        if field.type is bool:
            assert getattr(able, field.name) is True, field.name


@pytest.mark.parametrize(
    ("formats", "markdown"),
    [
        (["markdown", "plaintext"], True),
        (["plaintext", "markdown"], False),
        (["markdown"], True),
        (["html", "markdown"], True),
        ([], False),
        (["html"], False),
    ],
)
def test_the_format_of_hovers_is_the_one_the_client_likes_best(formats: list[str], markdown: bool) -> None:
    assert client({"textDocument": {"hover": {"contentFormat": formats}}}).hover_markdown is markdown


def test_an_explicit_no_is_a_no() -> None:
    told = {
        "workspace": {
            "applyEdit": False,
            "configuration": False,
            "didChangeWatchedFiles": {"dynamicRegistration": False},
        },
        "textDocument": {
            "publishDiagnostics": {"versionSupport": False},
            "codeAction": {"resolveSupport": {"properties": ["command"]}, "tagSupport": {"valueSet": [2]}},
        },
    }
    assert client(told) == Client()


@pytest.mark.parametrize("path", CAPTURED, ids=lambda path: path.stem)
def test_the_capabilities_of_real_clients_are_read(path: Path) -> None:
    told = json.loads(path.read_text(encoding="utf-8"))
    known = told.get("capabilities", told)
    read = client(known)
    offered = known.get("general", {}).get("positionEncodings", ["utf-16"])
    assert read.position_encoding == offered[0]
    publishing = known["textDocument"].get("publishDiagnostics", {})
    assert read.version_support is publishing.get("versionSupport", False)
    assert read.apply_edit is known.get("workspace", {}).get("applyEdit", False)
    assert lenient_converter().structure(known, types.ClientCapabilities)  # nothing of it had to be left out
