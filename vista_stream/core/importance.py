"""Importance of claims for the user's query (VITAL), without an LLM.

A linear score decides. Three things raise it: the claim shares words with the query, and not only names. It
adds something of the sort asked for (a name for "who", a date for "when", a number for "how many"). It comes
early in the answer. `python -m vista_stream.training importance` fits the weights.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from vista_stream.caching import cached_by_scope
from vista_stream.claims import Importance
from vista_stream.core.rules.dates import Date
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.wording import Atom, atoms_of
from vista_stream.core.text.stems import stem, word_set

Asked: TypeAlias = Literal["who", "when", "where", "number", "polar", "definition", "other"]


class Features(NamedTuple):
    """The features of a claim, each about 0 to 1."""

    relation: float
    """Share of the query's content words that the claim holds outside of names."""
    share: float
    """Share of the claim's content words that occur in the query."""
    fits: float
    """1 where the claim adds something of the sort that the query asks for, else 0."""
    similarity: float
    """Cosine of claim and query; 0 where there is no bi-encoder."""


class Weights(NamedTuple):
    """The weights of a linear score, and the scores from which on its classes begin."""

    features: Features
    """One weight for each feature."""
    position: float
    """Subtracted once for each earlier sentence with claims, at most LAST_POSITION times."""
    vital: float
    """From this score on a claim is VITAL."""
    okay: float
    """From this score on a claim is OKAY."""


WITH_SIMILARITY = Weights(Features(2.159, 1.051, 0.378, 2.224), position=0.566, vital=0.174, okay=0.028)
"""From `python -m vista_stream.training importance --questions 600`: ordinal logistic regression on the
claims of answers made from HaluEval's questions (MIT). The thresholds were set on a held-out quarter of the
queries: VITAL for a recall of 0.87, since a missed vital claim is worse than one too many; OKAY for the
highest quadratic kappa, 0.55."""
WITHOUT_SIMILARITY = Weights(Features(2.456, 1.942, 0.372, 0.0), position=0.609, vital=-0.606, okay=-0.606)
"""The same without a bi-encoder. Its kappa is lower (0.52), and is highest where no claim is OKAY."""
LAST_POSITION = 5
"""Sentences after this one lose no more than this one does; from 0."""
UNASKED = (3, 5)
"""Without a query, claims are VITAL in the first 3 sentences, and OKAY up to the fifth. Of all such pairs of
numbers these have the highest quadratic kappa, 0.47, on the 2,457 claims of 190 answers that were written for
this project, with the questions left out; they find 81 % of the vital claims. With the first sentence VITAL
and all others OKAY it was 0.05, and 26 %."""


def rank(
    texts: Sequence[str],
    query: str | None,
    similarities: Sequence[float] | None,
    *,
    position: int,
    weights: Weights | None = None,
) -> list[Importance]:
    """The importance of each claim of one sentence.

    `similarities` are the cosines of claim and query, one for each claim, or None. `position` is the
    sentence's place among the turn's sentences with claims, from 0. Without `weights` the shipped ones are
    used. Without a query the place alone tells, see `UNASKED`. Raises ValueError where similarities and texts
    differ in number.
    """
    if similarities is not None and len(similarities) != len(texts):
        raise ValueError(f"similarities must be one a text: {len(texts)}, not {len(similarities)}")
    if not query or not query.strip():
        return [_unasked(position)] * len(texts)
    weights = weights or (WITHOUT_SIMILARITY if similarities is None else WITH_SIMILARITY)
    wanted = _wanted(query)
    scores = [
        score(wanted.features(text, similarity), position, weights)
        for text, similarity in zip(texts, similarities or [0.0] * len(texts), strict=True)
    ]
    return [_importance(value, weights) for value in scores]


def _unasked(position: int) -> Importance:
    vital, okay = UNASKED
    if position < vital:
        return Importance.VITAL
    return Importance.OKAY if position < okay else Importance.LESS_IMPORTANT


