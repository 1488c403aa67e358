"""The pre-commit hooks, the GitHub Action and the GitLab job: their files are valid, and their steps are run here.

What the hosts themselves do (checking out, uploading, annotating) is not run.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import ClassVar

import pytest
from jsonschema import validators

yaml = pytest.importorskip("yaml", reason="not run: pip install pyyaml reads the files of CI")

REPOSITORY = Path(__file__).parents[2]
ACTION = REPOSITORY / ".github/actions/check/action.yml"
GITLAB = REPOSITORY / ".gitlab/cite-lsp.yml"
HOOKS = REPOSITORY / ".pre-commit-hooks.yaml"
BIN = Path(sys.executable).parent
pytestmark = [
    pytest.mark.skipif(not (BIN / "cite-lsp").exists(), reason="not run: cite-lsp is not installed beside this Python"),
    pytest.mark.skipif(shutil.which("bash") is None, reason="not run: there is no bash"),
]


@pytest.fixture
def repository(workspace) -> Path:
    """A repository in which one citation leads nowhere."""
    source = "import os\n\nLIMIT = 3\n"
    folder = workspace(
        {"docs/a b.md": "See `src/a.py:9`.\n", "docs/c.md": "The limit (`src/a.py:3`).\n", "src/a.py": source}
    )
    for name in ("shlex.py", "venv.py", "pip.py"):  # nothing of the repository is run
        (folder / name).write_text("from pathlib import Path\nPath(__file__).with_name('owned').touch()\n")
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "first")
    return folder


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--no-verify", "-m", message)


def bash(script: str, folder: Path, environment: Mapping[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", **environment}
    command = ["bash", "--noprofile", "--norc", *(options or ("-eo", "pipefail")), "-c", script]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=100, check=False)


def schema_of(name: str) -> dict:
    pytest.importorskip("check_jsonschema", reason="not run: pip install check-jsonschema has the schemas of CI files")
    text = files("check_jsonschema").joinpath("builtin_schemas", "vendor", f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text)


def faults(name: str, data: object) -> list[str]:
    schema = schema_of(name)
    return [error.message for error in validators.validator_for(schema)(schema).iter_errors(data)]


# --- GitHub


class Job:
    """Runs the action's steps as a runner does: inputs through the environment, outputs through files."""

    installed: ClassVar[dict[str, dict[str, str]]] = {}
    """What came of the first step, by the version: what is on the PATH is looked for once."""

    def __init__(self, folder: Path, temporary: Path) -> None:
        self.folder = folder
        self.temporary = temporary
        self.action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
        self.outputs: dict[str, str] = {}
        self.summary = temporary / "summary.md"

    def run(self, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run all steps; give how the last one that ran ended."""
        known = {f"inputs.{name}": each.get("default", "") for name, each in self.action["inputs"].items()}
        known |= {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
        known["github.action_path"] = str(ACTION.parent)
        before = self.installed.get(inputs.get("version", ""), {})
        known |= before
        for step in self.action["runs"]["steps"][1 if before else 0 :]:
            written = self.temporary / f"{step['id']}.outputs"
            written.write_text("")
            env = {name: self._filled(value, known) for name, value in step["env"].items()}
            env |= {
                "RUNNER_TEMP": str(self.temporary),
                "GITHUB_OUTPUT": str(written),
                "GITHUB_STEP_SUMMARY": str(self.summary),
            }
            place = self.folder / self._filled(step.get("working-directory", "."), known)
            ran = bash(step["run"], place, env)
            self.outputs = dict(line.split("=", 1) for line in written.read_text().splitlines())
            outputs = {f"steps.{step['id']}.outputs.{name}": value for name, value in self.outputs.items()}
            known |= outputs
            if ran.returncode:
                break
            if inputs.get("version") == "installed" and step["id"] == "install":
                self.installed["installed"] = outputs
        return ran

    def _filled(self, text: str, known: Mapping[str, str]) -> str:
        return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: known[found[1]], text)


@pytest.fixture
def job(repository, tmp_path) -> Job:
    temporary = tmp_path / "runner"
    temporary.mkdir()
    return Job(repository, temporary)


def test_the_action_is_valid_and_no_input_gets_into_a_script():
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    assert faults("github-actions", action) == []
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"], "an input would be read as shell"
        assert "uses" not in step


def test_the_action_annotates_and_writes_the_summary(job):
    ran = job.run(version="installed")
    assert ran.returncode == 1, ran.stderr
    assert "::error title=cite-lsp line-out-of-range,file=docs/a b.md,line=1," in ran.stdout
    assert job.summary.read_text().startswith("# Citation check\n")
    assert job.outputs["status"] == "1"
    assert Path(job.outputs["report"]).read_text() == job.summary.read_text()
    assert "sarif" not in job.outputs


def test_the_action_takes_arguments_as_a_shell_would_and_no_further(job):
    ran = job.run(version="installed", args="--quiet 'docs/c.md' \"$(touch owned)\"; touch owned")
    assert ran.returncode == 2
    assert not (job.folder / "owned").exists()
    assert job.run(version="installed", args="--quiet docs/c.md").returncode == 0
    ran = job.run(version="installed", args="--quiet 'docs/a b.md'\n--level error")
    assert (ran.returncode, ran.stdout.count("::error")) == (1, 1)
    ran = job.run(version="installed", args="'docs")
    assert (ran.returncode, "a quotation mark is missing" in ran.stdout) == (2, True)


def test_the_action_writes_sarif(job):
    ran = job.run(version="installed", format="sarif", summary="false", working_directory="docs")
    assert ran.returncode == 1
    log = json.loads(Path(job.outputs["sarif"]).read_text())
    assert [each["ruleId"] for each in log["runs"][0]["results"]] == ["line-out-of-range"]
    assert not job.summary.exists()
    ran = job.run(version="installed", format="sarif", args="nowhere.md")
    assert (ran.returncode, "sarif" in job.outputs) == (2, False)  # nothing that could be uploaded as clean


def test_the_action_judges(job):
    ran = job.run(version="installed", command="judge", args="docs/c.md")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert job.summary.read_text().startswith("# Citation audit\n")


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"command": "fix"}, "command is check or judge"),
        ({"format": "text"}, "format is github or sarif"),
        ({"version": "1.0; touch owned"}, "version is no version"),
    ],
)
def test_the_action_refuses_what_it_does_not_know(job, inputs, message):
    ran = job.run(**{"version": "installed", **inputs})
    assert (ran.returncode, message in ran.stdout) == (2, True)
    assert not (job.folder / "owned").exists()


def test_a_summary_is_no_longer_than_it_may_be(job):
    name = "/".join(["src", *["x" * 200] * 3, "a.py"])
    (job.folder / name).parent.mkdir(parents=True)
    (job.folder / name).write_text("x = 1\n")
    for number in range(3):
        lines = [f"See `{name}:{line}`.\n\n" for line in range(10, 340)]
        (job.folder / f"docs/{number}.md").write_text("".join(lines))
    ran = job.run(version="installed")
    assert ran.returncode == 1
    assert Path(job.outputs["report"]).stat().st_size > 1_000_000
    assert 800_000 < job.summary.stat().st_size < 1_000_000
    assert job.summary.read_text().startswith("The report is longer than a summary may be.")


def test_the_action_installs_what_it_comes_with(job, monkeypatch):
    """Without the packages that it needs, which are those of this environment: nothing is fetched."""
    pytest.importorskip("hatchling", reason="not run: pip install hatchling builds the package")
    monkeypatch.setenv("PYTHONPATH", next(path for path in sys.path if path.endswith("site-packages")))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_NO_DEPS", "1")
    monkeypatch.setenv("PIP_NO_COMPILE", "1")  # which is most of the time
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "0")  # which switches it off
    job.action["runs"]["steps"] = job.action["runs"]["steps"][:1]
    ran = job.run(python=sys.executable)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("cite-lsp ")
    assert Path(job.outputs["program"]).is_relative_to(job.temporary)
    assert not (job.folder / "owned").exists()


# --- GitLab


def test_the_gitlab_job_is_valid():
    assert faults("gitlab-ci", yaml.safe_load(GITLAB.read_text(encoding="utf-8"))) == []


def gitlab(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    told = yaml.safe_load(GITLAB.read_text(encoding="utf-8"))["cite-lsp"]
    script = "\n".join([*told["before_script"], *told["script"]])
    env = {
        **{name: str(value) for name, value in told["variables"].items()},
        "CITE_LSP_VERSION": "installed",
        **variables,
    }
    return bash(script, folder, env)


def test_the_gitlab_job_writes_the_report_of_its_artefacts(repository):
    ran = gitlab(repository)
    assert ran.returncode == 1, ran.stderr
    told = yaml.safe_load(GITLAB.read_text(encoding="utf-8"))["cite-lsp"]["artifacts"]
    (issue,) = json.loads((repository / told["reports"]["codequality"]).read_text())
    assert issue["location"]["path"] == "docs/a b.md"
    assert "# Citation check" in ran.stdout
    assert (repository / told["paths"][0]).read_text() in ran.stdout
    ran = gitlab(repository, CITE_LSP_COMMAND="judge", CITE_LSP_ARGS="--on-found report docs/c.md")
    assert ran.returncode == 0, ran.stderr
    assert json.loads((repository / told["reports"]["codequality"]).read_text()) == []


# --- pre-commit


def hooks() -> list[dict]:
    return yaml.safe_load(HOOKS.read_text(encoding="utf-8"))


@pytest.fixture
def pre_commit(repository, tmp_path):
    """Run the real program with our hooks, by the cite-lsp of this environment."""
    pytest.importorskip("pre_commit", reason="not run: pip install pre-commit runs the hooks")
    local = [{**each, "language": "system"} for each in hooks()]
    for each in local:
        del each["minimum_pre_commit_version"]
    config = {"repos": [{"repo": "local", "hooks": local}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    commit(repository, "hooks")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "PRE_COMMIT_HOME": str(tmp_path / "pc")}
        command = [sys.executable, "-P", "-m", "pre_commit", "run", "--color", "never", *arguments]
        return subprocess.run(
            command, cwd=repository, env=env, capture_output=True, text=True, timeout=100, check=False
        )

    return run


def test_the_hooks_are_valid():
    clientlib = pytest.importorskip("pre_commit.clientlib", reason="not run: pip install pre-commit reads them")
    assert [each["id"] for each in clientlib.load_manifest(str(HOOKS))] == ["cite-lsp", "cite-lsp-changed"]


def test_the_hook_checks_the_documents_that_are_committed(pre_commit, repository):
    ran = pre_commit("cite-lsp", "--all-files")
    assert ran.returncode == 1
    assert "docs/a b.md" in ran.stdout
    assert "line-out-of-range" in ran.stdout
    (repository / "cite-lsp.toml").write_text("[files]\nexclude = ['docs/a*']\n")  # holds for names too
    (repository / "--report=b.md").write_text("See `src/a.py:3`.\n")
    git(repository, "add", "-A")
    assert pre_commit("cite-lsp", "--all-files").returncode == 0
    assert not (repository / "b.md").exists()  # a name is no option
    assert "Skipped" in pre_commit("cite-lsp", "--files", "src/a.py").stdout


def test_before_the_first_commit_all_is_a_change(cli, workspace):
    folder = workspace({"docs/a.md": "See `src/a.py:9`.\n", "src/a.py": "x = 1\n"})
    git(folder, "init", "-q")
    ran = cli(folder, "check", "--since", "HEAD")
    assert (ran.code, "line-out-of-range" in ran.out) == (1, True)
    assert cli(folder, "check", "--since", "HEAD~1").code == 2


def test_the_hook_for_changes_sees_what_a_change_in_code_moves(pre_commit, repository):
    assert pre_commit("cite-lsp-changed").returncode == 0  # nothing changed; what was wrong before is not told again
    (repository / "src/a.py").write_text("import os\n\n")
    git(repository, "add", "-A")
    ran = pre_commit("cite-lsp-changed")
    assert ran.returncode == 1
    assert "docs/c.md" in ran.stdout
