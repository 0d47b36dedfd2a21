"""Many scored passages to the one that decides about a claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vista_stream.claims import Evidence, Scores

_LIKELY = 0.5
"""From this entailment on a passage supports a claim, whatever another one seems to say."""
_SHARPNESS = 2.0
"""How fast a contradiction loses weight with its passage's relevance."""


class Scored(NamedTuple):
    """A passage, its relevance to the claim, and the verifier's scores of the two."""

    evidence: Evidence
    relevance: float
    scores: Scores


def combine(passages: Sequence[Scored]) -> Scored | None:
    """The passage that decides, with the scores to judge it by; None where there are no passages.

    A document supports a claim as soon as one passage does, so the best entailment is taken as it is
    (SCALE's maximum over chunks). A passage on another aspect of the subject is easily mistaken for a
    contradiction, and the maximum over many passages would collect those mistakes: therefore each
    contradiction is weighed by (relevance / highest relevance among the passages)², what it loses goes
    to neutral, and it decides only where the weighed contradiction exceeds the best entailment, and that is
    less likely than not: a passage cut off before the sentence that supports a claim often seems to
    contradict it ("The keeper lived there until 1962." and "It is a museum today").
    """
    if not passages:
        return None
    highest = max(passage.relevance for passage in passages)
    weighed = [passage._replace(scores=_damp(passage, highest)) for passage in passages]
    supporting = max(weighed, key=lambda passage: passage.scores.entailment)
    refuting = max(weighed, key=lambda passage: passage.scores.contradiction)
    supported = supporting.scores.entailment >= _LIKELY
    refuted = refuting.scores.contradiction > supporting.scores.entailment
    return refuting if refuted and not supported else supporting


def _damp(passage: Scored, highest: float) -> Scores:
    entailment, neutral, contradiction = passage.scores
    weight = (passage.relevance / highest) ** _SHARPNESS if highest > 0 else 1.0
    kept = contradiction * weight
    return Scores(entailment, neutral + contradiction - kept, kept)
