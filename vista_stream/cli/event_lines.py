"""Events as JSON: one object on each line, its type first, then the fields of the event."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from vista_stream.events import Event


def event_line(event: Event) -> str:
    """The event as one line of JSON, without line end.

    Spans and scores become objects, an exception its type and message.
    """
    return json.dumps({"type": event.type, **_plain(event)}, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Exception):
        return f"{type(value).__name__}: {value}"
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(entry) for entry in value]
    return value
