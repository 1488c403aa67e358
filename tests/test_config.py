import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from cite_lsp.config import (
    USER_ONLY,
    GlobError,
    LoadedSettings,
    Override,
    Problem,
    Settings,
    expand_braces,
    find_root,
    load_settings,
    settings_schema,
    severity_of,
)
from cite_lsp.config.rows import all_rows
from cite_lsp.document.pattern import compile_pattern
from cite_lsp.document.toml_places import key_places, place_of
from cite_lsp.findings.catalogue import CATALOGUE
from cite_lsp.findings.finding import Severity
from cite_lsp.snapshot.globs import check_glob, matches


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def load(folder: Path, **sources: Any) -> LoadedSettings:
    sources.setdefault("environment", {})
    sources.setdefault("user_file", str(folder.parent / "user" / "cite-lsp.toml"))
    return load_settings(str(folder), **sources)


def written(project: Path, text: str, **sources: Any) -> LoadedSettings:
    (project / "cite-lsp.toml").write_text(text, encoding="utf-8")
    return load(project, **sources)


def user(project: Path, text: str) -> None:
    folder = project.parent / "user"
    folder.mkdir(exist_ok=True)
    (folder / "cite-lsp.toml").write_text(text, encoding="utf-8")


def said(loaded: LoadedSettings) -> list[tuple[int | None, int | None, str]]:
    return [(problem.line, problem.column, problem.name) for problem in loaded.problems]


def only(loaded: LoadedSettings) -> Problem:
    (problem,) = loaded.problems
    return problem


def test_defaults_and_their_sources(project: Path) -> None:
    loaded = load(project)
    assert loaded.settings == Settings()
    assert loaded.problems == ()
    assert set(loaded.sources.values()) == {"default"}
    assert set(loaded.sources) == set(all_rows())
    assert loaded.settings.files.max_bytes == 10_000_000
    assert loaded.settings.judge.limits.max_turns == 3


def test_the_order_of_the_sources(project: Path) -> None:
    user(project, 'as_of = "aaaaaaa"\nrecords = ["u"]\n[files]\nmax_bytes = 1\nexclude = ["u"]\n[judge]\nmodel = "u"')
    loaded = written(
        project,
        'records = ["p"]\n[files]\nmax_bytes = 2\nexclude = ["p"]\n',
        editor={"files": {"max_bytes": 3}},
        environment={"CITE_LSP_JUDGE_MODEL": "e", "CITE_LSP_CACHE_MAX_ROWS": "7"},
        command_line={"judge.model": "c"},
    )
    assert loaded.problems == ()
    settings, sources = loaded.settings, loaded.sources
    assert (settings.as_of, sources["as_of"]) == ("aaaaaaa", loaded.user_file)
    assert (settings.records, sources["records"]) == (("p",), loaded.project_file)
    assert (settings.files.exclude, settings.files.max_bytes) == (("p",), 3)
    assert sources["files.max_bytes"] == "editor"
    assert (settings.judge.model, sources["judge.model"]) == ("c", "command line")
    assert (settings.cache.max_rows, sources["cache.max_rows"]) == (7, "environment CITE_LSP_CACHE_MAX_ROWS")


def test_rules_are_merged_code_by_code(project: Path) -> None:
    user(project, '[rules]\nmissing = "hint"\nblank-line = "off"\n')
    loaded = written(project, '[rules]\nmissing = "warning"\n', editor={"rules": {"outside": "error"}})
    assert loaded.settings.rules == {"missing": "warning", "blank-line": "off", "outside": "error"}
    assert loaded.sources["rules.missing"] == loaded.project_file
    assert loaded.sources["rules.outside"] == "editor"


def test_dotted_and_nested_keys_of_an_editor_are_the_same(project: Path) -> None:
    dotted = load(project, editor={"files.max_bytes": 5, "files": {"exclude": ["a"]}, "rules.missing": "off"})
    nested = load(project, editor={"files": {"max_bytes": 5, "exclude": ["a"]}, "rules": {"missing": "off"}})
    assert dotted.settings == nested.settings
    assert dotted.problems == nested.problems == ()
    assert nested.settings.files.max_bytes == 5


def test_null_and_the_clients_own_keys_set_nothing(project: Path) -> None:
    loaded = load(project, editor={"trace": {"server": "off"}, "anchors": {"pattern": None}, "judge": None})
    assert (loaded.problems, loaded.settings) == ((), Settings())


