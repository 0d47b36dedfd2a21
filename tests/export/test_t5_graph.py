"""The graph against a plain T5 in numpy that follows the published equations step by step."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from vista_stream.export.precision import Fp16, Fp32, Int8
from vista_stream.export.t5_graph import T5Shape, write_t5
from vista_stream.verifiers.threads import set_up

WIDTH, HEADS, HEAD, FORWARD, VOCABULARY = 32, 2, 16, 64, 40
ANSWERS = (7, 9)
SHAPE = T5Shape(
    layers=2, decoder_layers=3, heads=HEADS, head_width=HEAD, epsilon=1e-6, start_token=0, head_scale=1.0
)
REACH = 5
ROWS = [[*range(3, 40), 1], [20, 21, 1], [*range(30, 10, -1), 1]]


@pytest.fixture(scope="module")
def weights() -> dict[str, np.ndarray]:
    random = np.random.default_rng(5)

    def matrix(out: int, into: int) -> np.ndarray:
        return random.normal(scale=into**-0.5, size=(out, into)).astype(np.float32)

    def layer(block: str, attentions: list[str]) -> dict[str, np.ndarray]:
        found = {}
        for row, attention in enumerate(attentions):
            for part in "qkv":
                found[f"{block}.{row}.{attention}.{part}"] = matrix(HEADS * HEAD, WIDTH)
            # Peaked attention would make the network chaotic, and no two precisions comparable.
            found[f"{block}.{row}.{attention}.q"] /= 4
            found[f"{block}.{row}.{attention}.o"] = matrix(WIDTH, HEADS * HEAD)
        last = len(attentions)
        for part in ("wi_0", "wi_1"):
            found[f"{block}.{last}.DenseReluDense.{part}"] = matrix(FORWARD, WIDTH)
        found[f"{block}.{last}.DenseReluDense.wo"] = matrix(WIDTH, FORWARD)
        norms = {f"{block}.{row}.layer_norm": random.uniform(0.5, 2, WIDTH) for row in range(last + 1)}
        return found | {name: norm.astype(np.float32) for name, norm in norms.items()}

    tensors = {
        "shared": random.normal(size=(VOCABULARY, WIDTH)).astype(np.float32),
        "lm_head": random.normal(scale=0.2, size=(VOCABULARY, WIDTH)).astype(np.float32),
        "encoder.final_layer_norm": random.uniform(0.5, 2, WIDTH).astype(np.float32),
        "decoder.final_layer_norm": random.uniform(0.5, 2, WIDTH).astype(np.float32),
    }
    for row in range(SHAPE.layers):
        tensors |= layer(f"encoder.block.{row}.layer", ["SelfAttention"])
    for row in range(SHAPE.decoder_layers):
        tensors |= layer(f"decoder.block.{row}.layer", ["SelfAttention", "EncDecAttention"])
    return {f"{name}.weight": tensor for name, tensor in tensors.items()}


@pytest.fixture(scope="module")
def distances() -> np.ndarray:
    return np.random.default_rng(6).normal(size=(HEADS, 2 * REACH + 1)).astype(np.float32)


class PlainT5:
    """One row at a time, all of the model, in float64."""

    def __init__(self, weights: dict[str, np.ndarray], distances: np.ndarray) -> None:
        self._weights = {name: tensor.astype(np.float64) for name, tensor in weights.items()}
        self._distances = distances.astype(np.float64)

    def logits(self, tokens: list[int]) -> np.ndarray:
        memory = self._stack("encoder", SHAPE.layers, self._weights["shared.weight"][tokens])
        state = self._stack("decoder", SHAPE.decoder_layers, self._weights["shared.weight"][[0]], memory)
        return state[0] @ self._weights["lm_head.weight"][list(ANSWERS)].T

    def _linear(self, x: np.ndarray, name: str) -> np.ndarray:
        return x @ self._weights[f"{name}.weight"].T

    def _norm(self, x: np.ndarray, name: str) -> np.ndarray:
        root = np.sqrt((x**2).mean(axis=-1, keepdims=True) + SHAPE.epsilon)
        return x / root * self._weights[f"{name}.weight"]

    def _attend(self, x: np.ndarray, memory: np.ndarray, bias: np.ndarray, name: str) -> np.ndarray:
        def heads(source: np.ndarray, part: str) -> np.ndarray:
            return self._linear(source, f"{name}.{part}").reshape(len(source), HEADS, HEAD).transpose(1, 0, 2)

        scores = heads(x, "q") @ heads(memory, "k").transpose(0, 2, 1) + bias
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = powers / powers.sum(axis=-1, keepdims=True) @ heads(memory, "v")
        return self._linear(mixed.transpose(1, 0, 2).reshape(len(x), -1), f"{name}.o")

    def _stack(self, stack: str, layers: int, x: np.ndarray, memory: np.ndarray | None = None) -> np.ndarray:
        places = np.arange(len(x))
        away = np.clip(places[None, :] - places[:, None], -REACH, REACH) + REACH
        bias = self._distances[:, away] if memory is None else 0
        for row in range(layers):
            block = f"{stack}.block.{row}.layer"
            normed = self._norm(x, f"{block}.0.layer_norm")
            x = x + self._attend(normed, normed, bias, f"{block}.0.SelfAttention")
            last = 1
            if memory is not None:
                normed = self._norm(x, f"{block}.1.layer_norm")
                x = x + self._attend(normed, memory, 0, f"{block}.1.EncDecAttention")
                last = 2
            normed = self._norm(x, f"{block}.{last}.layer_norm")
            gate = self._linear(normed, f"{block}.{last}.DenseReluDense.wi_0")
            gate = 0.5 * gate * (1 + np.tanh(np.sqrt(2 / np.pi) * (gate + 0.044715 * gate**3)))
            hidden = gate * self._linear(normed, f"{block}.{last}.DenseReluDense.wi_1")
            x = x + self._linear(hidden, f"{block}.{last}.DenseReluDense.wo")
        return self._norm(x, f"{stack}.final_layer_norm")


def run(model, rows: list[list[int]]) -> np.ndarray:
    options = onnxruntime.SessionOptions()
    set_up(options, 1)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    tokens = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for number, row in enumerate(rows):
        tokens[number, : len(row)] = row
    return session.run(None, {"tokens": tokens, "lengths": np.array([len(row) for row in rows])})[0]


@pytest.mark.parametrize(("precision", "tolerance"), [(Fp32(), 2e-5), (Fp16(), 5e-3), (Int8(), 0.3)])
def test_the_graph_gives_the_logits_of_the_whole_model(weights, distances, precision, tolerance):
    model = write_t5(SHAPE, weights, distances=distances, answers=ANSWERS, precision=precision)
    plain = PlainT5(weights, distances)
    expected = np.stack([plain.logits(row) for row in ROWS])
    np.testing.assert_allclose(run(model, ROWS), expected, atol=tolerance)
    assert np.abs(expected[0] - expected[1]).max() > 0.6, "the rows must differ by more than is tolerated"


def test_a_row_alone_scores_as_in_a_batch(weights, distances):
    model = write_t5(SHAPE, weights, distances=distances, answers=ANSWERS, precision=Fp32())
    alone = np.concatenate([run(model, [row]) for row in ROWS])
    np.testing.assert_allclose(run(model, ROWS), alone, atol=2e-5)


@pytest.mark.parametrize("length", [1, 2, 15, 16, 17, 32, 33])
def test_every_length_gets_its_own_position_bias(weights, distances, length):
    row = [3 + place % 30 for place in range(length)]
    model = write_t5(SHAPE, weights, distances=distances, answers=ANSWERS, precision=Fp32())
    expected = PlainT5(weights, distances).logits(row)
    np.testing.assert_allclose(run(model, [row])[0], expected, atol=2e-5)


def test_a_tied_head_scales_its_input(weights, distances):
    shape = T5Shape(
        layers=2, decoder_layers=3, heads=HEADS, head_width=HEAD, epsilon=1e-6, start_token=0, head_scale=0.25
    )
    whole, scaled = (
        run(write_t5(each, weights, distances=distances, answers=ANSWERS, precision=Fp32()), ROWS)
        for each in (SHAPE, shape)
    )
    np.testing.assert_allclose(scaled, whole / 4, atol=1e-5)


def test_eight_bit_rows_are_quantised_apart_before_the_outer_product(weights, distances):
    """One token with a huge feed-forward activation must not cost the others their resolution."""
    loud = dict(weights)
    loud["shared.weight"] = weights["shared.weight"].copy()
    name = "encoder.block.0.layer.1.DenseReluDense.wi_1.weight"
    direction = weights["shared.weight"][3] / np.linalg.norm(weights["shared.weight"][3])
    loud[name] = weights[name] + 100 * np.outer(np.ones(FORWARD), direction).astype(np.float32)
    row = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1]
    expected = PlainT5(loud, distances).logits(row)
    model = write_t5(SHAPE, loud, distances=distances, answers=ANSWERS, precision=Int8())
    np.testing.assert_allclose(run(model, [row])[0], expected, atol=0.1)
