import gzip
import json
from pathlib import Path

import pytest

from benchmarks.evaluation_sets import Row, read
from benchmarks.long_text_choices import FILE, SOURCE, best_temperature, choices, cross_entropy
from benchmarks.long_texts import TAUGHT
from vista_stream.claims import Scores

YES, NO = Scores(0.9, 0.05, 0.05), Scores(0.05, 0.9, 0.05)
LONG = "harbour " * (TAUGHT + 1)


def test_only_training_rows_of_the_one_source_are_read(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    row = {"premise": "The  harbour is deep.", "hypothesis": "It is deep.", "label": "entailment"}
    lines = [json.dumps(row | {"source": source}) for source in ("summedits_evalsplit", "another")]
    (tmp_path / "train" / "nli.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    assert read(tmp_path / FILE, source=SOURCE) == [
        Row("The harbour is deep.", "It is deep.", "entailment", 0)
    ]


def test_a_temperature_above_one_is_asked_for_where_sure_scores_are_often_wrong() -> None:
    rows = [Row("", "", label, 0) for label in ["entailment"] * 3 + ["not_entailment"] * 2]
    sure = [[YES]] * 5
    assert best_temperature(rows, sure) > 2
    assert best_temperature(rows[:3], sure[:3]) == 1.0
    assert cross_entropy(rows[:1], [YES]) == pytest.approx(0.105, abs=0.001)


def test_long_and_short_premises_are_told_apart() -> None:
    rows = [
        Row(premise, "", label, 0)
        for premise in (LONG, "short")
        for label in ("entailment", "not_entailment")
    ]
    told = dict(choices(rows, [[YES, YES], [YES, NO], [YES], [NO]]))
    assert told["least"]["all"]["auc"] == told["least"]["long"]["auc"] == 100
    softer = told["least, softer where long"]
    assert softer["short"] == told["least"]["short"]
    assert softer["long"]["ece"] > told["least"]["long"]["ece"]
    assert told["temperature of least cross entropy, long"]["rows"] == 2
