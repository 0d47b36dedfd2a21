"""The protocol against its key property: chunking and the order of verdicts change nothing but timing."""

import dataclasses
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vista_stream.claims import Category, Draft, Importance, Span, UnresolvedReason, Verdict
from vista_stream.core.text.segmenter import Segment, SegmentKind
from vista_stream.core.turn import TurnProtocol, TurnState
from vista_stream.errors import SessionStateError
from vista_stream.events import (
    ClaimUnresolved,
    TextReleased,
    TextReplaced,
    TextRetracted,
    TextWithheld,
    TurnEnded,
    VitalContradiction,
)
from vista_stream.policy import NOTICE, Policy, annotate, raise_, release, replace, stop, withhold
from vista_stream.report import TurnReport

FALSE = "FALSE"
PIECES = [
    "Paris lies in France.",
    f"It has {FALSE} towers!",
    "Dr. Watson met J. R. R. Tolkien in v3.11.2 of example.com.",
    "Is that so?",
    "\n\n",
    "\r\n- an item\r\n",
    " ",
    "  ",
    "\n```py\nx = 1. # no\n```\n",
    "no stop here",
    "«Vraiment… oui», 3.14 😀👩‍👩‍👧!",
    f"The {FALSE} end (really).",
    "# Heading\n",
    "مرحبا بالعالم؟",
]
texts = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)


def cut(text: str, seed: int) -> list[str]:
    """Random deltas; seed 0 is one piece, seed 1 is single characters."""
    if seed < 2:
        return [text] if seed == 0 else list(text)
    chance = random.Random(seed)
    cuts = sorted(chance.sample(range(len(text) + 1), min(len(text), chance.randint(0, 12))))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def category(text: str) -> Category:
    return Category.CONTRADICTED if FALSE in text else Category.VERIFIED


class Driver:
    """Runs a protocol to its end, answering in an order that the seed decides."""

    def __init__(self, policy: Policy, seed: int = 0) -> None:
        self.protocol = TurnProtocol(policy)
        self.chance = random.Random(seed)
        self.work = []
        self.events = []

    def collect(self) -> None:
        self.work += [("sentence", s) for s in self.protocol.sentences_to_decompose()]
        self.work += [("claim", c) for c in self.protocol.claims_to_verify()]
        self.events += self.protocol.events()

    def answer_one(self) -> None:
        kind, item = self.work.pop(self.chance.randrange(len(self.work)))
        if kind == "claim":
            if self.protocol.awaits(item):
                self.protocol.receive_verdict(Verdict(claim=item, category=category(item.text)))
        elif self.protocol.awaits_claims(item):
            drafts = [Draft(text=item.text, span=item.span, importance=Importance.VITAL)]
            self.protocol.receive_claims(
                item, drafts if FALSE in item.text or not item.text.endswith("?") else []
            )

    def run(self, deltas: list[str]) -> list:
        for delta in deltas:
            if not self.protocol.wants_text:
                break
            self.protocol.receive_text(delta)
            self.collect()
            while self.work and self.chance.random() < 0.5 and not self.protocol.ended:
                self.answer_one()
                self.collect()
        if self.protocol.state is TurnState.RECEIVING:
            self.protocol.receive_end()
        self.collect()
        while self.work and not self.protocol.ended:
            self.answer_one()
            self.collect()
        assert self.protocol.ended
        return self.events


def shown(events: list) -> str:
    pieces = []
    for event in events:
        match event:
            case TextReleased():
                pieces.append(event.text + event.mark)
            case TextReplaced():
                pieces.append(event.replacement)
    return "".join(pieces)


def outcome(events: list) -> tuple:
    report = events[-1].report
    claims = [(v.claim, v.category) for v in report.verdicts]
    return shown(events), claims, report.released


