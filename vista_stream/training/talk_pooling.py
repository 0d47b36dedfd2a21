"""Fits how a verifier's finding and what was said become one triple, on written talks that it did not learn
from (`Pooling.with_talk`)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vista_stream.claims import Category, Claim, ClaimKind, Finding, Pair, Scores, Utterance, Verdict
from vista_stream.core.common_ground import CommonGround
from vista_stream.core.held import claim_of
from vista_stream.core.judge import Thresholds, judge
from vista_stream.core.pooling import TALK_FEATURES, Pooling, talk_features
from vista_stream.core.talk import Line, lines_of_turn
from vista_stream.core.text.segmenter import Segment, Segmenter
from vista_stream.core.turn import DECOMPOSED
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.defaults import default_stages
from vista_stream.stages.protocols import Discourse, Foreseeing, Grounds
from vista_stream.stages.stages import Stages
from vista_stream.training.talks import LABELS, Place, Said, Talk
from vista_stream.turn_stages import told_before
from vista_stream.verifiers.embedded import EmbeddedVerifier


@dataclass(frozen=True, slots=True)
class _Noting(Pooling):
    """A pooling that notes what it is given with what was said, and leaves the finding as it is."""

    noted: list[tuple[float, ...]] = field(default_factory=list)

    def with_talk(self, found: Scores, heard: Scores) -> Scores:
        self.noted.append(talk_features(found, heard))
        return found


class _Noted:
    """A verifier whose pooling notes the features of each claim."""

    def __init__(self, verifier: EmbeddedVerifier, pooling: Pooling | None = None) -> None:
        own, nothing = pooling or verifier.pooling, (0.0,) * TALK_FEATURES
        if own is None:
            raise ValueError("the model needs a pooling of passages first")
        self._verifier = verifier
        self.thresholds = verifier.thresholds
        self.pooling = _Noting(
            entailment=own.entailment,
            contradiction=own.contradiction,
            talk_entailment=nothing,
            talk_contradiction=nothing,
        )

    async def score(self, pairs: Sequence[Pair]) -> list[Scores]:
        return list(await self._verifier.score(pairs))


async def noted(
    model: Path, talks: Sequence[Talk], pooling: Pooling | None = None
) -> tuple[NDArray[np.float64], list[str]]:
    """The features and the label of each claim, as a guard meets them from the second turn on.

    Claims that are no facts, and those that the deterministic tier rules on, are left out; so are those of
    sentences with more than one claim, unless the sentence is supported. Shape of the features: (claims,
    TALK_FEATURES). `pooling` is that of passages; None takes the model's own, and raises ValueError where it
    has none.
    """
    verifier = _Noted(EmbeddedVerifier.from_pretrained(model), pooling)
    stages = default_stages(verifier)
    rows: list[tuple[float, ...]] = []
    labels: list[str] = []
    for talk in talks:
        async for said, claims in _met(talk, stages, verifier):
            sure = said.letter == "S" or len(claims) == 1
            for claim, features in claims:
                if sure and features is not None and claim.kind is ClaimKind.FACT:
                    rows.append(features)
                    labels.append(LABELS[said.letter])
    return np.array(rows), labels


_Met = list[tuple[Claim, "tuple[float, ...] | None"]]


async def _met(talk: Talk, stages: Stages, verifier: _Noted) -> AsyncIterator[tuple[Said, _Met]]:
    """Each labelled sentence of a talk, with its claims and their features."""
    references = [Reference(talk.reference, name="reference")] if talk.reference else []
    discourse, ground, lines = stages.decompose.begin(), CommonGround(), list[Line]()
    await stages.verify.prepare(Grounds(references=references))
    index = 0
    for turn, exchange in enumerate(talk.exchanges):
        await discourse.hear(Utterance(role="user", text=exchange.message))
        lines += lines_of_turn(exchange.message, (), turn=turn)
        verdicts: list[Verdict] = []
        before: list[str] = []
        shown: list[str] = []
        for place in exchange.places:
            index += 1
            grounds = Grounds(
                references=references,
                common_ground=tuple(ground),
                before=told_before(before[::-1], exchange.message),
                talk=tuple(lines),
            )
            for said, claims in await _claims(place, discourse, index):
                met: _Met = []
                for claim in claims:
                    verifier.pooling.noted.clear()
                    finding = await stages.verify.verify(claim, grounds)
                    met.append((claim, (*verifier.pooling.noted, None)[0]))
                    if said is place.said:
                        verdicts.append(_verdict(claim, finding, verifier.thresholds))
                yield said, met
            before.append(place.said.text)
            if not any(v.category is Category.CONTRADICTED for v in verdicts if v.claim.sentence == index):
                shown.append(place.said.text)
        lines += lines_of_turn("", shown, turn=turn)
        settled = [each for each in verdicts if each.category is not Category.CONTRADICTED]
        ground.add_verdicts(settled, turn=turn)


async def _claims(place: Place, discourse: Discourse, index: int) -> list[tuple[Said, list[Claim]]]:
    """The claims of what might have been said, and of what was, which the discourse goes on from."""
    assert isinstance(discourse, Foreseeing)
    found = []
    for said in (*place.instead, place.said):
        claims: list[Claim] = []
        for segment in _segments(said.text, index):
            read = discourse.decompose if said is place.said else discourse.foresee
            drafts = await read(segment) or ()
            claims += [claim_of(segment, n, draft) for n, draft in enumerate(drafts, len(claims))]
        found.append((said, claims))
    return found


def _segments(text: str, index: int) -> list[Segment]:
    segmenter = Segmenter()
    found = (*segmenter.feed(text), *segmenter.finish())
    return [replace(each, index=index) for each in found if each.kind in DECOMPOSED]


def _verdict(claim: Claim, finding: Finding, thresholds: Thresholds) -> Verdict:
    category = judge(claim, finding, thresholds)
    return Verdict(claim=claim, category=category, scores=finding.scores, evidence=finding.evidence)
