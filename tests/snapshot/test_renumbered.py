"""Whoever puts the numbers of a list right gives one item the lines that another had: it is another citation."""

import subprocess

import pytest

from cite_lsp.document.document import Document
from cite_lsp.snapshot.baselines import Asked, Baselines

CODE = "".join(f"value_{number} = compute_{number}(1)\n" for number in range(1, 12))
DOCUMENTS = {
    "a list": "- `a.py:{}`\n- `a.py:{}`\n- `a.py:{}`\n",
    "sentences": "".join(f"Step {number} is computed here (`a.py:{{}}`).\n\n" for number in (1, 2, 3)),
    "one sentence": "The steps are computed one by one (`a.py:{}`, `a.py:{}`, `a.py:{}`).\n",
    "continuations": "The steps are computed one by one (`a.py:{}`, `:{}`, `:{}`).\n",
    "prose": "See line {} of `a.py`.\n\nSee line {} of `a.py`.\n\nSee line {} of `a.py`.\n",
    "a table": "| what |\n|---|\n| `a.py:{}` |\n| `a.py:{}` |\n| `a.py:{}` |\n",
}


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    subprocess.run(["git", "-C", str(folder), "init", "-q"], check=True)
    return folder


def commit(root, code, document):
    (root / "a.py").write_text(code)
    (root / "a.md").write_text(document)
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "a commit"], check=True)
    found = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


def written(root, text):
    baselines = Baselines.of(str(root))
    assert isinstance(baselines, Baselines)
    (found,) = baselines.written([Asked(Document.parse(text, "a.md", {"a.py"}))])
    baselines.close()
    return [one.baselines[0] for one in found]


@pytest.mark.parametrize("form", DOCUMENTS)
def test_what_a_citation_is_renumbered_to_is_new_and_dates_from_its_commit(root, form):
    before, after = (DOCUMENTS[form].format(*numbers) for numbers in ((1, 3, 5), (3, 5, 7)))
    first = commit(root, CODE, before)
    assert [each.commit for each in written(root, before)] == [first] * 3
    code = "import os\nimport re\n" + CODE
    (root / "a.py").write_text(code)
    assert [each.state for each in written(root, after)] == ["unknown"] * 3
    second = commit(root, code, after)
    assert [each.commit for each in written(root, after)] == [second] * 3
    third = commit(root, code, "A head.\n\n" + after + "\nAn end.\n")
    assert third != second
    assert [each.commit for each in written(root, "A head.\n\n" + after + "\nAn end.\n")] == [second] * 3


@pytest.mark.parametrize("form", ["a list", "sentences", "a table"])
def test_an_item_that_comes_or_goes_leaves_the_others_as_old_as_they_are(root, form):
    text = DOCUMENTS[form].format(1, 3, 5)
    first = commit(root, CODE, text)
    lines = text.splitlines(keepends=True)
    cited = [number for number, line in enumerate(lines) if "a.py" in line]
    gone = "".join(line for number, line in enumerate(lines) if number != cited[0])
    commit(root, CODE, gone)
    assert [each.commit for each in written(root, gone)] == [first] * 2
    more = "".join([*lines[: cited[1]], lines[cited[1]].replace("3", "9"), *lines[cited[1] :]])
    found = written(root, more)
    assert [each.commit for each in found][-1:] == [first]
