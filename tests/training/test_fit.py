"""The loss of twins, and rates by what is learnt."""

import math

import pytest

torch = pytest.importorskip("torch", reason="the recipe needs the extra [train]")
pytest.importorskip("safetensors", reason="the recipe needs the extra [train]")

from torch import nn  # noqa: E402

from vista_stream.training.batches import Batch  # noqa: E402
from vista_stream.training.cross_encoder import label_loss, twin_loss  # noqa: E402
from vista_stream.training.fit import Recipe, _optimiser, _set_rate, taught  # noqa: E402

LOGITS = torch.tensor([[3.0, 0.0, 1.0], [0.5, 0.0, 2.0], [1.0, 1.0, 1.0]])
LABELS = torch.tensor([0, 2, 1])
TWINS = torch.tensor([[0, 1]])


def test_twins_cost_less_the_more_the_entailed_one_is_entailed_than_the_other():
    apart = (3.0 - 1.0) - (0.5 - 2.0)  # entailment against contradiction, the other's label
    assert twin_loss(LOGITS, LABELS, TWINS).item() == pytest.approx(math.log1p(math.exp(-apart)) / 3)
    better = LOGITS.clone()
    better[0, 0] += 1
    assert twin_loss(better, LABELS, TWINS) < twin_loss(LOGITS, LABELS, TWINS)


def test_a_batch_with_twins_is_learnt_from_by_labels_and_twins_and_one_without_by_labels():
    ids = torch.zeros((3, 8), dtype=torch.int64)
    loss = taught(None, twins=0.3)
    for twins in (TWINS, TWINS[:0]):
        wanted = label_loss(LOGITS, LABELS) + (0.3 * twin_loss(LOGITS, LABELS, TWINS) if len(twins) else 0.0)
        found = loss(lambda ids, mask: LOGITS, Batch(ids, ids, LABELS, twins))
        assert found.item() == pytest.approx(wanted.item())


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(4, 4))
        self.bias = nn.Parameter(torch.zeros(4))
        self.wide = nn.Parameter(torch.zeros(4, 2))


@pytest.mark.parametrize(("given", "taken"), [(None, 1e-4), (3e-4, 3e-4), (0.0, 0.0)])
def test_updates_have_a_rate_of_their_own_which_rises_and_falls_like_the_other(given, taken):
    model = nn.ModuleDict({"part": Both()})
    part = model["part"]
    recipe = Recipe(steps=100, rate=1e-4, update_rate=given, warmup=0.1)
    optimiser = _optimiser(model, recipe)
    rates = {}
    for step in (4, 9, 99):
        _set_rate(optimiser, recipe, step)
        rates[step] = {id(p): group["lr"] for group in optimiser.param_groups for p in group["params"]}
    assert rates[9][id(part.weight)] == rates[9][id(part.bias)] == pytest.approx(1e-4)
    assert rates[9][id(part.wide)] == pytest.approx(taken)
    assert rates[4][id(part.wide)] == pytest.approx(taken / 2)
    assert rates[99][id(part.weight)] == pytest.approx(1e-4 / 90)
