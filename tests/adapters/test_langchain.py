"""With a real chat model class over real HTTP: the smallest that speaks the chat completions protocol."""

import json

import httpx
import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate

from vista_stream_adapters.langchain import GuardedChatModel
from vista_stream_adapters.sse import SseDecoder


class HttpChat(BaseChatModel):
    url: str

    @property
    def _llm_type(self):
        return "http"

    def _ask(self, messages):
        return {"messages": convert_to_openai_messages(messages), "stream": True}

    def _chunks(self, event):
        if event.data == "[DONE]":
            return
        for choice in json.loads(event.data)["choices"]:
            told = {"finish_reason": choice["finish_reason"]} if choice["finish_reason"] else {}
            if choice["logprobs"]:
                told["logprobs"] = choice["logprobs"]
            chunk = AIMessageChunk(content=choice["delta"].get("content") or "", response_metadata=told)
            yield ChatGenerationChunk(message=chunk)

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        text = "".join(str(chunk.message.content) for chunk in self._stream(messages))
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        decoder = SseDecoder()
        with httpx.stream("POST", f"{self.url}/chat/completions", json=self._ask(messages)) as response:
            for piece in response.iter_bytes():
                for event in decoder.feed(piece):
                    yield from self._chunks(event)

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        decoder = SseDecoder()
        async with (
            httpx.AsyncClient() as client,
            client.stream("POST", f"{self.url}/chat/completions", json=self._ask(messages)) as response,
        ):
            async for piece in response.aiter_bytes():
                for event in decoder.feed(piece):
                    for chunk in self._chunks(event):
                        yield chunk


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.mark.anyio
async def test_streams_and_whole_messages(upstream, chat, answer, case):
    upstream.will(answer(chat.stream(case.text)))
    guarded = GuardedChatModel(HttpChat(url=upstream.url), case.guard)
    chunks = [chunk async for chunk in guarded.astream("What of the mill?")]
    assert "".join(chunk.text for chunk in chunks) == case.expected
    assert "cheese" not in repr(chunks)
    told = [entry for chunk in chunks for entry in chunk.additional_kwargs.get("vista", ())]
    assert told[-1]["stopped"] is case.stops
    message = await guarded.ainvoke([HumanMessage("What of the mill?")])
    assert message.text == case.expected
    assert message.response_metadata["finish_reason"] == ("content_filter" if case.stops else "stop")


@pytest.mark.anyio
@pytest.mark.parametrize("text", ["The mill is red. The moon is odd.", "The mill is red. It is old."])
async def test_log_probabilities_are_kept_where_all_was_released(upstream, chat, answer, case, text):
    chunks = [chat.chunk({"content": text}, logprobs={"content": [{"token": text}]}, finish="stop")]
    upstream.will(answer([*chunks, b"data: [DONE]\n\n"]))
    message = await GuardedChatModel(HttpChat(url=upstream.url), case.guard).ainvoke("What of the mill?")
    assert ("logprobs" in message.response_metadata) is ("moon" not in text)
    assert "moon" not in repr(message)


def test_without_an_event_loop_and_in_a_chain(upstream, chat, answer, case):
    upstream.will(answer(chat.stream(case.text)))
    prompt = ChatPromptTemplate.from_messages([("human", "What of {thing}?")])
    chain = prompt | GuardedChatModel(HttpChat(url=upstream.url), case.guard)
    assert chain.invoke({"thing": "the mill"}).text == case.expected
    assert "".join(chunk.text for chunk in chain.stream({"thing": "the mill"})) == case.expected
    assert upstream.requests[0]["messages"] == [{"role": "user", "content": "What of the mill?"}]


@pytest.mark.anyio
async def test_the_thread_is_the_conversation(upstream, chat, answer, case):
    upstream.will(answer(chat.stream("The mill is red.")))
    guarded = GuardedChatModel(HttpChat(url=upstream.url), case.guard)
    await guarded.ainvoke("What of the mill?", {"configurable": {"thread_id": "t1"}})
    assert [statement.text for statement in await case.guard.store.load("t1")] == ["The mill is red."]
