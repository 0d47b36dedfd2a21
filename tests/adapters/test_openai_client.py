"""The guarded client itself: the synchronous one, conversations, other endpoints."""

import asyncio
import json
import sys
import threading
import time

import pytest

from openai_guarding import ASK, MARKS, REPLACED, STOP, STOPPED, TEXT, ask, content, guard, sync_client
from vista_stream import Category, Policy, Session
from vista_stream.portal import blocking_portal
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.openai import Guard, guard_openai, text_deltas

pytestmark = MARKS


@pytest.mark.parametrize("policy", [Policy(), STOP])
def test_the_synchronous_client_in_all_its_ways(upstream, chat, responses, answer, policy):
    expected = STOPPED if policy is STOP else REPLACED
    with guard_openai(sync_client(upstream), guard(policy)) as guarded:
        upstream.will(answer(chat.stream(TEXT)))
        chunks = list(guarded.chat.completions.create(model="m", messages=ASK, stream=True))
        assert content(chunks) == expected
        with guarded.chat.completions.stream(model="m", messages=ASK) as stream:
            assert stream.get_final_completion().choices[0].message.content == expected
        upstream.will(answer(responses.stream(TEXT)))
        events = list(guarded.responses.create(model="m", input="Tell me.", stream=True))
        assert events[-1].response.output_text == expected
        with guarded.responses.stream(model="m", input="Tell me.") as stream:
            assert stream.get_final_response().output_text == expected
        upstream.will(answer([chat.body(TEXT)], media="application/json"))
        completion = guarded.chat.completions.create(model="m", messages=ASK)
        assert completion.choices[0].message.content == expected


async def test_the_synchronous_client_where_an_event_loop_runs(upstream, chat, answer):
    with guard_openai(sync_client(upstream), guard()) as guarded:
        upstream.will(answer([chat.body(TEXT)], media="application/json"))
        completion = guarded.chat.completions.create(model="m", messages=ASK)
        assert completion.choices[0].message.content == REPLACED
        upstream.will(answer(chat.stream(TEXT)))
        stream = guarded.chat.completions.create(model="m", messages=ASK, stream=True)
        assert content(list(stream)) == REPLACED


def test_the_synchronous_client_has_one_event_loop_for_all_answers(upstream, chat, answer):
    loops = []

    class Noting(ScriptedStages):
        async def verify(self, claim, grounds):
            loops.append(asyncio.get_running_loop())
            return await super().verify(claim, grounds)

    upstream.will(
        answer(chat.stream(TEXT)),
        answer([chat.body(TEXT)], media="application/json"),
        answer(chat.stream(TEXT)),
    )
    guarded = guard_openai(sync_client(upstream), Guard(stages=Noting().stages()))
    for stream in (True, False, True):
        answered = guarded.chat.completions.create(model="m", messages=ASK, stream=stream)
        assert list(answered)
    assert len(loops) > 3
    assert len(set(loops)) == 1


def test_a_synchronous_client_that_leaves_closes_the_upstream(upstream, chat, answer):
    upstream.will(answer(chat.stream(TEXT + " More." * 500), pause=0.01))
    with guard_openai(sync_client(upstream), guard()) as guarded:
        stream = guarded.chat.completions.create(model="m", messages=ASK, stream=True)
        for chunk in stream:
            if chunk.choices[0].delta.content:
                break
        stream.close()
        assert upstream.left.wait(5)


def reads_in_progress():
    """Number of threads that wait in httpcore for an upstream."""
    return sum("httpcore" in frame.f_code.co_filename for frame in sys._current_frames().values())


@pytest.mark.parametrize("leave", ["stop", "close"])
def test_an_upstream_that_is_silent_is_left_at_once(upstream, chat, answer, leave):
    upstream.will(answer(chat.stream(TEXT)[:-3], ending="stall"))
    # The verdict comes when the upstream is silent.
    stages = ScriptedStages({"moon": Category.CONTRADICTED}, delay=lambda text: 0.3).stages()
    policy = STOP if leave == "stop" else Policy()
    with guard_openai(sync_client(upstream), Guard(stages=stages, policy=policy)) as guarded:
        stream = guarded.chat.completions.create(model="m", messages=ASK, stream=True)
        if leave == "stop":
            assert content(list(stream)) == STOPPED
        else:
            while next(stream).choices[0].delta.content in (None, ""):
                pass
            stream.close()
        assert upstream.left.wait(2)
        until = time.monotonic() + 2
        while reads_in_progress() and time.monotonic() < until:
            time.sleep(0.01)
        assert not reads_in_progress()


