import pytest

from vista_stream.claims import Category, Claim, Importance, Span, Verdict
from vista_stream.core.gate import Decision, ReleaseGate, strongest
from vista_stream.core.text.segmenter import Segment, SegmentKind
from vista_stream.errors import SessionStateError
from vista_stream.policy import NOTICE, UNRESOLVED_NOTICE, Policy, annotate, replace, stop, withhold


def segment(index: int) -> Segment:
    return Segment(index=index, text="x", span=Span(index, index + 1), kind=SegmentKind.SENTENCE)


def test_entries_leave_in_the_order_of_the_text():
    gate = ReleaseGate()
    for index in range(3):
        gate.push(segment(index), arrived=0.0, certain=0.0)
    gate.decide(2, Decision())
    gate.decide(1, Decision())
    assert gate.pop() is None
    gate.decide(0, Decision())
    assert [entry.segment.index for entry in iter(gate.pop, None)] == [0, 1, 2]
    assert len(gate) == 0


def test_a_segment_is_decided_once():
    gate = ReleaseGate()
    gate.push(segment(0), arrived=0.0, certain=0.0)
    gate.decide(0, Decision())
    with pytest.raises(SessionStateError, match="decided already"):
        gate.decide(0, Decision(withhold()))


def test_a_segment_that_left_or_never_came_is_not_in_the_gate():
    gate = ReleaseGate()
    gate.push(segment(0), arrived=0.0, certain=0.0)
    gate.decide(0, Decision())
    gate.pop()
    for index in (0, 7):
        with pytest.raises(SessionStateError, match=f"segment {index} "):
            gate.entry(index)


def test_clear_takes_out_everything_decided_or_not():
    gate = ReleaseGate()
    gate.push(segment(0), arrived=0.0, certain=0.0)
    gate.push(segment(1), arrived=0.0, certain=0.0)
    gate.decide(1, Decision())
    assert [entry.segment.index for entry in gate.clear()] == [0, 1]
    assert gate.pop() is None


def test_the_most_severe_decision_holds_and_the_first_among_equals():
    first, second = Decision(replace("a")), Decision(replace("b"))
    assert strongest([Decision(annotate("!")), first, second]) is first
    assert strongest([first, Decision(stop())]).action == stop()
    assert strongest([]) == Decision()


def test_among_equals_a_contradiction_gives_the_notice_then_another_verdict_then_an_unresolved_claim():
    policy = Policy.grounded()
    unresolved = Decision(policy.action_unresolved(Importance.VITAL))
    assert unresolved.text == UNRESOLVED_NOTICE
    decisions = [unresolved]
    for category in (Category.LACKING_EVIDENCE, Category.CONTRADICTED):
        claim = Claim(id=0, sentence=0, text="x", span=Span(0, 1), importance=Importance.VITAL)
        verdict = Verdict(claim=claim, category=category)
        decisions.append(Decision(policy.action_for(verdict), verdict))
        assert strongest(decisions) is decisions[-1]
    assert strongest(decisions).text == NOTICE
    assert strongest([*decisions, Decision(withhold())]) == Decision(withhold())
