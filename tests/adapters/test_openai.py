"""Chat completions of a guarded client, streamed."""

import json
import random

import pytest

from openai_guarding import MARKS, REPLACED, STOP, STOPPED, TEXT, ask, content, finishes, guard
from vista_stream_adapters.openai import guard_openai

pytestmark = MARKS


@pytest.mark.parametrize("size", [1, 3, 50])
async def test_a_replaced_sentence_never_reaches_the_client(upstream, client, chat, answer, size):
    upstream.will(answer(chat.stream(TEXT, size=size)))
    chunks = await ask(guard_openai(client, guard()))
    assert content(chunks) == REPLACED
    assert finishes(chunks) == ["stop"]
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-1].usage.total_tokens == 21
    assert {chunk.system_fingerprint for chunk in chunks} == {"fp_1"}
    assert "cheese" not in "".join(chunk.model_dump_json() for chunk in chunks)


@pytest.mark.parametrize("size", [1, 3, 50])
async def test_a_stop_finishes_validly_and_closes_the_upstream(upstream, client, chat, answer, size):
    long = TEXT + " More is said." * 200
    upstream.will(answer(chat.stream(long, size=size), pause=0.002))
    outcomes = []
    chunks = await ask(guard_openai(client, guard(STOP, on_outcome=outcomes.append)))
    assert content(chunks) == STOPPED
    assert finishes(chunks) == ["content_filter"]
    assert upstream.left.wait(5)
    assert upstream.sent[0] < len(chat.stream(long, size=size)) - 5
    assert outcomes[0].report.stopped
    assert chunks[-1].vista["stopped"]


@pytest.mark.parametrize("slow", [False, True])
async def test_nothing_of_a_choice_goes_out_after_a_stop(upstream, client, chat, answer, slow):
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "book", "arguments": "{}"}}
    parts = [
        *[chat.chunk({"content": piece}) for piece in ("The mill is red. ", "The moon is big.")],
        chat.chunk({"tool_calls": [call]}),
        chat.chunk({}, finish="tool_calls"),
        b"data: [DONE]\n\n",
    ]
    upstream.will(answer(parts, pause=0.03) if slow else answer(parts))
    chunks = await ask(guard_openai(client, guard(STOP)))
    assert content(chunks) == STOPPED
    assert not any(choice.delta.tool_calls for chunk in chunks for choice in chunk.choices)
    assert [c.finish_reason for chunk in chunks for c in chunk.choices][-1] == "content_filter"


async def test_what_a_chunk_says_beside_its_text_goes_out_once_and_after_it(upstream, client, chat, answer):
    parts = [
        chat.chunk({"content": "The mill is red. It stands "}, citations=["a"]),
        chat.chunk({"content": "in Kew."}, citations=["a"]),
        chat.chunk({}, finish="stop", citations=["a", "b"]),
        b"data: [DONE]\n\n",
    ]
    upstream.will(answer(parts))
    chunks = await ask(guard_openai(client, guard()))
    assert content(chunks) == "The mill is red. It stands in Kew."
    assert [chunk.citations for chunk in chunks if hasattr(chunk, "citations")] == [["a"], ["a", "b"]]


async def test_verdicts_are_on_the_chunk_of_their_text(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT)))
    chunks = await ask(guard_openai(client, guard()))
    told = [chunk.vista for chunk in chunks if hasattr(chunk, "vista")]
    assert [entry.get("action") for entry in told] == ["released", "replaced", "released", None]
    assert told[0]["verdicts"][0]["claim"] == "The mill is red."
    assert told[1]["verdicts"][0]["category"] == "contradicted"
    assert "claim" not in told[1]["verdicts"][0]
    assert told[3]["received"] == len(TEXT)
    assert told[3]["withheld"] > 0


async def test_withheld_wording_is_shown_where_asked_for(upstream, client, chat, answer):
    upstream.will(answer(chat.stream(TEXT)))
    chunks = await ask(guard_openai(client, guard(show_withheld=True)))
    assert any("cheese" in str(getattr(chunk, "vista", "")) for chunk in chunks)
    assert "cheese" not in content(chunks)


