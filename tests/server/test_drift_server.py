"""Drift in the editor: what a person who types, commits and accepts is told, and what is left alone."""

import asyncio
import shutil
from pathlib import Path

import pytest

from cite_lsp.server.uris import key
from tests.server.at_rest import rest
from tests.server.drift_desk import Desk, lines
from tests.server.harness import CAPABILITIES

CODE = lines("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")


@pytest.fixture
def desk(tmp_path: Path, person: Path) -> Desk:
    folder = tmp_path / "project"
    folder.mkdir()
    return Desk(folder)


def project(desk: Desk, document: str = "Gamma is computed (`a.py:3`).\n", code: str = CODE) -> Desk:
    return desk.write("a.py", code).write("a.md", document).commit()


# --- live


async def test_typing_in_cited_code_moves_the_citation_and_undo_brings_it_back(desk):
    async with project(desk).at_work():
        desk.open("a.md", "a.py")
        assert await desk.says() == []
        desk.type("a.py", "import os\n" + CODE)
        assert await desk.says() == ["a.py:3 moved"]
        desk.type("a.py", CODE)
        assert await desk.says() == []


async def test_an_edit_that_comes_while_it_is_told_how_texts_stand_is_gone_on_with(desk):
    async with project(desk).at_work():
        desk.open("a.md")
        await desk.rest()
        histories, told = desk.inner.histories, desk.inner.histories._told
        others: list[bool] = []

        def told_and_edited(document):
            desk.inner._take_texts({str(desk.folder / "a.py"): "import os\n" + CODE})
            document.checks.update(document.document, document.place.snapshot, 0.0)
            assert document.checks.behind
            histories._told = told
            histories.advance(document)
            others.append(histories._advancing[document] is not asyncio.current_task())
            told(document)

        histories._told = told_and_edited
        histories.advance(desk.inner.find(desk.uri("a.md")))
        assert await desk.says() == ["a.py:3 moved"]
        assert others == [True]


async def test_a_list_whose_numbers_are_all_shifted_is_right_after_one_fix(desk):
    """The numbers of one citation become those that another had."""
    document = "".join(f"- `a.py:{number}`\n" for number in (1, 3, 5, 7))
    async with project(desk, document).at_work():
        desk.open("a.md", "a.py").type("a.py", "import os\nimport re\n" + CODE)
        assert len(await desk.says()) == 4
        assert await desk.fix_all() == 4
        assert await desk.says() == []
        assert desk.texts["a.md"] == "".join(f"- `a.py:{number}`\n" for number in (3, 5, 7, 9))


async def test_sentences_whose_numbers_are_all_shifted_are_right_after_one_fix(desk):
    document = "".join(f"Step {number} is computed (`a.py:{number}`).\n\n" for number in (1, 3, 5, 7))
    async with project(desk, document).at_work():
        desk.open("a.md", "a.py").type("a.py", "import os\nimport re\n" + CODE)
        assert len(await desk.says()) == 4
        assert await desk.fix_all() == 4
        assert await desk.says() == []


async def test_the_number_that_another_citation_had_is_new(desk):
    async with project(desk, "Gamma is computed (`a.py:3`).\n").at_work():
        desk.open("a.md", "a.py").type("a.py", "import os\n" + CODE)
        assert await desk.says() == ["a.py:3 moved"]
        desk.type("a.md", "a.py:4", "a.py:3")
        assert await desk.says() == []
        await desk.type_slowly("a.md", "\nBeta comes before it (`a.py:3`).\n", "(`a.py:4`).\n")
        assert await desk.says() == []


async def test_an_edit_of_the_sentence_keeps_the_past(desk):
    async with project(desk).at_work():
        desk.open("a.md", "a.py").type("a.py", "import os\n" + CODE)
        assert await desk.says() == ["a.py:3 moved"]
        await desk.type_slowly("a.md", "ly, as ever,", "computed")
        assert await desk.says() == ["a.py:3 moved"]


