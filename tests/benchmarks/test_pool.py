import asyncio

import pytest

pytest.importorskip("aiohttp", reason="needs the extra pool")

from benchmarks.pool import HERE, ONE, TWO, pairs_of_scenes, rate, shares
from pool_replicas import Numbers, pair, triple


def test_pairs_are_all_different():
    pairs = pairs_of_scenes(200)
    assert len(set(pairs)) == len(pairs) == 200


def test_every_pair_is_scored_once_whatever_the_calls_at_once():
    verifier = Numbers(delay=0.01)
    a_second, scores = asyncio.run(rate(verifier, [pair(number) for number in range(7)], 3))
    assert scores == [triple(number) for number in range(7)]
    assert verifier.calls == 7
    assert 0 < a_second < 7 / 0.03


def test_the_share_is_the_median_of_the_rounds_own_shares():
    rounds = [
        {HERE: 10.0, ONE: 9.0, TWO: 8.0},
        {HERE: 1.0, ONE: 1.0, TWO: 0.5},
        {HERE: 4.0, ONE: 1.0, TWO: 4.0},
    ]
    assert shares(rounds) == {ONE: 0.9, TWO: 0.8}
