"""The claim-type recipe: the rules measured on labelled statements, and a head on sources it has not seen."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sklearn", reason="the recipe needs the extra [score]")

from vista_stream.training.__main__ import main
from vista_stream.training.claim_type import Row, by_head, claim_type, load
from vista_stream.verifiers.embedded import EmbeddedEmbedder

STATEMENTS = {
    "factual": "The mill of Lund has {} rooms.",
    "out_of_scope": "I love walking by the {} boats!",
    "abstention": "I am not able to find document {}.",
}


def table() -> list[dict[str, Any]]:
    return [
        {
            "text": text.format(number),
            "label": label,
            "history": [],
            "source": f"source {number % 2}",
            "licence": "MIT",
        }
        for number in range(67)
        for label, text in STATEMENTS.items()
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def test_two_hundred_rows_give_a_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "claim_type.jsonl.gz", table())
    assert main(["claim-type", "--data", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "201 rows" in out
    assert "rules: macro F1 100.0" in out
    card = json.loads((tmp_path / "out" / "claim_type.json").read_text())
    assert card["rules"]["confusion"]["abstention"] == {"factual": 0, "out_of_scope": 0, "abstention": 67}
    assert card["head, on sources it has not seen"]["macro_f1"] > 90
    assert card["mistakes of the rules"] == {}


def test_mistakes_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps({"text": "The mill is old.", "label": "out_of_scope"}))
    assert main(["claim-type", "--data", str(path), "--out", str(tmp_path)]) == 0
    card = json.loads((tmp_path / "claim_type.json").read_text())
    assert card["mistakes of the rules"] == {"out_of_scope, taken as factual": ["The mill is old."]}


def test_a_head_needs_two_sources_and_two_types_in_the_others() -> None:
    embedder = EmbeddedEmbedder.from_pretrained(threads=1)
    one = [Row("The mill is old.", "factual", "a"), Row("I love it!", "out_of_scope", "a")]
    assert by_head(one, embedder) is None
    assert by_head([*one, Row("The bank is new.", "factual", "b")], embedder) is None


def test_a_courtesy_or_a_question_makes_no_claim() -> None:
    assert claim_type("Hello there!") == claim_type("Is it old?") == "out_of_scope"
    assert claim_type("It was built in 1874.") == "factual"


def test_rows_without_a_stated_licence_are_left_out(tmp_path: Path) -> None:
    rows = table()[:2]
    rows[0]["licence"] = "none stated"
    assert [row.text for row in load(write(tmp_path / "claim_type.jsonl.gz", rows))] == [rows[1]["text"]]
    with pytest.raises(ValueError, match="no row with a licence"):
        load(write(tmp_path / "claim_type.jsonl.gz", rows[:1]))


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        pytest.param("[" * 100_000, id="nested deep"),
        '{"text": "A."}',
        '{"text": "A.", "label": "true"}',
    ],
)
def test_a_line_that_is_no_row_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(line)
    with pytest.raises(ValueError, match=r"own\.jsonl, line 1"):
        load(path)
