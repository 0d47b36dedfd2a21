"""Four-bit storage: unpacked by ONNX Runtime to the very integers that were packed."""

from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="packing needs the extra [train]")
torch = pytest.importorskip("torch", reason="packing needs the extra [train]")
ort = pytest.importorskip("onnxruntime", reason="packing needs the extra [train]")

from vista_stream.training.storing.packing import BLOCK, pack, rounded  # noqa: E402
from vista_stream.training.storing.quantising import quantise  # noqa: E402
from vista_stream.verifiers.threads import set_up  # noqa: E402
from vista_stream.verifiers.unpacking import update_of  # noqa: E402

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


def test_rounded_weights_stay_when_none_is_left_at_the_grids_end() -> None:
    chance = np.random.default_rng(2)
    four = chance.integers(-6, 7, size=(3, BLOCK, 50)).astype(np.float32)
    times, scale = chance.integers(1, 10, size=(3, 1, 50)), chance.uniform(1e-4, 1e-2, size=50)
    given = (four * times * scale).reshape(-1, 50).astype(np.float32)
    given[:, 0] = 0.0
    kept, multipliers, found = rounded(given)
    back = (kept.reshape(3, BLOCK, 50) * multipliers[:, None] * found).reshape(given.shape)
    np.testing.assert_allclose(back, given, rtol=1e-5)


def test_inputs_that_blocks_do_not_divide_are_refused() -> None:
    with pytest.raises(ValueError, match="multiple of 32, not 33"):
        rounded(weights(33, 4))


def exported(module: torch.nn.Module, folder: Path) -> Path:
    """The module as whole.onnx and, in int8, as eight.onnx in the folder, which is returned."""
    names = {"input_names": ["x"], "output_names": ["y"], "dynamic_axes": {"x": {1: "length"}}}
    fed = torch.randn(1, 5, module.in_features)  # three axes, so that the product is written as MatMul
    torch.onnx.export(module, (fed,), str(folder / "whole.onnx"), opset_version=17, dynamo=False, **names)
    quantise(folder / "whole.onnx", folder / "eight.onnx")
    return folder


def linear(given: np.ndarray) -> torch.nn.Linear:
    module = torch.nn.Linear(*given.shape)
    with torch.no_grad():
        module.weight.copy_(torch.from_numpy(given.T))
    return module


def loaded(path: Path) -> tuple[ort.InferenceSession, list[onnx.NodeProto]]:
    """A session of a packed graph, and the nodes that are left when ONNX Runtime has loaded it."""
    options = ort.SessionOptions()
    set_up(options, 1)  # exact products, also where a CPU has no VNNI
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    options.optimized_model_filepath = str(path.with_name("loaded.onnx"))
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session, list(onnx.load(path.with_name("loaded.onnx")).graph.node)


def test_the_packed_graph_computes_what_the_rounded_weights_compute(tmp_path) -> None:
    given = weights(64, 256)
    module = linear(given)
    exported(module, tmp_path)
    pack(tmp_path / "whole.onnx", tmp_path / "eight.onnx", tmp_path / "packed.onnx")
    session, nodes = loaded(tmp_path / "packed.onnx")
    four, multipliers, scale = rounded(given)
    unpacked = (four.reshape(2, BLOCK, 256) * multipliers[:, None] * scale).reshape(64, 256)
    fed = torch.randn(1, 5, 64)
    (found,) = session.run(None, {"x": fed.numpy()})
    wanted = fed.numpy() @ unpacked + module.bias.detach().numpy()
    assert np.abs(found - wanted).max() < 0.05 * np.abs(wanted).max()  # activations are int8
    assert "DequantizeLinear" not in [node.op_type for node in nodes]
    assert (tmp_path / "packed.onnx").stat().st_size < 0.75 * (tmp_path / "eight.onnx").stat().st_size


def stepped(inputs: int, outputs: int) -> np.ndarray:
    """Weights that four bits hold exactly."""
    four, multipliers, scale = rounded(weights(inputs, outputs))
    return (four.reshape(-1, BLOCK, outputs) * multipliers[:, None] * scale).reshape(inputs, outputs)


def test_an_update_far_below_a_step_is_kept(tmp_path) -> None:
    base, chance = stepped(128, 256), np.random.default_rng(2)
    wide, narrow = (chance.normal(size=shape).astype(np.float32) for shape in ((256, 3), (3, 128)))
    step = np.abs(base).max() / 63
    wide *= 0.1 * step  # a tenth of a step: rounding the sum to the nearest would give the base back
    update = (wide @ narrow).T
    module = linear(base + update)
    exported(module, tmp_path)
    pack(
        tmp_path / "whole.onnx",
        tmp_path / "eight.onnx",
        tmp_path / "packed.onnx",
        updates=[(wide, narrow)],
    )
    session, nodes = loaded(tmp_path / "packed.onnx")
    assert {node.op_type for node in nodes} <= {"DynamicQuantizeMatMul", "Add", "MatMulIntegerToFloat"}
    # Along the update's own directions: what is kept of it is what it adds there.
    fed = narrow[None].astype(np.float32)
    (found,) = session.run(None, {"x": fed})
    added = found - (fed @ base + module.bias.detach().numpy())
    wanted = fed @ update
    assert np.corrcoef(added.ravel(), wanted.ravel())[0, 1] > 0.9
    assert (added * wanted).sum() / (wanted**2).sum() == pytest.approx(1, abs=0.1)
    back = read({tensor.name: tensor for tensor in onnx.load(tmp_path / "packed.onnx").graph.initializer})
    np.testing.assert_allclose(back[0] @ back[1], wide @ narrow, atol=0.02 * step)


def read(tensors: dict[str, onnx.TensorProto]) -> tuple[np.ndarray, np.ndarray]:
    (name,) = [name.removesuffix("_4") for name in tensors if name.endswith("_4")]
    scale = onnx.numpy_helper.to_array(tensors[f"{name.removesuffix('_quantized')}_scale"])
    update = update_of(tensors, name, scale)
    assert update is not None
    return update


def test_a_wrong_number_of_updates_is_refused(tmp_path) -> None:
    exported(linear(weights(64, 256)), tmp_path)
    with pytest.raises(ValueError, match="1 products, not 2"):
        pack(tmp_path / "whole.onnx", tmp_path / "eight.onnx", tmp_path / "packed.onnx", updates=[None, None])


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