async def test_what_is_no_text_passes_untouched_and_in_order(upstream, client, chat, answer):
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": ""}}
    more = {"index": 0, "function": {"arguments": '{"moon": "moon"}'}}
    upstream.will(
        answer(
            [
                chat.chunk({"role": "assistant", "reasoning_content": "The moon?"}),
                chat.chunk({"content": "The mill is red. "}),
                chat.chunk({"content": "The moon is big."}),
                chat.chunk({"tool_calls": [call]}),
                chat.chunk({"tool_calls": [more]}),
                chat.chunk({"refusal": "no"}),
                chat.chunk({}, finish="tool_calls"),
                b"data: [DONE]\n\n",
            ]
        )
    )
    chunks = await ask(guard_openai(client, guard()))
    seen = [
        next(iter(c.delta.model_dump(exclude_unset=True)), c.finish_reason) for x in chunks for c in x.choices
    ]
    assert seen == [
        "role",
        "content",
        "content",
        "content",
        "tool_calls",
        "tool_calls",
        "refusal",
        "tool_calls",
    ]
    assert chunks[0].choices[0].delta.reasoning_content == "The moon?"
    assert chunks[-3].choices[0].delta.tool_calls[0].function.arguments == '{"moon": "moon"}'


async def test_each_choice_is_a_turn_of_its_own(upstream, client, chat, answer):
    texts = ["All is well. The moon is odd. Red.", "The moon is odd. Blue. Fine.", "Fine. All of it."]
    deltas = [(index, text[at : at + 2]) for at in range(0, 40, 2) for index, text in enumerate(texts)]
    upstream.will(
        answer(
            [
                *[chat.chunk({"role": "assistant", "content": ""}, index=index) for index in range(3)],
                *[chat.chunk({"content": piece}, index=index) for index, piece in deltas if piece],
                *[chat.chunk({}, index=index, finish="stop") for index in range(3)],
                frame_usage(chat),
                b"data: [DONE]\n\n",
            ]
        )
    )
    chunks = await ask(guard_openai(client, guard(STOP)), n=3)
    assert [content(chunks, index) for index in range(3)] == [
        "All is well. [Stopped.]",
        "[Stopped.]",
        "Fine. All of it.",
    ]
    assert sorted(finishes(chunks)) == ["content_filter", "content_filter", "stop"]


def frame(payload):
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def frame_usage(chat):
    return frame({**chat.base, "choices": [], "usage": chat.usage})


async def test_log_probabilities_are_kept_for_released_deltas_only(upstream, client, chat, answer):
    words = ["The", " mill", " is", " red", ".", " The", " moon", ".", " Good", "."]
    chunks = [
        chat.chunk({"content": word}, logprobs={"content": [token(word)], "refusal": None}) for word in words
    ]
    upstream.will(answer([*chunks, chat.chunk({}, finish="stop"), b"data: [DONE]\n\n"]))
    got = await ask(guard_openai(client, guard()), logprobs=True)
    kept = [t.token for x in got for c in x.choices if c.logprobs for t in c.logprobs.content]
    assert kept[:5] == words[:5]
    assert " moon" not in kept
    assert kept[-1] == "."


def token(text):
    return {"token": text, "logprob": -0.1, "bytes": None, "top_logprobs": []}


def with_copies(chat, so_far, *, text, **more):
    """A chunk that says its text once more in every place where some services do."""
    choice = {
        "index": 0,
        "delta": {"content": text} if text else {},
        "message": {"role": "assistant", "content": so_far},
        "text": text,
        "token_ids": [7, 8],
        "logprobs": {"content": [token("cheese")], "refusal": None},
        "finish_reason": more.pop("finish", None),
    }
    return frame({**chat.base, "choices": [choice], "message": {"content": so_far}, **more})


