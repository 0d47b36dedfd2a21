"""Finds the span of a claim in its turn by shared words, where decomposition did not track it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from vista_stream.claims import Span
from vista_stream.core.text.segmenter import Segment
from vista_stream.retrieval.lexical import words
from vista_stream.retrieval.reference import sentence_spans


def locate(claim: str, segment: Segment) -> Span:
    """The span in the turn from which a claim most likely comes: the sentence with most of its words.

    Longer sentences need more shared words. Without any shared word it is the segment's span.
    """
    wanted = set(words(claim))
    best, span = 0.0, segment.span
    for piece in _sentences(segment.text):
        held = set(words(segment.text[slice(*piece)]))
        overlap = len(wanted & held) / (len(held) or 1) ** 0.5
        if overlap > best:
            best, span = overlap, Span(segment.span.start + piece.start, segment.span.start + piece.end)
    return span


# A turn's claims are located one after another.
@lru_cache(maxsize=64)
def _sentences(text: str) -> Sequence[Span]:
    return tuple(sentence_spans(text))
