"""Graphs of floats are made once, kept whole, and made again where the file is damaged."""

import hashlib
import os
import sys
from pathlib import Path

import pytest

from vista_stream.errors import ModelLoadError
from vista_stream.verifiers import float_cache
from vista_stream.verifiers.float_cache import cache_folder, float_model


@pytest.fixture
def path(verifier_folder) -> Path:
    return verifier_folder / "model.onnx"


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """The precision of each graph that is made, in order."""
    precisions: list[str] = []
    make = float_cache._make

    def noted(path, precision):
        precisions.append(precision)
        return make(path, precision)

    monkeypatch.setattr(float_cache, "_make", noted)
    return precisions


def test_the_second_load_reads_what_the_first_kept(path, tmp_path, made):
    first = float_model(path, digest="ab", precision="float16", folder=tmp_path / "deep" / "cache")
    assert float_model(path, digest="ab", precision="float16", folder=tmp_path / "deep" / "cache") == first
    assert made == ["float16"]
    (kept,) = (tmp_path / "deep" / "cache").iterdir()  # and no temporary file beside it
    assert kept.name == f"ab-float16-{float_cache._VERSION}.graph"
    assert kept.read_bytes() == hashlib.sha256(first).digest() + first


def test_another_model_precision_or_version_is_another_file(path, tmp_path, made, monkeypatch):
    for digest, precision in (("ab", "float16"), ("ab", "float32"), ("cd", "float32")):
        float_model(path, digest=digest, precision=precision, folder=tmp_path)
    monkeypatch.setattr(float_cache, "_VERSION", float_cache._VERSION + 1)
    float_model(path, digest="cd", precision="float32", folder=tmp_path)
    assert made == ["float16", "float32", "float32", "float32"]
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("damage", ["one bit", "cut short", "empty"])
def test_a_damaged_file_is_made_again(path, tmp_path, made, damage, caplog):
    whole = float_model(path, digest="ab", precision="float32", folder=tmp_path)
    (kept,) = tmp_path.iterdir()
    content = bytearray(kept.read_bytes())
    content[-1] ^= 1
    kept.write_bytes({"one bit": content, "cut short": content[:-9], "empty": b""}[damage])
    assert float_model(path, digest="ab", precision="float32", folder=tmp_path) == whole
    assert made == ["float32", "float32"]
    assert [record.message for record in caplog.records] == [f"{kept} is damaged and is made again"]
    assert float_model(path, digest="ab", precision="float32", folder=tmp_path) == whole
    assert len(made) == 2


def test_a_folder_that_cannot_be_written_leaves_the_graph_in_memory(path, tmp_path, made, caplog):
    (tmp_path / "file").write_text("no folder")
    model = float_model(path, digest="ab", precision="float32", folder=tmp_path / "file")
    assert model == float_model(path, digest="ab", precision="float32", folder=tmp_path / "file")
    assert made == ["float32", "float32"]
    assert "cannot be written" in caplog.records[0].message
    assert "VISTA_STREAM_CACHE" in caplog.records[0].message


def test_a_full_disk_leaves_no_part_of_a_file(path, tmp_path, monkeypatch, caplog):
    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    float_model(path, digest="ab", precision="float32", folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert "No space left on device" in caplog.records[0].message


@pytest.mark.skipif(sys.platform == "win32", reason="the cache directory is another there")
def test_the_folder_is_the_users_unless_a_variable_names_it(monkeypatch, tmp_path):
    monkeypatch.delenv("VISTA_STREAM_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "vista_stream"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "vista_stream"
    monkeypatch.setenv("VISTA_STREAM_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"


def test_without_the_package_onnx_one_line_says_what_to_install(path, tmp_path, monkeypatch):
    float_model(path, digest="ab", precision="float32", folder=tmp_path)
    monkeypatch.setitem(sys.modules, "onnx", None)
    for name in ("float_graph", "unpacking"):
        monkeypatch.delitem(sys.modules, f"vista_stream.verifiers.{name}", raising=False)
    assert float_model(path, digest="ab", precision="float32", folder=tmp_path)  # what is kept needs none
    with pytest.raises(ModelLoadError, match=r'package onnx, which is missing: pip install "onnx>=1\.17"'):
        float_model(path, digest="cd", precision="float32", folder=tmp_path)
