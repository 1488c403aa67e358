"""Loads the protocol's types in two thirds of the time and half of the memory, for the start of the process only.

`lsprotocol.types` defines 554 classes, and attrs compiles for each what prints, compares and copies it, in a second
class with slots, beside a copy of the module's names. Nothing here prints one, since no text of a document may reach a
log; none is compared, but positions and ranges, which bring their own comparison; few exist at a time; nobody asks for
the types of what an `__init__` takes. What is loaded lives as long as the process: what loading left behind is given
back once, so that what comes next stands in its place, and the rest is never looked at again.
"""

import gc
import linecache
from typing import Any, TypeVar

_NOWHERE = "cite_lsp.server.no_module"
"""A module that is not loaded: attrs copies the names of a loaded one for each class that is said to be in it."""

_Kind = TypeVar("_Kind", bound=type)


def load_types() -> None:
    """Load `lsprotocol.types` and what stands on it; nothing happens where it is loaded already."""
    import attrs  # noqa: PLC0415

    define: Any = attrs.define

    def define_lightly(kind: _Kind) -> _Kind:
        module = kind.__module__
        kind.__module__ = _NOWHERE
        made: _Kind = define(kind, repr=False, eq=False, slots=False)
        made.__module__ = module
        return made

    gc.disable()
    gc.freeze()
    attrs.define = define_lightly  # type: ignore[assignment]
    try:
        import lsprotocol.types  # noqa: F401, PLC0415
    finally:
        attrs.define = define
    linecache.clearcache()  # attrs keeps the text of what it compiled
    gc.collect()
    import cite_lsp.server.protocol  # noqa: F401, PLC0415

    gc.freeze()
    gc.enable()