def test_a_synchronous_stream_may_be_closed_in_the_event_loops_own_thread(upstream, chat, answer):
    # The collector runs in any thread, and finishes the generators of readers that broke off.
    upstream.will(answer(chat.stream(TEXT)[:-3], ending="stall"))
    with guard_openai(sync_client(upstream), guard()) as guarded:
        stream = guarded.chat.completions.create(model="m", messages=ASK, stream=True)
        next(stream)
        with blocking_portal() as portal:
            portal.call(stream.close)
        assert upstream.left.wait(2)


def test_a_synchronous_stream_may_be_closed_by_another_thread(upstream, chat, answer):
    upstream.will(answer(chat.stream(TEXT + " More." * 500), pause=0.01))
    with guard_openai(sync_client(upstream), guard()) as guarded:
        stream = guarded.chat.completions.create(model="m", messages=ASK, stream=True)
        begun, raised = threading.Event(), []

        def read():
            try:
                for _ in stream:
                    begun.set()
            except Exception as error:
                raised.append(error)

        reader = threading.Thread(target=read)
        reader.start()
        assert begun.wait(5)
        stream.close()
        reader.join(5)
        assert not reader.is_alive()
        assert raised == []
        assert upstream.left.wait(5)
        stream.close()


async def test_the_conversation_is_named_by_a_header_that_stays_here(upstream, client, chat, answer):
    kept = guard()
    upstream.will(answer(chat.stream("The mill is red.")))
    await ask(guard_openai(client, kept), extra_headers={"X-Vista-Conversation": "c1"})
    assert [statement.text for statement in await kept.store.load("c1")] == ["The mill is red."]
    assert not any("vista" in name.lower() for name in upstream.headers[0])


async def test_an_answer_that_is_asked_for_again_is_not_held_against_the_first(
    upstream, client, chat, answer
):
    kept, named = guard(), {"extra_headers": {"X-Vista-Conversation": "c1"}}
    guarded = guard_openai(client, kept)
    upstream.will(answer(chat.stream("The mill is red.")), answer(chat.stream("The mill is blue.")))
    await ask(guarded, **named)
    await ask(guarded, **named)
    assert [statement.text for statement in await kept.common_ground("c1")] == ["The mill is blue."]


async def test_other_endpoints_and_the_client_given_stay_as_they_are(upstream, client, chat, answer):
    plain = client
    guarded = guard_openai(plain, guard())
    upstream.will(answer([b'{"object": "list", "data": [{"id": "moon"}]}'], media="application/json"))
    assert [model.id async for model in guarded.models.list()] == ["moon"]
    upstream.will(answer(chat.stream(TEXT)))
    assert content(await ask(plain)) == TEXT


async def test_files_are_uploaded_through_a_guarded_client(upstream, client, answer):
    stored = {"id": "f1", "object": "file", "bytes": 4, "filename": "a.txt", "purpose": "assistants"}
    upstream.will(answer([json.dumps(stored).encode()], media="application/json"))
    sent = {"file": ("a.txt", b"text"), "purpose": "assistants"}
    assert (await guard_openai(client, guard()).files.create(**sent)).id == "f1"
    with guard_openai(sync_client(upstream), guard()) as guarded:
        assert guarded.files.create(**sent).id == "f1"


async def test_text_deltas_feed_a_session_of_your_own(upstream, client, chat, responses, answer):
    plain, stages = client, ScriptedStages({"moon": Category.CONTRADICTED}).stages()
    upstream.will(answer(chat.stream(TEXT)), answer(responses.stream(TEXT)))
    for stream in (
        await plain.chat.completions.create(model="m", messages=ASK, stream=True),
        await plain.responses.create(model="m", input="Tell me.", stream=True),
    ):
        async with Session(stages=stages).turn(text_deltas(stream)) as turn:
            assert "".join([piece async for piece in turn.text()]) == REPLACED


def test_a_client_of_another_kind_is_refused():
    from types import SimpleNamespace

    from vista_stream_adapters.shell.http import guarded_client

    with pytest.raises(TypeError, match="httpx"):
        guarded_client(SimpleNamespace(_client=object()), guard(), lambda *_: None)
    with pytest.raises(TypeError, match="such as AsyncOpenAI"):
        guarded_client(object(), guard(), lambda *_: None)
