"""The one-pass judge."""

import re
from typing import Any

import pytest

from vista_stream.scoring.dialogue import Dialogue, DialogueTurn
from vista_stream.scoring.judge import JudgeScorer

pytestmark = pytest.mark.anyio

DIALOGUE = Dialogue(
    id="d",
    turns=[
        DialogueTurn(role="user", text="Is tea hot?"),
        DialogueTurn(role="assistant", text="Tea is hot.", references=["Tea is served hot."]),
    ],
)


@pytest.mark.parametrize(
    ("reply", "verifiable", "why"),
    [
        ("1. faithful: the text says so.", True, "the text says so."),
        ('{"answers": ["Hallucinated: nothing about tea"]}', False, "nothing about tea"),
        ("hallucinated", False, ""),
    ],
)
async def test_one_word_a_turn(server: Any, reply: str, verifiable: bool, why: str) -> None:
    server.script = lambda request: reply
    async with server.client() as client:
        (turn,) = (await JudgeScorer(client).score(DIALOGUE)).turns
    assert (turn.position, turn.verifiable, turn.explanation) == (1, verifiable, why)
    asked = server.requests[0]["messages"][-1]["content"]
    assert "user: Is tea hot?" in asked
    assert "Tea is served hot." in asked
    pattern = server.requests[0]["response_format"]["json_schema"]["schema"]["properties"]["answers"]["items"]
    assert re.fullmatch(pattern["pattern"], "faithful: the text says so.")
    assert not re.fullmatch(pattern["pattern"], 'faithful: the text says "so".')
    assert turn.report.stage_times["judge"].calls == 1
    assert turn.report.prompts == {"judge_turn": "judge-turn-1"}


async def test_no_usable_word_is_no_verdict(server: Any) -> None:
    server.script = lambda request: "1. I cannot say."
    async with server.client() as client:
        (turn,) = (await JudgeScorer(client, history=False).score(DIALOGUE)).turns
    assert turn.verifiable is None
    assert "no usable answer" in turn.errors[0]
    assert "Is tea hot?" not in server.requests[0]["messages"][-1]["content"]
