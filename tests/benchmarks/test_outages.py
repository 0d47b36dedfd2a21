"""What the run with outages holds against its clients: each fault is found, and nothing else is."""

from dataclasses import replace

import anyio
import pytest

pytest.importorskip("aiohttp", reason="needs the extra proxy")

from benchmarks.outages import _Seen
from benchmarks.outages_checks import (
    GRACE,
    Attempt,
    Expected,
    Findings,
    Outage,
    Piece,
    check_answer,
    check_errors,
    check_ground,
    errors_of,
    guarded_here,
)
from benchmarks.outages_talks import NAMES, talk
from vista_stream import Policy, Statement

TALK = talk(3)
FALSE = TALK.turns[1].false
ROW = {"id": 0, "category": "verified", "scores": None}
LATER = {"id": 2000, "category": "contradicted", "scores": None}
DUE = Expected(text="It is so. [withheld] Bye.", verdicts={0: ROW, 2000: LATER})
WHOLE = Attempt(
    talk=TALK,
    turn=1,
    proxy="proxy-1",
    begun=1.0,
    over=5.0,
    pieces=[
        Piece(text="It is so.", verdicts=[ROW | {"elapsed": 0.2}], unresolved=[]),
        Piece(text=" [withheld]", verdicts=[LATER | {"elapsed": 3.0}], unresolved=[]),
        Piece(text=" Bye.", verdicts=[], unresolved=[]),
    ],
    error=None,
)


def found(attempt, expected=DUE):
    findings = Findings()
    check_answer(attempt, expected, findings, names=[TALK.name, talk(4).name])
    return dict(findings.counts)


def with_pieces(*pieces, **changes):
    return replace(WHOLE, pieces=pieces, **changes)


def test_each_conversation_is_of_a_mill_of_its_own_and_says_its_false_sentences():
    talks = [talk(number) for number in range(NAMES)]
    assert len({each.name for each in talks}) == NAMES
    for each in talks:
        for other in (talks[0], talks[-1]):
            assert other is each or other.name not in each.notes
        for turn in each.turns:
            assert each.name in turn.answer
            assert (turn.false or "") in turn.answer
        assert sum(turn.false is not None for turn in each.turns) == 3
    with pytest.raises(ValueError, match="number must be 0 to"):
        talk(NAMES)


def test_an_answer_that_is_as_it_is_due_has_no_findings():
    assert found(WHOLE) == {}


@pytest.mark.parametrize("count", [0, 1, 2])
def test_an_answer_that_broke_off_is_compared_as_far_as_it_came(count):
    broken = with_pieces(*WHOLE.pieces[:count], error="connection")
    assert found(broken) == {}
    assert found(replace(broken, error=None))["other text"] == 1


def test_what_the_upstream_cut_is_not_compared_and_what_came_before_is():
    cut = Piece(text=" Ot", verdicts=[{"id": 2000, "category": "verified"}], unresolved=[])
    assert found(with_pieces(WHOLE.pieces[0], cut, error="upstream_broken")) == {}
    other = replace(WHOLE.pieces[0], text="It was so.")
    assert found(with_pieces(other, cut, error="upstream_broken")) == {"other text": 1}
    assert set(found(with_pieces(WHOLE.pieces[0], cut, error="connection"))) == {
        "other text",
        "other verdicts",
    }


def test_a_false_sentence_is_found_wherever_it_is_shown_unless_it_is_shown_here_too():
    shown = Piece(text=FALSE, verdicts=[LATER], unresolved=[])
    assert found(with_pieces(shown, error="upstream_broken")) == {"contradiction shown": 1}
    here = Expected(text=FALSE, verdicts={2000: LATER})
    assert found(with_pieces(shown), here) == {}


def test_text_of_another_conversation_is_found():
    other = replace(WHOLE.pieces[0], text=f"The {talk(4).name} mill.")
    assert found(with_pieces(other, error="upstream_broken")) == {"mixed": 1}


