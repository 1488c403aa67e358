"""The judge that needs no key, no network and no weights: it says only what can be named.

Each verdict carries its basis, a sentence that a person can verify at a glance. Where there is no basis the verdict
is *unchecked*, with what was looked for. It is loaded when it is asked for: the server, which has it in its worker,
reads `identity` only.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cite_lsp.judges.embedded.better import Better, better_lines
    from cite_lsp.judges.embedded.judge import EmbeddedJudge

__all__ = ["Better", "EmbeddedJudge", "better_lines"]

_HOMES = {"Better": "better", "EmbeddedJudge": "judge", "better_lines": "better"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
