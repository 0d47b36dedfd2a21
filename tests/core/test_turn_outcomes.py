"""What a turn says of a sentence once it is decided: its claims, its times, and what was taken back."""

import pytest

from vista_stream.claims import Category, Claim, ClaimKind, Draft, Importance, Span, UnresolvedReason, Verdict
from vista_stream.core.turn import TurnProtocol
from vista_stream.errors import SessionStateError
from vista_stream.events import ClaimFound, TextReplaced, TextRetracted
from vista_stream.policy import NOTICE, Policy, release, replace, stop, withhold

VITAL = (Category.CONTRADICTED, Importance.VITAL)


def begun(text="One is true. T", *, policy=None, claims=1, **times):
    """A protocol that received a text, its first sentence, and that sentence's claims."""
    protocol = TurnProtocol(policy or Policy())
    protocol.receive_text(text, **times)
    sentence, *_ = protocol.sentences_to_decompose()
    drafts = [Draft(text=sentence.text, span=sentence.span, importance=Importance.VITAL)] * claims
    if drafts:
        protocol.receive_claims(sentence, drafts, **times)
    return protocol, sentence, protocol.claims_to_verify()


def reported(protocol):
    """The report, once what is still open has turned out to state nothing."""
    protocol.receive_end()
    for sentence in protocol.sentences_to_decompose():
        protocol.receive_claims(sentence, ())
    return protocol.events()[-1].report


def no_claims(protocol, sentence, claims, **times):
    protocol.receive_claims(sentence, (), **times)


def undecomposed(protocol, sentence, claims, **times):
    protocol.receive_undecomposed(sentence, UnresolvedReason.STAGE_ERROR, **times)


def expired(protocol, sentence, claims, **times):
    protocol.receive_expiry(sentence, **times)


def verified(protocol, sentence, claims, **times):
    protocol.receive_verdict(Verdict(claim=claims[0], category=Category.VERIFIED), **times)


def unresolved(protocol, sentence, claims, **times):
    protocol.receive_unresolved(claims[0], UnresolvedReason.OVERLOAD, **times)


def timed_out(protocol, sentence, claims, **times):
    protocol.receive_timeout(claims[0], **times)


@pytest.mark.parametrize("times", [(2.0, 5.0, 3.0), (None, None, 0.0), (None, 5.0, 5.0), (3.0, 2.0, 0.0)])
@pytest.mark.parametrize(
    ("decide", "claims"),
    [
        (no_claims, 0),
        (undecomposed, 0),
        (expired, 0),
        (expired, 1),
        (verified, 1),
        (unresolved, 1),
        (timed_out, 1),
    ],
)
def test_a_sentence_is_held_back_from_its_last_character_to_its_decision(decide, claims, times):
    received, decided, held_back = times
    protocol, sentence, awaited = begun(claims=claims, **({} if received is None else {"at": received}))
    decide(protocol, sentence, awaited, **({} if decided is None else {"at": decided}))
    assert reported(protocol).hold_backs[0] == held_back


@pytest.mark.parametrize(("received", "settled", "elapsed"), [(2.0, 2.25, 0.25), (3.0, 2.0, 0.0)])
def test_a_verdict_tells_the_time_since_the_last_character_of_its_sentence(received, settled, elapsed):
    protocol, sentence, claims = begun(at=received)
    verified(protocol, sentence, claims, at=settled)
    assert reported(protocol).verdicts[0].elapsed == elapsed


@pytest.mark.parametrize(("times", "arrived"), [({}, 0.0), ({"at": 4.0}, 4.0)])
def test_half_a_character_arrives_when_the_source_ends(times, arrived):
    protocol = TurnProtocol(Policy())
    protocol.receive_text("It is true \ud83d", at=0.0)
    protocol.receive_end(**times)
    (sentence,) = protocol.sentences_to_decompose()
    assert sentence.text == "It is true \ud83d"
    assert protocol.certain(sentence.index) == arrived
    protocol.receive_claims(sentence, ())
    assert protocol.certain(sentence.index) is None


def test_a_verdict_is_awaited_until_it_comes():
    protocol, sentence, (first, second) = begun(claims=2)
    assert protocol.awaits(first)
    verified(protocol, sentence, [first])
    assert [protocol.awaits(claim) for claim in (first, second)] == [False, True]
    verified(protocol, sentence, [second])
    assert [protocol.awaits(claim) for claim in (first, second)] == [False, False]


