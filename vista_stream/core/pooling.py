"""Makes one triple of the scores of a claim's passages, by weights that a model's manifest brings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Self

from vista_stream.claims import Scores

FEATURES = 7
"""Numbers that a pooling weighs, the constant included."""
TALK_FEATURES = 5
"""Numbers that it weighs of a claim that was also read with what was said before it."""
_FLOOR = 0.01
"""Added to each probability before its logarithm: below it, differences mean nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooling:
    """Multinomial logistic regression from the scores of several passages to one triple.

    Each label has a weight for each of seven features: the log odds of entailment and of contradiction
    against neutral, of the premise that holds the window nearest to the claim and of the nearest sentence;
    the logit of the highest entailment and of the highest contradiction of all passages; and 1. Neutral's
    weights are 0.

    A maximum over passages, as `retrieval.combine` takes it, collects the verifier's mistakes. Weighing the
    nearest passages as well lets them correct each other. Raises ValueError for another number of weights.
    """

    entailment: tuple[float, ...]
    contradiction: tuple[float, ...]
    talk_entailment: tuple[float, ...] = ()
    """The weights of `with_talk`; empty for a model that has not learnt to read what was said."""
    talk_contradiction: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        learnt = bool(self.talk_entailment or self.talk_contradiction)
        for label in ("entailment", "contradiction"):
            for name, count in ((label, FEATURES), (f"talk_{label}", TALK_FEATURES * learnt)):
                weights = getattr(self, name)
                if len(weights) != count or not all(map(math.isfinite, weights)):
                    raise ValueError(f"{name} must be {count} finite weights, not {weights!r}")

    @property
    def hears(self) -> bool:
        """Whether `with_talk` can be asked."""
        return bool(self.talk_entailment)

    @classmethod
    def of(cls, table: Mapping[str, Sequence[float]] | None) -> Self | None:
        """The pooling in a JSON object; None where there is none.

        Raises TypeError for what is no object or has other keys, and ValueError for weights that are none.
        """
        if table is None:
            return None
        if not isinstance(table, Mapping):
            raise TypeError(f"it must be an object of weights by label, not {type(table).__name__}")
        return cls(**{label: tuple(map(float, weights)) for label, weights in table.items()})

    def pooled(self, nearest: Scores, sentence: Scores, passages: Sequence[Scores]) -> Scores:
        """The triple of a claim: of the premise with its nearest window, of its nearest sentence, and of all
        passages scored."""
        return _triple(features(nearest, sentence, passages), self.entailment, self.contradiction)

    def alone(self, scores: Scores) -> Scores:
        """The triple of a claim of which one passage is scored."""
        return self.pooled(scores, scores, [scores])

    def with_talk(self, found: Scores, heard: Scores) -> Scores:
        """The triple of a claim that was also read with what was said before it.

        What was said makes nothing true: the entailment is at most that of `found`, by references and common
        ground. Else a thing would be true because it was said twice.
        """
        triple = _triple(talk_features(found, heard), self.talk_entailment, self.talk_contradiction)
        entailment = min(found.entailment, triple.entailment)
        return Scores(entailment, 1 - entailment - triple.contradiction, triple.contradiction)


def features(nearest: Scores, sentence: Scores, passages: Sequence[Scores]) -> tuple[float, ...]:
    """The numbers that `Pooling` weighs, in the order of its weights."""
    return (
        *_odds(nearest),
        *_odds(sentence),
        _logit(max(scores.entailment for scores in passages)),
        _logit(max(scores.contradiction for scores in passages)),
        1.0,
    )


def talk_features(found: Scores, heard: Scores) -> tuple[float, ...]:
    """The numbers that `Pooling.with_talk` weighs, in the order of its weights."""
    return (*_odds(found), *_odds(heard), 1.0)


def _triple(found: Sequence[float], *weights: Sequence[float]) -> Scores:
    """The probabilities by the weights of entailment and of contradiction."""
    exponents = [sum(map(mul, each, found)) for each in weights]
    highest = max(0.0, *exponents)
    entailment, contradiction, neutral = (math.exp(each - highest) for each in (*exponents, 0.0))
    total = entailment + contradiction + neutral
    return Scores(entailment / total, neutral / total, contradiction / total)


def _odds(scores: Scores) -> tuple[float, float]:
    neutral = math.log(scores.neutral + _FLOOR)
    return math.log(scores.entailment + _FLOOR) - neutral, math.log(scores.contradiction + _FLOOR) - neutral


def _logit(probability: float) -> float:
    return math.log(probability + _FLOOR) - math.log(1 - probability + _FLOOR)
