"""Falsified answers through the proxy, replayed in the frames that a real server sent: nothing of them leaks.

The frames in `recorded/` are llama.cpp's, of one chat completion and one response, byte for byte. Only what
the model said is another text here, at other lengths of deltas.
"""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from vista_stream import Policy
from vista_stream.cli.material import load_scenes
from vista_stream.policy import NOTICE
from vista_stream.stages.defaults import default_stages

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(
        not files("vista_stream").joinpath("models/verifier/manifest.json").is_file(),
        reason="the shipped model is not in this checkout",
    ),
]

RECORDED = Path(__file__).parents[1] / "recorded"
FALSIFIED = [scene for scene in load_scenes() if scene.document and scene.alteration]


class Shipped:
    def stages(self):
        return default_stages()


def delta_of(frame, protocol):
    """The text that a recorded frame carries; None where it carries none."""
    data = frame.rpartition("data: ")[2]
    if data == "[DONE]":
        return None
    payload = json.loads(data)
    if protocol == "responses":
        return payload.get("delta") if payload["type"] == "response.output_text.delta" else None
    return payload["choices"][0]["delta"].get("content") if payload["choices"] else None


def replayed(protocol, text, size):
    """The recorded stream with another text in the place of the recorded one."""
    frames = (RECORDED / f"llama_cpp_{protocol}.sse").read_text().strip().split("\n\n")
    carriers = [number for number, frame in enumerate(frames) if delta_of(frame, protocol)]
    said = "".join(delta_of(frames[number], protocol) for number in carriers)
    head, carrier, tail = frames[: carriers[0]], frames[carriers[0]], frames[carriers[-1] + 1 :]
    first = json.dumps(delta_of(carrier, protocol))
    deltas = [
        carrier.replace(f":{first}", ":" + json.dumps(text[at : at + size]))
        for at in range(0, len(text), size)
    ]
    tail = [frame.replace(json.dumps(said), json.dumps(text)) for frame in tail]
    return [f"{frame}\n\n".encode() for frame in [*head, *deltas, *tail]]


def text_in(stream, protocol):
    return "".join(
        delta_of(frame, protocol) or ""
        for frame in stream.split("\n\n")
        if frame.strip() and "data: " in frame
    )


@pytest.mark.parametrize("scene", FALSIFIED, ids=lambda scene: scene.title)
@pytest.mark.parametrize("size", [1, 3, 50])
@pytest.mark.parametrize("protocol", ["chat", "responses"])
async def test_nothing_of_a_falsified_sentence_reaches_the_client(
    upstream, answer, start_proxy, protocol, size, scene
):
    chunks = replayed(protocol, scene.answer, size)
    assert text_in(b"".join(chunks).decode(), protocol) == scene.answer
    upstream.will(answer(chunks))
    proxy = await start_proxy(upstream, stages=Shipped(), policy=Policy(deadline=60))
    question = [{"role": "user", "content": scene.query}]
    asked = {"messages": question} if protocol == "chat" else {"input": question}
    name, reference = scene.document
    extra = {"references": [{"name": name, "text": reference}]}
    path = "/v1/chat/completions" if protocol == "chat" else "/v1/responses"
    body = {"model": "m", "stream": True, **asked, "vista": extra}
    async with proxy.http.post(path, json=body) as response:
        raw = await response.text()
    before, _, after = text_in(raw, protocol).partition(NOTICE)
    gone = scene.answer.removeprefix(before).removesuffix(after)
    assert scene.answer == before + gone + after
    assert scene.alteration.now in gone
    sentence = gone.strip()
    # Of its claims the wording is not told either; the evidence is, which may say the same words.
    assert sentence not in raw
    assert scene.alteration.now not in before + after
    assert json.dumps(sentence)[1:-1] not in raw
