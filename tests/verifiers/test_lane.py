import sys
from collections import Counter
from math import inf

import pytest

from vista_stream.claims import Foresight, Importance, Pair, Scores
from vista_stream.errors import Overload
from vista_stream.verifiers.lane import Lane, Request, estimate_tokens
from vista_stream.verifiers.pace import Pace

VITAL, OKAY, LESS = Importance.VITAL, Importance.OKAY, Importance.LESS_IMPORTANT
SCORES = Scores(1, 0, 0)
PAIR = estimate_tokens(Pair("abc", "claim"))


def make_lane(max_tokens=1000, max_queue=4, *, pair_takes=0.0):
    """`pair_takes`: seconds that the lane expects one of the pairs of these tests to take."""
    pace = Pace()
    if pair_takes:
        pace.note(PAIR, pair_takes)
    return Lane(max_tokens=max_tokens, max_queue=max_queue, tally=Counter(), pace=pace)


def request(*names, rank=OKAY, deadline=inf, arrived=0.0, foresight=None):
    pairs = [Pair(name, "claim", importance=rank, deadline=deadline, foresight=foresight) for name in names]
    return Request(pairs, arrived)


def premises(entries):
    return [entry.pair.premise for entry in entries]


def waiting(lane):
    return [entry.pair.premise for share in lane.shares for entry in share.entries.values()]


def test_vital_goes_first_then_by_importance_then_by_deadline():
    lane = make_lane(max_queue=9)
    for each in (
        request("less", rank=LESS),
        request("later", deadline=1.9),
        request("sooner", deadline=1.5),
        request("vital", rank=VITAL),
    ):
        lane.admit(each)
    assert premises(lane.take(now=0.0)) == ["vital", "sooner", "later", "less"]


@pytest.mark.parametrize(("deadline", "first"), [(10.2, "late"), (10.3, "vital")])
def test_what_is_nearly_late_goes_first_whatever_its_importance(deadline, first):
    lane = make_lane(max_tokens=1)
    lane.admit(request("vital", rank=VITAL, arrived=10.0, deadline=11.0))
    lane.admit(request("late", rank=LESS, arrived=10.0, deadline=deadline))
    assert premises(lane.take(now=10.0)) == [first]


def test_nothing_waits_for_ever_behind_vital_pairs():
    lane = make_lane(max_tokens=1)
    lane.admit(request("old", rank=LESS, arrived=0.0))
    lane.admit(request("vital", rank=VITAL, arrived=1.9))
    assert premises(lane.take(now=1.9)) == ["old"]


def test_what_may_not_come_waits_for_what_is_certain_and_holds_up_none():
    lane, foresight = make_lane(max_queue=9), Foresight()
    lane.admit(request("foreseen", "too", rank=VITAL, deadline=0.1, foresight=foresight))
    lane.admit(request("certain", rank=LESS, deadline=9.0))
    assert premises(lane.take(now=0.0)) == ["certain"]
    lane.running = []
    assert premises(lane.take(now=0.0)) == ["foreseen", "too"]


def test_what_was_foreseen_and_came_is_like_any_other():
    lane, foresight = make_lane(max_queue=9), Foresight()
    lane.admit(request("foreseen", rank=VITAL, foresight=foresight))
    lane.admit(request("certain"))
    foresight.certain = True
    assert premises(lane.take(now=0.0)) == ["foreseen", "certain"]


def test_what_may_not_come_makes_way_in_a_full_queue():
    lane = make_lane(max_queue=1)
    foreseen = request("foreseen", rank=VITAL, foresight=Foresight())
    lane.admit(foreseen)
    lane.admit(request("certain", rank=LESS))
    assert isinstance(foreseen.failure, Overload)


def test_what_may_not_come_leads_only_alone():
    lane = make_lane(max_queue=9)
    foreseen, certain = request("foreseen", foresight=Foresight()), request("certain", deadline=1.0)
    lane.admit(foreseen)
    lane.appoint()
    assert lane.leader is foreseen
    lane.admit(certain)
    lane.appoint()
    assert lane.leader is certain


def test_a_batch_holds_pairs_of_one_length_and_its_tokens():
    lane = make_lane(max_tokens=64, max_queue=9)
    lane.admit(request("s" * 50, "l" * 400, "s" * 51, "s" * 52, "s" * 53, "s" * 54))
    assert estimate_tokens(Pair("s" * 50, "claim")) == 16
    assert premises(lane.take(now=0.0)) == ["s" * n for n in (50, 51, 52)]
    assert lane.depth == 3


def test_lengths_within_a_batch_differ_at_most_twofold():
    lane = make_lane(max_queue=9)
    lane.admit(request("m" * 100, "l" * 300, "s" * 30, "l" * 180, "s" * 60))
    assert premises(lane.take(now=0.0)) == ["m" * 100, "l" * 180]
    lane.put_back()


def test_a_pair_above_the_tokens_is_a_batch_of_its_own():
    lane = make_lane(max_tokens=5)
    lane.admit(request("l" * 400, "l" * 401))
    assert len(lane.take(now=0.0)) == 1