async def test_a_list_item_that_is_moved_up_keeps_its_past_without_a_question(desk):
    document = "- `a.py:1`\n- `a.py:3`\n- `a.py:5`\n"
    async with project(desk, document).at_work():
        desk.open("a.md", "a.py").type("a.py", CODE.replace("epsilon", "import os\nepsilon", 1))
        assert await desk.says() == ["a.py:5 moved"]
        asked = desk.calls["baselines"]
        desk.type("a.md", "- `a.py:5`\n- `a.py:1`\n- `a.py:3`\n")
        assert await desk.says() == ["a.py:5 moved"]
        assert desk.calls["baselines"] == asked


async def test_a_new_citation_is_held_against_what_it_showed_when_it_was_complete(desk):
    """It is not committed: git knows nothing of it."""
    async with project(desk, "Words.\n").at_work():
        desk.open("a.md", "a.py").type("a.py", "import os\n" + CODE)
        await desk.rest()
        await desk.type_slowly("a.md", "\nGamma (`a.py:4`).\n", "Words.\n")
        assert await desk.says() == []
        desk.type("a.py", "import re\nimport os\n" + CODE)
        assert await desk.says() == ["a.py:4 moved"]
        assert await desk.fix_all() == 1
        assert "a.py:5" in desk.texts["a.md"]
        assert await desk.says() == []


async def test_a_sentence_that_is_cut_and_put_in_elsewhere_keeps_its_past(desk):
    async with project(desk, "Words.\n").at_work():
        desk.open("a.md", "a.py").type("a.md", "Words.\n\nGamma is computed (`a.py:3`).\n\nMore.\n")
        assert await desk.says() == []
        desk.type("a.py", "import os\n" + CODE)
        assert await desk.says() == ["a.py:3 moved"]
        desk.type("a.md", "", "\nGamma is computed (`a.py:3`).\n")
        assert await desk.says() == []
        desk.type("a.md", "More.\n\nGamma is computed (`a.py:3`).\n", "More.\n")
        assert await desk.says() == ["a.py:3 moved"]


async def test_the_same_citation_twice_has_two_pasts(desk):
    """One was written before the code moved, one after; typing in one sentence, or both, mixes nothing up."""
    project(desk, "Gamma comes third (`a.py:3`).\n")
    document = "Gamma comes third (`a.py:3`).\nBut what stands behind the import is beta, as one may see (`a.py:3`).\n"
    desk.write("a.py", "import os\n" + CODE).write("a.md", document).commit()
    async with desk.at_work():
        desk.open("a.md")
        assert await desk.says() == ["a.py:3 moved"]
        asked = desk.calls["baselines"]
        for old, new in (("Gamma", "Then gamma"), ("But", "However,"), ("third (", "third of all (")):
            desk.type("a.md", new, old)
            assert await desk.says() == ["a.py:3 moved"]
            assert [each["range"]["start"]["line"] for each in desk.seen[desk.uri("a.md")]] == [0]
        desk.type("a.md", desk.texts["a.md"].replace("third", "3rd").replace("beta", "`beta`"))
        assert await desk.says() == ["a.py:3 moved"]
        assert desk.calls["baselines"] == asked


@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_line_ends_do_not_matter(desk, end):
    code = lines("alpha", "beta", "gamma", "delta", end=end)
    async with project(desk, f"Gamma (`a.py:3`).{end}", code).at_work():
        desk.open("a.md", "a.py")
        assert await desk.says() == []
        other = "\n" if end == "\r\n" else "\r\n"
        desk.type("a.py", code.replace(end, other))
        assert await desk.says() == []
        desk.type("a.py", "import os" + other + code.replace(end, other))
        assert await desk.says() == ["a.py:3 moved"]


async def test_code_that_is_closed_without_being_saved_is_as_it_was(desk):
    async with project(desk).at_work():
        desk.open("a.md", "a.py").type("a.py", "import os\n" + CODE)
        assert await desk.says() == ["a.py:3 moved"]
        desk.close("a.py")
        assert await desk.says() == []


