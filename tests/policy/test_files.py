"""Policy files: what they mean, and every fault at its place (`cite_lsp/policy/files.py`)."""

import json
import re
import tomllib
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from cite_lsp.config import load_settings
from cite_lsp.findings.catalogue import is_policy_code
from cite_lsp.policy.file_keys import (
    NAME,
    SHAPES,
    key_at,
    keys_at,
    placeholders_at,
    words_at,
)
from cite_lsp.policy.file_schema import file_schema
from cite_lsp.policy.files import (
    MAX_BYTES,
    FileFault,
    Places,
    PolicyFile,
    PolicyRead,
    policies_of,
    read_policy,
    read_policy_table,
    read_policy_tables,
    read_shipped,
    shipped_names,
)
from cite_lsp.policy.language import Check, Choice, Concern, Factor, Filter, Policy, Role, Score, Side, YesNo
from cite_lsp.policy.options import RunOptions
from cite_lsp.snapshot.snapshot import Snapshot

WHOLE = """\
name = "household"
summary = "what a household lives on"
applies_to = ["loans/*.md", "*.{txt,log}"]
passages = "sentences"
show = ["line", "input"]
input = "given"
threshold = 0.4
review_band = [0.3, 1]
window = 10
overlap = 2
strict_threshold = true
retries = 3

[[filter]]
name = "claims"
question = "Does {passage} claim anything?"
focus = "Look at {passage} alone."
yes = "It claims something."
no = { what = "It greets.", not_for = "A greeting with a claim.", examples = ["Hi.", "Dear all,"] }

[[factor]]
name = "dependents"
question = "Does {passage} name dependents?"
yes = "It does."
no = "It does not."

[[factor]]
name = "income"
question = "Does {passage} name an income?"
yes = "It does."
no = "It does not."

[[concern]]
name = "riddle"
category = "puzzles"
severity = "hint"
message = "{category} {concern} {verdict} {passage} {weight} {kind} {other}"
[concern.detect]
question = "Does {passage} pose a riddle?"
yes = "To be puzzled over."
no = "Plain."
[concern.confirm]
question = "Is {passage} still a riddle among the others?"
[concern.confirm.yes]
what = "Yes."
[concern.confirm.no]
what = "No."

[[concern]]
name = "too-little"
[[concern.role]]
name = "who"
factor = "dependents"
[[concern.role]]
name = "pay"
factor = "income"
optional = true
distinct = true
[[concern.check]]
name = "covers"
question = "Does {who} have nothing?"
yes = "y"
no = "n"
[[concern.check]]
name = "enough"
question = "Is {pay} too little for {who}?"
distinct = true
yes = "y"
no = "n"

[[score]]
name = "weight"
question = "How heavy?"
focus = "All of it."
levels = ["light", "middling", "heavy"]

[[score]]
name = "other"
question = "How other?"
levels = ["a", "b"]

[[choice]]
name = "kind"
question = "Which?"
options = { zebra = "z", apple = "a", "two words" = "b" }

[[test]]
name = "riddles"
text = "What has keys? It is shut."
input = "A book of riddles."
found = { riddle = ["keys"], too-little = [] }
verdicts = { riddle = "holds", "too-little" = "absent" }

[[test]]
name = "by hand"
passages = ["Two children.", { id = "pay", text = "No pay.", meta = { input = "own", line = 3 } }]
input = "x"
found = { too-little = ["pay", "Two"] }
"""


def good(text: str, path: str = "policies/household.toml") -> PolicyFile:
    read = read_policy(text, path)
    assert read.faults == ()
    assert read.file is not None
    assert read.name == read.file.name
    return read.file


def told(text: str, path: str = "policies/p.toml") -> list[tuple[str, str]]:
    """The marked text of each fault, and its message."""
    return marked(text, read_policy(text, path))


def marked(text: str, read: PolicyRead) -> list[tuple[str, str]]:
    lines = text.removeprefix("\ufeff").splitlines()
    assert read.file is None
    assert read.faults
    return [(lines[each.line - 1][each.column - 1 : each.end_column - 1], each.message) for each in read.faults]


# --- what a file means


def test_a_whole_file_is_the_policy_that_python_would_write() -> None:
    def asks(question: str, yes: str | Side = "It does.", no: str | Side = "It does not.") -> YesNo:
        return YesNo(question, yes, no)

    claims = YesNo(
        "Does {passage} claim anything?",
        "It claims something.",
        Side("It greets.", "A greeting with a claim.", ("Hi.", "Dear all,")),
        "Look at {passage} alone.",
    )
    assert good(WHOLE).policy == Policy(
        concerns=(
            Concern(
                "riddle",
                asks("Does {passage} pose a riddle?", "To be puzzled over.", "Plain."),
                asks("Is {passage} still a riddle among the others?", Side("Yes."), Side("No.")),
                category="puzzles",
            ),
            Concern(
                "too-little",
                roles=(Role("who", "dependents"), Role("pay", "income", optional=True, distinct=True)),
                checks=(
                    Check("covers", asks("Does {who} have nothing?", "y", "n")),
                    Check("enough", asks("Is {pay} too little for {who}?", "y", "n"), distinct=True),
                ),
            ),
        ),
        filters=(Filter("claims", claims),),
        factors=(
            Factor("dependents", asks("Does {passage} name dependents?")),
            Factor("income", asks("Does {passage} name an income?")),
        ),
        descriptors=(
            Score("weight", "How heavy?", ("light", "middling", "heavy"), "All of it."),
            Score("other", "How other?", ("a", "b")),
            Choice("kind", "Which?", {"zebra": "z", "apple": "a", "two words": "b"}),
        ),
    )


