"""How much a passage is about a claim, by shared words and, where there are embeddings, by their cosine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vista_stream.claims import Evidence
from vista_stream.retrieval.lexical import Lexicon
from vista_stream.retrieval.reference import Embedder, Reference

Vectors = NDArray[np.float32]

LEAST_SHARE = 0.5
"""A passage with less than this share of the best passage's relevance is not scored.

On claims about 57 windows of 25 answers, none of the right windows fell below it (nor below 0.7), and half of
the pairs need not be scored.
"""

UNDER = 0.5
"""Weight of the words that a sentence and the lines it is read under share with a claim, beside its own: of
two lists with the same item it tells the right one, and no item counts for its introduction alone."""


class Candidate(NamedTuple):
    """A passage that may decide about a claim."""

    evidence: Evidence
    relevance: float
    """0..1: how much the passage is about the claim's subject."""


class ClaimVector(NamedTuple):
    """A claim's embedding; documents that the same embedder has indexed are compared with it."""

    values: Vectors
    embedder: Embedder


def relevance(
    claim: str, lexicon: Lexicon, *, embeddings: Vectors | None = None, vector: Vectors | None = None
) -> Vectors:
    """Relevance of each of the lexicon's texts to the claim, in 0..1; shape (number of texts,).

    It is the mean of two numbers: the share of the claim's words that the text holds, and the cosine of the
    claim's `vector` with the text's row of `embeddings`, at least 0. Without embeddings it is the first one.
    """
    shared: Vectors = lexicon.coverage(claim)
    if embeddings is None or vector is None:
        return shared
    meant: Vectors = np.clip(embeddings @ vector, 0.0, 1.0)
    return (shared + meant) / np.float32(2)


def nearest(
    claim: str, documents: Sequence[Reference], *, k: int, vector: ClaimVector | None = None
) -> list[Candidate]:
    """The windows of all documents that are most about the claim, at most k, best first; see `best`."""
    windows = [window for document in documents for window in document.windows]
    ranks = [_of_windows(claim, document, vector) for document in documents]
    return best(windows, np.concatenate(ranks), k) if windows else []


def _of_windows(claim: str, document: Reference, vector: ClaimVector | None) -> Vectors:
    if vector is None:
        return relevance(claim, document.lexicon)
    embeddings = document.embeddings(vector.embedder)
    return relevance(claim, document.lexicon, embeddings=embeddings, vector=vector.values)


def best(passages: Sequence[Evidence], ranks: Vectors, k: int) -> list[Candidate]:
    """The passages with the highest ranks: at most k, and none below LEAST_SHARE of the highest rank.

    Best first; among equals in the order given.
    """
    order = np.argsort(-ranks, kind="stable")[:k]
    near = [row for row in order if ranks[row] >= LEAST_SHARE * ranks[order[0]]]
    return [Candidate(passages[row], float(ranks[row])) for row in near]


def near_sentences(
    claim: str, passages: Iterable[tuple[Reference, Evidence]], k: int
) -> list[tuple[Reference, Candidate]]:
    """The sentences of the passages that share most words with the claim, each once; see `best`.

    Words of the lines that a sentence is read under count too, by UNDER. A heading or introduction states
    nothing by itself, and is left out unless the passages hold nothing else. At most k, in the order of the
    passages.
    """
    everything = {each: owner for owner, passage in passages for each in owner.sentences_in(passage)}
    owners = {each: owner for each, owner in everything.items() if not owner.opens(each)} or everything
    if not owners:
        return []
    sentences = list(owners)
    texts = [sentence.text for sentence in sentences]
    readings = [owner.reading(sentence) for sentence, owner in owners.items()]
    ranks = relevance(claim, Lexicon(texts))
    if readings != texts:
        read = relevance(claim, Lexicon(readings))
        ranks = np.average([ranks, read], axis=0, weights=[1.0, UNDER]).astype(np.float32)
    chosen = {candidate.evidence: candidate for candidate in best(sentences, ranks, k)}
    return [(owner, chosen[sentence]) for sentence, owner in owners.items() if sentence in chosen]
