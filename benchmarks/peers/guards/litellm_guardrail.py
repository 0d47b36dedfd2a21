"""litellm's guardrail hook: the proxy shows the answer so far to a guardrail every few chunks of a stream."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import AsyncIterator
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # otherwise litellm fetches it over the network

from driver import Blocked, Run
from litellm.exceptions import GuardrailRaisedException
from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.proxy._types import UserAPIKeyAuth
from litellm.proxy.guardrails.guardrail_hooks.unified_guardrail.unified_guardrail import UnifiedLLMGuardrails
from litellm.types.guardrails import GuardrailEventHooks
from litellm.types.utils import Delta, ModelResponseStream, StreamingChoices

NAME = "litellm"
PACKAGES = ["litellm[proxy]==1.106.2"]
SETTINGS = {
    "documented": "page Custom Guardrail: a CustomGuardrail with apply_guardrail, mode post_call; by default "
    "every fifth chunk is scanned, and chunks go on as they come",
    "buffered": "streaming_buffer_until_moderated: nothing is shown until the whole answer has passed",
    "release-on-scan": "the same with streaming_buffer_release_on_scan: shown after each passed scan",
    "best": "streaming_transform_mode 'incremental_diff', every chunk; the guardrail asks for the unfinished "
    "sentence to be held back (stream_holdback_chars) and judges each sentence once",
}
OWN_VERIFIER = None

_FLAGS: dict[str, dict[str, Any]] = {
    "documented": {},
    "buffered": {"streaming_buffer_until_moderated": True},
    "release-on-scan": {"streaming_buffer_until_moderated": True, "streaming_buffer_release_on_scan": True},
    "best": {"streaming_transform_mode": "incremental_diff", "streaming_sampling_rate": 1},
}
# A final mark and a space, but not after abbreviations such as "Dr" or "No".
_FINISHED_SENTENCES = re.compile(r"(?s).*(?<!\b[A-Z][a-z])[.!?]\s+")


class Fact(CustomGuardrail):
    """The custom guardrail of litellm's documentation: apply_guardrail raises to stop a text."""

    def __init__(self, flags: dict[str, Any]) -> None:
        super().__init__(guardrail_name="fact", event_hook=GuardrailEventHooks.post_call, default_on=True)
        for name, value in flags.items():
            setattr(self, name, value)

    async def apply_guardrail(
        self, inputs: Any, request_data: dict[str, Any], input_type: str, logging_obj: Any = None
    ) -> Any:
        """Judge the whole answer so far."""
        await self._judge(inputs["texts"][0], request_data["run"])
        return inputs

    async def _judge(self, text: str, run: Run) -> None:
        if await run.stub.check(text):
            raise GuardrailRaisedException(guardrail_name="fact", message="contradicted")


class SentenceFact(Fact):
    """Judges each sentence when it ends, and lets litellm hold the unfinished one back."""

    async def apply_guardrail(
        self, inputs: Any, request_data: dict[str, Any], input_type: str, logging_obj: Any = None
    ) -> Any:
        """Judge the sentences that ended since the last call or, at the end, all that is left."""
        text, judged = inputs["texts"][0], request_data.get("judged", 0)
        found = _FINISHED_SENTENCES.match(text)
        finished = len(text) if _ended(request_data["responses"]) else found.end() if found else 0
        if finished > judged:
            await self._judge(text[judged:finished], request_data["run"])
            request_data["judged"] = finished
        return {"texts": [text], "stream_holdback_chars": [len(text) - finished]}


def _ended(responses: list[ModelResponseStream]) -> bool:
    return responses[-1].choices[0].finish_reason is not None


class Guard:
    """The proxy's hook with one guardrail for all streams."""

    def __init__(self, setting: str) -> None:
        kind = SentenceFact if setting == "best" else Fact
        self._guardrail = kind(_FLAGS[setting])
        self._hook = UnifiedLLMGuardrails()

    async def stream(self, source: AsyncIterator[str], run: Run) -> AsyncIterator[str]:
        """The content of each chunk that the hook lets through."""
        chunks = self._hook.async_post_call_streaming_iterator_hook(
            user_api_key_dict=UserAPIKeyAuth(request_route="/v1/chat/completions"),
            response=_chunks(source),
            request_data={"run": run, "metadata": {}, "stream": True},
            guardrail_to_apply=self._guardrail,
        )
        try:
            async with contextlib.aclosing(chunks):
                async for chunk in chunks:
                    if content := chunk.choices[0].delta.content:
                        yield content
        except GuardrailRaisedException as error:
            raise Blocked(str(error)) from error


async def _chunks(source: AsyncIterator[str]) -> AsyncIterator[ModelResponseStream]:
    async for delta in source:
        yield _chunk(delta)
    yield _chunk(None, finish_reason="stop")


def _chunk(content: str | None, *, finish_reason: str | None = None) -> ModelResponseStream:
    choice = StreamingChoices(index=0, delta=Delta(content=content), finish_reason=finish_reason)
    return ModelResponseStream(id="answer", created=0, model="scripted", choices=[choice])


async def open_guard(setting: str, verifier: str) -> Guard:
    return Guard(setting)
