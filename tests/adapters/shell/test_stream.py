"""What a guarded stream holds at most, whatever the model writes."""

import json

import pytest

from vista_stream.testing import ScriptedStages
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.rewrite.chat import ChatDialect
from vista_stream_adapters.shell.stream import GuardedStream

pytestmark = pytest.mark.anyio

ASK = {"messages": [{"role": "user", "content": "Tell me."}]}
JSON = {**ASK, "response_format": {"type": "json_object"}}


async def most_held(chat, request, first, delta, *, characters):
    """Stream `delta` again and again; the most characters that were received and not sent, and all sent."""
    received, sent, most = 0, 0, 0

    async def upstream():
        nonlocal received, most
        yield chat.chunk({"content": first})
        received = len(first)
        while received < characters:
            yield chat.chunk({"content": delta})
            received += len(delta)
            most = max(most, received - sent)
        yield b"data: [DONE]\n\n"

    guard = Guard(stages=ScriptedStages().stages())
    async with GuardedStream(upstream(), ChatDialect(request), guard) as stream:
        async for event in stream:
            if event.data.startswith("{"):
                sent += len(json.loads(event.data)["choices"][0]["delta"].get("content") or "")
    assert sent == received
    return most


@pytest.mark.parametrize(
    ("request_body", "first"), [(ASK, "And "), (JSON, '{"note": "')], ids=["plain", "string of JSON"]
)
async def test_a_sentence_that_never_ends_is_let_out_bit_by_bit(chat, request_body, first):
    # Before deltas were cut into short pieces, dozens of any length waited.
    held = await most_held(chat, request_body, first, "word " * 20_000, characters=700_000)
    assert held < 350_000


@pytest.mark.parametrize(
    ("first", "delta"), [('{"numbers": [1', ", 23" * 250), ('{"', "key" * 300)], ids=["numbers", "a key"]
)
async def test_what_is_no_text_of_a_json_answer_does_not_wait_for_text(chat, first, delta):
    assert await most_held(chat, JSON, first, delta, characters=30_000) < 10_000
