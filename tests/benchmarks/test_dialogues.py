"""The benchmark of stages on dialogues: what is scored, what is kept, what a part says of itself."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anyio
import pytest

from benchmarks.dialogue_sets import BEGIN, HALUEVAL, dialogues
from benchmarks.dialogues import WAYS, Stopped, fingerprint, options, read, row, run_way, table

KNOWLEDGE = "The harbour of Lund has three piers. Boats moor there in winter."


def write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(each) + "\n" for each in rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    begin = [
        {
            "id": f"begin/{n}",
            "premise": f"Mill {n} is old.",
            "hypothesis": f"Mill {n} is old.",
            "label": n % 2,
        }
        for n in range(40)
    ]
    small_talk = {"knowledge": KNOWLEDGE, "history": ["Hi"], "right": "You're welcome", "hallucinated": "No."}
    talk = {
        "knowledge": KNOWLEDGE,
        "history": ["Hello", "Hi there.", "Do you know Lund?", "It has a harbour.", "How many piers?"],
        "right": "The harbour of Lund has three piers.",
        "hallucinated": "The harbour of Lund has nine piers.",
    }
    write(tmp_path / BEGIN, begin)
    write(tmp_path / HALUEVAL, [small_talk, talk] * 30)
    return tmp_path


def test_both_sets_take_turns_and_half_of_each_is_verifiable(folder: Path) -> None:
    picked = dialogues(folder, 8)
    assert [d.id.split("/")[0] for d in picked] == ["begin", "halueval"] * 4
    assert [d.turns[-1].label for d in picked] == [True, True, False, False] * 2
    assert dialogues(folder, 3) == picked[:3]
    assert len({d.id for d in picked}) == 8


def test_history_ends_with_the_user_and_its_answers_are_scored_without_a_label(folder: Path) -> None:
    turns = dialogues(folder, 2)[1].turns
    assert [turn.role for turn in turns] == ["user", "assistant", "user", "assistant"]
    assert [turn.text for turn in turns[:3]] == ["Do you know Lund?", "It has a harbour.", "How many piers?"]
    assert [turn.label for turn in turns] == [None, None, None, True]
    assert [len(turn.references) for turn in turns] == [0, 1, 0, 1]


def judged(request: dict[str, Any]) -> str:
    hallucinated = "nine piers" in request["messages"][-1]["content"]
    return json.dumps({"answers": ["hallucinated: nine" if hallucinated else "faithful: it is said"]})


def test_what_was_scored_is_kept_and_a_part_says_so(folder: Path, tmp_path: Path, server: Any) -> None:
    server.script = judged
    picked = dialogues(folder, 4)
    args = options("llm-judge", "m", server.url, tmp_path)
    anyio.run(run_way, "llm-judge", args, picked[:3], tmp_path)
    (row_of_part,) = table(tmp_path, {"llm-judge": args}, picked).values()
    assert row_of_part["dialogues"] == 3
    assert row_of_part["verifiable_found"] == "2 of 2"
    assert row_of_part["unverifiable_found"] == "0 of 1"
    asked = len(server.requests)
    path = tmp_path / "llm-judge.jsonl"
    path.write_text(path.read_text() + '{"key": "cut o')
    anyio.run(run_way, "llm-judge", args, picked[:3], tmp_path)
    assert len(server.requests) == asked
    anyio.run(run_way, "llm-judge", args, picked, tmp_path)
    assert [scored["id"] for scored in read(path)] == [dialogue.id for dialogue in picked]
    assert table(tmp_path, {"llm-judge": args}, picked)["llm-judge"]["turn_accuracy"] == 0.75


def test_seconds_of_kept_replies_count_again(folder: Path, tmp_path: Path, server: Any) -> None:
    server.script = judged
    picked = dialogues(folder, 2)
    args = options("llm-judge", "m", server.url, tmp_path)
    anyio.run(run_way, "llm-judge", args, picked, tmp_path)
    path = tmp_path / "llm-judge.jsonl"
    first = read(path)
    path.unlink()
    anyio.run(run_way, "llm-judge", args, picked, tmp_path)
    # Only the warm-up is asked again.
    assert len(server.requests) == 4 + 1
    for once, again in zip(first, read(path), strict=True):
        assert again["record"] == once["record"]
        assert again["seconds"] == pytest.approx(once["seconds"], rel=0.9)


def test_a_server_that_does_not_answer_stops_it(folder: Path, tmp_path: Path, server: Any) -> None:
    server.script = lambda request: (500, "{}")
    args = options("llm-judge", "m", server.url, tmp_path)
    with pytest.raises(Stopped, match="did not answer"):
        anyio.run(run_way, "llm-judge", args, dialogues(folder, 1), tmp_path)
    assert read(tmp_path / "llm-judge.jsonl") == []


def test_what_was_scored_otherwise_is_told_apart(folder: Path, tmp_path: Path) -> None:
    one, other = dialogues(folder, 2)
    keys = {fingerprint(options(way, "m", "http://127.0.0.1:1/v1", tmp_path), one) for way in WAYS}
    assert len(keys) == len(WAYS)
    args = options("embedded", "m", "", tmp_path)
    assert fingerprint(args, one) != fingerprint(args, other)


def test_a_row_by_hand() -> None:
    def scored(name: str, said: bool, label: bool, seconds: float) -> dict[str, Any]:
        turn = {"role": "assistant", "text": "x", "verifiable": said, "label": label}
        claim = {"text": "x", "category": "verified", "importance": "vital", "label": None}
        turn |= {"claims": [claim], "unresolved": [], "vital": {}}
        turn["vital"] = {"cumulative_precision": []}
        return {
            "id": name,
            "seconds": seconds,
            "stages": {"verify": seconds},
            "record": {"id": name, "turns": [turn]},
        }

    mine = [scored("a", True, True, 1.0), scored("b", True, False, 3.0)]
    figures = row(mine, [scored("a", False, True, 9.0)])
    assert figures["turn_accuracy"] == 0.5
    assert (figures["verifiable_found"], figures["unverifiable_found"]) == ("1 of 1", "0 of 1")
    assert (figures["seconds_a_claim"], figures["seconds_by_stage"]) == (2.0, {"verify": 4.0})
    assert figures["p_against_embedded"] == 1.0
    assert row(mine, [])["p_against_embedded"] is None