async def test_all_documents_that_cite_a_file_follow_it(desk):
    desk.write("b.md", "Also gamma (`a.py:3`).\n")
    async with project(desk).at_work():
        desk.open("a.md", "b.md", "a.py").type("a.py", "import os\n" + CODE)
        assert await desk.says("a.md") == ["a.py:3 moved"]
        assert await desk.says("b.md") == ["a.py:3 moved"]


async def test_a_document_that_cites_itself_follows_itself(desk):
    text = "# Head\n\nThe rule of thumb is this: measure first.\n\nSee the rule (`a.md:3`).\n"
    async with project(desk, text).at_work():
        desk.open("a.md")
        assert await desk.says() == []
        desk.type("a.md", "# Head\n\nSome words before it.\n", "# Head\n")
        assert await desk.says() == ["a.md:3 moved"]
        assert await desk.fix_all() == 1
        assert "a.md:5" in desk.texts["a.md"]
        assert await desk.says() == []


async def test_without_git_the_session_is_the_past(desk):
    desk.write("a.py", CODE).write("a.md", "Gamma (`a.py:3`).\n")
    async with desk.at_work():
        desk.open("a.md", "a.py")
        assert await desk.says() == []
        desk.type("a.py", "import os\n" + CODE)
        assert await desk.says() == ["a.py:3 moved"]


async def test_an_untitled_document_has_the_session_for_its_past(desk):
    async with project(desk).at_work() as at:
        uri = "untitled:Untitled-1"
        at.session.open(uri, "Gamma (`a.py:3`).\n")
        desk.open("a.py").type("a.py", "import os\n" + CODE)
        await desk.rest()
        assert [each["code"] for each in desk.seen[uri]] == ["moved"]


async def test_a_document_outside_any_folder_is_held_against_its_repository(desk, tmp_path):
    project(desk)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with desk.at_work(folders=[elsewhere]):
        desk.open("a.md", "a.py").type("a.py", "import os\n" + CODE)
        assert await desk.says() == ["a.py:3 moved"]
        desk.type("a.md", "a.py:4", "a.py:3").save("a.py").save("a.md")
        assert await desk.says() == []


async def test_each_folder_has_its_own_history(desk, tmp_path):
    project(desk)
    other = Desk(tmp_path / "other")
    other.folder.mkdir()
    project(other, "Delta is computed (`a.py:4`).\n")
    async with desk.at_work(folders=[desk.folder, other.folder]):
        other.session = desk.session
        desk.open("a.md", "a.py")
        other.open("a.md")
        desk.type("a.py", "import os\n" + CODE)
        assert await desk.says() == ["a.py:3 moved"]
        other.write("a.py", "import re\n" + CODE).changed("a.py")
        assert await other.says() == ["a.py:4 moved"]


# --- git at work


async def test_a_commit_makes_what_was_typed_the_past(desk):
    async with project(desk).at_work():
        desk.open("a.md", "a.py").type("a.py", "import os\n" + CODE).save("a.py")
        assert await desk.says() == ["a.py:3 moved"]
        desk.type("a.md", "Two.\n\nGamma is computed (`a.py:4`).\n").save("a.md")
        assert await desk.says() == []
        desk.commit().head_moved()
        assert await desk.says() == []
        assert f"unchanged since {desk.git('rev-parse', 'HEAD')[:7]}" in (await desk.hover("a.py:4")).lower()


async def test_numbers_that_come_back_after_a_commit_are_new(desk):
    async with project(desk).at_work():
        desk.open("a.md", "a.py").type("a.py", "import os\n" + CODE).save("a.py")
        assert await desk.says() == ["a.py:3 moved"]
        desk.type("a.md", "a.py:4", "a.py:3").save("a.md")
        desk.commit().head_moved()
        assert await desk.says() == []
        desk.type("a.md", "a.py:3", "a.py:4")
        assert await desk.says() == []


