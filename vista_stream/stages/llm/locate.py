"""Finds the span of a claim in its turn by shared words, where decomposition did not track it."""

from __future__ import annotations

import re

from vista_stream.claims import Span
from vista_stream.core.text.segmenter import Segment
from vista_stream.retrieval.lexical import words

_PIECE = re.compile(r"[^.!?\n]+[.!?]*")


def locate(claim: str, segment: Segment) -> Span:
    """The span in the turn from which a claim most likely comes: the sentence with most of its words.

    Longer sentences need more shared words. Without any shared word it is the segment's span.
    """
    wanted = set(words(claim))
    best, span = 0.0, segment.span
    for match in _PIECE.finditer(segment.text):
        held = set(words(match[0]))
        overlap = len(wanted & held) / (len(held) or 1) ** 0.5
        if overlap > best:
            start = segment.span.start + match.start() + len(match[0]) - len(match[0].lstrip())
            best, span = overlap, Span(start, segment.span.start + match.end())
    return span
