"""An OpenAI-compatible service without a model: it says, token by token, what it was asked to say.

    python deploy/stub_upstream.py [--port N] [--pace TOKENS]

The answer is the request's system message, or without one its last message. `--pace` is in tokens a second;
0 sends them at once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from functools import partial
from typing import Any

from aiohttp import web

PACE = web.AppKey("pace", float)
MODEL = "stub"


def make_app(pace: float) -> web.Application:
    """The service; `pace` in tokens a second, 0 for at once."""
    app = web.Application()
    app[PACE] = pace
    app.router.add_get("/v1/models", _models)
    app.router.add_post("/v1/chat/completions", _chat)
    return app


async def _models(request: web.Request) -> web.Response:
    return web.json_response({"object": "list", "data": [{"id": MODEL, "object": "model"}]})


async def _chat(request: web.Request) -> web.StreamResponse:
    body = await request.json()
    messages = body["messages"]
    told = next((each for each in messages if each["role"] == "system"), messages[-1])
    answer = str(told["content"])
    if not body.get("stream"):
        message = {"role": "assistant", "content": answer}
        return web.json_response(_frame("chat.completion", {"message": message, "finish_reason": "stop"}))
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for token in re.findall(r"\s*\S{1,6}|\s+$", answer):
        await response.write(_chunk({"delta": {"content": token}, "finish_reason": None}))
        if request.app[PACE]:
            await asyncio.sleep(1 / request.app[PACE])
    await response.write(_chunk({"delta": {}, "finish_reason": "stop"}) + b"data: [DONE]\n\n")
    return response


def _chunk(choice: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(_frame('chat.completion.chunk', choice))}\n\n".encode()


def _frame(kind: str, choice: dict[str, Any]) -> dict[str, Any]:
    choices = [{"index": 0, "logprobs": None, **choice}]
    return {"id": "chatcmpl-stub", "object": kind, "created": 0, "model": MODEL, "choices": choices}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--pace", type=float, default=50.0, help="tokens a second (50)")
    options = parser.parse_args()
    web.run_app(make_app(options.pace), host="127.0.0.1", port=options.port, print=partial(print, flush=True))


if __name__ == "__main__":
    main()