async def test_a_commit_is_seen_by_its_log_alone(desk):
    """With an editor for the message the index is written before, and HEAD moves later."""
    async with project(desk).at_work():
        desk.open("a.md").type("a.md", "Delta is computed (`a.py:4`).\n").save("a.md")
        await desk.rest()
        assert "since" not in await desk.hover("a.py:4")
        desk.commit().changed(".git/logs/HEAD")
        await desk.rest()
        assert f"unchanged since {desk.git('rev-parse', 'HEAD')[:7]}" in (await desk.hover("a.py:4")).lower()


async def test_a_branch_with_another_document_has_another_past(desk):
    project(desk)
    desk.git("checkout", "-q", "-b", "other")
    desk.write("a.py", "import os\n" + CODE).write("a.md", "Gamma is computed (`a.py:4`).\n").commit()
    desk.git("checkout", "-q", "main")
    async with desk.at_work():
        desk.open("a.md", "a.py")
        assert await desk.says() == []
        for branch in ("other", "main", "other"):
            desk.git("checkout", "-q", branch)
            for name in ("a.md", "a.py"):
                desk.type(name, (desk.folder / name).read_text())
            desk.head_moved("a.md", "a.py")
            assert await desk.says() == []


async def test_history_that_is_rewritten_is_read_again(desk):
    project(desk)
    desk.write("a.py", "import os\n" + CODE).commit("code")
    async with desk.at_work():
        desk.open("a.md")
        assert await desk.says() == ["a.py:3 moved"]
        old = desk.git("rev-parse", "HEAD")[:7]
        assert old in await desk.hover("a.py:3")
        desk.git("commit", "-q", "--amend", "-m", "other words")
        desk.head_moved()
        await desk.rest()
        new = desk.git("rev-parse", "HEAD")[:7]
        assert new in await desk.hover("a.py:3")
        desk.git("reset", "-q", "--hard", "HEAD~1")
        desk.head_moved("a.py")
        assert await desk.says() == []


async def test_stashed_code_is_as_it_was(desk):
    async with project(desk).at_work():
        desk.open("a.md").write("a.py", "import os\n" + CODE).changed("a.py")
        assert await desk.says() == ["a.py:3 moved"]
        desk.git("stash", "-q")
        desk.head_moved("a.py")
        assert await desk.says() == []
        desk.git("stash", "pop", "-q")
        desk.head_moved("a.py")
        assert await desk.says() == ["a.py:3 moved"]


async def test_a_repository_that_comes_later_is_the_past(desk):
    desk.write("a.py", CODE).write("a.md", "Gamma (`a.py:3`).\n")
    async with desk.at_work():
        desk.open("a.md")
        await desk.rest()
        assert "since" not in await desk.hover("a.py:3")
        desk.commit().head_moved()
        await desk.rest()
        assert desk.git("rev-parse", "HEAD")[:7] in await desk.hover("a.py:3")


async def test_a_repository_that_goes_is_no_past_any_more(desk):
    project(desk)
    desk.write("a.py", "import os\n" + CODE).commit()
    async with desk.at_work():
        desk.open("a.md")
        assert await desk.says() == ["a.py:3 moved"]
        shutil.rmtree(desk.folder / ".git")
        desk.changed(".git")
        assert await desk.says() == []


async def test_nothing_is_asked_at_rest(desk):
    project(desk)
    desk.write("a.py", "import os\n" + CODE).commit()
    async with desk.at_work():
        desk.open("a.md", "a.py")
        assert await desk.says() == ["a.py:3 moved"]
        before = dict(desk.calls)
        await asyncio.sleep(1.0)
        assert {do: count for do, count in desk.calls.items() if do != "offering"} == before  # that is what rest is for


async def test_a_worker_that_watches_sees_commits(desk):
    """Where the client does not watch, .git is looked at all the same, and looking changes nothing there."""
    capabilities = {**CAPABILITIES, "workspace": {**CAPABILITIES["workspace"], "didChangeWatchedFiles": {}}}
    async with project(desk).at_work(capabilities=capabilities):
        await desk.watched()
        desk.open("a.md").type("a.md", "Delta is computed (`a.py:4`).\n").save("a.md")
        assert await desk.says() == []
        desk.commit()
        new = f"Unchanged since {desk.git('rev-parse', 'HEAD')[:7]}"
        await desk.until(lambda: desk.hover("a.py:4"), new)
        await asyncio.sleep(1.0)
        before = dict(desk.calls)
        await asyncio.sleep(1.0)
        assert dict(desk.calls) == before


