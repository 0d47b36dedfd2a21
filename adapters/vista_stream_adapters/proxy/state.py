"""State that the proxy's request handlers share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from vista_stream import Reference, Session, Statement
from vista_stream.caching import cache_scope
from vista_stream_adapters.guard import Guard, Message
from vista_stream_adapters.proxy.record import Recorder
from vista_stream_adapters.proxy.references import UploadedReferences
from vista_stream_adapters.proxy.references_folder import ReferencesFolder
from vista_stream_adapters.proxy.settings import ProxySettings
from vista_stream_adapters.proxy.traffic import Conversations, Traffic
from vista_stream_adapters.proxy.upstream import Upstream

REQUEST_REFERENCES: ContextVar[Sequence[str | Reference]] = ContextVar("vista_stream.references", default=())
"""The reference texts that the current request sent, or named by id, and those of its tool messages."""


@dataclass(frozen=True, kw_only=True)
class ProxyState:
    """The parts of one application."""

    settings: ProxySettings
    guard: Guard
    upstream: Upstream
    traffic: Traffic
    conversations: Conversations
    uploaded: UploadedReferences
    folder: ReferencesFolder | None
    scenes: Sequence[Mapping[str, Any]]
    """The page's shipped material: title, conversation, query, answer, references, altered."""
    recorder: Recorder

    @asynccontextmanager
    async def serving(
        self, client: str, conversation: str | None, references: Sequence[str | Reference]
    ) -> AsyncIterator[None]:
        """Reserve a client's conversation while the block runs, and give its sessions the references.

        Caches answer meanwhile only from what this client or the folder put there.
        """
        async with self.conversations.enter(conversation, client):
            with cache_scope(client):
                token = REQUEST_REFERENCES.set(references)
                try:
                    yield
                finally:
                    REQUEST_REFERENCES.reset(token)

    async def common_ground(self, conversation: str) -> list[Statement]:
        """The common ground of a conversation: background facts, then what its answers added."""
        known = [Statement(text=text, origin="background", turn=-1) for text in self.settings.background]
        return [*known, *await self.guard.common_ground(conversation)]


STATE = web.AppKey("vista_stream", ProxyState)


class RequestReferences:
    """The reference texts of the current request: the folder's, and `REQUEST_REFERENCES`."""

    def __init__(self, folder: ReferencesFolder | None) -> None:
        self._folder = folder

    def __call__(self, messages: Sequence[Message]) -> list[str | Reference]:
        """The reference texts; the signature is that of `Guard.references`."""
        kept = self._folder.references if self._folder is not None else ()
        return [*kept, *REQUEST_REFERENCES.get()]


async def load_models(guard: Guard) -> None:
    """Load the models before the first request, by guarding one sentence."""
    session = Session(guard.verifier, stages=guard.stages)
    session.add_reference("The doors are open.")
    async with session.turn(["The doors are open."]) as turn:
        await turn.drain()


async def index_folder(state: ProxyState) -> None:
    """Index the folder's texts, so that no claim waits for it; indexed texts are skipped."""
    session = Session(state.guard.verifier, stages=state.guard.stages)
    for reference in () if state.folder is None else state.folder.references:
        session.add_reference(reference)
    await session.prepare()
