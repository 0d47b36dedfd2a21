"""Thresholds from a user's own examples: answers whose false sentences people marked."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vista_stream.checking import CHECK_DEADLINE, check
from vista_stream.claims import Category, Finding, UnresolvedReason, Verdict
from vista_stream.core.judge import Thresholds, judge
from vista_stream.core.text.segmenter import Segmenter, SegmentKind
from vista_stream.core.text.surrogates import encodable
from vista_stream.policy import Policy
from vista_stream.report import Unresolved
from vista_stream.verifiers.protocol import Verifier

GRID = tuple(step / 100 for step in range(5, 100, 5))
_Z = 1.96
"""Standard deviations of a 95 % interval."""
_KEYS = ("id", "references", "query", "answer", "false")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """An answer, what it was written from, and what is false in it."""

    id: str
    references: Sequence[str]
    answer: str
    false: Sequence[str]
    """Stretches of the answer; each sentence that holds a part of one is false."""
    query: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of an example's answer, and what was found of its claims."""

    example: str
    text: str
    false: bool
    """Whether people marked it."""
    verdicts: Sequence[Verdict] = ()
    unresolved: Sequence[Unresolved] = ()
    """Claims that could not be judged."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many."""

    count: int
    of: int

    @property
    def value(self) -> float:
        """The share; nan of none."""
        return self.count / self.of if self.of else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share; 0 to 1 of none."""
        if not self.of:
            return 0.0, 1.0
        p, z2 = self.value, _Z**2 / self.of
        middle, reach = p + z2 / 2, _Z * math.sqrt(p * (1 - p) / self.of + z2 / (4 * self.of))
        return max(0.0, (middle - reach) / (1 + z2)), min(1.0, (middle + reach) / (1 + z2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocking:
    """What a threshold of contradiction does."""

    threshold: float
    caught: Share
    """False sentences with a contradicted claim."""
    disturbed: Share
    """Right sentences with one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifying:
    """What a threshold of entailment does, beside the proposed threshold of contradiction or else the own."""

    threshold: float
    verified: Share
    """Sentences with claims, all of which are verified."""
    right: Share
    """Right ones among these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """The curves over a grid of thresholds, and the thresholds proposed."""

    own: Thresholds
    """The model's."""
    blocking: Sequence[Blocking]
    verifying: Sequence[Verifying]
    contradiction: float | None
    """The proposed threshold; None where none on the grid disturbs so few."""
    entailment: float | None
    """The proposed threshold; None where none on the grid is right so often."""
    sentences: Sequence[Sentence]

    @property
    def thresholds(self) -> Mapping[str, float]:
        """The proposal as `Policy(thresholds=…)` takes it; what is not named stays the model's own."""
        proposed = {"contradiction": self.contradiction, "entailment": self.entailment}
        return {name: value for name, value in proposed.items() if value is not None}

    def blocking_at(self, threshold: float) -> Blocking:
        """The point of the curve at a threshold of it."""
        return next(point for point in self.blocking if point.threshold == threshold)

    def verifying_at(self, threshold: float) -> Verifying:
        """The point of the curve at a threshold of it."""
        return next(point for point in self.verifying if point.threshold == threshold)


