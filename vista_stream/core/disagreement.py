"""References that disagree: one verifies a claim, and another one contradicts it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from vista_stream.claims import Evidence, Scores
from vista_stream.core.importance import content_words
from vista_stream.core.judge import Thresholds
from vista_stream.policy import OnDisagreement

OPPOSED = 0.8
"""A reference takes part in a disagreement only from this entailment or contradiction on: a verifier's less
certain scores are not taken for two opinions."""
_USUAL = Thresholds()
_OPENING = 4
"""Words at the start of an opening sentence among which a number names its subject: "Line 4", "In 2021"."""
_POINTS_BACK = re.compile(r"(?:s?he|it|they|h(?:is|er)|its|their|this|that|these|those)\b", re.IGNORECASE)


class Told(NamedTuple):
    """What one passage of a reference says of a claim."""

    place: int
    """Place of the reference among the session's, in the order in which they were added."""
    evidence: Evidence
    scores: Scores
    context: str = ""
    """What names the passage's subject outside it (`Reference.context`): lines and the opening sentence."""


class Disagreement(NamedTuple):
    """Passages of two references, of which one verifies a claim and the other contradicts it."""

    counting: Told
    """The one that the claim is judged by."""
    opposing: Told


def disagreement(
    told: Iterable[Told], on_disagreement: OnDisagreement, *, thresholds: Thresholds = _USUAL
) -> Disagreement | None:
    """Two references that disagree about a claim, and which of them counts; None where none do.

    A reference verifies or contradicts the claim by its passage with the highest such score, if that reaches
    both OPPOSED and the threshold. A reference with passages of both kinds verifies the claim, as it does
    where it is the only one. Of several references on one side, the latest stands for it, or with `earlier`
    the earliest.

    Two references that speak of different things in the same words do not contradict each other. So the one
    that verifies counts wherever none that contradicts has the `same_subject`, except with `contradicted`.
    """
    supporting: dict[int, Told] = {}
    refuting: dict[int, Told] = {}
    for each in told:
        if each.scores.entailment >= max(OPPOSED, thresholds.entailment):
            supporting[each.place] = max(supporting.get(each.place, each), each, key=_entailment)
        elif each.scores.contradiction >= max(OPPOSED, thresholds.contradiction):
            refuting[each.place] = max(refuting.get(each.place, each), each, key=_contradiction)
    places = refuting.keys() - supporting.keys()
    if not supporting or not places:
        return None
    first = min if on_disagreement == "earlier" else max
    verifies = supporting[first(supporting)]
    if on_disagreement == "contradicted":
        return Disagreement(refuting[first(places)], verifies)
    rivals = [place for place in places if same_subject(verifies, refuting[place])]
    contradicts = refuting[first(rivals or places)]
    if not rivals or first(verifies, contradicts, key=lambda each: each.place) is verifies:
        return Disagreement(verifies, contradicts)
    return Disagreement(contradicts, verifies)


def same_subject(one: Told, other: Told) -> bool:
    """Whether two passages that share a claim's words seem to speak of the same thing.

    False where a passage begins with a word such as "she", and where the context of one has a word that
    neither the other passage nor its context has: "The battery lasts 11 hours" under "Birch phone" says
    nothing about the battery of the Alder phone. True without any context.
    """
    if any(_POINTS_BACK.match(each.evidence.text) for each in (one, other)):
        return False
    return _marks(one) <= _words(other) and _marks(other) <= _words(one)


def _marks(told: Told) -> frozenset[str]:
    """Stems of the words in which a passage's context names its subject."""
    return frozenset().union(*map(_naming, told.context.splitlines()))


def _naming(line: str) -> frozenset[str]:
    """The words of a heading; those of an opening sentence without later numbers, which may be values."""
    if not line.rstrip().endswith((".", "!", "?")):
        return content_words(line)
    words = line.split()
    return content_words(" ".join([*words[:_OPENING], *filter(_wordy, words[_OPENING:])]))


def _wordy(word: str) -> bool:
    return not any(map(str.isdigit, word))


def _words(told: Told) -> frozenset[str]:
    return content_words(f"{told.context}\n{told.evidence.text}")


def _entailment(told: Told) -> float:
    return told.scores.entailment


def _contradiction(told: Told) -> float:
    return told.scores.contradiction
