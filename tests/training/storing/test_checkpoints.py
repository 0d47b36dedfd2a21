"""Packed checkpoints."""

import pytest

torch = pytest.importorskip("torch", reason="the recipe needs the extra [train]")
pytest.importorskip("safetensors", reason="the recipe needs the extra [train]")

from safetensors.torch import save_file  # noqa: E402

from vista_stream.training.storing.checkpoints import is_packed, read, write  # noqa: E402

NAME = "encoder.layers.0.up.weight"


def test_weights_on_the_grid_come_back_with_their_updates(tmp_path):
    torch.manual_seed(0)
    numbers = torch.randint(-7, 8, (96, 64)).float()
    numbers[:, :2] = 7.0  # the largest number is in each output, so that the scale is found again
    weight, bias = 0.02 * 9 * numbers, torch.randn(96)
    wide, narrow = torch.randn(96, 4) / 100, torch.randn(4, 64) / 100
    path = tmp_path / "run.safetensors"
    write({NAME: weight, "encoder.layers.0.up.bias": bias}, {NAME: (wide, narrow)}, path)
    assert is_packed(path)
    found = read(path)
    assert torch.allclose(found[NAME], weight + wide @ narrow, atol=2e-3)
    assert not torch.allclose(found[NAME], weight, atol=1e-6)
    assert torch.allclose(found["encoder.layers.0.up.bias"].float(), bias, atol=2e-3)


def test_a_plain_file_of_weights_is_not_packed(tmp_path):
    save_file({NAME: torch.zeros(2, 2)}, tmp_path / "plain.safetensors")
    assert not is_packed(tmp_path / "plain.safetensors")
