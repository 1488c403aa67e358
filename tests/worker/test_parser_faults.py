"""Texts that crash or stall a parser, and children that die or hang: the answer is None, and the next file is read."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cite_lsp.snapshot.code_facts import CodeFacts
from cite_lsp.worker import parser as module
from cite_lsp.worker.frames import read_message
from cite_lsp.worker.parser import LANGUAGES, MAX_BYTES, Parser
from cite_lsp.worker.parsing import trees
from cite_lsp.worker.parsing.grammar import Grammar

MINUTE = 60.0
GOOD = {
    "python": "a = 1", "javascript": "a = 1", "typescript": "a = 1", "ruby": "a = 1", "shell": "a=1",
    "rust": "const a: u8 = 1;", "go": "package p\nconst a = 1", "java": "class A { int a = 1; }",
    "c": "int a = 1;", "cpp": "int a = 1;", "csharp": "class A { int a = 1; }",
}  # fmt: skip
TOKENS = ("(", "[", "{", "<", "if ", '"', "/*", "a.", "!", "fn ", "- ", "`", "${", "x?", "->", "a=b ", "\0", "<<A\n")
STALLING = ("python", "(" * (60 << 10))
"""It is parsed at once; to look through so many levels takes seconds, and nobody is asked whether to go on."""
SLOW = ("shell", "x?" * (15 << 10))
"""It takes seconds to parse, and stops where it is asked to."""


@pytest.fixture
def parser() -> Iterator[Parser]:
    with Parser() as parser:
        yield parser
    for thread in threading.enumerate():
        if thread.name == "parser watch":
            thread.join(MINUTE)
            assert not thread.is_alive(), "a child is still watched"
    gc.collect()


def whole(parser: Parser, language: str, text: str) -> CodeFacts | None:
    lines = tuple(text.split("\n"))
    return parser(language, lines, 1, min(20, len(lines)))


def works(parser: Parser, language: str) -> bool:
    found = whole(parser, language, GOOD[language])
    return found is not None and any((fact.name, fact.value) == ("a", "1") for fact in found.facts)


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def is_gone(pid: int) -> bool:
    due = time.monotonic() + MINUTE
    while exists(pid) and time.monotonic() < due:
        time.sleep(0.01)
    return not exists(pid)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_repeated_tokens_cost_one_file_each(parser: Parser, language: str) -> None:
    """30 KB of one token: whatever becomes of it, the next file is read."""
    assert works(parser, language)
    for token in TOKENS:
        whole(parser, language, (token * (30 << 10))[: 30 << 10])
        assert works(parser, language), token


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_what_crashes_another_parser_is_read(parser: Parser, language: str) -> None:
    assert whole(parser, language, "- " * 256) is not None or works(parser, language)
    assert works(parser, language)


def test_what_is_no_code_of_ours_is_never_sent(parser: Parser) -> None:
    for language in ("yaml", "json", "toml", "ini", "markdown", "text", "", "kotlin"):
        assert parser(language, ("- " * 256,), 1, 1) is None
    assert parser.pid is None


@pytest.mark.parametrize("nest", ["(", "[", "{", "if (a) {\n", "f(() => {\n", "a ? b : ", "!", "- "])
def test_deep_nesting(parser: Parser, nest: str) -> None:
    whole(parser, "javascript", nest * 10_000)
    assert works(parser, "javascript")


def test_large_files_are_read_up_to_the_limit(parser: Parser) -> None:
    line = "value = call(1, 2)  # of it"
    lines = tuple([line] * (MAX_BYTES // (len(line) + 1)))
    found = parser("python", lines, len(lines), len(lines))
    assert found is not None
    assert [fact.kind for fact in found.facts] == ["value", "call"]
    assert parser("python", (*lines, line), 1, 1) is None
    assert parser("python", ("é" * (MAX_BYTES // 2), "a = 1"), 2, 2) is None
    assert parser("python", ("é" * (MAX_BYTES // 3), "a = 1"), 1, 1) is None, "the line is too long"
    assert parser.losses == 0


def test_long_lines_are_not_looked_at_and_short_ones_of_the_file_are(parser: Parser) -> None:
    lines = ("// Minified.", f"var a = [{'f(1), ' * 10_000}0];", "var b = 2;")
    assert parser("javascript", lines, 2, 2) is None
    for line in (1, 3):
        assert parser("javascript", lines, line, line) is not None
    assert parser.losses == 0


def test_a_text_of_another_language_says_nothing(parser: Parser) -> None:
    prose = "\n".join("It isn't (that) the {way} we'd [do it;" for _ in range(200))
    for language in sorted(LANGUAGES - {"shell", "ruby"}):
        assert whole(parser, language, prose) is None, language
        assert works(parser, language)


def test_a_stall_ends_the_child_and_the_file_is_remembered(parser: Parser) -> None:
    language, text = STALLING
    assert works(parser, language)
    pid = parser.pid
    assert pid is not None
    assert whole(parser, language, text) is None
    assert parser.losses == 1
    assert not exists(pid), "it is waited for: no zombie is left"
    for _ in range(3):
        assert whole(parser, language, text) is None
    assert parser.losses == 1
    assert works(parser, language)
    assert parser.pid != pid


def test_what_takes_too_long_costs_no_child_where_it_stops_itself(parser: Parser) -> None:
    language, text = SLOW
    assert works(parser, language)
    pid = parser.pid
    assert whole(parser, language, text) is None
    assert whole(parser, language, text) is None
    assert works(parser, language)
    assert (parser.pid, parser.losses) == (pid, 0)


def test_what_is_remembered_is_the_text_not_the_object(parser: Parser) -> None:
    language, text = STALLING
    assert parser(language, (text,), 1, 1) is None
    assert parser(language, [text], 1, 1) is None
    assert parser.losses == 1
    assert parser(language, (text[1:],), 1, 1) is None
    assert parser.losses == 2


def test_after_several_losses_it_rests(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    language, text = STALLING
    for number in range(3):
        assert whole(parser, language, f"{text}{number}") is None
    assert parser.losses == 3
    assert not works(parser, "python"), "it rests"
    assert parser.pid is None
    clock = time.monotonic() + module._REST_SECONDS
    monkeypatch.setattr(module.time, "monotonic", lambda: clock + 1)
    assert works(parser, "python"), "what was not asked while it rested is not held against the file"


@pytest.mark.skipif(os.name == "nt", reason="not run: kill -9 absent on Windows")
def test_killed_between_two_questions(parser: Parser) -> None:
    """It is no fault of the file that is asked about next, nor of the one that was asked about before."""
    for kind in (signal.SIGKILL, signal.SIGTERM):
        assert works(parser, "python")
        assert parser.pid is not None
        os.kill(parser.pid, kind)
        assert works(parser, "python")
        assert whole(parser, "python", f"b = {kind}") is not None
        assert works(parser, "go")
    assert parser.losses == 2


@pytest.mark.skipif(os.name == "nt", reason="not run: kill -9 absent on Windows")
def test_killed_in_the_middle(parser: Parser) -> None:
    """The child is killed by another thread while it parses what takes it a while."""
    big = "\n".join(f"def f{n}(a, b={n}):\n    return g(a) + {n}" for n in range(4_000))
    assert works(parser, "python")
    pid = parser.pid
    assert pid is not None
    killer = threading.Thread(target=lambda: (time.sleep(0.01), os.kill(pid, signal.SIGKILL)))
    killer.start()
    found = [whole(parser, "python", f"{big}\nx = {n}") for n in range(3)]
    killer.join()
    assert None not in found, "it is asked about once more"
    assert works(parser, "python")
    assert parser.losses == 1
    assert not exists(pid)


@pytest.mark.skipif(os.name == "nt", reason="not run: kill -9 absent on Windows")
def test_one_that_is_killed_over_a_file_each_time_is_not_asked_about_it_again() -> None:
    """What takes all the memory of a machine is ended from without, again and again."""
    with Parser([sys.executable, "-c", DIES_OVER_ITS_FIRST]) as parser:
        assert whole(parser, "python", "a = 1") is None
        assert parser.losses == 2
        assert whole(parser, "python", "a = 1") is None
        assert parser.losses == 2, "by now it is known of that file"


DIES_OVER_ITS_FIRST = """
import os, signal, sys
from cite_lsp.worker.frames import encoded, read_message
sys.stdout.buffer.write(encoded({"ready": True}))
sys.stdout.buffer.flush()
read_message(sys.stdin.buffer)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="not run: signals of POSIX absent on Windows")
def test_one_that_hangs_is_killed(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 1.0)
    assert works(parser, "python")
    pid = parser.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    assert whole(parser, "python", "b = 2") is None
    assert not exists(pid)
    assert works(parser, "python")
    assert parser.losses == 1


