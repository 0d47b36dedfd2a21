"""Selects what an LLM sees of a claim's grounds, and which passage is cited as evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vista_stream.claims import Evidence, Finding
from vista_stream.core.common_ground import Statement, cite
from vista_stream.retrieval.lexical import Lexicon
from vista_stream.retrieval.reference import Reference
from vista_stream.stages.protocols import Grounds

REFERENCE_CHARACTERS = 12_000
"""Most code points of references that are shown; of longer references, the passages nearest to the claim."""
STATEMENTS = 60
"""Most statements that are shown; of a longer common ground, those nearest to the claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedFinding(Finding):
    """A finding with the texts that the LLM was shown, so that the next stage shows the same."""

    background: str = ""
    reference: str = ""


def shown_references(claim: str, references: Sequence[Reference]) -> str:
    """The whole references, or the passages nearest to the claim, in the order of the documents."""
    if sum(len(reference.text) for reference in references) <= REFERENCE_CHARACTERS:
        return "\n\n".join(reference.text for reference in references)
    ranked = sorted(_passages(claim, references), key=lambda passage: -passage[0])
    room = REFERENCE_CHARACTERS
    kept: list[tuple[tuple[int, int], Evidence]] = []
    for _, place, evidence in ranked:
        room -= len(evidence.text)
        if room < 0 and kept:
            break
        kept.append((place, evidence))
    return "\n[…]\n".join(evidence.text for _, evidence in sorted(kept, key=lambda k: k[0]))


def shown_statements(claim: str, statements: Sequence[Statement]) -> str:
    """The common ground as a numbered list, oldest first."""
    texts = [statement.text for statement in statements]
    if len(texts) > STATEMENTS:
        coverage = Lexicon(texts).coverage(claim)
        nearest = sorted(range(len(texts)), key=lambda row: -coverage[row])[:STATEMENTS]
        texts = [texts[row] for row in sorted(nearest)]
    return numbered(texts)


def numbered(texts: Iterable[str]) -> str:
    """One text a line, numbered from 1."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))


def cited_passage(claim: str, grounds: Grounds) -> Evidence | None:
    """The passage or statement that shares most words with the claim; on a tie, the passage.

    None where nothing shares a word with it.
    """
    best, found = 0.0, None
    for coverage, _, evidence in _passages(claim, grounds.references):
        if coverage > best:
            best, found = coverage, evidence
    statements = list(grounds.common_ground)
    coverages = Lexicon([statement.text for statement in statements]).coverage(claim)
    for statement, coverage in zip(statements, coverages.tolist(), strict=True):
        if coverage > best:
            best, found = coverage, cite(statement)
    return found


def _passages(
    claim: str, references: Sequence[Reference]
) -> Iterable[tuple[float, tuple[int, int], Evidence]]:
    for document, reference in enumerate(references):
        coverages = reference.lexicon.coverage(claim).tolist()
        for row, (coverage, window) in enumerate(zip(coverages, reference.windows, strict=True)):
            yield coverage, (document, row), window
