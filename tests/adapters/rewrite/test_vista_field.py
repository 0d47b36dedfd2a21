from vista_stream import Category, Claim, ClaimSettled, Evidence, Span, Verdict
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
