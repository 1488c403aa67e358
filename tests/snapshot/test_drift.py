"""What became of a cited text, row by row of the table of drifts."""

import pytest

from cite_lsp.snapshot.baseline import CONTEXT, Baseline, Twin
from cite_lsp.snapshot.drift import Drift, Standing, drift_of, shifted

OLD = """import os

LIMIT = 40


def take(bucket, count):
    if count > LIMIT:
        raise TooMany(count)
    bucket.level -= count
    return bucket.level


def refill(bucket, now):
    elapsed = now - bucket.since
    bucket.level += elapsed * bucket.rate
    return bucket.level


def reset(bucket):
    bucket.level = LIMIT
""".split("\n")[:-1]


def lines(*texts: str) -> tuple[str, ...]:
    return tuple(line for text in texts for line in text.split("\n"))


def written(first: int, last: int, old: list[str] | tuple[str, ...] = OLD, path: str = "a.py") -> Baseline:
    """Give the baseline of lines (1-based) of a file."""
    old = tuple(old)
    size = last - first + 1
    block = old[first - 1 : last]

    def around(at: int) -> Twin:
        return Twin(old[max(0, at - CONTEXT) : at], old[at + size : at + size + CONTEXT])

    twins = [around(at) for at in range(len(old)) if old[at : at + size] == block and at != first - 1]
    return Baseline("text", "c0ffee", 1234, path, path, first, last, block, *around(first - 1), tuple(twins))


def drift(baseline: Baseline, now: list[str] | tuple[str, ...] | None, sentence: str = "", path: str = "a.py") -> Drift:
    found = drift_of(baseline, path, (baseline.first, baseline.last), {path: now and tuple(now)}.get, sentence)
    assert (found.baseline, found.time) == ("c0ffee", 1234)
    return found


def standing(found: Drift) -> list[tuple[int, int]]:
    return [(place.first, place.last) for place in found.places]


def edited(first: int, last: int, *new: str) -> list[str]:
    """Give `OLD` with other lines in place of those from `first` to `last` (1-based)."""
    return OLD[: first - 1] + list(new) + OLD[last:]


# --- same


def test_same() -> None:
    assert drift(written(6, 8), OLD).status == "same"
    assert drift(written(6, 8), [f"{line}  \t" for line in OLD]).status == "same"
    assert drift(written(6, 8), edited(19, 20)).status == "same"


def test_indented_in_place_is_the_same_reformatted() -> None:
    found = drift(written(7, 8), edited(7, 8, "        if count > LIMIT:", "\traise  TooMany(count)"))
    assert (found.status, found.reformatted) == ("same", True)


def test_a_name_changed_in_place_is_the_same_reformatted() -> None:
    new = [line.replace("elapsed", "passed") for line in OLD]
    found = drift(written(13, 16), new)
    assert (found.status, found.reformatted) == ("same", True)


# --- moved


def test_moved_within_the_file() -> None:
    found = drift(written(6, 8), ["#!python", "", *OLD])
    assert found == Drift("moved", (Standing("a.py", 8, 10),), "c0ffee", 1234)


@pytest.mark.parametrize("first", range(1, 21))
def test_every_line_that_says_something_is_found_again(first: int) -> None:
    found = drift(written(first, first), ["#!python", "", "# a bucket", *OLD])
    assert (found.status, standing(found)) in (("moved", [(first + 3, first + 3)]), ("same", [])) or (
        found.status == "moved" and len(found.places) > 1 and found.places[0].first == first + 3
    )


def test_moved_to_the_file_it_was_renamed_to() -> None:
    baseline = written(6, 8)._replace(now="b.py")
    found = drift_of(baseline, "", (6, 8), {"b.py": ("", *OLD)}.get)
    assert (found.status, found.places) == ("moved", (Standing("b.py", 7, 9),))
    found = drift_of(baseline, "a.py", (6, 8), {"b.py": tuple(OLD), "a.py": ("x = 1",)}.get)
    assert (found.status, found.places) == ("moved", (Standing("b.py", 6, 8),))


def test_what_stands_at_the_span_is_the_same_whatever_git_says() -> None:
    baseline = written(6, 8)._replace(now="b.py")
    assert drift_of(baseline, "a.py", (6, 8), {"b.py": tuple(OLD), "a.py": tuple(OLD)}.get).status == "same"


def test_in_both_files_is_several_places() -> None:
    baseline = written(6, 8)._replace(now="b.py")
    found = drift_of(baseline, "a.py", (6, 8), {"b.py": ("", *OLD), "a.py": ("", *OLD)}.get)
    assert found.status == "moved"
    assert {place.path for place in found.places} == {"a.py", "b.py"}


