import importlib
from types import SimpleNamespace

import pytest

from vista_stream import UpstreamError

pytest.importorskip("litellm", reason="needs the dependency group integrations")

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
async def modules(monkeypatch):
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm = importlib.import_module("litellm")
    yield litellm, importlib.import_module("vista_stream_adapters.litellm").VistaGuardrail
    await litellm.close_litellm_async_clients()


def ask(upstream, **settings):
    messages = [{"role": "user", "content": "What of the mill?"}]
    return {
        "model": "openai/m",
        "messages": messages,
        "api_base": upstream.url,
        "api_key": "none",
        **settings,
    }


async def test_a_stream_is_guarded(upstream, chat, answer, case, modules):
    litellm, guardrail = modules
    upstream.will(answer(chat.stream(case.text)))
    stream = await litellm.acompletion(**ask(upstream, stream=True))
    hook = guardrail(case.guard).async_post_call_streaming_iterator_hook
    chunks = [chunk async for chunk in hook(None, stream, ask(upstream, stream=True))]
    assert all(isinstance(chunk, litellm.ModelResponseStream) for chunk in chunks)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == case.expected
    assert "cheese" not in repr(chunks)
    reasons = [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices]
    assert [reason for reason in reasons if reason] == ["content_filter" if case.stops else "stop"]


async def test_a_whole_answer_is_guarded(upstream, chat, answer, case, modules):
    litellm, guardrail = modules
    upstream.will(answer([chat.body(case.text)], media="application/json"))
    whole = await litellm.acompletion(**ask(upstream))
    guarded = await guardrail(case.guard).async_post_call_success_hook(ask(upstream), None, whole)
    assert guarded.choices[0].message.content == case.expected
    assert guarded.choices[0].finish_reason == ("content_filter" if case.stops else "stop")


async def test_conversations_of_two_callers_are_two(upstream, chat, answer, case, modules):
    litellm, guardrail = modules
    hooks, store = guardrail(case.guard), case.guard.store
    kept = []
    for caller, text in (("a", "The mill is red."), ("b", "The barn is blue.")):
        request = ask(upstream, litellm_session_id="1")
        upstream.will(answer([chat.body(text)], media="application/json"), answer(chat.stream(text)))
        known = SimpleNamespace(api_key=f"sk-{caller}", user_id=None, team_id=None)
        whole = await litellm.acompletion(**ask(upstream))
        await hooks.async_post_call_success_hook(request, known, whole)
        stream = await litellm.acompletion(**ask(upstream, stream=True))
        assert [
            chunk async for chunk in hooks.async_post_call_streaming_iterator_hook(known, stream, request)
        ]
        kept.append({key: {one.text for one in found} for key, found in store._conversations.items()})
    assert list(kept[0].values()) == [{"The mill is red."}]
    assert list(kept[1].values()) == [{"The mill is red."}, {"The barn is blue."}]
    assert "sk-" not in repr(kept)


async def test_what_litellm_keeps_beside_an_answer_stays(upstream, chat, answer, case, modules):
    litellm, guardrail = modules
    upstream.will(answer([chat.body(case.text)], media="application/json"), answer(chat.stream(case.text)))
    whole = await litellm.acompletion(**ask(upstream))
    whole._hidden_params["model_id"] = "m-7"
    guarded = await guardrail(case.guard).async_post_call_success_hook(ask(upstream), None, whole)
    assert guarded._hidden_params == whole._hidden_params
    assert guarded._response_headers == whole._response_headers
    stream = await litellm.acompletion(**ask(upstream, stream=True))

    async def routed():
        async for chunk in stream:
            chunk._hidden_params["model_id"] = "m-7"
            yield chunk

    hook = guardrail(case.guard).async_post_call_streaming_iterator_hook
    chunks = [chunk async for chunk in hook(None, routed(), ask(upstream, stream=True))]
    assert {chunk._hidden_params["model_id"] for chunk in chunks} == {"m-7"}
    await stream.aclose()


async def test_other_answers_pass(upstream, case, modules):
    _, guardrail = modules
    other = object()
    assert await guardrail(case.guard).async_post_call_success_hook({}, None, other) is other


@pytest.mark.parametrize(
    "chunks", [[b"event: ping\n\n", b"data: {}\n\n"], [{"type": "response.created"}], []]
)
async def test_streams_of_other_endpoints_pass_and_are_closed(case, modules, chunks):
    _, guardrail = modules
    closed = []

    async def other():
        try:
            for chunk in chunks:
                yield chunk
        finally:
            closed.append(True)

    hook = guardrail(case.guard).async_post_call_streaming_iterator_hook
    assert [chunk async for chunk in hook(None, other(), {})] == chunks
    left = hook(None, other(), {})
    await anext(left, None)
    await left.aclose()
    assert closed == [True, True]


async def test_a_chat_stream_that_turns_into_something_else_is_refused(upstream, chat, answer, case, modules):
    litellm, guardrail = modules
    upstream.will(answer(chat.stream("The mill is red.", size=50)))
    stream = await litellm.acompletion(**ask(upstream, stream=True))

    async def mixed():
        yield await anext(stream)
        yield b"data: the moon"

    hook = guardrail(case.guard).async_post_call_streaming_iterator_hook
    with pytest.raises(UpstreamError, match="bytes"):
        assert "moon" not in repr([chunk async for chunk in hook(None, mixed(), ask(upstream, stream=True))])
    await stream.aclose()


async def test_the_proxy_will_run_it(case, modules):
    _, guardrail = modules
    hooks = guardrail(case.guard)
    event = importlib.import_module("litellm.types.guardrails").GuardrailEventHooks.post_call
    assert hooks.should_run_guardrail(data={}, event_type=event)
    assert "async_post_call_streaming_iterator_hook" in type(hooks).__dict__
