"""`python -m cite_lsp` and the `cite-lsp` program."""

import gc
import os
import sys

_GARBAGE = (50_000, 20, 50)
"""How rarely garbage is looked for: what a command makes of documents holds few cycles, and it ends soon."""


def main() -> None:
    """Run the language server or another command; the server starts without loading the command line's libraries."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # no other package reads our settings, or delays them
    try:
        if sys.argv[1:2] == ["serve"]:
            from cite_lsp.server.serve import main as serve  # noqa: PLC0415

            serve(sys.argv[2:])
        gc.disable()  # all that is loaded stays
        from cite_lsp.cli.app import main as run  # noqa: PLC0415

        gc.freeze()
        gc.set_threshold(*_GARBAGE)
        gc.enable()
        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
