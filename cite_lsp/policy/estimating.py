"""What a run will cost, told before it is made."""

import json
from dataclasses import dataclass

from cite_lsp.audit.tokens import tokens_of
from cite_lsp.policy.asking import Request
from cite_lsp.policy.language import Policy
from cite_lsp.policy.memory import Memory
from cite_lsp.policy.options import RunOptions
from cite_lsp.policy.passages import Source
from cite_lsp.policy.windows import Windows, is_known


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will cost.

    Attributes:
        passages: How many are asked about.
        screen_requests: The requests of the first round, where none is too large and none is asked again.
        judge_requests_at_most: The requests of the second round, if something is found of every concern.
        questions: Of the first round's requests.
        tokens_in: About how many tokens the first round's requests take.
    """

    passages: int
    screen_requests: int
    judge_requests_at_most: int
    questions: int
    tokens_in: int


def estimate(source: Source, policy: Policy, options: RunOptions, memory: Memory | None = None) -> Estimate:
    """Estimate a run. It blocks: requests are made one by one and measured.

    Raises:
        OptionsError: An option is none.
    """
    options.check()
    windows = Windows(source, policy, options)
    known = {} if memory is None else windows.known(windows.keys(), memory)
    asked = [each for each in windows if not is_known(each, known)]
    return Estimate(
        sum(each.end - each.start for each in asked),
        len(asked),
        len(policy.concerns) if source.passages else 0,
        sum(windows.questions(each) for each in asked),
        sum(_tokens(windows.request(each)) for each in asked),
    )


def _tokens(request: Request) -> int:
    return tokens_of(json.dumps(request, ensure_ascii=False, separators=(",", ":")))
