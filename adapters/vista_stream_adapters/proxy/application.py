"""The guarding proxy: an aiohttp application in front of any OpenAI-compatible service.

`make_app` builds it; `serving` runs it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from math import inf
from typing import Any

from aiohttp import web

from vista_stream import ClaimSettled, ClaimUnresolved, Reference
from vista_stream.logs import drop_text
from vista_stream.stages import Stages
from vista_stream.stores import CommonGroundStore
from vista_stream.verifiers import Verifier
from vista_stream_adapters.guard import BoundedStore, Guard
from vista_stream_adapters.proxy.answers import add_answers
from vista_stream_adapters.proxy.auth import CLIENT, add_headers, auth_middleware, cors_middleware
from vista_stream_adapters.proxy.errors import error_middleware
from vista_stream_adapters.proxy.observers import add_metrics, make_metrics, observers
from vista_stream_adapters.proxy.page_routes import add_page
from vista_stream_adapters.proxy.record import Recorder, log_claim
from vista_stream_adapters.proxy.references import UploadedReferences
from vista_stream_adapters.proxy.references_folder import ReferencesFolder
from vista_stream_adapters.proxy.requests import expect, read_json
from vista_stream_adapters.proxy.settings import ProxySettings
from vista_stream_adapters.proxy.state import (
    STATE,
    ProxyState,
    RequestReferences,
    index_folder,
    load_models,
)
from vista_stream_adapters.proxy.traffic import Conversations, Traffic
from vista_stream_adapters.proxy.upstream import Upstream
from vista_stream_adapters.proxy.writer import write_middleware

logger = logging.getLogger("vista_stream.proxy")

_ENDING = 12.0
"""Most seconds for answers that were cut off to end; a session takes up to 10 to write to the store."""

_TOLD = ((ClaimSettled, log_claim), (ClaimUnresolved, log_claim))


def make_app(
    settings: ProxySettings,
    *,
    verifier: Verifier | None = None,
    stages: Stages | None = None,
    store: CommonGroundStore | None = None,
    scenes: Sequence[Mapping[str, Any]] = (),
) -> web.Application:
    """The application; `make_runner` makes the server for it.

    `store` keeps the conversations, and forgets by its own bounds; with a shared store other replicas can
    continue them. None keeps up to `settings.limits.sessions` conversations in memory. The application closes
    a store and a verifier that have a method `aclose`. `scenes` is the material that the page shows. Raises
    ValueError for what `Guard` refuses, such as a policy in optimistic mode, for a references folder that is
    not a folder, and where both `verifier` and `stages` are given.
    """
    folder = ReferencesFolder(settings.references) if settings.references is not None else None
    limits = settings.limits
    metrics = make_metrics()
    recorder = Recorder(observers(metrics))
    app = web.Application(
        middlewares=[
            write_middleware(settings.timeouts),
            error_middleware,
            cors_middleware(settings),
            auth_middleware(settings),
        ],
        client_max_size=limits.body,
    )
    app[STATE] = ProxyState(
        settings=settings,
        guard=Guard(
            references=RequestReferences(folder),
            policy=settings.policy,
            background=settings.background,
            tool_call_arguments=settings.tool_call_arguments,
            json_values=settings.json_values,
            finish_reason=settings.finish_reason,
            verifier=verifier,
            stages=stages,
            store=BoundedStore(limits.sessions) if store is None else store,
            callbacks=[*recorder.callbacks, *(_TOLD if settings.log_text else ())],
            on_outcome=recorder.on_outcome,
        ),
        upstream=Upstream(settings),
        traffic=Traffic(limits.streams, each=settings.each(limits.streams)),
        conversations=_conversations(settings, stored=store is not None),
        uploaded=UploadedReferences(limits),
        folder=folder,
        scenes=scenes,
        recorder=recorder,
    )
    if metrics is not None:
        add_metrics(app, metrics)
    app.cleanup_ctx.append(_run_parts)
    app.on_shutdown.append(_closing)
    app.on_response_prepare.append(add_headers)
    _add_routes(app)
    add_answers(app)
    return app


def _conversations(settings: ProxySettings, *, stored: bool) -> Conversations:
    """The known conversations. A store forgets by itself: there only a client's share is a limit."""
    sessions, timeouts = settings.limits.sessions, settings.timeouts
    unlimited = stored and len(settings.tokens) < 2
    return Conversations(
        inf if stored else sessions,
        each=inf if unlimited else settings.each(sessions),
        idle=0.0 if unlimited else timeouts.session,
        busy=timeouts.busy,
    )


