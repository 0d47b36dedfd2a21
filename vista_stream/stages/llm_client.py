"""One way to ask any OpenAI-compatible server: limited, retried, counted, cached; needs the extra `llm`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Self, TypeVar

import anyio
import anyio.to_thread

from vista_stream.errors import StageError
from vista_stream.stages.ledger import note_prompt
from vista_stream.stages.llm_cache import Reply, ReplyCache
from vista_stream.stages.llm_form import Form
from vista_stream.stages.llm_prompt import load_prompt

try:
    import openai
except ImportError as error:
    raise ImportError("LLM stages need the openai package: pip install 'vista-stream[llm]'") from error

T = TypeVar("T")

_ABOUT_SCHEMA = re.compile(r"response_format|schema|grammar|structured", re.IGNORECASE)


class _SchemaRefused(Exception):
    """The server takes no JSON schema."""


@dataclass(slots=True)
class Spent:
    """What one prompt cost so far."""

    version: str
    calls: int = 0
    """Requests answered by the server; repairs included."""
    cached: int = 0
    """Requests answered from the cache."""
    repairs: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    """Summed over requests, waiting for a free place included."""
    cached_seconds: float = 0.0
    """What the server took for the replies that came from the cache, when they were asked for."""

    def cost(self, prompt_price: float, completion_price: float) -> float:
        """Price of these tokens, where the prices are for a million of each."""
        return (self.prompt_tokens * prompt_price + self.completion_tokens * completion_price) / 1e6


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: a shipped prompt, its sections, and the form of the answer."""

    prompt: str
    fields: Mapping[str, str]
    form: Form


def _options() -> Mapping[str, Any]:
    return {"temperature": 0, "seed": 0, "max_tokens": 1024}


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How requests are worded."""

    exemplars: bool = True
    """Whether prompts carry their worked examples (few-shot) or not (zero-shot)."""
    structured: bool | None = None
    """Whether to ask for JSON by schema; None tries, and falls back to numbered lists where refused."""
    options: Mapping[str, Any] = field(default_factory=_options)
    """Sent with every request."""


class LlmClient:
    """Asks a server and reads its answers.

    Args:
        model: name of the model as the server knows it.
        client: what sends the requests; None reads OPENAI_BASE_URL and OPENAI_API_KEY. Retries with
            back-off and the timeout are its own (`max_retries`, `timeout`).
        cache: file of a reply cache; None asks anew each time.
        concurrency: requests under way at a time.
        style: how requests are worded.
    """

    def __init__(
        self,
        model: str,
        *,
        client: openai.AsyncOpenAI | None = None,
        cache: str | Path | None = None,
        concurrency: int = 8,
        style: Style | None = None,
    ) -> None:
        if concurrency < 1:
            raise ValueError(f"concurrency must be at least 1, not {concurrency}")
        if not model:
            raise ValueError("model must name a model of the server")
        self.model = model
        self.spent: dict[str, Spent] = {}
        """By prompt."""
        self._openai = client or openai.AsyncOpenAI()
        self._cache = ReplyCache(cache) if cache is not None else None
        self._places = anyio.Semaphore(concurrency)
        self._style = style or Style()
        self._structured = self._style.structured

    async def ask(self, question: Question, read: Callable[[Sequence[str]], T]) -> T:
        """Ask; `read` makes the answer of the list of strings and raises ValueError where it cannot.

        What cannot be read is sent back once with the reason; then StageError, as where no server
        answers.
        """
        try:
            return await self._ask(question, read)
        except _SchemaRefused:
            self._structured = False
            return await self._ask(question, read)

    async def _ask(self, question: Question, read: Callable[[Sequence[str]], T]) -> T:
        messages = self._messages(question)
        reply = await self._reply(question, messages)
        try:
            return read(question.form.parse(reply))
        except ValueError as error:
            complaint = f"That reply cannot be used: {error}. Reply again, in the form asked for."
        self._entry(question.prompt).repairs += 1
        messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": complaint}]
        try:
            return read(question.form.parse(await self._reply(question, messages)))
        except ValueError as error:
            raise StageError(f"{question.prompt}: {self.model} gave no usable answer: {error}") from error

    async def aclose(self) -> None:
        """Close the connections and the cache."""
        await self._openai.close()
        if self._cache is not None:
            self._cache.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with anyio.CancelScope(shield=True):
            await self.aclose()

    def _messages(self, question: Question) -> list[dict[str, str]]:
        return load_prompt(question.prompt).messages(
            question.fields,
            question.form,
            structured=self._structured is not False,
            exemplars=self._style.exemplars,
        )

    async def _reply(self, question: Question, messages: list[dict[str, str]]) -> str:
        request = self._request(question.form, messages)
        key = {"server": str(self._openai.base_url), **request}
        entry = self._entry(question.prompt)
        note_prompt(question.prompt, entry.version)
        if self._cache is not None:
            kept = await anyio.to_thread.run_sync(self._cache.get, key)
            if kept is not None:
                entry.cached += 1
                entry.cached_seconds += kept.seconds
                return kept.text
        began = monotonic()
        async with self._places:
            reply = await self._send(question.prompt, request)
        entry.calls += 1
        entry.seconds += monotonic() - began
        entry.prompt_tokens += reply.prompt_tokens
        entry.completion_tokens += reply.completion_tokens
        if self._cache is not None:
            await anyio.to_thread.run_sync(self._cache.put, key, reply)
        return reply.text

    def _request(self, form: Form, messages: list[dict[str, str]]) -> dict[str, Any]:
        request = {"model": self.model, "messages": messages, **self._style.options}
        if self._structured is not False:
            schema = {"name": "answers", "strict": True, "schema": form.schema}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        return request

    async def _send(self, stage: str, request: dict[str, Any]) -> Reply:
        began = monotonic()
        try:
            completion = await self._openai.chat.completions.create(**request)
        except openai.BadRequestError as error:
            if self._structured is None and _ABOUT_SCHEMA.search(str(error)):
                raise _SchemaRefused from error
            raise StageError(f"{stage}: the server refused the request: {error}") from error
        except openai.OpenAIError as error:
            raise StageError(f"{stage}: {self.model} did not answer: {error}") from error
        if not completion.choices:
            raise StageError(f"{stage}: {self.model} sent a completion without choices")
        usage = completion.usage
        return Reply(
            completion.choices[0].message.content or "",
            usage.prompt_tokens if usage else 0,
            usage.completion_tokens if usage else 0,
            monotonic() - began,
        )

    def _entry(self, prompt: str) -> Spent:
        return self.spent.setdefault(prompt, Spent(load_prompt(prompt).version))