def other_value(name: str) -> object:
    """A legal value of a user row."""
    value = {
        "name": "openai",
        "base_url": "https://example.org/v1",
        "api_key_env": "MY_KEY",
        "headers": {"x": "y"},
        "command": ["prog", "-x"],
        "effort": "high",
        "batch": False,
        "run": "save",
        "trusted": False,
        "repositories": {"other": "/srv/other"},
        "path": "/srv/cache",
        "url": "rediss://cache.example.org:6380/1",
    }
    last = name.rsplit(".", 1)[-1]
    return value.get(last, "text" if last == "model" else 9)


@pytest.mark.parametrize("name", sorted(USER_ONLY))
def test_user_rows_are_read_from_the_user_only(project: Path, name: str) -> None:
    value = other_value(name)
    variable = "CITE_LSP_" + name.upper().replace(".", "_")
    as_text = value if isinstance(value, str) else json.dumps(value).replace('": ', '" = ')
    (project / "cite-lsp.toml").write_text(f"{name} = {json.dumps(value).replace(': ', ' = ')}\n", encoding="utf-8")
    refused = load(project, editor={name: value})
    assert refused.settings == Settings()
    assert [problem.name for problem in refused.problems] == [name, name]
    assert [problem.source for problem in refused.problems] == [refused.project_file, "editor"]
    assert (refused.problems[0].line, refused.problems[0].column) == (1, 1)
    assert variable in refused.problems[0].message
    for accepted in (load(project, environment={variable: as_text}), load(project, command_line={name: value})):
        assert len(accepted.problems) == 1
        assert accepted.settings != Settings()
        assert accepted.sources[name] in {f"environment {variable}", "command line"}


def test_a_refused_row_leaves_the_users_value(project: Path) -> None:
    user(project, '[judge]\nname = "openai"\nbase_url = "https://mine.example/v1"\n')
    loaded = written(project, '[judge]\nbase_url = "https://theirs.example/v1"\n')
    assert loaded.settings.judge.base_url == "https://mine.example/v1"
    assert "theirs" not in only(loaded).message


def test_a_project_may_choose_the_embedded_judge(project: Path) -> None:
    user(project, '[judge]\nname = "openai"\n[policies]\nrun = "save"\n')
    loaded = written(project, '[judge]\nname = "embedded"\n[policies]\nrun = "manual"\n')
    assert loaded.problems == ()
    assert (loaded.settings.judge.name, loaded.settings.policies.run) == ("embedded", "manual")


def test_which_rows_are_the_users_own() -> None:
    rows = set(all_rows())
    assert rows >= USER_ONLY
    own = {name for name in rows if name.startswith(("judge.", "repair.", "cache."))}
    assert own - USER_ONLY == {"judge.run", "judge.exclude"}
    assert USER_ONLY - own == {"anchors.repositories", "policies.run", "server.trusted"}
    assert len({all_rows()[name].variable for name in USER_ONLY}) == len(USER_ONLY)


def test_variables_that_set_nothing_are_told(project: Path) -> None:
    environment = {
        "CITE_LSP_JUDGE_MODLE": "x",
        "CITE_LSP_JUDGE_RUN": "off",
        "CITE_LSP_CACHE_MAX_ROWS": "many",
        "CITE_LSP_JUDGE_NAME": "",
        "CITE_LSP_SHARED": "/x",
        "OPENAI_BASE_URL": "https://x",
    }
    loaded = load(project, environment=environment)
    assert loaded.settings == Settings()
    messages = {problem.source: problem.message for problem in loaded.problems}
    assert set(messages) == {f"environment CITE_LSP_{name}" for name in ("JUDGE_MODLE", "JUDGE_RUN", "CACHE_MAX_ROWS")}
    assert "CITE_LSP_JUDGE_MODEL" in messages["environment CITE_LSP_JUDGE_MODLE"]
    assert "not read from the environment" in messages["environment CITE_LSP_JUDGE_RUN"]
    assert '"many" was given' in messages["environment CITE_LSP_CACHE_MAX_ROWS"]


