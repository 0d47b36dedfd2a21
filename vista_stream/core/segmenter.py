"""Deltas in, segments out: sentences, and what stands between them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from vista_stream.claims import Span


class SegmentKind(StrEnum):
    """What a stretch of the turn's text is."""

    SENTENCE = "sentence"
    """May hold claims."""
    SPACE = "space"
    """White space between sentences; passed through."""
    CODE = "code"
    """A line of a code fence; passed through, never a claim."""
    MARKUP = "markup"
    """Rules, table borders, bare list markers; passed through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of the turn's text; a turn's segments, joined, are its text."""

    index: int
    """Position among the turn's segments, from 0."""
    text: str
    span: Span
    """Where in the turn's text."""
    kind: SegmentKind
