"""What the judge says in Neovim: findings of the sample's answers, and hovers with the verdict and its basis."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "throttle"
ARTEFACTS = os.environ.get("CITE_LSP_ARTEFACTS")
WRONG = {
    3: "the claim says 500, line 9 says MAX_CALLERS = 1000",
    7: 'the claim says TypeError, line 31 says raise ValueError("a clock never goes back")',
    9: "the claim says 'less than the tokens', line 35 says count > self.tokens, and line 36 raises Exhausted",
}


@pytest.fixture
def workspace(person: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    shutil.copytree(SAMPLE, folder)
    for arguments in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "Sample"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder


def test_a_save_brings_the_verdicts_and_a_hover_shows_what_each_rests_on(start, tmp_path):
    artefacts = Path(ARTEFACTS or tmp_path)
    artefacts.mkdir(parents=True, exist_ok=True)
    neovim = start(size=(136, 36))
    neovim.open("docs/answers.md")
    neovim.wait("vim.b.cite_lsp_status and vim.b.cite_lsp_status.anchors == 8")
    assert neovim.findings() == []
    neovim.command("write")
    neovim.wait("look.has('partial', 13)")
    told = {each["line"]: each["message"] for each in neovim.findings() if each["code"] == "unsupported"}
    assert told == {line: f"the cited lines say otherwise: {basis}" for line, basis in WRONG.items()}
    assert len(neovim.findings()) == len(WRONG) + 1

    for number, (citation, said, shown) in enumerate([
        ("limits.py:9", f"unsupported: {WRONG[3]} — judge embedded/2", ">9  MAX_CALLERS = 1000"),
        ("limits.toml:11", "partial: line 12 says capacity = 200;", ">12  capacity = 200"),
        ("bucket.py:39", "supported: line 39 says def wait_for(", ">40          "),
        ("limits.py:32", "unchecked: looked for '", " 33          rule = "),
    ]):  # fmt: skip
        neovim.lua(f"look.at('{citation}')")
        neovim.keys("K")
        float_ = neovim.wait("look.float() ~= '' and look.float()").replace("*", "").replace("`", "")
        (artefacts / f"neovim-judge-{number}.txt").write_text("\n".join(neovim.lua("return look.screen()")) + "\n")
        assert said in float_, float_
        assert shown in float_, float_
        neovim.keys("<Esc>gg")
        neovim.wait("look.float() == ''")
