from vista_stream.claims import Category, Claim, Importance, Span, UnresolvedReason, Verdict
from vista_stream.cli.material import Alteration, Scene
from vista_stream.cli.play import NO_CLAIM, UNRESOLVED, Play
from vista_stream.events import ClaimSettled, ClaimUnresolved, TextReleased, TextReplaced, TurnEnded
from vista_stream.report import TurnReport

SCENE = Scene(title="t", conversation="c", query="q", answer="a", alteration=Alteration(was="7", now="9"))


def claim(number, start):
    span = Span(start, start + 3)
    return Claim(id=number, sentence=0, text=f"claim {number}", span=span, importance=Importance.VITAL)


def settled(number, start, category):
    return ClaimSettled(verdict=Verdict(claim=claim(number, start), category=category))


def test_a_sentence_carries_the_worst_that_was_found_of_its_claims():
    play = Play(SCENE)
    for event in (
        settled(1, 5, Category.CONTRADICTED),
        settled(0, 0, Category.VERIFIED),
        settled(2, 10, Category.VERIFIED),
        TextReleased(text="ten chars.", span=Span(0, 10)),
        TextReleased(text="next one. ", span=Span(10, 20)),
        TextReleased(text="Hello!", span=Span(20, 26)),
    ):
        play.take(event)
    assert [piece.mark for piece in play.pieces] == ["contradicted", "verified", NO_CLAIM]
    assert [verdict.claim.id for verdict in play.pieces[0].contradictions] == [1]
    assert not any(piece.blocked for piece in play.pieces)


def test_a_replaced_sentence_is_blocked_and_the_alteration_with_it():
    play = Play(SCENE)
    play.take(settled(0, 0, Category.CONTRADICTED))
    play.take(TextReplaced(text="It has 9.", replacement="[gone]", span=Span(0, 9), verdict=None))
    assert play.pieces[0].blocked
    assert play.shown == "[gone]"
    assert play.alteration_blocked


def test_an_alteration_that_is_shown_is_not_blocked():
    play = Play(SCENE)
    play.take(TextReleased(text="It has 9.", span=Span(0, 9)))
    assert not play.alteration_blocked


def test_an_unresolved_claim_marks_its_sentence():
    play = Play(SCENE)
    play.take(ClaimUnresolved(claim=claim(0, 0), reason=UnresolvedReason.DEADLINE))
    play.take(TextReleased(text="It has 9.", span=Span(0, 9)))
    assert play.pieces[0].mark == UNRESOLVED


def test_the_report_is_kept():
    play = Play(SCENE)
    play.take(TurnEnded(report=TurnReport(received=3)))
    assert play.report == TurnReport(received=3)
