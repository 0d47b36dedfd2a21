"""Kinds of claims from a learnt classification head over the bi-encoder's vectors; certain rules go first."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vista_stream.claims import ClaimKind
from vista_stream.core.extraction.kind_features import advises, features, is_felt, is_of_firm, phrases_of
from vista_stream.core.extraction.kinds import certain_kind
from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.embedded import EmbeddedEmbedder
from vista_stream.verifiers.model_files import read_checked
from vista_stream.verifiers.offload import offload_brief
from vista_stream.verifiers.protocol import Embedder

CLASSES = ("fact", "opinion", "speaker", "refusal")
"""The head's classes. opinion includes advice; speaker is a statement about the speaker or the user."""
SCALE = 6.0
"""Factor on the vectors, which have length 1, so that features of 0 or 1 do not outweigh them."""
_SURE = 0.7
"""Share of opinion in the out-of-scope probability from which a claim is an opinion, which can never be
contradicted."""
_MAY_BE_FACT = 0.15
"""Share of fact from which what looks like an opinion is still open to contradiction: a false fact in a joke
("Oh sure, and it is a hundred years") is one. With an earlier head and 0.2 94 of 4,269 claims about documents
looked so; of these 28 seemed contradicted, and 27 were."""
_SHIPPED = Path(__file__).parents[2] / "models" / "kinds"


@dataclass(frozen=True, slots=True)
class Head:
    """Multinomial logistic regression: one row of weights and one bias for each class."""

    weights: NDArray[np.float64]
    biases: NDArray[np.float64]
    phrases: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Weights of single phrases (`phrases_of`), one for each class."""

    def probabilities(self, rows: NDArray[np.float64], texts: Sequence[str]) -> NDArray[np.float64]:
        """Shape (rows, classes); each row sums to 1. `texts` are one a row: their phrases are weighed."""
        logits = rows @ self.weights.T + self.biases
        for row, text in zip(logits, texts, strict=True):
            for phrase in phrases_of(text):
                row += self.phrases.get(phrase, 0.0)
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
        return shares


class EmbeddedKinds:
    """Implements the Kinds stage: certain rules tell a claim's kind, else the classification head does.

    The head reads the standalone claim and the words it came from. The embedder caches both vectors, and
    ranking and verification reuse the claim's.
    """

    def __init__(self, embedder: Embedder, head: Head) -> None:
        self._embedder = embedder
        self._head = head

    @classmethod
    def from_pretrained(cls, embedder: EmbeddedEmbedder, path: str | Path | None = None) -> EmbeddedKinds:
        """With the head of a folder; without a path, the one that ships. Blocking.

        Raises ModelLoadError where the head is missing, damaged or made for another encoder.
        """
        return cls(embedder, read_head(Path(path or _SHIPPED), encoder=embedder.name))

    async def kinds(self, claims: Sequence[str], words: Sequence[str]) -> list[ClaimKind]:
        """One kind for each claim; `words` holds the source text of each claim, or the claim itself."""
        return await offload_brief(self.told, claims, words) if claims else []

    def told(self, claims: Sequence[str], words: Sequence[str]) -> list[ClaimKind]:
        """As `kinds`, but blocking."""
        if not claims:
            return []
        shares = self._head.probabilities(inputs(self._embedder, claims, words), claims)
        return [
            certain_kind(claim) or _kind(claim, dict(zip(CLASSES, row, strict=True)))
            for claim, row in zip(claims, shares.tolist(), strict=True)
        ]


def inputs(
    embedder: Embedder,
    claims: Sequence[str],
    words: Sequence[str],
    *,
    features: Callable[[str], Sequence[float]] = features,
) -> NDArray[np.float64]:
    """The head's input, one row for each claim: claim vector, words' vector minus it, and its rule features.

    Shape (claims, 2 x vector width + number of features); there must be a claim.
    """
    vectors = embedder.embed([*claims, *words]).astype(np.float64) * SCALE
    alone, said = vectors[: len(claims)], vectors[len(claims) :]
    told = np.array([features(claim) for claim in claims], dtype=np.float64)
    return np.hstack([alone, said - alone, told])


def read_head(folder: Path, *, encoder: str, classes: tuple[str, ...] = CLASSES) -> Head:
    """Read the head for some classes from a folder with `manifest.json` and `head.json`.

    Raises ModelLoadError, naming the path, where a file is missing, damaged or of another kind, or where the
    head was made for another encoder's vectors.
    """
    manifest, content = read_checked(folder, "head.json", what="head")
    try:
        if (reads := manifest["encoder"]) != encoder:
            raise ModelLoadError(f"{folder / 'head.json'} reads vectors of {reads}, not of {encoder}")
        return _head(json.loads(content), classes)
    except (ValueError, TypeError, KeyError) as error:
        raise ModelLoadError(f"{folder} holds no head: {type(error).__name__}: {error}") from error


def _head(table: Mapping[str, Any], classes: tuple[str, ...]) -> Head:
    weights, biases = np.array(table["weights"], dtype=float), np.array(table["biases"], dtype=float)
    phrases = {name: np.array(row, dtype=float) for name, row in table.get("phrases", {}).items()}
    sizes = {len(weights), *map(len, phrases.values())}
    if tuple(table["classes"]) != classes or weights.ndim != 2 or sizes != {len(biases)}:
        raise ValueError(f"classes must be {classes}, each with weights and a bias, and one in each phrase")
    return Head(weights, biases, phrases)


def _kind(claim: str, shares: Mapping[str, float]) -> ClaimKind:
    out = shares["opinion"] + shares["speaker"]
    if shares["refusal"] > max(shares["fact"], out):
        return ClaimKind.REFUSAL
    if is_felt(claim):
        return ClaimKind.OPINION
    if shares["fact"] >= out or is_of_firm(claim):
        return ClaimKind.FACT
    if shares["opinion"] < _SURE * out:  # it may be a fact about somebody: keep it open to contradiction
        return ClaimKind.ASSISTANT
    if advises(claim):
        return ClaimKind.RECOMMENDATION
    return ClaimKind.ASSISTANT if shares["fact"] >= _MAY_BE_FACT else ClaimKind.OPINION
