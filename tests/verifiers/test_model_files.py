from __future__ import annotations

import hashlib

import pytest

from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.model_files import check_files, digest


@pytest.fixture
def folder(tmp_path):
    for name in ("model.onnx", "tokenizer.json", "model.onnx.data"):
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.fixture
def files(folder):
    return {path.name: digest(path) for path in folder.iterdir()}


def test_a_whole_folder_passes(folder, files):
    assert files["tokenizer.json"] == hashlib.sha256(b"tokenizer.json").hexdigest()
    check_files(folder, files)


def test_every_file_that_is_named_is_checked(folder, files):
    (folder / "model.onnx.data").write_text("other weights")
    with pytest.raises(ModelLoadError, match=r"model\.onnx\.data is damaged: .* expected"):
        check_files(folder, files)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_graph_and_tokenizer_must_be_named_and_there(folder, files, name):
    with pytest.raises(ModelLoadError, match=f"beside .*{name} gives no SHA-256"):
        check_files(folder, {other: sha for other, sha in files.items() if other != name})
    (folder / name).unlink()
    with pytest.raises(ModelLoadError, match=f"{name} is missing; expected SHA-256 {files[name]}"):
        check_files(folder, files)
