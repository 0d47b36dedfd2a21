"""Channels far larger than the others: multiplied apart, so that the rest keeps its precision."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="packing needs the extra [train]")
torch = pytest.importorskip("torch", reason="packing needs the extra [train]")
ort = pytest.importorskip("onnxruntime", reason="packing needs the extra [train]")

from onnx import numpy_helper  # noqa: E402

from vista_stream.training.storing.outliers import CHANNELS, set_apart  # noqa: E402
from vista_stream.training.storing.quantising import quantise  # noqa: E402
from vista_stream.verifiers.threads import set_up  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # the exporters warn of their own old ways


def texts(large=1.0):
    """Three inputs of (1, tokens, 64) with two channels larger than the others."""
    made = np.random.default_rng(3).normal(size=(3, 1, 7, 64)).astype(np.float32)
    made[..., [5, 40]] *= large
    return [{"x": each} for each in made]


@pytest.fixture
def graphs(tmp_path):
    """Two products, one after the other, in full precision and in int8, as files."""
    torch.manual_seed(0)
    names = {"input_names": ["x"], "output_names": ["y"], "dynamic_axes": {"x": {0: "batch", 1: "length"}}}
    whole, eight = tmp_path / "whole.onnx", tmp_path / "eight.onnx"
    fed = torch.randn(2, 5, 64)  # three axes, so that the product is written as MatMul
    module = torch.nn.Sequential(torch.nn.Linear(64, 96), torch.nn.Linear(96, 64))
    with torch.no_grad():
        module[0].weight[7] *= 100  # a large channel of what the second product is fed
    torch.onnx.export(module, (fed,), str(whole), opset_version=17, dynamo=False, **names)
    quantise(whole, eight)
    return whole, eight


def run(path, feeds):
    options = ort.SessionOptions()
    set_up(options, 1)  # exact products, also where a CPU has no VNNI
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)[0]


def error(whole, eight, feeds):
    """Of the int8 graph, in parts of what the full one gives."""
    wanted = run(whole, feeds)
    return float(np.abs(run(eight, feeds) - wanted).mean() / np.abs(wanted).mean())


def test_large_channels_no_longer_spoil_the_scale(graphs):
    whole, eight = graphs
    feeds = texts(large=100)
    before = error(whole, eight, feeds[0])
    assert set_apart(whole, eight, feeds) == 2
    onnx.checker.check_model(onnx.load(eight))
    assert error(whole, eight, feeds[0]) < before / 4
    assert error(whole, eight, {"x": np.concatenate([each["x"] for each in feeds])}) < before / 4


def test_the_rows_of_those_channels_alone_are_kept_in_full(graphs):
    whole, eight = graphs
    set_apart(whole, eight, texts(large=100))
    constants = [
        (t.name.split("/")[-1], numpy_helper.to_array(t)) for t in onnx.load(eight).graph.initializer
    ]
    channels, rows, kept = (
        [v for key, v in constants if key == wanted] for wanted in ("channels", "rows", "kept")
    )
    assert {5, 40} < set(channels[0].tolist())
    assert 7 in channels[1]
    assert [each.shape for each in rows] == [(CHANNELS, 96), (CHANNELS, 64)]
    assert [int(each.sum()) for each in kept] == [64 - CHANNELS, 96 - CHANNELS]


def test_a_product_without_large_channels_stays(graphs):
    whole, eight = graphs
    assert set_apart(whole, eight, texts()) == 1
    apart = {t.name for t in onnx.load(eight).graph.initializer if t.name.endswith("/rows")}
    assert len(apart) == 1


def test_texts_are_needed(graphs):
    with pytest.raises(ValueError, match="some texts are needed"):
        set_apart(*graphs, [])