def test_keys_are_never_printed(project: Path) -> None:
    loaded = load(
        project,
        environment={"CITE_LSP_JUDGE_API_KEY_ENV": "sk-live-secret", "CITE_LSP_JUDGE_HEADERS": "sk-live-secret"},
        command_line={"judge.base_url": "sk-live-secret", "repair.headers": {"x": ["sk-live-secret"]}},
    )
    assert len(loaded.problems) == 4
    assert not any("sk-live" in problem.message for problem in loaded.problems)
    kept = load(project, command_line={"judge.headers": {"x": "sk-live-secret"}})
    assert kept.settings.judge.headers == {"x": "sk-live-secret"}
    assert "sk-live" not in repr(kept)


@pytest.mark.parametrize(
    ("text", "line", "column", "name", "message"),
    [
        ("[files]\nmax_bytes = true\n", 2, 1, "files.max_bytes", "true was given; legal is an integer"),
        ("[files]\n  max_bytes = 1.5\n", 2, 3, "files.max_bytes", "1.5 was given"),
        ('\n\n[files]\nincldue = ["a"]\n', 4, 1, "files.incldue", "did you mean 'include'?"),
        ("[fils]\nx = 1\n", 1, 1, "fils", "did you mean 'files'?"),
        ("files = 3\n", 1, 1, "files", "3 was given; legal is a table"),
        ('[rules]\nmising = "off"\n', 2, 1, "rules.mising", "did you mean 'missing'?"),
        ('[rules]\nmissing = "loud"\n', 2, 1, "rules.missing", "'information'"),
        ("rules.missing = false\n", 1, 1, "rules.missing", "false was given"),
        ('files = { exclude = ["a", "["] }\n', 1, 27, "files.exclude", "bracket may not be closed"),
        ('records = [\n  "a",\n  # b\n  7,\n]\n', 4, 3, "records", "7 was given; legal is a text"),
        ('as_of = "--output=x"\n', 1, 1, "as_of", "name of one commit"),
        ('accepted = "../x.json"\n', 1, 1, "accepted", "inside the project"),
        ("[anchors]\npattern = 'a*'\n", 2, 1, "anchors.pattern", "matches the empty string"),
        ("[anchors]\npattern = '('\n", 2, 1, "anchors.pattern", "does not compile"),
        ("[anchors]\npattern = '(?=x)'\n", 2, 1, "anchors.pattern", "no width"),
        ('[audit]\nscope = "census"\n', 2, 1, "audit.scope", 'legal is "all" or "sample"'),
        ("[audit]\nresolver = true\n", 2, 1, "audit.resolver", "legal is 1 or 2"),
        ("[audit]\nresolver = 1\n", 2, 1, "audit.resolver", 'scope "all" needs resolver 2'),
        ('[[overrides]]\nglobs = ["a"]\n', 1, 1, "overrides", "has no rules"),
        (
            '[[overrides]]\nglobs=["a"]\nrules.moved="off"\n[[overrides]]\nglobs = ["b", "#"]\nrules.moved = "off"\n',
            5,
            15,
            "overrides.globs",
            "comment in gitignore syntax",
        ),
        (
            '[[overrides]]\nglobs = ["a"]\n[overrides.rules]\nmoved = "off"\nmovd = "off"\n',
            5,
            1,
            "overrides.rules.movd",
            "did you mean 'moved'?",
        ),
    ],
)
def test_a_wrong_value_is_told_at_its_place_and_sets_nothing(
    project: Path, text: str, line: int, column: int, name: str, message: str
) -> None:
    loaded = written(project, text)
    problem = only(loaded)
    assert (problem.source, problem.line, problem.column, problem.name) == (loaded.project_file, line, column, name)
    assert message in problem.message
    assert loaded.settings.model_copy(update={"overrides": ()}) == Settings()


def test_the_rows_beside_a_wrong_one_are_read(project: Path) -> None:
    loaded = written(
        project,
        '[files]\nmax_bytes = "x"\nexclude = ["a"]\n[rules]\nmissing = "off"\nbad = "off"\n'
        '[[overrides]]\nglobs = ["a"]\nrules = { missing = "hint", bad = "off" }\n',
    )
    assert said(loaded) == [(2, 1, "files.max_bytes"), (6, 1, "rules.bad"), (9, 29, "overrides.rules.bad")]
    assert loaded.settings.files.exclude == ("a",)
    assert loaded.settings.rules == {"missing": "off"}
    assert [entry.rules for entry in loaded.settings.overrides] == [{"missing": "hint"}]


