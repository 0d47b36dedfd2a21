"""The recipe end to end on 200 rows and a tiny base: data, fit, resume, calibrate, export, load, score."""

import json
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the recipe needs the extra [train]")
pytest.importorskip("sklearn", reason="the recipe needs the extra [train]")
pytest.importorskip("safetensors", reason="the recipe needs the extra [train]")

from safetensors.torch import load_file  # noqa: E402

import tiny_base  # noqa: E402
from vista_stream.claims import Pair  # noqa: E402
from vista_stream.training.__main__ import main  # noqa: E402
from vista_stream.training.batches import Encoded, batches, grouped  # noqa: E402
from vista_stream.training.cross_encoder import NOT_ENTAILMENT, CrossEncoder, label_loss  # noqa: E402
from vista_stream.training.encoder import Encoder  # noqa: E402
from vista_stream.training.made.scenes import Decided, Scene  # noqa: E402
from vista_stream.training.measure import precise, probabilities, temperature, threshold, worth  # noqa: E402
from vista_stream.training.mixture import CAPS, mixture, split  # noqa: E402
from vista_stream.training.rows import Row  # noqa: E402
from vista_stream.training.storing.exporting import export  # noqa: E402
from vista_stream.training.verifier import Job, _digest, calibrated  # noqa: E402
from vista_stream.verifiers.embedded import EmbeddedEmbedder, EmbeddedVerifier  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # the exporters warn of their own old ways

