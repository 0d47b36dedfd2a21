"""Makes long answers with the importance of each claim, from questions with short answers and their passages.

No set of claims with human importance labels may be trained on, so these are made (see `made`). The claim
that carries the answer is vital. Of the other claims of its passage, the half that is nearer to question and
answer is okay. The rest, and the claims of a similar question's passage, are less important.

No data say where in an answer its vital claim stands. This module assumes that it comes first in half of the
answers, second in a quarter, and so on, and that claims beside the question tend to the end.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vista_stream.claims import Importance
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsing import Parse
from vista_stream.core.text.segmenter import Segmenter
from vista_stream.core.text.typography import plain
from vista_stream.core.turn import DECOMPOSED
from vista_stream.training.rows import Row as Pair
from vista_stream.verifiers.protocol import Embedder

SOURCE = "halueval_qa"
"""The source of the rows that are used: a question with its answer, and a passage that holds the answer."""
OVERVIEWS = 7
"""For one question in so many, the passage is also used for an open question about its subject."""
_ASKED = re.compile(r"(.+\?)\s+(.+)")
_DEFINED = re.compile(r"((?:[A-Z][\w.'-]+ ?){1,5})(?:\([^)]*\) )?(?:is|was|are|were) (?:an?|the) ")
_SUBJECT = re.compile(
    r"(?:who|what|which(?: [a-z]+){1,2}|what(?: [a-z]+){1,2}) "
    r"(?P<verb>is|was|are|were|has|had|wrote|won|led|sang|made|built|began|[a-z]+(?:ed|s)\b)(?P<rest>.*)",
    re.IGNORECASE,
)
_ADJUNCT = re.compile(
    r"(?:when|where|(?:in )?(?:what|which) year) (?P<verb>was|is|were|are) (?P<rest>.*)", re.IGNORECASE
)
_FIRST = 0.5
"""Probability that the statement that answers stands at a place, rather than at a later one."""
_LATEST = 5
_DRIFT = 1.5
"""How far claims beside the question mix with the others: at 1 they all come last, above 1 not all."""


class Question(NamedTuple):
    """A question, its short answer, and the passage that holds it."""

    query: str
    answer: str
    passage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One claim of an answer to a query."""

    query: str
    text: str
    importance: Importance
    position: int = 0
    """Index of its sentence among the answer's sentences with claims, from 0."""


def questions(pairs: Iterable[Pair]) -> Iterator[Question]:
    """The questions of pairs of a passage and "question? answer", except those answered by yes or no."""
    passages = set()
    for pair in pairs:
        asked = _ASKED.fullmatch(plain(pair.hypothesis))
        if pair.source != SOURCE or pair.label != "entailment" or asked is None:
            continue
        answer, passage = asked[2].strip(' ."'), plain(pair.premise)
        if answer.lower() not in ("yes", "no", "") and passage not in passages:
            passages.add(passage)
            yield Question(asked[1], answer, passage)


def state(question: str, answer: str) -> str | None:
    """The statement that answers a question, for question forms with a rule; None for others."""
    question = question.strip().rstrip("?").strip()
    adjunct = _ADJUNCT.fullmatch(question)
    if adjunct:
        return f"{adjunct['rest']} {adjunct['verb']} in {answer}."
    subject = _SUBJECT.fullmatch(question)
    return f"{answer} {subject['verb']}{subject['rest']}." if subject else None


def made(asked: Sequence[Question], *, embedder: Embedder, parse: Parse | None, seed: int = 0) -> list[Row]:
    """The rows of one answer to each question, and of some answers to open questions. Blocking.

    The same questions, embedder, parser and seed give the same rows.
    """
    if not asked:
        return []
    chance = random.Random(seed)
    told = [sentences(question.passage, parse) for question in asked]
    passages = embedder.embed([question.passage for question in asked])
    likeness = passages @ passages.T
    rows: list[Row] = []
    for place, question in enumerate(asked):
        beside = _similar(place, asked, likeness)
        maker = _Maker(question, embedder, chance)
        rows += maker.answer(told[place], told[beside] if beside is not None else [], parse)
        if place % OVERVIEWS == 0:
            rows += overview(question.passage, told[place], embedder)
    return rows


