"""`python -m cite_lsp` and the `cite-lsp` program."""


def main() -> None:
    """Run the command line."""
    from cite_lsp.cli.app import main as run  # noqa: PLC0415 - the language server starts without Typer

    run()


if __name__ == "__main__":
    main()