def test_options_of_a_choice_keep_their_order() -> None:
    choice = good(WHOLE).policy.descriptors[-1]
    assert isinstance(choice, Choice)
    assert [key for key, _ in choice.pairs] == ["zebra", "apple", "two words"]


def test_a_whole_file_says_how_it_is_asked_and_told() -> None:
    file = good(WHOLE)
    assert (file.name, file.path, file.summary) == ("household", "policies/household.toml", "what a household lives on")
    assert file.applies_to == ("loans/*.md", "*.{txt,log}")
    assert (file.passages, file.show, file.input) == ("sentences", ("line", "input"), "given")
    assert file.options == RunOptions(0.4, (0.3, 1), window=10, overlap=2, strict_threshold=True, retries=3)
    assert file.severities == {"riddle": "hint", "too-little": "warning"}
    assert file.messages == {"riddle": "{category} {concern} {verdict} {passage} {weight} {kind} {other}"}


LEAST = """\
passages = "lines"
[[concern]]
name = "c"
detect = { question = "Is {passage} so?", yes = "y", no = "n" }
"""


def test_what_a_file_does_not_say_has_its_default() -> None:
    file = good(LEAST, "deep/folder/my-policy.toml")
    assert (file.name, file.summary, file.applies_to, file.show, file.input) == ("my-policy", "", (), (), "none")
    assert file.options == RunOptions(retries=1)
    assert (file.severities, file.messages, file.tests) == ({"c": "warning"}, {}, ())


def test_input_is_shown_wherever_there_is_one() -> None:
    assert good('input = "cited"\nshow = ["line"]\n' + LEAST).show == ("line", "input")


def test_examples_have_their_passages_and_what_is_expected_of_each() -> None:
    split, by_hand = good(WHOLE).tests
    assert (split.name, split.text, split.input) == ("riddles", "What has keys? It is shut.", "A book of riddles.")
    assert [(unit["id"], unit["text"], unit["meta"]["input"]) for unit in split.units] == [
        ("S1", "What has keys?", "A book of riddles."),
        ("S2", "It is shut.", "A book of riddles."),
    ]
    assert split.found == {"riddle": ("S1",), "too-little": ()}
    assert split.verdicts == {"riddle": "holds", "too-little": "absent"}
    assert WHOLE.splitlines()[split.line - 1] == "[[test]]"
    assert by_hand.text is None
    assert by_hand.found == {"too-little": ("P000", "pay")}
    assert [unit["meta"] for unit in by_hand.units] == [{"input": "x"}, {"input": "own", "line": 3}]
    shown = by_hand.source(("line", "input"))
    assert shown.shown(shown.passages[1]) == {"line": 3, "input": "own", "id": "pay", "text": "No pay."}


def test_the_hash_is_of_what_answers_and_findings_hang_on() -> None:
    before = good(WHOLE).hash
    assert re.fullmatch("[0-9a-f]{16}", before)
    assert good(WHOLE.replace("what a household lives on", "other words")).hash == before
    assert good(WHOLE.replace('name = "by hand"', 'name = "another"') + "\n# remark\n").hash == before
    for old, new in (("pose a riddle", "hold a riddle"), ('"hint"', '"error"'), ("threshold = 0.4", "threshold = 0.5")):
        assert good(WHOLE.replace(old, new)).hash != before


def test_names_are_those_that_codes_can_have() -> None:
    for name in ("a", "_x.y-z", "9", "", "-a", ".a", "a b", "ä", "a/b", "a:b"):
        assert (re.fullmatch(NAME, name) is not None) == is_policy_code(f"policy:{name}/c")


# --- faults

