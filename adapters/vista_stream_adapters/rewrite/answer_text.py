"""Chooses which part of an answer's text is guarded, and what is sent for each decision. No I/O."""

from __future__ import annotations

import json
from collections import deque
from typing import Protocol, TypeAlias

from vista_stream import TextReleased, TextReplaced, TextWithheld
from vista_stream_adapters.rewrite.json_fields import FieldText, JsonFields, Piece, Prose, Structure

Decision: TypeAlias = TextReleased | TextReplaced | TextWithheld
"""A turn's event that decides a stretch of text."""


class AnswerText(Protocol):
    """Converts the upstream's text to the text that is guarded, and decisions to the text that is sent."""

    def feed(self, delta: str) -> str:
        """The part of the next delta that the guard reads."""
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

    def feed(self, delta: str) -> str:
        """The delta."""
        return delta

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
    """A JSON document whose string values are guarded; the sent text is a JSON document too.

    Keys, numbers and literals pass. From where the text is not JSON, the rest is guarded as plain text.
    """

    def __init__(self) -> None:
        self._fields = JsonFields()
        self._sent = JsonFields()
        self._pieces: deque[Piece] = deque()
        self._goes_on = True
        self._at = 0

    def feed(self, delta: str) -> str:
        """The content of the string values; each value is a paragraph."""
        pieces = self._fields.feed(delta)
        self._pieces.extend(pieces)
        return "".join("" if isinstance(piece, Structure) else piece.text for piece in pieces)

    def receive(self, decision: Decision) -> str:
        """The decision's text, escaped, with the JSON structure before and inside it."""
        # Only a release is certainly no stop. After a stop, half-sent structure could not be closed.
        self._goes_on = isinstance(decision, TextReleased)
        out: list[str] = []
        texts: list[int] = []
        as_prose = False
        wording = None if isinstance(decision, TextReleased) else getattr(decision, "replacement", "")
        while self._at < decision.span.end and self._pieces:
            piece = self._take(decision.span.end - self._at)
            if isinstance(piece, Structure):
                out.append(piece.raw)
            elif isinstance(piece, FieldText | Prose):
                as_prose = isinstance(piece, Prose)
                text = piece.text if wording is None else "" if texts else wording
                texts.append(len(out))
                out.append(text if as_prose else _escaped(text))
        if texts and isinstance(decision, TextReleased):
            out[texts[-1]] += decision.mark if as_prose else _escaped(decision.mark)
        raw = "".join(out)
        self._sent.feed(raw)
        return raw

    def passing(self) -> str:
        """The structure before the next string value, so that it is not held back until that is decided."""
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
        taken, piece.text = piece.text[:most], piece.text[most:]
        return type(piece)(taken)


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
