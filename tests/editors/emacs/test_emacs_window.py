"""The window itself: what a person sees in Emacs, kept as text with its colours."""

import os
from pathlib import Path

# The folder that keeps the pictures. Read here, since a test clears its environment.
ARTEFACTS = os.environ.get("CITE_LSP_ARTEFACTS")


def test_what_the_person_sees(start, tmp_path):
    artefacts = Path(ARTEFACTS or tmp_path)
    artefacts.mkdir(parents=True, exist_ok=True)

    def picture(name: str) -> str:
        (artefacts / f"emacs-{name}.txt").write_text("\n".join(emacs.screen()) + "\n", encoding="utf-8")
        (artefacts / f"emacs-{name}.ansi").write_text(emacs.coloured(), encoding="utf-8")
        return "\n".join(emacs.screen())

    emacs = start((124, 40))
    emacs.open("docs/design.md")
    emacs.wait('(look-has "line-out-of-range" 5)')
    emacs.lisp('(progn (look-at "three") (kill-word 1) (insert "five") t)')
    emacs.keys("C-x", "C-s")
    emacs.wait('(look-has "unsupported" 3)')
    emacs.command("flymake-show-buffer-diagnostics")
    emacs.sees("src/limits.py` has 9 lines; line 90 does not exist")
    emacs.lisp('(look-at "limits.py:3")')
    emacs.keys("C-f")
    emacs.sees("MAX_ATTEMPTS = 3")
    emacs.sees("cite:2/3?")
    shown = picture("findings")
    assert "line 90 does not exist" in shown
    assert "the cited lines say otherwise" in shown

    emacs.lisp('(look-at "limits.py:7")')
    emacs.keys("C-f")
    emacs.command("eldoc-doc-buffer")
    emacs.sees("return BACKOFF_SECONDS * 2**attempt")
    picture("hover")

    emacs.lisp('(look-at "limits.py:3")')
    emacs.command("eglot-code-actions")
    emacs.sees("Pick an action")
    emacs.keys("Tab")
    emacs.sees("Still right")
    assert "Ignore" in picture("actions")
