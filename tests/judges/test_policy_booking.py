"""Requests about policies are booked before they are sent, and given back where nobody can have been paid for them."""

from collections.abc import Mapping
from typing import Any

import pytest

from cite_lsp.clients.making import ClientOptions, make_decision_client
from cite_lsp.judges.policy_clients import BookedClient, Booking
from tests.clients import systemone_server as faults
from tests.clients.systemone_server import serving
from tests.clients.test_systemone import asked


class Book:
    def __init__(self) -> None:
        self.rows = 0
        self.cost = 0.0

    def admit(self, judge: str, rows: int, cost: float | None) -> str:
        self.rows += rows
        self.cost += cost or 0
        return ""


async def booked(url: str) -> tuple[Mapping[str, Any], tuple[int, float]]:
    """What a request of two passages came to, and what stands in the books after it."""
    book = Book()
    client = make_decision_client("decision", ClientOptions(base_url=url, longest_wait=0.0), environment={})
    try:
        told = await BookedClient(client, Booking(book, "decision", 0.5), "passages")(asked("a", "b"))
    finally:
        await client.close()
    return told, (book.rows, book.cost)


async def test_a_server_that_is_not_there_costs_nothing() -> None:
    with serving() as server:
        url = server.url
    told, books = await booked(url)
    assert told["error"] == ["request_error", "econnrefused"]
    assert books == (0, 0.0)


@pytest.mark.parametrize(
    ("fault", "books"),
    [
        ([], (2, 0.5)),
        ([faults.failing(401, times=None)], (0, 0.0)),
        ([faults.failing(503, times=None)], (2, 0.5)),
        ([faults.reset(times=None)], (2, 0.5)),
        ([faults.not_json(times=None)], (2, 0.5)),
    ],
)
async def test_what_was_sent_is_booked_once(fault: list[dict[str, Any]], books: tuple[int, float]) -> None:
    with serving(faults=fault) as server:
        assert (await booked(server.url))[1] == books
