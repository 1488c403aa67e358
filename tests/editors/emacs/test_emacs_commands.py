"""What a person does in Emacs: ElDoc, xref, code actions, completion, and the commands of editors/emacs.md."""

import json
import os
from pathlib import Path

import pytest

CAPABILITIES = Path(__file__).parents[2] / "server" / "capabilities" / "emacs.json"
# Set to write the file anew. Read here, since a test clears its environment.
CAPTURE = bool(os.environ.get("CITE_LSP_CAPTURE"))
ROWS = """(with-current-buffer "*xref*" (buffer-substring-no-properties (point-min) (point-max)))"""
XREF = '(string-match-p "xref" (buffer-name (window-buffer)))'


@pytest.fixture
def opened(emacs):
    emacs.open("docs/design.md")
    emacs.wait('(look-has "line-out-of-range" 5)')
    return emacs


def heard(emacs, text):
    emacs.wait(f"(look-heard {json.dumps(text)})")


def test_hover_shows_the_cited_lines_in_the_echo_area_and_in_full(opened):
    opened.lisp('(look-at "limits.py:7")')
    opened.keys("C-f")
    opened.sees("def delay(attempt")
    opened.command("eldoc-doc-buffer")
    text = opened.wait(
        '(seq-some (lambda (each) (and (string-match-p "eldoc" (buffer-name each))'
        " (look-text (buffer-name each)))) (buffer-list))"
    )
    assert "src/limits.py" in text
    assert "9      return BACKOFF_SECONDS" in text


def test_definition_and_references_of_a_citation_and_of_a_line_of_code(emacs, workspace):
    (workspace / "docs/waiting.md").write_text("# Waiting\n\nA second one waits longer (`src/limits.py:9`).\n", "utf-8")
    emacs.lisp(
        "(progn (require 'eglot) (add-to-list 'eglot-server-programs"
        ' \'((markdown-mode python-mode) . ("cite-lsp" "serve"))) t)'
    )
    emacs.open("docs/design.md")
    emacs.wait('(look-has "line-out-of-range" 5)')
    emacs.lisp('(look-at "limits.py:7")')
    emacs.keys("M-?")
    emacs.wait(f"{XREF}")
    rows = emacs.lisp(ROWS)
    assert "docs/waiting.md" in rows
    assert "A second one waits longer" in rows
    emacs.keys("C-x", "1")
    emacs.visit("docs/design.md")
    emacs.lisp('(look-at "limits.py:7")')
    emacs.keys("M-.")
    emacs.wait('(and (equal (buffer-name) "limits.py") (= (line-number-at-pos) 7))')
    emacs.keys("C-n", "C-n", "M-?")
    emacs.wait(f"{XREF}")
    assert {"docs/design.md", "docs/waiting.md"} <= set(emacs.lisp(ROWS).split("\n"))


def test_workspace_symbols_are_the_citations_of_a_file(opened, workspace):
    (workspace / "docs/waiting.md").write_text("# Waiting\n\nA second one waits longer (`src/limits.py:9`).\n", "utf-8")
    opened.keys("C-M-.")
    opened.wait("(look-question)")
    opened.type("lim")
    opened.keys("Enter")
    opened.wait(XREF)
    rows = opened.lisp(ROWS)
    assert rows.count("src/limits.py:") == 4
    assert "docs/waiting.md" in rows


def test_still_right_takes_a_finding_away(opened):
    opened.lisp('(progn (look-at "three") (kill-word 1) (insert "five") t)')
    opened.keys("C-x", "C-s")
    opened.wait('(look-has "unsupported" 3)')
    opened.lisp('(look-at "limits.py:3")')
    opened.command("eglot-code-actions")
    opened.wait("(look-question)")
    opened.type("Still")
    opened.keys("Tab", "Enter")
    opened.wait('(not (look-has "unsupported"))')


