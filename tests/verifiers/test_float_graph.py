"""Graphs of floats compute what the int8 graph computes, without its rounding of activations and sums."""

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto

from float_pairs import PAIRS
from int8_graphs import WIDTH, product_graph, stored_product, stored_table
from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.embedded import EmbeddedVerifier
from vista_stream.verifiers.float_graph import float_graph
from vista_stream.verifiers.onnx import OnnxModel
from vista_stream.verifiers.placement import Placement

SHIPPED = Path(__file__).parents[2] / "vista_stream" / "models" / "verifier"


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def ran(model: bytes, x: np.ndarray) -> np.ndarray:
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def kinds(model: bytes) -> Counter:
    return Counter(node.op_type for node in onnx.load_from_string(model).graph.node)


def test_a_product_is_its_four_bit_weights_in_floats(tmp_path):
    # Multiples of a scale up to 7 x 9 that one multiplier reaches: four bits hold them exactly.
    weights = np.random.default_rng(1).integers(-7, 8, size=(WIDTH, 8)).astype(np.float32)
    weights[0] = weights[32] = 7
    x, bias = normal(1, 5, WIDTH), normal(8)
    model = float_graph(stored_product(tmp_path, weights, bias), "float32")
    assert kinds(model) == {"MatMul": 1, "Add": 1}
    assert ran(model, x) == pytest.approx(x @ weights + bias, abs=1e-4)


def test_an_update_is_added_in_full(tmp_path):
    wide, narrow = normal(8, 2) / 100, normal(2, WIDTH) / 100  # far less than a step of the int8 weights
    weights = np.random.default_rng(1).integers(-7, 8, size=(WIDTH, 8)).astype(np.float32)
    weights[0] = weights[32] = 7
    whole = weights + (wide @ narrow).T
    path = stored_product(tmp_path, whole, np.zeros(8, np.float32), update=(wide, narrow))
    found = ran(float_graph(path, "float32"), np.eye(WIDTH, dtype=np.float32)[None])[0]
    assert np.abs(found - whole).max() < 0.02 * np.abs(whole - weights).max()


def test_channels_that_were_set_apart_have_their_own_weights_again(tmp_path):
    weights, bias = normal(WIDTH, 8), normal(8)
    x = normal(1, 5, WIDTH, seed=1)
    x[..., [3, 9, 20, 40]] *= 100
    model = float_graph(stored_product(tmp_path, weights, bias, sample=x), "float32")
    assert kinds(model) == {"MatMul": 1, "Add": 1}
    found = ran(model, np.eye(WIDTH, dtype=np.float32)[None])[0] - bias
    assert found[[3, 9, 20, 40]] == pytest.approx(weights[[3, 9, 20, 40]], abs=1e-6)
    assert np.sqrt(((found - weights) ** 2).mean()) < 0.12


@pytest.mark.parametrize("uneven", [False, True], ids=["eight bits", "16 bits"])
def test_a_table_is_looked_up_in_floats(tmp_path, uneven):
    vectors = normal(2000, WIDTH)
    if uneven:  # a few numbers far above the others: eight bits would lose these
        vectors[:, :2] *= 1000
    path = stored_table(tmp_path, vectors)
    model = float_graph(path, "float32")
    assert kinds(model) == {"Gather": 1}
    ids = np.array([[5, 0, 1999]])
    stored = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    assert ran(model, ids) == pytest.approx(stored.run(None, {"x": ids})[0])


def test_half_precision_has_half_the_size_and_puts_out_singles(tmp_path):
    weights, bias = normal(WIDTH, 256), normal(256)
    path = stored_product(tmp_path, weights, bias)
    single, half = (float_graph(path, precision) for precision in ("float32", "float16"))
    assert len(half) < 0.55 * len(single)
    held = onnx.load_from_string(half)
    assert {tensor.data_type for tensor in held.graph.initializer} == {TensorProto.FLOAT16}
    assert held.graph.output[0].type.tensor_type.elem_type == TensorProto.FLOAT
    assert [node.op_type for node in held.graph.node] == ["MatMul", "Add", "Cast"]


def test_numbers_beyond_half_precision_become_its_largest(tmp_path):
    onnx.save(product_graph(normal(2, 2), np.array([1e9, -1e9], np.float32)), tmp_path / "whole.onnx")
    held = onnx.load_from_string(float_graph(tmp_path / "whole.onnx", "float16"))
    bias = next(tensor for tensor in held.graph.initializer if tensor.name == "bias")
    assert onnx.numpy_helper.to_array(bias).tolist() == [65504, -65504]


def test_a_file_that_is_no_model_or_is_quantised_otherwise_is_told(tmp_path):
    (tmp_path / "no.onnx").write_text("something else")
    with pytest.raises(ModelLoadError, match=r"no\.onnx is not an ONNX model"):
        float_graph(tmp_path / "no.onnx", "float32")
    packed = onnx.load(stored_product(tmp_path, normal(WIDTH, 8), normal(8)))
    for node in packed.graph.node:
        if node.op_type == "MatMulInteger":
            node.op_type = "QuantizeLinear"
    onnx.save(packed, tmp_path / "other.onnx")
    with pytest.raises(ModelLoadError, match=r"quantised nodes that training does not write.*QuantizeLinear"):
        float_graph(tmp_path / "other.onnx", "float32")


@pytest.fixture(scope="module")
def scored(tmp_path_factory) -> dict[str, np.ndarray]:
    """The scores of the forty pairs by precision; shape (40, 3) each. The models are not kept loaded."""
    cache = tmp_path_factory.mktemp("cache")

    def scores(precision: str) -> np.ndarray:
        model = OnnxModel(SHIPPED, "cross-encoder", 1, Placement(precision=precision, cache=cache))
        return np.array(EmbeddedVerifier(model).score_sync(PAIRS))

    return {precision: scores(precision) for precision in ("int8", "float32", "float16")}


# Three seconds of one core to make each graph, and one to score the pairs.
@pytest.mark.timeout(900)
def test_the_shipped_model_scores_in_floats_what_it_scores_in_int8(scored):
    """Measured with 0.14: 0.018 off on average and 0.183 at most; 39 of 40 labels are the same.

    On 500 development pairs int8 was 0.008 off full precision, and 2 % of the labels differed
    (`outliers.py`). The label that differs has a margin of 0.25, so only where it is above 0.3 must they be
    the same.
    """
    eight, floats = scored["int8"], scored["float32"]
    off = np.abs(floats - eight)
    assert off.mean() < 0.026
    assert off.max() < 0.25
    ordered = np.sort(eight, axis=1)
    sure = ordered[:, 2] - ordered[:, 1] > 0.3
    assert sure.sum() >= 28
    assert (floats.argmax(1) == eight.argmax(1))[sure].all()


@pytest.mark.timeout(900)
def test_half_precision_scores_what_single_precision_scores(scored):
    """Measured: 0.0007 off at most, on the CPU, where ONNX Runtime does many nodes in single precision."""
    assert np.abs(scored["float16"] - scored["float32"]).max() < 0.005
