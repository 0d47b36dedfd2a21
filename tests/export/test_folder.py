from __future__ import annotations

from pathlib import Path

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


def refused(to, match):
    with pytest.raises(ValueError, match=match), whole_folder(to):
        pytest.fail("the block must not run")


def test_a_link_to_an_empty_folder_is_followed(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "link").symlink_to("model")
    with whole_folder(tmp_path / "link") as folder:
        (folder / "part").write_text("x")
    assert (tmp_path / "model" / "part").read_text() == "x"
    assert (tmp_path / "link").is_symlink()


def test_a_link_to_itself_is_refused_at_once(tmp_path):
    (tmp_path / "link").symlink_to("link")
    refused(tmp_path / "link", "to must be a folder that is empty or not there yet")
    assert [path.name for path in tmp_path.iterdir()] == ["link"]


@pytest.mark.parametrize("to", [".", "../model", "model/.."])
def test_the_working_directory_is_refused_at_once(tmp_path, monkeypatch, to):
    (tmp_path / "model").mkdir()
    monkeypatch.chdir(tmp_path / "model")
    refused(Path(to), "to must be neither the working directory nor a mount point")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_mount_point_is_refused_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "is_mount", lambda path: path == tmp_path)
    refused(tmp_path, "to must be neither the working directory nor a mount point")


@pytest.mark.parametrize("to", ["file/model", "file/deep/model"])
def test_a_file_on_the_way_is_named(tmp_path, to):
    (tmp_path / "file").write_text("x")
    refused(tmp_path / to, r"to must be in a folder, and .*file is none")


@pytest.mark.parametrize("to", ["deep/er/" + "n" * 250, "deep/" + "n" * 300 + "/model"])
def test_a_name_that_is_too_long_leaves_no_folder(tmp_path, to):
    with pytest.raises(OSError, match="File name too long"), whole_folder(tmp_path / to):
        pytest.fail("the block must not run")
    assert list(tmp_path.iterdir()) == []
