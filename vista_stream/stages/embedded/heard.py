"""A claim read with what was said in the conversation so far, beside what it is about in the references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vista_stream.claims import Finding, Pair, Scores
from vista_stream.core.pooling import Pooling
from vista_stream.core.talk import Line, latest, transcript
from vista_stream.retrieval.reading import nearest_sentences
from vista_stream.retrieval.reference import Reference
from vista_stream.retrieval.relevance import ClaimVector
from vista_stream.retrieval.search import Rounds

_TOKENS = 120
"""Most tokens of the references that are read with what was said; longer ones in their nearest sentences."""


def listen(
    claim: str, talk: Sequence[Line], references: Sequence[Reference], vector: ClaimVector | None
) -> Rounds[Scores | None]:
    """Score a claim with what was said before it; returns None where nothing was."""
    if not talk:
        return None
    (scores,) = yield [Pair(read_with(claim, talk, references, vector), claim)]
    return scores


def read_with(
    claim: str, talk: Sequence[Line], references: Sequence[Reference], vector: ClaimVector | None
) -> str:
    """The premise of a claim that is read with what was said: what references say of it, and that below."""
    units = nearest_sentences(references, claim, vector, _TOKENS) if references else []
    told = [unit.document.reading(unit.passage) for unit in units]
    return "\n".join((*told, transcript(latest(talk))))


def weighed(finding: Finding, heard: Scores | None, pooling: Pooling | None) -> Finding:
    """A model's finding with what was said taken into account; a rule's stays as it is."""
    if heard is None or pooling is None or finding.tier == "deterministic":
        return finding
    found = finding.scores or Scores(0.0, 1.0, 0.0)
    return replace(finding, scores=pooling.with_talk(found, heard), tier="model")
