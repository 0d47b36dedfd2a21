from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from vista_stream.errors import InferenceError, ModelLoadError
from vista_stream.verifiers.flan_t5_session import AnswerSession


def test_padding_changes_nothing(write_flan_t5, answer_table):
    session = AnswerSession(write_flan_t5() / "model.onnx", providers=None, threads=1)
    logits = session.run([[3, 4, 5], [6]])
    np.testing.assert_allclose(logits, [answer_table[[3, 4, 5]].sum(axis=0), answer_table[6]], atol=1e-6)


def test_a_provider_that_is_not_there_is_an_error(write_flan_t5):
    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("this onnxruntime has CUDA")
    with pytest.raises(
        ModelLoadError, match="CUDAExecutionProvider was asked for, but this onnxruntime offers"
    ):
        AnswerSession(write_flan_t5() / "model.onnx", providers=["CUDAExecutionProvider"], threads=1)


def test_a_provider_that_the_session_drops_is_an_error(write_flan_t5, monkeypatch):
    # What a CUDA build does on a machine without a driver: it offers CUDA, then runs on the CPU.
    monkeypatch.setattr(onnxruntime.InferenceSession, "get_providers", lambda self: ["OtherProvider"])
    with pytest.raises(ModelLoadError, match="the session got OtherProvider only"):
        AnswerSession(write_flan_t5() / "model.onnx", providers=None, threads=1)


def test_providers_pass_through_with_their_options(write_flan_t5):
    providers = [("CPUExecutionProvider", {"use_arena": "0"})]
    assert AnswerSession(write_flan_t5() / "model.onnx", providers=providers, threads=1).on_cpu


def test_tensorrt_passes_through_with_its_options(tmp_path, monkeypatch):
    given = []

    class Session:
        def __init__(self, path, options, *, providers):
            given.append(providers)

        def get_providers(self):
            return ["TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider"]

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: Session.get_providers(None))
    monkeypatch.setattr(onnxruntime, "InferenceSession", Session)
    wanted = [("TensorrtExecutionProvider", {"trt_fp16_enable": True}), "CUDAExecutionProvider"]
    session = AnswerSession(tmp_path / "model.onnx", providers=wanted, threads=1)
    assert given == [wanted]
    assert not session.on_cpu


def test_a_single_name_for_a_list_is_refused(tmp_path):
    with pytest.raises(ValueError, match="providers must be a list of names, not 'CUDAExecutionProvider'"):
        AnswerSession(tmp_path / "model.onnx", providers="CUDAExecutionProvider", threads=1)


def test_a_file_that_is_no_graph_is_an_error(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelLoadError, match=r"model\.onnx cannot be loaded"):
        AnswerSession(tmp_path / "model.onnx", providers=None, threads=1)


def test_no_threads_are_refused(tmp_path):
    with pytest.raises(ValueError, match="threads must be 1 or more"):
        AnswerSession(tmp_path / "model.onnx", providers=None, threads=0)


def test_a_token_that_the_model_does_not_have_is_an_inference_error(write_flan_t5):
    session = AnswerSession(write_flan_t5() / "model.onnx", providers=None, threads=1)
    with pytest.raises(InferenceError, match="ONNX Runtime"):
        session.run([[10**6]])