FAULTY = """\
nam = "x"
summary = \"\"\"two
lines\"\"\"
applies_to = ["ok/*.md", "a["]
passages = "lines"
show = ["line", "speaker", "input", "line"]
threshold = true
review_band = [0.7, 0.3]
window = 3
overlap = 3
retries = -1
1st = 1979-05-27

[[filter]]
name = "f"
question = "Does {passag} claim, {line}?"
yes = "y"

[[filter]]
name = "é"
question = "Is {passage} é, 𝄞 {line}?"
focus = "two\\nlines"
yes = { wat = "y" }
no = 1979-05-27

[[factor]]
name = "unused"
question = "Is {passage} used?"
yes = "y"
no = ""

[[concern]]
name = "has space"
severty = "warning"
severity = "loud"
message = "{verdct} {other}"

[[concern]]
name = "built"
category = 3
detect = { question = "Is {passage} so?", yes = "y", no = "n" }
[[concern.role]]
name = "passage"
factor = "nope"
optional = "yes"
[[concern.check]]
name = "a:b"
question = "Is it {who}?"
yes = ["y"]
no = { what = "n", examples = [1, "x"] }

[[concern]]
name = "f"
[concern.detect]
focus = "x"

[[score]]
name = "s"
question = "How {passage}?"
levels = ["a", "a"]

[[choice]]
name = "s"
question = "Which?"
options = {}

[[test]]
name = "t"
text = "One.\\nTwo one."
passages = []
input = "never"
found = { bilt = [], built = ["One", "L3", "one"], f = ["L1"] }
verdicts = { f = "fails", built = "maybe" }

[[test]]
name = "t"
passages = [{ id = "a.b", text = "x" }, { text = " " }, "y", { id = "P002", text = "z" }]
"""

NOT_BLANK = "legal is a text that is not blank"
MEANT = "{} has no key \"{}\"; did you mean '{}'?"
EXPECTED = [
    (1, 1, 4, "a policy has no key \"nam\"; did you mean 'name'?"),
    (2, 11, 17, "a summary has to be one line of text"),
    (4, 26, 30, "this glob cannot be used: it can match nothing: a bracket may not be closed"),
    (6, 17, 26, "lines have no speaker; legal is line, input"),
    (6, 28, 35, 'there is no input to show; set input = "given" or input = "cited"'),
    (6, 37, 43, '"line" is given twice'),
    (7, 13, 17, "true was given; legal is a number from 0 to 1"),
    (8, 15, 25, "review_band is (0.7, 0.3); it has to be two numbers with 0 <= low < high <= 1"),
    (10, 11, 12, "overlap is 3; it has to be a whole number of passages, from 0 to less than window"),
    (11, 11, 13, "-1 was given; legal is a whole number, 0 or more"),
    (12, 1, 4, 'a policy has no key "1st"'),
    (14, 1, 11, 'a filter needs "no"'),
    (16, 12, 42, "the filter 'f' must use {passage} in its question"),
    (16, 18, 26, "the filter 'f' may only use {passage}, got {passag}, {line}"),
    (21, 31, 37, "the filter 'é' may only use {passage}, got {line}"),
    (22, 9, 21, "the focus of the filter 'é' has to be one line of text"),
    (23, 9, 12, "what counts as yes or no has no key \"wat\"; did you mean 'what'?"),
    (24, 6, 16, f"1979-05-27 was given; {NOT_BLANK}, or a table"),
    (27, 8, 16, "the factor 'unused' fills no role"),
    (30, 6, 8, f'"" was given; {NOT_BLANK}'),
    (32, 1, 12, "the concern 'has space' needs a detect or roles, not both, and has neither"),
    (33, 8, 19, ('"has space" was given; legal is a name of letters, digits, "_", "." and "-" that begins with none of'
     " the last two")),
    (34, 1, 8, "a concern has no key \"severty\"; did you mean 'severity'?"),
    (35, 12, 18, '"loud" was given; legal is "error", "warning", "information", "hint" or "off"'),
    (36, 12, 20, "a message has no placeholder {verdct}; did you mean {verdict}?"),
    (36, 21, 28, "a message has no placeholder {other}; there are {concern}, {category}, {verdict}, {passage}, {s}"),
    (38, 1, 12, "the concern 'built' needs a detect or roles, not both, and has both"),
    (38, 1, 12, ("the concern 'built' needs a check that names only required roles and is not distinct, so that every"
     " finding is judged by something")),
    (40, 12, 13, f"3 was given; {NOT_BLANK}"),
    (43, 8, 17, "a role cannot be named passage: checks read it as a placeholder"),
    (44, 10, 16, "the role 'passage' names the factor 'nope', which is not declared"),
    (45, 12, 17, '"yes" was given; legal is true or false'),
    (47, 8, 13, "the name 'a:b' must not contain \":\""),
    (48, 12, 26, "the check 'a:b' must name at least one of its concern's roles in its question"),
    (48, 19, 24, "the check 'a:b' names the unknown role {who}"),
    (49, 7, 12, f"a list was given; {NOT_BLANK}, or a table"),
    (50, 32, 33, f"1 was given; {NOT_BLANK}"),
    (53, 8, 11, "the name 'f' is declared twice: filters, concerns and factors share their names"),
    (54, 1, 17, 'a question needs "question"'),
    (54, 1, 17, 'a question needs "yes"'),
    (54, 1, 17, 'a question needs "no"'),
    (59, 12, 28, "the score 's' must not use placeholders: it is asked of all evidence"),
    (60, 16, 19, '"a" is given twice'),
    (63, 8, 11, "the name 's' is declared twice: scores and choices share their names"),
    (65, 11, 13, "the choice 's' needs at least one option, with unique keys and a text each"),
    (67, 1, 9, "a test needs text or passages, not both, and has both"),
    (70, 12, 14, "0 are given; legal is a list of one item or more, each item a text that is not blank, or a table"),
    (71, 9, 16, 'this input is never read: the policy\'s input is "none"'),
    (72, 11, 15, "there is no concern \"bilt\"; did you mean 'built'?"),
    (72, 38, 42, "no passage of this test has this id or holds this text; the ids are L1, L2"),
    (73, 18, 25, 'found expects evidence that holds, so the verdict cannot be "fails"'),
    (73, 35, 42, '"maybe" was given; legal is "holds", "review", "fails" or "absent"'),
    (76, 8, 11, '"t" is the name of another test'),
    (77, 13, 39, "id 'a.b' would break a path: no white space, dots, back-ticks and brackets"),
    (77, 50, 53, f'" " was given; {NOT_BLANK}'),
    (77, 62, 89, 'the id "P002" is that of another passage'),
]  # fmt: skip


