"""A packed graph in two files gives what it gave in one, and the weights come back from both."""

import shutil
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="splitting needs the extra [train]")
torch = pytest.importorskip("torch", reason="splitting needs the extra [train]")
pytest.importorskip("onnxruntime", reason="splitting needs the extra [train]")

from vista_stream.errors import ModelLoadError  # noqa: E402
from vista_stream.training.storing.packing import pack  # noqa: E402
from vista_stream.training.storing.quantising import quantise  # noqa: E402
from vista_stream.training.storing.splitting import map_tables, split  # noqa: E402
from vista_stream.verifiers.sessions import open_session  # noqa: E402
from vista_stream.verifiers.unpacking import load_whole, packed_product  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # the exporters warn of their own old ways

FED = {"x": np.random.default_rng(0).integers(0, 9, size=(1, 7))}


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """A packed graph of two products, the second with an update."""
    torch.manual_seed(0)
    layers = torch.nn.Embedding(9, 64), torch.nn.Linear(64, 96), torch.nn.Linear(96, 32)
    whole, eight, path = (tmp_path / f"{name}.onnx" for name in ("whole", "eight", "model"))
    torch.onnx.export(
        torch.nn.Sequential(*layers),
        (torch.from_numpy(FED["x"]),),
        str(whole),
        input_names=["x"],
        output_names=["y"],
        dynamic_axes={"x": {1: "length"}},
        opset_version=17,
        dynamo=False,
    )
    quantise(whole, eight)
    update = (np.full((32, 2), 0.01, np.float32), np.full((2, 96), 0.01, np.float32))
    pack(whole, eight, path, updates=[None, update])
    return path


def test_what_two_files_compute_is_what_one_computed(packed: Path) -> None:
    one = packed.with_name("one.onnx")
    shutil.copyfile(packed, one)
    split(packed)
    weights = packed.with_name("weights.onnx")
    assert packed.stat().st_size + weights.stat().st_size < 1.3 * one.stat().st_size
    in_one = open_session(one, 1).run(None, FED)[0]
    assert np.array_equal(open_session(packed, 1, weights=weights).run(None, FED)[0], in_one)


def test_the_stored_weights_come_back_from_both_files(packed: Path) -> None:
    products = [node.input[1] for node in onnx.load(packed).graph.node if node.op_type == "MatMulInteger"]

    def stored() -> list[np.ndarray]:
        tensors = {tensor.name: tensor for tensor in load_whole(packed).graph.initializer}
        assert not any(tensor.external_data for tensor in tensors.values())
        return [packed_product(tensors, name).weights for name in products]

    before = stored()
    split(packed)
    assert all(np.array_equal(*pair) for pair in zip(stored(), before, strict=True))
    onnx.checker.check_model(load_whole(packed))


def test_mapped_tables_are_looked_up_and_come_back(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vista_stream.training.storing.splitting._LEAST", 500)  # bytes: the tables are small
    before = open_session(packed, 1).run(None, FED)[0]
    constants = {tensor.name: tensor for tensor in onnx.load(packed).graph.initializer}
    split(packed)
    map_tables(packed)
    stored = {tensor.name: tensor for tensor in load_whole(packed).graph.initializer}
    assert all(stored[name] == tensor for name, tensor in constants.items())
    mapped = onnx.load(packed, load_external_data=False).graph.initializer
    offsets = [
        int(entry.value) for tensor in mapped for entry in tensor.external_data if entry.key == "offset"
    ]
    assert offsets
    assert not any(offset % 4096 for offset in offsets)
    weights = packed.with_name("weights.onnx")
    assert np.array_equal(open_session(packed, 1, weights=weights).run(None, FED)[0], before)


def test_a_graph_without_packed_weights_is_refused(packed: Path) -> None:
    with pytest.raises(ValueError, match=r"eight.onnx has no weights that its nodes unpack"):
        split(packed.with_name("eight.onnx"))


def test_without_its_weights_a_graph_is_not_opened(packed: Path) -> None:
    split(packed)
    with pytest.raises(ModelLoadError, match=r"model.onnx is not an ONNX model"):
        open_session(packed, 1)
    weights = packed.with_name("weights.onnx")
    weights.write_bytes(b"none")
    with pytest.raises(ModelLoadError, match=r"weights.onnx does not unpack weights"):
        open_session(packed, 1, weights=weights)
