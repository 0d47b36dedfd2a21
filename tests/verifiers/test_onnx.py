import hashlib
import json
import shutil
import sys

import numpy as np
import pytest

from vista_stream.errors import InferenceError, ModelLoadError
from vista_stream.verifiers.onnx import load


@pytest.fixture
def model(verifier_folder):
    return load(verifier_folder, kind="cross-encoder", threads=1)


def damaged_copy(folder, target, name):
    """A folder whose file holds something else, and whose manifest agrees with that."""
    shutil.copytree(folder, target)
    (target / name).write_text("something else")
    manifest = json.loads((target / "manifest.json").read_text())
    manifest["files"][name] = hashlib.sha256(b"something else").hexdigest()
    (target / "manifest.json").write_text(json.dumps(manifest))
    return target


def test_a_model_is_loaded_once_a_process(verifier_folder, model):
    assert load(str(verifier_folder), kind="cross-encoder", threads=1) is model
    assert load(verifier_folder, kind="cross-encoder", threads=2) is not model


def test_threads_below_one_are_refused(verifier_folder):
    with pytest.raises(ValueError, match="threads must"):
        load(verifier_folder, kind="cross-encoder", threads=0)


def test_a_pair_is_encoded_in_the_models_template(model):
    encoding = model.encode("the dog sat", "a cat")
    assert encoding.tokens == ["[CLS]", "the", "dog", "sat", "[SEP]", "a", "cat", "[SEP]"]
    assert model.encode("the dog").tokens == ["[CLS]", "the", "dog", "[SEP]"]


def test_a_text_cannot_spell_a_special_token(model):
    encoding = model.encode("the dog [SEP] sat", "a cat [CLS]")
    assert [encoding.tokens.count(special) for special in ("[CLS]", "[SEP]")] == [1, 2]


def test_only_the_premise_is_cut_short(model):
    encoding = model.encode("the dog " * 50, "a cat sat on the mat")
    assert len(encoding) == 12
    assert encoding.tokens[4:] == ["[SEP]", "a", "cat", "sat", "on", "the", "mat", "[SEP]"]


def test_a_hypothesis_that_leaves_no_room_is_refused(model):
    assert len(model.encode("the dog", "cat " * 8)) == 12
    with pytest.raises(InferenceError, match="hypothesis has 9 tokens"):
        model.encode("the dog", "cat " * 9)


def test_a_batch_gives_what_each_text_gives_alone(model):
    encodings = [model.encode(text, "a cat") for text in ("the dog", "the red dog sat on a mat", "")]
    joint = model.run(encodings)
    alone = np.concatenate([model.run([encoding]) for encoding in encodings])
    assert joint == pytest.approx(alone, abs=1e-5)


def test_batches_hold_every_row_once_and_similar_lengths(model):
    encodings = [model.encode("dog " * (n % 9 + 1), "cat") for n in range(400)]
    batches = list(model.batches(encodings))
    assert sorted(row for batch in batches for row in batch) == list(range(400))
    for batch in batches:
        lengths = [len(encodings[row]) for row in batch]
        assert max(lengths) * len(lengths) <= model.manifest.batch_tokens
        assert min(lengths) >= 0.75 * max(lengths)
    assert len(batches) < 30


def test_no_texts_make_no_batch(model):
    assert list(model.batches([])) == []


def test_without_onnx_runtime_one_line_says_what_to_install(verifier_folder, tmp_path, monkeypatch):
    folder = shutil.copytree(verifier_folder, tmp_path / "model")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelLoadError, match=r'from a checkout, pip install "\.\[cpu\]"'):
        load(folder, kind="cross-encoder")


@pytest.mark.parametrize(
    ("name", "said"), [("model.onnx", "not an ONNX model"), ("tokenizer.json", "not a tokenizer")]
)
def test_files_that_are_something_else_are_named(verifier_folder, tmp_path, name, said):
    folder = damaged_copy(verifier_folder, tmp_path / "model", name)
    with pytest.raises(ModelLoadError, match=rf"{name} is {said}"):
        load(folder, kind="cross-encoder")


def test_what_onnx_runtime_raises_is_an_inference_error(model, monkeypatch):
    class Broken:
        def run(self, outputs, feed):
            raise RuntimeError("out of memory")

    monkeypatch.setattr(model, "_session", Broken())
    with pytest.raises(InferenceError, match="tiny: out of memory"):
        model.run([model.encode("the dog", "cat")])
