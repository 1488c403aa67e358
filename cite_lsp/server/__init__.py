"""The language server: what an editor asks and is told, over standard input and output."""