def test_what_got_no_answer_is_queued_again():
    lane = make_lane()
    asked = request("a", "b")
    lane.admit(asked)
    lane.take(now=0.0)
    asked.answer(0, SCORES)
    lane.put_back()
    assert waiting(lane) == ["b"]
    assert lane.running == []


def test_a_cancelled_request_leaves_nothing_behind():
    lane = make_lane()
    gone, stays = request("a"), request("b")
    lane.admit(gone)
    lane.admit(stays)
    lane.leave(gone)
    assert premises(lane.take(now=0.0)) == ["b"]
    lane.leave(stays)
    lane.put_back()
    assert (lane.shares, lane.requests) == ([], [])


def test_a_full_queue_refuses_the_newcomer():
    lane = make_lane(max_queue=2)
    lane.admit(request("a", "b"))
    with pytest.raises(Overload, match="2 pairs wait already"):
        lane.admit(request("c"))
    assert waiting(lane) == ["a", "b"]


def test_the_latest_of_the_least_important_make_room_for_a_more_important():
    lane = make_lane(max_queue=4)
    kept, okay = request("kept", rank=LESS, arrived=0), request("okay", arrived=2)
    shed = request("shed", "shed too", rank=LESS, arrived=1)
    for each in (kept, shed, okay):
        lane.admit(each)
    lane.admit(request("v", "w", rank=VITAL))
    assert waiting(lane) == ["kept", "okay", "v", "w"]
    assert isinstance(shed.failure, Overload)
    assert shed.wake.is_set()
    assert kept.failure is okay.failure is None


def test_what_runs_already_makes_no_room_and_is_not_shed():
    lane = make_lane(max_tokens=PAIR, max_queue=1)
    runs, waits = request("runs", rank=LESS), request("waits", rank=OKAY)
    lane.admit(runs)
    lane.take(now=0.0)
    lane.admit(waits)
    lane.admit(request("vital", rank=VITAL))
    assert isinstance(waits.failure, Overload)
    assert runs.failure is None


def test_nobody_is_shed_where_that_would_not_be_room_enough():
    lane = make_lane(max_queue=2)
    less = request("less", rank=LESS)
    lane.admit(less)
    lane.admit(request("vital", rank=VITAL))
    with pytest.raises(Overload):
        lane.admit(request("v", "w", rank=VITAL))
    assert less.failure is None


def test_a_request_alone_is_taken_whatever_its_size():
    lane = make_lane(max_queue=2)
    lane.admit(request("a", "b", "c"))
    assert lane.depth == 3


def test_what_is_late_is_dropped_before_it_is_scored():
    lane = make_lane()
    late, just = request("late", deadline=1.5), request("just", deadline=1.6)
    lane.admit(late)
    lane.admit(just)
    assert premises(lane.take(now=1.5)) == ["just"]
    assert isinstance(late.failure, Overload)
    assert just.failure is None


def test_who_would_be_late_after_those_before_it_is_refused_on_arrival():
    lane = make_lane(pair_takes=1.0)
    lane.admit(request("one", deadline=1.3))
    lane.admit(request("two", deadline=1.2))
    with pytest.raises(Overload, match="with 2 pairs before it, it would be late"):
        lane.admit(request("three", deadline=1.4))  # three pairs take 1.5 seconds at best
    lane.admit(request("six", deadline=1.6))
    assert waiting(lane) == ["one", "two", "six"]
    assert premises(lane.take(now=0.0)) == ["two"]


def test_what_is_running_counts_until_its_expected_end():
    lane = make_lane(max_tokens=PAIR, pair_takes=1.0)
    lane.admit(request("runs", deadline=5.0))
    lane.take(now=0.0)
    with pytest.raises(Overload):
        lane.admit(request("early", arrived=0.5, deadline=1.4))
    lane.admit(request("later", arrived=0.95, deadline=1.55))


def test_a_vital_request_counts_only_what_goes_before_it():
    lane = make_lane(max_queue=9, pair_takes=1.0)
    less = [request(name, rank=LESS, deadline=2.3) for name in ("uno", "due", "tre", "qua")]
    for each in less:
        lane.admit(each)
    lane.admit(request("vit", rank=VITAL, deadline=1.5))
    assert premises(lane.take(now=0.0)) == ["vit"]
    assert [each.failure is None for each in less] == [True, True, True, False]


def test_the_least_important_are_shed_first_where_not_all_can_make_it():
    lane = make_lane(max_queue=9, pair_takes=1.0)
    asked = [request(str(n) * 3, deadline=1.6 + n / 9, rank=(LESS, OKAY, VITAL)[n % 3]) for n in range(6)]
    lane._pace = Pace()  # so that all are admitted, and only then is it known how long they take
    for each in asked:
        lane.admit(each)
    lane._pace.note(PAIR, 1.0)
    lane.take(now=0.0)
    assert [each.failure is None for each in asked] == [False, True, True, False, True, True]