def test_every_fault_of_a_file_is_told_at_once_each_at_its_place() -> None:
    read = read_policy(FAULTY, "policies/p.toml")
    assert [(each.line, each.column, each.end_column, each.message) for each in read.faults] == EXPECTED
    assert len(EXPECTED) > 50
    assert read.file is None
    assert read.name == "x"


def test_the_path_of_a_fault_leads_to_it_in_the_tree() -> None:
    tree: Any = tomllib.loads(FAULTY)
    for each in read_policy(FAULTY, "policies/p.toml").faults:
        value = tree
        for part in each.path:
            value = value[part]


def test_a_fault_follows_from_no_other() -> None:
    """One thing is broken at a time; what only looks wrong because of it is not told."""
    for old, new, expected in (
        ('name = "dependents"\n', "", [("[[factor]]", 'a factor needs "name"')]),
        ('name = "dependents"\n', "name = 3\n", [("3", f"3 was given; {NOT_BLANK}")]),
        ('name = "who"\n', "", [("[[concern.role]]", 'a role needs "name"')]),
        ('factor = "income"\n', "", [("[[concern.role]]", 'a role needs "factor"')]),
        ('factor = "income"\n', 'facter = "income"\n', [("facter", MEANT.format("a role", "facter", "factor"))]),
        ('question = "Does {who} have nothing?"\n', "", [("[[concern.check]]", 'a check needs "question"')]),
        ('question = "Is {pay} too little for {who}?"\n', "", [("[[concern.check]]", 'a check needs "question"')]),
        ("[concern.detect]", "[concern.detekt]", [("[concern.detekt]", MEANT.format("a concern", "detekt", "detect"))]),
        ('passages = "sentences"', 'passages = "sentence"', None),
        ('name = "riddle"\n', "", [("[[concern]]", 'a concern needs "name"'), ("riddle", None), ("riddle", None)]),
        ('levels = ["a", "b"]', "levels = 3", None),
        ('levels = ["a", "b"]', 'levels = ["a"]', None),
        ("window = 10", 'window = "10"', None),
        ("review_band = [0.3, 1]", 'review_band = [0.3, "x"]', None),
        ("[[filter]]", "[filter]", None),
    ):  # fmt: skip
        assert old in WHOLE
        found = told(WHOLE.replace(old, new, 1))
        if expected is None:
            assert len(found) == 1, found
        else:
            assert [place for place, _ in found] == [place for place, _ in expected]
            assert all(
                message is None or message == said for (_, said), (_, message) in zip(found, expected, strict=True)
            )


def test_a_list_of_tables_that_is_none_is_one_fault() -> None:
    for key in ("role", "check"):
        text = re.sub(rf"\[\[concern\.{key}\]\]\n(?:\w+ = .*\n)+", "", WHOLE)
        text = text.replace('name = "too-little"\n', f'name = "too-little"\n{key} = 3\n')
        (only,) = [message for _, message in told(text) if "fills no role" not in message]
        assert only == f"3 was given; legal is a list of tables: [[concern.{key}]]"
    assert told('passages = "lines"\nconcern = 3\n') == [("3", "3 was given; legal is a list of tables: [[concern]]")]


def test_a_table_with_nothing_in_it_is_told_what_it_lacks() -> None:
    assert told('passages = "lines"\n[[concern]]\n[[concern]]\nname = "a"\nrole = []\n') == [
        ("[[concern]]", 'a concern needs "name"'),
        ("[[concern]]", "the concern 'unnamed' needs a detect or roles, not both, and has neither"),
        ("[[concern]]", "the concern 'a' needs a detect or roles, not both, and has neither"),
    ]
    assert told('passages = "lines"\nconcern = [3, {}]\n') == [
        ("3", "3 was given; legal is a table"),
        ("{}", 'a concern needs "name"'),
        ("{}", "the concern 'unnamed' needs a detect or roles, not both, and has neither"),
    ]


def test_a_file_without_concerns_is_told_so_once() -> None:
    (one,) = read_policy('passages = "lines"\n', "p.toml").faults
    assert (one.line, one.column, one.message) == (1, 1, 'a policy needs "concern": a list of tables: [[concern]]')
    (one,) = read_policy('passages = "lines"\nconcern = []\n', "p.toml").faults
    assert "a policy needs at least one concern" in one.message


