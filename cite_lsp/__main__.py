"""`python -m cite_lsp` and the `cite-lsp` program."""

import sys


def main() -> None:
    """Run the language server or another command; the server starts without loading the command line's libraries."""
    try:
        if sys.argv[1:2] == ["serve"]:
            from cite_lsp.server.serve import main as serve  # noqa: PLC0415

            serve(sys.argv[2:])
        from cite_lsp.cli.app import main as run  # noqa: PLC0415

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
