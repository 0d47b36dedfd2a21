"""The statements of the common ground that a claim is compared with, and what they say about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vista_stream.claims import Finding, Pair, Scores
from vista_stream.core.common_ground import Statement, cite, only_consistency
from vista_stream.core.pooling import Pooling
from vista_stream.core.standalone import is_standalone
from vista_stream.retrieval.combine import Scored, combine
from vista_stream.retrieval.lexical import Lexicon
from vista_stream.retrieval.relevance import Candidate, Vectors, best, relevance
from vista_stream.retrieval.search import Found, Rounds
from vista_stream.verifiers.lru import Lru

STATEMENTS = 3
"""Most statements of the common ground that a claim is compared with."""
LEAST_RELEVANCE = 0.25
"""A statement whose relevance to the claim is below this is not compared with it."""


def comparable(claim: str, statements: Sequence[Statement]) -> Sequence[Statement]:
    """The statements that may speak of what the claim does.

    Where it leaves that open, it may mean anything that the references tell of, but hardly something else
    than what the user asked for or was advised.
    """
    if is_standalone(claim):
        return statements
    return [each for each in statements if not _by_references(each)]


def _by_references(statement: Statement) -> bool:
    """Whether an earlier turn's statement was verified, so that references tell of what it does."""
    return statement.origin == "claim" and not only_consistency(statement)


def is_verified(finding: Finding, statements: Iterable[Statement]) -> bool:
    """Whether the finding's evidence is a statement of an earlier turn that was verified."""
    text = finding.evidence.text if finding.evidence else None
    return any(each.text == text and _by_references(each) for each in statements)


def nearest_statements(
    claim: str, statements: Sequence[Statement], vectors: Vectors | None
) -> list[Candidate]:
    """The statements to compare with the claim, the nearest first; `vectors` are its own and theirs."""
    if not statements:
        return []
    lexicon = _lexicon(tuple(statement.text for statement in statements))
    vector = None if vectors is None else vectors[0]
    ranks = relevance(claim, lexicon, embeddings=None if vectors is None else vectors[1:], vector=vector)
    nearest = best([cite(statement) for statement in statements], ranks, STATEMENTS)
    return [candidate for candidate in nearest if candidate.relevance >= LEAST_RELEVANCE]


_LEXICONS: Lru[tuple[str, ...], Lexicon] = Lru(64)


def _lexicon(texts: tuple[str, ...]) -> Lexicon:
    """The index of words of the statements; cached, since all claims of a turn meet the same ones."""
    lexicon = _LEXICONS.get(texts)
    if lexicon is None:
        lexicon = Lexicon(texts)
        _LEXICONS.put(texts, lexicon)
    return lexicon


def recall(
    claim: str, nearest: Sequence[Candidate], statements: Iterable[Statement], pooling: Pooling | None
) -> Rounds[Found | None]:
    """Score the claim against each of the nearest statements; returns the deciding one and its scores.

    Those of the `statements` that were never verified may contradict, but not entail.
    """
    if not nearest:
        return None
    unverified = {each.text for each in statements if only_consistency(each)}
    scores = yield [Pair(candidate.evidence.text, claim) for candidate in nearest]
    if pooling:
        scores = [pooling.alone(triple) for triple in scores]
    scored = [
        Scored(*candidate, _unverifying(triple) if candidate.evidence.text in unverified else triple)
        for candidate, triple in zip(nearest, scores, strict=True)
    ]
    decisive = combine(scored)
    assert decisive is not None
    return Found(evidence=decisive.evidence, scores=decisive.scores, model_calls=len(scored))


def _unverifying(scores: Scores) -> Scores:
    return Scores(0.0, scores.entailment + scores.neutral, scores.contradiction)
