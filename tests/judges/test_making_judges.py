"""Judges by name."""

import subprocess
import sys

import pytest

from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.verdicts import Row
from cite_lsp.config.settings import JudgeSettings, LimitSettings
from cite_lsp.judges.embedded import EmbeddedJudge
from cite_lsp.judges.making import Unavailable, make_judge, model_options
from tests.clients.scripted import ScriptedServer, hang
from tests.judges.asked_model import model, row
from tests.judges.put_rows import agree

AUDIT = AuditOptions()


async def test_the_embedded_judge_is_asked_as_the_others_are() -> None:
    rows = [Row.of(claim="`MAX_ATTEMPTS` is five.", lines=[(3, "MAX_ATTEMPTS = 3")], path="a.py"), row(1)]
    judge = make_judge(JudgeSettings(), AUDIT)
    heard: dict[int, object] = {}
    judgement = await judge.ask(rows, heard.__setitem__)
    assert judgement.verdicts == await EmbeddedJudge().judge(rows) == await judge.judge(rows)
    assert [each.label for each in judgement.verdicts] == ["unsupported", "unchecked"]
    assert heard == dict(enumerate(judgement.answers))
    assert (judge.identity, judge.reads_file) == (EmbeddedJudge.identity, EmbeddedJudge.reads_file)
    assert (judgement.usage.requests, judgement.troubles) == (0, ())
    await judge.close()


async def test_a_judge_over_http_from_settings() -> None:
    with ScriptedServer(model(agree)) as server:
        settings = JudgeSettings(
            name="openai",
            model="some-70b",
            base_url=server.base("openai"),
            limits=LimitSettings(max_rows_per_request=2),
        )
        judge = make_judge(settings, AUDIT, environment={})
        judgement = await judge.ask([row(number) for number in range(5)])
        await judge.close()
        assert len(server.requests) == 3
        assert server.most == 1
    assert [each.label for each in judgement.verdicts] == ["supported"] * 5


async def test_a_judge_from_settings_keeps_the_time_limit() -> None:
    with ScriptedServer(hang()) as server:
        settings = JudgeSettings(name="openai", base_url=server.base("openai"), limits=LimitSettings(timeout=0.3))
        judge = make_judge(settings, AUDIT, environment={})
        judgement = await judge.ask([row(1)])
        await judge.close()
        assert len(server.requests) == 1
    assert [each.cause for each in judgement.troubles] == ["timeout"]


async def test_the_program_from_settings() -> None:
    body = "import sys, json; [print(json.dumps({'id': json.loads(l)['id'], 'label': 'cannot_tell', 'reason': ''})) for l in sys.stdin]"  # noqa: E501
    judge = make_judge(JudgeSettings(name="command", command=(sys.executable, "-c", body)), AUDIT)
    assert [each.label for each in await judge.judge([row(1)])] == ["unchecked"]
    await judge.close()


def test_what_cannot_be_had_says_so() -> None:
    with pytest.raises(Unavailable, match=r"judge\.command") as caught:
        make_judge(JudgeSettings(name="command"), AUDIT)
    assert not caught.value.message.endswith(".")


def test_options_from_settings() -> None:
    limits = LimitSettings(max_turns=2, max_output_tokens_per_turn=900, max_rows_per_request=3, concurrency=7)
    settings = JudgeSettings(name="openai", model="m", batch=False, effort="low", est_cost=0.5, limits=limits)
    options = model_options(settings, AuditOptions(strict=True, judge_output_cap_guard="warn"))
    assert (options.name, options.model, options.batch, options.effort, options.est_cost) == (
        "openai",
        "m",
        False,
        "low",
        0.5,
    )
    assert (options.max_turns, options.max_output_tokens_per_turn, options.max_rows_per_request) == (2, 900, 3)
    assert (options.concurrency, options.guard, options.strict) == (7, "warn", True)
    here = JudgeSettings(name="openai", base_url="http://localhost:8080/v1")
    assert model_options(here, AUDIT).concurrency == 1
    assert model_options(JudgeSettings(name="openai"), AUDIT).concurrency == 4
    assert model_options(JudgeSettings(name="ollama"), AUDIT).concurrency == 1


@pytest.mark.parametrize(
    "settings", ["JudgeSettings()", "JudgeSettings(name='openai', model='m')", "JudgeSettings(name='decision')"]
)
def test_making_a_judge_loads_no_http(settings: str) -> None:
    code = f"""
import sys
from cite_lsp.audit.options import AuditOptions
from cite_lsp.config.settings import JudgeSettings
from cite_lsp.judges.making import make_judge
judge = make_judge({settings}, AuditOptions())
judge.identity
print("httpx" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
