"""Scored dialogues as JSON objects."""

from __future__ import annotations

from itertools import permutations

from vista_stream.claims import Category, Claim, Importance, Span, UnresolvedReason, Verdict
from vista_stream.report import TurnReport, Unresolved
from vista_stream.scoring.dialogue import Dialogue, DialogueTurn
from vista_stream.scoring.records import dialogue_record
from vista_stream.scoring.scorer import DialogueScore, TurnScore
from vista_stream.stages.nuggets import MatchedNugget, Nugget, Support

DIALOGUE = Dialogue(id="d", turns=[DialogueTurn(role="assistant", text="Tea is hot.")])


def claim(importance: Importance) -> Claim:
    return Claim(id=0, sentence=0, text="Tea is hot.", span=Span(0, 11), importance=importance)


def measures(report: TurnReport, *nuggets: MatchedNugget) -> dict[str, object]:
    turn = TurnScore(position=0, report=report, verifiable=True, nuggets=nuggets)
    record = dialogue_record(DIALOGUE, DialogueScore(turns=[turn]), setup={})
    measured: dict[str, object] = record["turns"][0]["vital"]
    return measured


def test_rlp_is_null_where_a_vital_claim_is_unresolved() -> None:
    lost = Unresolved(claim=claim(Importance.VITAL), reason=UnresolvedReason.STAGE_ERROR)
    verdict = Verdict(claim=claim(Importance.OKAY), category=Category.VERIFIED)
    assert measures(TurnReport(verdicts=[verdict], unresolved=[lost]))["rlp"] is None
    assert measures(TurnReport(verdicts=[verdict]))["rlp"] is False


def test_nuggets_are_ranked_before_they_decay() -> None:
    vital = Nugget(text="Tea is hot.", importance=Importance.VITAL)
    okay = Nugget(text="Tea is old.", importance=Importance.OKAY)
    matched = [
        MatchedNugget(nugget=vital, support=Support.SUPPORTED),
        MatchedNugget(nugget=okay, support=Support.NOT_SUPPORTED),
        MatchedNugget(nugget=okay, support=Support.NOT_SUPPORTED),
    ]
    decayed = {measures(TurnReport(), *order)["decayed_recall"] for order in permutations(matched)}
    assert decayed == {3 / 6}


def test_recall_of_no_nuggets_is_null() -> None:
    measured = measures(TurnReport())
    recalls = ("nugget_recall", "vital_recall", "rlr", "decayed_recall")
    assert [measured[name] for name in recalls] == [None] * 4
