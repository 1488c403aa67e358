"""Policies in Emacs: faults of their files, what may follow, what is asked; and what they find."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.editors import hedged_claims
from tests.editors.hedged_claims import FOUND, HEDGE, PASSAGES, SAID

POLICIES = Path(__file__).parents[1] / "policies"
WHOLE = f'"passages":{PASSAGES}'
SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "throttle"


@pytest.fixture
def policies(workspace):
    folder = workspace / "policies"
    folder.mkdir()
    shutil.copyfile(POLICIES / "twelve-faults.toml", folder / "log-triage.toml")
    return folder


def test_faults_of_a_policy_file_what_may_follow_and_what_is_asked(emacs, policies):
    emacs.open("docs/design.md")
    emacs.wait('(look-has "line-out-of-range" 5)')
    emacs.open("policies/log-triage.toml")
    emacs.wait("(= (length (look-findings)) 12)")
    assert {each["code"] for each in emacs.findings()} == {"policy-file"}
    assert any("did you mean 'threshold'?" in each["message"] for each in emacs.findings())

    emacs.lisp('(look-at "riddle\\"")')
    emacs.keys("C-f")
    emacs.command("eldoc-doc-buffer")
    emacs.wait('(string-match-p "first round" (or (look-text " *eldoc*") (look-text "*eldoc*") ""))')

    emacs.lisp('(progn (look-at "\\"sentence\\"") (forward-char 9) t)')
    emacs.type("s")
    emacs.wait("(= (length (look-findings)) 11)")
    emacs.lisp("(progn (goto-char (point-min)) (forward-line 1) (kill-line) t)")
    emacs.type("passages = ")
    emacs.keys("M-Tab")
    emacs.wait('(string-match-p "log-lines" (or (look-text "*Completions*") ""))')


@pytest.fixture
def sample(workspace):
    shutil.copytree(SAMPLE, workspace, dirs_exist_ok=True)
    subprocess.run(["git", "add", "."], cwd=workspace, check=True)
    subprocess.run(["git", "commit", "--quiet", "-m", "Sample"], cwd=workspace, check=True)
    return workspace


def test_what_policies_find_on_save_and_by_hand_and_its_actions(sample, person, emacs):
    with hedged_claims.asked(sample, person / ".config"):
        emacs.open("handbook/overview.md")
        emacs.wait('(string-match-p "cite:" cite-lsp-status)')
        assert emacs.findings() == []
        emacs.keys("C-Space", "C-Space")
        emacs.lisp("(set-buffer-modified-p t)")
        emacs.keys("C-x", "C-s")
        emacs.wait("(= (length (look-findings)) 6)")
        for code, passages in FOUND.items():
            sure = [each for each in emacs.findings() if each["code"] == code and each["message"] == SAID[code]]
            assert {each["line"]: each["text"] for each in sure} == passages

        emacs.command("cite-lsp-run-policies")
        emacs.wait(f"(look-heard {json.dumps(WHOLE)})")
        emacs.lisp('(look-at "Buckets are")')
        emacs.command("eglot-code-actions")
        emacs.wait("(look-question)")
        emacs.type(f"Ignore {HEDGE} here")
        emacs.keys("Enter")
        emacs.wait(f'(not (look-has "{HEDGE}" 7))')
        assert emacs.line(7) == f"- {FOUND[HEDGE][7]} <!-- cite-lsp: ignore {HEDGE} -->"
