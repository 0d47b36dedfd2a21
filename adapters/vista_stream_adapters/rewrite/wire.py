"""JSON payloads of server-sent events, and refusal of content that cannot be guarded, such as audio."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from vista_stream import UpstreamError
from vista_stream_adapters.rewrite.sse import SseEvent


def read_payload(event: SseEvent) -> dict[str, Any]:
    """The JSON object in an event's data; raises UpstreamError where there is none."""
    try:
        payload = json.loads(event.data)
    except (ValueError, RecursionError) as error:
        # Such data is never passed on: it could hold text that nobody has guarded.
        raise UpstreamError(f"the upstream sent an event that is not JSON: {error}") from error
    if not isinstance(payload, dict):
        raise UpstreamError("the upstream sent an event that is not a JSON object")
    return payload


def written(payload: dict[str, Any], event: str | None = None) -> SseEvent:
    """An event with a JSON object; surrogates without partner are kept as escapes."""
    return SseEvent(data=json.dumps(payload, separators=(",", ":")), event=event)


def refuse_audio(request: Mapping[str, Any]) -> None:
    """Raise ValueError where a request asks for a spoken answer: nobody can take a sentence out of audio."""
    if request.get("audio") or "audio" in (request.get("modalities") or ()):
        raise ValueError(
            "modalities must be ['text'], without audio: a spoken answer cannot be guarded; ask for text, and"
            " have what was released spoken"
        )


def spoken() -> UpstreamError:
    """The error for an answer that is spoken all the same."""
    return UpstreamError("the upstream's answer is audio: it cannot be guarded")
