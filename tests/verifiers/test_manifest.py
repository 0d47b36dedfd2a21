import json
import shutil

import pytest

from vista_stream.core.judge import Thresholds
from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.manifest import read_manifest


@pytest.fixture
def folder(verifier_folder, tmp_path):
    return shutil.copytree(verifier_folder, tmp_path / "model")


def rewrite(folder, **changes):
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_a_whole_folder_gives_its_manifest(folder):
    manifest = read_manifest(folder, kind="cross-encoder")
    assert manifest.labels == ("contradiction", "entailment", "neutral")
    assert manifest.thresholds == Thresholds(entailment=0.6, contradiction=0.7)
    assert manifest.temperature == 2.0


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ModelLoadError, match=r"absent.manifest\.json is missing"):
        read_manifest(tmp_path / "absent", kind="cross-encoder")


def test_a_missing_file_is_named_with_the_hash_expected(folder):
    expected = json.loads((folder / "manifest.json").read_text())["files"]["model.onnx"]
    (folder / "model.onnx").unlink()
    with pytest.raises(ModelLoadError, match=rf"model\.onnx is missing; expected SHA-256 {expected}"):
        read_manifest(folder, kind="cross-encoder")


def test_a_damaged_file_is_named_with_the_hash_expected(folder):
    expected = json.loads((folder / "manifest.json").read_text())["files"]["tokenizer.json"]
    with (folder / "tokenizer.json").open("a") as file:
        file.write(" ")
    with pytest.raises(ModelLoadError, match=rf"tokenizer\.json is damaged: .* expected {expected}"):
        read_manifest(folder, kind="cross-encoder")


def test_the_other_kind_of_model_is_refused(folder):
    with pytest.raises(ModelLoadError, match="of a cross-encoder; a bi-encoder is needed"):
        read_manifest(folder, kind="bi-encoder")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"labels": ["yes", "no"]}, "labels must"),
        ({"temperature": 0}, "temperature"),
        ({"thresholds": {"entailment": 7}}, "entailment must"),
        ({"files": {"model.onnx": "ab"}}, "damaged"),
        ({"files": {}}, "gives no SHA-256"),
        ({"files": 5}, "manifest"),
    ],
)
def test_a_manifest_that_cannot_be_is_told(folder, changes, said):
    rewrite(folder, **changes)
    with pytest.raises(ModelLoadError, match=said):
        read_manifest(folder, kind="cross-encoder")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": "x"}', "\xff"])
def test_what_is_no_manifest_is_told(folder, text):
    (folder / "manifest.json").write_text(text, encoding="latin-1")
    with pytest.raises(ModelLoadError, match=r"manifest\.json is not a manifest"):
        read_manifest(folder, kind="cross-encoder")
