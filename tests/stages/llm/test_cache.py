"""The reply cache on a real file."""

from pathlib import Path

from vista_stream.stages.llm.cache import Reply, ReplyCache


def test_replies_survive_and_the_first_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "replies.db"
    cache = ReplyCache(path)
    assert cache.get({"model": "a", "n": 1}) is None
    cache.put({"model": "a", "n": 1}, Reply("yes", 5, 2))
    cache.put({"n": 1, "model": "a"}, Reply("no"))
    cache.close()
    again = ReplyCache(path)
    assert again.get({"n": 1, "model": "a"}) == Reply("yes", 5, 2)
    assert again.get({"n": 2, "model": "a"}) is None
    again.close()
