from __future__ import annotations

import pytest

from vista_stream.core.judge import Thresholds
from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.flan_t5_manifest import read_flan_t5_manifest


def test_what_was_written_is_read(write_flan_t5):
    thresholds = Thresholds(entailment=0.6, contradiction=0.7)
    manifest = read_flan_t5_manifest(write_flan_t5(max_length=99, thresholds=thresholds))
    assert (manifest.max_length, manifest.thresholds) == (99, thresholds)
    assert (manifest.answers, manifest.answer_tokens) == (("Yes", "No"), (4, 5))


def test_a_damaged_file_is_named(write_flan_t5):
    folder = write_flan_t5()
    with (folder / "model.onnx").open("ab") as file:
        file.write(b"x")
    with pytest.raises(ModelLoadError, match=r"model\.onnx is damaged: SHA-256"):
        read_flan_t5_manifest(folder)


def test_a_missing_file_is_named(write_flan_t5):
    folder = write_flan_t5()
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelLoadError, match=r"tokenizer\.json is missing"):
        read_flan_t5_manifest(folder)


def test_a_file_that_the_manifest_leaves_out_is_refused(write_flan_t5):
    with pytest.raises(ModelLoadError, match="gives no SHA-256"):
        read_flan_t5_manifest(write_flan_t5(files={}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "cross-encoder"}, "kind must be 'flan-t5'"),
        ({"temperature": 0}, "temperature"),
        ({"overlap": 1.0}, "overlap"),
        ({"templates": {"entailment": "{hypothesis} {premise}"}}, "the entailment template must hold"),
        ({"surplus": 1}, "surplus"),
        ({"end_token": None}, "end_token must be a whole number, not None"),
        ({"max_length": 9.5}, "max_length must be a whole number"),
        ({"files": 5}, "files must give names their SHA-256"),
    ],
)
def test_a_manifest_that_is_none_says_why(write_flan_t5, change_manifest, changes, message):
    folder = write_flan_t5()
    change_manifest(folder, **changes)
    with pytest.raises(ModelLoadError, match=message):
        read_flan_t5_manifest(folder)


def test_text_that_is_not_json_is_refused(write_flan_t5):
    folder = write_flan_t5()
    (folder / "manifest.json").write_text("{")
    with pytest.raises(ModelLoadError, match="not the manifest"):
        read_flan_t5_manifest(folder)
