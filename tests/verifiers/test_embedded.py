import threading
import time

import anyio
import numpy as np
import pytest

from vista_stream.claims import Pair
from vista_stream.core.judge import Thresholds
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier
from vista_stream.verifiers.protocol import Verifier

PAIRS = [
    Pair("the dog sat on mat", "the dog sat"),
    Pair("a cat ran home", "the cat ran not"),
    Pair("the red dog ran", "a blue mat"),
]


@pytest.fixture
def verifier(verifier_folder):
    return EmbeddedVerifier.from_pretrained(verifier_folder, threads=1)


@pytest.fixture
def embedder(encoder_folder):
    return EmbeddedEmbedder.from_pretrained(encoder_folder, threads=1)


def expected(pair, rows):
    """By hand: the sum of the tokens' rows, temperature 2, columns (contradiction, entailment, neutral).

    Beside a premise without a full stop the claim ends in one, which the tiny vocabulary does not hold.
    """
    tokens = ["[CLS]", *pair.premise.split(), "[SEP]", *pair.hypothesis.split(), "[UNK]", "[SEP]"]
    powers = np.exp(sum(rows[token] for token in tokens) / 2)
    contradiction, entailment, neutral = powers / powers.sum()
    return entailment, neutral, contradiction


def test_it_is_a_verifier(verifier):
    assert isinstance(verifier, Verifier)
    assert verifier.name == "tiny"
    assert verifier.thresholds == Thresholds(entailment=0.6, contradiction=0.7)


def test_scores_are_the_softmax_of_the_logits_by_label_and_temperature(verifier, word_rows):
    for pair, scores in zip(PAIRS, verifier.score_sync(PAIRS), strict=True):
        assert scores == pytest.approx(expected(pair, word_rows), abs=1e-5)
        scores.check()


@pytest.mark.anyio
async def test_async_scores_are_the_same(verifier):
    many = PAIRS * 100
    assert np.array(await verifier.score(many)) == pytest.approx(np.array(verifier.score_sync(many)))
    assert await verifier.score([]) == []


@pytest.mark.anyio
async def test_the_event_loop_goes_on_and_cancelling_returns_at_once(verifier, monkeypatch):
    running, finish = threading.Event(), threading.Event()

    def slow(encodings):
        running.set()
        finish.wait(30)
        return np.zeros((len(encodings), 3), dtype=np.float32)

    monkeypatch.setattr(verifier._model, "run", slow)
    before = time.monotonic()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(verifier.score, PAIRS)
        await anyio.to_thread.run_sync(running.wait, 5)
        tasks.cancel_scope.cancel()
    finish.set()
    assert time.monotonic() - before < 20


def test_the_same_verifier_serves_several_event_loops(verifier):
    async def score():
        return await verifier.score(PAIRS)

    assert anyio.run(score) == anyio.run(score, backend="trio")


def test_embeddings_are_unit_vectors_in_order(embedder):
    texts = ["the dog", "a red cat sat on the mat", "home"]
    vectors = embedder.embed(texts)
    assert vectors.shape == (3, 3)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert vectors[1] == pytest.approx(embedder.embed([texts[1]])[0], abs=1e-6)


def test_many_texts_are_embedded_by_several_threads_with_the_same_vectors(encoder_folder, monkeypatch):
    monkeypatch.setattr("vista_stream.verifiers.embedded._LONG", 1)
    embedder = EmbeddedEmbedder.from_pretrained(encoder_folder, threads=2)
    texts = ["the dog", "a red cat", "home", "a cat", "the red home", "a dog", "the cat", "red", "dog", "cat"]
    names = set()
    run = embedder._model.run
    monkeypatch.setattr(
        embedder._model, "run", lambda rows: names.add(threading.current_thread().name) or run(rows)
    )
    vectors = embedder.embed(texts)
    assert all(name.startswith("vista_stream-embedder") for name in names)
    for text, vector in zip(texts, vectors, strict=True):
        other = EmbeddedEmbedder.from_pretrained(encoder_folder, threads=1)
        assert vector == pytest.approx(other.embed([text])[0], abs=1e-6)


def test_an_embedder_takes_one_thread_or_more(encoder_folder):
    with pytest.raises(ValueError, match="threads must be 1 or more, not 0"):
        EmbeddedEmbedder.from_pretrained(encoder_folder, threads=0)


def test_a_text_is_embedded_once(encoder_folder, monkeypatch):
    embedder = EmbeddedEmbedder.from_pretrained(encoder_folder, threads=1)
    ran = []
    run = embedder._model.run
    monkeypatch.setattr(embedder._model, "run", lambda rows: ran.extend(rows) or run(rows))
    embedder.embed(["the dog", "a cat", "the dog"])
    embedder.embed(["a cat"])
    assert len(ran) == 2
