"""Findings in Emacs: on open, while typing, on saving, and what makes them come and go."""

import time

import pytest

WITH_CODE = """(progn (require 'eglot) (add-to-list 'eglot-server-programs
  '((markdown-mode python-mode) . ("cite-lsp" "serve"))) t)"""
SET_BY_USER = """(progn (require 'eglot) (add-to-list 'eglot-server-programs
  '(markdown-mode . ("cite-lsp" "serve" :initializationOptions (:rules (:line-out-of-range "off"))))) t)"""
SET_FOR_PROJECT = '((nil . ((eglot-workspace-configuration . (:cite-lsp (:rules (:line-out-of-range "off")))))))\n'


@pytest.fixture
def opened(emacs):
    emacs.open("docs/design.md")
    emacs.wait('(look-has "line-out-of-range" 5)')
    return emacs


def test_findings_show_on_open_and_follow_typing_and_saving(opened, workspace):
    emacs = opened
    (finding,) = emacs.findings()
    assert finding["text"] == "src/limits.py:90"
    assert "9 lines" in finding["message"]

    emacs.keys("M->")
    emacs.type("See `src/nowhere.py:4`.")
    emacs.wait('(look-has "missing" 6)')
    assert emacs.lisp("(buffer-modified-p)")
    emacs.keys("C-a", "C-k")
    emacs.wait('(not (look-has "missing"))')

    emacs.lisp('(look-at "three")')
    emacs.keys("M-d")
    emacs.type("five")
    emacs.keys("C-x", "C-s")
    emacs.wait('(look-has "unsupported" 3)')
    assert "five" in (workspace / "docs/design.md").read_text()
    assert len(emacs.findings()) == 2


def test_a_file_that_another_program_changes(opened, workspace):
    (workspace / "src/limits.py").write_text('"""Limits of the retry loop."""\n\nMAX_ATTEMPTS = 3\n', encoding="utf-8")
    opened.wait('(or (look-has "end-out-of-range" 4) (look-has "line-out-of-range" 4) (look-has "moved" 4))')


def test_text_that_moves_in_unsaved_code_is_told_and_mended(emacs, workspace):
    emacs.lisp(WITH_CODE)
    emacs.open("docs/design.md")
    emacs.wait('(look-has "line-out-of-range" 5)')
    emacs.open("src/limits.py")
    emacs.lisp("(progn (goto-char (point-min)) (forward-line 6) t)")
    emacs.type("# one")
    emacs.keys("Enter")
    emacs.wait("(and (buffer-modified-p) (look-at-rest))")
    emacs.visit("docs/design.md")
    emacs.wait('(look-has "moved" 4)')
    assert "# one" not in (workspace / "src/limits.py").read_text()

    emacs.lisp('(look-at "limits.py:7")')
    emacs.command("eglot-code-actions")
    assert "8-10" in emacs.wait("(look-question)")
    emacs.keys("Enter")
    emacs.wait('(not (look-has "moved"))')
    assert emacs.line(4).endswith("(`src/limits.py:8-10`).")


def test_columns_are_right_behind_umlauts_and_emoji(emacs, workspace):
    text = "Größe 🚀 für äöü: `src/limits.py:90` fehlt, `src/limits.py:3` nicht.\n"
    (workspace / "docs/german.md").write_text(text, encoding="utf-8")
    emacs.open("docs/german.md")
    emacs.wait('(look-has "line-out-of-range" 1)')
    (finding,) = emacs.findings()
    assert finding["text"] == "src/limits.py:90"
    emacs.keys("C-a")
    emacs.type("ß🎉 `src/limits.py:91`, ")
    emacs.wait("(= (length (look-findings)) 2)")
    assert sorted(each["text"] for each in emacs.findings()) == ["src/limits.py:90", "src/limits.py:91"]


def test_settings_of_the_user_and_of_the_project(start, workspace):
    (workspace / "docs/other.md").write_text("See `src/limits.py:90` and `src/nowhere.py:4`.\n", encoding="utf-8")
    emacs = start()
    emacs.lisp(SET_BY_USER)
    emacs.open("docs/other.md")
    emacs.wait('(look-has "missing" 1)')
    assert not emacs.lisp('(look-has "line-out-of-range")')
    emacs.close()

    (workspace / ".dir-locals.el").write_text(SET_FOR_PROJECT, encoding="utf-8")
    emacs = start()
    emacs.open("docs/other.md")
    emacs.wait('(and (look-has "missing" 1) (not (look-has "line-out-of-range")))')


def test_the_server_ends_with_emacs_and_starts_anew(opened):
    before = opened.server()
    opened.command("eglot-reconnect")
    opened.wait(f"(and (eglot-managed-p) (/= {before} (process-id (jsonrpc--process (eglot-current-server)))))")
    opened.wait('(look-has "line-out-of-range" 5)')
    after = opened.server()
    assert not opened.runs(before)
    opened.close()
    while opened.runs(after):
        time.sleep(0.05)


def test_a_buffer_without_a_file_is_managed_once_it_is_saved(opened, workspace):
    emacs = opened
    emacs.keys("C-x", "b")
    emacs.wait("(look-question)")
    emacs.type("notes")
    emacs.keys("Enter")
    emacs.wait('(equal (buffer-name) "notes")')
    emacs.command("markdown-mode")
    emacs.wait("(eq major-mode 'markdown-mode)")
    emacs.type("See `src/limits.py:90`.")
    emacs.sees("See `src/limits.py:90`.")
    assert not emacs.lisp("(eglot-managed-p)"), "though the server of its project runs"
    emacs.keys("C-x", "C-s")
    emacs.wait("(look-question)")
    emacs.type(str(workspace / "docs/notes.md"))
    emacs.keys("Enter")
    emacs.wait("(and (not (look-question)) buffer-file-name (not (buffer-modified-p)))")
    assert not emacs.lisp("(eglot-managed-p)"), "saving alone is nothing to Eglot"
    emacs.command("normal-mode")
    emacs.wait('(look-has "line-out-of-range" 1)')
    assert len(emacs.findings()) == 1