@pytest.mark.parametrize("last", ["", " Cheesecake."], ids=["no text", "text"])
async def test_no_copy_of_the_text_beside_the_delta_goes_out(upstream, client, chat, answer, last):
    pieces = [TEXT[at : at + 9] for at in range(0, len(TEXT), 9)]
    chunks = [
        with_copies(chat, TEXT[: 9 * (number + 1)], text=piece, usage=chat.usage)
        for number, piece in enumerate(pieces)
    ]
    end = with_copies(chat, TEXT + last, text=last, usage=chat.usage, finish="stop")
    upstream.will(answer([*chunks, end, b"data: [DONE]\n\n"]))
    got = await ask(guard_openai(client, guard()), logprobs=True)
    rest = [chunk for chunk in got if not chunk.choices[0].delta.content]
    assert finishes(got) == ["stop"]
    assert got[-1].usage.total_tokens == 21
    assert "cheese" not in "".join(chunk.model_dump_json() for chunk in rest)
    assert not any({"message", "text", "token_ids"} & chunk.choices[0].model_fields_set for chunk in got)
    assert not any("message" in chunk.model_fields_set for chunk in got)


@pytest.mark.parametrize("name", ["message", "text"])
async def test_a_text_that_stands_beside_the_delta_alone_is_guarded(upstream, client, chat, answer, name):
    def chunk(text, finish=None):
        said = {"message": {"role": "assistant", "content": text}} if name == "message" else {"text": text}
        return frame({**chat.base, "choices": [{"index": 0, **said, "finish_reason": finish}]})

    upstream.will(answer([chunk(TEXT[:9]), chunk(TEXT[9:], "stop"), b"data: [DONE]\n\n"]))
    got = await ask(guard_openai(client, guard()))
    assert content(got) == REPLACED
    assert finishes(got) == ["stop"]


async def test_a_tool_call_that_stands_in_a_message_alone_is_a_delta(upstream, client, chat, answer):
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    choice = {"index": 0, "message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}
    upstream.will(answer([frame({**chat.base, "choices": [choice]}), b"data: [DONE]\n\n"]))
    for settings in ({}, {"tool_call_arguments": "guard"}):
        got = await ask(guard_openai(client, guard(**settings)))
        calls = [each for chunk in got for each in chunk.choices[0].delta.tool_calls or ()]
        assert {each.index for each in calls} == {0}
        assert "".join(each.function.arguments or "" for each in calls) == "{}"


async def test_log_probabilities_of_a_refusal_pass(upstream, client, chat, answer):
    chunk = chat.chunk({"refusal": "No."}, logprobs={"content": None, "refusal": [token("No.")]})
    upstream.will(answer([chunk, chat.chunk({}, finish="stop"), b"data: [DONE]\n\n"]))
    got = await ask(guard_openai(client, guard()), logprobs=True)
    assert got[0].choices[0].logprobs.refusal[0].token == "No."


async def test_text_finish_and_usage_in_one_chunk(upstream, client, chat, answer):
    only = chat.chunk({"role": "assistant", "content": TEXT}, finish="stop", usage=chat.usage)
    upstream.will(answer([only, b"data: [DONE]\n\n"]))
    chunks = await ask(guard_openai(client, guard()))
    assert content(chunks) == REPLACED
    assert chunks[0].choices[0].delta.role == "assistant"
    assert finishes(chunks) == ["stop"]
    assert chunks[-1].usage.total_tokens == 21


async def test_an_empty_finish_reason_is_none(upstream, client, chat, answer):
    pieces = [TEXT[at : at + 3] for at in range(0, len(TEXT), 3)]
    deltas = [chat.chunk({"content": piece}, finish="") for piece in pieces]
    upstream.will(answer([*deltas, chat.chunk({}, finish="stop"), b"data: [DONE]\n\n"]))
    assert content(await ask(guard_openai(client, guard()))) == REPLACED


async def test_two_hundred_cuts_of_the_bytes_give_the_same_text(
    upstream, client, chat, answer, anyio_backend
):
    wire = b"".join(chat.stream(TEXT, size=2))
    choice = random.Random(str(anyio_backend))  # a third of the cuts on each event loop
    guarded = guard_openai(client, guard())
    for number in range(67):
        cuts = sorted(choice.sample(range(len(wire)), choice.choice([1, 5, 40])))
        cut = [wire[a:b] for a, b in zip([0, *cuts], [*cuts, len(wire)], strict=True)]
        if number % 2:
            cut = [piece.replace(b"\n", b"\r\n") for piece in cut]
        upstream.will(answer(cut))
        assert content(await ask(guarded)) == REPLACED
