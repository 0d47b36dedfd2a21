from pathlib import Path

import pytest

from benchmarks.accuracy import CHANGES, Bench, measure
from benchmarks.known_scores import SHIPPED, KnownScores
from vista_stream.verifiers.embedded import EmbeddedVerifier


def test_every_change_keeps_the_claims_words_readable() -> None:
    text = 'The "old" harbour isn\'t deep'
    assert all(change(text) for change in CHANGES.values())


@pytest.fixture
def folder(tmp_path: Path, write_set) -> Path:
    pairs = [
        ("The harbour of Lund is deep.", "The harbour is deep.", 1),
        ("The harbour of Lund is deep.", "The harbour was filled in.", 0),
        ("The mill stands on a hill.", "There is a mill.", 1),
        ("The mill stands on a hill.", "The mill was moved to a valley.", 0),
    ]
    write_set(tmp_path / "eval/true/q2.jsonl.gz", pairs * 3)
    told = [(p, h, "entailment" if label else "contradiction") for p, h, label in pairs]
    write_set(tmp_path / "eval/nli3/cad_test.jsonl.gz", told)
    return tmp_path


def known(tmp_path: Path) -> KnownScores:
    return KnownScores(EmbeddedVerifier.from_pretrained(threads=1), SHIPPED, tmp_path / "cache")


def test_the_sets_are_scored_and_a_second_run_asks_the_model_nothing(folder: Path, capsys) -> None:
    first = measure(Bench(known(folder), folder), folder, "", None)
    assert "12/12 rows" in capsys.readouterr().out
    assert set(first["sets"]) == {"true/q2", "nli3/cad_test"}
    asked = first["sets"]["true/q2"]
    assert asked["auc"] > 90
    assert asked["claim_only"] <= asked["auc"], "a claim alone says little"
    assert asked["baselines"].keys() == {"overlap", "cosine"}
    assert first["means"]["three-way sets"] == 1
    again = known(folder)
    assert measure(Bench(again, folder), folder, "", None) == first
    assert again.scored == 0
