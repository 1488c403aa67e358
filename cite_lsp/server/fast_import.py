"""Loads the protocol's types in two thirds of the time, for the start of the process only.

`lsprotocol.types` defines 554 classes, and attrs compiles a `__repr__` for each: nothing here prints one, since no text
of a document may reach a log. What is loaded lives as long as the process: no garbage is looked for meanwhile or in it.
"""

import gc
from functools import partial


def load_types() -> None:
    """Load `lsprotocol.types` and what stands on it; nothing happens where it is loaded already."""
    import attrs  # noqa: PLC0415

    define = attrs.define
    gc.disable()
    attrs.define = partial(define, repr=False)
    try:
        import lsprotocol.types  # noqa: F401, PLC0415
    finally:
        attrs.define = define
    import cite_lsp.server.protocol  # noqa: F401, PLC0415

    gc.freeze()
    gc.enable()
