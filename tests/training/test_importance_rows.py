"""Claims with known importance, in each of the forms that are read."""

import gzip
import json
from pathlib import Path

import pytest

from vista_stream.claims import Importance
from vista_stream.training.importance_rows import Row, rows_of

VITAL, OKAY, LESS = Importance.VITAL, Importance.OKAY, Importance.LESS_IMPORTANT
WRITTEN = """#q who designed the bridge
A: Porto is a town. It has:
- a bridge, designed by Ada Moss
- a mill
#claims
S | Porto is a town.
V | Ada Moss designed the bridge.
K | Porto has a bridge.

#q is it old
A: Yes, it is old.
#claims
V | It is old.
"""


def test_the_written_form_places_claims_in_the_sentences_with_most_of_their_words(tmp_path: Path) -> None:
    (tmp_path / "part-01.txt").write_text(WRITTEN)
    found = [(row.query, row.text, row.importance, row.position) for row in rows_of(tmp_path)]
    assert found == [
        ("who designed the bridge", "Porto is a town.", LESS, 0),
        ("who designed the bridge", "Ada Moss designed the bridge.", VITAL, 1),
        ("who designed the bridge", "Porto has a bridge.", OKAY, 1),
        ("is it old", "It is old.", VITAL, 0),
    ]


def test_an_answer_with_claims_is_placed_in_the_same_way(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    claims = [
        {"text": "It has a mill.", "importance": "okay"},
        {"text": "It is old.", "importance": "vital"},
    ]
    answer = {"query": "is it old", "answer": "It is old. Today it rains. It has a mill.", "claims": claims}
    path.write_text(f"{json.dumps(answer)}\n{json.dumps(answer)}\n")
    found = rows_of(path)
    assert [(row.text, row.importance, row.position) for row in found] == [
        ("It is old.", VITAL, 0),
        ("It has a mill.", OKAY, 1),
    ] * 2
    assert found[0].answer != found[2].answer


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        pytest.param("[" * 100_000, id="nested deep"),
        "[]",
        '{"query": "Who?", "text": "It.", "importance": "high"}',
        '{"query": "", "text": "It.", "importance": "vital"}',
        '{"query": "Who?", "text": "It.", "importance": "vital", "position": -1}',
        '{"query": "Who?", "answer": "It.", "claims": [{"text": "It."}]}',
        '{"query": "Who?", "answer": "", "claims": [{"text": "It.", "importance": "vital"}]}',
        '{"query": "Who?", "answer": "It.", "claims": 3}',
    ],
)
def test_a_line_that_is_no_row_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(ValueError, match=r"own\.jsonl, line 2: a row must hold"):
        rows_of(path)


def test_a_written_line_that_is_no_claim_is_named(tmp_path: Path) -> None:
    (tmp_path / "part-01.txt").write_text("#q is it old\nA: Yes.\n#claims\nX | It is old.\n")
    with pytest.raises(ValueError, match=r"part-01\.txt, line 4: a claim must begin with"):
        rows_of(tmp_path)


@pytest.mark.parametrize("name", ["own.jsonl", "own.jsonl.gz"])
def test_a_line_separator_stands_inside_a_text(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    line = json.dumps({"query": "Who?", "text": "It\u2028is.", "importance": "vital"}, ensure_ascii=False)
    with (gzip.open if name.endswith("gz") else open)(path, "wt", encoding="utf-8") as file:
        file.write(f"{line}\n")
    assert rows_of(path) == [Row(query="Who?", text="It\u2028is.", importance=VITAL, answer="Who?")]
