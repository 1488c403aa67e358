"""The parser that all lanes of the worker ask: one child is enough, and starts when it is first asked."""

from cite_lsp.worker.parser import Parser

PARSER = Parser()
