import pytest

from benchmarks.accuracy import CHANGES, combined, overlap, plan, summary
from vista_stream.claims import Scores


def test_a_short_pair_is_scored_whole_and_a_long_one_window_by_window():
    row = {"premise": "The harbour is deep.", "hypothesis": "It is deep."}
    assert [[pair.premise for pair in group] for group in plan(row)] == [["The harbour is deep."]]
    long = {"premise": "The harbour is deep and wide. " * 40, "hypothesis": "It is deep. It is wide. " * 10}
    groups = plan(long)
    assert len(groups) == 20
    assert len(groups[0]) > 3


def test_the_best_window_counts_for_each_sentence_and_the_mean_over_sentences():
    entailed, open_, refuted = Scores(0.9, 0.1, 0.0), Scores(0.1, 0.9, 0.0), Scores(0.0, 0.2, 0.8)
    assert combined([[open_, entailed, refuted]]).entailment == pytest.approx(0.9)
    assert combined([[open_, refuted]]).contradiction == pytest.approx(0.8 / 1.0)
    mean = combined([[entailed], [refuted]])
    assert mean.entailment == pytest.approx(0.45)
    assert sum(mean) == pytest.approx(1.0)


def test_overlap_is_the_share_of_the_claims_words():
    assert overlap({"premise": "the red house", "hypothesis": "the red boat house"}) == 0.75


def test_every_change_keeps_the_claims_words_readable():
    text = 'The "old" harbour isn\'t deep'
    assert all(change(text) for change in CHANGES.values())


def test_the_means():
    sets = {
        "true/q2": {"auc": 80.0, "overlap": 60.0, "ece": 0.1},
        "true/paws": {"auc": 70.0, "overlap": 50.0, "ece": 0.3},
        "nli3/cad_test": {"accuracy": 66.0},
        "nli3/lingnli_val": {"accuracy": 10.0},
    }
    assert summary(sets) == {
        "TRUE mean AUC": 75.0,
        "TRUE mean overlap AUC": 55.0,
        "TRUE mean ECE": 0.2,
        "three-way mean accuracy": 66.0,
    }