@pytest.mark.skipif(os.name == "nt", reason="not run: signals of POSIX absent on Windows")
def test_one_that_hangs_and_reads_nothing_is_killed_in_the_middle_of_a_large_file(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A frame larger than any pipe: it is the writing that waits."""
    monkeypatch.setattr(module, "_SECONDS", 1.0)
    assert works(parser, "python")
    assert parser.pid is not None
    os.kill(parser.pid, signal.SIGSTOP)
    assert whole(parser, "python", "b = 2  # large\n" * 15_000) is None
    assert works(parser, "python")
    assert parser.losses == 1


def test_an_answer_that_was_not_waited_for_is_nobody_elses(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C between question and answer."""
    assert works(parser, "python")
    interrupted = iter([True])

    def read(source: object) -> object:
        if next(interrupted, False):
            raise KeyboardInterrupt
        return read_message(source)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "read_message", read)
    with pytest.raises(KeyboardInterrupt):
        whole(parser, "python", "b = 2")
    assert parser.pid is None
    for number in range(3):
        found = whole(parser, "python", f"a{number} = {number}")
        assert found is not None
        assert [fact.name for fact in found.facts] == [f"a{number}"]
    assert parser.losses == 0


def test_one_that_is_killed_as_it_answers_costs_its_own_file(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    assert works(parser, "python")

    def read(source: object) -> object:
        answer = read_message(source)  # type: ignore[arg-type]
        if answer is not None and any("late" in fact for fact in answer.get("facts", ())):
            child = parser._child
            assert child is not None
            child._watch._process.kill()
            child._watch.has_killed = True
        return answer

    monkeypatch.setattr(module, "read_message", read)
    assert whole(parser, "python", "late = 1") is None
    assert works(parser, "python"), "it is not held against the next one"
    assert parser.losses == 1


@pytest.mark.skipif(sys.platform != "linux", reason="not run: /proc absent")
def test_its_memory_is_limited(parser: Parser) -> None:
    assert works(parser, "python")
    rows = Path(f"/proc/{parser.pid}/limits").read_text("ascii").splitlines()
    limit = next(int(row.split()[3]) for row in rows if row.startswith("Max address space"))
    assert limit <= 1 << 30
    for language in sorted(LANGUAGES):
        assert works(parser, language), "all grammars have room"


def test_many_large_files_are_not_all_kept(parser: Parser) -> None:
    line = "value = call(1, 2)  # of it"
    lines = (line,) * (200_000 // len(line))
    for number in range(8):
        assert parser("python", (*lines, f"a = {number}"), 1, 1) is not None
    assert 1 < len(parser._files) < 8
    assert parser("python", (*lines, "a = 0"), len(lines) + 1, len(lines) + 1) is not None


def test_one_that_cannot_be_started_is_not_tried_at_once_again(tmp_path: Path) -> None:
    missing = tmp_path / "no-such-program"
    with Parser([str(missing)]) as parser:
        assert not works(parser, "python")
        missing.write_text("#!/bin/sh\nsleep 3600\n")
        missing.chmod(0o755)
        assert not works(parser, "python")
        assert parser.pid is None


@pytest.mark.parametrize(
    "babble",
    ["print('hello, I am no frame' * 99)", "pass", "raise SystemExit(3)", "import os; os.write(1, bytes(9))"],
)
def test_rubbish_is_no_answer(babble: str) -> None:
    with Parser([sys.executable, "-c", babble]) as parser:
        for _ in range(5):
            assert not works(parser, "python")
        assert parser.losses == 3, "then it rests"


def test_closed_it_answers_none(parser: Parser) -> None:
    assert works(parser, "python")
    pid = parser.pid
    assert pid is not None
    parser.close()
    assert not exists(pid)
    assert not works(parser, "python")
    parser.close()


def test_forgotten_it_leaves_no_process() -> None:
    parser = Parser()
    assert works(parser, "python")
    pid = parser.pid
    assert pid is not None
    del parser
    gc.collect()
    assert not exists(pid)


def test_files_are_sent_once_and_only_some_are_kept(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bool] = []
    ask = module._Child.ask

    def noted(child: object, frame: bytes, seconds: float) -> object:
        if frame:
            sent.append(b'"text"' in frame)
        return ask(child, frame, seconds)  # type: ignore[arg-type]

    monkeypatch.setattr(module._Child, "ask", noted)
    files = [tuple(f"a = {n}\nb = {n}".split("\n")) for n in range(20)]
    for _ in range(2):
        for lines in files:
            for line in (1, 2):
                found = parser("python", lines, line, line)
                assert found is not None
                assert found.facts[0].value == lines[0].split()[-1]
    assert sent == [True, False] * 40
    sent.clear()
    for _ in range(5):
        assert parser("python", list(files[-1]), 1, 1) is not None
    assert parser("python", list(files[-1]), 1, 2) is not None
    assert sent == [False], "what was answered is not asked again"


def test_many_threads_are_all_answered(parser: Parser) -> None:
    wrong: list[str] = []

    def ask(language: str) -> None:
        wrong.extend(language for _ in range(20) if not works(parser, language))

    threads = [threading.Thread(target=ask, args=(language,)) for language in sorted(LANGUAGES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(MINUTE)
    assert wrong == []
    assert parser.losses == 0


@pytest.mark.skipif(os.name == "nt", reason="not run: kill -9 absent on Windows")
@pytest.mark.parametrize("text", ["'a = 1'", f"{STALLING[1][0]!r} * {len(STALLING[1])}"], ids=["idle", "stalled"])
def test_the_child_ends_with_its_parent(text: str) -> None:
    code = f"""
        from cite_lsp.worker.parser import Parser
        parser = Parser()
        parser("python", ("b = 1",), 1, 1)
        print(parser.pid, flush=True)
        parser("python", ({text},), 1, 1)
        input()
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        time.sleep(0.05)
        parent.kill()
    assert is_gone(pid)


def test_a_process_that_ends_in_order_complains_of_nothing() -> None:
    code = """
        from cite_lsp.worker.parser import Parser
        parser = Parser()
        assert parser("python", ("a = 1",), 1, 1) is not None
        print(parser.pid)
    """
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MINUTE)
    assert (done.returncode, done.stderr) == (0, "")
    assert is_gone(int(done.stdout))


def test_the_child_loads_little() -> None:
    code = """
        import sys
        import cite_lsp.worker.parsing.service
        heavy = {"asyncio", "pydantic", "httpx", "rapidfuzz", "pygls", "subprocess", "regex", "typer"}
        print(sorted(heavy & set(sys.modules)), [m for m in sys.modules if m.startswith("tree_sitter_")])
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "[] []"


def test_no_module_of_the_working_folder_is_loaded(
    parser: Parser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("cite_lsp", "orjson", "tree_sitter", "tree_sitter_python", "signal"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    assert works(parser, "python")
    assert not (tmp_path / "ran").exists()


HEADER = """
namespace pool {
template <typename T> class Pool : public Base<T> {
 public:
  static constexpr int limit = 5;
  std::vector<T> held;
};
}
"""


def test_a_header_of_cpp_is_read_as_such(parser: Parser) -> None:
    found = whole(parser, "c", HEADER)
    assert found is not None
    assert {(fact.owner, fact.name, fact.value) for fact in found.facts if fact.kind == "value"} == {
        ("pool.Pool", "limit", "5")
    }


def test_a_header_of_cpp_takes_no_longer_than_other_code() -> None:
    """By the grammar of C it takes so long that it depended on the load of the machine whether it was read."""
    text = HEADER * 1_500
    started = time.process_time()
    file = trees.parse("c", text)
    assert time.process_time() - started < trees.SECONDS * 2
    assert file.grammar.table.package == "tree_sitter_cpp"


@pytest.mark.parametrize("late", ["tree_sitter_c", "tree_sitter_cpp"])
def test_where_one_grammar_takes_too_long_the_other_one_is_asked(late: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parse = trees._tree

    def parse_unless_late(grammar: Grammar, source: bytes) -> object:
        if grammar.table.package == late:
            raise trees.GaveUp("it took too long to parse")
        return parse(grammar, source)

    monkeypatch.setattr(trees, "_tree", parse_unless_late)
    for text in ("int a = 1;", "struct a { int b; };\nstatic int c = d::e;"):
        assert trees.parse("c", text).grammar.table.package != late