def test_several_places_begin_with_that_whose_neighbours_agree() -> None:
    found = drift(written(16, 16), ["#!python", *OLD])
    assert (found.status, standing(found)) == ("moved", [(17, 17), (11, 11)])
    many = ["#", *(line for number in range(20) for line in (f"def f{number}():", "    return bucket.level"))]
    found = drift(written(16, 16), many)
    assert (found.status, len(found.places)) == ("moved", 5)


def test_a_re_indented_block_moved() -> None:
    new = ["#", "class Bucket:", *(line and f"    {line}" for line in OLD)]
    found = drift(written(13, 16), new)
    assert (found.status, standing(found), found.reformatted) == ("moved", [(15, 18)], True)


def test_a_name_changed_throughout_moved() -> None:
    new = ["# buckets", *(line.replace("elapsed", "passed") for line in OLD)]
    found = drift(written(13, 16), new)
    assert (found.status, standing(found), found.reformatted) == ("moved", [(14, 17)], True)


def test_a_name_that_stands_once_was_edited() -> None:
    new = ["# buckets", *(line.replace("since", "start") for line in OLD)]
    found = drift(written(13, 16), new)
    assert (found.status, standing(found)) == ("edited", [(14, 17)])


# --- too common


def test_a_brace_is_known_by_its_neighbours() -> None:
    old = lines("fn a() {\n    alpha();\n}", "", "fn b() {\n    beta();\n}", "", "fn c() {\n    gamma();\n}")
    for last in (3, 7, 11):
        found = drift(written(last, last, old), ("use x;", *old))
        assert (found.status, standing(found)) == ("moved", [(last + 1, last + 1)])
    found = drift(written(7, 7, old), old[4:])  # the brace of `c` has come to line 7
    assert (found.status, standing(found)) == ("moved", [(3, 3)])
    found = drift(written(7, 7, old), lines("fn q() {\n    q();\n}", "", "fn r() {\n    r();\n}", ""))
    assert found.status == "same"


# --- which copy


COPIES = lines("def a():", "    connect_now()", "    alpha()", "def b():", "    connect_now()", "    beta()")


@pytest.mark.parametrize(("cited", "gone"), [(2, 5), (5, 2)])
def test_of_two_copies_the_other_one_went(cited: int, gone: int) -> None:
    now = ["import x", "", *(line for number, line in enumerate(COPIES, 1) if number != gone)]
    found = drift(written(cited, cited, COPIES), now)
    assert (found.status, standing(found)) == ("moved", [(4, 4) if cited == 2 else (6, 6)])


@pytest.mark.parametrize("cited", [2, 5])
def test_of_two_copies_the_cited_one_went(cited: int) -> None:
    now = ["import x", *(line for number, line in enumerate(COPIES, 1) if number != cited)]
    assert drift(written(cited, cited, COPIES), now).status == "gone"
    now = ["import x", *COPIES]
    now[cited] = "    connect_later()"
    assert (drift(written(cited, cited, COPIES), now).status, now[cited]) == ("edited", "    connect_later()")


def test_of_two_copies_nobody_can_tell() -> None:
    found = drift(written(2, 2, COPIES), lines("x = 1", "y = 2", "z = 3", "    connect_now()"))
    assert (found.status, standing(found)) == ("edited", [(4, 4)])


def test_a_copy_made_since_is_not_the_cited_text_that_was_edited() -> None:
    old = [f"value_{number} = start({number})" for number in range(40)]
    now = [*old, "", *old[9:12], "end_of_it()"]
    now[9:12] = ["value_9 = start(9, 1)", "value_10 = start(10, 1)", "value_11 = start(11, 1)"]
    found = drift(written(10, 12, old), now)
    assert (found.status, standing(found)) == ("edited", [(10, 12)])


def test_a_short_text_written_again_is_not_the_cited_one() -> None:
    old = lines("def a():", "    alpha()", "    most = 40", "    beta()", "def b():", "    gamma()")
    now = lines(
        "def a():", "    alpha()", "    beta()", "def b():", "    gamma()", "def c():", "    most = 40", "    c()"
    )
    assert drift(written(3, 3, old), now).status == "edited"


# --- edited


def test_edited_lines_still_stand_together() -> None:
    new = ["#", *edited(14, 14, "    elapsed = max(0, now - bucket.since)")]
    found = drift(written(13, 16), new)
    assert (found.status, standing(found)) == ("edited", [(14, 17)])
    found = drift(written(13, 16), ["#", *edited(14, 14, "    now = now or time()", "    elapsed = now - since")])
    assert (found.status, standing(found)) == ("edited", [(14, 18)])


