"""A verifier that reads windows once: fitted, exported and read again, on a tiny base."""

import json
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the recipe needs the extra [train]")
pytest.importorskip("sklearn", reason="the recipe needs the extra [train]")
pytest.importorskip("safetensors", reason="the recipe needs the extra [train]")

from tokenizers import Tokenizer  # noqa: E402

import tiny_base  # noqa: E402
from vista_stream.claims import Pair  # noqa: E402
from vista_stream.training.__main__ import main  # noqa: E402
from vista_stream.training.cross_encoder import CrossEncoder  # noqa: E402
from vista_stream.training.documents import Document, WrittenClaim, read_documents  # noqa: E402
from vista_stream.training.encoder import Encoder  # noqa: E402
from vista_stream.training.reading import ReadingVerifier  # noqa: E402
from vista_stream.training.readings import Grouper, batched, collated  # noqa: E402
from vista_stream.training.rows import Row  # noqa: E402
from vista_stream.training.storing.exporting import export_reading  # noqa: E402
from vista_stream.training.storing.restoring import restored  # noqa: E402
from vista_stream.verifiers.embedded import EmbeddedVerifier  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # the exporters warn of their own old ways

LINES = tuple(f"The thing{n} is {colour}." for n, colour in enumerate(("red", "blue", "tall") * 12))
CLAIMS = tuple(
    WrittenClaim(f"The thing{n} is not red.", label, frozenset({n}))
    for n, label in enumerate(("contradiction", "entailment", "neutral") * 12)
)
DOCUMENT = Document("d", "written:tiny", LINES, CLAIMS)
MANIFEST = {"name": "tiny", "kind": "reader", "labels": ["entailment", "neutral", "contradiction"]}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_base.write(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def verifier(base):
    torch.manual_seed(1)
    return ReadingVerifier(CrossEncoder(Encoder.from_folder(base)), apart=1).eval()


@pytest.fixture(scope="module")
def grouper(base):
    return Grouper(Tokenizer.from_file(str(base / "tokenizer.json")))


@torch.no_grad()
def test_a_claim_is_judged_alike_alone_and_beside_others(verifier, grouper):
    (group,) = grouper.whole([DOCUMENT])
    together = verifier(collated([group]))
    for number in (0, 17, 35):
        alone = verifier(collated([group._replace(claims=group.claims[number : number + 1])]))
        assert torch.allclose(alone[0], together[number], atol=1e-4)


@torch.no_grad()
def test_a_window_is_blind_to_claims_and_other_windows_below(verifier, grouper):
    (group,) = grouper.whole([DOCUMENT])
    seen = []
    layer = verifier.lower[0]
    attended = layer.attended
    layer.attended = lambda states, *rest: seen.append(attended(states, *rest)) or seen[-1]
    try:
        verifier(collated([group]))
        verifier(collated([group._replace(claims=group.claims[:1])]))
    finally:
        del layer.attended
    assert torch.allclose(seen[0], seen[2], atol=1e-5)


def test_what_is_exported_says_the_same_and_comes_back_as_weights(base, verifier, grouper, tmp_path):
    (group,) = grouper.whole([DOCUMENT])
    sample = [(list(group.windows), group.claims[0][0])]
    with torch.no_grad():
        expected = torch.softmax(verifier(collated([group])), -1).numpy()
        export_reading(verifier, base, tmp_path / "reader", MANIFEST, sample=sample)
    embedded = EmbeddedVerifier.from_pretrained(tmp_path / "reader")
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    windows = tuple(tokenizer.decode(window[1:-1].tolist()) for window in group.windows)
    pairs = [Pair(" ".join(windows), claim.text, windows=windows) for claim in CLAIMS[:6]]
    assert np.allclose(embedded.score_sync(pairs), expected[:6], atol=0.05)
    again, state = restored(tmp_path / "reader"), verifier.model.state_dict()
    assert again.keys() <= state.keys()
    # Constants that are equal, as a fresh base's biases are, become one in a graph; learnt ones never are.
    assert all(state[name].unique().numel() == 1 for name in state.keys() - again.keys())
    for name, weights in again.items():
        assert torch.allclose(weights, state[name], atol=0.15 * state[name].abs().max().item() + 1e-6), name


def test_groups_mark_as_open_what_their_windows_do_not_decide(grouper):
    chance = random.Random(0)
    labels = {0: 0, 1: 0, 2: 0}
    for _ in range(20):
        for group in grouper.of_documents([DOCUMENT], chance):
            assert sum(map(len, group.windows)) <= 440 + 2 * len(group.windows)
            for _, label in group.claims:
                labels[label] += 1
    assert labels[1] > labels[0] > 0
    assert labels[2] > 0


def test_rows_of_one_premise_are_one_group_and_every_claim_is_batched_once(grouper):
    rows = [Row(f"The thing{n % 3} is red.", f"The thing{n} is blue.", "neutral") for n in range(30)]
    groups = grouper.of_rows(rows, random.Random(0))
    assert len(groups) == 3
    assert sum(len(batch.labels) for batch in batched(groups, tokens=200, seed=0)) == 30


def test_the_recipe_makes_a_folder_that_reads_and_goes_on_from_it(base, tmp_path, capsys):
    written = tmp_path / "written.jsonl"
    with written.open("w") as file:
        for number in range(40):
            for claim in CLAIMS[:3]:
                row = {
                    "hypothesis": claim.text,
                    "label": claim.label,
                    "source": "written:tiny",
                    "document": str(number),
                    "sentences": [f"The thing{number % 40} is tall.", *LINES],
                    "deciding": sorted(row + 1 for row in claim.deciding),
                }
                file.write(json.dumps(row) + "\n")
    rows = tmp_path / "own.jsonl"
    made = [
        {"premise": f"The thing{n % 40} is red {n}.", "hypothesis": "It is red.", "label": "entailment"}
        for n in range(120)
    ]
    rows.write_text("".join(json.dumps(row) + "\n" for row in made))
    command = ["verifier", "--data", str(rows), "--base", str(base), "--generated", "0", "--layers", "2"]
    options = ["--written", str(written), "--apart", "1", "--tokens", "512", "--frozen", "0", "--steps", "4"]
    assert main([*command, *options, "--out", str(tmp_path / "first")]) == 0
    manifest = json.loads((tmp_path / "first" / "manifest.json").read_text())
    assert (manifest["kind"], manifest["apart"]) == ("reader", 1)
    assert set(manifest["development"]) == {"written", "rows"}
    again = [*command, *options, "--refined", str(tmp_path / "first"), "--out", str(tmp_path / "second")]
    assert main(again) == 0
    assert EmbeddedVerifier.from_pretrained(tmp_path / "second").reader is not None
    assert "documents to learn from" in capsys.readouterr().out
    joint = [*command, *options, "--apart", "0", "--out", str(tmp_path / "joint")]
    assert main(joint) == 0
    manifest = json.loads((tmp_path / "joint" / "manifest.json").read_text())
    assert (manifest["kind"], set(manifest["data"])) == ("cross-encoder", {"own", "written:tiny"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#doc form=x\nA line.\n", "neither 'N. line' nor"),
        ("#doc form=x\n1. A line.\n#claims\nE 2 | It is.\n", "no such line in its document"),
    ],
)
def test_a_file_that_holds_no_documents_is_named(tmp_path, text, said):
    (tmp_path / "part-01.txt").write_text(text)
    with pytest.raises(ValueError, match=r"part-01\.txt, line \d: .*" + said):
        read_documents(tmp_path)