# --- departures


async def test_it_is_told_when_a_text_went(desk):
    project(desk)
    desk.write("a.py", CODE.replace("gamma = compute_gamma(1)\n", "")).commit()
    commit = desk.git("rev-parse", "HEAD")[:7]
    async with desk.at_work():
        desk.open("a.md")
        (message,) = await desk.messages()
        assert f"it went in {commit}" in message
        desk.type("a.md", "So gamma", "Gamma")
        (message,) = await desk.messages()
        assert f"it went in {commit}" in message


async def test_the_first_hover_knows_when_a_text_moved(desk):
    project(desk)
    desk.write("a.py", "import os\n" + CODE).commit()
    commit = desk.git("rev-parse", "HEAD")[:7]
    async with desk.at_work():
        desk.open("a.md")
        assert await desk.says() == ["a.py:3 moved"]
        assert f"Moved to line 4 in {commit}" in await desk.hover("a.py:3")


async def test_when_a_text_went_stays_told_while_it_is_asked_anew(desk):
    project(desk)
    desk.write("a.py", CODE.replace("gamma = compute_gamma(1)\n", "")).commit()
    async with desk.at_work():
        desk.open("a.md")
        (message,) = await desk.messages()
        desk.session.discard("textDocument/publishDiagnostics")
        desk.git("commit", "-q", "--allow-empty", "-m", "more")
        desk.head_moved()
        await rest(desk.session)
        said = [params["diagnostics"] for params in desk.session.discard("textDocument/publishDiagnostics")]
        assert all([each["message"] for each in diagnostics] == [message] for diagnostics in said)


# --- records


RECORD = "docs/adr/1.md"


async def test_a_record_is_read_as_of_its_commit(desk):
    desk.write("a.py", CODE).write(RECORD, "Gamma is computed (`/a.py:3`).\n").commit()
    then = desk.git("rev-parse", "HEAD")[:7]
    desk.write("a.py", "import os\n" + CODE).commit()
    async with desk.at_work():
        desk.open(RECORD)
        assert await desk.says(RECORD) == []
        told = await desk.hover("a.py:3", RECORD)
        assert f"as of {then}" in told
        assert "gamma = compute_gamma(1)" in told
        assert "Moved to line 4" in told
        assert await desk.definition("a.py:3", RECORD) == [4]


async def test_what_time_brings_about_is_not_told_of_a_record_before_its_past_is_known(desk):
    desk.write("a.py", CODE).write(RECORD, "Theta is computed (`/a.py:8`).\n").commit()
    desk.write("a.py", lines("alpha")).commit()
    async with desk.at_work():
        desk.open(RECORD)
        await rest(desk.session)
        said = [params["diagnostics"] for params in desk.session.discard("textDocument/publishDiagnostics")]
        assert [each for diagnostics in said for each in diagnostics] == []


async def test_a_new_citation_in_a_record_means_the_present(desk):
    desk.write("a.py", CODE).write(RECORD, "Gamma is computed (`/a.py:3`).\n").commit()
    async with desk.at_work():
        desk.open(RECORD).type(RECORD, "Gamma is computed (`/a.py:3`).\n\nAnd there (`/a.py:99`).\n")
        assert await desk.says(RECORD) == ["/a.py:99 line-out-of-range"]


async def test_settings_of_drift_can_change_at_run_time(desk):
    desk.write("a.py", CODE).write(RECORD, "Gamma is computed (`/a.py:3`).\n").commit()
    desk.write("a.py", "import os\n" + CODE).commit()
    judge = {"judge": {"run": "off"}}
    async with desk.at_work():
        desk.open(RECORD)
        for settings, told in (
            ({}, []),
            ({"records": []}, ["/a.py:3 moved"]),
            ({"records": [], "rules": {"moved": "off"}}, []),
            ({"records": [], "drift": {"enabled": False}}, []),
            ({"records": []}, ["/a.py:3 moved"]),
            ({"as_of": "HEAD"}, []),
            ({}, []),
        ):
            desk.session.configure({**judge, **settings})
            assert await desk.says(RECORD) == told, settings
        assert "as of" in await desk.hover("a.py:3", RECORD)
        desk.session.configure({**judge, "as_of": "HEAD"})
        await desk.rest()
        assert "beta = compute_beta(1)" in await desk.hover("a.py:3", RECORD)


