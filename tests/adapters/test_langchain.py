"""With a real chat model class over real HTTP: the smallest that speaks the chat completions protocol."""

import json
import threading

import anyio
import anyio.to_thread
import httpx
import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    HumanMessage,
    ToolMessage,
    convert_to_openai_messages,
    message_chunk_to_message,
)
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tracers.context import collect_runs
from pydantic import BaseModel

from tests.adapters.conftest import NOTICE
from vista_stream import Category, ClaimSettled, Importance, Policy, Session, UpstreamError, stop
from vista_stream.portal import blocking_portal
from vista_stream.testing import ScriptedStages
from vista_stream_adapters.guard import Guard
from vista_stream_adapters.langchain import GuardedChatModel
from vista_stream_adapters.rewrite.sse import SseDecoder

FALSE = "The moon is of cheese."
USAGE = {"input_tokens": 9, "output_tokens": 12, "total_tokens": 21}


class HttpChat(BaseChatModel):
    url: str

    @property
    def _llm_type(self):
        return "http"

    def _ask(self, messages, *, stream=True):
        return {"messages": convert_to_openai_messages(messages), "stream": stream}

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
        answer = httpx.post(f"{self.url}/chat/completions", json=self._ask(messages, stream=False))
        answer.raise_for_status()
        (choice,) = answer.json()["choices"]
        told = {key: choice[key] for key in ("finish_reason", "logprobs") if choice[key]}
        message = AIMessage(choice["message"]["content"], response_metadata=told, usage_metadata=USAGE)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        decoder = SseDecoder()
        with httpx.stream("POST", f"{self.url}/chat/completions", json=self._ask(messages)) as response:
            response.raise_for_status()
            for piece in response.iter_bytes():
                for event in decoder.feed(piece):
                    yield from self._chunks(event)

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        decoder = SseDecoder()
        async with (
            httpx.AsyncClient() as client,
            client.stream("POST", f"{self.url}/chat/completions", json=self._ask(messages)) as response,
        ):
            response.raise_for_status()
            async for piece in response.aiter_bytes():
                for event in decoder.feed(piece):
                    for chunk in self._chunks(event):
                        yield chunk


class Replaying(BaseChatModel):
    """Says what it was given: chunks, or the message that they amount to."""

    chunks: list[AIMessageChunk]

    @property
    def _llm_type(self):
        return "replaying"

    def bind_tools(self, tools, **kwargs):
        return self.bind(tools=tools, **kwargs)

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        whole = message_chunk_to_message(self.chunks[0] + self.chunks[1:])
        if isinstance(whole.content, list):
            for block in whole.content:
                block.pop("index")
        return ChatResult(generations=[ChatGeneration(message=whole)])

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        for chunk in self.chunks:
            yield ChatGenerationChunk(message=chunk.model_copy(deep=True))


def both(model, guard, prompt="What of the mill?"):
    """A guarded model's message, not streamed and streamed."""
    guarded = GuardedChatModel(model, guard)
    first, *rest = guarded.stream(prompt)
    return guarded.invoke(prompt), first + rest


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
    upstream.will(answer([chat.body(case.text)], media="application/json"))
    message = await guarded.ainvoke([HumanMessage("What of the mill?")])
    assert message.text == case.expected
    assert message.response_metadata["finish_reason"] == ("content_filter" if case.stops else "stop")


@pytest.mark.anyio
@pytest.mark.parametrize("text", ["The mill is red. The moon is odd.", "The mill is red. It is old."])
async def test_log_probabilities_are_kept_where_all_was_released(upstream, chat, answer, case, text):
    logprobs = {"content": [{"token": text}]}
    chunks = [chat.chunk({"content": text}, logprobs=logprobs, finish="stop"), b"data: [DONE]\n\n"]
    body = json.loads(chat.body(text))
    body["choices"][0]["logprobs"] = logprobs
    upstream.will(answer([json.dumps(body).encode()], media="application/json"), answer(chunks))
    guarded = GuardedChatModel(HttpChat(url=upstream.url), case.guard)
    message = await guarded.ainvoke("What of the mill?")
    streamed = [chunk async for chunk in guarded.astream("What of the mill?")]
    for said in (message, streamed[0] + streamed[1:]):
        assert ("logprobs" in said.response_metadata) is ("moon" not in text)
        assert "moon" not in repr(said)


