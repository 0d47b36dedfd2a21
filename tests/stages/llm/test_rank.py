"""Ranking by an LLM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from vista_stream.claims import Draft, Importance, Span
from vista_stream.errors import StageError
from vista_stream.stages.llm.rank import LlmRank

if TYPE_CHECKING:
    from scripted_server import ScriptedServer

pytestmark = pytest.mark.anyio

V, K, L = Importance.VITAL, Importance.OKAY, Importance.LESS_IMPORTANT


async def test_order_and_importance(server: ScriptedServer) -> None:
    server.script = lambda request: "1. 3: vital\n2. 1: okay\n3. 2: less_important"
    drafts = [Draft(text=text, span=Span(0, 1)) for text in ("a", "b", "c")]
    async with server.client() as client:
        assert await LlmRank(client).rank(drafts, "why?", position=0) == [K, L, V]
        assert [tuple(r) for r in await LlmRank(client).order(["a", "b", "c"], None)] == [
            (2, V),
            (0, K),
            (1, L),
        ]
        assert await LlmRank(client).order([], "why?") == []
    assert "none was given" in server.requests[1]["messages"][-1]["content"]
    assert len(server.requests) == 2


async def test_vital_comes_first_whatever_the_model_says(server: ScriptedServer) -> None:
    server.script = lambda request: "1. 1: okay\n2. 3: vital\n3. 2: vital"
    async with server.client() as client:
        assert [r.position for r in await LlmRank(client).order(["a", "b", "c"], "why?")] == [2, 1, 0]


async def test_a_claim_left_out_is_asked_for_again(server: ScriptedServer) -> None:
    replies = iter(["1. 1: vital\n2. 1: vital", "1. 2: vital\n2. 1: okay"])
    server.script = lambda request: next(replies)
    async with server.client() as client:
        assert len(await LlmRank(client).order(["a", "b"], "why?")) == 2
    assert "claim 2 is missing" in server.requests[1]["messages"][-1]["content"]


async def test_unknown_labels_are_an_error(server: ScriptedServer) -> None:
    server.script = lambda request: "1. 1: crucial"
    async with server.client() as client:
        with pytest.raises(StageError):
            await LlmRank(client).order(["a"], "why?")