def test_who_could_not_make_it_even_if_it_went_at_once_is_shed():
    lane = make_lane(max_queue=9, pair_takes=1.0)
    long, short = request("one", "two", "six", deadline=2.9), request("ten", deadline=3.0)
    lane.admit(long)
    lane.admit(short)
    assert premises(lane.take(now=0.0)) == ["ten"]
    assert isinstance(long.failure, Overload)


def test_the_only_one_is_tried_whatever_the_estimate_says():
    lane = make_lane(pair_takes=1.0)
    lane.admit(request("one", deadline=0.5))
    assert premises(lane.take(now=0.0)) == ["one"]


def test_where_none_would_make_it_the_one_with_most_time_is_tried():
    lane = make_lane(pair_takes=1.0)
    asked = [request("one", deadline=3.3), request("two", deadline=3.5), request("six", deadline=3.4)]
    for each in asked:
        lane.admit(each)
    assert premises(lane.take(now=3.0)) == ["two"]
    assert lane._tally["shed"] == 2


def test_a_batch_ends_before_the_first_deadline_in_it():
    lane = make_lane(pair_takes=1.0)
    for name, deadline in (("one", 2.5), ("two", 9.0), ("six", 9.0)):
        lane.admit(request(name, deadline=deadline))
    assert premises(lane.take(now=0.0)) == ["one", "two"]


def test_importance_counts_until_the_deadline_is_near():
    lane = make_lane(max_tokens=1)
    lane.admit(request("old", rank=LESS, arrived=0.0, deadline=5.0))
    lane.admit(request("vital", rank=VITAL, arrived=4.0, deadline=9.0))
    assert premises(lane.take(now=4.0)) == ["vital"]


def test_who_has_most_time_left_leads_next():
    lane = make_lane()
    soon, later = request("a", deadline=1.0), request("b", deadline=9.0)
    lane.admit(soon)
    lane.admit(later)
    lane.appoint()
    assert (soon.wake.is_set(), later.wake.is_set()) == (False, True)
    assert lane.leader is later
    lane.leave(later)
    assert lane.leader is soon
    assert soon.wake.is_set()
    lane.leave(soon)
    assert lane.leader is None


def test_a_request_is_over_with_its_last_answer():
    asked = request("a", "b")
    asked.answer(1, SCORES)
    assert not asked.over
    asked.answer(0, SCORES)
    assert asked.over
    assert asked.wake.is_set()


@pytest.mark.parametrize("pairs", [1, 2, 3])
def test_a_call_that_is_alone_is_served_however_slow_the_last_one_was(pairs):
    lane = make_lane(pair_takes=60.0)
    alone = request(*map(str, range(pairs)), deadline=1.0)
    lane.admit(alone)
    assert lane.take(now=0.0)
    assert not alone.over


class Counted(list):
    """Pairs that count how often they are gone through."""

    times = 0

    def __iter__(self):
        self.times += 1
        return super().__iter__()


def test_however_many_batches_a_call_takes_its_pairs_are_gone_through_a_few_times():
    pairs = Counted(Pair(str(number), "claim") for number in range(100))
    lane = make_lane(max_tokens=2 * PAIR)
    lane.admit(Request(pairs, 0.0))
    for _ in range(50):
        for entry in lane.take(now=0.0):
            entry.request.answer(entry.row, SCORES)
        lane.put_back()
    assert lane.depth == 0
    assert pairs.times < 6


def calls_in(work):
    """How many functions and turns of generators a piece of work takes."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("max_queue", [100, 200])
def test_an_arrival_looks_at_each_waiting_request_a_few_times(max_queue):
    lane = make_lane(max_queue=max_queue)
    for number in range(100):
        lane.admit(request(str(number)))
    assert calls_in(lambda: lane.admit(request("vital", rank=VITAL))) < 20 * 100
    assert lane.depth == min(101, max_queue)


def test_a_batch_takes_no_longer_where_more_pairs_of_the_call_wait():
    def batch_of(count):
        lane = make_lane(max_tokens=4 * PAIR, pair_takes=0.001)
        lane.admit(request(*map("{:03}".format, range(count)), deadline=99.0))
        return calls_in(lambda: lane.take(now=0.0))

    assert batch_of(10) == batch_of(900)


def test_a_call_with_pairs_of_several_importances_is_served_in_their_order():
    lane = make_lane(max_tokens=2 * PAIR)
    ranks = (LESS, VITAL, OKAY, VITAL)
    asked = Request([Pair(str(row), "claim", importance=rank) for row, rank in enumerate(ranks)], 0.0)
    lane.admit(asked)
    assert premises(lane.take(now=0.0)) == ["1", "3"]
    lane.put_back()
    assert premises(lane.take(now=0.0)) == ["1", "3"]
    for entry in lane.running:
        asked.answer(entry.row, SCORES)
    lane.put_back()
    assert premises(lane.take(now=0.0)) == ["2", "0"]