def test_other_scores_are_found():
    scored = replace(WHOLE.pieces[0], verdicts=[ROW | {"scores": {"entailment": 0.9}}])
    assert found(with_pieces(scored, *WHOLE.pieces[1:])) == {"other verdicts": 1}


def test_after_a_claim_without_a_verdict_only_other_conversations_are_looked_for():
    open_ = Piece(text="It is", verdicts=[], unresolved=[{"id": 0, "reason": "deadline"}])
    assert found(with_pieces(open_)) == {}
    assert found(with_pieces(replace(open_, text=talk(4).name))) == {"mixed": 1}


def test_the_pool_may_fail_a_claim_only_while_one_of_it_is_down():
    outages = [Outage(part="verifier-1", killed=10.0, ready=20.0), Outage(part="redis", killed=30, ready=35)]

    def undocumented(reason, over):
        piece = Piece(text="", verdicts=[], unresolved=[{"id": 0, "reason": reason}])
        findings = Findings()
        check_errors([with_pieces(piece, begun=over - 4, over=over)], outages, findings)
        return findings.counts["undocumented error"]

    assert [undocumented("verifier_error", at) for at in (9.0, 11.0, 25.0, 32.0)] == [1, 0, 0, 1]
    assert [undocumented("deadline", at) for at in (9.0, 32.0)] == [0, 0]
    assert undocumented("stage_error", 11.0) == 1


def test_an_error_is_explained_by_an_outage_of_its_part_alone():
    outages = [
        Outage(part="proxy-1", killed=10.0, ready=20.0),
        Outage(part="redis", killed=30.0, ready=35.0),
    ]

    def unexplained(error, over, proxy="proxy-1"):
        findings = Findings()
        check_errors([replace(WHOLE, error=error, over=over, proxy=proxy)], outages, findings)
        return findings.counts["undocumented error"]

    assert unexplained(None, 1.0) == 0
    assert [unexplained("connection", at) for at in (9.9, 10.0, 20.0 + GRACE, 20.1 + GRACE)] == [1, 0, 0, 1]
    assert unexplained("connection", 15.0, proxy="proxy-2") == 1
    assert [unexplained("store_unavailable", at) for at in (15.0, 33.0)] == [1, 0]
    assert unexplained("guard_failed", 33.0) == 1
    failed = [replace(WHOLE, error="connection", over=at) for at in (12.0, 13.0, 33.0)]
    assert [errors_of(failed, each) for each in outages] == [{"connection": 2}, {}]


def test_statements_that_lack_or_stand_twice_or_in_another_order_are_found():
    due = [Statement(text=text, origin="claim", turn=0) for text in ("a", "b")]
    for kept, count in ((due, 0), (due[:1], 1), ([*due, due[0]], 1), (due[::-1], 1)):
        findings = Findings()
        check_ground(TALK, kept, due, findings)
        assert findings.counts["other common ground"] == count


def test_a_clients_view_of_a_stream_has_its_verdicts_and_how_it_ended():
    seen = _Seen()
    seen.take(
        b'data: {"choices":[{"delta":{"content":"a"}}],"vista":{"verdicts":[{"id":0}],"unresolved":[]}}\n'
    )
    seen.take(b": a comment\n")
    assert seen.pieces == [Piece(text="a", verdicts=[{"id": 0}], unresolved=[])]
    seen.take(b'data: {"error":{"code":"store_unavailable"}}\n')
    assert seen.error == "store_unavailable"
    assert not seen.done
    seen.take(b"data: [DONE]\n")
    assert seen.done


def test_guarded_here_the_false_sentences_are_withheld_and_only_what_holds_is_common_ground():
    pytest.importorskip("onnxruntime", reason="needs the extra cpu")
    answers, ground = anyio.run(guarded_here, TALK, 2, Policy(deadline=3600))
    assert FALSE in TALK.turns[1].answer
    assert FALSE not in answers[1].text
    assert "elapsed" not in next(iter(answers[0].verdicts.values()))
    assert {each.turn for each in ground} == {0}
    assert FALSE not in {each.text for each in ground}