@pytest.mark.parametrize("kind", ClaimKind)
def test_a_claim_is_of_the_kind_of_its_draft(kind):
    protocol, sentence, _ = begun(claims=0)
    protocol.receive_claims(sentence, [Draft(text="x", span=sentence.span, kind=kind)])
    assert [claim.kind for claim in protocol.claims_to_verify()] == [kind]


def more_text(protocol, sentence, claims):
    protocol.receive_text("x")


def another_end(protocol, sentence, claims):
    protocol.receive_end()


@pytest.mark.parametrize(
    "decide", [no_claims, undecomposed, expired, verified, unresolved, timed_out, more_text, another_end]
)
def test_nothing_is_received_once_the_turn_has_ended(decide):
    protocol, sentence, claims = begun()
    verified(protocol, sentence, claims)
    reported(protocol)
    with pytest.raises(SessionStateError, match=r"^receive_\w+ is not allowed: the turn is ended$"):
        decide(protocol, sentence, claims)


def test_a_source_ends_once():
    protocol, *_ = begun()
    protocol.receive_end()
    with pytest.raises(SessionStateError, match="receive_end is not allowed: the turn is draining"):
        protocol.receive_end()


def test_markup_that_cannot_be_decomposed_is_held_back_as_long():
    protocol, markup, _ = begun("- One", claims=0, at=1.0)
    undecomposed(protocol, markup, (), at=3.0)
    assert reported(protocol).hold_backs[0] == 2.0


def test_a_sentence_that_cannot_be_decomposed_is_its_own_claim():
    protocol, sentence, _ = begun(claims=0)
    undecomposed(protocol, sentence, ())
    (claim,) = [event.claim for event in protocol.events() if isinstance(event, ClaimFound)]
    assert claim == Claim(
        id=0,
        sentence=0,
        sentence_text="One is true.",
        text="One is true.",
        span=Span(0, 12),
        kind=ClaimKind.FACT,
        importance=Importance.VITAL,
    )


@pytest.mark.parametrize(("error", "told"), [(None, ""), (RuntimeError("full"), "full")])
def test_the_report_tells_the_error_of_an_unresolved_claim(error, told):
    protocol, _, (claim,) = begun()
    protocol.receive_unresolved(claim, UnresolvedReason.OVERLOAD, error=error)
    (open_,) = reported(protocol).unresolved
    assert (open_.claim, open_.reason, open_.error) == (claim, UnresolvedReason.OVERLOAD, told)


def test_a_claim_in_another_language_goes_by_its_own_action():
    protocol, _, (claim,) = begun(policy=Policy(other_language=release()))
    protocol.receive_unresolved(claim, UnresolvedReason.LANGUAGE)
    assert not [event for event in protocol.events() if isinstance(event, TextReplaced)]


def test_claims_that_expired_before_they_were_given_out_are_not_given_out_after_a_stop():
    protocol = TurnProtocol(Policy(unresolved={Importance.VITAL: stop("[end]")}))
    protocol.receive_text("So. One is true. T")
    first, *_ = sentences = protocol.sentences_to_decompose()
    second = sentences[-1]
    protocol.receive_claims(second, [Draft(text="x", span=second.span, importance=Importance.VITAL)])
    protocol.receive_expiry(second)
    assert protocol.claims_to_verify() == []
    assert not protocol.ended
    assert protocol.awaits_claims(first)


@pytest.mark.parametrize(("action", "replacement"), [(replace(), NOTICE), (withhold(), "")])
def test_optimistic_retracts_exactly_what_was_contradicted(action, replacement):
    protocol, sentence, (claim,) = begun(policy=Policy(rules={VITAL: action}, mode="optimistic"))
    protocol.receive_verdict(Verdict(claim=claim, category=Category.CONTRADICTED))
    (retracted,) = [event for event in protocol.events() if isinstance(event, TextRetracted)]
    assert (retracted.text, retracted.span) == (sentence.text, sentence.span)
    assert (retracted.replacement, retracted.verdict.claim) == (replacement, claim)


def test_optimistic_stop_says_what_it_takes_back_and_why():
    text = "One is true. Two is false. Thr"
    policy = Policy(rules={VITAL: stop("[end]")}, mode="optimistic")
    protocol, _, (claim,) = begun(text, policy=policy)
    protocol.receive_verdict(Verdict(claim=claim, category=Category.CONTRADICTED))
    (retracted,) = [event for event in protocol.events() if isinstance(event, TextRetracted)]
    assert (retracted.text, retracted.span, retracted.verdict.claim) == (text, Span(0, len(text)), claim)