def test_without_an_event_loop_and_in_a_chain(upstream, chat, answer, case):
    whole = answer([chat.body(case.text)], media="application/json")
    upstream.will(whole, answer(chat.stream(case.text)))
    prompt = ChatPromptTemplate.from_messages([("human", "What of {thing}?")])
    chain = prompt | GuardedChatModel(HttpChat(url=upstream.url), case.guard)
    assert chain.invoke({"thing": "the mill"}).text == case.expected
    assert "".join(chunk.text for chunk in chain.stream({"thing": "the mill"})) == case.expected
    assert upstream.requests[0]["messages"] == [{"role": "user", "content": "What of the mill?"}]


@pytest.mark.anyio
async def test_the_thread_is_the_conversation(upstream, chat, answer, case):
    upstream.will(answer([chat.body("The mill is red.")], media="application/json"))
    guarded = GuardedChatModel(HttpChat(url=upstream.url), case.guard)
    await guarded.ainvoke("What of the mill?", {"configurable": {"thread_id": "t1"}})
    assert [statement.text for statement in await case.guard.store.load("t1")] == ["The mill is red."]


class Listening(BaseCallbackHandler):
    def __init__(self):
        self.models, self.tokens, self.ends = [], [], []

    def on_chat_model_start(self, model, messages, **told):
        self.models.append(told["metadata"]["ls_provider"])

    def on_llm_new_token(self, token, **told):
        self.tokens.append((token, told["chunk"]))

    def on_llm_end(self, response, **told):
        self.ends.append(response)


@pytest.mark.anyio
async def test_callbacks_and_collected_runs_hear_only_what_is_released(upstream, chat, answer, case):
    guarded, listening = GuardedChatModel(HttpChat(url=upstream.url), case.guard), Listening()
    config = {"callbacks": [listening]}
    with collect_runs() as collected:
        upstream.will(answer([chat.body(case.text)], media="application/json"))
        guarded.invoke("What of the mill?", config)
        await guarded.ainvoke("What of the mill?", config)
        assert listening.tokens == []
        upstream.will(answer(chat.stream(case.text)))
        assert "".join(c.text for c in guarded.stream("What of the mill?", config)) == case.expected
        assert "".join([c.text async for c in guarded.astream("What of the mill?", config)]) == case.expected
    assert "".join(token for token, _ in listening.tokens) == 2 * case.expected
    assert len(listening.ends) == 4
    assert listening.models == ["http"] * 4
    assert [run.name for run in collected.traced_runs] == ["GuardedChatModel"] * 4
    assert "cheese" not in repr((listening.tokens, listening.ends, collected.traced_runs))


@pytest.mark.anyio
@pytest.mark.parametrize("whole", [True, False])
async def test_event_streams_of_a_chain_hear_only_what_is_released(upstream, chat, answer, case, whole):
    """As LangGraph's messages mode, they have a model that is invoked in their course stream."""
    upstream.will(answer(chat.stream(case.text)))
    guarded = GuardedChatModel(HttpChat(url=upstream.url), case.guard)

    async def node(given):
        return await guarded.ainvoke(given)

    prompt = ChatPromptTemplate.from_messages([("human", "What of {thing}?")])
    chain = prompt | (node if whole else guarded) | StrOutputParser()
    events = [event async for event in chain.astream_events({"thing": "the mill"}, version="v2")]
    assert "cheese" not in repr(events)
    streamed = [event for event in events if event["event"] == "on_chat_model_stream"]
    assert {event["name"] for event in streamed} == {"GuardedChatModel"}
    assert "".join(event["data"]["chunk"].text for event in streamed) == case.expected


def test_a_call_that_is_not_streamed_asks_for_an_answer_that_is_not(upstream, chat, answer, case):
    upstream.will(answer([chat.body("The mill is red.")], media="application/json"))
    message = GuardedChatModel(HttpChat(url=upstream.url), case.guard).invoke("What of the mill?")
    assert type(message) is AIMessage
    assert message.usage_metadata == USAGE
    assert upstream.requests[0]["stream"] is False


class Answer(BaseModel):
    said: str
    year: int


