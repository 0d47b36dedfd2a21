"""Whether products of eight bits overflow is told by one product, on CPUs that QEMU plays, too."""

import shutil
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper

from vista_stream.verifiers import products
from vista_stream.verifiers.products import overflow
from vista_stream.verifiers.threads import set_up


class Runtime:
    """Stands for onnxruntime on a CPU whose products come out as given."""

    def __init__(self, products: list[list[int]]) -> None:
        self.products = products

    def SessionOptions(self):  # the library's names
        return self

    def InferenceSession(self, model, options, providers):
        return self

    def run(self, names, feeds):
        return [np.array(self.products, dtype=np.int32)]


@pytest.fixture(autouse=True)
def forgotten():
    overflow.cache_clear()
    yield
    overflow.cache_clear()


def test_the_model_multiplies_by_the_largest_weights():
    model = onnx.load_from_string(products._MODEL)
    onnx.checker.check_model(model, full_check=True)
    assert [node.op_type for node in model.graph.node] == ["MatMulInteger"]
    (weights,) = model.graph.initializer
    assert (numpy_helper.to_array(weights) == np.full((4, 1), 127, dtype=np.int8)).all()


@pytest.mark.parametrize(("found", "cut_off"), [(129_540, False), (65_534, True)])
def test_what_is_cut_off_overflows(monkeypatch, found, cut_off):
    monkeypatch.setitem(sys.modules, "onnxruntime", Runtime([[found], [found]]))
    assert overflow() is cut_off


@pytest.mark.parametrize("cut_off", [False, True])
def test_precision_is_asked_for_where_products_overflow_and_only_there(monkeypatch, cut_off):
    monkeypatch.setattr("vista_stream.verifiers.threads.overflow", lambda: cut_off)
    options = onnxruntime.SessionOptions()
    set_up(options, 1)
    if cut_off:
        assert options.get_session_config_entry("session.x64quantprecision") == "1"
    else:
        with pytest.raises(RuntimeError, match="x64quantprecision"):
            options.get_session_config_entry("session.x64quantprecision")


_TOLD = """
import onnxruntime
from vista_stream.verifiers.products import overflow
print(overflow())
"""


@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="plays another CPU with Debian's qemu-user")
@pytest.mark.parametrize(("cpu", "cut_off"), [("Haswell", "True"), ("Nehalem", "False")])
def test_a_cpu_with_avx2_alone_is_found_out(cpu, cut_off):
    told = subprocess.run(
        ["qemu-x86_64", "-cpu", cpu, sys.executable, "-c", _TOLD], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == cut_off
