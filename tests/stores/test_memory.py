import pytest

from vista_stream.core.common_ground import Statement
from vista_stream.stores import MemoryStore


@pytest.mark.anyio
async def test_each_conversation_keeps_its_own_statements_in_order():
    store = MemoryStore()
    one, two = (Statement(text=text, origin="claim", turn=0) for text in ("One.", "Two."))
    await store.append("a", [one])
    await store.append("a", [two])
    await store.append("b", [two])
    assert list(await store.load("a")) == [one, two]
    assert list(await store.load("b")) == [two]
    assert list(await store.load("c")) == []
