"""The client against a real HTTP server: repairs, retries, fallback, cache, counts."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from vista_stream.errors import StageError
from vista_stream.stages.llm.client import LlmClient, Question, Style
from vista_stream.stages.llm.form import Form

if TYPE_CHECKING:
    from scripted_server import ScriptedServer

pytestmark = pytest.mark.anyio

FORM = Form(choices=("VERIFIED", "UNVERIFIABLE"), count=1)
FIELDS = {"background": "", "reference": "Tea is hot.", "claim": "Tea is warm."}
QUESTION = Question("verify_two_way", FIELDS, FORM)


async def ask(client: LlmClient, question: Question = QUESTION) -> list[str]:
    return await client.ask(question, list)


def about(claim: str) -> Question:
    return Question("verify_two_way", {**FIELDS, "claim": claim}, FORM)


def completion(choice: Any = None, **fields: Any) -> tuple[int, str]:
    """A whole HTTP body, as odd as wanted."""
    message = {"role": "assistant", "content": "1. VERIFIED"}
    choice = {"index": 0, "finish_reason": "stop", "message": message} if choice is None else choice
    return 200, json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], **fields})


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


async def test_the_complaint_asks_for_the_form_that_was_asked_for(server: ScriptedServer) -> None:
    replies = iter(["I judge as follows.\nVERIFIED.", "VERIFIED\nas I said"])
    server.script = lambda request: next(replies)
    async with server.client() as client:
        with pytest.raises(StageError, match="must be JSON"):
            await ask(client)
    assert '{"answers": [...]}' in server.requests[1]["messages"][-1]["content"]
    replies = iter(["I judge as follows.\nVERIFIED.", "1. VERIFIED"])
    async with server.client(style=Style(structured=False)) as client:
        assert await ask(client) == ["VERIFIED"]
    assert "line 1 must begin with `1. `" in server.requests[3]["messages"][-1]["content"]


async def test_two_bad_answers_are_an_error_never_a_default(server: ScriptedServer) -> None:
    server.script = lambda request: "VERIFIED or not, who knows"
    async with server.client() as client:
        with pytest.raises(StageError, match="no usable answer"):
            await ask(client)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("status", "refusal"),
    [
        (400, {"error": {"message": "response_format is not supported"}}),
        (422, {"detail": [{"loc": ["body", "response_format"], "msg": "Extra inputs are not permitted"}]}),
        (501, {"error": {"message": "not implemented"}}),
    ],
)
async def test_a_server_without_schemas_is_asked_for_lists(
    server: ScriptedServer, status: int, refusal: dict[str, Any]
) -> None:
    def script(request: dict[str, Any]) -> str | tuple[int, str]:
        return (status, json.dumps(refusal)) if "response_format" in request else "1. VERIFIED"

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
        for number in range(6):
            tasks.start_soon(ask, client, about(f"Tea has {number} degrees."))
    assert most == 2


ODD = {
    "html": (200, "<html>busy</html>"),
    "empty body": (200, ""),
    "list": (200, "[]"),
    "null": (200, "null"),
    "number": (200, "5"),
    "an error": (200, '{"error": {"message": "not loaded"}}'),
    "nested deep": (200, '{"choices": ' + "[" * 100_000),
    "no choice": completion(choices=[]),
    "null choices": completion(choices=None),
    "choices no list": completion(choices={"message": {"content": "1. VERIFIED"}}),
    "null choice": completion(choices=[None]),
    "no message": completion({"index": 0}),
    "null message": completion({"message": None}),
    "message a string": completion({"message": "1. VERIFIED"}),
    "list content": completion({"message": {"content": [{"type": "text", "text": "1. VERIFIED"}]}}),
    "int content": completion({"message": {"content": 5}}),
    "answers nested deep": completion({"message": {"content": '{"answers": ' + "[" * 100_000}}),
}


@pytest.mark.parametrize("body", ODD.values(), ids=ODD.keys())
async def test_what_is_no_completion_is_a_stage_error(server: ScriptedServer, body: tuple[int, str]) -> None:
    server.script = lambda request: body
    async with server.client() as client:
        with pytest.raises(StageError, match="verify_two_way: scripted "):
            await ask(client)


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": "9", "completion_tokens": None}, [], "much", 3]
)
async def test_an_answer_counts_though_its_tokens_were_not_told(server: ScriptedServer, usage: Any) -> None:
    server.script = lambda request: completion(usage=usage)
    async with server.client() as client:
        assert await ask(client) == ["VERIFIED"]
    assert client.spent["verify_two_way"].prompt_tokens == 0


async def test_a_reply_with_half_a_surrogate_pair_is_read(server: ScriptedServer, tmp_path: Path) -> None:
    claim = json.dumps({"answers": ["Tea \ud800 is hot."]})
    server.script = lambda request: completion({"message": {"content": f"{claim[:-1]}\udc00"}})
    question = Question("decompose", {"history": "", "so_far": "", "passage": "Tea."}, Form())
    async with server.client(cache=tmp_path / "replies.db") as client:
        with pytest.raises(StageError, match="not JSON"):
            await ask(client, question)
        server.script = lambda request: claim
        assert await ask(client, question) == ["Tea ? is hot."]


async def test_a_truncated_reply_is_no_answer_and_not_kept(server: ScriptedServer, tmp_path: Path) -> None:
    cut = {"finish_reason": "length", "message": {"content": "1. VERIFIED"}}
    usage = {"prompt_tokens": 100, "completion_tokens": 7}
    server.script = lambda request: completion(cut, usage=usage)
    async with server.client(cache=tmp_path / "replies.db") as client:
        with pytest.raises(StageError, match="cut off at its greatest length"):
            await ask(client)
        assert client.spent["verify_two_way"].completion_tokens == 7
        server.script = lambda request: "1. VERIFIED"
        assert await ask(client) == ["VERIFIED"]
    assert len(server.requests) == 2


async def test_only_what_led_to_an_answer_is_kept(server: ScriptedServer, tmp_path: Path) -> None:
    server.script = lambda request: "who knows"
    async with server.client(cache=tmp_path / "replies.db") as client:
        with pytest.raises(StageError):
            await ask(client)
        replies = iter(["well", "1. VERIFIED"])
        server.script = lambda request: next(replies)
        assert await ask(client) == ["VERIFIED"]
        assert await ask(client) == ["VERIFIED"]
    assert len(server.requests) == 4


async def test_a_cache_that_fails_costs_one_answer(server: ScriptedServer, tmp_path: Path) -> None:
    async with server.client(cache=tmp_path / "replies.db") as client:
        with sqlite3.connect(tmp_path / "replies.db") as database:
            database.execute("DROP TABLE timed_reply")
        database.close()
        with pytest.raises(StageError, match="the cache of replies failed: no such table"):
            await ask(client)


async def test_a_cache_on_a_full_disk_costs_no_answer(
    server: ScriptedServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.script = lambda request: json.dumps({"answers": ["VERIFIED"]}) + " " * 50_000
    async with server.client(cache=tmp_path / "replies.db") as client:
        client._cache._database.execute("PRAGMA max_page_count = 4")
        assert await ask(client) == ["VERIFIED"]
        assert await ask(client) == ["VERIFIED"]
    assert len(server.requests) == 2
    assert "a reply cannot be cached: database or disk is full" in caplog.text


async def test_equal_questions_at_a_time_are_one_request(server: ScriptedServer) -> None:
    def slow(request: dict[str, Any]) -> str:
        time.sleep(0.1)
        return "1. VERIFIED"

    server.script = slow
    answers = []

    async def asked(question: Question) -> None:
        answers.append(await ask(client, question))

    async with server.client() as client, anyio.create_task_group() as tasks:
        for claim in ("Tea is hot.", "Tea is hot.", "Tea is cold.", "Tea is hot."):
            tasks.start_soon(asked, about(claim))
    assert answers == [["VERIFIED"]] * 4
    assert len(server.requests) == 2


async def test_one_failure_is_that_of_all_who_asked_the_same(server: ScriptedServer) -> None:
    server.script = lambda request: "who knows"
    failures = []

    async def asked() -> None:
        with pytest.raises(StageError) as failed:
            await ask(client)
        failures.append(str(failed.value))

    async with server.client() as client, anyio.create_task_group() as tasks:
        tasks.start_soon(asked)
        tasks.start_soon(asked)
    assert len(failures) == 2
    assert len(server.requests) == 2  # the question and its repair


async def test_who_is_cancelled_leaves_the_question_to_the_next(server: ScriptedServer) -> None:
    def slow(request: dict[str, Any]) -> str:
        time.sleep(0.1)
        return "1. VERIFIED"

    server.script = slow
    answers = []

    async def patient() -> None:
        answers.append(await ask(client))

    async with server.client() as client, anyio.create_task_group() as tasks:
        with anyio.move_on_after(0.03):
            tasks.start_soon(patient)
            await ask(client)
    assert answers == [["VERIFIED"]]


async def test_questions_at_a_time_all_find_that_schemas_are_refused(server: ScriptedServer) -> None:
    def script(request: dict[str, Any]) -> str | tuple[int, str]:
        time.sleep(0.03)
        if "response_format" in request:
            return 400, json.dumps({"error": {"message": "response_format is not supported"}})
        return "1. VERIFIED"

    server.script = script
    answers = []

    async def asked(question: Question) -> None:
        answers.append(await ask(client, question))

    async with server.client() as client, anyio.create_task_group() as tasks:
        for number in range(4):
            tasks.start_soon(asked, about(f"Tea has {number} degrees."))
    assert answers == [["VERIFIED"]] * 4


async def test_zero_shot_sends_no_exemplars(server: ScriptedServer) -> None:
    async with server.client(style=Style(exemplars=False)) as client:
        await ask(client)
    assert len(server.requests[0]["messages"]) == 2


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="concurrency"):
        LlmClient("m", concurrency=0)
    with pytest.raises(ValueError, match="model"):
        LlmClient("")
