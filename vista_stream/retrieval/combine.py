"""Chooses, among scored passages, the one that decides about a claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vista_stream.claims import Evidence, Scores

_LIKELY = 0.5
"""From this entailment on, a passage supports a claim even if another passage seems to contradict it."""
_SHARPNESS = 2.0
"""Exponent of the relative relevance by which a contradiction is weighted."""


class Scored(NamedTuple):
    """A passage, its relevance to the claim, and the verifier's scores of the two."""

    evidence: Evidence
    relevance: float
    scores: Scores


def combine(passages: Sequence[Scored]) -> Scored | None:
    """The passage that decides, with the scores to judge the claim by; None where there are no passages.

    Entailment: a document supports a claim as soon as one passage does, so the highest entailment is taken
    as it is (SCALE's maximum over chunks).

    Contradiction: a verifier easily mistakes a passage on another aspect of the subject for a contradiction,
    and a maximum over many passages would collect those mistakes. So each contradiction is multiplied by
    (relevance / highest relevance among the passages)², and what it loses is added to neutral. It decides
    only where it then exceeds the highest entailment, and that entailment is below 0.5. The second condition
    is for passages that are cut off before the sentence that supports the claim; they often seem to
    contradict it ("The keeper lived there until 1962." and "It is a museum today").
    """
    if not passages:
        return None
    passages = weighed(passages)
    supporting = max(passages, key=lambda passage: passage.scores.entailment)
    refuting = max(passages, key=lambda passage: passage.scores.contradiction)
    supported = supporting.scores.entailment >= _LIKELY
    refuted = refuting.scores.contradiction > supporting.scores.entailment
    return refuting if refuted and not supported else supporting


def weighed(passages: Sequence[Scored]) -> list[Scored]:
    """The passages with the scores that `combine` compares: each contradiction weighted by relevance."""
    highest = max((passage.relevance for passage in passages), default=0.0)
    return [passage._replace(scores=_damp(passage, highest)) for passage in passages]


def _damp(passage: Scored, highest: float) -> Scores:
    entailment, neutral, contradiction = passage.scores
    weight = (passage.relevance / highest) ** _SHARPNESS if highest > 0 else 1.0
    kept = contradiction * weight
    return Scores(entailment, neutral + contradiction - kept, kept)
