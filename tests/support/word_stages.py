"""Small whole stages that go by words, for scoring without a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from vista_stream.claims import Category, Claim, Draft, Evidence, Finding, Importance, Scores, Span, Utterance
from vista_stream.core.text.segmenter import Segment
from vista_stream.errors import StageError, VerifierError
from vista_stream.stages.protocols import Grounds
from vista_stream.stages.stages import Stages


def word_stages() -> Stages:
    return Stages(
        decompose=SentenceDecompose(), rank=WordRank(), verify=WordVerify(), categorise=LargestCategorise()
    )


class SentenceDiscourse:
    """Each sentence is a claim; writes down what it is asked and told."""

    def __init__(self, log: list[str]) -> None:
        self.log = log

    async def hear(self, utterance: Utterance) -> None:
        self.log.append(f"heard {utterance.role}: {utterance.text}")

    async def decompose(self, sentence: Segment) -> Sequence[Draft]:
        self.log.append(f"split {sentence.text}")
        if "unsplittable" in sentence.text:
            raise StageError("no usable answer")
        found = re.finditer(r"[^.!?]+[.!?]", sentence.text)
        offset = sentence.span.start
        return [
            Draft(text=m[0].strip(), span=Span(offset + m.start() + (m[0][0] == " "), offset + m.end()))
            for m in found
        ]


class SentenceDecompose:
    def __init__(self) -> None:
        self.log: list[str] = []
        self.begun = 0

    def begin(self) -> SentenceDiscourse:
        self.begun += 1
        return SentenceDiscourse(self.log)


class WordRank:
    """VITAL where the query's last word stands; writes down its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, str | None, int]] = []

    async def rank(
        self, drafts: Sequence[Draft], query: str | None, *, position: int
    ) -> Sequence[Importance]:
        self.calls.append((len(drafts), query, position))
        word = (query or "?").rstrip("?").split()[-1] if query else "\0"
        return [Importance.VITAL if word in draft.text else Importance.OKAY for draft in drafts]


class WordVerify:
    """Entailed where the very words stand, contradicted where only the number differs."""

    def __init__(self) -> None:
        self.prepared = 0

    async def prepare(self, grounds: Grounds) -> None:
        self.prepared += 1

    async def verify(self, claim: Claim, grounds: Grounds) -> Finding:
        if "unverifiable by error" in claim.text:
            raise VerifierError("the model is gone")
        passages = [(r.text, r.name, "reference") for r in grounds.references]
        passages += [(s.text, s.id, "common_ground") for s in grounds.common_ground]
        wanted = claim.text.rstrip(".")
        for text, name, origin in passages:
            numberless = re.sub(r"\d+", "#", text)
            if wanted in text:
                return _found(Scores(1, 0, 0), text, name, origin)
            if re.sub(r"\d+", "#", wanted) in numberless and "#" in re.sub(r"\d+", "#", wanted):
                return _found(Scores(0, 0, 1), text, name, origin)
        return Finding(scores=Scores(0, 1, 0))


def _found(scores: Scores, text: str, name: str, origin: Any) -> Finding:
    evidence = Evidence(text=text, document=name, span=Span(0, len(text)), sentence=0, origin=origin)
    return Finding(scores=scores, evidence=evidence, tier="deterministic")


class LargestCategorise:
    async def categorise(self, claim: Claim, finding: Finding) -> Category:
        if "lovely" in claim.text:
            return Category.OUT_OF_SCOPE
        order = (Category.VERIFIED, Category.LACKING_EVIDENCE, Category.CONTRADICTED)
        return order[max(range(3), key=lambda n: (finding.scores or Scores(0, 1, 0))[n])]
