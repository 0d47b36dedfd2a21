"""Pairs of written conversations for a verifier: a claim with what the assistant was given and had said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vista_stream.training.conversations import Conversation, read_conversations
from vista_stream.training.documents import LICENCE
from vista_stream.training.rows import Label, Row

SOURCE: Final = "conversation"
_LABELS: Final[dict[str, Label]] = {"V": "entailment", "L": "neutral", "X": "contradiction"}
_SETTLED: Final = "VO"
"""The labels of what was said before and may decide a claim."""
_BEFORE: Final = 6
"""Claims before that a premise has at most."""
_LONGEST: Final = 200
"""Words of a premise at most."""


def talk_rows(path: Path) -> list[Row]:
    """A row for each claim of a file or folder of conversations, as `read_conversations` takes it.

    The premise is the turn's reference and the last claims of earlier turns that were verified or out of
    scope, one a line. Claims that are out of scope or abstentions, or have no reference, give no row. Raises
    as `read_conversations` does.
    """
    return [row for each in read_conversations(path) for row in _rows(each)]


def _rows(conversation: Conversation) -> Iterator[Row]:
    before: list[str] = []
    for reply in conversation.replies:
        premise = "\n".join((reply.reference, *before[-_BEFORE:]))
        if reply.reference and len(premise.split()) <= _LONGEST:
            for text, label in reply.claims:
                if label in _LABELS:
                    yield Row(premise, text, _LABELS[label], SOURCE, LICENCE)
        before += [text for text, label in reply.claims if label in _SETTLED]