NOUNS = tiny_base.NOUNS


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_base.write(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    chance = random.Random(1)
    path = tmp_path_factory.mktemp("data") / "own.jsonl"
    with path.open("w") as file:
        for number in range(200):
            noun, colour = chance.choice(NOUNS), chance.choice(["red", "blue"])
            claim = chance.choice(["red", "blue", "tall"])
            label = "neutral" if claim == "tall" else "entailment" if claim == colour else "contradiction"
            row = {
                "premise": f"The {noun} is {colour} {number}.",
                "hypothesis": f"The {noun} is {claim}.",
                "label": label,
            }
            file.write(json.dumps(row) + "\n")
    return path


def test_two_hundred_own_rows_give_a_folder_that_scores(base, data, tmp_path, capsys):
    out = tmp_path / "own-verifier"
    command = ["verifier", "--data", str(data), "--base", str(base), "--out", str(out), "--generated", "0"]
    options = ["--steps", "60", "--tokens", "512", "--layers", "2", "--frozen", "0", "--rate", "0.003"]
    claims = [{"text": "The thing1 is red.", "label": "verified"}]
    talk, scenes = tmp_path / "talk.jsonl", tmp_path / "scenes.txt"
    scenes.write_text(
        "#scene s\nlet a = 2..9\n1. The thing1 is red {a}.\n#claims\nV 1 | It is red {}. | a | a+1\n"
    )
    said = {"role": "assistant", "text": "Red.", "references": ["The thing1 is red."], "claims": claims}
    talk.write_text(json.dumps({"id": "a", "turns": [said]}))
    assert main([*command, *options, "--conversations", str(talk), "--scenes", str(scenes)]) == 0
    assert "rows to learn from" in capsys.readouterr().out
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["kind"] == "cross-encoder"
    assert manifest["data"] == {"own": manifest["data"]["own"], "conversation": 1, "scene": 2}
    assert set(manifest["files"]) == {"model.onnx", "tables.bin", "tokenizer.json", "weights.onnx"}
    verifier = EmbeddedVerifier.from_pretrained(out)
    for scores in verifier.score_sync([Pair("The thing1 is red.", "The thing1 is blue.")]):
        scores.check()


@pytest.mark.parametrize("then", ["--refined", "--teacher"])
def test_a_fitted_model_is_refined_or_teaches_another(base, data, tmp_path, capsys, then):
    command = ["verifier", "--data", str(data), "--base", str(base), "--generated", "0", "--layers", "2"]
    options = ["--tokens", "512", "--frozen", "0", "--rate", "0.003"]
    assert main([*command, *options, "--steps", "20", "--out", str(tmp_path / "first")]) == 0
    fitted = tmp_path / "first.work" / "model.safetensors"
    second = [*command, *options, "--steps", "10", "--out", str(tmp_path / "second")]
    assert main([*second, then, str(fitted)]) == 0
    assert "step 0/10" in capsys.readouterr().out
    EmbeddedVerifier.from_pretrained(tmp_path / "second")


def test_the_mean_of_runs_is_shipped_without_a_fit(base, data, tmp_path, capsys):
    command = ["verifier", "--data", str(data), "--base", str(base), "--generated", "0", "--layers", "2"]
    runs = []
    for seed in ("1", "2"):
        out = tmp_path / f"run{seed}"
        assert main([*command, "--steps", "3", "--tokens", "512", "--seed", seed, "--out", str(out)]) == 0
        runs.append(tmp_path / f"run{seed}.work" / "model.safetensors")
    mean = [*command, "--steps", "0", "--out", str(tmp_path / "mean"), "--refined", *map(str, runs)]
    capsys.readouterr()
    assert main(mean) == 0
    assert "step " not in capsys.readouterr().out
    first, second, both = (load_file(path) for path in [*runs, tmp_path / "mean.work" / "model.safetensors"])
    assert not torch.equal(first["answer.weight"], second["answer.weight"])
    for name, weights in both.items():
        expected = (first[name].float() + second[name].float()) / 2
        assert torch.allclose(weights.float(), expected, atol=1e-3), name
    EmbeddedVerifier.from_pretrained(tmp_path / "mean")


def test_a_run_goes_on_from_its_own_checkpoint_only(base, data, tmp_path, capsys):
    command = ["verifier", "--data", str(data), "--base", str(base), "--generated", "0", "--layers", "2"]
    command += [
        "--frozen",
        "0",
        "--rate",
        "3e-3",
        "--tokens",
        "256",
        "--steps",
        "101",
        "--out",
        str(tmp_path / "own"),
    ]
    said = []
    for more in ([], [], ["--frozen", "1"]):
        assert main(command + more) == 0
        said.append("step 0/" in capsys.readouterr().out)
    assert said == [True, False, True]


def test_a_cross_encoder_is_not_exported_without_a_sample(base, tmp_path):
    with pytest.raises(ValueError, match="needs a sample"):
        export(CrossEncoder(Encoder.from_folder(base)), base, tmp_path / "out", {"kind": "cross-encoder"})
    assert not (tmp_path / "out").exists()


def test_a_base_is_exported_unchanged_as_the_bi_encoder(base, tmp_path):
    out = tmp_path / "own-encoder"
    assert main(["encoder", "--base", str(base), "--out", str(out)]) == 0
    vectors = EmbeddedEmbedder.from_pretrained(out).embed(["the red thing1", "the red thing1", "tall"])
    assert vectors.shape == (3, tiny_base.CONFIG["hidden_size"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-3)
    assert vectors[0] @ vectors[2] < vectors[0] @ vectors[1]


def test_what_cannot_be_trained_is_one_line(base, tmp_path, capsys):
    paths = ["--data", str(tmp_path / "none"), "--base", str(base), "--out", str(tmp_path / "o")]
    assert main(["verifier", *paths]) == 2
    assert capsys.readouterr().err.startswith("training: no nli.jsonl.gz")


def test_scenes_are_not_for_a_verifier_that_reads_a_text_once(base, data, tmp_path, capsys):
    paths = [
        "--data",
        str(data),
        "--base",
        str(base),
        "--out",
        str(tmp_path / "o"),
        "--scenes",
        str(tmp_path),
    ]
    assert main(["verifier", *paths, "--apart", "1"]) == 2
    assert "scenes are for a verifier that reads pairs whole" in capsys.readouterr().err


def test_a_run_does_not_go_on_from_one_with_other_scenes(base, tmp_path):
    job = Job(data=tmp_path, base=base, out=tmp_path / "o")
    frames = [Decided(frozenset({0}), condition, ["Yes."], ["No."]) for condition in ("a < 5", "a < 6")]
    scenes = [[Scene("s", "s.txt, line 1", {"a": range(9)}, [], ["It is {a}."], [frame])] for frame in frames]
    assert len({_digest(job, [], each) for each in ([], *scenes)}) == 3


def row(premise: str, source: str = "own", licence: str = "MIT", hypothesis: str = "It is.") -> Row:
    return Row(premise, hypothesis, "neutral", source, licence)


def test_a_row_whose_licence_is_not_stated_is_never_mixed_in():
    with pytest.raises(ValueError, match="a row of lingnli has no licence"):
        mixture([row("One.", "lingnli", "none stated")], seed=0)


def test_sources_are_capped_repeats_dropped_and_the_order_repeats():
    rows = [row(f"Premise {n}.", "ci_tod") for n in range(CAPS["ci_tod"] + 30)] + [
        row("Twice."),
        row("Twice."),
    ]
    mixed = mixture(rows, seed=3)
    assert sum(r.source == "ci_tod" for r in mixed) == CAPS["ci_tod"]
    assert sum(r.premise == "Twice." for r in mixed) == 1
    assert mixture(rows, seed=3) == mixed


@pytest.mark.parametrize(("refining", "least", "most"), [(False, 0.05, 0.2), (True, 0.4, 0.6)])
def test_a_fit_takes_long_premises_rarely_and_refining_like_others(refining, least, most):
    lengths = {"short": 20, "long": 150}
    rows = [
        row(f"{kind} {n}" + " word" * words, "med") for kind, words in lengths.items() for n in range(200)
    ]
    mixed = mixture(rows, seed=0, refining=refining)
    assert least < sum(r.premise.startswith("long") for r in mixed) / len(mixed) < most


@pytest.mark.parametrize("refining", [False, True])
def test_own_rows_are_all_kept_however_long(refining):
    rows = [row(f"Document {n}" + " word" * 20 * n) for n in range(30)]
    assert len(mixture(rows, seed=0, refining=refining)) == 30


def test_no_document_is_on_both_sides_of_the_split():
    rows = [row(f"Document {n} says so.", hypothesis=f"Claim {m}.") for n in range(400) for m in range(2)]
    learnt, development = split(rows)
    assert len(learnt) + len(development) == 800
    assert development
    assert not {r.premise for r in learnt} & {r.premise for r in development}


def test_not_entailment_asks_only_that_entailment_be_improbable():
    labels = torch.tensor([NOT_ENTAILMENT])
    sure = label_loss(torch.tensor([[-9.0, 3.0, 3.0]]), labels)
    assert sure < 1e-4
    assert label_loss(torch.tensor([[9.0, 0.0, 0.0]]), labels) > 5


@pytest.mark.parametrize("seed", [None, 0, 7])
def test_groups_hold_every_row_once_within_the_tokens(seed):
    lengths = [random.Random(n).randint(4, 90) for n in range(200)]
    groups = grouped(lengths, tokens=256, seed=seed)
    assert sorted(index for group in groups for index in group) == list(range(200))
    assert all(max(lengths[i] for i in g) * len(g) <= 256 or len(g) == 1 for g in groups)


def test_batches_are_padded_to_eights():
    rows = [Encoded(np.arange(n, dtype=np.int32), 1) for n in (5, 9)]
    (batch,) = batches(rows, tokens=64, pad=7)
    assert batch.ids.shape == (2, 16)
    assert batch.mask.sum() == 14
    assert (batch.ids[batch.mask == 0] == 7).all()


def test_temperature_and_threshold_and_worth():
    logits = np.array([[4.0, 0, 0], [0, 4.0, 0], [0, 0, 4.0], [4.0, 0, 0]], dtype=np.float32)
    labels = np.array([0, 1, 2, 1])
    assert temperature(logits, labels) > 1.5  # one in four is wrong: less sure is better
    found = worth(logits, labels)
    assert (found.rows, found.accuracy) == (4, 0.75)
    assert probabilities(logits).sum() == pytest.approx(4)
    scores = np.linspace(0, 1, 101, dtype=np.float32)
    limit = threshold(scores, np.ones(101, dtype=bool), false_share=0.02)
    assert 0.015 < (scores >= limit).mean() <= 0.02


def test_verified_begins_where_the_claims_above_are_entailed_often_enough():
    scores = np.array([0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4], dtype=np.float32)
    entailed = np.array([True, True, False, True, True, False, False, False])
    assert precise(scores, entailed, precision=0.8) == pytest.approx(0.7)
    assert precise(scores, entailed, precision=1.0) == pytest.approx(0.9)
    assert precise(scores, ~entailed, precision=0.9) == 0.99


def test_thresholds_are_chosen_on_written_claims_where_there_are_some():
    sure, unsure = [6.0, 0.0, 0.0], [2.5, 0.0, 2.0]
    logits = np.array([sure] * 40 + [unsure] * 20, dtype=np.float32)
    labels = np.array([0] * 40 + [0, 2] * 10)
    alone = calibrated(logits, labels)
    assert alone["entailment"] == 0.5
    assert calibrated(logits, labels, written=20)["entailment"] == 0.99
