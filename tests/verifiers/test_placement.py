"""Which device and precision are chosen, and what is said where CUDA cannot be had."""

import sys

import onnxruntime
import pytest

from pretended_cuda import PretendedCuda
from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.placement import Placement, place


@pytest.fixture
def no_cuda(monkeypatch):
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"])


def test_the_default_is_as_shipped():
    assert place() == Placement(device="cpu", precision="int8", cache=None)


@pytest.mark.parametrize("device", ["cuda", "auto"])
def test_cuda_computes_in_half_precision_unless_told_otherwise(device, monkeypatch, tmp_path):
    PretendedCuda(monkeypatch)
    assert place(device) == Placement(device="cuda", precision="float16")
    assert place(device, "float32", cache=str(tmp_path)) == Placement(
        device="cuda", precision="float32", cache=tmp_path
    )


def test_int8_is_for_the_cpu(monkeypatch):
    PretendedCuda(monkeypatch)
    assert place("auto", "int8") == Placement()
    with pytest.raises(ValueError, match="int8 is for the CPU alone"):
        place("cuda", "int8")


def test_without_cuda_one_line_says_why_the_cpu_is_taken(no_cuda, caplog):
    assert place("cuda", "float32") == Placement()
    (record,) = caplog.records
    assert (record.levelname, record.name) == ("WARNING", "vista_stream")
    assert record.message == (
        "the verifier runs on the CPU, although CUDA was asked for:"
        " this onnxruntime offers CPUExecutionProvider only"
    )


def test_auto_takes_the_cpu_without_a_word(no_cuda, caplog):
    assert place("auto") == Placement()
    assert place("auto", "float32").precision == "float32"
    assert caplog.records == []


def test_other_values_are_told_with_what_is_taken():
    with pytest.raises(ValueError, match=r"device must be one of \('cpu', 'cuda', 'auto'\), not 'gpu'"):
        place("gpu")
    with pytest.raises(ValueError, match=r"precision must be one of .* or None, not 'fp16'"):
        place("cpu", "fp16")


def test_without_onnx_runtime_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ModelLoadError, match="ONNX Runtime is missing"):
        place("cuda")
