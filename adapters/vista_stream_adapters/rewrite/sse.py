"""Decodes and encodes server-sent events (WHATWG HTML standard, section 9.2). No I/O."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_LINE_END = re.compile(rb"[\r\n]")
_BOM = b"\xef\xbb\xbf"
_LONGEST_RETRY = 18
"""Most digits of a `retry:` field; Python refuses to read numbers of thousands of digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SseEvent:
    """One event of a stream."""

    data: str
    """The values of its `data:` fields, joined by line feeds."""
    event: str | None = None
    """The event's type; None for the default type, `message`."""
    id: str | None = None
    """Value of an `id:` field since the previous event; None where there was none."""
    retry: int | None = None
    """Milliseconds in a `retry:` field since the previous event; None where there was none."""


class SseDecoder:
    """Decodes bytes that may be cut anywhere: inside a frame, a line end or a UTF-8 sequence.

    Comments and unknown fields are dropped, bytes that are not UTF-8 become U+FFFD, and lines end with
    CR, LF or CRLF. An event or a line that grows over `limit` bytes raises ValueError.
    """

    def __init__(self, *, limit: int = 16 * 1024 * 1024) -> None:
        if limit < 1:
            raise ValueError(f"limit must be a number of bytes above 0, not {limit}")
        self._limit = limit
        self._line = bytearray()
        self._size = 0
        """Bytes of the event's lines so far, without comments."""
        self._after_cr = False
        self._first = True
        self._data: list[str] = []
        self._event: str | None = None
        self._id: str | None = None
        self._retry: int | None = None

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that these bytes complete."""
        events: list[SseEvent] = []
        start = 0
        for end in (match.start() for match in _LINE_END.finditer(chunk)):
            second_half = self._after_cr and end == start and chunk[end] == 0x0A
            self._after_cr = chunk[end] == 0x0D
            if not second_half:
                self._append(chunk[start:end])
                events.extend(self._end_line())
            start = end + 1
        if start < len(chunk):
            self._after_cr = False
            self._append(chunk[start:])
        return events

    def finish(self) -> list[SseEvent]:
        """The last event, if only the line ends after it are missing; an event with a cut line is dropped.

        A line of data without its end is whole where the data is a JSON object or `[DONE]`.
        """
        cut, of_data = bool(self._line), self._line.startswith(b"data:")
        if of_data:
            self._end_line()
        event = self._dispatch() if not cut or (of_data and _is_whole("\n".join(self._data))) else []
        self._line.clear()
        self._clear()
        return event

    def _append(self, piece: bytes) -> None:
        self._line += piece
        if self._size + len(self._line) > self._limit:
            raise ValueError(f"an event of the stream is longer than {self._limit} bytes")

    def _end_line(self) -> list[SseEvent]:
        line = bytes(self._line)
        self._line.clear()
        if self._first:
            line = line.removeprefix(_BOM)
            self._first = False
        if not line:
            return self._dispatch()
        if not line.startswith(b":"):
            self._size += len(line) + 1  # a comment does not count, and a line without a value does
            self._take(line.decode("utf-8", errors="replace"))
        return []

    def _take(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "data":
                self._data.append(value)
            case "event":
                self._event = value or None
            case "id" if "\0" not in value:
                self._id = value
            case "retry" if value.isascii() and value.isdigit() and len(value) <= _LONGEST_RETRY:
                self._retry = int(value)

    def _dispatch(self) -> list[SseEvent]:
        events = []
        if self._data:
            data = "\n".join(self._data)
            events = [SseEvent(data=data, event=self._event, id=self._id, retry=self._retry)]
            self._id = self._retry = None
        self._clear()
        return events

    def _clear(self) -> None:
        self._data = []
        self._event = None
        self._size = 0


def _is_whole(data: str) -> bool:
    """Whether data of the known protocols is not cut off: no beginning of a JSON object is one itself."""
    if data == "[DONE]":
        return True
    try:
        return isinstance(json.loads(data), dict)
    except (ValueError, RecursionError):
        return False


def encode(event: SseEvent) -> bytes:
    """The bytes of one event; raises ValueError where its type or id holds a line end, or its id NUL."""
    lines = []
    for name, value in (("event", event.event), ("id", event.id)):
        if value is None:
            continue
        if "\n" in value or "\r" in value or (name == "id" and "\0" in value):
            raise ValueError(f"{name} must not hold a line end or NUL: {value!r}")
        lines.append(f"{name}: {value}")
    if event.retry is not None:
        lines.append(f"retry: {event.retry}")
    # A CR inside the data would end its line; the standard decodes it as a line feed.
    data = event.data.replace("\r\n", "\n").replace("\r", "\n")
    lines.extend(f"data: {line}" for line in data.split("\n"))
    return ("\n".join(lines) + "\n\n").encode("utf-8", errors="replace")


def encode_comment(text: str = "") -> bytes:
    """The bytes of a comment, which readers skip: it keeps a connection alive while text is held back.

    Raises ValueError for a text of several lines.
    """
    if "\n" in text or "\r" in text:
        raise ValueError("text must be one line")
    return f": {text}\n\n".encode()
