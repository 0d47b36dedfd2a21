"""The importance recipe end to end: rows, weights, limits, the file, and the ranker that reads it."""

import asyncio
import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vista_stream.claims import Draft, Importance, Span
from vista_stream.core.importance import Features, Weights
from vista_stream.stages.embedded.rank import EmbeddedRank
from vista_stream.training.__main__ import main
from vista_stream.training.importance import Job, agreement, fit, kappa, limited, own_rows, split, train
from vista_stream.training.made.answers import Row
from vista_stream.verifiers.embedded import EmbeddedEmbedder

VITAL, OKAY, LESS = Importance.VITAL, Importance.OKAY, Importance.LESS_IMPORTANT
PLACES = ("bridge", "tower", "harbour", "museum", "station", "mill", "castle", "market", "school", "bank")
TEXTS = (
    ("Ada Moss designed the {} in the old town.", VITAL),
    ("The plan of the {} took two years.", OKAY),
    ("It rains there at noon.", LESS),
)


class Words:
    """Vectors of words, so that texts with words in common are alike."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = []
        for text in texts:
            row = np.zeros(64, dtype=np.float32)
            for word in text.lower().rstrip(".?").split():
                row[sum(word.encode()) % 64] += 1
            rows.append(row / max(np.linalg.norm(row), 1e-6))
        return np.array(rows)


def rows() -> list[Row]:
    chance = random.Random(0)
    made = []
    for number in range(200):
        place = PLACES[number % len(PLACES)]
        text, importance = TEXTS[number % len(TEXTS)]
        if chance.random() < 0.1:
            importance = OKAY
        query = f"Who designed the {place} number {number // 6}?"
        made.append(Row(query=query, text=text.format(place), importance=importance, position=number % 3))
    return made


def test_the_fit_learns_that_the_questions_words_and_an_early_place_count() -> None:
    weights = fit(rows(), Words())
    assert weights.features.relation > 0
    assert weights.position > 0
    assert weights.okay < weights.vital
    assert fit(rows(), None).features.similarity == 0


def test_the_limits_reach_the_recall_that_is_asked_for() -> None:
    weights = limited(fit(rows(), None), rows(), None)
    found = agreement(rows(), weights, None)
    assert found["recall_vital"] >= 0.9
    assert found["kappa_quadratic"] > 0.3
    assert weights.okay <= weights.vital


def test_kappa_by_hand() -> None:
    first, second = np.array([0.0, 0, 1, 2]), np.array([0.0, 1, 1, 2])
    assert kappa(first, first) == 1.0
    # One of four is one class apart; by chance, from shares 2:1:1 and 1:2:1, it would be 1.25 and 0.875.
    assert kappa(first, second) == pytest.approx(1 - 0.25 / 1.25)
    assert kappa(first, second, power=1) == pytest.approx(1 - 0.25 / 0.875)


def test_rows_of_one_kind_are_refused() -> None:
    one = [Row(query="Who?", text="It rains.", importance=VITAL)]
    with pytest.raises(ValueError, match="rows to fit on"):
        fit(one, None)
    with pytest.raises(ValueError, match="rows to choose limits on"):
        limited(Weights(Features(1, 1, 1, 1), 0, 0, 0), [], None)


def test_no_query_is_on_both_sides() -> None:
    learnt, held_out = split(rows())
    assert len(learnt) + len(held_out) == 200
    assert held_out
    assert not {row.query for row in learnt} & {row.query for row in held_out}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.jsonl"
    lines = [
        {"query": r.query, "text": r.text, "importance": str(r.importance), "position": r.position}
        for r in rows()
    ]
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_two_hundred_own_claims_give_a_file_that_the_ranker_takes(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["importance", "--data", str(own), "--out", str(tmp_path / "out")]) == 0
    assert "200 claims for" in capsys.readouterr().out
    path = tmp_path / "out" / "importance.json"
    told = json.loads(path.read_text())
    assert told["made of"] == "own.jsonl"
    assert told["with_similarity"]["held out"]["recall_vital"] >= 0.85
    drafts = [Draft(text=text, span=Span(0, 1)) for text in ("Ada Moss designed the bridge.", "It rains.")]
    for embedder in (None, EmbeddedEmbedder.from_pretrained(threads=1)):
        rank = EmbeddedRank.from_file(path, embedder)
        found = asyncio.run(rank.rank(drafts, "Who designed the bridge?", position=0))
        assert found[0] is VITAL
        assert found[1] is not VITAL


def test_a_folder_of_questions_is_made_into_answers(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "nli.jsonl.gz", "wt", encoding="utf-8") as file:
        for number in range(40):
            place = f"{PLACES[number % len(PLACES)]} of Lund {number}"
            row = {
                "premise": f"The {place} was designed by Ada Moss {number}. It has a roof. Boats pass it.",
                "hypothesis": f"Who designed the {place}? Ada Moss {number}",
                "label": "entailment",
                "source": "halueval_qa",
                "licence": "MIT",
            }
            file.write(json.dumps(row) + "\n")
    said: list[str] = []
    path = train(Job(data=tmp_path, out=tmp_path / "out", questions=30), Words(), say=said.append)
    told = json.loads(path.read_text())
    assert told["made of"] == "halueval_qa"
    assert set(told["claims"]) == {"vital", "okay", "less_important"}


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        pytest.param("[" * 100_000, id="nested deep"),
        "[]",
        '{"query": "Who?", "text": "It.", "importance": "high"}',
        '{"query": "", "text": "It.", "importance": "vital"}',
        '{"query": "Who?", "text": "It.", "importance": "vital", "position": -1}',
    ],
)
def test_a_line_that_is_no_row_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(ValueError, match=r"own\.jsonl, line 2: a row must hold"):
        own_rows(path)


@pytest.mark.parametrize("name", ["own.jsonl", "own.jsonl.gz"])
def test_a_line_separator_stands_inside_a_text(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    line = json.dumps({"query": "Who?", "text": "It\u2028is.", "importance": "vital"}, ensure_ascii=False)
    with (gzip.open if name.endswith("gz") else open)(path, "wt", encoding="utf-8") as file:
        file.write(f"{line}\n")
    assert own_rows(path) == [Row(query="Who?", text="It\u2028is.", importance=VITAL, position=0)]


@pytest.mark.parametrize("recipe", ["importance", "claim-type"])
def test_an_encoder_that_is_none_is_one_line(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], recipe: str
) -> None:
    assert main([recipe, "--data", str(own), "--out", str(tmp_path), "--encoder", str(tmp_path / "no")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("training: ")


def test_a_file_without_weights_is_named(tmp_path: Path) -> None:
    path = tmp_path / "importance.json"
    path.write_text('{"with_similarity": {}}')
    with pytest.raises(ValueError, match="must hold the weights without_similarity"):
        EmbeddedRank.from_file(path)