def test_examples_are_checked_against_the_policy() -> None:
    test = '\n[[test]]\nname = "t"\n'
    for body, expected in (
        ('text = "a\\nab"\nfound = { c = ["a"] }\n',
         '2 passages hold this text (L1, L2); give an id, or more of the text'),
        ('text = " \\n "\n', f'" \\n " was given; {NOT_BLANK}'),
        ('text = "\\ufeff"\n', "this text has no passages; the policy is asked of lines"),
        ("", "a test needs text or passages, not both, and has neither"),
        ('passages = [{ text = "x", meta = { when = 1979-05-27 } }]\n',
         "1979-05-27 was given; legal is what JSON can hold: no date, no time, no infinite number"),
        ('passages = [{ text = "x", meta = { far = inf } }]\n',
         "Infinity was given; legal is what JSON can hold: no date, no time, no infinite number"),
    ):  # fmt: skip
        assert [message for _, message in told(LEAST + test + body)] == [expected]
    (one,) = told('input = "given"\n' + LEAST + test + 'text = "x"\n')
    assert one == ("[[test]]", 'a test needs input, as the policy\'s input is "given"')
    assert good('input = "given"\n' + LEAST + test + 'text = "x"\ninput = ""\n').tests[0].input == ""


def test_a_verdict_that_what_is_found_rules_out_is_a_fault() -> None:
    test = LEAST + '\n[[test]]\nname = "t"\ntext = "a"\n'
    none, some = (f"found expects {what}evidence that holds, so the verdict cannot be " for what in ("no ", ""))
    for found, verdict, expected in (
        ("", "holds", f'{none}"holds"'),
        ("found = { c = [] }\n", "holds", f'{none}"holds"'),
        ('found = { c = ["a"] }\n', "review", f'{some}"review"'),
        ('found = { c = ["a"] }\n', "holds", None),
        ("", "review", None),
    ):
        read = read_policy(f'{test}{found}verdicts = {{ c = "{verdict}" }}\n', "p.toml")
        messages = [each.message for each in read.faults]
        assert messages == ([] if expected is None else [expected])
    for found in ("3", "{ c = 3 }", "{ c = [3] }"):  # which is said, and nothing that follows from it
        assert len(told(f'{test}found = {found}\nverdicts = {{ c = "holds" }}\n')) == 1


def test_keys_of_the_policy_below_a_table_are_told_where_they_belong() -> None:
    assert told(LEAST + "\nthreshold = 0.3\n[[concern.filter]]\n") == [
        ("threshold", 'a concern has no key "threshold"; it is one of the policy: write it above all tables'),
        ("[[concern.filter]]", 'a concern has no key "filter"; it is one of the policy: [[filter]]'),
    ]


def test_keys_that_are_no_texts_are_faults_as_others_are() -> None:
    table = {"name": "p", "passages": "lines", "concern": [{"name": "c", "detect": {1: "a"}}]}
    read = read_policy_table(table, Places(), "editor", ("policy", 0))
    assert read.faults[0].message == "a question has no key 1"


def test_a_table_that_is_there_by_what_is_in_it_has_the_place_of_that() -> None:
    text = 'name = "p"\npassages = "lines"\n[[concern.role]]\nname = "r"\n'
    assert told(text) == [("[[concern.role]]", "a table was given; legal is a list of tables: [[concern]]")]


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("a = \n", 1, 5, "not valid TOML"),
        ('passages = "lines"\nx = "é', 2, 7, "not valid TOML"),
        ("[a]\nb = 1\n[a]\n", 3, 3, "not valid TOML"),
        ("a = 1\r\nb = \r\n", 2, 5, "not valid TOML"),
        ("\ufeffa = \n", 1, 6, "not valid TOML"),
        ("a = 1\nb = " + "9" * 6_000, 2, 5, "a number of thousands of digits"),
        ("a = 1\n" + "b." * 100 + "c = 1", 2, 1, "a key of more than 64 parts"),
        ("a = " + "[" * 50_000, 1, 1, "nested too deeply"),
        ("a = 1\n" + "# x\n" * 300_000, 1, 1, "over 1,000,000 bytes"),
        ("a = 1979-13-45\n", 1, 9, "not valid TOML"),
        ("", 1, 1, 'needs "passages"'),
        ("\x00", 1, 1, "not valid TOML"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_keeps_a_file_from_being_read_is_one_fault(
    text: str, line: int, column: int, said: str, ends: Callable[[], AbstractContextManager[None]]
) -> None:
    with ends():
        read = read_policy(text, "p.toml")
    assert read.file is None
    first = read.faults[0]
    assert (first.line, first.column) == (line, column)
    assert said in first.message


def test_lines_that_end_in_two_characters_and_a_mark_before_them_move_no_fault() -> None:
    plain = read_policy(FAULTY, "p.toml").faults
    assert read_policy(FAULTY.replace("\n", "\r\n"), "p.toml").faults == plain
    marked_ = read_policy("\ufeff" + FAULTY, "p.toml").faults
    assert [each.message for each in marked_] == [each.message for each in plain]
    assert [(each.line, each.column) for each in marked_] == [
        (each.line, each.column + (each.line == 1)) for each in plain
    ]
    assert good(WHOLE.replace("\n", "\r\n")) == good(WHOLE)


def test_of_very_many_faults_the_first_hundred_are_told() -> None:
    read = read_policy("".join(f"zzz{number} = 1\n" for number in range(5_000)) + LEAST, "p.toml")
    assert len(read.faults) == 101
    assert read.faults[-1].message == "4,900 more faults stand here and below"
    assert read.faults[-1].line == 101


def test_a_file_s_name_that_is_none_for_a_policy_is_told_at_its_beginning() -> None:
    (one,) = read_policy(LEAST, "policies/my policy.toml").faults
    assert (one.line, one.column) == (1, 1)
    assert 'the file\'s name "my policy" is no name for a policy' in one.message
    assert good('name = "mine"\n' + LEAST, "policies/my policy.toml").name == "mine"


def _edited(text: str, edits: list[tuple[float, int, str]]) -> str:
    for share, length, new in edits:
        at = int(share * len(text))
        text = text[:at] + new + text[at + length :]
    return text


_PIECES = st.sampled_from(
    [
        *WHOLE.splitlines(keepends=True),
        *FAULTY.splitlines(keepends=True),
        "[[",
        "]]",
        "{",
        "}",
        '"',
        "'",
        '"""',
        "=",
        "\n",
        "\r\n",
        "1",
        "true",
        "inf",
        "nan",
        "1979-05-27",
        "[concern.",
        "name",
        "x = 1\n",
        "\x00",
        "\ufeff",
        "{who}",
        "\\ud800",
    ]
)
_MUTATED = st.builds(
    _edited,
    st.sampled_from([WHOLE, FAULTY, LEAST]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), st.one_of(st.just(""), _PIECES)), max_size=6),
)