def test_a_wrong_project_value_leaves_the_users(project: Path) -> None:
    user(project, "[files]\nmax_bytes = 77\n")
    assert written(project, "[files]\nmax_bytes = 0\n").settings.files.max_bytes == 77


def test_the_last_good_value_stays(project: Path) -> None:
    first = written(project, 'as_of = "abc1234"\n[judge]\nrun = "off"\n[rules]\nmissing = "hint"\n')
    wrong = written(project, 'as_of = 3\n[judge]\nrun = "offf"\n[rules]\nmissing = "hnt"\n', previous=first)
    assert len(wrong.problems) == 3
    assert wrong.settings == first.settings
    broken = written(project, "as_of = [", previous=wrong)
    assert len(broken.problems) == 1
    assert broken.settings == first.settings
    assert broken.sources == first.sources
    gone = written(project, "", previous=broken)
    assert gone.settings == Settings()


def test_judge_exclusions_add_up_and_a_wrong_one_excludes_everything(project: Path) -> None:
    user(project, '[judge]\nexclude = ["secret/**"]\n')
    both = written(project, '[judge]\nexclude = ["vendor/**"]\n')
    assert set(both.settings.judge.exclude) == {"secret/**", "vendor/**"}
    for bad in ("[1]", '["!secret/**"]', '"vendor/**"', '["["]'):
        loaded = written(project, f"[judge]\nexclude = {bad}\n")
        assert "no text leaves the machine" in only(loaded).message
        assert matches(loaded.settings.judge.exclude, "src/any.py")


