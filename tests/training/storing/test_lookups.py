"""Tables that are looked up: eight bits a number, near to what they were for every vector."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="export needs the extra [train]")
ort = pytest.importorskip("onnxruntime", reason="export needs the extra [train]")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from vista_stream.training.storing.lookups import shrink_tables  # noqa: E402

ROWS, WIDTH = 500, 256


def table(rows: int = ROWS) -> np.ndarray:
    """Vectors of which the first is nothing and the second fifty times the others."""
    made = np.random.default_rng(0).normal(size=(rows, WIDTH)).astype(np.float32)
    made[0], made[1] = 0, 50 * made[1]
    return made


def model(values: np.ndarray) -> "onnx.ModelProto":
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "length"])
    found = helper.make_tensor_value_info("found", TensorProto.FLOAT, ["batch", "length", WIDTH])
    node = helper.make_node("Gather", ["table", "ids"], ["found"])
    graph = helper.make_graph([node], "g", [ids], [found], [numpy_helper.from_array(values, "table")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def looked_up(made: "onnx.ModelProto", ids: np.ndarray) -> np.ndarray:
    session = ort.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"ids": ids})[0]


def test_every_vector_is_near_however_large_another_is() -> None:
    values = table()
    made = model(values)
    assert shrink_tables(made.graph) == 1
    onnx.checker.check_model(made)
    ids = np.arange(ROWS).reshape(2, -1)
    found = looked_up(made, ids).reshape(ROWS, WIDTH)
    assert not found[0].any()
    away = np.linalg.norm(found - values, axis=1)[1:] / np.linalg.norm(values, axis=1)[1:]
    assert away.max() < 0.02
    assert made.ByteSize() < 0.3 * model(values).ByteSize()


def test_vectors_with_a_number_far_above_their_others_take_16_bits() -> None:
    values = table()
    values[:, 7] *= 200
    made = model(values)
    assert shrink_tables(made.graph) == 1
    onnx.checker.check_model(made)
    found = looked_up(made, np.arange(ROWS).reshape(2, -1)).reshape(ROWS, WIDTH)
    np.testing.assert_allclose(found, values, rtol=1e-3, atol=1e-6)
    assert made.ByteSize() < 0.52 * model(values).ByteSize()


def test_a_small_table_stays_as_it_is() -> None:
    values = table(rows=40)
    made = model(values)
    assert shrink_tables(made.graph) == 0
    np.testing.assert_array_equal(looked_up(made, np.array([[1, 39]]))[0], values[[1, 39]])
