"""LangChain: a chat model that wraps another one and guards its messages."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, aclosing, contextmanager
from contextvars import ContextVar, copy_context
from threading import Lock
from typing import Any

from anyio import CapacityLimiter, to_thread

from vista_stream_adapters.extras import not_installed

try:
    from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
    from langchain_core.language_models import BaseChatModel, LangSmithParams, LanguageModelInput
    from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, convert_to_openai_messages
    from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
    from langchain_core.runnables import Runnable, RunnableBinding, RunnableConfig
    from langchain_core.runnables.config import ensure_config, var_child_runnable_config
    from langchain_core.tracers.context import _configure_hooks, tracing_v2_callback_var
    from langsmith.run_helpers import tracing_context
    from pydantic import PrivateAttr
except ModuleNotFoundError as absent:
    raise ModuleNotFoundError(not_installed("LangChain", "langchain"), name=absent.name) from absent


from vista_stream.portal import blocking_portal, call_through, entered
from vista_stream_adapters.guard import Guard, Message
from vista_stream_adapters.rewrite.langchain import Chunk, ChunkDialect, wants_document
from vista_stream_adapters.rewrite.langchain_message import chunks_of, message_of
from vista_stream_adapters.shell.detached import Detached
from vista_stream_adapters.shell.stream import GuardedEvents


class GuardedChatModel(BaseChatModel):
    """A chat model whose messages hold only released text, streamed or not.

    Verdicts are in `additional_kwargs["vista"]`, a list. Reasoning, tool calls and usage pass in order. After
    a stop nothing more is sent, and the message ends with `finish_reason`. In an answer to a
    `response_format` the strings are guarded, and the answer stays a JSON document. The conversation is
    `configurable["thread_id"]` of the config.

    Callbacks, tracers and event streams observe this model and see only released text. Two things observe
    the inner model and see its unguarded text: `callbacks` passed to the inner model itself, and
    `set_debug`. Errors of the inner model are raised unchanged, after everything received before them. A
    policy that raises gives `vista_stream.TurnWithheld`.
    """

    _model: Runnable[LanguageModelInput, AIMessage] = PrivateAttr()
    _guard: Guard = PrivateAttr()
    _config: RunnableConfig | None = PrivateAttr(default=None)

    def __init__(self, model: Runnable[LanguageModelInput, AIMessage], guard: Guard, **settings: Any) -> None:
        # Answers are not cached: the next request may have other references.
        super().__init__(**{"cache": False, "output_version": None, **settings})
        self._model = model
        self._guard = guard

    @property
    def _llm_type(self) -> str:
        return "vista-stream"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> GuardedChatModel:
        """A guarded model whose inner model has the tools bound."""
        inner: Any = self._model
        return self._with(_model=inner.bind_tools(tools, **kwargs))

    # -- the four ways to call the model; each stores the config, which the base class does not pass on

    def invoke(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AIMessage:
        """The whole guarded message."""
        return super(GuardedChatModel, self._under(config)).invoke(input, config, **kwargs)

    async def ainvoke(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AIMessage:
        """The whole guarded message."""
        return await super(GuardedChatModel, self._under(config)).ainvoke(input, config, **kwargs)

    def stream(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[AIMessageChunk]:
        """The guarded message, piece by piece."""
        return super(GuardedChatModel, self._under(config)).stream(input, config, **kwargs)

    def astream(
        self, input: LanguageModelInput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[AIMessageChunk]:
        """The guarded message, piece by piece."""
        return super(GuardedChatModel, self._under(config)).astream(input, config, **kwargs)

    def _under(self, config: RunnableConfig | None) -> GuardedChatModel:
        return self._with(_config=ensure_config(config))

    def _with(self, **private: Any) -> GuardedChatModel:
        copied = self.model_copy()
        for name, value in private.items():
            setattr(copied, name, value)
        return copied

    # -- methods that the base class calls

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        """The inner model's name and settings, for traces."""
        inner: Any = self._model
        while isinstance(inner, RunnableBinding):
            inner = inner.bound
        if isinstance(inner, BaseChatModel):
            return inner._get_ls_params(stop=stop, **kwargs)
        return super()._get_ls_params(stop=stop, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        with _unobserved():
            whole = self._model.invoke(messages, self._inner_config(), **_settings(stop, kwargs))
        with blocking_portal() as portal:
            return call_through(portal, self._result, messages, whole, kwargs)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        with _unobserved():
            whole = await self._model.ainvoke(messages, self._inner_config(), **_settings(stop, kwargs))
        return await self._result(messages, whole, kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        source = _InThreads(
            lambda: self._model.stream(messages, self._inner_config(), **_settings(stop, kwargs))
        )
        chunks = _sent(self._guarded(source.chunks(), messages, kwargs, close=source.close))
        with blocking_portal() as portal, entered(portal, aclosing(chunks)):
            while (chunk := call_through(portal, anext, chunks, None)) is not None:
                yield ChatGenerationChunk(message=chunk)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        source = self._chunks(messages, _settings(stop, kwargs))
        guarded = self._guarded(source, messages, kwargs, close=source.aclose)
        async with aclosing(_sent(guarded)) as chunks:
            async for chunk in chunks:
                assert chunk is not None
                yield ChatGenerationChunk(message=chunk)

    async def _chunks(self, messages: list[BaseMessage], settings: dict[str, Any]) -> AsyncGenerator[Chunk]:
        with _unobserved():
            async with aclosing(self._model.astream(messages, self._inner_config(), **settings)) as given:  # type: ignore[type-var]
                async for message in given:
                    for chunk in chunks_of(message):
                        yield chunk
        yield None

    async def _result(
        self, messages: list[BaseMessage], whole: AIMessage, kwargs: dict[str, Any]
    ) -> ChatResult:
        if whole.id and whole.id.startswith("lc_"):
            whole = whole.model_copy(update={"id": None})

        async def source() -> AsyncGenerator[Chunk]:
            for chunk in chunks_of(whole):
                yield chunk
            yield None

        given = source()
        async with self._guarded(given, messages, kwargs, close=given.aclose) as events:
            chunks = [chunk async for chunk in events if chunk is not None]
        return ChatResult(generations=[ChatGeneration(message=message_of(chunks, whole))])

    def _guarded(
        self,
        source: AsyncIterator[Chunk],
        messages: list[BaseMessage],
        kwargs: dict[str, Any],
        *,
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> GuardedEvents[Chunk]:
        dialect = ChunkDialect(
            _heard(messages),
            json=wants_document({**_bound(self._model), **kwargs}),
            arguments=self._guard.tool_call_arguments == "guard",
            finish_reason=self._guard.finish_reason,
        )
        thread = (self._config or ensure_config()).get("configurable", {}).get("thread_id")
        conversation = None if thread is None else str(thread)
        return GuardedEvents(source, dialect, self._guard, conversation=conversation, close=close)

    def _inner_config(self) -> RunnableConfig:
        """The caller's config for the inner model, without callbacks and without this run's id and name."""
        config = {**(self._config or ensure_config()), "callbacks": []}
        return {key: value for key, value in config.items() if key not in ("run_id", "run_name")}  # type: ignore[return-value]


def _sent(guarded: GuardedEvents[Chunk]) -> Detached[Chunk]:
    async def run(send: Callable[[Chunk], Awaitable[None]]) -> None:
        async with guarded as events:
            async for chunk in events:
                await send(chunk)

    return Detached(run)


@contextmanager
def _unobserved() -> Iterator[None]:
    """Clear the context variables that carry callbacks and tracers: they would see the unguarded text."""
    observers: list[ContextVar[Any]] = [
        var_child_runnable_config,
        tracing_v2_callback_var,
        *(hook[0] for hook in _configure_hooks),
    ]
    with ExitStack() as restored:
        restored.enter_context(tracing_context(enabled=False))
        for observer in observers:
            restored.callback(observer.reset, observer.set(None))
        yield


class _InThreads:
    """The chunks of a sync stream, read in threads; all reads run in one `contextvars` context."""

    def __init__(self, ask: Callable[[], Iterator[AIMessage]]) -> None:
        self._context = copy_context()
        self._left = False
        # Its own: threads that wait for silent models would use up a shared one.
        self._limiter = CapacityLimiter(2)
        self._reading = Lock()
        self._given = self._read(ask)

    async def chunks(self) -> AsyncGenerator[Chunk]:
        """The chunks, then None."""
        while True:
            chunk = await to_thread.run_sync(self._next, abandon_on_cancel=True, limiter=self._limiter)
            yield chunk
            if chunk is None:
                return

    async def close(self) -> None:
        """Close the stream; while a thread is reading, that thread closes it after its read."""
        self._left = True
        await to_thread.run_sync(self._close, limiter=self._limiter)

    @staticmethod
    def _read(ask: Callable[[], Iterator[AIMessage]]) -> Generator[Chunk]:
        with _unobserved():
            for message in ask():
                yield from chunks_of(message)

    def _next(self) -> Chunk:
        with self._reading:
            chunk = self._context.run(next, self._given, None)
        if self._left:
            self._close()
        return chunk

    def _close(self) -> None:
        if self._reading.acquire(blocking=False):
            try:
                self._context.run(self._given.close)
            finally:
                self._reading.release()


def _settings(stop: list[str] | None, kwargs: dict[str, Any]) -> dict[str, Any]:
    return kwargs if stop is None else {**kwargs, "stop": stop}


def _bound(model: Any) -> dict[str, Any]:
    """The settings of every call of a model: its `model_kwargs` and the arguments bound to it."""
    if isinstance(model, RunnableBinding):
        return {**_bound(model.bound), **model.kwargs}
    return {**(getattr(model, "model_kwargs", None) or {})}


def _heard(messages: list[BaseMessage]) -> list[Message]:
    """LangChain's messages as chat messages."""
    return [dict(message) for message in convert_to_openai_messages(messages)]
