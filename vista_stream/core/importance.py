"""Importance of claims for the user's query (VITAL), without an LLM.

A linear score decides, with weights of its own for each kind of query. Its features are how near a claim and
its sentence are to the query, whether it adds something of the sort asked for (a name for "who", a date for
"when", a number for "how many"), what it holds, and where in the answer it stands. Without a query the last
two are all.
`python -m vista_stream.training importance` fits the weights.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from vista_stream.claims import Importance
from vista_stream.core.query import Asked, QueryKind, answer_type, query_kind, question_of
from vista_stream.core.rules.dates import Date
from vista_stream.core.rules.quantities import Quantity
from vista_stream.core.rules.wording import Atom, atoms_of
from vista_stream.core.text.stems import stem, word_set

LAST_POSITION = 5
"""Sentences after this one count as this one; from 0."""
_LONGEST_CLAIM = 25
_LONGEST_QUERY = 15


class Features(NamedTuple):
    """The features of a claim, each about 0 to 1; the first five are 0 without a query."""

    fits: float
    """1 where the claim adds something of the sort that the query asks for, else 0."""
    similarity: float
    """Cosine of claim and query; 0 where there is no bi-encoder."""
    sentence: float
    """Mean of that cosine over the claims of the sentence."""
    cover: float
    """Share of the query's content words that the claim holds."""
    asked: float
    """The query's content words, as a share of 15; 1 where there are more."""
    name: float
    """1 where a name stands after the claim's first word."""
    date: float
    """1 where the claim holds a date."""
    length: float
    """The claim's words, as a share of 25; 1 where there are more."""
    defines: float
    """1 where the claim says that something is a something."""
    place: float
    """Place of the claim's sentence in the answer, as a share of `LAST_POSITION`."""
    opens: float
    """1 in the answer's first sentence with claims."""


class Line(NamedTuple):
    """The weights of a linear score for one kind of query, and the scores from which on its classes begin."""

    slopes: Features
    """One weight for each feature."""
    vital: float
    """From this score on a claim is VITAL."""
    okay: float
    """From this score on a claim is OKAY."""


Weights: TypeAlias = Mapping[QueryKind, Line]
"""One line for each kind of query."""


def rank(
    texts: Sequence[str],
    query: str | None,
    similarities: Sequence[float] | None,
    *,
    position: int,
    weights: Weights,
) -> list[Importance]:
    """The importance of each claim of one sentence.

    `similarities` are the cosines of claim and query, one for each claim, or None. `position` is the
    sentence's place among the turn's sentences with claims, from 0. Raises ValueError where similarities and
    texts differ in number.
    """
    line = weights[query_kind(query)]
    return [
        _importance(score(features, line), line)
        for features in features_of(texts, query, similarities, position=position)
    ]


def features_of(
    texts: Sequence[str], query: str | None, similarities: Sequence[float] | None, *, position: int
) -> list[Features]:
    """The features of each claim of one sentence; arguments and errors as of `rank`."""
    if similarities is not None and len(similarities) != len(texts):
        raise ValueError(f"similarities must be one a text: {len(texts)}, not {len(similarities)}")
    wanted = _Wanted(query) if query and query.strip() else None
    cosines = similarities if similarities is not None and wanted else [0.0] * len(texts)
    mean = sum(cosines) / (len(cosines) or 1)
    place = min(position, LAST_POSITION) / LAST_POSITION
    found = []
    for text, cosine in zip(texts, cosines, strict=True):
        atoms = atoms_of(text)
        fits, cover, asked = wanted.shares(atoms) if wanted else (0.0, 0.0, 0.0)
        found.append(
            Features(
                fits=fits,
                similarity=cosine,
                sentence=mean,
                cover=cover,
                asked=asked,
                name=float(any(atom.name for atom in atoms[1:])),
                date=float(any(isinstance(atom.value, Date) for atom in atoms)),
                length=min(len(atoms), _LONGEST_CLAIM) / _LONGEST_CLAIM,
                defines=float(_DEFINES.match(text) is not None),
                place=place,
                opens=float(position == 0),
            )
        )
    return found


def score(features: Features, line: Line) -> float:
    """A claim's importance as a number, on the scale of `Line.vital` and `Line.okay`."""
    return sum(slope * value for slope, value in zip(line.slopes, features, strict=True))


def _importance(value: float, line: Line) -> Importance:
    if value >= line.vital:
        return Importance.VITAL
    return Importance.OKAY if value >= line.okay else Importance.LESS_IMPORTANT


class _Wanted:
    """What a query wants: the words it asks about, and the sort of answer."""

    def __init__(self, query: str) -> None:
        question = question_of(query)
        self._asked = answer_type(question)
        self._words = _content(atoms_of(question))

    def shares(self, claim: Sequence[Atom]) -> tuple[float, float, float]:
        """The features fits, cover and asked of a claim."""
        fits = float(_fits(self._asked, claim, self._words))
        cover = len(_content(claim) & self._words) / (len(self._words) or 1)
        return fits, cover, min(len(self._words), _LONGEST_QUERY) / _LONGEST_QUERY


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
_DEFINES = re.compile(r"[^,]{1,50}? (?:is|are|was|were) an? ")
_PLACES = word_set(
    """
    in at near from located situated lies border city country state region island north south east west
    """
)


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
