import pytest

from vista_stream.verifiers.lru import Lru


def test_the_least_recently_used_goes_first():
    kept = Lru(2)
    kept.put("a", 1)
    kept.put("b", 2)
    assert kept.get("a") == 1
    kept.put("c", 3)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (1, None, 3)
    assert len(kept) == 2


def test_size_zero_keeps_nothing():
    kept = Lru(0)
    kept.put("a", 1)
    assert kept.get("a") is None


def test_a_negative_size_is_refused():
    with pytest.raises(ValueError, match="size must"):
        Lru(-1)