def _is_sound(read: PolicyRead, text: str) -> None:
    assert (read.file is None) == bool(read.faults)
    lines = re.split("\r\n|\r|\n", text)
    for each in read.faults:
        assert 1 <= each.line <= len(lines)
        assert 1 <= each.column <= each.end_column <= len(lines[each.line - 1]) + 1
        assert each.message
        assert not each.message.endswith(".")
        each.message.encode()
    assert [(each.line, each.column) for each in read.faults] == sorted(
        (each.line, each.column) for each in read.faults
    )


@given(_MUTATED)
def test_no_edit_makes_reading_fail(text: str) -> None:
    _is_sound(read_policy(text, "policies/p.toml"), text)


@given(st.one_of(st.text(max_size=60), st.lists(_PIECES, max_size=30).map("".join)))
def test_any_text_is_read(text: str) -> None:
    _is_sound(read_policy(text, "policies/p.toml"), text)


def _leaves(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, each in items for found in _leaves(each, (*path, key)))]


_TREE = tomllib.loads(WHOLE)
_ODD = st.sampled_from(
    [None, 0, -1, 1.5, float("nan"), True, "", " ", "x", "{who} {passage}", "a:b", [], {}, [[]], [{}], {"name": "x"},
     "\ud800",
     10**400]
)  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(_leaves(_TREE)[1:]), _ODD), min_size=1, max_size=4))
def test_no_value_anywhere_in_a_table_of_settings_makes_reading_fail(
    edits: list[tuple[tuple[str | int, ...], Any]],
) -> None:
    tree = json.loads(json.dumps(_TREE))
    for path, value in edits:
        holder: Any = tree
        for part in path[:-1]:
            try:
                holder = holder[part]
            except (KeyError, IndexError, TypeError):
                break
        else:
            if isinstance(holder, dict) or (
                isinstance(holder, list) and isinstance(path[-1], int) and path[-1] < len(holder)
            ):
                if isinstance(holder, dict) and value is None:
                    holder.pop(path[-1], None)
                else:
                    holder[path[-1]] = value
    _is_sound(read_policy_table(tree, Places(), "editor", ("policy", 0)), "")


# --- a policy in the settings

SETTINGS = """\
[files]
include = ["*.md"]

[[policy]]
name = "one"
passages = "lines"
[[policy.concern]]
name = "c"
detect = { question = "Is {passag} so?", yes = "y", no = "n" }

[[policy]]
passages = "line"
concern = []
"""


