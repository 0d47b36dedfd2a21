"""Signs of corrections, changes and requests from a learnt head over the bi-encoder's vectors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vista_stream.core.change import Sign
from vista_stream.core.extraction.kind_features import found_of
from vista_stream.stages.embedded.kinds import Head, inputs, read_head
from vista_stream.verifiers.embedded import EmbeddedEmbedder
from vista_stream.verifiers.offload import offload_brief
from vista_stream.verifiers.protocol import Embedder

TOLD = (Sign.CORRECTION, Sign.CHANGE, None)
"""What a sentence of the assistant may be; None is none of them."""
ASKED = (Sign.REQUEST, None)
"""What a sentence of the user may be."""
CLASSES = ("correction", "change", "statement", "request", "question")
"""The head's classes: those of `TOLD`, then those of `ASKED`."""
_SURE = {Sign.CORRECTION: 0.7, Sign.CHANGE: 0.9, Sign.REQUEST: 0.78}
"""Probability from which a sentence has a sign, chosen on sentences kept apart.

A contradiction that passes is worse than a correction that is held back, and one that tells of a change is
the most like a false claim.
"""
_SHIPPED = Path(__file__).parents[2] / "models" / "signs"
_LEAD = re.compile(r"\A[^,:;.!?–—]{1,45}(?=[,:;.!–—] \w)")
"""What stands before the first stop of a sentence: the "Oh sorry" of "Oh sorry, it is two years"."""
_FEATURES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:I|me|my|myself|mine)\b",
        r"\byou(?:r|['’]re)?\b",
        r"\b(?:we|our|us)\b",
        r"\?\W*$",
        r"!\W*$",
        r"\d",
        r"\A(?:I|my)\b",
        r"\A(?:we|our)\b",
        r"\b(?:has|have)\b|['’](?:s|ve)\b",
        r"\b(?:has|have|['’](?:s|ve)) (?:\w+ )?(?:been )?\w+(?:ed|en|ne|wn|pt|ft|nt)\b",
        r"\bnow\b",
        r"\b(?:currently|nowadays|right now|temporarily|at (?:the moment|present)(?! of))\b",
        r"\b(?:today|tomorrow|meanwhile|already|by now)\b"
        r"|\bth(?:is|ese) (?:days|week|month|year|morning|spring|summer|autumn|winter)\b",
        r"\b(?:was|were)\b",
        r"\bin (?:1\d|20)\d\d\b",
        r"\b(?:sorry|oops|whoops|apolog\w+)\b",
        r"\b(?:wrong\w*|errors?|mistake\w*|mis\w{4,}|confus\w+|mix-?ups?|(?:in)?correct\w*)\b",
        r"\bnew\b",
        r"\b(?:again|any ?more|any longer|no longer|instead|until)\b",
        r"\A\W*(?:who|what|when|where|why|which|how|is|are|do|does|did|can|could|may|would)\b",
        r"\b(?:please|pls)\b",
        r"\A[^,:;]{1,20}[,:;]",
        r"\b(?:from|since|as of|starting|effective)\b",
        r"\b(?:said|told|wrote|gave|earlier|before|previous\w*|last)\b",
    )
)


class EmbeddedSigns:
    """Implements the Signs stage by a classification head; the embedder caches the vectors.

    The head reads a sentence, what stands before its first stop, and some words of its grammar.
    """

    def __init__(self, embedder: Embedder, head: Head) -> None:
        self._embedder = embedder
        self._head = head

    @classmethod
    def from_pretrained(cls, embedder: EmbeddedEmbedder, path: str | Path | None = None) -> EmbeddedSigns:
        """With the head of a folder; without a path, the one that ships. Blocking.

        Raises ModelLoadError where the head is missing, damaged or made for another encoder.
        """
        return cls(embedder, read_head(Path(path or _SHIPPED), encoder=embedder.name, classes=CLASSES))

    async def signs(self, told: Sequence[str], asked: Sequence[str]) -> Mapping[str, Sign]:
        """The signs of the sentences that have one: `told` are the assistant's, `asked` the user's."""
        return await offload_brief(self.of, told, asked)

    def of(self, told: Sequence[str], asked: Sequence[str]) -> Mapping[str, Sign]:
        """As `signs`, but blocking."""
        sentences = [*told, *asked]
        if not sentences:
            return {}
        scores = self._head.probabilities(read(self._embedder, sentences), sentences)
        found: dict[str, Sign] = {}
        for place, (sentence, row) in enumerate(zip(sentences, scores, strict=True)):
            of_user = place >= len(told)
            own = row[len(TOLD) :] if of_user else row[: len(TOLD)]
            signs = ASKED if of_user else TOLD
            sign = signs[int(own[:-1].argmax())]
            if sign is not None and own[:-1].sum() >= _SURE[sign] * own.sum():
                found[sentence] = sign
        return found


def read(embedder: Embedder, sentences: Sequence[str]) -> NDArray[np.float64]:
    """The head's input, one row for each sentence; there must be one."""
    leads = [lead[0] if (lead := _LEAD.match(each)) else each for each in sentences]
    return inputs(embedder, sentences, leads, features=partial(found_of, _FEATURES))
