import pytest

from vista_stream.caching import cache_scope
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


@pytest.mark.parametrize("size", [-1, float("nan"), "64", None])
def test_a_size_that_is_none_is_refused(size):
    with pytest.raises(ValueError, match="size must"):
        Lru(size)


def test_a_scope_finds_its_own_entries_and_the_shared_ones():
    kept = Lru(9)
    kept.put("a", "shared")
    with cache_scope("one"):
        assert kept.get("a") == "shared"
        kept.put("a", "one's")
        kept.put("b", "one's")
        assert kept.get("a") == "one's"
        with cache_scope("two"):
            assert (kept.get("a"), kept.get("b")) == ("shared", None)
        assert kept.get("b") == "one's"
    assert (kept.get("a"), kept.get("b")) == ("shared", None)