@pytest.mark.parametrize("as_class", [True, False])
def test_of_a_document_the_strings_are_guarded(case, as_class):
    document = {"said": FALSE, "year": 3}
    parsed = Answer(**document) if as_class else document
    model = Replaying(
        chunks=[
            AIMessageChunk(content=json.dumps(document)[:9]),
            AIMessageChunk(content=json.dumps(document)[9:]),
            AIMessageChunk(content="", additional_kwargs={"parsed": parsed}),
        ]
    )
    guarded = GuardedChatModel(
        model.bind(response_format=Answer if as_class else {"type": "json_object"}), case.guard
    )
    first, *rest = guarded.stream("What of the mill?")
    for message in (guarded.invoke("What of the mill?"), first + rest):
        expected = {"said": "[Stopped.]"} if case.stops else {"said": NOTICE, "year": 3}
        assert json.loads(message.text) == expected
        assert "moon" not in repr(message)
        if not case.stops:
            now = message.additional_kwargs["parsed"]
            assert now == (Answer(**expected) if as_class else expected)


CALL = {"name": "look", "id": "c0", "index": 1}
SECOND = {"name": "ask", "args": "{}", "id": "c1", "index": 2}
AS_TEXT = [
    AIMessageChunk(content="I look."),
    AIMessageChunk(content="", tool_call_chunks=[{**CALL, "args": '{"for": "The moon '}]),
    AIMessageChunk(
        content="",
        tool_call_chunks=[{"name": None, "args": 'is of cheese."}', "id": None, "index": 1}, SECOND],
    ),
]
AS_BLOCKS = [
    AIMessageChunk(content=[{"type": "text", "text": "I look.", "index": 0}]),
    AIMessageChunk(
        content=[
            {"type": "function_call", "call_id": "c0", "name": "look", "arguments": '{"for": ', "index": 1}
        ],
        tool_call_chunks=[{**CALL, "args": '{"for": '}],
    ),
    AIMessageChunk(
        content=[
            {"type": "function_call", "arguments": f'"{FALSE}"}}', "index": 1},
        ],
        tool_call_chunks=[{"name": None, "args": f'"{FALSE}"}}', "id": None, "index": 1}],
    ),
    AIMessageChunk(
        content=[{"type": "function_call", "call_id": "c1", "name": "ask", "arguments": "{}", "index": 2}],
        tool_call_chunks=[SECOND],
    ),
]


@pytest.mark.parametrize("chunks", [AS_TEXT, AS_BLOCKS])
def test_arguments_of_tool_calls_are_guarded_where_the_guard_says_so(case, chunks):
    for message in both(Replaying(chunks=chunks), case.guard):
        assert [call["args"] for call in message.tool_calls] == [{"for": FALSE}, {}]
    case.guard.tool_call_arguments = "guard"
    expected = [{"for": "[Stopped.]"}] if case.stops else [{"for": NOTICE}, {}]
    for message in both(Replaying(chunks=chunks), case.guard):
        assert [call["args"] for call in message.tool_calls] == expected
        assert "cheese" not in repr(message)
        if chunks is AS_BLOCKS:
            copies = [block for block in message.content if block["type"] == "function_call"]
            assert [json.loads(block["arguments"]) for block in copies] == expected


LOOK = {**CALL, "index": 0, "args": json.dumps({"for": FALSE})}
RAW = {"tool_calls": [{"index": 0, "id": "c0", "function": {"name": "look", "arguments": LOOK["args"]}}]}


@pytest.mark.parametrize("content", ["", [{"type": "tool_use", "id": "c0", "name": "look", "index": 0}]])
def test_a_call_that_is_kept_unparsed_too_is_made_once(case, content):
    model = Replaying(
        chunks=[AIMessageChunk(content=content, additional_kwargs=RAW, tool_call_chunks=[LOOK])]
    )
    for message in both(model, case.guard):
        assert [(call["name"], call["args"]) for call in message.tool_calls] == [("look", {"for": FALSE})]
    case.guard.tool_call_arguments = "guard"
    for message in both(model, case.guard):
        (call,) = message.tool_calls
        assert (call["name"], call["args"]) == ("look", {"for": "[Stopped.]" if case.stops else NOTICE})
        assert "cheese" not in repr(message)


def test_a_function_call_of_the_older_kind_is_guarded_where_the_guard_says_so(case):
    function = {"name": "look", "arguments": json.dumps({"for": FALSE})}
    model = Replaying(chunks=[AIMessageChunk(content="", additional_kwargs={"function_call": function})])
    for message in both(model, case.guard):
        assert message.additional_kwargs["function_call"] == function
    case.guard.tool_call_arguments = "guard"
    for message in both(model, case.guard):
        assert "cheese" not in repr(message)
        told = json.loads(message.additional_kwargs["function_call"]["arguments"])
        assert told == {"for": "[Stopped.]" if case.stops else NOTICE}


