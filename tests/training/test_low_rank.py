"""Low-rank updates: what is fixed, what is learnt, and that what was learnt reaches the folder that ships."""

import json
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the recipe needs the extra [train]")
pytest.importorskip("sklearn", reason="the recipe needs the extra [train]")
pytest.importorskip("safetensors", reason="the recipe needs the extra [train]")

import tiny_base  # noqa: E402
from vista_stream.claims import Pair  # noqa: E402
from vista_stream.training.__main__ import main  # noqa: E402
from vista_stream.training.cross_encoder import CrossEncoder  # noqa: E402
from vista_stream.training.encoder import Encoder  # noqa: E402
from vista_stream.training.low_rank import adapt, fixed, merge, products, settle, updates  # noqa: E402
from vista_stream.training.storing import checkpoints  # noqa: E402
from vista_stream.training.storing.restoring import restored_updates  # noqa: E402
from vista_stream.verifiers.embedded import EmbeddedVerifier  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # the exporters warn of their own old ways


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_base.write(tmp_path_factory.mktemp("base"))


def model(base) -> CrossEncoder:
    torch.manual_seed(3)
    return CrossEncoder(Encoder.from_folder(base))


def asked(found: CrossEncoder) -> torch.Tensor:
    ids = torch.arange(5, 21)[None]
    with torch.no_grad():
        return found.eval()(ids, torch.ones_like(ids))


def moved(found: CrossEncoder) -> None:
    """Do as training does: give every update some weight."""
    chance = torch.Generator().manual_seed(1)
    for name, values in found.named_parameters():
        if name.endswith(".wide"):
            values.data.normal_(0, 0.05, generator=chance)


def test_updates_begin_at_nothing_and_only_they_the_biases_and_the_head_are_learnt(base):
    found = model(base)
    frozen = dict(found.named_parameters())
    adapt(found, 4, frozen=1)
    with_rounded_weights = asked(found)
    learnt = {name for name, values in found.named_parameters() if values.requires_grad}
    upper = {name for name in learnt if name.startswith("encoder.")}
    assert all(".layers." in name and ".layers.0." not in name for name in upper)
    assert all(name.endswith((".wide", ".narrow", ".bias")) or ".norm" in name for name in upper)
    assert learnt - upper == {"dense.weight", "dense.bias", "answer.weight", "answer.bias"}
    assert not frozen["encoder.words.weight"].requires_grad
    merge(found)
    torch.testing.assert_close(asked(found), with_rounded_weights)


def test_merged_weights_compute_what_the_updates_compute(base):
    found = model(base)
    adapt(found, 4, frozen=1)
    before = asked(found)
    moved(found)
    after = asked(found)
    assert (after - before).abs().max() > 1e-3
    assert set(updates(found)) == {name for name in products(found) if ".layers.0." not in name}
    merge(found)
    assert not updates(found)
    torch.testing.assert_close(asked(found), after)


def test_a_run_goes_on_with_its_updates_and_may_raise_their_rank(base, tmp_path):
    found = model(base)
    adapt(found, 4, frozen=1)
    moved(found)
    checkpoints.write(fixed(found), updates(found), tmp_path / "packed.safetensors")
    again = model(base)
    again.load_state_dict(checkpoints.read(tmp_path / "packed.safetensors"))
    before = asked(again)
    adapt(again, 6, frozen=1, known=checkpoints.updates_of(tmp_path / "packed.safetensors"))
    torch.testing.assert_close(asked(again), before)
    torch.testing.assert_close(before, asked(found), atol=0.05, rtol=0)  # stored in four and sixteen bits


def test_updates_of_unequal_size_are_taken_up_in_equal_size(base):
    found = model(base)
    adapt(found, 4, frozen=1)
    moved(found)
    known = {name: (wide / 30, narrow * 30) for name, (wide, narrow) in updates(found).items()}
    merge(found)
    before = asked(found)
    adapt(found, 4, frozen=1, known=known)
    torch.testing.assert_close(asked(found), before, atol=2e-3, rtol=0)  # rounded anew
    for wide, narrow in updates(found).values():
        assert float(wide.std()) == pytest.approx(float(narrow.std()), rel=0.01)


@pytest.mark.parametrize(("rank", "frozen", "told"), [(3, 1, "rank 4"), (4, 2, "freeze fewer layers")])
def test_updates_that_do_not_fit_are_refused(base, rank, frozen, told):
    found = model(base)
    adapt(found, 4, frozen=1)
    moved(found)
    known = updates(found)
    merge(found)
    with pytest.raises(ValueError, match=told):
        adapt(found, rank, frozen=frozen, known=known)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    chance = random.Random(1)
    path = tmp_path_factory.mktemp("data") / "own.jsonl"
    with path.open("w") as file:
        for number in range(200):
            noun, colour, claim = (
                chance.choice(x) for x in (tiny_base.NOUNS, ["red", "blue"], ["red", "blue"])
            )
            label = "entailment" if claim == colour else "contradiction"
            row = {"premise": f"The {noun} is {colour} {number}.", "hypothesis": f"The {noun} is {claim}."}
            file.write(json.dumps({**row, "label": label}) + "\n")
    return path