POLICIES = {
    "default": Policy(),
    "withhold": Policy(rules={(Category.CONTRADICTED, Importance.VITAL): withhold()}),
    "annotate": Policy(rules={(Category.CONTRADICTED, Importance.VITAL): annotate(" [?]")}),
    "stop": Policy(rules={(Category.CONTRADICTED, Importance.VITAL): stop("[end]")}),
    "raise": Policy(rules={(Category.CONTRADICTED, Importance.VITAL): raise_()}),
    "release": Policy(rules={(Category.CONTRADICTED, Importance.VITAL): release()}),
}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@given(text=texts, seed=st.integers(0, 10_000))
def test_chunking_and_order_change_no_claim_no_verdict_and_no_released_text(policy, text, seed):
    whole = outcome(Driver(policy).run([text]))
    assert outcome(Driver(policy, seed).run(cut(text, seed))) == whole
    assert outcome(Driver(policy, seed).run(list(text))) == whole


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@given(text=texts, seed=st.integers(0, 10_000))
def test_released_and_withheld_spans_make_up_the_text_that_was_received(policy, text, seed):
    driver = Driver(policy, seed)
    events = driver.run(cut(text, seed))
    parts = [e for e in events if isinstance(e, TextReleased | TextReplaced | TextWithheld)]
    position = 0
    for part in parts:
        assert part.span.start == position
        assert part.span.end == position + len(part.text)
        assert text[part.span.start : part.span.end] == part.text
        position = part.span.end
    report = events[-1].report
    assert position == report.received == report.released + report.withheld
    assert report.received == len(text) or report.stopped


@given(text=texts, seed=st.integers(0, 10_000))
def test_no_character_of_a_contradicted_vital_sentence_is_released_and_the_flag_comes_first(text, seed):
    events = Driver(Policy(), seed).run(cut(text, seed))
    assert FALSE not in shown(events)
    flagged = set()
    for event in events:
        if isinstance(event, VitalContradiction):
            flagged.add(event.verdict.claim.span)
        if isinstance(event, TextReplaced):
            assert event.span in flagged
    assert shown(events).count(NOTICE) == len(flagged)


@given(text=texts, seed=st.integers(0, 10_000))
def test_optimistic_releases_at_once_and_retracts_the_contradicted(text, seed):
    events = Driver(Policy(mode="optimistic"), seed).run(cut(text, seed))
    released = "".join(e.text for e in events if isinstance(e, TextReleased))
    retracted = [e for e in events if isinstance(e, TextRetracted)]
    assert released == text
    spans = [e.span for e in events if isinstance(e, TextReleased)]
    assert [span.start for span in spans] == [0, *(span.end for span in spans)][: len(spans)]
    assert all(text[e.span.start : e.span.end] == e.text and FALSE in e.text for e in retracted)
    lost = sum(len(e.text) for e in retracted)
    assert events[-1].report.released == len(text) - lost


def test_optimistic_stop_takes_back_everything_from_the_contradicted_sentence_on():
    policy = Policy(rules={(Category.CONTRADICTED, Importance.VITAL): stop("[end]")}, mode="optimistic")
    events = Driver(policy).run([f"One is true. Two is {FALSE}. Three is true. Fo"])
    (retracted,) = [e for e in events if isinstance(e, TextRetracted)]
    assert retracted.text == f"Two is {FALSE}. Three is true. Fo"
    assert retracted.replacement == "[end]"


def test_text_that_is_taken_back_twice_is_counted_once():
    rules = {
        (Category.CONTRADICTED, Importance.VITAL): stop("[end]"),
        (Category.CONTRADICTED, Importance.OKAY): withhold(),
    }
    protocol = TurnProtocol(Policy(rules=rules, mode="optimistic"))
    text = "One is false. Two is false too. "
    protocol.receive_text(text + "Three")
    for sentence, importance in zip(
        protocol.sentences_to_decompose(), (Importance.VITAL, Importance.OKAY), strict=True
    ):
        protocol.receive_claims(
            sentence, [Draft(text=sentence.text, span=sentence.span, importance=importance)]
        )
    for claim in reversed(protocol.claims_to_verify()):
        protocol.receive_verdict(Verdict(claim=claim, category=Category.CONTRADICTED))
    report = protocol.events()[-1].report
    assert (report.received, report.released, report.withheld) == (len(text) + 5, 0, len(text) + 5)


def test_stop_ends_with_the_closing_text_and_forgets_what_follows():
    policy = POLICIES["stop"]
    events = Driver(policy).run([f"One is true. Two is {FALSE}. Three is true."])
    assert shown(events) == "One is true. [end]"
    assert [e.stops for e in events if isinstance(e, TextReplaced)] == [True]
    report = events[-1].report
    assert report.stopped
    assert [v.claim.text for v in report.verdicts] == ["One is true.", f"Two is {FALSE}."]