# --- accepting and silencing


async def test_what_is_accepted_is_told_nowhere_and_fixed_by_nobody(desk):
    document = "Gamma is computed (`a.py:3`).\n\nDelta is computed (`a.py:4`).\n"
    async with project(desk, document).at_work():
        desk.open("a.md", "a.py").type("a.py", "import os\n" + CODE)
        assert await desk.says() == ["a.py:3 moved", "a.py:4 moved"]
        assert (await desk.accept("a.py:3"))["accepted"] == 1
        assert await desk.says() == ["a.py:4 moved"]
        assert not any("moved" in str(action.get("title")) for action in await desk.actions("a.py:3"))
        assert [each["title"] for each in await desk.actions("a.py:3")] == []
        assert "Accepted as it stands." in await desk.hover("a.py:3")
        assert await desk.fix_all() == 1
        assert desk.texts["a.md"] == document.replace("a.py:4", "a.py:5")
        assert await desk.says() == []
        desk.type("a.py", "import os\nimport re\n" + CODE)
        assert await desk.says() == ["a.py:3 moved", "a.py:5 moved"]


async def test_the_file_of_what_is_accepted_may_change_on_disk(desk):
    async with project(desk).at_work():
        desk.open("a.md", "a.py").type("a.py", "import os\n" + CODE)
        await desk.says()
        await desk.accept("a.py:3")
        name = "cite-lsp.accepted.json"
        whole = (desk.folder / name).read_text()
        assert await desk.says() == []
        for text, told in (("{", 1), (whole, 0), (None, 1), (whole, 0)):
            if text is None:
                (desk.folder / name).unlink()
            else:
                desk.write(name, text)
            desk.changed(name)
            assert len(await desk.says()) == told


async def test_what_a_comment_silences_is_not_fixed(desk):
    document = "Gamma is computed (`a.py:3`). <!-- cite-lsp: ignore moved as it was -->\n\nDelta (`a.py:4`).\n"
    async with project(desk, document).at_work():
        desk.open("a.md", "a.py").type("a.py", "import os\n" + CODE)
        assert await desk.says() == ["a.py:4 moved"]
        assert await desk.fix_all() == 1
        assert desk.texts["a.md"] == document.replace("a.py:4", "a.py:5")
        assert await desk.says() == []


# --- fixing


def renamed(desk: Desk, document: str, moved: str = "b.py", code: str = "import os\n" + CODE) -> Desk:
    project(desk, document)
    desk.git("mv", "a.py", moved)
    return desk.write(moved, code).commit()


async def test_a_path_that_several_citations_read_is_written_once(desk):
    async with renamed(desk, "They are computed (`a.py:3`, `:5`).\n").at_work():
        desk.open("a.md")
        assert await desk.says() == ["a.py:3 moved", ":5 moved"]
        assert await desk.fix_all() == 2
        assert desk.texts["a.md"] == "They are computed (`b.py:4`, `:6`).\n"
        assert await desk.says() == []


async def test_a_path_is_not_written_for_a_citation_that_may_not_follow_it(desk):
    """Of the second it is not known where it went: with the path alone it would show other lines."""
    code = "import os\n" + CODE.replace("epsilon = compute_epsilon(1)", "another = thing(2)")
    document = "They are computed (`a.py:3`, `:5`).\n"
    async with renamed(desk, document, code=code).at_work():
        desk.open("a.md")
        assert "a.py:3 moved" in await desk.says()
        assert await desk.fix_all() == 0
        assert desk.texts["a.md"] == document


