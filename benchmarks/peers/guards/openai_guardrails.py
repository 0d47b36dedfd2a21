"""openai-guardrails: a drop-in OpenAI client that checks the answer so far at intervals, and at its end."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import Any

import guardrails
import httpx2
from driver import Blocked, Run
from openai import DefaultAsyncHttpx2Client
from pydantic import BaseModel

NAME = "openai-guardrails"
PACKAGES = ["openai-guardrails==0.3.6", "openai-agents==0.24.0"]
SETTINGS = {
    "documented": "page Streaming vs Blocking: GuardrailsAsyncOpenAI, stream=True, a guardrail in the "
    "output stage",
    "best": "the check after every chunk (check_interval=1, which only a private method takes) and "
    "raise_guardrail_errors=True",
    "blocking": "the same page's safe way, stream=False: nothing is shown until the guardrail has passed",
}
OWN_VERIFIER = None  # its hallucination check asks an OpenAI vector store
PIPELINE = {"version": 1, "output": {"version": 1, "guardrails": [{"name": "Fact", "config": {}}]}}

_current: ContextVar[tuple[Run, AsyncIterator[str]]] = ContextVar("current")


class FactConfig(BaseModel):
    """The check has nothing to configure."""


async def contradicted(ctx: Any, data: str, config: FactConfig) -> guardrails.GuardrailResult:
    """The check, registered as the package's own are."""
    run, _ = _current.get()
    return guardrails.GuardrailResult(tripwire_triggered=await run.stub.check(data), info={})


class Upstream(httpx2.AsyncBaseTransport):
    """An OpenAI-compatible endpoint that answers with the run's source, instead of the network."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Server-sent events if a stream is requested, else the whole answer."""
        _, source = _current.get()
        if json.loads(request.content)["stream"]:
            headers = {"content-type": "text/event-stream"}
            return httpx2.Response(200, headers=headers, stream=Events(source), request=request)
        text = "".join([delta async for delta in source])
        message = {"role": "assistant", "content": text}
        whole = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        return httpx2.Response(200, json=_completion("chat.completion", whole), request=request)


class Events(httpx2.AsyncByteStream):
    """The source as chat completion chunks."""

    def __init__(self, source: AsyncIterator[str]) -> None:
        self._source = source

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for delta in self._source:
            yield _event({"index": 0, "delta": {"content": delta}, "finish_reason": None})
        yield _event({"index": 0, "delta": {}, "finish_reason": "stop"})
        yield b"data: [DONE]\n\n"

    async def aclose(self) -> None:
        """The client has gone."""
        await self._source.aclose()  # type: ignore[attr-defined]


def _event(choice: dict[str, Any]) -> bytes:
    chunk = _completion("chat.completion.chunk", {"choices": [choice]})
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def _completion(kind: str, rest: dict[str, Any]) -> dict[str, Any]:
    return {"id": "answer", "created": 0, "model": "scripted", "object": kind, **rest}


class Guard:
    """One client for all streams."""

    def __init__(self, setting: str) -> None:
        self._setting = setting
        self._client = guardrails.GuardrailsAsyncOpenAI(
            config=PIPELINE,
            raise_guardrail_errors=setting == "best",
            api_key="none",
            base_url="http://upstream.invalid/v1",
            http_client=DefaultAsyncHttpx2Client(transport=Upstream()),
            max_retries=0,
        )

    async def stream(self, source: AsyncIterator[str], run: Run) -> AsyncIterator[str]:
        """The content of each chunk until the tripwire."""
        _current.set((run, source))
        try:
            if self._setting == "blocking":
                yield (await self._create(run, stream=False)).choices[0].message.content
                return
            async with contextlib.aclosing(await self._chunks(run)) as chunks:
                async for chunk in chunks:
                    if content := chunk.choices[0].delta.content:
                        yield content
        except guardrails.GuardrailTripwireTriggered as error:
            raise Blocked(str(error)) from error

    async def _chunks(self, run: Run) -> Any:
        if self._setting == "documented":
            return await self._create(run, stream=True)
        plain = self._client._resource_client.chat.completions
        upstream = await plain.create(model="scripted", messages=_messages(run), stream=True)
        return self._client._stream_with_guardrails(upstream, [], [], _messages(run), check_interval=1)

    async def _create(self, run: Run, *, stream: bool) -> Any:
        completions = self._client.chat.completions
        return await completions.create(model="scripted", messages=_messages(run), stream=stream)


def _messages(run: Run) -> list[dict[str, str]]:
    return [{"role": "user", "content": run.query or "Answer."}]


async def open_guard(setting: str, verifier: str) -> Guard:
    registry = guardrails.default_spec_registry
    registry.register("Fact", contradicted, "Contradicts the documents.", "text/plain")
    return Guard(setting)
