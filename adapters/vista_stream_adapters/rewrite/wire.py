"""Reads and writes JSON of answers and server-sent events, and refuses audio, which cannot be guarded."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping
from io import StringIO
from typing import Any, TypeVar

from vista_stream import UpstreamError
from vista_stream_adapters.rewrite.sse import SseEvent

T = TypeVar("T")


def finite(number: str) -> float:
    """The float of a JSON number; of one beyond all floats the last one, since infinity is no JSON."""
    value = float(number)
    return math.copysign(sys.float_info.max, value) if math.isinf(value) else value


def parse_json(raw: bytes | bytearray) -> Any:
    """The value of a JSON document, its floats `finite`; for a thread, since other threads can run meanwhile.

    Raises ValueError and RecursionError as `json.loads`, which keeps all other threads waiting to its end: it
    gives the interpreter's lock away only where it calls Python.
    """
    return json.loads(
        raw,
        parse_float=finite,
        parse_int=_in_python(int),
        object_pairs_hook=_in_python(dict),
    )


def _in_python(make: Callable[[Any], T]) -> Callable[[Any], T]:
    def call(parsed: Any) -> T:
        return make(parsed)

    return call


def write_json(value: object) -> str:
    """A value as a JSON document; for a thread, since other threads can run meanwhile, as in `parse_json`."""
    written = StringIO()
    json.dump(value, written)  # unlike `json.dumps`, it is written in Python
    return written.getvalue()


def read_payload(event: SseEvent) -> dict[str, Any]:
    """The JSON object in an event's data; raises UpstreamError for other data."""
    try:
        payload = json.loads(event.data, parse_float=finite)
    except (ValueError, RecursionError) as error:
        # Such data is never passed on: it could hold unguarded text.
        raise UpstreamError(f"the upstream sent an event that is not JSON: {error}") from error
    if not isinstance(payload, dict):
        raise UpstreamError("the upstream sent an event that is not a JSON object")
    return payload


def object_in(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object in a field of an answer, empty if missing; raises UpstreamError for another value."""
    value = holder.get(key) or {}
    if not isinstance(value, dict):
        raise _malformed(key, "an object")
    return value


def objects_in(holder: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The list of objects in a field, as `object_in`."""
    value = holder.get(key) or []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise _malformed(key, "a list of objects")
    return value


def text_in(holder: Mapping[str, Any], key: str) -> str:
    """The text in a field, as `object_in`."""
    value = holder.get(key) or ""
    if not isinstance(value, str):
        raise _malformed(key, "text")
    return value


def index_in(holder: Mapping[str, Any], otherwise: int, key: str = "index") -> int:
    """The index in a field, or `otherwise` where there is none, as `object_in`."""
    value = holder.get(key)
    if value is None:
        return otherwise
    if not isinstance(value, int):
        raise _malformed(key, "a whole number")
    return value


def filled(holder: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """An object with the fields of another one, whose nulls replace nothing."""
    return {**more, **holder, **{key: value for key, value in more.items() if value is not None}}


def untyped_error(payload: Mapping[str, Any]) -> bool:
    """Whether an event is an error in the form of chat completions."""
    return "type" not in payload and bool(payload.get("error"))


def _malformed(key: str, takes: str) -> UpstreamError:
    return UpstreamError(f"the upstream's answer is malformed: {key} must be {takes}")


def written(payload: dict[str, Any], event: str | None = None) -> SseEvent:
    """An event with a JSON object as its data; lone surrogates stay escapes."""
    return SseEvent(data=json.dumps(payload, separators=(",", ":")), event=event)


def refuse_audio(request: Mapping[str, Any]) -> None:
    """Raise ValueError for a request for an audio answer: a sentence cannot be cut out of audio.

    So does one whose `modalities` are no list.
    """
    modalities = request.get("modalities") or ()
    if request.get("audio") or not isinstance(modalities, list | tuple) or "audio" in modalities:
        raise ValueError(
            "modalities must be ['text'], without audio: a spoken answer cannot be guarded; ask for text, and"
            " have what was released spoken"
        )


def spoken() -> UpstreamError:
    """The error for an answer that is audio although the request did not ask for it."""
    return UpstreamError("the upstream's answer is audio: it cannot be guarded")