def test_faults_of_a_policy_in_the_settings_stand_in_their_file(tmp_path: Path) -> None:
    for name, text, prefix in (
        ("cite-lsp.toml", SETTINGS, ("policy",)),
        ("pyproject.toml", re.sub(r"(?m)^(\[+)", r"\1tool.cite-lsp.", SETTINGS), ("tool", "cite-lsp", "policy")),
    ):
        folder = tmp_path / name.partition(".")[0]
        folder.mkdir()
        (folder / name).write_text(text, encoding="utf-8")
        loaded = load_settings(str(folder), user_file=str(tmp_path / "none.toml"), environment={})
        assert loaded.problems == ()
        source = loaded.sources["policy"]
        first, second = read_policy_tables(loaded.settings.policy, Path(source).read_text(encoding="utf-8"), source)
        assert first.path == str(folder / name)
        assert marked(text, first) == [
            ('"Is {passag} so?"', "the detect of the concern 'c' must use {passage} in its question"),
            ("{passag}", "the detect of the concern 'c' may only use {passage}, got {passag}"),
        ]
        assert first.faults[0].path == (*prefix, 0, "concern", 0, "detect", "question")
        assert next(place for place, _ in marked(text, second)).endswith("policy]]")
        assert [message for _, message in marked(text, second)] == [
            "a policy in the settings needs name",
            "a policy needs at least one concern",
            ('"line" was given; legal is "lines", "sentences", "paragraphs", "list-items", "sections", "log-lines" or '
            "\"turns\"; did you mean 'lines'?"),
        ]  # fmt: skip


def test_a_policy_of_an_editor_s_settings_has_no_places() -> None:
    table = tomllib.loads(SETTINGS)["policy"][0]
    for text in (None, "[[policy]]\nname = 'other'\n", "not toml ["):
        (read,) = read_policy_tables([table], text, "editor")
        assert {(each.line, each.column, each.end_column) for each in read.faults} == {(1, 1, 1)}
    table["concern"][0]["detect"]["question"] = "Is {passage} so?"
    (read,) = read_policy_tables([table], None, "editor")
    assert read.file is not None
    assert (read.file.name, read.file.path) == ("one", "editor")
    assert (
        read_policy_tables(["x"], None, "editor")[0].faults[0].message
        == '"x" was given; legal is a list of tables: [[policy]]'
    )


# --- the policies of a project


def test_the_policies_of_a_project_are_ours_that_it_names_its_files_and_its_tables(tmp_path: Path) -> None:
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "b.toml").write_text(LEAST, encoding="utf-8")
    (folder / "a.toml").write_bytes(LEAST.replace("\n", "\r\n").encode("utf-8-sig"))
    (folder / "old.toml").write_text("broken", encoding="utf-8")
    (folder / "latin.toml").write_bytes(b'passages = "lines"\n# caf\xe9\n')
    (folder / "large.toml").write_bytes(b"#" * (MAX_BYTES + 1))
    (folder / "gone.toml").symlink_to(tmp_path / "nowhere.toml")
    (folder / "out.toml").symlink_to("/etc/hostname")
    (folder / "zero.toml").write_bytes(b"\x00\x01")
    snapshot = Snapshot.open(str(tmp_path))
    paths = [*snapshot.indexes[0].paths, "policies/gone.toml", "policies/out.toml"]
    table = tomllib.loads(LEAST) | {"name": "tabled"}
    found = policies_of(
        ["shipped:log-triage", "policies/*.toml", "!policies/old.toml", "shipped:log-triag"],
        sorted(set(paths)),
        lambda path: snapshot.reader.read_text(str(tmp_path / path), max_bytes=MAX_BYTES),
        tables=[table],
        tables_path="editor",
    )
    assert [(each.path, each.name, each.file is not None) for each in found] == [
        ("shipped:log-triage", "log-triage", True),
        ("shipped:log-triag", "log-triag", False),
        ("policies/a.toml", "a", True),
        ("policies/b.toml", "b", True),
        ("policies/gone.toml", "", False),
        ("policies/large.toml", "", False),
        ("policies/latin.toml", "", False),
        ("policies/out.toml", "", False),
        ("policies/zero.toml", "", False),
        ("editor", "tabled", True),
    ]
    said = {each.path: [(fault.line, fault.column, fault.message) for fault in each.faults] for each in found}
    assert said["shipped:log-triag"] == [
        (1, 1, "no policy \"log-triag\" comes with cite-lsp; did you mean 'log-triage'?")
    ]
    assert said["policies/latin.toml"] == [(2, 6, "this policy file is not UTF-8")]
    assert said["policies/large.toml"] == [(1, 1, "a policy file over 1,000,000 bytes is not read")]
    assert said["policies/gone.toml"] == [(1, 1, "this policy file does not exist")]
    assert said["policies/out.toml"] == [(1, 1, "this policy file lies outside the workspace folders")]
    assert said["policies/zero.toml"] == [(1, 1, "this policy file holds NUL bytes, so it is not text")]


def test_of_two_policies_with_one_name_the_second_is_faulty() -> None:
    named = 'summary = "x"\nname = "b"\n' + LEAST
    snapshot = Snapshot.of({"policies/b.toml": LEAST, "policies/c.toml": named, "policies/d.toml": named})
    read = partial(snapshot.reader.read_text, max_bytes=MAX_BYTES)
    first, second, third = policies_of(["policies/*.toml"], snapshot.indexes[0].paths, read)
    assert first.file is not None
    for each in (second, third):
        assert each.file is None
        assert each.faults == (
            FileFault(
                2,
                8,
                11,
                ("name",),
                'another policy has the name "b": that of policies/b.toml; give it a name of its own',
            ),
        )


