import json

from vista_stream.claims import Category, Claim, Evidence, Scores, Span, UnresolvedReason, Verdict
from vista_stream.cli.event_lines import event_line
from vista_stream.events import ClaimSettled, ClaimUnresolved, TextReleased, TurnEnded
from vista_stream.report import StageTime, TurnReport

CLAIM = Claim(id=0, sentence=0, text="Tigers purr – “loudly”.", span=Span(0, 12))


def test_a_text_event_is_its_type_and_its_fields():
    event = TextReleased(text="a\nb ", span=Span(3, 7))
    assert json.loads(event_line(event)) == {
        "type": "text.released",
        "text": "a\nb ",
        "span": {"start": 3, "end": 7},
        "mark": "",
    }


def test_the_type_comes_first_and_the_event_is_one_line():
    line = event_line(TextReleased(text="a\nb", span=Span(0, 3)))
    assert line.startswith('{"type": "text.released", ')
    assert "\n" not in line


def test_a_verdict_is_nested_with_its_scores_and_evidence():
    evidence = Evidence(text="Big cats roar.", document="cats.txt", span=Span(5, 19), sentence=1)
    verdict = Verdict(
        claim=CLAIM,
        category=Category.CONTRADICTED,
        scores=Scores(0.1, 0.2, 0.7),
        evidence=evidence,
        tier="model",
    )
    settled = json.loads(event_line(ClaimSettled(verdict=verdict)))["verdict"]
    assert settled["category"] == "contradicted"
    assert settled["scores"] == {"entailment": 0.1, "neutral": 0.2, "contradiction": 0.7}
    assert settled["claim"]["text"] == CLAIM.text
    assert settled["evidence"]["document"] == "cats.txt"


def test_an_error_is_its_message():
    event = ClaimUnresolved(claim=CLAIM, reason=UnresolvedReason.VERIFIER_ERROR, error=OSError("gone"))
    assert json.loads(event_line(event))["error"] == "OSError: gone"


def test_the_last_event_carries_the_report():
    event = TurnEnded(report=TurnReport(received=5, released=5, hold_backs=(0.25,)))
    report = json.loads(event_line(event))["report"]
    assert (report["received"], report["hold_backs"], report["verdicts"]) == (5, [0.25], [])
    assert TurnReport.from_dict(report) == event.report


def test_the_report_says_what_each_stage_took():
    took = {"verify": StageTime(2, 0.5)}
    event = TurnEnded(report=TurnReport(stage_times=took, prompts={"verify": "verify-1"}))
    report = json.loads(event_line(event))["report"]
    assert report["stage_times"] == {"verify": {"calls": 2, "seconds": 0.5}}
    assert report["prompts"] == {"verify": "verify-1"}
