"""A model that reads windows once: what was read is bounded, and serves every claim alike."""

import numpy as np
import pytest

import tiny_reader
from vista_stream.claims import Pair
from vista_stream.errors import InferenceError, ModelLoadError
from vista_stream.verifiers.batching import BatchingVerifier
from vista_stream.verifiers.cached import CachedVerifier
from vista_stream.verifiers.embedded import EmbeddedVerifier
from vista_stream.verifiers.protocol import reader_of
from vista_stream.verifiers.reading import ReadingModel, Readings

WINDOWS = ("The mill was built in 1840.", "It stands in Kew. The roof was red.")
CLAIM = "The mill was built in 1840."


@pytest.fixture
def folder(tmp_path):
    return tiny_reader.write(tmp_path / "reader")


@pytest.fixture
def model(folder) -> ReadingModel:
    return ReadingModel(folder, 1)


@pytest.fixture
def verifier(tmp_path) -> EmbeddedVerifier:
    return EmbeddedVerifier.from_pretrained(tiny_reader.write(tmp_path / "longer", longest=512))


def test_a_window_is_read_once_for_all_claims(model):
    first = model.logits(WINDOWS, CLAIM)
    model.logits(WINDOWS, "It stands in Kew.")
    assert np.array_equal(first, model.logits(WINDOWS, CLAIM))
    assert (model.held.windows, model.held.read) == (2, 2)
    model.logits(["One more."], CLAIM)
    assert (model.held.windows, model.held.read) == (3, 3)


def test_what_was_dropped_is_read_again_with_the_same_result(folder, model):
    forgetful = ReadingModel(folder, 1, held=0)
    assert np.array_equal(forgetful.logits(WINDOWS, CLAIM), model.logits(WINDOWS, CLAIM))
    forgetful.logits(WINDOWS, CLAIM)
    assert (forgetful.held.windows, forgetful.held.bytes, forgetful.held.read) == (0, 0, 4)


def test_a_claim_is_read_with_all_its_windows_and_after_them(model):
    whole = model.logits(WINDOWS, CLAIM)
    assert not np.allclose(model.logits(WINDOWS[:1], CLAIM), whole)
    assert not np.allclose(model.logits(WINDOWS, "It stands in Kew."), whole)


def test_windows_that_do_not_fit_are_left_out_from_the_end(model):
    many = [f"{'the sea was red ' * 3}." for _ in range(9)]
    assert np.array_equal(model.logits(many, CLAIM), model.logits([*many, "One more."], CLAIM))


def test_a_window_longer_than_all_room_is_cut(model):
    assert np.isfinite(model.logits(["the sea " * 100], CLAIM)).all()


def test_a_claim_that_leaves_no_room_is_an_error_that_says_so(model):
    with pytest.raises(InferenceError, match="the hypothesis has 60 tokens: too long for the 64 of tiny"):
        model.logits(WINDOWS, "sea " * 60)


def test_a_premise_is_cut_into_windows_as_a_reference_is(verifier):
    long = " ".join(f"The mill stands in Kew. It was built in {number}." for number in range(1700, 1720))
    cut, again = verifier.score_sync([Pair(long, CLAIM), Pair(long, CLAIM)])
    assert cut == again
    assert verifier.held.windows > 1
    (given,) = verifier.score_sync([Pair("\n".join(WINDOWS), CLAIM, windows=WINDOWS)])
    assert sum(given) == pytest.approx(1.0)


def test_readings_are_bounded_by_bytes_and_the_oldest_go_first():
    readings = Readings(2_000)
    reading = np.zeros((1, 5, 100), dtype=np.float16)
    for token in range(3):
        readings.put((token,), reading)
        readings.get((0,))
    assert (readings.held.windows, readings.held.bytes, readings.held.read) == (2, 2_000, 3)
    assert readings.get((1,)) is None
    assert readings.get((0,)) is reading
    readings.put((9,), np.zeros((1, 11, 100), dtype=np.float16))
    assert readings.get((9,)) is None


@pytest.mark.anyio
async def test_windows_can_be_read_ahead_through_wrappers(verifier):
    wrapped = CachedVerifier(BatchingVerifier(verifier))
    reader = reader_of(wrapped)
    assert reader is verifier
    await reader.read(WINDOWS)
    assert verifier.held.read == 2
    await wrapped.score([Pair("\n".join(WINDOWS), CLAIM, windows=WINDOWS)])
    assert verifier.held.read == 2


def test_a_verifier_that_reads_each_pair_anew_reads_nothing_ahead():
    class Own:
        async def score(self, pairs):
            return []

    assert reader_of(Own()) is None
    assert reader_of(CachedVerifier(Own())) is None


def test_a_missing_graph_is_named(folder):
    (folder / "judge.onnx").unlink()
    with pytest.raises(ModelLoadError, match=r"judge\.onnx is missing"):
        ReadingModel(folder, 1)
