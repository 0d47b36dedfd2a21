"""LangChain: a chat model under guard, as a Runnable."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from functools import reduce
from operator import add
from typing import Any

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessageChunk, convert_to_messages, convert_to_openai_messages
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableConfig

from vista_stream_adapters.guard import Guard, Message
from vista_stream_adapters.guarded_text import guarded_pieces, guarded_pieces_sync
from vista_stream_adapters.lane_log import Sent

_OF_TEXT = ("logprobs", "message", "text", "token_ids")
"""What of a response's metadata tells of its text."""


class GuardedChatModel(Runnable[LanguageModelInput, AIMessageChunk]):
    """A chat model whose messages hold only released text.

    Verdicts are in `additional_kwargs["vista"]`, a list. Tool calls, usage and whatever else is no text
    come in order after the text, and after a stop not at all. The conversation is the config's
    `configurable["thread_id"]`.
    """

    def __init__(self, model: BaseChatModel, guard: Guard) -> None:
        self._model = model
        self._guard = guard

    def invoke(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AIMessageChunk:
        """The whole guarded message."""
        return _whole(list(self.stream(input, config, **kwargs)))

    async def ainvoke(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AIMessageChunk:
        """The whole guarded message."""
        return _whole([chunk async for chunk in self.astream(input, config, **kwargs)])

    def stream(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[AIMessageChunk]:
        """The guarded message, piece by piece."""
        rest: list[AIMessageChunk] = []
        chunks = self._model.stream(input, config, **kwargs)
        deltas = (text for chunk in chunks if (text := _text(chunk, rest)))
        pieces = guarded_pieces_sync(
            deltas, guard=self._guard, messages=_messages(input), conversation=_thread(config)
        )
        for sent in pieces:
            yield _chunk(sent)
        yield from self._rest(rest, sent)

    async def astream(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[AIMessageChunk]:
        """The guarded message, piece by piece."""
        rest: list[AIMessageChunk] = []

        async def deltas() -> AsyncIterator[str]:
            async for chunk in self._model.astream(input, config, **kwargs):
                if text := _text(chunk, rest):
                    yield text

        pieces = guarded_pieces(
            deltas(), guard=self._guard, messages=_messages(input), conversation=_thread(config)
        )
        async with aclosing(pieces):
            async for sent in pieces:
                yield _chunk(sent)
        for chunk in self._rest(rest, sent):
            yield chunk

    def _rest(self, rest: list[AIMessageChunk], last: Sent) -> list[AIMessageChunk]:
        """What comes after the text, whose outcome is `last`; nothing of the model's after a stop."""
        if last.vista["stopped"]:
            metadata = {"finish_reason": self._guard.finish_reason or "content_filter"}
            return [AIMessageChunk(content="", response_metadata=metadata)]
        return [_without_text(chunk) for chunk in rest] if last.vista["withheld"] else rest


def _text(chunk: AIMessageChunk, rest: list[AIMessageChunk]) -> str:
    """The text of a chunk; what else it holds is put by."""
    content = [part for part in chunk.content if isinstance(part, dict) and part.get("type") != "text"]
    bare = chunk.model_copy(update={"content": content or ""})
    if content or chunk.tool_call_chunks or chunk.usage_metadata or chunk.response_metadata:
        rest.append(bare)
    return str(chunk.text)


def _without_text(chunk: AIMessageChunk) -> AIMessageChunk:
    metadata = {key: value for key, value in chunk.response_metadata.items() if key not in _OF_TEXT}
    return chunk.model_copy(update={"response_metadata": metadata})


def _chunk(sent: Sent) -> AIMessageChunk:
    vista = {"vista": [sent.vista]} if sent.vista else {}
    return AIMessageChunk(content=sent.text, additional_kwargs=vista)


def _whole(chunks: list[AIMessageChunk]) -> AIMessageChunk:
    return reduce(add, chunks)


def _messages(given: LanguageModelInput) -> list[Message]:
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    messages = given.to_messages() if isinstance(given, PromptValue) else convert_to_messages(given)
    return [dict(message) for message in convert_to_openai_messages(messages)]


def _thread(config: RunnableConfig | None) -> str | None:
    thread = ((config or {}).get("configurable") or {}).get("thread_id")
    return None if thread is None else str(thread)
