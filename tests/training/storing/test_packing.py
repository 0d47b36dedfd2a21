"""Four-bit storage: unpacked by ONNX Runtime to the very integers that were packed."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="packing needs the extra [train]")
torch = pytest.importorskip("torch", reason="packing needs the extra [train]")
ort = pytest.importorskip("onnxruntime", reason="packing needs the extra [train]")

from vista_stream.training.storing.exporting import quantise  # noqa: E402
from vista_stream.training.storing.packing import BLOCK, pack, rounded  # noqa: E402
from vista_stream.verifiers.threads import set_up  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # the exporters warn of their own old ways


def weights(inputs: int, outputs: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(inputs, outputs)).astype(np.float32)


def test_rounded_weights_are_near_and_no_two_products_overflow_16_bits() -> None:
    given = weights(96, 40)
    four, multipliers, scale = rounded(given)
    assert np.abs(four).max() <= 7
    whole = four.reshape(3, BLOCK, 40) * multipliers[:, None].astype(np.int32)
    assert 2 * 255 * np.abs(whole).max() < 2**15
    back = whole.reshape(given.shape) * scale
    assert np.sqrt(((back - given) ** 2).mean()) < 0.12


def test_weights_that_four_bits_hold_come_back_exactly() -> None:
    numbers = np.random.default_rng(1).integers(-7, 8, size=(64, 8)).astype(np.float32)
    numbers[0], numbers[BLOCK] = 7, 7
    four, multipliers, scale = rounded(numbers)
    back = four.reshape(2, BLOCK, 8) * multipliers[:, None] * scale
    np.testing.assert_allclose(back.reshape(64, 8), numbers, atol=1e-5)


def test_inputs_that_blocks_do_not_divide_are_refused() -> None:
    with pytest.raises(ValueError, match="multiple of 32, not 33"):
        rounded(weights(33, 4))


def test_the_packed_graph_computes_what_the_rounded_weights_compute(tmp_path) -> None:
    given = weights(64, 256)
    module = torch.nn.Linear(64, 256, bias=True)
    with torch.no_grad():
        module.weight.copy_(torch.from_numpy(given.T))
    names = {"input_names": ["x"], "output_names": ["y"], "dynamic_axes": {"x": {0: "batch"}}}
    fed = torch.randn(2, 5, 64)  # three axes, so that the product is written as MatMul
    torch.onnx.export(module, (fed,), str(tmp_path / "whole.onnx"), opset_version=17, dynamo=False, **names)
    quantise(tmp_path / "whole.onnx", tmp_path / "eight.onnx")
    pack(tmp_path / "whole.onnx", tmp_path / "eight.onnx", tmp_path / "packed.onnx")
    options = ort.SessionOptions()
    set_up(options, 1)  # exact products, also where a CPU has no VNNI
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    options.optimized_model_filepath = str(tmp_path / "loaded.onnx")
    session = ort.InferenceSession(str(tmp_path / "packed.onnx"), options, providers=["CPUExecutionProvider"])
    four, multipliers, scale = rounded(given)
    unpacked = (four.reshape(2, BLOCK, 256) * multipliers[:, None] * scale).reshape(64, 256)
    (found,) = session.run(None, {"x": fed.numpy()})
    wanted = fed.numpy() @ unpacked + module.bias.detach().numpy()
    assert np.abs(found - wanted).max() < 0.05 * np.abs(wanted).max()  # activations are int8
    loaded = [node.op_type for node in onnx.load(tmp_path / "loaded.onnx").graph.node]
    assert "DequantizeLinear" not in loaded
    assert (tmp_path / "packed.onnx").stat().st_size < 0.75 * (tmp_path / "eight.onnx").stat().st_size


def test_a_graph_without_products_is_refused(tmp_path) -> None:
    tensor = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1])
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Identity", ["x"], ["y"])],
        "g",
        [tensor],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1])],
    )
    path = tmp_path / "empty.onnx"
    onnx.save(onnx.helper.make_model(graph), path)
    with pytest.raises(ValueError, match="no products to pack"):
        pack(path, path, tmp_path / "out.onnx")
