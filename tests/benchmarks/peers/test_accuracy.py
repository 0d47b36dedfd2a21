"""The accuracy table of figures that were measured elsewhere."""

import json

from benchmarks.peers.accuracy import markdown


def test_ours_stands_beside_the_published_scores(tmp_path):
    def true(auc, published):
        return {"auc": auc, "low": 1.0, "high": 99.0, "ece": 0.1, "baselines": {"unieval": published}}

    sets = {"true/q2": true(70.0, 60.0), "true/paws": true(80.0, 61.0)}
    sets["nli3/cad_test"] = {"accuracy": 66.0, "macro_f1": 65.0}
    figures = {"model": "ours-1", "sets": sets, "speed": {"ms for 1": 9.5}}
    (tmp_path / "accuracy.json").write_text(json.dumps({"figures": figures}))
    told = markdown(tmp_path)
    assert "| ours-1 | 70.0 (1.0–99.0) | 80.0 (1.0–99.0) | 75.0 |" in told
    assert "| UniEval, published scores | 60.0 | 61.0 | 60.5 |" in told
    assert "SummaC" not in told
    assert "| cad_test | 66.0 | 65.0 |" in told
    assert "mean of these sets: 0.100" in told
    assert "- ms for 1: 9.5" in told
    assert "streaming.json is not there: run `python -m benchmarks streaming` first" in told


def test_block_recall_is_of_the_sets_that_have_it(tmp_path):
    found = {"block recall at 2% false blocks": 20.0, "block recall at 5% false blocks": 30.0}
    (tmp_path / "streaming.json").write_text(json.dumps({"figures": {"vital": found, "missing": {}}}))
    told = markdown(tmp_path)
    assert "| vital | 20.0 | 30.0 |" in told
    assert "| missing" not in told


def test_other_verifiers_stand_above_or_are_named_with_the_reason(tmp_path):
    scored = {"auc": 70.0, "low": 60.0, "high": 80.0, "rows": 9}
    rows = [
        {"verifier": "rules", "sets": {"true/q2": scored}, "ms a pair": 0.5},
        {"verifier": "b", "absent": "no degrees"},
    ]
    told = markdown(tmp_path, rows)
    assert "| rules | 70.0 (60.0–80.0) | 70.0 | 0.5 |" in told
    assert "- b: no degrees" in told