def _add_routes(app: web.Application) -> None:
    app.router.add_get("/healthz", _health)
    app.router.add_get("/readyz", _ready)
    app.router.add_get("/v1/references", _list_references)
    app.router.add_post("/v1/references", _add_reference, expect_handler=expect)
    app.router.add_delete("/v1/references/{id}", _delete_reference)
    if app[STATE].settings.page:
        add_page(app)


async def _run_parts(app: web.Application) -> AsyncIterator[None]:
    """Start and stop the parts that live as long as the application: models, upstream, folder, store."""
    state = app[STATE]
    guards = logging.getLogger("vista_stream")
    if not state.settings.log_text:
        guards.addFilter(drop_text)
    try:
        await load_models(state.guard)
        await _store_answers(state.guard)  # where it does not, the log says so from the start
        async with state.upstream, _watched(state):
            yield
            # The server waits for no answer that it cut off, and each still adds what was shown to the store.
            await state.traffic.drain(within=_ENDING)
    finally:
        guards.removeFilter(drop_text)
        for part in (state.guard.store, state.guard.verifier):
            if (close := getattr(part, "aclose", None)) is not None:
                await close()


async def _closing(app: web.Application) -> None:
    """Called before the server cancels the answers that still run."""
    app[STATE].recorder.closing = True


@asynccontextmanager
async def _watched(state: ProxyState) -> AsyncIterator[None]:
    if state.folder is None:
        yield
        return
    await asyncio.to_thread(state.folder.scan)
    await index_folder(state)
    logger.info("%d reference texts", len(state.folder.references))
    watching = state.folder.watch(every=state.settings.timeouts.watch, changed=partial(index_folder, state))
    watch = asyncio.create_task(watching)
    try:
        yield
    finally:
        watch.cancel()
        await asyncio.wait([watch])


async def _health(request: web.Request) -> web.Response:
    return web.json_response({"status": "ok"})


async def _ready(request: web.Request) -> web.Response:
    status = await _status(request.app[STATE])
    return web.json_response({"status": status}, status=200 if status == "ready" else 503)


async def _status(state: ProxyState) -> str:
    """`ready`, `draining`, or what is missing for an answer: `upstream_unreachable`, `store_unavailable`."""
    if state.traffic.draining:
        return "draining"
    if state.upstream.configured and not await state.upstream.answers():
        return "upstream_unreachable"
    if state.guard.policy.on_store_error == "raise" and not await _store_answers(state.guard):
        return "store_unavailable"
    return "ready"


async def _store_answers(guard: Guard) -> bool:
    """Whether the store of conversations can be read; logs why not."""
    try:
        await guard.store.load("")
    except Exception as error:  # a store of one's own may raise anything; it has no text here to quote
        logger.error("the store of conversations cannot be read: %s: %s", type(error).__name__, error)
        return False
    return True


async def _list_references(request: web.Request) -> web.Response:
    rows = [_row(key, reference) for key, reference in request.app[STATE].uploaded.all(request[CLIENT])]
    return web.json_response({"object": "list", "data": rows})


async def _add_reference(request: web.Request) -> web.Response:
    state = request.app[STATE]
    body = await read_json(request, state.settings)
    key, reference = await asyncio.to_thread(state.uploaded.add, request[CLIENT], body)
    return web.json_response(_row(key, reference))


async def _delete_reference(request: web.Request) -> web.Response:
    key = request.match_info["id"]
    request.app[STATE].uploaded.delete(request[CLIENT], key)
    return web.json_response({"id": key, "object": "reference", "deleted": True})


def _row(key: str, reference: Reference) -> dict[str, Any]:
    characters, sentences = len(reference.text), len(reference.sentences)
    return {
        "id": key,
        "object": "reference",
        "name": reference.name,
        "characters": characters,
        "sentences": sentences,
    }