def test_policies_may_stand_in_the_project_file(project: Path) -> None:
    loaded = written(project, '[[policy]]\nname = "x"\n[[policy.concern]]\nname = "y"\n')
    assert loaded.problems == ()
    assert loaded.settings.policy == ({"name": "x", "concern": [{"name": "y"}]},)


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"a = \n", 1, "not valid TOML"),
        (b"[files]\nmax_bytes = 3\n[files]\n", 3, "not valid TOML"),
        (b"a = [\n1,\n", 3, "not valid TOML"),
        (b"a = 'x'\n\n\xff", 3, "not UTF-8"),
        (b"a = " + b"[" * 50_000, None, ""),
        (b"a = " + b"9" * 6_000, 1, "not valid TOML"),
        (b"x" * 1_000_001, None, "over 1,000,000 bytes"),
        (b"b = 1\n" + b"a." * 10_000 + b"a = 1", 2, "more than 64 parts"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_problem(
    project: Path, data: bytes, line: int | None, message: str, ends
) -> None:
    (project / "cite-lsp.toml").write_bytes(data)
    with ends():
        loaded = load(project)
    assert (only(loaded).line, only(loaded).source) == (line, loaded.project_file)
    assert message in only(loaded).message
    assert loaded.settings == Settings()


def test_a_number_too_long_to_print_is_told(project: Path) -> None:
    assert "a very large number" in only(written(project, "files.max_bytes = 0x" + "f" * 5_000)).message


def test_a_byte_order_mark_and_crlf_are_read(project: Path) -> None:
    (project / "cite-lsp.toml").write_bytes(b'\xef\xbb\xbfas_of = "abc1234"\r\n[files]\r\nmax_bytes = "x"\r\n')
    loaded = load(project)
    assert loaded.settings.as_of == "abc1234"
    assert said(loaded) == [(3, 1, "files.max_bytes")]


def test_a_named_pipe_is_refused(project: Path) -> None:
    os.mkfifo(project / "cite-lsp.toml")
    assert "no regular file" in only(load(project)).message


def test_a_broken_link_is_told(project: Path) -> None:
    (project / "cite-lsp.toml").symlink_to(project / "nowhere")
    assert "cannot be read" in only(load(project)).message


@pytest.mark.parametrize("target", ["x" * 300, "cite-lsp.toml", "pyproject.toml"])
def test_links_that_cannot_be_followed_are_told_and_raise_nothing(project: Path, target: str) -> None:
    (project / "pyproject.toml").symlink_to(target)
    assert find_root(str(project))[1] is None
    (project / "cite-lsp.toml").write_text('as_of = "abc1234"')
    assert load(project).problems == ()
    (project / "cite-lsp.toml").unlink()
    (project / "cite-lsp.toml").symlink_to(target)
    assert "cannot be read" in only(load(project)).message


def test_a_name_too_long_for_the_system_has_a_root(project: Path) -> None:
    assert find_root(str(project / ("x" * 300))) == find_root(str(project))


def test_many_problems_are_cut(project: Path) -> None:
    loaded = written(project, "".join(f"x{number} = 1\n" for number in range(500)))
    assert len(loaded.problems) == 101
    assert loaded.problems[-1].message == "400 more settings here were refused"


def test_pyproject_counts_with_its_table_only(project: Path) -> None:
    python = project / "pyproject.toml"
    python.write_text('[project]\nname = "x"\n', encoding="utf-8")
    assert find_root(str(project))[1] is None
    python.write_text('[project]\nname = "x"\n[tool.cite-lsp]\nas_of = "abc1234"\n[tool.cite-lsp.files]\nx = 1\n')
    loaded = load(project)
    assert (loaded.root, loaded.project_file) == (str(project), str(python))
    assert loaded.settings.as_of == "abc1234"
    assert said(loaded) == [(6, 1, "files.x")]


def test_a_broken_pyproject_is_ours_only_with_our_table(project: Path) -> None:
    python = project / "pyproject.toml"
    python.write_text("# uses cite-lsp\n[project\n", encoding="utf-8")
    assert load(project).problems == ()
    python.write_text("[tool.cite-lsp]\nas_of = \n", encoding="utf-8")
    assert (only(load(project)).source, only(load(project)).line) == (str(python), 2)
    python.write_text("[tool]\ncite-lsp = 3\n", encoding="utf-8")
    assert (only(load(project)).line, only(load(project)).column) == (2, 1)


def test_of_two_files_the_own_one_is_used_and_the_other_told(project: Path) -> None:
    (project / "pyproject.toml").write_text('[project]\nname = "x"\n[tool.cite-lsp]\nas_of = "abc1234"\n')
    loaded = written(project, 'as_of = "def5678"\n')
    assert loaded.settings.as_of == "def5678"
    assert (Path(only(loaded).source).name, only(loaded).line) == ("pyproject.toml", 3)


def test_the_root(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = project / "docs" / "a"
    deep.mkdir(parents=True)
    document = deep / "x.md"
    document.write_text("x")
    monkeypatch.chdir(deep)
    assert find_root(str(document)) == (str(deep), None)
    (project / ".git").write_text("gitdir: elsewhere")
    assert find_root(str(document)) == (str(project), None)
    assert find_root(str(deep / "not" / "there.md")) == (str(project), None)
    settings = project.parent / "cite-lsp.toml"
    settings.write_text("")
    assert find_root("x.md") == (str(project.parent), str(settings))
    nearer = project / "docs" / "cite-lsp.toml"
    nearer.write_text("")
    assert find_root(str(document)) == (str(nearer.parent), str(nearer))


def test_the_user_file_is_no_project_file(project: Path) -> None:
    text = '[judge]\nmodel = "m"\n'
    loaded = written(project, text, user_file=str(project / "cite-lsp.toml"))
    assert (loaded.problems, loaded.project_file, loaded.settings.judge.model) == ((), None, "m")


def test_documents_records_and_must_cite() -> None:
    settings = Settings()
    yes = ["a.md", "x/y/b.markdown", "c.mdx", "d.rst", "e.adoc", "f.txt"]
    assert all(settings.is_document(path) for path in yes)
    assert not any(settings.is_document(path) for path in ["a.py", "md", "README"])
    records = ["docs/adr/1.md", "adr/1.md", "plans/x.md", "notes/2024-03-12-x.md", "CHANGELOG.md", "a/CHANGELOG"]
    assert all(settings.is_record(path) for path in records)
    assert not any(settings.is_record(path) for path in ["a.md", "docs/planned/x.md", "v2024-3-1.md"])
    assert not settings.must_cite("a.md")


def test_exclude_and_a_negated_glob(project: Path) -> None:
    settings = written(project, '[files]\nexclude = ["vendor/", "!vendor/keep.md", "*.gen.md"]\n').settings
    assert [settings.is_document(path) for path in ("a.md", "vendor/x.md", "b.gen.md")] == [True, False, False]


def test_the_last_override_that_fits_wins(project: Path) -> None:
    settings = written(
        project,
        '[rules]\nmissing = "hint"\n'
        '[[overrides]]\nglobs = ["docs/**"]\nrules = { missing = "off", outside = "error" }\n'
        '[[overrides]]\nglobs = ["docs/{a,b}.md"]\nrules = { missing = "warning" }\n',
    ).settings
    chosen = [severity_of("missing", path, settings, Severity.ERROR) for path in ("x.md", "docs/x.md", "docs/b.md")]
    assert chosen == [Severity.HINT, "off", Severity.WARNING]
    assert severity_of("outside", "docs/b.md", settings, Severity.WARNING) is Severity.ERROR
    assert severity_of("blank-line", "docs/b.md", settings, Severity.WARNING) is Severity.WARNING
    assert severity_of("vacuous", "docs/b.md", settings, "off") == "off"


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("a{b,c}d", ["abd", "acd"]),
        ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
        ("{a,{b,c}x}y", ["ay", "bxy", "cxy"]),
        ("{a}", ["{a}"]),
        ("{a,b", ["{a,b"]),
        ("a}", ["a}"]),
        (r"\{a,b\}", [r"\{a,b\}"]),
        ("[{]a,b}", ["[{]a,b}"]),
        ("{a,b},c", ["a,c", "b,c"]),
        ("x{,.md}", ["x", "x.md"]),
    ],
)
def test_braces(glob: str, expected: list[str]) -> None:
    assert list(expand_braces(glob)) == expected


