"""`python -m cite_lsp` and the `cite-lsp` program."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from cite_lsp.cli.app import main as run  # noqa: PLC0415 - the language server starts without Typer

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