@pytest.mark.parametrize("action", [replace(), withhold()])
def test_all_that_was_not_released_is_counted_and_the_turn_goes_on(action):
    policy = Policy(rules={(Category.CONTRADICTED, Importance.VITAL): action})
    events = Driver(policy).run([f"One is {FALSE}. Two is {FALSE}. Three is true."])
    report = events[-1].report
    assert (report.released, report.withheld) == (len("  Three is true."), 2 * len(f"One is {FALSE}."))
    assert not report.stopped
    replaced = [e for e in events if isinstance(e, TextReplaced)]
    assert [e.stops for e in replaced] == [False] * len(replaced)


def test_a_mark_follows_the_text_that_it_marks():
    events = Driver(POLICIES["annotate"]).run([f"One is true. Two is {FALSE}. Three is true."])
    assert shown(events) == f"One is true. Two is {FALSE}. [?] Three is true."


def test_no_text_is_wanted_once_a_stop_is_certain_though_earlier_claims_are_open():
    protocol = TurnProtocol(POLICIES["stop"])
    protocol.receive_text(f"One is true. Two is {FALSE}. Three is tr")
    first, second = protocol.sentences_to_decompose()
    for sentence in (first, second):
        protocol.receive_claims(
            sentence, [Draft(text=sentence.text, span=sentence.span, importance=Importance.VITAL)]
        )
    one, two = protocol.claims_to_verify()
    protocol.receive_verdict(Verdict(claim=two, category=Category.CONTRADICTED))
    assert not protocol.wants_text
    assert not protocol.ended
    protocol.receive_verdict(Verdict(claim=one, category=Category.VERIFIED))
    assert protocol.ended
    assert shown(protocol.events()) == "One is true. [end]"


def test_raise_ends_the_turn_and_says_which_decision():
    driver = Driver(POLICIES["raise"])
    events = driver.run([f"One is true. Two is {FALSE}."])
    assert shown(events) == "One is true. "
    assert driver.protocol.raises.verdict.claim.text == f"Two is {FALSE}."


def one_claim(policy: Policy, importance: Importance = Importance.VITAL):
    protocol = TurnProtocol(policy)
    protocol.receive_text("One is true. T")
    (sentence,) = protocol.sentences_to_decompose()
    protocol.receive_claims(sentence, [Draft(text=sentence.text, span=sentence.span, importance=importance)])
    (claim,) = protocol.claims_to_verify()
    return protocol, claim


@pytest.mark.parametrize(
    ("importance", "kind"),
    [
        (Importance.VITAL, TextReplaced),
        (Importance.OKAY, TextReleased),
        (Importance.LESS_IMPORTANT, TextReleased),
    ],
)
def test_a_timeout_is_closed_for_vital_and_open_for_the_rest(importance, kind):
    protocol, claim = one_claim(Policy(), importance)
    protocol.receive_timeout(claim)
    events = protocol.events()
    (unresolved,) = [e for e in events if isinstance(e, ClaimUnresolved)]
    assert unresolved.reason is UnresolvedReason.DEADLINE
    assert any(isinstance(e, kind) and e.text == "One is true." for e in events)


@pytest.mark.parametrize("decomposed", [True, False])
def test_what_a_sentence_waits_for_at_its_deadline_is_unresolved(decomposed):
    protocol = TurnProtocol(Policy())
    protocol.receive_text("One is true. Tw")
    (sentence,) = protocol.sentences_to_decompose()
    if decomposed:
        draft = Draft(text="One is true.", span=sentence.span, importance=Importance.VITAL)
        protocol.receive_claims(sentence, [draft, dataclasses.replace(draft, text="One is one.")])
    protocol.receive_expiry(sentence)
    reasons = [event.reason for event in protocol.events() if isinstance(event, ClaimUnresolved)]
    assert reasons == [UnresolvedReason.DEADLINE] * (2 if decomposed else 1)
    assert not protocol.awaits_claims(sentence)


def test_an_illegal_call_raises_and_changes_nothing():
    protocol, claim = one_claim(Policy())
    protocol.receive_verdict(Verdict(claim=claim, category=Category.VERIFIED))
    protocol.events()
    with pytest.raises(SessionStateError, match="no verdict is awaited for claim 0"):
        protocol.receive_verdict(Verdict(claim=claim, category=Category.CONTRADICTED))
    with pytest.raises(SessionStateError, match="no verdict is awaited"):
        protocol.receive_timeout(claim)
    with pytest.raises(SessionStateError, match="sentence 0 waits for nothing"):
        protocol.receive_expiry(
            Segment(index=0, text="One is true.", span=Span(0, 12), kind=SegmentKind.SENTENCE)
        )
    assert protocol.events() == []
    protocol.receive_end()
    with pytest.raises(SessionStateError, match="receive_text is not allowed: the turn is draining"):
        protocol.receive_text("more")


