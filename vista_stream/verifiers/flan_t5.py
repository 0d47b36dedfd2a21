"""Flan-T5 as a verifier (SCALE): it answers two yes-or-no questions about each pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from vista_stream.claims import Pair, Scores
from vista_stream.core.judge import Thresholds
from vista_stream.errors import InferenceError
from vista_stream.verifiers.flan_t5_manifest import QUESTIONS, FlanT5Manifest, read_flan_t5_manifest
from vista_stream.verifiers.flan_t5_optimum import OptimumSession, optimum_graphs, read_optimum
from vista_stream.verifiers.flan_t5_prompts import Prompter, batches
from vista_stream.verifiers.flan_t5_session import AnswerSession, Provider
from vista_stream.verifiers.offload import offload

_CPU_TOKENS = 1024
"""Tokens of one run on the CPU, padding included. Larger runs are not faster, and delay cancellation."""
_GPU_TOKENS = 16384
_WASTE = 0.1


@dataclass(frozen=True, slots=True)
class _Plan:
    """The prompts of some pairs, in batches, and which pair and question each belongs to."""

    rows: list[list[int]]
    """The token ids of each prompt."""
    places: list[tuple[int, int]]
    """The index of the pair and of the question, for each row."""
    batches: list[list[int]]
    """The indices of the rows that are run together."""


class FlanT5Verifier:
    """Scores pairs with an exported Flan-T5; one object may be shared by all sessions.

    The graph answers a yes-or-no question with two logits. Their difference, divided by the manifest's
    temperature, is the log-odds of yes: e for "is the hypothesis implied", c for "is it contradicted". Each
    is the maximum over the premise's chunks, as in SCALE. A hypothesis cannot be both implied and
    contradicted, so three of the four combinations of answers remain, and "no" to both is neutral. The
    scores are softmax(e, 0, c), in the order entailment, neutral, contradiction.

    An int8 graph takes its quantisation range from the whole batch. Scores moved by up to 0.05 with the
    other prompts in a batch, so an int8 graph gets the prompts of each pair alone.
    """

    def __init__(
        self, session: AnswerSession | OptimumSession, prompter: Prompter, manifest: FlanT5Manifest
    ) -> None:
        self._session = session
        self._prompter = prompter
        self._manifest = manifest
        self._max_tokens = _CPU_TOKENS if session.on_cpu else _GPU_TOKENS

    @classmethod
    def from_pretrained(
        cls,
        folder: str | Path,
        *,
        providers: Sequence[Provider] | None = None,
        threads: int | None = None,
        max_length: int | None = None,
    ) -> Self:
        """A verifier from a folder that `vista-stream export` or optimum wrote. Blocking.

        An export of optimum holds encoder_model.onnx, a decoder_model.onnx or decoder_model_merged.onnx,
        config.json and tokenizer.json, the graphs also in a folder `onnx`. It brings no SHA-256 to check.

        providers: execution providers of ONNX Runtime, the CPU by default; an unavailable one is an error.
        threads: CPU threads; by default the CPUs that this process may use, at most 4. max_length: tokens of
        a prompt at most, in place of the manifest's value (Flan-T5 takes any length). Raises ModelLoadError,
        and ValueError for threads or max_length below 1 or for providers that are a single name.
        """
        if max_length is not None and max_length < 1:
            raise ValueError(f"max_length must be a number of tokens from 1, not {max_length!r}")
        folder = Path(folder)
        graphs = None if (folder / "manifest.json").exists() else optimum_graphs(folder)
        session: AnswerSession | OptimumSession
        if graphs is None:
            manifest = read_flan_t5_manifest(folder)
            session = AnswerSession(folder / "model.onnx", providers=providers, threads=threads)
        else:
            manifest, start = read_optimum(folder, graphs)
            session = OptimumSession(
                graphs, manifest=manifest, start_token=start, providers=providers, threads=threads
            )
        prompter = Prompter(folder, manifest, max_length=max_length or manifest.max_length)
        return cls(session, prompter, manifest)

    @property
    def name(self) -> str:
        """The model's name, from its manifest."""
        return self._manifest.name

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds from which this model's scores decide a category, from its manifest."""
        return self._manifest.thresholds

    async def score(self, pairs: Sequence[Pair]) -> list[Scores]:
        """One score triple for each pair, in the same order; runs in threads, batch by batch.

        Identical pairs are scored once.
        """
        each = list(dict.fromkeys(pairs))
        plan = await offload(self._plan, each)
        logits = np.empty((len(plan.rows), 2), dtype=np.float32)
        for batch in plan.batches:
            logits[batch] = await offload(self._session.run, [plan.rows[row] for row in batch])
        return _one_a_pair(pairs, each, self._scores(plan, logits, len(each)))

    def score_sync(self, pairs: Sequence[Pair]) -> list[Scores]:
        """As `score`, but blocking, for scripts."""
        each = list(dict.fromkeys(pairs))
        plan = self._plan(each)
        return _one_a_pair(pairs, each, self._scores(plan, self._run(plan), len(each)))

    def p_entail(
        self, premise: str, hypothesis: str, *, chunk_tokens: int | None = None, overlap: float = 0.25
    ) -> float:
        """SCALE's own score: softmax of yes and no, the maximum over chunks, no temperature. Blocking.

        With chunk_tokens the chunks have the boundaries of SCALE's released code, whose default is 1000
        tokens. Without it they are the chunks that `score` uses. overlap: share of a chunk that the next one
        repeats, with chunk_tokens only. Raises InferenceError, also where the hypothesis leaves no room for
        the premise, and ValueError for an overlap outside 0..1 (1 excluded) or that leaves no step.
        """
        if chunk_tokens is None:
            rows = self._prompter.prompts(premise, hypothesis, question=QUESTIONS[0])
        else:
            rows = self._prompter.published(premise, hypothesis, chunk_tokens=chunk_tokens, overlap=overlap)
        return self._p_entail(rows, [0] * len(rows))[0]

    def p_entail_each(self, pairs: Sequence[Pair]) -> list[float]:
        """`p_entail` of many pairs, batched together. Blocking."""
        rows, owners = [], []
        for number, pair in enumerate(pairs):
            prompts = self._prompter.prompts(pair.premise, pair.hypothesis, question=QUESTIONS[0])
            rows += prompts
            owners += [number] * len(prompts)
        return self._p_entail(rows, owners)

    def _p_entail(self, rows: list[list[int]], owners: list[int]) -> list[float]:
        plan = self._batched(rows, [(owner, 0) for owner in owners])
        odds = np.full(max(owners, default=-1) + 1, -np.inf)
        np.maximum.at(odds, owners, self._log_odds(self._run(plan)))
        p_yes: list[float] = np.exp(-np.logaddexp(0.0, -odds)).tolist()
        return p_yes

    def _plan(self, pairs: Sequence[Pair]) -> _Plan:
        rows, places = [], []
        for number, pair in enumerate(pairs):
            for column, question in enumerate(QUESTIONS):
                prompts = self._prompter.prompts(pair.premise, pair.hypothesis, question=question)
                rows += prompts
                places += [(number, column)] * len(prompts)
        return self._batched(rows, places)

    def _batched(self, rows: list[list[int]], places: list[tuple[int, int]]) -> _Plan:
        apart = self._manifest.quantization == "int8"
        split: list[list[int]] = []
        for _, own in groupby(range(len(rows)), key=lambda row: apart and places[row][0]):
            group = list(own)
            lengths = [len(rows[row]) for row in group]
            parts = batches(lengths, max_tokens=self._max_tokens, waste=_WASTE)
            split += [[group[place] for place in part] for part in parts]
        return _Plan(rows, places, split)

    def _run(self, plan: _Plan) -> NDArray[np.float32]:
        logits = np.empty((len(plan.rows), 2), dtype=np.float32)
        for batch in plan.batches:
            logits[batch] = self._session.run([plan.rows[row] for row in batch])
        return logits

    def _scores(self, plan: _Plan, logits: NDArray[np.float32], count: int) -> list[Scores]:
        odds = np.full((count, len(QUESTIONS)), -np.inf)
        places = tuple(np.array(plan.places, dtype=int).reshape(-1, 2).T)
        np.maximum.at(odds, places, self._log_odds(logits))
        return [_three_way(*row) for row in (odds / self._manifest.temperature).tolist()]

    def _log_odds(self, logits: NDArray[np.float32]) -> NDArray[np.float64]:
        """The log-odds of yes against no; shape (rows,)."""
        if not np.isfinite(logits).all():
            raise InferenceError(f"{self.name} gave logits that are not numbers")
        return logits[:, 0].astype(np.float64) - logits[:, 1]


def _one_a_pair(pairs: Sequence[Pair], each: Sequence[Pair], scores: Sequence[Scores]) -> list[Scores]:
    known = dict(zip(each, scores, strict=True))
    return [known[pair] for pair in pairs]


def _three_way(implied: float, contradicted: float) -> Scores:
    logits = np.array([implied, 0.0, contradicted])
    powers = np.exp(logits - logits.max())
    return Scores(*(powers / powers.sum()).tolist())
