"""What a guarded stream holds at most, and what is guarded of an answer that was not streamed."""

import asyncio
import json

import pytest

from vista_stream import Category, ClaimSettled, Importance, Policy, VistaError, stop
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.rewrite.chat import ChatDialect
from vista_stream_adapters.rewrite.lane_log import Lane
from vista_stream_adapters.shell.stream import GuardedStream, guard_body, guard_slots

pytestmark = pytest.mark.anyio

ASK = {"messages": [{"role": "user", "content": "Tell me."}]}
JSON = {**ASK, "response_format": {"type": "json_object"}}


STOP = Policy(rules={(Category.CONTRADICTED, each): stop("I had that wrong.") for each in Importance})


def stopping():
    return Guard(stages=ScriptedStages({"FALSE": Category.CONTRADICTED}).stages(), policy=STOP)


@pytest.mark.parametrize("index", [{}, {"index": None}, {"index": 0}], ids=["none", "null", "repeated"])
async def test_every_choice_is_guarded_whatever_its_index_is(index):
    texts = ("It is FALSE.", "That is FALSE. It is old.", "It is so.")
    choices = [{**index, "message": {"role": "assistant", "content": text}} for text in texts]
    guarded = await guard_body({"choices": choices}, ChatDialect(ASK), stopping())
    contents = [choice["message"]["content"] for choice in guarded["choices"]]
    assert contents == ["I had that wrong.", "I had that wrong.", "It is so."]


async def test_a_text_after_a_stop_becomes_empty_without_a_check():
    class Kept:
        lane, text = Lane(track=0, part="text"), "It is FALSE."

        def put(self, sent, vista, **_):
            self.text = sent

    slots = [Kept(), Kept()]
    await guard_slots(slots, stopping(), messages=ASK["messages"])
    assert [slot.text for slot in slots] == ["I had that wrong.", ""]


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
    assert await most_held(chat, JSON, first, delta, characters=15_000) < 5_000


async def told(chunks, guard):
    """What a guarded stream sends of chunks."""
    async with GuardedStream(chunks, ChatDialect(ASK), guard) as stream:
        return [event async for event in stream]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_cancelled_task_that_the_upstream_awaits_does_not_end_the_answer_in_silence(chat):
    async def upstream():
        yield chat.chunk({"content": "It is so. "})
        task = asyncio.ensure_future(asyncio.sleep(60))
        task.cancel()
        await task

    with pytest.raises(VistaError, match="cancelled elsewhere"):
        await told(upstream(), Guard(stages=ScriptedStages().stages()))


class Quit(BaseException):
    """No Exception, as what pytest.fail() raises."""


@pytest.mark.parametrize("error", [SystemExit, Quit])
@pytest.mark.parametrize("where", ["callback", "upstream"])
async def test_what_is_no_exception_reaches_the_reader_unchanged(chat, where, error):
    def leave(event):
        raise error("mine")

    async def upstream():
        yield chat.chunk({"content": "It is so. "})
        if where == "upstream":
            leave(None)

    callbacks = [(ClaimSettled, leave)] if where == "callback" else []
    with pytest.raises(error, match="mine"):
        await told(upstream(), Guard(stages=ScriptedStages().stages(), callbacks=callbacks))