def test_blocks_keep_their_order_and_their_kind(case):
    texts = ["The mill is red. It is ", "old. ", "It stands in Kew."]
    cited = {"type": "text", "citations": [{"url": "https://example.org"}], "index": 1}
    model = Replaying(
        chunks=[
            AIMessageChunk(content=[{"type": "thinking", "thinking": "So.", "index": 0}]),
            AIMessageChunk(content=[{"type": "text", "text": texts[0], "id": "m", "index": 1}], id="msg_1"),
            AIMessageChunk(content=[{"type": "text", "text": texts[1], "index": 1}]),
            AIMessageChunk(content=[cited]),
            AIMessageChunk(content=[{"type": "tool_use", "id": "c", "name": "n", "input": {}, "index": 2}]),
            AIMessageChunk(content=[{"type": "text", "text": texts[2], "index": 3}]),
        ]
    )
    plain, plain_chunks = model.invoke("What?"), list(model.stream("What?"))
    message, streamed = both(model, case.guard)
    assert message.content == plain.content
    assert streamed.content == (plain_chunks[0] + plain_chunks[1:]).content
    assert message.id == streamed.id == "msg_1"
    assert [part["role"] for part in convert_to_openai_messages([HumanMessage("?"), message])] == [
        "user",
        "assistant",
    ]


@pytest.mark.parametrize("block", [{}, {"type": "output_text"}, {"type": "text"}])
def test_text_in_a_block_of_any_type_is_guarded(case, block):
    texts = [case.text[:20], case.text[20:]]
    first, *rest = [{**block, "text": texts[0], "index": 0}, {"text": texts[1], "index": 0}]
    model = Replaying(chunks=[AIMessageChunk(content=[part]) for part in (first, *rest)])
    for message in both(model, case.guard):
        (said,) = message.content
        assert {**said, "index": 0} == {**block, "text": case.expected, "index": 0}


def test_a_block_whose_text_is_no_text_is_refused_by_name(case):
    model = Replaying(chunks=[AIMessageChunk(content=[{"type": "note", "text": {"value": FALSE}}])])
    with pytest.raises(UpstreamError, match="whose text is not text"):
        list(GuardedChatModel(model, case.guard).stream("What?"))


def annotation(text, said):
    start = text.index(said)
    return {"type": "citation", "title": said, "start_index": start, "end_index": start + len(said)}


@pytest.mark.parametrize("first", [True, False])
def test_citations_of_withheld_text_are_dropped_and_the_others_are_moved(first):
    guard = Guard(stages=ScriptedStages({"moon": Category.CONTRADICTED}).stages())
    red, kew = "The mill is red.", "It stands in Kew."
    text = f"{red} {FALSE} {kew}"
    cited = [annotation(text, said) for said in (red, FALSE, kew)]
    cited.append({"type": "citation", "cited_text": FALSE})
    said = AIMessageChunk(content=[{"type": "text", "text": text, "index": 0}])
    told = AIMessageChunk(content=[{"type": "text", "annotations": cited, "index": 0}])
    more = AIMessageChunk(content=[{"type": "text", "text": "It is old.", "index": 1}])
    model = Replaying(chunks=[told, said, more] if first else [said, told, more])
    for message in both(model, guard):
        block, last = message.content
        assert block["annotations"] == [annotation(block["text"], said) for said in (red, kew)]
        assert last["text"] == "It is old."


@pytest.mark.parametrize("text", ["The mill is red.", FALSE])
def test_citations_without_a_position_are_kept_with_a_text_that_is_whole(text):
    guard = Guard(stages=ScriptedStages({"moon": Category.CONTRADICTED}).stages())
    cited = {"citations": [{"cited_text": text, "title": text}]}
    chunk = AIMessageChunk(content=[{"type": "text", "text": text, "index": 0, **cited}])
    for message in both(Replaying(chunks=[chunk]), guard):
        assert ("citations" in message.content[0]) is (text != FALSE)
        assert "moon" not in repr(message.content)


