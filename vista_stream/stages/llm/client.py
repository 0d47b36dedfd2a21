"""A client for any OpenAI-compatible server, with a concurrency limit, counts and a cache. Extra: `llm`."""

from __future__ import annotations

import json
import logging
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

import anyio
import anyio.to_thread

from vista_stream.core.text.surrogates import encodable
from vista_stream.errors import StageError, missing_extra
from vista_stream.stages.ledger import note_prompt, note_tokens
from vista_stream.stages.llm.cache import Reply, ReplyCache
from vista_stream.stages.llm.form import Form
from vista_stream.stages.llm.prompt import load_prompt

logger = logging.getLogger("vista_stream")

try:
    import openai
except ImportError as error:
    raise ImportError(missing_extra("LLM stages need the openai package", "llm")) from error

T = TypeVar("T")

_REFUSALS = (400, 422, 501)
_UNKNOWN = 501
"""Not implemented: of all that a request holds, the schema is what servers may not know."""
_ABOUT_SCHEMA = re.compile(r"response_format|schema|grammar|structured", re.IGNORECASE)


class _SchemaRefused(Exception):
    """The server rejected the JSON schema of the answer."""


@dataclass(slots=True, eq=False)
class _Exchange:
    """A question in progress, including its repair; equal questions wait for it."""

    over: anyio.Event = field(default_factory=anyio.Event)
    reply: str | None = None
    failure: StageError | _SchemaRefused | None = None
    """Without reply and failure, the call that asked was cancelled."""


class _Received(NamedTuple):
    """A reply that has not been read yet."""

    reply: Reply
    key: Mapping[str, Any] | None = None
    """Its key in the cache; None where it came from the cache."""


@dataclass(slots=True)
class Spent:
    """What one prompt cost so far."""

    version: str
    calls: int = 0
    """Requests answered by the server, repairs included."""
    cached: int = 0
    """Requests answered from the cache."""
    repairs: int = 0
    """Replies that were sent back because they could not be read."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    """Seconds of requests to the server, summed; waiting for a free slot is included."""
    cached_seconds: float = 0.0
    """Seconds that the server once took for the replies that now came from the cache, summed."""

    def cost(self, prompt_price: float, completion_price: float) -> float:
        """Price of these tokens; both prices are per million tokens."""
        return (self.prompt_tokens * prompt_price + self.completion_tokens * completion_price) / 1e6


@dataclass(frozen=True, slots=True)
class Question:
    """A question: a shipped prompt, the text of its sections, and the form of the answer."""

    prompt: str
    fields: Mapping[str, str]
    form: Form


def _options() -> Mapping[str, Any]:
    return {"temperature": 0, "seed": 0, "max_tokens": 1024}


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How requests are written."""

    exemplars: bool = True
    """Whether prompts carry their worked examples (few-shot) or not (zero-shot)."""
    structured: bool | None = None
    """Whether to request JSON by a schema; None tries it, and uses numbered lists if the server refuses."""
    options: Mapping[str, Any] = field(default_factory=_options)
    """Request options, sent with every request."""


