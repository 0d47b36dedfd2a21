"""The importance recipe end to end: rows, weights, limits, the file, and the ranker that reads it."""

import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vista_stream.claims import Draft, Importance, Span
from vista_stream.core.query import QUERY_KINDS
from vista_stream.stages.embedded.rank import EmbeddedRank
from vista_stream.stages.embedded.rank_weights import read_model
from vista_stream.training.__main__ import main
from vista_stream.training.importance import RECALL, claims_of, fit, kappa
from vista_stream.training.importance_rows import Row
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


def test_the_fit_learns_that_the_questions_words_count() -> None:
    lines, found = fit(claims_of(rows(), Words()))
    assert lines["precise"].slopes.similarity + lines["precise"].slopes.cover > 0
    assert set(lines) == set(QUERY_KINDS)
    assert all(line.okay <= line.vital for line in lines.values())
    assert found["recall_vital"] == pytest.approx(RECALL, abs=0.02)
    assert found["kappa_quadratic"] > 0.5
    without, _ = fit(claims_of(rows(), None))
    assert without["precise"].slopes.similarity == 0


def test_a_kind_of_query_whose_claims_weigh_otherwise_has_other_slopes() -> None:
    made = [
        replace(row, query=f"Is {row.query}", importance=row.importance if row.position else LESS)
        for row in rows()
    ]
    lines, _ = fit(claims_of([*rows(), *made], None))
    assert lines["polar"].slopes.opens < lines["precise"].slopes.opens


def test_figures_are_of_queries_that_were_not_fitted_on() -> None:
    chance = random.Random(1)
    noise = [replace(row, importance=chance.choice((VITAL, OKAY, LESS))) for row in rows()]
    _, found = fit(claims_of(noise, Words()))
    assert abs(found["kappa_quadratic"]) < 0.25


def test_kappa_by_hand() -> None:
    first, second = np.array([0.0, 0, 1, 2]), np.array([0.0, 1, 1, 2])
    assert kappa(first, first) == 1.0
    # One of four is one class apart; by chance, from shares 2:1:1 and 1:2:1, it would be 1.25 and 0.875.
    assert kappa(first, second) == pytest.approx(1 - 0.25 / 1.25)
    assert kappa(first, second, power=1) == pytest.approx(1 - 0.25 / 0.875)


@pytest.mark.parametrize("importances", [(VITAL,), (VITAL, OKAY, LESS)], ids=["one class", "one query"])
def test_rows_that_cannot_be_fitted_are_refused(importances: tuple[Importance, ...]) -> None:
    one = [Row(query="Who?", text="It rains.", importance=each) for each in importances]
    with pytest.raises(ValueError, match="rows to fit on"):
        fit(claims_of(one, None))


def test_queries_that_ask_the_same_are_in_one_fold() -> None:
    row = rows()[0]
    same = [replace(row, query=query) for query in ("who designed the Bridge", "Who designed the bridge?")]
    folds = claims_of(same, None).folds
    assert folds[0] == folds[1]


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
    assert told["with_similarity"]["figures"]["recall_vital"] >= 0.85
    assert read_model(path.parent, "with_similarity")["none"].slopes.similarity == 0
    drafts = [Draft(text=text, span=Span(0, 1)) for text in ("Ada Moss designed the bridge.", "It rains.")]
    for embedder in (None, EmbeddedEmbedder.from_pretrained(threads=1)):
        rank = EmbeddedRank.from_file(path, embedder)
        found = asyncio.run(rank.rank(drafts, "Who designed the bridge?", position=0))
        assert found[0] is VITAL
        assert found[1] is not VITAL


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
