import pytest

from vista_stream import Statement
from vista_stream.stores import EndedTurn
from vista_stream_adapters.bounded_store import BoundedStore

pytestmark = pytest.mark.anyio


def said(number):
    return Statement(text=f"Fact {number} is here.", origin="claim", turn=number)


async def test_of_a_conversation_the_latest_statements_are_kept():
    store = BoundedStore()
    for number in range(1100):
        await store.append("a", [said(number)])
    kept = await store.load("a")
    assert [each.text for each in kept] == [said(number).text for number in range(100, 1100)]


async def test_a_turn_that_is_written_twice_is_added_once():
    store, turn = BoundedStore(), EndedTurn(statements=[said(0)])
    for _ in range(2):
        kept = await store.end_turn("a", turn)
    assert (kept.turns, len(kept.kept)) == (1, 1)
    assert await store.read("a") == kept
