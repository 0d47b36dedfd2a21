"""Events as JSON: one object on each line, its type first, then the fields of the event."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from vista_stream.events import Event
from vista_stream.plain import plain
from vista_stream.report import TurnReport


def event_line(event: Event) -> str:
    """The event as one line of JSON, without line end.

    Spans and scores become objects, an exception its type and message.
    """
    table = {field.name: _plain(getattr(event, field.name)) for field in fields(event)}
    return json.dumps({"type": event.type, **table}, ensure_ascii=False)


def _plain(value: object) -> Any:
    match value:
        case Exception():
            return f"{type(value).__name__}: {value}"
        case TurnReport():
            return value.to_dict()
        case _:
            return plain(value)