def test_reasoning_passes_and_is_merged_into_no_answer():
    guard = Guard(stages=ScriptedStages({"moon": Category.CONTRADICTED}).stages())
    thought = [
        {"type": "reasoning", "text": "The moon is ", "index": 1},
        {"text": "thought.", "index": 1},
        {"type": "thinking", "thinking": "hm", "text": "The moon is x.", "index": 2},
    ]
    said = {"type": "text", "text": "The mill is red.", "index": 3}
    model = Replaying(chunks=[AIMessageChunk(content=[block]) for block in [*thought, said]])
    for message in both(model, guard):
        first, second, third = message.content
        assert (first["type"], first["text"]) == ("reasoning", "The moon is thought.")
        assert second["text"] == "The moon is x."
        assert third["text"] == "The mill is red."


def streamed(guard, *blocks):
    chunks = [AIMessageChunk(content=[block]) for block in blocks]
    stream = GuardedChatModel(Replaying(chunks=chunks), guard).stream("What?")
    return [block for chunk in stream for block in chunk.content]


@pytest.mark.parametrize("kind", ["reasoning", "note"])
def test_blocks_without_an_index_are_one_text_only_where_their_type_is_the_same(case, kind):
    parts = [{"type": kind, "text": "The user asks"}, {"type": "text", "text": case.text[:20]}]
    sent = streamed(case.guard, *parts, {"text": case.text[20:]})
    assert sent[0] == parts[0]
    assert "".join(block["text"] for block in sent[1:]) == case.expected
    assert {block["type"] for block in sent[1:]} == {"text"}


@pytest.mark.parametrize("first", [True, False])
def test_citations_of_blocks_without_an_index_are_placed_in_their_own_block(first):
    guard = Guard(stages=ScriptedStages({"moon": Category.CONTRADICTED}).stages())
    red = "The mill is red. "
    blocks = [
        {"type": "text", "text": text, "annotations": [annotation(text, text[:10])]} for text in (red, FALSE)
    ]
    sent = streamed(guard, *(blocks if first else blocks[::-1]))
    cited = [n for n, block in enumerate(sent) if block.get("annotations")]
    assert [sent[n]["annotations"] for n in cited] == [[annotation(red, red[:10])]]
    said = "".join(block["text"] for block in sent[: cited[0] + 1])
    assert said.strip().endswith(red.strip()), "right behind its own text"
    assert "moon" not in repr(sent)


@pytest.mark.parametrize("halt", [True, False])
def test_a_block_with_citations_alone_keeps_its_place(halt):
    rules = {(Category.CONTRADICTED, importance): stop("[Stop]") for importance in Importance}
    stages = ScriptedStages({"moon": Category.CONTRADICTED}).stages()
    guard = Guard(stages=stages, policy=Policy(rules=rules if halt else {}))
    texts = [
        {"type": "text", "text": text, "index": n}
        for n, text in ((0, "The mill is red."), (1, "It is old."), (3, FALSE))
    ]
    found = {"type": "web_search_tool_result", "citations": [{"url": "u"}], "index": 2}
    chunks = [AIMessageChunk(content=[block]) for block in [*texts[:2], found, texts[2]]]
    for message in both(Replaying(chunks=chunks), guard):
        assert [block["type"] for block in message.content] == ["text", "text", found["type"], "text"]
        assert message.content[2]["citations"] == [{"url": "u"}]


def test_what_stands_beside_the_text_is_kept(case):
    model = Replaying(
        chunks=[
            AIMessageChunk(content="", additional_kwargs={"reasoning_content": "Well, "}),
            AIMessageChunk(content="", additional_kwargs={"reasoning_content": "so."}),
            AIMessageChunk(content="The mill is red.", response_metadata={"model_provider": "p"}),
            AIMessageChunk(content="", additional_kwargs={"refusal": "No more."}),
            AIMessageChunk(content="", additional_kwargs={"audio": {"id": "a", "data": "AA"}}),
            AIMessageChunk(content="", usage_metadata=USAGE, response_metadata={"finish_reason": "stop"}),
        ]
    )
    for message in both(model, case.guard):
        kept = {"reasoning_content": "Well, so.", "refusal": "No more.", "audio": {"id": "a", "data": "AA"}}
        assert {**message.additional_kwargs, "vista": None} == {**kept, "vista": None}
        assert message.response_metadata == {"model_provider": "p", "finish_reason": "stop"}
        assert message.usage_metadata == USAGE
    assert list(GuardedChatModel(model, case.guard).stream("What?"))[-1].chunk_position == "last"