@pytest.mark.parametrize(("at", "text"), [(13, "def fill(bucket, at):"), (16, "    return level(bucket)")])
def test_an_edge_that_was_edited_belongs_to_the_block(at: int, text: str) -> None:
    found = drift(written(13, 16), ["#", *edited(at, at, text)])
    assert (found.status, standing(found)) == ("edited", [(14, 17)])


@pytest.mark.parametrize(("at", "place"), [(13, (14, 16)), (16, (14, 16))])
def test_an_edge_that_was_removed_does_not(at: int, place: tuple[int, int]) -> None:
    found = drift(written(13, 16), ["#", *edited(at, at)])
    assert (found.status, standing(found)) == ("edited", [place])


def test_one_line_edited_between_its_neighbours() -> None:
    for first in (3, 7, 8, 14, 20):
        found = drift(written(first, first), ["#", *edited(first, first, "    something = different")])
        assert (found.status, standing(found)) == ("edited", [(first + 1, first + 1)]), first


def test_one_line_edited_beside_others_that_came() -> None:
    new = ["#", *edited(14, 14, "    check(bucket)", "    elapsed = clock() - bucket.since", "    log(bucket)")]
    found = drift(written(14, 14), new)
    assert (found.status, standing(found)) == ("edited", [(16, 16)])


# --- gone, born wrong, unknown


def test_gone() -> None:
    assert drift(written(13, 16), edited(12, 17)).status == "gone"
    assert drift(written(14, 14), edited(14, 14)).status == "gone"
    assert drift(written(13, 16), ["nothing", "of", "it"]).status == "gone"
    assert drift(written(13, 16), []).status == "gone"
    assert drift(written(13, 16)._replace(now=""), None).status == "gone"


def test_what_cannot_be_read_is_unknown() -> None:
    assert drift(written(13, 16), None).status == "unknown"
    baseline = written(13, 16)._replace(now="b.py")
    assert drift(baseline, ["x"]).status == "unknown"
    assert drift(baseline, OLD).status == "same"


def test_what_is_known_of_the_baseline_is_passed_on() -> None:
    for state in ("unknown", "born-wrong"):
        baseline = Baseline(state, "c0ffee", 1234, reason="ends in a shallow clone")
        assert drift(baseline, OLD) == Drift(state, (), "c0ffee", 1234, reason="ends in a shallow clone")
    assert drift(Baseline("text", "c0ffee", 1234), OLD).status == "unknown"


@pytest.mark.parametrize(
    ("sentence", "by_hand"),
    [
        ("`start_timer` begins it (`a.py:3`).", True),
        ("It calls start_timer (a.py:3).", True),
        ("The timer is started (a.py:3).", False),
        ("`LIMIT` bounds it (a.py:3).", False),
        ("`clock.start_timer(a)` begins it (`a.py:3`).", True),
        ("`start_timer` obeys `LIMIT` of `a.py:3`.", False),
        ("It is start_timer. `LIMIT` bounds it (`a.py:3`), closed.", False),
        ("`a.py:3` is in `lib/start_timer.py`.", False),
        ("", False),
    ],
)
def test_put_right_by_hand(sentence: str, by_hand: bool) -> None:
    new = ["import os", "", "start_timer(a)", *OLD]
    found = drift(written(3, 3), new, sentence)
    assert found.status == ("unknown" if by_hand else "moved")
    assert ("start_timer" in found.reason) == by_hand


@pytest.mark.parametrize(
    ("code", "by_hand"), [("`target`", True), ("`tx-target-unknown`", False), ("`#[x(target)]`", False)]
)
def test_a_plain_word_within_code_puts_nothing_right(code: str, by_hand: bool) -> None:
    new = ["import os", "", "aim(target)", *OLD]
    assert (drift(written(3, 3), new, f"The filter ignores {code} (`a.py:3`).").status == "unknown") == by_hand


# --- while the file is typed in


def test_shifted() -> None:
    baseline = written(13, 16)
    old, span = tuple(OLD), (13, 16)
    same = drift(baseline, OLD)
    below = (*OLD, "x")
    assert shifted(same, baseline, "a.py", span, old, below) == same
    above = ("x", "y", *OLD)
    moved = shifted(same, baseline, "a.py", span, old, above)
    assert moved == drift(baseline, above)
    assert moved is not None
    assert shifted(moved, baseline, "a.py", span, above, old) == same
    assert shifted(moved, baseline, "a.py", span, above, ("z", *above)) == drift(baseline, ("z", *above))
    inside = (*OLD[:13], "x", *OLD[13:])
    assert shifted(same, baseline, "a.py", span, old, inside) is None
    gone = drift(baseline, ["x"])
    assert shifted(gone, baseline, "a.py", span, ("x",), ("x", "y")) is None
    unknown = Baseline("unknown", reason="x")
    assert shifted(Drift("unknown"), unknown, "a.py", span, old, above) == Drift("unknown")
