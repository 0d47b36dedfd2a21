"""Nuggets by an LLM."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from vista_stream.claims import Importance
from vista_stream.stages.llm.nuggets import LlmNuggets
from vista_stream.stages.nuggets import Nugget, Support

if TYPE_CHECKING:
    from scripted_server import ScriptedServer

pytestmark = pytest.mark.anyio


async def test_nuggets_are_made_and_labelled(server: ScriptedServer) -> None:
    replies = iter(
        [
            '{"answers": ["Rye is a grain.", "Rye is sour.", "Rye is a grain."]}',
            '{"answers": ["vital", "okay"]}',
        ]
    )
    server.script = lambda request: next(replies)
    async with server.client() as client:
        made = await LlmNuggets(client).make("What is rye?", "Rye is a grain. It is sour.")
    assert made == [
        Nugget(text="Rye is a grain.", importance=Importance.VITAL),
        Nugget(text="Rye is sour.", importance=Importance.OKAY),
    ]


async def test_nothing_made_is_not_labelled(server: ScriptedServer) -> None:
    server.script = lambda request: '{"answers": []}'
    async with server.client() as client:
        assert await LlmNuggets(client).make("What is rye?", "Tea is hot.") == []
    assert len(server.requests) == 1


async def test_many_nuggets_are_matched_in_batches(server: ScriptedServer) -> None:
    def script(request: dict[str, Any]) -> str:
        schema = request["response_format"]["json_schema"]["schema"]
        return json.dumps({"answers": ["supported"] * schema["properties"]["answers"]["minItems"]})

    server.script = script
    nuggets = [Nugget(text=f"Rye is {n}.") for n in range(13)]
    async with server.client() as client:
        matched = await LlmNuggets(client).match("What is rye?", "Rye is 1.", nuggets)
    assert [m.nugget for m in matched] == nuggets
    assert {m.support for m in matched} == {Support.SUPPORTED}
    assert len(server.requests) == 2
