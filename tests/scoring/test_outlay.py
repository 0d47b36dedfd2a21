"""What a scoring run took."""

import pytest

from vista_stream.report import StageTime, TurnReport
from vista_stream.scoring.outlay import Outlay, Prices
from vista_stream.scoring.scorer import DialogueScore, TurnScore
from vista_stream.stages.llm.client import Spent


def score(*seconds: float) -> DialogueScore:
    reports = [TurnReport(stage_times={"verify": StageTime(1, each)}) for each in seconds]
    turns = [TurnScore(position=n, report=report, verifiable=True) for n, report in enumerate(reports)]
    return DialogueScore(turns=turns)


def test_dialogues_and_their_stages_add_up() -> None:
    outlay = Outlay()
    outlay.add(score(0.5, 0.25))
    outlay.add(score(1.0))
    record = outlay.record()
    assert record["dialogues"] == 2
    assert record["stages"] == {"verify": {"calls": 3, "seconds": 1.75}}
    assert 0 <= record["seconds"] < 5


def test_what_a_client_spends_later_counts_too() -> None:
    spent: dict[str, Spent] = {}
    outlay = Outlay(prices=Prices(2.0, 10.0), spent=spent)
    assert outlay.record()["prompts"] == {}
    spent["verify"] = Spent("verify-1", calls=1, prompt_tokens=1_000_000, completion_tokens=100_000)
    assert outlay.record()["prompts"]["verify"]["cost"] == pytest.approx(2 + 1)


def test_without_prices_there_is_no_cost() -> None:
    outlay = Outlay(spent={"verify": Spent("verify-1", calls=1, prompt_tokens=9)})
    assert outlay.cost(outlay.spent["verify"]) is None
    assert "cost" not in outlay.record()["prompts"]["verify"]