def score(features: Features, position: int, weights: Weights) -> float:
    """A claim's importance as a number, on the scale of `Weights.vital` and `Weights.okay`."""
    weighed = sum(weight * value for weight, value in zip(weights.features, features, strict=True))
    return weighed - weights.position * min(position, LAST_POSITION)


def _importance(value: float, weights: Weights) -> Importance:
    if value >= weights.vital:
        return Importance.VITAL
    return Importance.OKAY if value >= weights.okay else Importance.LESS_IMPORTANT


def question_of(query: str) -> str:
    """The query without an instruction before it, such as "In a paragraph, answer: "."""
    return _INSTRUCTION.sub("", query)


class Wanted:
    """What a query wants: the words it asks about, and the sort of answer."""

    def __init__(self, query: str) -> None:
        question = question_of(query)
        self.asked = answer_type(question)
        self._words = _content(atoms_of(question))

    def features(self, text: str, similarity: float) -> Features:
        """The features of one claim."""
        atoms = atoms_of(text)
        held = _content(atoms)
        outside_names = {atom.stem for atom in atoms[1:] if not atom.name}
        relation = len(outside_names & self._words) / (len(self._words) or 1)
        share = len(held & self._words) / (len(held) or 1)
        return Features(relation, share, float(_fits(self.asked, atoms, self._words)), similarity)


@cached_by_scope(64)
def _wanted(query: str) -> Wanted:
    """What a query wants; each sentence of its answer asks again."""
    return Wanted(query)


_STOP = word_set(
    """
    a an the of in on at by for to from with as is are was were be been being am do does did has have
    had and or but that this these those it its he she they them his her their there here who whom whose
    when where what which why how many much can could will would shall should may might i you we me my
    your our not no so than then also just about into over under after before during some any please
    tell explain describe give list answer paragraph
    """
)
_WORD = re.compile(r"\d+|[^\W\d_]+")
_INSTRUCTION = re.compile(r"^[^:?]{0,60}:\s+(?=\S+\s+\S+\s+\S)")
_PLACES = word_set(
    """
    in at near from located situated lies border city country state region island north south east west
    """
)
_ASKED: tuple[tuple[re.Pattern[str], Asked], ...] = (
    (re.compile(r"\bhow (?:many|much|old|long|tall|far|big|high|large|often)\b"), "number"),
    (re.compile(r"\b(?:when|(?:what|which) (?:year|date|day|month|century))\b"), "when"),
    (re.compile(r"\b(?:where|(?:what|which) (?:city|country|state|place|town|county|continent))\b"), "where"),
    (re.compile(r"\b(?:who|whom|whose)\b"), "who"),
    (
        re.compile(r"^(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|am)\b"),
        "polar",
    ),
    (re.compile(r"^(?:what|define|meaning)\b"), "definition"),
)


def answer_type(query: str) -> Asked:
    """What sort of thing a query asks for, by the first pattern of `_ASKED` that it matches."""
    lower = query.lower().strip()
    return next((asked for sign, asked in _ASKED if sign.search(lower)), "other")


def content_words(text: str) -> frozenset[str]:
    """What a text is about: stems of its words without those of grammar; "14th" is 14 and "th"."""
    return frozenset(stem(word) for word in _WORD.findall(text.casefold()) if word not in _STOP)


def _content(atoms: Sequence[Atom]) -> frozenset[str]:
    return frozenset(atom.stem or atom.key for atom in atoms if atom.key not in _STOP)


def _fits(asked: Asked, claim: Sequence[Atom], wanted: frozenset[str]) -> bool:
    """Whether a claim holds something of the sort asked for that the query does not hold."""
    new = [atom for atom in claim if (atom.stem or atom.key) not in wanted]
    match asked:
        case "who":
            return any(atom.name for atom in new)
        case "when":
            return any(isinstance(atom.value, Date) for atom in new)
        case "where":
            return any(atom.name for atom in new) and any(atom.key in _PLACES for atom in claim)
        case "number":
            return any(isinstance(atom.value, Quantity) for atom in new)
    return False
