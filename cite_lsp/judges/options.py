"""What a model judge is told about how to ask, and who keeps the books of a day."""

from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How rows are asked.

    Attributes:
        name: Of the judge, as in the settings: `openai`, `ollama`, `anthropic`, `decision`, `command`.
        model: Of the model, for how many rows it is given at once; "" where the server has one only.
        batch: Whether rows go out several at a time; False puts all of them into one request.
        max_turns: How often one row may be asked.
        max_output_tokens_per_turn: The declared output cap of a request; None leaves that to the server.
        max_rows_per_request: None leaves that to what is known of the model.
        concurrency: How many requests run at a time.
        est_cost: The declared cost of one request; None where none is declared.
        effort: How hard the model thinks, part of the identity; None is the server's own default.
        guard: Whether too low an output cap refuses the request or is only logged.
        strict: Whether one bad row of a reply voids the whole pass, as in the reference.
    """

    name: str
    model: str = ""
    batch: bool = True
    max_turns: int = 3
    max_output_tokens_per_turn: int | None = None
    max_rows_per_request: int | None = None
    concurrency: int = 4
    est_cost: float | None = None
    effort: str | None = None
    guard: Literal["fail", "warn"] = "fail"
    strict: bool = False


class Ledger(Protocol):
    """Who keeps the limits of a day."""

    def admit(self, judge: str, rows: int, cost: float | None) -> str:
        """Book one request before it is sent; with both numbers negative, give back one that could not be sent.

        Args:
            judge: The name of the judge, as in the settings.
            rows: How many rows it carries.
            cost: Its declared cost; None where none is declared.

        Returns:
            "" where it is admitted and booked; else a sentence without a full stop: which limit it would pass.
        """