def test_claims_that_were_not_asked_for_are_refused():
    protocol = TurnProtocol(Policy())
    protocol.receive_text("One is true. Tw")
    (sentence,) = protocol.sentences_to_decompose()
    protocol.receive_claims(sentence, [])
    with pytest.raises(SessionStateError, match="segment 0 are not awaited"):
        protocol.receive_claims(sentence, [])


def test_claims_are_received_once():
    protocol, claim = one_claim(Policy())
    sentence = Segment(index=0, text="One is true.", span=claim.span, kind=SegmentKind.SENTENCE)
    with pytest.raises(SessionStateError, match="segment 0 are not awaited"):
        protocol.receive_claims(sentence, [])
    assert protocol.awaits(claim)


def test_a_sentence_without_claims_is_released_at_once():
    protocol = TurnProtocol(Policy())
    protocol.receive_text("Is it so? Tw")
    (sentence,) = protocol.sentences_to_decompose()
    protocol.receive_claims(sentence, [])
    assert shown(protocol.events()) == "Is it so? "


def test_a_sentence_that_cannot_be_decomposed_is_one_unresolved_vital_claim():
    protocol = TurnProtocol(Policy())
    protocol.receive_text("One is true. Tw")
    (sentence,) = protocol.sentences_to_decompose()
    error = RuntimeError("no answer")
    protocol.receive_undecomposed(sentence, UnresolvedReason.STAGE_ERROR, error=error)
    events = protocol.events()
    (unresolved,) = [e for e in events if isinstance(e, ClaimUnresolved)]
    assert unresolved.error is error
    assert unresolved.claim.text == "One is true."
    assert any(isinstance(e, TextReplaced) for e in events)


def test_the_most_severe_claim_of_a_sentence_decides():
    rules = {
        (Category.CONTRADICTED, Importance.OKAY): annotate("[?]"),
        (Category.CONTRADICTED, Importance.VITAL): withhold(),
    }
    protocol = TurnProtocol(Policy(rules=rules))
    protocol.receive_text("Both are here. T")
    (sentence,) = protocol.sentences_to_decompose()
    ranks = (Importance.OKAY, Importance.VITAL)
    protocol.receive_claims(sentence, [Draft(text=r.value, span=sentence.span, importance=r) for r in ranks])
    for claim in reversed(protocol.claims_to_verify()):
        assert not [e for e in protocol.events() if isinstance(e, TextWithheld)]
        protocol.receive_verdict(Verdict(claim=claim, category=Category.CONTRADICTED))
    (withheld,) = [e for e in protocol.events() if isinstance(e, TextWithheld)]
    assert withheld.verdict.claim.importance is Importance.VITAL


def test_hold_backs_and_elapsed_count_from_the_sentences_last_character():
    protocol = TurnProtocol(Policy())
    protocol.receive_text("One is ", at=1.0)
    protocol.receive_text("true.", at=2.0)
    protocol.receive_text(" Two", at=3.0)
    (sentence,) = protocol.sentences_to_decompose()
    protocol.receive_claims(sentence, [Draft(text="One is true.", span=sentence.span)], at=3.5)
    (claim,) = protocol.claims_to_verify()
    protocol.receive_verdict(Verdict(claim=claim, category=Category.VERIFIED), at=4.0)
    protocol.receive_end(at=5.0)
    (last,) = protocol.sentences_to_decompose()
    protocol.receive_claims(last, [], at=5.0)
    (ended,) = [e for e in protocol.events() if isinstance(e, TurnEnded)]
    assert ended.report.verdicts[0].elapsed == 2.0
    assert ended.report.hold_backs == (2.0, 2.0)


def test_nothing_received_is_an_empty_turn():
    protocol = TurnProtocol(Policy())
    report = protocol.report()
    assert (report, report.stopped) == (TurnReport(), False)
    protocol.receive_end()
    (ended,) = protocol.events()
    assert ended.report.received == 0
    assert ended.report.verifiable


def test_replacement_text_may_be_made_of_the_verdict():
    policy = Policy(rules={(Category.CONTRADICTED, Importance.VITAL): replace(lambda v: f"<{v.claim.text}>")})
    assert shown(Driver(policy).run([f"It is {FALSE}. Yes."])) == f"<It is {FALSE}.> Yes."
