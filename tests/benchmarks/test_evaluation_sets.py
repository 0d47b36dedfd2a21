import gzip
import json
from pathlib import Path

from benchmarks.evaluation_sets import published, read, sample, sets


def test_labels_get_one_spelling_and_texts_are_cleaned(tmp_path: Path, write_set) -> None:
    path = tmp_path / "eval/true/q2.jsonl.gz"
    write_set(path, [("A -LRB- B -RRB- .", "B .", 1), ("A.", "C.", 0)])
    first, second = read(path)
    assert (first.premise, first.label, first.place) == ("A (B).", "entailment", 0)
    assert (second.label, second.place) == ("not_entailment", 1)


def test_a_sample_is_the_same_each_time_and_in_order(tmp_path: Path, write_set) -> None:
    write_set(tmp_path / "eval/nli2/x.jsonl.gz", [(f"P{n}.", "H.", "entailment") for n in range(50)])
    ((name, rows),) = sets(tmp_path, "", 10)
    assert name == "nli2/x"
    places = [row.place for row in rows]
    assert len(places) == 10
    assert places == sorted(places)
    assert rows == sample(read(tmp_path / "eval/nli2/x.jsonl.gz"), 10)
    assert list(sets(tmp_path, "true/")) == []


def test_published_scores_may_be_absent(tmp_path: Path) -> None:
    assert published(tmp_path) == {}
    path = tmp_path / "eval/true/published.json.gz"
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(json.dumps({"scores": {}}).encode()))
    assert published(tmp_path) == {"scores": {}}
