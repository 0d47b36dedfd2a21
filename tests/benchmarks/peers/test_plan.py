"""What every guard is asked to do."""

from benchmarks.peers.plan import CROWDS, CUTS, RATES, own_plan, stub_plan
from benchmarks.peers.streams import pair


def pairs():
    right, wrong = "The sea is deep. The land is dry.", "The sea is flat. The land is dry."
    return {
        kind: [pair(f"{kind}/{n}", right, wrong, None, right) for n in range(9)]
        for kind in ("vital", "bump", "listed")
    }


def test_every_cut_rate_crowd_and_trouble_is_in_the_plan():
    plan = stub_plan(pairs())
    runs = [(batch.phase, stream, how) for batch in plan for stream, how in batch.runs]
    assert {how["cut"] for phase, _, how in runs if phase == "cuts"} == set(CUTS)
    assert {how["rate"] for phase, _, how in runs if phase in ("pace", "rates")} == set(RATES)
    assert {len(batch.runs) for batch in plan if batch.phase == "load"} == set(CROWDS)
    assert {phase for phase, *_ in runs} == {"pace", "cuts", "raise", "hang", "leave", "load", "rates"}
    assert all(how["limit_s"] for *_, how in runs)


def test_right_and_false_answers_are_paired_and_a_crowd_has_its_own_names():
    plan = stub_plan(pairs())
    paced = [stream for batch in plan if batch.phase == "pace" for stream, _ in batch.runs]
    assert sum(bool(stream.false) for stream in paced) == len(paced) / 2
    crowd = next(batch for batch in plan if len(batch.runs) == 100)
    assert crowd.concurrent
    assert len({request["id"] for request in crowd.requests()}) == 100


def test_own_verifiers_judge_as_many_pairs_as_asked():
    judged = own_plan(pairs(), 3)
    assert len(judged) == 2 * 2 * 3
    assert {batch.phase for batch in judged} == {"judgement"}