async def test_a_path_is_not_written_for_a_citation_that_stays(desk):
    """The file was split: one text stands in the new one."""
    document = "They are computed (`a.py:3`, `:5`).\n"
    project(desk, document)
    desk.git("mv", "a.py", "b.py")
    desk.write("b.py", "import os\n" + CODE.replace("epsilon = compute_epsilon(1)\n", "")).commit("renamed")
    desk.write("a.py", lines("one", "two", "three", "four", "epsilon")).commit("came again")
    async with desk.at_work():
        desk.open("a.md")
        await desk.rest()
        assert await desk.fix_all() == 0
        assert desk.texts["a.md"] == document


async def test_lists_of_lines_are_fixed_together(desk):
    async with project(desk, "They are computed (`a.py:3,5-6`).\n").at_work():
        desk.open("a.md", "a.py").type("a.py", "import os\n" + CODE)
        assert await desk.says() == ["a.py:3,5-6 moved"]
        assert await desk.fix_all() == 1
        assert desk.texts["a.md"] == "They are computed (`a.py:4,6-7`).\n"
        assert await desk.says() == []


# --- faults


async def test_an_answer_for_an_older_version_counts_for_what_is_left_of_it(desk):
    document = "Gamma is computed (`a.py:3`).\n\nDelta is computed (`a.py:4`).\n"
    project(desk, document)
    desk.write("a.py", "import os\n" + CODE).commit()
    async with desk.at_work():
        await desk.rest()
        gate = asyncio.Event()
        desk.hold("baselines", gate)
        desk.open("a.md")
        await desk.asked("baselines")
        desk.type("a.md", "So gamma", "Gamma").type("a.md", "a.py:5", "a.py:4")
        await desk.session.settled()
        gate.set()
        assert await desk.says() == ["a.py:3 moved"]


async def test_head_that_moves_while_a_question_is_open_is_asked_about_again(desk):
    project(desk)
    async with desk.at_work():
        await desk.rest()
        gate = asyncio.Event()
        desk.hold("baselines", gate, after=True)
        desk.open("a.md")
        await desk.asked("baselines")
        await asyncio.sleep(0.3)
        desk.write("a.md", "Gamma is computed here (`a.py:3`).\n").commit().head_moved()
        await desk.session.settled()
        gate.set()
        await desk.rest()
        assert desk.calls["baselines"] == 2


async def test_a_history_that_was_not_read_is_asked_for_again(desk):
    project(desk)
    desk.write("a.py", "import os\n" + CODE).commit()
    async with desk.at_work():
        await desk.rest()
        desk.lose("baselines", 2)
        desk.open("a.md")
        asking = desk.inner.histories
        for times in (1, 2):
            assert await desk.says() == []
            assert "could not be read" in asking.error
            assert desk.calls["baselines"] == times
            ((document, timer),) = asking._retries.items()
            timer.cancel()
            asking._ask_again(document)  # as the timer does
        assert await desk.says() == ["a.py:3 moved"]
        assert asking.error == ""
        assert asking._retries == {}
        assert desk.calls["baselines"] == 3


async def test_a_document_is_closed_while_its_past_is_asked_for(desk):
    project(desk)
    async with desk.at_work():
        await desk.rest()
        gate = asyncio.Event()
        desk.hold("baselines", gate)
        desk.open("a.md")
        await desk.asked("baselines")
        desk.close("a.md")
        await desk.session.settled()
        gate.set()
        await desk.rest()
        assert desk.seen.get(desk.uri("a.md"), []) == []


async def test_typing_leaves_no_trace_of_each_key(desk):
    async with project(desk).at_work():
        desk.open("a.md")
        await desk.rest()
        book = desk.inner.documents[key(desk.uri("a.md"))].written
        await desk.type_slowly("a.md", " and more" * 20, "computed")
        await desk.type_slowly("a.md", "1234", "a.py:3")
        await desk.rest()
        assert len(book._places) == 1
        assert len(book._lost) == 0
        (place,) = next(iter(book._places.values()))[1]
        assert len(place._pasts) <= 8
