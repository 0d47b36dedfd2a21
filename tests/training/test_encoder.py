"""The encoder: the first token alone as in the whole, and the exported graph as the module."""

from collections import Counter

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="export needs the extra [train]")
torch = pytest.importorskip("torch", reason="export needs the extra [train]")
ort = pytest.importorskip("onnxruntime", reason="export needs the extra [train]")
pytest.importorskip("safetensors", reason="export needs the extra [train]")

from vista_stream.training.cross_encoder import CrossEncoder  # noqa: E402
from vista_stream.training.encoder import Encoder, Shape, attention  # noqa: E402
from vista_stream.training.storing.exporting import to_onnx  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # the exporters warn of their own old ways

CONFIG = {
    "num_hidden_layers": 3,
    "hidden_size": 32,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "vocab_size": 50,
    "max_position_embeddings": 40,
    "layer_norm_eps": 1e-5,
}


@pytest.fixture(params=["mpnet", "bert"])
def encoder(request) -> Encoder:
    torch.manual_seed(0)
    return Encoder(Shape.of({"model_type": request.param, **CONFIG}), dropout=0.0).eval()


def padded() -> tuple["torch.Tensor", "torch.Tensor"]:
    """Three rows of 11 tokens, of which the second has 6 that count."""
    torch.manual_seed(1)
    ids, mask = torch.randint(2, 50, (3, 11)), torch.ones(3, 11, dtype=torch.int64)
    mask[1, 6:] = 0
    return ids, mask


@torch.no_grad()
def test_the_first_token_alone_is_as_in_the_whole(encoder):
    ids, mask = padded()
    whole, first = encoder(ids, mask), encoder(ids, mask, tokens=1)
    assert first.shape == (3, 1, 32)
    torch.testing.assert_close(first, whole[:, :1])


@torch.no_grad()
def test_what_stands_behind_the_padding_changes_nothing(encoder):
    ids, mask = padded()
    other = ids.clone()
    other[1, 6:] = 7
    torch.testing.assert_close(encoder(ids, mask)[1, :6], encoder(other, mask)[1, :6])


@torch.no_grad()
def test_attention_written_out_is_the_fused_one():
    torch.manual_seed(2)
    q, k, v = (torch.randn(2, rows, 32) for rows in (3, 5, 5))
    bias = torch.randn(1, 4, 3, 5)
    heads = (x.unflatten(-1, (4, -1)).transpose(1, 2) for x in (q, k, v))
    fused = torch.nn.functional.scaled_dot_product_attention(*heads, attn_mask=bias)
    torch.testing.assert_close(attention(q, k, v, bias, heads=4), fused.transpose(1, 2).flatten(2))


def test_attention_drops_a_share_of_what_it_looks_at():
    torch.manual_seed(2)
    q, k = torch.randn(1, 64, 32), torch.randn(1, 64, 32)
    seen = attention(q, k, torch.ones(1, 64, 32), torch.zeros(1, 1, 64, 64), heads=4, dropout=0.5)
    assert seen.std() > 0.01  # without dropping it is one everywhere
    assert abs(seen.mean() - 1) < 0.1


@torch.no_grad()
def test_the_exported_graph_computes_the_same(encoder, tmp_path):
    model = CrossEncoder(encoder).eval()
    to_onnx(model, tmp_path / "model.onnx", output="logits")
    session = ort.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    for rows in (3, 1):
        ids, mask = (each[:rows] for each in padded())
        (found,) = session.run(None, {"input_ids": ids.numpy(), "attention_mask": mask.numpy()})
        np.testing.assert_allclose(found, model(ids, mask).numpy(), atol=1e-4)
    kinds = Counter(node.op_type for node in onnx.load(tmp_path / "model.onnx").graph.node)
    assert kinds["MultiHeadAttention"] == CONFIG["num_hidden_layers"]
    assert kinds["Softmax"] == 0
