"""Chooses which part of an answer's text is guarded, and what is sent for each decision. No I/O."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import replace
from typing import Protocol, TypeAlias

from vista_stream import TextReleased, TextReplaced, TextWithheld
from vista_stream_adapters.rewrite.json_fields import (
    FieldEnd,
    FieldText,
    JsonFields,
    Piece,
    Prose,
    Structure,
    Value,
)

Decision: TypeAlias = TextReleased | TextReplaced | TextWithheld
"""A turn's event that decides a stretch of text."""


class AnswerText(Protocol):
    """Converts the upstream's text to the text that is guarded, and decisions to the text that is sent."""

    @property
    def waits(self) -> bool:
        """Whether the guard has yet to read what the last delta ended with."""
        ...

    def feed(self, delta: str) -> str:
        """The part of the next delta that the guard reads."""
        ...

    def end(self) -> str:
        """The part that the guard reads after the last delta."""
        ...

    def receive(self, decision: Decision) -> str:
        """The text to send for the next decision."""
        ...

    def passing(self) -> str:
        """The text to send next that needs no decision."""
        ...

    def finish(self, *, stopped: bool) -> str:
        """The text to send after the last decision."""
        ...


class PlainText:
    """Plain text: all of it is guarded."""

    waits = False

    def feed(self, delta: str) -> str:
        """The delta."""
        return delta

    def end(self) -> str:
        """Nothing: all of it was read."""
        return ""

    def receive(self, decision: Decision) -> str:
        """The released text with its mark, or the replacement; empty for withheld text."""
        match decision:
            case TextReleased(text=text, mark=mark):
                return text + mark
            case TextReplaced(replacement=replacement):
                return replacement
            case TextWithheld():
                return ""

    def passing(self) -> str:
        """Nothing: all text needs a decision."""
        return ""

    def finish(self, *, stopped: bool) -> str:
        """Nothing."""
        return ""


class JsonText:
    """A JSON document whose values are guarded; the sent text is a JSON document too.

    Of strings the guard reads the content, of numbers and booleans a sentence about them. A number or boolean
    that is not released becomes `null`; it carries no mark and no notice. Keys and `null` pass, with
    `values=False` numbers and booleans too. From where the text is not JSON, the rest is guarded as plain
    text.
    """

    def __init__(self, *, values: bool = True) -> None:
        self._fields = JsonFields(values=values)
        self._sent = JsonFields(values=False)
        self._pieces: deque[Piece] = deque()
        self._goes_on = True
        self._stopped = False
        self._at = 0

    @property
    def waits(self) -> bool:
        """Whether a number, a literal, a fence or an escape may go on in the next delta."""
        return self._fields.waits

    def feed(self, delta: str) -> str:
        """The content of the string values, and sentences about the others; each value is a paragraph."""
        return self._read(self._fields.feed(delta))

    def end(self) -> str:
        """The sentence about a number in which the document broke off."""
        return self._read(self._fields.end())

    def _read(self, pieces: list[Piece]) -> str:
        self._pieces.extend(pieces)
        return "".join("" if isinstance(piece, Structure) else piece.text for piece in pieces)

    def receive(self, decision: Decision) -> str:
        """The decision's text, escaped, with the JSON structure before and in it; nothing after a stop."""
        # Only a release is certainly no stop. After a stop, half-sent structure could not be closed.
        released = self._goes_on = isinstance(decision, TextReleased)
        wording = "" if isinstance(decision, TextReleased) else getattr(decision, "replacement", "")
        out: list[str] = []
        last: tuple[int, Prose | FieldText] | None = None
        while self._at < decision.span.end and self._pieces:
            piece = self._take(decision.span.end - self._at)
            match piece:
                case _ if self._stopped:
                    pass
                case Structure(raw=raw):
                    out.append(raw)
                case Value(raw=raw):
                    out.append(raw if released else "null")
                case FieldText() | Prose():
                    out.append(_as_written(piece) if released else _written(wording, piece))
                    wording = ""
                    last = len(out), piece
        if last is not None and isinstance(decision, TextReleased):
            out.insert(last[0], _written(decision.mark, last[1]))
        self._stopped = self._stopped or getattr(decision, "stops", False)
        raw = "".join(out)
        self._sent.feed(raw)
        return raw

    def passing(self) -> str:
        """The structure before the next value, so that it is not held back until that is decided."""
        out: list[str] = []
        while self._goes_on and self._pieces and isinstance(piece := self._pieces[0], Structure):
            out.append(piece.raw)
            self._pieces.popleft()
        raw = "".join(out)
        self._sent.feed(raw)
        return raw

    def finish(self, *, stopped: bool) -> str:
        """The remaining structure; after a stop, the closing quote and brackets of the sent document."""
        if stopped:
            return self._sent.closing()
        rest = "".join(piece.raw for piece in self._pieces if isinstance(piece, Structure))
        self._pieces.clear()
        return rest

    def _take(self, most: int) -> Piece:
        """The next piece; of a text, at most its first `most` code points."""
        piece = self._pieces[0]
        if isinstance(piece, Structure):
            return self._pieces.popleft()
        self._at += min(most, len(piece.text))
        if len(piece.text) <= most:
            return self._pieces.popleft()
        taken, rest = replace(piece, text=piece.text[:most]), piece.text[most:]
        if isinstance(piece, Value):  # after a stop, what a turn had received ends anywhere
            self._pieces[0] = FieldEnd(rest)
        else:
            piece.text = rest
        return taken


def _as_written(piece: FieldText | Prose) -> str:
    return (piece.escape if isinstance(piece, FieldText) else "") or piece.text


def _written(text: str, place: FieldText | Prose) -> str:
    return text if isinstance(place, Prose) else json.dumps(text, ensure_ascii=False)[1:-1]
