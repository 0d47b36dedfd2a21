"""The concurrency benchmark: what it counts, and a whole small run on a tiny model."""

import argparse
import asyncio
import time
from collections.abc import Sequence

import pytest

from benchmarks.concurrency import Apart, Crowd, gain, markdown, measure, paced, summary
from vista_stream import Category, Claim, Importance, Verdict
from vista_stream.claims import Pair, Scores, Span, UnresolvedReason
from vista_stream.report import TurnReport, Unresolved
from vista_stream.testing import ENTAILED, ScriptedVerifier


class Scripted(ScriptedVerifier):
    """A verifier whose calls take the same time whatever they hold."""

    def score_sync(self, pairs: Sequence[Pair]) -> list[Scores]:
        time.sleep(0.002)
        return [ENTAILED for _ in pairs]


def claim(number: int, importance: Importance) -> Claim:
    return Claim(id=number, sentence=0, text="A claim.", span=Span(0, 8), importance=importance)


def verdict(number: int, importance: Importance, elapsed: float) -> Verdict:
    return Verdict(claim=claim(number, importance), category=Category.VERIFIED, elapsed=elapsed)


def test_rates_delays_and_shares_are_of_all_turns():
    first = TurnReport(verdicts=[verdict(0, Importance.VITAL, 0.1), verdict(1, Importance.OKAY, 0.4)])
    late = Unresolved(claim=claim(0, Importance.OKAY), reason=UnresolvedReason.DEADLINE)
    second = TurnReport(verdicts=[verdict(1, Importance.VITAL, 0.2)], unresolved=[late])

    figures = summary([first, second], 1.5)

    assert figures["verdicts_a_second"] == 2.0
    assert figures["delay_ms"] == {"p50": 200.0, "p95": 400.0}
    assert figures["vital_delay_ms"]["p95"] == 200.0
    assert (figures["vital_settled"], figures["others_settled"]) == (100.0, 50.0)
    assert figures["unresolved"] == {"deadline": 1}


def test_a_crowd_without_claims_divides_by_nothing():
    assert summary([TurnReport()], 1.0)["vital_settled"] is None


@pytest.mark.parametrize(("pace", "least"), [(0.0, 0.0), (100.0, 0.02)])
def test_tokens_come_at_their_pace(pace, least):
    async def seconds() -> float:
        begun = asyncio.get_running_loop().time()
        assert [token async for token in paced(["a", "b", "c"], pace)] == ["a", "b", "c"]
        return asyncio.get_running_loop().time() - begun

    assert asyncio.run(seconds()) >= least


def test_only_shared_batches_hold_pairs_of_several_turns():
    def calls(batched: bool) -> list[int]:
        verifier = ScriptedVerifier(delay=0.05)
        figures = asyncio.run(Crowd(verifier, pace=0).run(8, batched=batched))
        assert figures["verdicts"] > 0
        return [len({pair.premise for pair in call}) for call in verifier.calls]

    assert len(calls(True)) < len(calls(False))


def test_pairs_of_two_turns_are_never_the_same_pair():
    inner = ScriptedVerifier()
    pair = Pair("a premise", "a claim", importance=Importance.VITAL, deadline=3.0)

    async def ask() -> None:
        for turn in (Apart(inner), Apart(inner)):
            await turn.score([pair, pair])

    asyncio.run(ask())
    (first, again), (other, _) = inner.calls
    assert first == again != other
    assert [first.premise, first.importance] == [other.premise, other.importance] == ["a premise", "vital"]
    assert first.deadline == other.deadline == 3.0


def test_a_small_run_has_every_figure():
    options = argparse.Namespace(turns=[1, 2], pace=0.0, deadline=30.0)

    figures = asyncio.run(measure(Scripted(), "tiny", options))

    assert [row["turns"] for row in figures["turns"]] == [1, 2]
    assert figures["turns"][1]["batched"]["verdicts"] == 2 * figures["turns"][0]["direct"]["verdicts"]
    assert figures["turns"][1]["direct"]["in_time"]["vital_settled"] == 100.0
    assert len(markdown({"tiny": figures}).splitlines()) == 4


def test_a_batch_that_costs_as_much_as_one_pair_gains_the_number_of_pairs(monkeypatch):
    calls = []

    class Counted(Scripted):
        def score_sync(self, pairs):
            calls.append(pairs)
            return [ENTAILED for _ in pairs]

    # The clock counts the verifier's calls: each takes as long as any other, however busy the machine is.
    monkeypatch.setattr("benchmarks.concurrency.time.perf_counter", lambda: float(len(calls)))
    for figures in gain(Counted(), repeats=1).values():
        assert figures["times_faster"] == len(calls[-1])