def test_what_the_recipe_learns_as_updates_ships_and_can_be_taken_up_again(base, data, tmp_path, capsys):
    command = ["verifier", "--data", str(data), "--base", str(base), "--generated", "0", "--tokens", "512"]
    common = [*command, "--layers", "2", "--frozen", "0", "--rate", "0.02"]
    learnt = [*common, "--adapted", "8", "--steps", "80", "--out", str(tmp_path / "learnt")]
    assert main(learnt) == 0
    pairs = [Pair("The thing1 is red 7.", f"The thing1 is {colour}.") for colour in ("red", "blue")]
    shipped = scores(tmp_path / "learnt", pairs)
    assert len(restored_updates(tmp_path / "learnt")) == 8  # four products in each of two layers
    packed = tmp_path / "learnt.work" / "packed.safetensors"
    for number, source in enumerate((packed, tmp_path / "learnt")):
        out = tmp_path / f"again-{number}"
        again = [*common, "--adapted", "8", "--steps", "0", "--out", str(out), "--refined", str(source)]
        assert main(again) == 0
        np.testing.assert_allclose(scores(out, pairs), shipped, atol=0.1)
    # Without the updates the weights say something else: it is they that the folder brings.
    bare = model(base)
    bare.encoder.keep_layers([0, 1])
    stored = checkpoints.read(packed)
    for name, (wide, narrow) in checkpoints.updates_of(packed).items():
        assert (wide @ narrow).abs().max() > 0.01
        stored[name] = stored[name] - wide @ narrow
    bare.load_state_dict(stored, strict=False)
    whole = model(base)
    whole.encoder.keep_layers([0, 1])
    whole.load_state_dict(checkpoints.read(packed), strict=False)
    assert (asked(bare) - asked(whole)).abs().max() > 0.1
    capsys.readouterr()
    assert main([*common, "--adapted", "8", "--apart", "1", "--out", str(tmp_path / "no")]) == 2
    assert "reads pairs whole" in capsys.readouterr().err


def scores(folder, pairs):
    found = EmbeddedVerifier.from_pretrained(folder).score_sync(pairs)
    return [[each.entailment, each.neutral, each.contradiction] for each in found]


def test_weights_that_are_learnt_too_are_used_and_stored_as_they_are_rounded(base, tmp_path):
    found = model(base)
    adapt(found, 4, frozen=1, whole=True)
    learnt = {name for name, values in found.named_parameters() if values.requires_grad}
    assert set(products(found)) <= learnt
    assert "encoder.places.weight" in learnt
    assert "encoder.words.weight" not in learnt
    before = asked(found)
    ids = torch.arange(5, 21)[None]
    optimiser = torch.optim.SGD([v for v in found.parameters() if v.requires_grad], lr=5.0)
    for _ in range(3):
        found.train()(ids, torch.ones_like(ids)).sum().backward()
        optimiser.step()
        optimiser.zero_grad()
    after = asked(found)
    assert (after - before).abs().max() > 1e-3
    settle(found)
    torch.testing.assert_close(asked(found), after)  # it was rounded in each pass
    assert set(updates(found)) == {name for name in products(found) if ".layers.0." not in name}
    checkpoints.write(fixed(found), updates(found), tmp_path / "packed.safetensors")
    again = model(base)
    again.load_state_dict(checkpoints.read(tmp_path / "packed.safetensors"))
    torch.testing.assert_close(asked(again), after, atol=0.02, rtol=1e-3)  # half precision
    merge(found)
    torch.testing.assert_close(asked(found), after)


def test_a_run_on_all_weights_ships_them(base, data, tmp_path, capsys):
    command = ["verifier", "--data", str(data), "--base", str(base), "--generated", "0", "--tokens", "512"]
    common = [*command, "--layers", "2", "--frozen", "1", "--rate", "0.003", "--update-rate", "0.02"]
    out = tmp_path / "learnt"
    options = ["--adapted", "8", "--whole", "--workers", "1", "--steps", "60", "--out", str(out)]
    assert main([*common, *options]) == 0
    assert len(restored_updates(out)) == 4  # four products in one of two layers
    again = [*common, "--adapted", "8", "--steps", "0", "--out", str(tmp_path / "again")]
    assert main([*again, "--refined", str(out)]) == 0
    pairs = [Pair("The thing1 is red 7.", f"The thing1 is {colour}.") for colour in ("red", "blue")]
    np.testing.assert_allclose(scores(tmp_path / "again", pairs), scores(out, pairs), atol=0.1)
    for options, told in ((["--whole"], "whole is for adapted"), ([], "update_rate is for adapted")):
        capsys.readouterr()
        assert main([*common, *options, "--out", str(tmp_path / "no")]) == 2
        assert told in capsys.readouterr().err


def test_a_run_learns_from_written_documents_beside_rows(base, data, tmp_path, capsys):
    written = tmp_path / "written"
    written.mkdir()
    lines = [f"{n}. The thing{n} is red {n}." for n in range(1, 5)]
    claims = ["E 1 | The thing1 is red.", "C 1 | The thing1 is blue.", "N 2 | The thing2 is tall."]
    texts = [
        "\n".join(["#doc form=list", f"1. The thing{n} is red {n}.", *lines[1:], "#claims", *claims])
        for n in range(40)
    ]
    (written / "part-01.txt").write_text("\n\n".join(texts) + "\n")
    out = tmp_path / "learnt"
    command = ["verifier", "--data", str(data), "--base", str(base), "--generated", "0", "--tokens", "512"]
    options = ["--layers", "2", "--adapted", "4", "--frozen", "0", "--whole", "--dropout", "0.1"]
    steps = ["--written", str(written), "--steps", "30", "--workers", "1", "--out", str(out)]
    assert main([*command, *options, *steps]) == 0
    EmbeddedVerifier.from_pretrained(out)