@pytest.mark.parametrize("glob", ["{a,b}" * 12, "{" + "," * 900 + "}" + "{a,b}", "x" * 1001])
def test_too_many_braces_are_refused(glob: str) -> None:
    with pytest.raises(GlobError):
        expand_braces(glob)
    assert check_glob(glob) is not None


@given(st.text("{},ab[]\\!*/", max_size=60))
def test_any_glob_is_read_or_refused(glob: str) -> None:
    if check_glob(glob) is None:
        matches((glob,), "a/b.md")


@pytest.mark.parametrize("pattern", [r"[\w./-]+\.\w+:\d+", r"[^\s:]+:[0-9]+", r"(?i)src/[a-z]+\.py:\d+"])
def test_a_usable_pattern_is_compiled(pattern: str) -> None:
    compiled = compile_pattern(pattern)
    assert not isinstance(compiled, str)
    found = compiled.search("see src/a.py:12-14")
    assert found is not None
    assert found[0] == "src/a.py:12"


@pytest.mark.parametrize(
    "pattern", ["", "a*", r"\b", "(?=x)", r"(?=\.rs)", "$", "(", "(" * 900, "(?R)", "a{9999999999}", "x" * 1001]
)
def test_a_useless_pattern_is_refused(pattern: str, ends) -> None:
    with ends():
        assert isinstance(compile_pattern(pattern), str)


def test_places_in_toml() -> None:
    text = (
        '# [no]\ntop = """\n[not.this]\nx = 1"""\n[a . "b c"]\nx = { y.z = [1, "]", {k = \'}\'}], w = 1979-05-27 }\n'
        "[[t]]\nn = 1\n[t.s]\nm = 2\n[[t]]\n[t.s]\nm = 3\n[[t.u]]\nv = 'x'\n"
    )
    places = key_places(text)

    def at(*path: str | int) -> str:
        offset = place_of(places, path)
        assert offset is not None
        return f"{text.count(chr(10), 0, offset) + 1}:{text[offset : offset + 3]}"

    assert at("top") == "2:top"
    assert at("a", "b c") == "5:[a "
    assert at("a", "b c", "x", "y", "z", 1) == '6:"]"'
    assert at("a", "b c", "x", "y", "z", 2, "k") == "6:k ="
    assert at("a", "b c", "x", "w") == "6:w ="
    assert at("t", 0, "s", "m") == "10:m ="
    assert at("t", 1, "s", "m") == "13:m ="
    assert at("t", 1, "u", 0, "v") == "15:v ="
    assert at("t", 1, "u", 0, "none") == "14:[[t"
    assert ("not", "this") not in places


