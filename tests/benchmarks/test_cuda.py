"""The GPU's benchmark, as far as it runs without one."""

import sys

import anyio
import pytest

from benchmarks import cuda
from vista_stream.claims import Scores
from vista_stream.core.pooling import Pooling


def test_without_cuda_one_line_says_what_to_install(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["cuda", "--out", str(tmp_path / "cuda.json")])
    monkeypatch.setattr(cuda.runtime(), "get_available_providers", lambda: ["CPUExecutionProvider"])
    cuda.main()
    assert capsys.readouterr().out.startswith("skipped: this onnxruntime has no CUDA: ")
    assert not (tmp_path / "cuda.json").exists()


def test_parity_tells_mean_and_largest_distance_and_equal_labels():
    ours = [Scores(0.6, 0.3, 0.1), Scores(0.2, 0.5, 0.3)]
    theirs = [Scores(0.6, 0.3, 0.1), Scores(0.5, 0.2, 0.3)]
    assert cuda.parity(ours, theirs) == {"mean": 0.1, "largest": 0.3, "same label %": 50.0}


def test_pairs_are_sentences_of_the_written_answers_with_their_documents():
    found = cuda.scenes()
    pairs = cuda.pairs_of(found, 30)
    assert len(pairs) == 30
    texts = [reference.text for reference, _ in found]
    assert all(any(pair.premise in text for text in texts) for pair in pairs)


class Counted:
    """A verifier that notes how many pairs came together, with the pooling that a benchmark must pass on."""

    pooling = Pooling(entailment=(1.0,) * 7, contradiction=(1.0,) * 7)

    def __init__(self) -> None:
        self.batches: list[int] = []

    async def score(self, pairs):
        self.batches.append(len(pairs))
        return [Scores(0.2, 0.3, 0.5)] * len(pairs)


@pytest.mark.parametrize("turns", [1, 30])
def test_turns_at_once_are_batched_and_equal_pairs_of_two_turns_are_both_asked(turns):
    verifier = Counted()
    found = cuda.scenes()[:2]
    figures = anyio.run(cuda.Turns(verifier, None, found).alone, turns, turns * 2)
    assert figures["claims"] == turns * 2
    assert sum(verifier.batches) == turns * 2 * 3
    assert (max(verifier.batches) > 3) == (turns > 1)
    assert cuda.Apart(cuda.BatchingVerifier(verifier)).pooling == Counted.pooling
