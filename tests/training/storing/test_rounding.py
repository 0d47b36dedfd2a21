"""Fitting with rounded weights: what the products see, and what the gradients move."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="fitting needs the extra [train]")
pytest.importorskip("onnx", reason="fitting needs the extra [train]")

from vista_stream.training.cross_encoder import CrossEncoder  # noqa: E402
from vista_stream.training.encoder import Encoder, Shape  # noqa: E402
from vista_stream.training.storing.packing import BLOCK, rounded  # noqa: E402
from vista_stream.training.storing.rounding import Rounding  # noqa: E402

SHAPE = Shape(
    layers=1,
    width=64,
    heads=2,
    inner=128,
    vocabulary=30,
    positions=40,
    first_position=0,
    buckets=0,
    epsilon=1e-5,
)


@pytest.fixture
def model():
    torch.manual_seed(0)
    return CrossEncoder(Encoder(SHAPE, dropout=0.0))


def stored(weight: torch.Tensor) -> np.ndarray:
    four, multipliers, scale = rounded(weight.detach().numpy().T)
    inputs, outputs = four.shape
    numbers = four.reshape(inputs // BLOCK, BLOCK, outputs) * (multipliers * scale)[:, None]
    return numbers.reshape(inputs, outputs).T


def test_within_it_the_layers_have_the_weights_that_are_stored(model):
    layer = model.encoder.layers[0]
    rounding, wanted = (
        Rounding(model),
        {name: stored(getattr(layer, name).weight) for name in ("qkv", "down")},
    )
    with rounding.applied():
        for name, weight in wanted.items():
            np.testing.assert_allclose(getattr(layer, name).weight.detach().numpy(), weight, atol=1e-6)


def test_after_it_they_are_whole_again_and_have_gradients(model):
    before = {name: value.clone() for name, value in model.state_dict().items()}
    ids = torch.randint(0, 30, (2, 8))
    with Rounding(model).applied():
        model(ids, torch.ones_like(ids)).sum().backward()
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name]), name
    assert model.encoder.layers[0].up.weight.grad.abs().sum() > 0


def test_they_are_whole_again_also_after_an_error(model):
    before = model.encoder.layers[0].out.weight.detach().clone()
    with pytest.raises(RuntimeError, match="stopped"), Rounding(model).applied():
        raise RuntimeError("stopped")
    assert torch.equal(model.encoder.layers[0].out.weight, before)


def test_renewed_it_follows_the_weights(model):
    rounding, weight = Rounding(model), model.encoder.layers[0].out.weight
    with torch.no_grad():
        weight.mul_(3)
    rounding.renew()
    wanted = stored(weight)
    with rounding.applied():
        np.testing.assert_allclose(weight.detach().numpy(), wanted, atol=1e-6)
