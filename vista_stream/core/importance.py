"""Importance of claims for the user's query (VITAL), without an LLM.

A claim is VITAL when it answers: it speaks of what the query speaks of, adds what the query asks
for (a name for "who", a date for "when", a number for "how many"), and stands early in the answer.
A logistic model weighs these features; `vista_stream.training.importance` fits its weights.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from vista_stream.claims import Importance
from vista_stream.core.dates import Date
from vista_stream.core.quantities import Quantity
from vista_stream.core.stems import word_set
from vista_stream.core.wording import Atom, atoms_of

Asked: TypeAlias = Literal["who", "when", "where", "number", "polar", "definition", "other"]

FEATURES = ("overlap", "share", "fits", "fits_overlap", "new", "similarity", "first")
"""Names of the features, in the order of the weights."""


class Weights(NamedTuple):
    """A linear score of the features, and where on it the classes begin."""

    bias: float
    weights: tuple[float, ...]
    """One a feature of FEATURES."""
    vital: float
    """From this score on a claim is VITAL."""
    okay: float
    """From this score on a claim is OKAY."""


_STOP = word_set(
    """
    a an the of in on at by for to from with as is are was were be been being am do does did has have had and or but
    that this these those it its he she they them his her their there here who whom whose when where what which why
    how many much can could will would shall should may might i you we me my your our not no so than then also just
    about into over under after before during some any please tell explain describe give list answer paragraph
    """
)
_POLAR = word_set("is are was were do does did can could will would should has have had may am")
_INSTRUCTION = re.compile(r"^[^:?]{0,60}:\s+(?=\S+\s+\S+\s+\S)")
_PLACES = word_set(
    "in at near from located situated lies border city country state region island north south east west"
)


def answer_type(query: str) -> Asked:
    """What sort of thing a query asks for."""
    words = re.findall(r"[a-z']+", _INSTRUCTION.sub("", query).lower())
    joined = " ".join(words)
    if re.search(r"\bhow (?:many|much|old|long|tall|far|big|high|large|often)\b", joined):
        return "number"
    for word, asked in (
        ("who", "who"),
        ("whom", "who"),
        ("whose", "who"),
        ("when", "when"),
        ("where", "where"),
    ):
        if word in words:
            return asked  # type: ignore[return-value]
    if re.search(r"\b(?:what|which) (?:year|date|day|month|century)\b", joined):
        return "when"
    if re.search(r"\b(?:what|which) (?:city|country|state|place|town|county|continent)\b", joined):
        return "where"
    if words and words[0] in _POLAR:
        return "polar"
    return "definition" if re.match(r"(?:what|define|meaning)\b", joined) else "other"


def features(text: str, query: str, similarity: float, *, first: bool) -> tuple[float, ...]:
    """The features of one claim for a query, in the order of FEATURES, each about 0 to 1."""
    asked = answer_type(query)
    claim, wanted = atoms_of(text), _content(atoms_of(_INSTRUCTION.sub("", query)))
    held = _content(claim)
    overlap = len(held & wanted) / (len(wanted) or 1)
    share = len(held & wanted) / (len(held) or 1)
    fits = float(_fits(asked, claim, wanted))
    new = min(len(held - wanted), 4) / 4
    return overlap, share, fits, fits * overlap, new, similarity, float(first)


def _content(atoms: Sequence[Atom]) -> frozenset[str]:
    return frozenset(atom.stem or atom.key for atom in atoms if atom.key not in _STOP)


def _fits(asked: Asked, claim: Sequence[Atom], wanted: frozenset[str]) -> bool:
    """Whether a claim holds something of the sort asked for that the query has not."""
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
