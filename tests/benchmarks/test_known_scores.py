import asyncio
import json
from pathlib import Path

import pytest

from benchmarks.known_scores import SHIPPED, KnownScores, batched, digest
from vista_stream.claims import Pair
from vista_stream.verifiers.embedded import EmbeddedVerifier

PAIRS = [Pair("The mill stands on a hill.", "There is a mill."), Pair("It rains.", "It is dry.")]


@pytest.fixture(scope="module")
def verifier() -> EmbeddedVerifier:
    return EmbeddedVerifier.from_pretrained(threads=1)


def test_a_pair_is_scored_once_also_after_a_restart(tmp_path: Path, verifier: EmbeddedVerifier) -> None:
    known = KnownScores(verifier, SHIPPED, tmp_path)
    scores = known.score_sync([PAIRS[0], PAIRS[1], PAIRS[0]])
    assert known.scored == 2
    assert scores == [*verifier.score_sync(PAIRS), scores[0]]
    again = KnownScores(verifier, SHIPPED, tmp_path)
    assert asyncio.run(again.score(PAIRS)) == scores[:2]
    assert again.scored == 0
    assert (again.name, again.thresholds) == (verifier.name, verifier.thresholds)


def test_another_model_has_other_scores(tmp_path: Path) -> None:
    manifest = json.loads((SHIPPED / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"name": "another name, same model"}))
    assert digest(tmp_path) == digest(SHIPPED)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"temperature": 9.0}))
    assert digest(tmp_path) != digest(SHIPPED)


def test_groups_hold_all_items_in_order() -> None:
    assert list(batched("abcde", 2)) == [("a", "b"), ("c", "d"), ("e",)]
