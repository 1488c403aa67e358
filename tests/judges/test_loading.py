"""What is loaded when: the embedded judge, its lexicon and the parsers are the worker's, not the server's."""

import subprocess
import sys

import pytest

LOADED = "print(sorted(m for m in sys.modules if m.startswith('cite_lsp.judges.embedded.') or 'tree_sitter' in m))"


def loaded_by(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\n{LOADED}"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


@pytest.mark.parametrize(
    "code",
    [
        "import cite_lsp.server.session, cite_lsp.server.judges, cite_lsp.server.row_book",
        "import cite_lsp.server.handlers, cite_lsp.server.features.hover, cite_lsp.server.features.commands",
    ],
)
def test_the_server_knows_the_embedded_judge_by_name_only(code: str) -> None:
    assert loaded_by(code) in ("[]", "['cite_lsp.judges.embedded.identity']")


def test_a_check_loads_nothing_of_it() -> None:
    assert loaded_by("import cite_lsp.cli.app, cite_lsp.cli.run, cite_lsp.cli.jobs, cite_lsp.worker.parser") == "[]"


def test_the_judge_itself_loads_no_grammar() -> None:
    assert "tree_sitter" not in loaded_by("from cite_lsp.worker import judge_lane")


def test_the_names_of_the_room_are_there() -> None:
    from cite_lsp.judges import embedded

    assert {name: getattr(embedded, name).__name__ for name in embedded.__all__} == {
        name: name for name in ("Better", "EmbeddedJudge", "better_lines")
    }
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = embedded.nothing