class LlmClient:
    """Asks a server and reads its answers.

    Args:
        model: name of the model as the server knows it.
        client: sends the requests; None makes one from OPENAI_BASE_URL and OPENAI_API_KEY. Retries with
            back-off and the time-out are set on it (`max_retries`, `timeout`).
        cache: file of a reply cache; None asks anew each time.
        concurrency: requests in progress at the same time, at most.
        style: how requests are written.

    Raises ValueError for an empty model or a concurrency below 1, and sqlite3.Error for an unusable cache.
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
        """Costs so far, by name of the prompt."""
        self._openai = openai.AsyncOpenAI() if client is None else client
        self._cache = ReplyCache(cache) if cache is not None else None
        self._places = anyio.Semaphore(concurrency)
        self._style = style or Style()
        self._structured = self._style.structured
        self._under_way: dict[str, _Exchange] = {}

    async def ask(self, question: Question, read: Callable[[Sequence[str]], T]) -> T:
        """Ask a question; `read` turns the list of answers into the return value, or raises ValueError.

        A reply that cannot be read is sent back once, with the reason. Raises StageError where the second
        reply cannot be read either, no server answers, the reply is cut off or the cache fails. Equal
        questions in progress at the same time share one request.
        """
        try:
            return await self._ask(question, read)
        except _SchemaRefused:
            self._structured = False
            return await self._ask(question, read)

    async def _ask(self, question: Question, read: Callable[[Sequence[str]], T]) -> T:
        structured = self._structured is not False

        def answer(reply: str) -> T:
            return read(question.form.parse(reply, structured=structured))

        reply = await self._shared(question, self._messages(question), answer)
        try:
            return answer(reply)
        except ValueError as error:  # the call that shared it could read it; its `read` is another one
            raise self._unusable(question, error) from error

    async def _shared(
        self, question: Question, messages: list[dict[str, str]], answer: Callable[[str], object]
    ) -> str:
        """A readable reply; equal questions in progress at the same time are asked once."""
        note_prompt(question.prompt, self._entry(question.prompt).version)
        key = json.dumps(self._request(question.form, messages), sort_keys=True, default=repr)
        while (other := self._under_way.get(key)) is not None:
            await other.over.wait()
            if other.failure is not None:
                raise other.failure
            if other.reply is not None:
                return other.reply
        # No other call asks it now, or the one that did was cancelled.
        exchange = self._under_way[key] = _Exchange()
        try:
            exchange.reply = await self._exchange(question, messages, answer)
            return exchange.reply
        except (StageError, _SchemaRefused) as error:
            exchange.failure = error
            raise
        finally:
            del self._under_way[key]
            exchange.over.set()

    async def _exchange(
        self, question: Question, messages: list[dict[str, str]], answer: Callable[[str], object]
    ) -> str:
        first = await self._reply(question, messages)
        try:
            answer(first.reply.text)
        except ValueError as error:
            complaint = f"That reply cannot be used: {error}. Reply again, in the form asked for."
        else:
            await self._keep(question, first)
            return first.reply.text
        self._entry(question.prompt).repairs += 1
        repair = {"role": "assistant", "content": first.reply.text}, {"role": "user", "content": complaint}
        second = await self._reply(question, [*messages, *repair])
        try:
            answer(second.reply.text)
        except ValueError as error:
            raise self._unusable(question, error) from error
        await self._keep(question, first, second)
        return second.reply.text

    def _unusable(self, question: Question, error: ValueError) -> StageError:
        return StageError(f"{question.prompt}: {self.model} gave no usable answer: {error}")

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

    async def _reply(self, question: Question, messages: list[dict[str, str]]) -> _Received:
        request = self._request(question.form, messages)
        key = {"server": str(self._openai.base_url), **request}
        entry = self._entry(question.prompt)
        if self._cache is not None:
            with _cache_errors(question.prompt):
                kept = await anyio.to_thread.run_sync(self._cache.get, key)
            if kept is not None:
                entry.cached += 1
                entry.cached_seconds += kept.seconds
                return _Received(kept)
        began = monotonic()
        async with self._places:
            reply, whole = await self._send(question.prompt, request)
        entry.calls += 1
        entry.seconds += monotonic() - began
        entry.prompt_tokens += reply.prompt_tokens
        entry.completion_tokens += reply.completion_tokens
        note_tokens(reply.prompt_tokens, reply.completion_tokens)
        if not whole:
            raise StageError(f"{question.prompt}: {self.model}'s reply was cut off at its greatest length")
        return _Received(reply, key)

    async def _keep(self, question: Question, *received: _Received) -> None:
        """Cache the replies that led to a usable answer; the next run asks again for all others."""
        for reply, key in received:
            if self._cache is not None and key is not None:
                try:
                    await anyio.to_thread.run_sync(self._cache.put, key, reply)
                except sqlite3.Error as error:  # such as a full disk; the answer is there and can be used
                    logger.warning("%s: a reply cannot be cached: %s", question.prompt, error)

    def _request(self, form: Form, messages: list[dict[str, str]]) -> dict[str, Any]:
        request = {"model": self.model, "messages": messages, **self._style.options}
        if self._structured is not False:
            schema = {"name": "answers", "strict": True, "schema": form.schema}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        return request

    async def _send(self, stage: str, request: dict[str, Any]) -> tuple[Reply, bool]:
        """The reply, and whether it is whole: not cut off at its greatest length."""
        began = monotonic()
        try:
            completion = await self._openai.chat.completions.create(**request)
        except openai.OpenAIError as error:
            if not isinstance(error, openai.APIStatusError) or error.status_code not in _REFUSALS:
                raise StageError(f"{stage}: {self.model} did not answer: {error}") from error
            schemas = self._style.structured is None and "response_format" in request
            if schemas and _is_about_schema(error):
                raise _SchemaRefused from error
            raise StageError(f"{stage}: the server refused the request: {error}") from error
        except (ValueError, RecursionError) as error:
            raise StageError(f"{stage}: {self.model} sent what is not JSON: {error}") from error
        return self._told(stage, completion, monotonic() - began)

    def _told(self, stage: str, completion: Any, seconds: float) -> tuple[Reply, bool]:
        """The reply in a completion, and whether it is whole.

        The openai package builds a completion from anything that a server sends, so its shape is checked.
        """
        match completion:
            case object(choices=[object(message=object(content=str() | None as text)) as choice, *_]):
                usage = getattr(completion, "usage", None)
                tokens = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
                whole = getattr(choice, "finish_reason", None) != "length"
                return Reply(encodable(text or ""), *tokens, seconds), whole
            case object(choices=[]):
                raise StageError(f"{stage}: {self.model} sent a completion without choices")
        raise StageError(f"{stage}: {self.model} sent what is no completion")

    def _entry(self, prompt: str) -> Spent:
        return self.spent.setdefault(prompt, Spent(load_prompt(prompt).version))


def _is_about_schema(error: openai.APIStatusError) -> bool:
    """Whether a server refused a request for its JSON schema; the details are in the body alone."""
    return error.status_code == _UNKNOWN or _ABOUT_SCHEMA.search(f"{error} {error.body}") is not None


def _count(usage: object, name: str) -> int:
    """A token count; 0 where the server reports none: a missing count must not fail the answer."""
    count = getattr(usage, name, None)
    return count if isinstance(count, int) and count > 0 else 0


@contextmanager
def _cache_errors(stage: str) -> Iterator[None]:
    """Turn an error of a damaged or locked cache into StageError, so it costs one answer and not the run."""
    try:
        yield
    except sqlite3.Error as error:
        raise StageError(f"{stage}: the cache of replies failed: {error}") from error