def test_speech_whose_transcript_is_withheld_is_not_heard(case):
    speech = [{"id": "a"}, {"transcript": case.text[:30], "data": "AA"}, {"transcript": case.text[30:]}]
    chunks = [AIMessageChunk(content="", additional_kwargs={"audio": part}) for part in speech]
    for message in both(Replaying(chunks=chunks), case.guard):
        assert message.additional_kwargs["audio"]["transcript"] == case.expected
        assert "data" not in message.additional_kwargs["audio"]
        assert "cheese" not in repr(message)


def test_the_models_own_errors_are_raised(upstream, chat, answer, case):
    upstream.will(answer([b"{}"], status=429))
    guarded = GuardedChatModel(HttpChat(url=upstream.url), case.guard)
    for ask in (guarded.invoke, lambda prompt: list(guarded.stream(prompt))):
        with pytest.raises(httpx.HTTPStatusError):
            ask("What of the mill?")
    whole = answer([chat.body("The mill is red.")], media="application/json")
    upstream.will(answer([b"{}"], status=429), whole)
    patient = guarded.with_retry(
        retry_if_exception_type=(httpx.HTTPStatusError,), wait_exponential_jitter=False
    )
    assert patient.invoke("What of the mill?").text == "The mill is red."


@pytest.mark.anyio
async def test_a_stream_that_breaks_gives_what_came_before(upstream, chat, answer, case):
    upstream.will(answer(chat.stream("The mill is red. It stands in Kew.")[:10], ending="abort"))
    said = ""
    with pytest.raises(httpx.RemoteProtocolError):
        async for chunk in GuardedChatModel(HttpChat(url=upstream.url), case.guard).astream("What?"):
            said += chunk.text
    assert said.startswith("The mill is red.")


def test_tools_are_bound_to_the_inner_model(case):
    model = Replaying(chunks=AS_TEXT)
    guarded = GuardedChatModel(model, case.guard).bind_tools([{"name": "look"}])
    message = guarded.invoke("What of the mill?")
    assert [call["name"] for call in message.tool_calls] == ["look", "ask"]
    history = [
        HumanMessage("?"),
        message,
        ToolMessage("Red.", tool_call_id="c0"),
        ToolMessage("?", tool_call_id="c1"),
    ]
    assert guarded.invoke(history).text == "I look."


@pytest.mark.parametrize("streamed", [True, False])
def test_what_is_no_exception_ends_its_answer_and_not_the_loop_of_others(streamed):
    def leave(event):
        raise SystemExit("mine")

    guard = Guard(stages=ScriptedStages().stages(), callbacks=[(ClaimSettled, leave)])
    guarded = GuardedChatModel(Replaying(chunks=[AIMessageChunk("It is so. "), AIMessageChunk("")]), guard)
    under_way = Session(stages=ScriptedStages().stages()).turn_sync(["One is true.", " Two is true."])
    read = next(under_way)
    with pytest.raises(SystemExit, match="mine"):
        list(guarded.stream("What?")) if streamed else guarded.invoke("What?")
    assert read + "".join(under_way) == "One is true. Two is true."


class Silent(Replaying):
    """Says nothing until it is told to."""

    asked: threading.Event
    said: threading.Event

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        self.asked.set()
        self.said.wait(10)
        yield from super()._stream(messages)


async def threads_of_all(tokens):
    """Set how many threads the event loop's shared limiter allows; return how many it allowed."""
    limiter = anyio.to_thread.current_default_thread_limiter()
    before, limiter.total_tokens = limiter.total_tokens, tokens
    return before


def test_a_silent_model_takes_no_thread_that_others_need(case):
    chunks = [AIMessageChunk("It is so."), AIMessageChunk("")]
    asked, said = threading.Event(), threading.Event()
    silent = GuardedChatModel(Silent(chunks=chunks, asked=asked, said=said), case.guard)
    with blocking_portal() as portal:
        before = portal.call(threads_of_all, 1)
        try:
            waiting = threading.Thread(target=lambda: list(silent.stream("What?")))
            waiting.start()
            assert asked.wait(5)
            other = threading.Thread(target=lambda: both(Replaying(chunks=chunks), case.guard))
            other.start()
            other.join(5)
            assert waiting.is_alive()
            assert not other.is_alive()
        finally:
            said.set()
            portal.call(threads_of_all, before)
    waiting.join(5)
