"""One child process for what may be slow or may crash: git, the index of paths, the embedded judge.

`client` is the parent's side; the child is `python -m cite_lsp.worker`, and `frames` is what passes between them.
"""
