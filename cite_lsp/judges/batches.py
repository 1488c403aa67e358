"""Which rows go out together."""

import re
from collections.abc import Sequence

from cite_lsp.audit.guard import estimated_tokens
from cite_lsp.audit.tokens import tokens_of
from cite_lsp.audit.verdicts import Row
from cite_lsp.judges.options import ModelOptions
from cite_lsp.judges.prompt import SYSTEM, Question, user_text

STRONG_ROWS = 8
SMALL_ROWS = 1
_MOST_TOKENS = 8000
"""Of one request's rows: small enough for the windows of servers at home, and for a model to keep apart."""

_SIZE = re.compile(r"(?<![\w.])(?:(\d+)x)?(\d+(?:\.\d+)?)(b|m)(?![a-z])")
_SMALL_BILLIONS = 16
_SMALL_NAMES = re.compile(
    r"\b(?:tiny|smol|small|mini(?!max)|phi|gemma|tinyllama|stablelm|llama-?[23](?:\.\d)?|mistral(?!-(?:large|medium))|qwen)"
)
_STRONG_NAMES = re.compile(r"\b(?:gpt|o\d|chatgpt|claude|gemini|grok|command-[ar]|deepseek|kimi|glm|minimax|jamba)")


def rows_per_request(model: str) -> int:
    """Give how many rows a model is given at once: eight, or one where its name says that it is small, or nothing."""
    name = model.casefold().replace("_", "-")
    sizes = [
        int(times or 1) * float(number) / (1 if unit == "b" else 1000)
        for times, number, unit in _SIZE.findall(re.sub(r"[-:/@]", " ", name))
    ]
    if sizes:
        return STRONG_ROWS if max(sizes) > _SMALL_BILLIONS else SMALL_ROWS
    if not name:
        return SMALL_ROWS
    if _STRONG_NAMES.search(name):
        return STRONG_ROWS
    return SMALL_ROWS if _SMALL_NAMES.search(name) else STRONG_ROWS


def tokens_of_rows(rows: Sequence[Row]) -> int:
    """Give about how many tokens a request with the rows takes, the fixed part included."""
    questions = [Question.of(number, row) for number, row in enumerate(rows, 1)]
    return tokens_of(SYSTEM) + tokens_of(user_text(questions, "0" * 16))


def batches(rows: Sequence[Row], indexes: Sequence[int], options: ModelOptions) -> list[list[int]]:
    """Put rows together: those of one file beside each other, files in the order of their first row.

    Args:
        rows: All rows.
        indexes: Which of them are asked.
        options: How many at once, and the declared output cap, which a batch is made small enough for.

    Returns:
        The indexes of each request, none empty.
    """
    if not indexes:
        return []
    if not options.batch:
        return [list(indexes)]
    most = _most_rows(options)
    found: list[list[int]] = []
    room = 0
    for index in _by_file(rows, indexes):
        size = tokens_of(user_text([Question.of(1, rows[index])], "0" * 16))
        if not found or len(found[-1]) >= most or size > room:
            found.append([])
            room = _MOST_TOKENS
        found[-1].append(index)
        room -= size
    return found


def _most_rows(options: ModelOptions) -> int:
    most = options.max_rows_per_request or rows_per_request(options.model)
    cap = options.max_output_tokens_per_turn
    if cap is None:
        return most
    beside = estimated_tokens(0)
    return max(1, min(most, (cap - beside) // (estimated_tokens(1) - beside)))


def _by_file(rows: Sequence[Row], indexes: Sequence[int]) -> list[int]:
    files: dict[str, list[int]] = {}
    for index in indexes:
        files.setdefault(rows[index].path, []).append(index)
    return [index for each in files.values() for index in each]