_TOML_NAMES = "files rules overrides judge name exclude globs missing off policy".split()
_TOML_MARKS = ["[[", "]]", '"""', "'''", "\r\n", "true", "1979-05-27", "inf"]
_TOML_PIECES = st.sampled_from([*"[]={}\"',.1#\\ \n\x00é", *_TOML_MARKS, *_TOML_NAMES])


@given(st.lists(_TOML_PIECES, max_size=40).map("".join))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_read_without_raising(tmp_path: Path, text: str) -> None:
    (tmp_path / "cite-lsp.toml").write_text(text, encoding="utf-8", newline="")
    loaded = load(tmp_path)
    for problem in loaded.problems:
        assert problem.line is None or 1 <= problem.line <= text.count("\n") + 1
        assert problem.message


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just(10**300),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(all_rows())) | st.text(max_size=6), _VALUES, max_size=5))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_tree_of_an_editor_is_read_without_raising(tmp_path: Path, tree: dict[str, object]) -> None:
    for loaded in (load(tmp_path, editor=tree), load(tmp_path, command_line=tree)):
        for problem in loaded.problems:
            problem.message.encode()


def test_the_schema_is_a_schema_and_holds_the_defaults() -> None:
    schema = settings_schema()
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(Settings().model_dump(mode="json"))
    assert json.loads(json.dumps(schema)) == schema


def test_the_schema_tells_every_row() -> None:
    schema = settings_schema()
    for name in all_rows():
        node = schema
        for part in name.split("."):
            assert node["additionalProperties"] is False
            node = node["properties"][part]
        assert len(node["description"]) > 10
        assert "default" in node
        assert ("(user settings only" in node["description"]) == (name in USER_ONLY)
    assert list(schema["properties"]["rules"]["properties"]) == list(CATALOGUE)


@pytest.mark.parametrize(
    "tree",
    [
        {"files": {"max_bytes": 0}},
        {"filess": {}},
        {"rules": {"missing": "loud"}},
        {"rules": {"mising": "off"}},
        {"overrides": [{"globs": ["a"]}]},
        {"audit": {"resolver": 3}},
        {"judge": {"limits": {"timeout": 0}}},
    ],
)
def test_the_schema_refuses_what_loading_refuses(project: Path, tree: dict[str, object]) -> None:
    assert not Draft202012Validator(settings_schema()).is_valid(tree)
    assert load(project, command_line=tree).problems


def test_the_schema_accepts_what_loading_accepts(project: Path) -> None:
    tree = {
        "rules": {"policy:log-triage/outage": "hint", "missing": "off"},
        "overrides": [{"globs": ["a"], "rules": {"moved": "off"}}],
        "judge": {"command": ["x"], "headers": {"a": "b"}, "limits": {"timeout": 1.5}},
        "policy": [{"name": "x"}],
    }
    Draft202012Validator(settings_schema()).validate(tree)
    loaded = load(project, command_line=tree)
    assert loaded.problems == ()
    assert loaded.settings.overrides == (Override(globs=("a",), rules={"moved": "off"}),)


def test_a_settings_link_out_of_the_repository_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.toml"
    secret.write_text('[rules]\nmissing = "SECRET"\n')
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "shared.toml").write_text('[rules]\nmissing = "off"\n')
    (project / "docs").mkdir()
    (project / "docs/cite-lsp.toml").symlink_to("../shared.toml")
    assert load_settings(str(project / "docs"), user_file=str(tmp_path / "none")).settings.rules == {"missing": "off"}
    (project / "cite-lsp.toml").symlink_to(secret)
    (project / "pyproject.toml").symlink_to(secret)
    loaded = load_settings(str(project), user_file=str(tmp_path / "none"))
    assert [problem.message for problem in loaded.problems] == [
        "this link leads out of the repository; no settings are read from it"
    ]
    assert "SECRET" not in str(loaded)


@pytest.mark.parametrize("target", ["b" * 300, "/proc/kmsg", "/dev/zero", "cite-lsp.toml"])
@pytest.mark.parametrize("name", ["cite-lsp.toml", "pyproject.toml"])
def test_a_settings_link_to_nowhere_raises_nothing_and_waits_for_nothing(
    tmp_path: Path, name: str, target: str
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / name).symlink_to(target)
    loaded = load_settings(str(tmp_path), user_file=str(tmp_path / "none"))
    assert len(loaded.problems) == (1 if name == "cite-lsp.toml" else 0)
