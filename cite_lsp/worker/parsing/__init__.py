"""The process that parses code: the only importer of tree_sitter, which crashes and stalls on texts of some kinds.

`cite_lsp.worker.parser` starts it and gives up on it. Here `service` answers, `trees` parses within limits, `reader`
walks over what was parsed, `rules` say how a kind of node becomes a fact, and the tables of node names per language are
`scripts` and `compiled`. It loads little: it starts in some tens of milliseconds, and each grammar when first needed.
"""
