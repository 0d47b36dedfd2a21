"""FlanT5Verifier on a graph whose answers can be added up by hand."""

from __future__ import annotations

import math
import threading

import anyio
import numpy as np
import pytest

from vista_stream.claims import Importance, Pair
from vista_stream.errors import InferenceError, ModelLoadError
from vista_stream.verifiers.flan_t5 import FlanT5Verifier
from vista_stream.verifiers.protocol import Verifier


def three_way(implied: float, contradicted: float) -> list[float]:
    odds = math.exp(implied), 1.0, math.exp(contradicted)
    return [part / sum(odds) for part in odds]


@pytest.fixture
def verifier(write_flan_t5) -> FlanT5Verifier:
    return FlanT5Verifier.from_pretrained(write_flan_t5(), threads=1)


def test_scores_are_the_softmax_of_both_log_odds_and_zero(verifier, log_odds):
    (scores,) = verifier.score_sync([Pair("tin bee oak", "fig")])
    expected = three_way(log_odds("tin bee oak implies fig"), log_odds("tin bee oak denies fig"))
    assert list(scores) == pytest.approx(expected, abs=1e-6)
    assert scores.check() is scores


def test_pairs_of_mixed_length_keep_their_order(verifier):
    pairs = [Pair("tin " * count, word) for count in (1, 40, 3, 200, 2) for word in ("fig", "elm oak")]
    together = verifier.score_sync(pairs)
    apart = [verifier.score_sync([pair])[0] for pair in pairs]
    np.testing.assert_allclose(together, apart, atol=1e-5)


def test_identical_pairs_are_scored_once(verifier, monkeypatch):
    rows = []
    run = verifier._session.run
    monkeypatch.setattr(verifier._session, "run", lambda batch: (rows.extend(batch), run(batch))[1])
    twin = Pair("tin", "fig", importance=Importance.VITAL, deadline=3.0)
    first, other, again = verifier.score_sync([Pair("tin", "fig"), Pair("oak", "fig"), twin])
    assert len(rows) == 4  # two questions of two pairs
    assert first == again != other


@pytest.mark.parametrize(("quantization", "sizes"), [("int8", [2, 2]), ("none", [4])])
def test_the_prompts_of_a_pair_run_by_themselves_in_an_int8_graph(
    write_flan_t5, monkeypatch, quantization, sizes
):
    verifier = FlanT5Verifier.from_pretrained(write_flan_t5(quantization=quantization), threads=1)
    found = []
    run = verifier._session.run
    monkeypatch.setattr(verifier._session, "run", lambda batch: (found.append(len(batch)), run(batch))[1])
    verifier.score_sync([Pair("tin", "fig"), Pair("oak", "fig")])
    assert found == sizes


def test_no_pairs_give_no_scores(verifier):
    assert verifier.score_sync([]) == []


def test_the_temperature_of_the_manifest_divides_the_log_odds(write_flan_t5, log_odds):
    verifier = FlanT5Verifier.from_pretrained(write_flan_t5(temperature=4.0), threads=1)
    (scores,) = verifier.score_sync([Pair("tin bee", "fig")])
    expected = three_way(log_odds("tin bee implies fig") / 4, log_odds("tin bee denies fig") / 4)
    assert list(scores) == pytest.approx(expected, abs=1e-6)


def test_a_long_premise_scores_the_maximum_over_its_chunks(write_flan_t5, log_odds):
    verifier = FlanT5Verifier.from_pretrained(write_flan_t5(overlap=0.0), threads=1, max_length=9)
    sentences = "Tin bee fig oak rye.", "Elm oak oak fig ash."
    unknown = [sentence.replace("Tin", "<unk>").replace("Elm", "<unk>") for sentence in sentences]
    (scores,) = verifier.score_sync([Pair(" ".join(sentences), "bee")])
    best = [max(log_odds(f"{part} {verb} bee") for part in unknown) for verb in ("implies", "denies")]
    assert list(scores) == pytest.approx(three_way(*best), abs=1e-6)


def test_p_entail_is_yes_against_no_without_temperature(write_flan_t5, log_odds):
    verifier = FlanT5Verifier.from_pretrained(write_flan_t5(temperature=4.0), threads=1)
    odds = log_odds("tin bee oak implies fig")
    assert verifier.p_entail("tin bee oak", "fig") == pytest.approx(1 / (1 + math.exp(-odds)), abs=1e-6)


def test_p_entail_with_published_chunks_cuts_sentences_anywhere(verifier, log_odds):
    words = ["tin", "bee", "oak", "fig", "elm", "tin", "oak", "bee", "fig"]
    # 11 tokens a prompt less 3 of the question leave 8, and a step of 6: 0-8 and 6-9.
    windows = [words[0:8], words[6:9]]
    best = max(log_odds(f"{' '.join(window)} implies fig") for window in windows)
    published = verifier.p_entail(" ".join(words), "fig", chunk_tokens=11)
    assert published == pytest.approx(1 / (1 + math.exp(-best)), abs=1e-6)


def test_p_entail_each_is_p_entail_of_each(write_flan_t5):
    verifier = FlanT5Verifier.from_pretrained(write_flan_t5(), threads=1, max_length=9)
    pairs = [
        Pair("tin bee", "fig"),
        Pair("Tin rye. Bee ash. Oak rye. Fig ash. Tin rye.", "elm"),
        Pair("oak", "bee"),
    ]
    each = [verifier.p_entail(pair.premise, pair.hypothesis) for pair in pairs]
    assert verifier.p_entail_each(pairs) == pytest.approx(each, abs=1e-6)
    assert verifier.p_entail_each([]) == []


def test_what_the_manifest_says_is_readable(verifier):
    assert verifier.name == "tiny"
    assert verifier.thresholds.entailment == 0.5
    assert isinstance(verifier, Verifier)


def test_logits_that_are_no_numbers_are_an_inference_error(verifier, monkeypatch):
    monkeypatch.setattr(verifier._session, "run", lambda rows: np.full((len(rows), 2), np.nan, np.float32))
    with pytest.raises(InferenceError, match="not numbers"):
        verifier.score_sync([Pair("tin", "fig")])
    with pytest.raises(InferenceError, match="not numbers"):
        verifier.p_entail("tin", "fig")


@pytest.mark.anyio
async def test_score_gives_what_score_sync_gives(verifier):
    pairs = [Pair("tin bee", "fig"), Pair("oak", "elm")]
    assert await verifier.score(pairs) == verifier.score_sync(pairs)


@pytest.mark.anyio
async def test_a_cancelled_score_returns_before_the_model_does(verifier, monkeypatch):
    release = threading.Event()
    monkeypatch.setattr(verifier._session, "run", lambda rows: release.wait(10))
    with anyio.move_on_after(0.05) as scope:
        await verifier.score([Pair("tin", "fig")])
    assert scope.cancelled_caught
    assert not release.is_set()
    release.set()


def test_a_max_length_below_one_is_refused(write_flan_t5):
    with pytest.raises(ValueError, match="max_length"):
        FlanT5Verifier.from_pretrained(write_flan_t5(), max_length=0)


def test_a_missing_folder_is_a_model_load_error(tmp_path):
    with pytest.raises(ModelLoadError, match=r"manifest\.json is missing"):
        FlanT5Verifier.from_pretrained(tmp_path / "none")
