"""ONNX Runtime: threads work within a run and rest after it, and integer products are exact."""

import time

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from vista_stream.verifiers.threads import default_threads, set_up

WIDTH = 512


@pytest.fixture
def session():
    """A product that two threads share."""
    right = np.ones((WIDTH, WIDTH), dtype=np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "right"], ["y"])],
        "product",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", WIDTH])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", WIDTH])],
        [numpy_helper.from_array(right, "right")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    set_up(options, 2)
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


@pytest.mark.parametrize("bound", [False, True])
def test_threads_take_no_time_between_runs(session, bound):
    rows = np.ones((256, WIDTH), dtype=np.float32)

    def run():
        if not bound:
            return session.run(None, {"x": rows})
        binding = session.io_binding()
        binding.bind_cpu_input("x", rows)
        binding.bind_output("y")
        return session.run_with_iobinding(binding)

    rested = 0.0
    for _ in range(50):
        run()
        before = time.process_time()
        time.sleep(0.01)
        rested += time.process_time() - before
    assert rested < 0.1  # of half a second; a thread that spins takes nearly all of it


def test_threads_by_default():
    assert 1 <= default_threads() <= 4


@pytest.mark.parametrize("sign", [1, -1])
def test_integer_products_are_exact_on_every_cpu(sign):
    weights = np.full((WIDTH, 64), sign * 126, dtype=np.int8)
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["x", "weights"], ["y"])],
        "product",
        [helper.make_tensor_value_info("x", TensorProto.UINT8, ["rows", WIDTH])],
        [helper.make_tensor_value_info("y", TensorProto.INT32, ["rows", 64])],
        [numpy_helper.from_array(weights, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    set_up(options, 1)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    (products,) = session.run(None, {"x": np.full((8, WIDTH), 255, dtype=np.uint8)})
    assert (products == sign * 126 * 255 * WIDTH).all()
