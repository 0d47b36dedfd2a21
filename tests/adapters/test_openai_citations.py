"""Citations point into the text that was released."""

import json

from openai_guarding import ASK, MARKS, TEXT, ask, content, guard
from vista_stream_adapters.openai import guard_openai

pytestmark = MARKS


def cite(part, title):
    start = TEXT.index(part)
    return {"start_index": start, "end_index": start + len(part), "title": title, "url": "http://x.y"}


CITED = [
    cite("The mill is red.", "Mill"),
    cite("of cheese", "All cheese"),
    cite("red. The moon", "Red moon"),
    cite("in Kew", "Kew"),
]


def pointed(text, citations):
    return [(one["title"], text[one["start_index"] : one["end_index"]]) for one in citations]


KEPT = [("Mill", "The mill is red."), ("Kew", "in Kew")]


async def test_citations_of_chat_completions_point_at_what_was_released(upstream, client, chat, answer):
    nested = [{"type": "url_citation", "url_citation": one} for one in CITED]
    guarded = guard_openai(client, guard())
    upstream.will(answer([chat.body(TEXT, annotations=nested)], media="application/json"))
    message = (await guarded.chat.completions.create(model="m", messages=ASK)).choices[0].message
    whole = [one.url_citation.model_dump() for one in message.annotations]
    assert pointed(message.content, whole) == KEPT
    last = chat.chunk({"content": TEXT[60:], "annotations": nested}, finish="stop")
    upstream.will(answer([chat.chunk({"content": TEXT[:60]}), last, b"data: [DONE]\n\n"]))
    chunks = await ask(guarded)
    deltas = [choice.delta.model_dump() for chunk in chunks for choice in chunk.choices]
    streamed = [one["url_citation"] for delta in deltas for one in delta.get("annotations") or ()]
    assert pointed(content(chunks), streamed) == KEPT
    assert "cheese" not in "".join(chunk.model_dump_json() for chunk in chunks)


async def test_citations_of_responses_point_at_what_was_released(upstream, client, responses, answer):
    flat = [{"type": "url_citation", **one} for one in CITED]
    of_file = {"type": "file_citation", "file_id": "f", "filename": "a.txt", "index": 0}
    body = json.loads(responses.body(TEXT))
    body["output"][0]["content"][0]["annotations"] = [*flat, of_file]
    guarded = guard_openai(client, guard())
    upstream.will(answer([json.dumps(body).encode()], media="application/json"))
    part = (await guarded.responses.create(model="m", input="?")).output[0].content[0]
    *found, last = [one.model_dump() for one in part.annotations]
    assert (pointed(part.text, found), last["filename"]) == (KEPT, "a.txt")
    part = {"type": "output_text", "annotations": flat, "logprobs": [], "text": TEXT}
    responses.part = lambda text: {**part, "text": text, "annotations": flat if text else []}
    at = {"item_id": responses.item_id, "output_index": 0, "content_index": 0}
    added = [
        responses.event(
            "response.output_text.annotation.added", **at, annotation=one, annotation_index=number
        )
        for number, one in enumerate(flat)
    ]
    parts = responses.stream(TEXT)
    done = next(number for number, one in enumerate(parts) if b"output_text.done" in one)
    upstream.will(answer([*parts[:done], *added, *parts[done:]]))
    events = [event async for event in await guarded.responses.create(model="m", input="?", stream=True)]
    assert "cheese" not in "".join(event.model_dump_json() for event in events)
    one_by_one = [event for event in events if event.type == "response.output_text.annotation.added"]
    final = events[-1].response.output[0].content[0]
    assert pointed(final.text, [one.model_dump() for one in final.annotations]) == KEPT
    assert pointed(final.text, [event.model_dump()["annotation"] for event in one_by_one]) == KEPT
    assert [event.annotation_index for event in one_by_one] == [0, 1]
