from vista_stream import Category, Claim, ClaimSettled, Evidence, SecondOpinion, Span, Verdict
from vista_stream_adapters.rewrite.vista_field import verdicts_field

CLAIM = Claim(id=0, sentence=0, text="It opens at 10 am.", span=Span(0, 18))


def told(*verdicts):
    return verdicts_field([ClaimSettled(verdict=verdict) for verdict in verdicts], show=True)["verdicts"]


def test_a_verdict_names_what_its_claim_supersedes():
    old = Evidence(text="It opens at 9 am.", document="turn 1", span=Span(0, 17), sentence=0)
    verdict = Verdict(claim=CLAIM, category=Category.LACKING_EVIDENCE, supersedes=(old,))
    changed, plain = told(verdict, Verdict(claim=CLAIM, category=Category.LACKING_EVIDENCE))
    assert changed["supersedes"] == ["It opens at 9 am."]
    assert "supersedes" not in plain


def test_a_verdict_has_the_evidence_that_counts_and_what_opposes_it():
    new, old = (
        Evidence(text=f"It opens at {hour} am.", document=name, span=Span(0, 18), sentence=0)
        for hour, name in ((10, "new"), (9, "old"))
    )
    verdict = Verdict(claim=CLAIM, category=Category.VERIFIED, evidence=new, opposing=old)
    opposed, plain = told(verdict, Verdict(claim=CLAIM, category=Category.VERIFIED))
    assert opposed["evidence"] == {"text": "It opens at 10 am.", "document": "new", "span": [0, 18]}
    assert opposed["opposing"] == {"text": "It opens at 9 am.", "document": "old", "span": [0, 18]}
    assert plain["evidence"] is plain["opposing"] is None


def test_a_verdict_tells_what_the_second_verifier_cost_and_not_why_it_failed():
    asked = SecondOpinion(by="LlmVerify", seconds=1.23456, prompt_tokens=100, completion_tokens=7)
    failed = SecondOpinion(by="LlmVerify", failed="no answer from http://10.0.0.1")
    of = (Verdict(claim=CLAIM, category=Category.VERIFIED, second=each) for each in (asked, failed, None))
    decided, undecided, plain = told(*of)
    cost = {"seconds": 1.2346, "prompt_tokens": 100, "completion_tokens": 7}
    assert decided["second"] == {"by": "LlmVerify", "decided": True, **cost}
    assert undecided["second"]["decided"] is False
    assert "10.0.0.1" not in str(undecided)
    assert "second" not in plain
