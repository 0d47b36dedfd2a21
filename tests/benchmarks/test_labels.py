import gzip
import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from benchmarks.labels import claim_types, importance


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def test_claim_types_are_told_by_the_head_and_by_rules_alone(tmp_path: Path) -> None:
    rows = [
        {"text": "The mill was built in 1874.", "label": "factual"},
        {"text": "I love it!", "label": "out_of_scope"},
        {"text": "I am not able to find it.", "label": "abstention"},
    ]
    write(tmp_path / "eval/claim_type.jsonl.gz", rows)
    assert claim_types(tmp_path) == {"rows": 3, "macro_f1": 100.0, "macro_f1_rules": 100.0}


def test_the_ranker_meets_peoples_labels_sentence_by_sentence(tmp_path: Path) -> None:
    vital, less = "Ada Moss designed the bridge in Porto.", "Painters like the colour of its paint."
    claims = [
        {"text": vital, "sentence": vital, "importance": "vital"},
        {"text": less, "sentence": less, "importance": "less-important"},
        {"text": "It rains.", "sentence": less, "importance": None},
    ]
    answer = {"query": "Who designed the bridge in Porto?", "claims": claims}
    for version in ("normal", "missing", "wrong"):
        write(tmp_path / f"eval/vital/{version}.jsonl.gz", [answer])
    found = anyio.run(importance, tmp_path)
    assert found["claims"] == 6
    assert found["recall_vital"] == 1.0
    assert found["share_vital"] == found["share_vital_people"] == pytest.approx(0.5)
    assert found["kappa_quadratic"] == found["kappa_linear"] == 1.0
