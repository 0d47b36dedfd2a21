"""Turns pairs into prompts: the rows of token ids that Flan-T5 is asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vista_stream.core.text.surrogates import encodable
from vista_stream.errors import InferenceError
from vista_stream.retrieval.chunker import chunk
from vista_stream.retrieval.published import published_windows
from vista_stream.retrieval.reference import Reference
from vista_stream.verifiers.flan_t5_manifest import QUESTIONS, FlanT5Manifest
from vista_stream.verifiers.lru import Lru
from vista_stream.verifiers.onnx import open_tokenizer

_PREMISES = 2048
_STEP = 32
"""Token budgets for a chunk are multiples of this, so questions of similar length share cached chunks."""


class Prompter:
    """Writes the prompts of one exported model; tokens and chunks of recent premises are cached."""

    def __init__(self, folder: Path, manifest: FlanT5Manifest, *, max_length: int) -> None:
        self._tokenizer = open_tokenizer(folder / "tokenizer.json")
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._manifest = manifest
        self._max_length = max_length
        self._premises: Lru[str, list[int]] = Lru(_PREMISES)
        self._chunks: Lru[tuple[str, int], list[list[int]]] = Lru(_PREMISES)

    def prompts(self, premise: str, hypothesis: str, *, question: str) -> list[list[int]]:
        """One row of token ids for each chunk of the premise, at most max_length each.

        A premise that fits is one chunk. A longer one is cut between sentences, and a sentence that does not
        fit is cut inside. Raises InferenceError where the question leaves no room for the premise.
        """
        before, after = self._question(question, hypothesis)
        room = self._max_length - len(before) - len(after)
        if room < 1:
            raise _too_long(hypothesis, f"the {self._max_length} tokens of {self._manifest.name}")
        tokens = self._tokenise(premise)
        chunks = [tokens] if len(tokens) <= room else self._cut(premise, room // _STEP * _STEP or room)
        return [before + part + after for part in chunks]

    def published(
        self, premise: str, hypothesis: str, *, chunk_tokens: int, overlap: float
    ) -> list[list[int]]:
        """Rows of the entailment question, cut at the boundaries of SCALE's released code.

        Raises InferenceError where the question leaves no room for the premise in chunk_tokens, ValueError
        for an overlap that `published_windows` does not take.
        """
        before, after = self._question(QUESTIONS[0], hypothesis)
        tokens = self._tokenise(premise)
        asked = len(before) + len(after)
        if len(tokens) + asked < chunk_tokens:
            return [before + tokens + after]
        if chunk_tokens <= asked:
            raise _too_long(hypothesis, f"chunk_tokens {chunk_tokens}, of which the question takes {asked}")
        windows = published_windows(len(tokens), room=chunk_tokens - asked, overlap=overlap)
        return [before + tokens[window] + after for window in windows]

    def _question(self, question: str, hypothesis: str) -> tuple[list[int], list[int]]:
        before, after = self._manifest.templates[question].split("{premise}")
        tokens = self._encode(after.replace("{hypothesis}", hypothesis))
        return self._encode(before), [*tokens, self._manifest.end_token]

    def _cut(self, premise: str, budget: int) -> list[list[int]]:
        chunks = self._chunks.get((premise, budget))
        if chunks is None:
            # A passage exceeds the budget where one sentence does, or because of markup between sentences.
            chunks = [
                part
                for text in self._passages(premise, budget)
                for part in _windows(self._encode(text), budget)
            ]
            self._chunks.put((premise, budget), chunks)
        return chunks

    def _passages(self, premise: str, budget: int) -> list[str]:
        try:
            document = Reference(premise, name="premise")
        except ValueError:  # only markup, no sentence
            return [premise]
        passages = chunk(document, self._count, budget=budget, overlap=self._manifest.overlap)
        return [passage.text for passage in passages]

    def _tokenise(self, premise: str) -> list[int]:
        tokens = self._premises.get(premise)
        if tokens is None:
            tokens = self._encode(premise)
            self._premises.put(premise, tokens)
        return tokens

    def _count(self, text: str) -> int:
        return len(self._encode(text))

    def _encode(self, text: str) -> list[int]:
        ids = self._tokenizer.encode(encodable(text), add_special_tokens=False).ids
        # SentencePiece's vocabulary holds the end token as a piece, so a text that spells it would end there.
        return [token for token in ids if token != self._manifest.end_token]


def _too_long(hypothesis: str, room: str) -> InferenceError:
    return InferenceError(f"the hypothesis is too long for {room}: {hypothesis[:60]!r}…")


def _windows(tokens: list[int], budget: int) -> list[list[int]]:
    """Windows of at most `budget` tokens that hold all tokens; the last may overlap the one before it."""
    last = max(len(tokens) - budget, 0)
    starts = (min(start, last) for start in range(0, len(tokens) or 1, budget))
    return [tokens[start : start + budget] for start in starts]


def batches(lengths: Sequence[int], *, max_tokens: int, waste: float) -> list[list[int]]:
    """Groups of rows to run together, as indices: similar lengths, at most `max_tokens` with padding.

    A row joins a batch where at most the share `waste` of its padded length is padding. A row longer than
    `max_tokens` is a batch alone.
    """
    found: list[list[int]] = []
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        longest = lengths[found[-1][0]] if found else 0
        fits = found and (len(found[-1]) + 1) * longest <= max_tokens
        if fits and lengths[row] >= (1 - waste) * longest:
            found[-1].append(row)
        else:
            found.append([row])
    return found
