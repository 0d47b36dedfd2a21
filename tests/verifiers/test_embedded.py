import multiprocessing
import sys
import threading
import time

import anyio
import numpy as np
import pytest

from vista_stream.claims import Pair
from vista_stream.core.judge import Thresholds
from vista_stream.errors import InferenceError
from vista_stream.verifiers import embedded
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


def test_no_texts_give_no_vectors_of_the_models_width(embedder):
    assert embedder.embed([]).shape == (0, embedder.embed(["a"]).shape[1])


def test_embeddings_are_unit_vectors_in_order(embedder):
    texts = ["the dog", "a red cat sat on the mat", "home"]
    vectors = embedder.embed(texts)
    assert vectors.shape == (3, 3)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert vectors[1] == pytest.approx(embedder.embed([texts[1]])[0], abs=1e-6)


def threads_of_runs(embedder, monkeypatch, barrier=None):
    """The names of the threads that run the model from now on; with a barrier, each run waits there."""
    names = []
    run = embedder._model.run

    def noted(rows):
        names.append(threading.current_thread().name)
        if barrier is not None:
            barrier.wait(5)
        return run(rows)

    monkeypatch.setattr(embedder._model, "run", noted)
    return names


def test_many_texts_are_embedded_side_by_side_with_the_same_vectors(encoder_folder, monkeypatch):
    monkeypatch.setattr("vista_stream.verifiers.embedded._LONG", 2)
    texts = ["the dog", "a red cat sat on the mat the dog a red cat sat on the mat"]
    alone = EmbeddedEmbedder.from_pretrained(encoder_folder, threads=1)
    expected = [alone.embed([text])[0] for text in texts]
    embedder = EmbeddedEmbedder.from_pretrained(encoder_folder, threads=2)
    names = threads_of_runs(embedder, monkeypatch, threading.Barrier(2))
    vectors = embedder.embed(texts)
    assert len(set(names)) == 2
    for vector, other in zip(vectors, expected, strict=True):
        assert vector == pytest.approx(other, abs=1e-6)


def test_few_texts_are_embedded_in_the_calling_thread(encoder_folder, monkeypatch):
    embedder = EmbeddedEmbedder.from_pretrained(encoder_folder, threads=2)
    names = threads_of_runs(embedder, monkeypatch)
    embedder.embed(["the dog", "a cat"])
    assert set(names) == {threading.current_thread().name}


def test_an_error_of_one_run_is_the_calls(encoder_folder, monkeypatch):
    monkeypatch.setattr("vista_stream.verifiers.embedded._LONG", 2)
    embedder = EmbeddedEmbedder.from_pretrained(encoder_folder, threads=2)

    def failing(rows):
        raise InferenceError("no memory")

    monkeypatch.setattr(embedder._model, "run", failing)
    with pytest.raises(InferenceError, match="no memory"):
        embedder.embed(["the dog", "a red cat sat on the mat the dog a red cat sat on the mat"])


def test_a_run_of_the_embedder_has_one_thread(encoder_folder, monkeypatch):
    loaded = []
    load = embedded.load
    monkeypatch.setattr(embedded, "load", lambda *args, **named: loaded.append(named) or load(*args, **named))
    EmbeddedEmbedder.from_pretrained(encoder_folder, threads=2)
    assert [named["threads"] for named in loaded] == [1]


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


def _embeds_in_child(embedder, texts):
    embedder.embed(texts)


@pytest.mark.skipif(sys.platform == "win32", reason="processes are not forked there")
def test_a_forked_process_embeds_with_threads_of_its_own(encoder_folder, monkeypatch):
    monkeypatch.setattr("vista_stream.verifiers.embedded._LONG", 2)
    embedder = EmbeddedEmbedder.from_pretrained(encoder_folder, threads=2)
    embedder.embed(["the dog", "a cat"])
    fork = multiprocessing.get_context("fork")
    child = fork.Process(target=_embeds_in_child, args=(embedder, ["a dog", "the cat"]))
    child.start()
    child.join(20)
    child.kill()
    assert child.exitcode == 0
