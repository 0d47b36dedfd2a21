import pytest

from vista_stream.claims import (
    Category,
    Claim,
    Evidence,
    Importance,
    SecondOpinion,
    Span,
    UnresolvedReason,
    Verdict,
)
from vista_stream.cli.summary import percentile, summary_lines
from vista_stream.report import StageTime, TurnReport, Unresolved


def claim(text):
    return Claim(id=0, sentence=0, text=text, span=Span(0, 1), importance=Importance.VITAL)


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([], 0.5, 0.0),
        ([3.0], 0.95, 3.0),
        ([4, 1, 3, 2], 0.5, 2),
        ([4, 1, 3, 2], 0.95, 4),
        ([1, 2, 3], 0.5, 2),
    ],
)
def test_percentile_is_a_value_that_occurred(values, share, expected):
    assert percentile(values, share) == expected


def test_counts_then_contradictions_with_their_evidence_then_the_unresolved():
    evidence = Evidence(text="It opened\nin 1914.", document="canal.txt", span=Span(0, 18), sentence=2)
    report = TurnReport(
        verdicts=(
            Verdict(claim=claim("It is long."), category=Category.VERIFIED),
            Verdict(claim=claim("It opened in 1941."), category=Category.CONTRADICTED, evidence=evidence),
        ),
        unresolved=(Unresolved(claim=claim("It is wide."), reason=UnresolvedReason.DEADLINE),),
        hold_backs=(0.010, 0.030),
    )
    assert list(summary_lines(report, blocked=1)) == [
        "3 claims (1 verified, 1 contradicted, 1 unresolved); 1 sentence blocked;"
        " held back 10 ms (median), 30 ms (95th percentile)",
        "  contradicted (vital): It opened in 1941.",
        "    canal.txt, sentence 3: It opened in 1914.",
        "  unresolved (deadline): It is wide.",
    ]


def test_a_claim_about_which_references_disagree_is_told_with_both_whatever_its_category():
    new, old = (
        Evidence(text=f"It opens at {hour}.", document=name, span=Span(0, 15), sentence=0)
        for hour, name in (("10:00", "new.txt"), ("9:00", "old.txt"))
    )
    told = Verdict(claim=claim("It opens at 10."), category=Category.VERIFIED, evidence=new, opposing=old)
    assert list(summary_lines(TurnReport(verdicts=(told,)), blocked=0))[1:] == [
        "  verified (vital): It opens at 10.",
        "    new.txt, sentence 1: It opens at 10:00.",
        "    but old.txt, sentence 1: It opens at 9:00.",
    ]


def test_a_turn_without_claims_is_one_line():
    lines = list(summary_lines(TurnReport(), blocked=0))
    assert lines == ["0 claims; 0 sentences blocked; held back 0 ms (median), 0 ms (95th percentile)"]


def test_the_last_line_says_what_each_stage_took():
    times = {"decompose": StageTime(2, 0.012), "verify": StageTime(3, 0.3)}
    *_, line = summary_lines(TurnReport(stage_times=times), blocked=0)
    assert line == "time by stage (calls): decompose 12 ms (2), verify 300 ms (3)"


def test_what_the_second_verifier_decided_and_cost_and_why_it_did_not():
    opinions = [
        SecondOpinion(by="LlmVerify", seconds=1.25, prompt_tokens=100, completion_tokens=7),
        SecondOpinion(by="LlmVerify", seconds=0.5, prompt_tokens=50, failed="it was late"),
        SecondOpinion(by="LlmVerify", failed="the turn's budget is spent"),
        None,
    ]
    verdicts = [Verdict(claim=claim("It is."), category=Category.VERIFIED, second=each) for each in opinions]
    assert list(summary_lines(TurnReport(verdicts=verdicts), blocked=0))[1:] == [
        "second verifier: due for 3 claims, decided 1; 1.8 s, 150 + 7 tokens",
        "  not by the second (1): it was late",
        "  not by the second (1): the turn's budget is spent",
    ]