def test_every_shipped_policy_is_without_faults() -> None:
    assert set(shipped_names()) >= {"answers-grounded", "hedged-claims", "log-triage"}
    for name in shipped_names():
        read = read_shipped(name)
        assert read.faults == ()
        assert read.file is not None
        assert read.file.name == name


# --- the schema


def _valid(text: str) -> bool:
    return Draft202012Validator(file_schema()).is_valid(tomllib.loads(text))


def test_the_schema_is_one_and_takes_what_is_right() -> None:
    Draft202012Validator.check_schema(file_schema())
    json.dumps(file_schema())
    assert _valid(WHOLE)
    assert _valid(LEAST)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('passages = "sentences"\n', ""),
        ('passages = "sentences"', 'passages = "words"'),
        ("threshold = 0.4", "threshold = 2"),
        ("window = 10", "window = 0"),
        ("window = 10", "windw = 10"),
        ("review_band = [0.3, 1]", "review_band = [0.3]"),
        ("retries = 3", "retries = true"),
        ('show = ["line", "input"]', 'show = ["line", "line"]'),
        ('severity = "hint"', 'severity = "loud"'),
        ('yes = "It claims something."', "yes = 3"),
        ('what = "It greets."', 'wat = "It greets."'),
        ('name = "riddle"', 'name = "a riddle"'),
        ('levels = ["a", "b"]', 'levels = ["a", "a"]'),
        ('levels = ["a", "b"]', 'levels = ["a"]'),
        ('riddle = "holds"', 'riddle = "maybe"'),
        ('summary = "what a household lives on"', 'summary = " "'),
    ],
)
def test_the_schema_refuses_what_reading_refuses(old: str, new: str) -> None:
    text = WHOLE.replace(old, new, 1)
    assert text != WHOLE
    assert not _valid(text)
    assert read_policy(text, "p.toml").faults


@given(st.lists(st.tuples(st.sampled_from(_leaves(_TREE)[1:]), _ODD), min_size=1, max_size=2))
def test_what_reading_takes_the_schema_takes_too(edits: list[tuple[tuple[str | int, ...], Any]]) -> None:
    tree = json.loads(json.dumps(_TREE))
    for path, value in edits:
        holder: Any = tree
        for part in path[:-1]:
            try:
                holder = holder[part]
            except (KeyError, IndexError, TypeError):
                return
        if not (isinstance(holder, dict) and path[-1] in holder) or value is None:
            return
        holder[path[-1]] = value
    if read_policy_table(tree, Places(), "editor", ("policy", 0)).file is not None:
        assert Draft202012Validator(file_schema()).is_valid(tree)


# --- what an editor asks


def test_keys_that_may_stand_in_a_table() -> None:
    assert set(keys_at(())) == set(SHAPES["policy"])
    assert set(keys_at(("concern",))) == set(keys_at(("concern", 0))) == set(SHAPES["concern"])
    assert (
        set(keys_at(("concern", "role")))
        == set(keys_at(("concern", 1, "role", 0)))
        == {"name", "factor", "optional", "distinct"}
    )
    assert set(keys_at(("concern", 0, "detect", "yes"))) == {"what", "not_for", "examples"}
    assert set(keys_at(("test", 0, "passages", 0))) == {"id", "text", "meta"}
    assert not keys_at(("choice", 0, "options"))
    assert not keys_at(("concern", 0, "name"))
    assert not keys_at(("nothing",))
    key = key_at(("concern", 0, "severity"))
    assert key is not None
    assert key.meaning == "How loudly a finding that holds is told."
    assert key_at(("show", 0)) is SHAPES["policy"]["show"]
    assert key_at(()) is None


def test_placeholders_and_words_that_may_stand_at_a_place() -> None:
    tree = tomllib.loads(WHOLE)
    assert placeholders_at(tree, ("filter", 0, "question")) == ("passage",)
    assert placeholders_at(tree, ("concern", 0, "confirm", "focus")) == ("passage",)
    assert placeholders_at(tree, ("concern", 1, "check", 1, "question")) == ("who", "pay")
    assert placeholders_at(tree, ("score", 0, "question")) == ()
    assert placeholders_at(tree, ("filter", 0, "yes")) is None
    assert placeholders_at(tree, ("concern", 0, "message")) == (
        "concern", "category", "verdict", "passage", "weight", "other", "kind",
    )  # fmt: skip
    assert words_at(tree, ("concern", 1, "role", 0, "factor")) == ("dependents", "income")
    assert words_at(tree, ("concern", 1, "severity")) == ("error", "warning", "information", "hint", "off")
    assert words_at(tree, ("test", 0, "found")) == ("riddle", "too-little")
    assert words_at(tree, ("test", 0, "verdicts", "riddle")) == ("holds", "review", "fails", "absent")
    assert words_at(tree, ("show", 0)) == ("line", "section", "input")
    assert words_at({}, ("strict_threshold",)) == ("true", "false")
    for odd in ({"concern": 3, "factor": [1], "score": {}}, {"concern": [None, {"role": [3]}], "passages": []}):
        for path in _leaves(tree):
            placeholders_at(odd, path)
            words_at(odd, path)
