"""A sentence that is held back until its claims are decided, and how its claims get their ids."""

from __future__ import annotations

from dataclasses import dataclass, field

from vista_stream.claims import Claim, Draft
from vista_stream.core.gate import Decision, Entry
from vista_stream.core.text.segmenter import Segment

_IDS_A_SENTENCE = 1_000
"""More ids than a sentence can have claims, since the segmenter bounds its length."""


@dataclass(slots=True)
class HeldSentence:
    """A sentence that is not decided yet, and its claims."""

    entry: Entry
    open: dict[int, Claim] = field(default_factory=dict)
    """Claims without an outcome, by id."""
    decisions: dict[int, Decision] = field(default_factory=dict)
    """Decisions for the claims that have an outcome, by claim id."""


def claim_of(sentence: Segment, position: int, draft: Draft) -> Claim:
    """Make a claim of a draft; its id depends on its place in the text and not on the order of arrival."""
    return Claim(
        id=sentence.index * _IDS_A_SENTENCE + position,
        sentence=sentence.index,
        sentence_text=sentence.text,
        text=draft.text,
        span=draft.span,
        kind=draft.kind,
        importance=draft.importance,
    )
