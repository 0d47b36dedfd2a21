"""The client against a real HTTP server: repairs, retries, fallback, cache, counts."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from vista_stream.errors import StageError
from vista_stream.stages.llm_client import LlmClient, Question, Style
from vista_stream.stages.llm_form import Form

if TYPE_CHECKING:
    from scripted_server import ScriptedServer

pytestmark = pytest.mark.anyio

FORM = Form(choices=("VERIFIED", "UNVERIFIABLE"), count=1)
FIELDS = {"background": "", "reference": "Tea is hot.", "claim": "Tea is warm."}
QUESTION = Question("verify_two_way", FIELDS, FORM)


async def ask(client: LlmClient, question: Question = QUESTION) -> list[str]:
    return await client.ask(question, list)


async def test_a_good_answer_is_read_and_counted(server: ScriptedServer) -> None:
    async with server.client() as client:
        assert await ask(client) == ["VERIFIED"]
    request = server.requests[0]
    assert request["response_format"]["json_schema"]["schema"] == FORM.schema
    assert (request["temperature"], request["seed"]) == (0, 0)
    spent = client.spent["verify_two_way"]
    assert (spent.calls, spent.repairs, spent.prompt_tokens, spent.completion_tokens) == (1, 0, 100, 7)
    assert spent.version == "verify-two-way-1"
    assert spent.cost(2.0, 10.0) == pytest.approx(270e-6)


async def test_a_bad_answer_is_sent_back_once_with_its_reason(server: ScriptedServer) -> None:
    replies = iter(["It is probably fine.", "1. UNVERIFIABLE"])
    server.script = lambda request: next(replies)
    async with server.client() as client:
        assert await ask(client) == ["UNVERIFIABLE"]
    repair = server.requests[1]["messages"][-2:]
    assert repair[0] == {"role": "assistant", "content": "It is probably fine."}
    assert "not among the answers allowed" in repair[1]["content"]
    assert client.spent["verify_two_way"].repairs == 1


async def test_two_bad_answers_are_an_error_never_a_default(server: ScriptedServer) -> None:
    server.script = lambda request: "VERIFIED or not, who knows"
    async with server.client() as client:
        with pytest.raises(StageError, match="no usable answer"):
            await ask(client)
    assert len(server.requests) == 2


async def test_a_server_without_schemas_is_asked_for_lists(server: ScriptedServer) -> None:
    def script(request: dict[str, Any]) -> str | tuple[int, str]:
        if "response_format" in request:
            return 400, json.dumps({"error": {"message": "response_format is not supported"}})
        return "1. VERIFIED"

    server.script = script
    async with server.client() as client:
        assert await ask(client) == ["VERIFIED"]
        assert await ask(client) == ["VERIFIED"]
    assert [("response_format" in request) for request in server.requests] == [True, False, False]
    assert "numbered list" in server.requests[1]["messages"][0]["content"]


async def test_another_refusal_is_an_error(server: ScriptedServer) -> None:
    server.script = lambda request: (400, json.dumps({"error": {"message": "context too long"}}))
    async with server.client() as client:
        with pytest.raises(StageError, match="context too long"):
            await ask(client)


async def test_overload_is_retried_with_back_off(server: ScriptedServer) -> None:
    replies = iter([(503, "{}"), (429, "{}"), "1. VERIFIED"])
    server.script = lambda request: next(replies)
    async with server.client(retries=2) as client:
        assert await ask(client) == ["VERIFIED"]
    assert len(server.requests) == 3


async def test_a_server_that_stays_down_is_an_error(server: ScriptedServer) -> None:
    server.script = lambda request: (500, "{}")
    async with server.client() as client:
        with pytest.raises(StageError, match="did not answer"):
            await ask(client)


async def test_the_cache_answers_the_same_question_only(server: ScriptedServer, tmp_path: Path) -> None:
    path = tmp_path / "replies.db"
    async with server.client(cache=path) as client:
        await ask(client)
    async with server.client(cache=path) as client:
        assert await ask(client) == ["VERIFIED"]
        assert len(server.requests) == 1
        assert client.spent["verify_two_way"].cached == 1
        await ask(client, Question("verify_two_way", {**FIELDS, "claim": "Tea is cold."}, FORM))
        assert len(server.requests) == 2
    async with server.client(cache=path, style=Style(options={"temperature": 1})) as client:
        await ask(client)
    assert len(server.requests) == 3


async def test_no_more_requests_at_a_time_than_allowed(server: ScriptedServer) -> None:
    lock, now, most = threading.Lock(), 0, 0

    def script(request: dict[str, Any]) -> str:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.03)
        with lock:
            now -= 1
        return "1. VERIFIED"

    server.script = script
    async with server.client(concurrency=2) as client, anyio.create_task_group() as tasks:
        for _ in range(6):
            tasks.start_soon(ask, client)
    assert most == 2


async def test_zero_shot_sends_no_exemplars(server: ScriptedServer) -> None:
    async with server.client(style=Style(exemplars=False)) as client:
        await ask(client)
    assert len(server.requests[0]["messages"]) == 2


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="concurrency"):
        LlmClient("m", concurrency=0)
    with pytest.raises(ValueError, match="model"):
        LlmClient("")