def sentences(text: str, parse: Parse | None) -> list[list[str]]:
    """The claims of each sentence of a text; sentences without claims are left out."""
    discourse, segmenter = Discourse(parse), Segmenter()
    segments = [*segmenter.feed(text), *segmenter.finish()]
    claims = [discourse.decompose(s) for s in segments if s.kind in DECOMPOSED]
    return [[draft.text for draft in drafts] for drafts in claims if drafts]


def overview(passage: str, told: Sequence[Sequence[str]], embedder: Embedder) -> list[Row]:
    """The rows of an open question about a passage's subject.

    The third of the claims that is most central to the passage is vital, the next okay, the last less
    important. Empty if the passage does not begin with a definition, or has fewer than three claims.
    """
    defined = _DEFINED.match(passage)
    texts = [(place, text) for place, claims in enumerate(told) for text in claims]
    if defined is None or len(texts) < 3:
        return []
    vectors = embedder.embed([text for _, text in texts])
    order = np.argsort(np.argsort(vectors @ vectors.mean(axis=0)))
    levels = (Importance.LESS_IMPORTANT, Importance.OKAY, Importance.VITAL)
    return [
        Row(
            query=f"Tell me about {defined[1].strip()}.",
            text=text,
            importance=levels[3 * int(rank) // len(texts)],
            position=place,
        )
        for (place, text), rank in zip(texts, order, strict=True)
    ]


class _Maker:
    """Makes one answer."""

    def __init__(self, question: Question, embedder: Embedder, chance: random.Random) -> None:
        self._question = question
        self._embedder = embedder
        self._chance = chance
        self._carries = re.compile(rf"\b{re.escape(question.answer.lower())}\b")

    def answer(
        self, own: Sequence[Sequence[str]], beside: Sequence[Sequence[str]], parse: Parse | None
    ) -> list[Row]:
        kept = [self._own(claims, self._middle(own)) for claims in own]
        strange = [[(text, Importance.LESS_IMPORTANT) for text in claims] for claims in beside]
        drift = [(_DRIFT * self._chance.random() + late, part) for late, part in _marked(kept, strange)]
        order = [part for _, part in sorted(drift, key=lambda entry: entry[0])]
        for claims in self._statement(parse)[:1]:
            order.insert(self._place(), self._own(claims, 1.0))
        return [
            Row(query=self._question.query, text=text, importance=importance, position=position)
            for position, part in enumerate(order)
            for text, importance in part
        ]

    def _statement(self, parse: Parse | None) -> list[list[str]]:
        statement = state(self._question.query, self._question.answer)
        return sentences(statement, parse) if statement else []

    def _place(self) -> int:
        place = 0
        while place < _LATEST and self._chance.random() >= _FIRST:
            place += 1
        return place

    def _middle(self, own: Sequence[Sequence[str]]) -> float:
        """The median nearness of the passage's claims that do not carry the answer."""
        others = [text for claims in own for text in claims if not self._carries.search(text.lower())]
        return float(np.median(self._nearness(others))) if others else 0.0

    def _nearness(self, texts: Sequence[str]) -> NDArray[np.float32]:
        about = f"{self._question.query} {self._question.answer}"
        vectors = self._embedder.embed([about, *texts])
        nearness: NDArray[np.float32] = vectors[1:] @ vectors[0]
        return nearness

    def _own(self, claims: Sequence[str], middle: float) -> list[tuple[str, Importance]]:
        return [
            (text, self._importance(text, near >= middle))
            for text, near in zip(claims, self._nearness(claims).tolist(), strict=True)
        ]

    def _importance(self, text: str, near: bool) -> Importance:
        if self._carries.search(text.lower()):
            return Importance.VITAL
        return Importance.OKAY if near else Importance.LESS_IMPORTANT


_Part = list[tuple[str, Importance]]


def _marked(kept: Sequence[_Part], strange: Sequence[_Part]) -> list[tuple[int, _Part]]:
    return [(0, part) for part in kept] + [(1, part) for part in strange]


def _similar(place: int, asked: Sequence[Question], likeness: NDArray[np.float32]) -> int | None:
    """The question whose passage is most similar, of those that do not hold this question's answer."""
    answer = asked[place].answer.lower()
    for other in np.argsort(-likeness[place], kind="stable").tolist():
        if other != place and answer not in asked[other].passage.lower():
            return int(other)
    return None