def parse_example(line: str, *, number: int) -> Example:
    """Read one line; raises ValueError, naming the field, for anything that is not an example.

    `{"references": ["…"], "query": "…", "answer": "…", "false": ["…"]}`; query and id may be left out.
    """
    try:
        table = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(table, dict):
        raise ValueError(f"must be a JSON object, not {type(table).__name__}")
    unknown = [key for key in table if key not in _KEYS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is unknown; an example takes {', '.join(_KEYS)}")
    answer = _text(table, "answer")
    false = _texts(table, "false")
    for stretch in false:
        if stretch not in answer:
            raise ValueError(f"false: this does not stand in the answer: {stretch!r}")
    references = table.get("references")
    return Example(
        id=_text(table, "id") if "id" in table else f"line {number}",
        references=[_text(table, "references")]
        if isinstance(references, str)
        else _texts(table, "references"),
        answer=answer,
        false=false,
        query=_text(table, "query") if table.get("query") is not None else None,
    )


def _text(table: Mapping[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{key} must be a text, not {value!r}")
    return encodable(value)


def _texts(table: Mapping[str, Any], key: str) -> list[str]:
    values = table.get(key)
    if not isinstance(values, list):
        raise ValueError(f"{key} must be a list of texts, not {values!r}")
    if key == "references" and not values:
        raise ValueError("references must hold at least one text")
    return [_text({f"{key}[{row}]": value}, f"{key}[{row}]") for row, value in enumerate(values)]


async def judged(example: Example, verifier: Verifier | None) -> list[Sentence]:
    """The sentences of an answer with what the guard finds of their claims.

    Raises ValueError for a text that is no reference.
    """
    policy = Policy.observing(deadline=CHECK_DEADLINE)
    report = await check(
        example.answer, references=example.references, query=example.query, policy=policy, verifier=verifier
    )
    segmenter = Segmenter()
    segments = [*segmenter.feed(example.answer), *segmenter.finish()]
    places = [place for text in example.false for place in _places(text, example.answer)]
    return [
        Sentence(
            example=example.id,
            text=segment.text,
            false=any(start < segment.span.end and end > segment.span.start for start, end in places),
            verdicts=[each for each in report.verdicts if each.claim.sentence == segment.index],
            unresolved=[each for each in report.unresolved if each.claim.sentence == segment.index],
        )
        for segment in segments
        if segment.kind is SegmentKind.SENTENCE
    ]


def failures(sentences: Iterable[Sentence]) -> list[tuple[str, str]]:
    """The example and error of each claim that the verifier should have judged and did not, in order."""
    return [
        (sentence.example, each.error or str(each.reason))
        for sentence in sentences
        for each in sentence.unresolved
        if each.reason is not UnresolvedReason.LANGUAGE
    ]


def _places(text: str, answer: str) -> Iterable[tuple[int, int]]:
    text = text.strip()
    start = answer.find(text)
    while start >= 0:
        yield start, start + len(text)
        start = answer.find(text, start + 1)


def tune(
    sentences: Sequence[Sentence], own: Thresholds, *, disturbed: float = 0.02, precision: float = 0.9
) -> Tuning:
    """The curves, and a proposal from the grid and the model's own thresholds.

    Contradiction: of the thresholds that disturb at most the share `disturbed` of right sentences, those that
    catch most; of these the one nearest to the model's own. Entailment: of the thresholds at which at least
    the share `precision` of verified sentences are right, those that verify most; of these the nearest. They
    are tried beside the proposed threshold of contradiction, since a contradicted claim is not verified.
    Categories are recomputed from the scores and evidence of one run. A false sentence without claims counts
    as missed. Raises ValueError for shares outside 0..1, and where no sentence is false or none is right.
    """
    for name, value in (("disturbed", disturbed), ("precision", precision)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must be a share from 0 to 1, not {value!r}")
    if len({sentence.false for sentence in sentences}) < 2:
        kind = "false" if not any(sentence.false for sentence in sentences) else "right"
        raise ValueError(f"the examples hold no {kind} sentence: both kinds are needed")
    blocking = [_blocking(sentences, own, at) for at in sorted({*GRID, own.contradiction})]
    calm = [point for point in blocking if point.disturbed.value <= disturbed]
    contradiction = _best(calm, lambda point: point.caught.count, own.contradiction)
    beside = own.contradiction if contradiction is None else contradiction
    tried = [Thresholds(entailment=at, contradiction=beside) for at in sorted({*GRID, own.entailment})]
    verifying = [_verifying(sentences, thresholds) for thresholds in tried]
    sure = [point for point in verifying if point.verified.count and point.right.value >= precision]
    return Tuning(
        own=own,
        blocking=blocking,
        verifying=verifying,
        contradiction=contradiction,
        entailment=_best(sure, lambda point: point.verified.count, own.entailment),
        sentences=sentences,
    )


def _best(points: Sequence[Any], worth: Callable[[Any], int], own: float) -> float | None:
    best = min(points, key=lambda point: (-worth(point), abs(point.threshold - own)), default=None)
    return None if best is None else best.threshold


def _blocking(sentences: Sequence[Sentence], own: Thresholds, at: float) -> Blocking:
    thresholds = Thresholds(entailment=own.entailment, contradiction=at)
    blocked = [contradicted(sentence, thresholds) for sentence in sentences]
    counts = {False: [0, 0], True: [0, 0]}
    for sentence, hit in zip(sentences, blocked, strict=True):
        counts[sentence.false][0] += hit
        counts[sentence.false][1] += 1
    return Blocking(threshold=at, caught=Share(*counts[True]), disturbed=Share(*counts[False]))


def _verifying(sentences: Sequence[Sentence], thresholds: Thresholds) -> Verifying:
    claiming = [sentence for sentence in sentences if sentence.verdicts or sentence.unresolved]
    verified = [sentence for sentence in claiming if _verified(sentence, thresholds)]
    right = sum(not sentence.false for sentence in verified)
    return Verifying(
        threshold=thresholds.entailment,
        verified=Share(len(verified), len(claiming)),
        right=Share(right, len(verified)),
    )


def contradicted(sentence: Sentence, thresholds: Thresholds) -> bool:
    """Whether a claim of the sentence is CONTRADICTED at these thresholds."""
    return any(_category(verdict, thresholds) is Category.CONTRADICTED for verdict in sentence.verdicts)


def _verified(sentence: Sentence, thresholds: Thresholds) -> bool:
    categories = [_category(verdict, thresholds) for verdict in sentence.verdicts]
    return not sentence.unresolved and all(each is Category.VERIFIED for each in categories)


def _category(verdict: Verdict, thresholds: Thresholds) -> Category:
    finding = Finding(scores=verdict.scores, evidence=verdict.evidence)
    return judge(verdict.claim, finding, thresholds)