def test_the_commands_of_the_page(opened, workspace):
    opened.wait('(string-match-p "cite:1/3" cite-lsp-status)')
    assert any("cite:1/3" in row for row in opened.screen())
    opened.command("cite-lsp-judge-document")
    heard(opened, '"supported":1')
    opened.command("cite-lsp-judge-workspace")
    heard(opened, "cite-lsp judgeWorkspace: {")
    opened.command("cite-lsp-clear-cache")
    heard(opened, "cite-lsp clearCache: ")
    opened.command("cite-lsp-run-policies")
    heard(opened, "cite-lsp runPolicies: ")

    (workspace / "src/limits.py").write_text("# one\n" + (workspace / "src/limits.py").read_text(), encoding="utf-8")
    opened.wait('(and (look-has "moved" 3) (look-has "moved" 4))')
    opened.command("cite-lsp-fix-all")
    opened.wait('(string-match-p "Server wants to edit" (or (look-question) ""))')
    opened.keys("y")
    opened.wait('(not (look-has "moved"))')
    assert opened.line(4).endswith("(`src/limits.py:8-10`).")
    heard(opened, "cite-lsp fixAll: 2")


def test_repair_asks_and_then_mends(opened):
    opened.lisp('(progn (look-at ":3`") (delete-char 2) (insert ":9") (look-at "limits.py:9") t)')
    opened.command("cite-lsp-request-repair")
    opened.wait('(string-match-p "Choose an option" (or (look-question) ""))')
    assert ":9" in opened.line(3)
    opened.keys("Enter")
    opened.wait('(string-match-p "Server wants to edit" (or (look-question) ""))')
    opened.keys("y")
    opened.wait("(not (look-question))")
    assert "src/limits.py:3`" in opened.line(3)


def test_copy_gives_the_citation_of_a_line_and_of_a_region(emacs):
    emacs.visit("src/limits.py")
    emacs.lisp("(progn (goto-char (point-min)) (forward-line 6) t)")
    emacs.command("cite-lsp-copy-citation")
    emacs.wait('(equal (car kill-ring) "src/limits.py:7")')
    emacs.keys("C-Space", "C-n", "C-n", "C-n")
    emacs.command("cite-lsp-copy-citation")
    emacs.wait('(equal (car kill-ring) "src/limits.py:7-9")')
    assert not emacs.lisp("(featurep 'eglot)"), "code alone starts no server"


def test_the_captured_capabilities_are_those_of_this_emacs(opened):
    captured = json.loads(CAPABILITIES.read_text(encoding="utf-8")) if CAPABILITIES.is_file() else {}
    said = opened.lisp("(jsonrpc--json-encode (eglot-client-capabilities (eglot-current-server)))")
    version = opened.lisp(
        '(concat (package-version-join (package-desc-version (cadr (assq \'eglot package-alist)))) " in Emacs "'
        " emacs-version)"
    )
    offered = {"client": {"name": "Eglot", "version": version}, "capabilities": json.loads(said)}
    if CAPTURE:  # how the file was made
        CAPABILITIES.write_text(json.dumps(offered, indent=2) + "\n", encoding="utf-8")
    elif version == captured["client"]["version"]:
        assert offered == captured
    assert offered["capabilities"]["workspace"]["applyEdit"]


def test_completion_of_a_path_and_then_of_the_lines_of_the_cited_file(emacs, workspace):
    (workspace / "src/retry.py").write_text("pass\n", encoding="utf-8")
    emacs.open("docs/design.md")
    emacs.wait('(string-match-p "cite:1/3" cite-lsp-status)')
    emacs.keys("M->")
    emacs.type("See `src/")
    emacs.command("completion-at-point")
    emacs.wait('(string-match-p "src/retry.py" (or (look-text "*Completions*") ""))')
    emacs.type("lim")
    emacs.command("completion-at-point")
    emacs.wait('(save-excursion (beginning-of-line) (looking-at-p "See `src/limits.py$"))')
    emacs.type(":del")
    emacs.command("completion-at-point")
    emacs.wait('(save-excursion (beginning-of-line) (looking-at-p "See `src/limits.py:7-9$"))')
