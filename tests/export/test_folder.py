from __future__ import annotations

import pytest

from vista_stream.export.folder import whole_folder


def test_the_folder_appears_at_the_end(tmp_path):
    to = tmp_path / "deep" / "model"
    with whole_folder(to) as folder:
        (folder / "part").write_text("x")
        assert not to.exists()
    assert [path.name for path in to.iterdir()] == ["part"]
    assert [path.name for path in to.parent.iterdir()] == ["model"]


def test_nothing_is_left_where_the_block_raises(tmp_path):
    def interrupted():
        with whole_folder(tmp_path / "deep" / "er" / "model") as folder:
            (folder / "part").write_text("x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_on_the_way_that_others_use_by_then_is_kept(tmp_path):
    def broken():
        with whole_folder(tmp_path / "deep" / "er" / "model"):
            (tmp_path / "deep" / "theirs").write_text("x")
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        broken()
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["theirs"]


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "model").mkdir()
    with whole_folder(tmp_path / "model") as folder:
        (folder / "part").write_text("x")
    assert (tmp_path / "model" / "part").read_text() == "x"


def test_what_is_there_is_kept(tmp_path):
    (tmp_path / "kept").write_text("x")
    with (
        pytest.raises(ValueError, match="to must be a folder that is empty or not there yet"),
        whole_folder(tmp_path),
    ):
        pytest.fail("the block must not run")
    assert (tmp_path / "kept").read_text() == "x"
