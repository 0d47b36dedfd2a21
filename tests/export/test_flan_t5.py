"""Export of a tiny Flan-T5, and its scores against transformers' own forward pass."""

from __future__ import annotations

import errno
import json
import resource
import signal

import numpy as np
import pytest

from vista_stream.claims import Pair
from vista_stream.errors import ModelLoadError
from vista_stream.verifiers.flan_t5 import FlanT5Verifier
from vista_stream.verifiers.flan_t5_manifest import read_flan_t5_manifest

SENTENCES = (
    "the ferry leaves at dawn.",
    "nobody on the quay had a ticket, and the clerk was asleep.",
    "a crate of lemons fell into the harbour.",
    "the captain counted the passengers twice.",
)


@pytest.fixture(scope="module")
def exported(published, tmp_path_factory):
    from vista_stream.export.flan_t5 import export_flan_t5

    def export(quantization="none"):
        to = tmp_path_factory.mktemp("exported") / quantization
        export_flan_t5(str(published), to, quantization=quantization)
        return to

    return export


@pytest.fixture(scope="module")
def p_entail(published, transformers, torch):
    """SCALE's score of one prompt, by the whole model: encoder, decoder and full head."""
    model = transformers.T5ForConditionalGeneration.from_pretrained(published).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(published)

    def score(premise, hypothesis):
        prompt = f'{premise} Question: Does this imply that "{hypothesis}"? Yes or No?'
        rows = torch.tensor([tokenizer(prompt).input_ids])
        with torch.no_grad():
            logits = model(input_ids=rows, decoder_input_ids=torch.zeros(1, 1, dtype=torch.long)).logits
        answers = [tokenizer("Yes").input_ids[0], tokenizer("No").input_ids[0]]
        return float(logits[0, 0, answers].softmax(dim=0)[0])

    return score


def pairs(count):
    random = np.random.default_rng(4)
    for _ in range(count):
        chosen = random.integers(0, len(SENTENCES), random.integers(1, 6))
        yield " ".join(SENTENCES[row] for row in chosen), SENTENCES[random.integers(0, len(SENTENCES))]


def test_scores_are_those_of_transformers(exported, p_entail):
    verifier = FlanT5Verifier.from_pretrained(exported(), threads=1)
    expected = [p_entail(premise, hypothesis) for premise, hypothesis in pairs(30)]
    scores = [verifier.p_entail(premise, hypothesis) for premise, hypothesis in pairs(30)]
    assert scores == pytest.approx(expected, abs=1e-5)
    assert max(expected) - min(expected) > 0.1, "the pairs must differ for this to say anything"


@pytest.mark.parametrize("quantization", ["int8", "fp16"])
def test_narrow_scores_stay_near(exported, p_entail, quantization):
    verifier = FlanT5Verifier.from_pretrained(exported(quantization), threads=1)
    expected = np.array([p_entail(premise, hypothesis) for premise, hypothesis in pairs(10)])
    scores = [verifier.p_entail(premise, hypothesis) for premise, hypothesis in pairs(10)]
    assert np.abs(scores - expected).max() < (0.1 if quantization == "int8" else 0.005)


def test_int8_scores_do_not_depend_on_their_neighbours(exported):
    verifier = FlanT5Verifier.from_pretrained(exported("int8"), threads=1)
    asked = [Pair(premise, hypothesis) for premise, hypothesis in pairs(8)]
    assert verifier.score_sync(asked) == [verifier.score_sync([pair])[0] for pair in asked]


def test_the_manifest_says_what_was_exported(exported, published):
    folder = exported("int8")
    manifest = read_flan_t5_manifest(folder)
    assert (manifest.name, manifest.revision, manifest.quantization) == (published.name, None, "int8")
    assert manifest.answer_tokens == (3, 4)
    assert set(manifest.files) == {"model.onnx", "tokenizer.json"}
    assert manifest.versions["torch"]


def test_large_weights_get_a_file_of_their_own(published, tmp_path, p_entail, monkeypatch):
    from vista_stream.export import flan_t5

    monkeypatch.setattr(flan_t5, "_EXTERNAL_FROM", 1)
    manifest = flan_t5.export_flan_t5(str(published), tmp_path / "model")
    assert "model.onnx.data" in manifest.files
    verifier = FlanT5Verifier.from_pretrained(tmp_path / "model", threads=1)
    premise, hypothesis = SENTENCES[:2]
    assert verifier.p_entail(premise, hypothesis) == pytest.approx(p_entail(premise, hypothesis), abs=1e-5)


def test_the_licence_is_read_from_the_card(write_model, tmp_path):
    from vista_stream.export.flan_t5 import export_flan_t5

    folder = write_model()
    (folder / "README.md").write_text("---\nlicense: apache-2.0\n---\n# A model\n")
    assert export_flan_t5(str(folder), tmp_path / "model").licence == "apache-2.0"


@pytest.mark.parametrize(
    ("card", "licence"),
    [
        (b"---\nlicense: [\n---\n", None),
        (b"---\n- license\n---\n", None),
        (b"---\n1: 2\n---\n", None),
        (b"# A model\n", None),
        (b"---\nlicense: mit\n---\ncaf\xe9\n", "mit"),
    ],
)
def test_a_card_that_cannot_be_read_names_no_licence(write_model, tmp_path, card, licence):
    from vista_stream.export.flan_t5 import export_flan_t5

    folder = write_model()
    (folder / "README.md").write_bytes(card)
    assert export_flan_t5(str(folder), tmp_path / "model").licence == licence


def refused(model, tmp_path, match):
    from vista_stream.export.flan_t5 import export_flan_t5

    with pytest.raises(ModelLoadError, match=match) as caught:
        export_flan_t5(str(model), tmp_path / "model")
    assert len(str(caught.value).splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_is_no_t5_is_refused(tmp_path, transformers, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bert")
    transformers.BertConfig().save_pretrained(folder)
    refused(folder, tmp_path, "is a bert model, not a T5")


def test_a_t5_without_gated_layers_is_refused(write_model, tmp_path):
    refused(write_model(feed_forward_proj="relu"), tmp_path, "a T5 with relu layers, not a Flan-T5")


def test_a_folder_without_weights_is_refused(write_model, tmp_path):
    folder = write_model()
    (folder / "model.safetensors").unlink()
    refused(folder, tmp_path, "holds no weights")


def test_a_folder_without_a_tokenizer_is_refused(write_model, tmp_path):
    folder = write_model()
    (folder / "tokenizer.json").unlink()
    refused(folder, tmp_path, r"holds no tokenizer: one of tokenizer\.json, spiece\.model was expected")


def test_a_folder_without_a_configuration_is_refused(tmp_path, transformers, tmp_path_factory):
    refused(tmp_path_factory.mktemp("empty"), tmp_path, r"holds no config\.json")


def test_damaged_weights_are_refused(write_model, tmp_path):
    folder = write_model()
    (folder / "model.safetensors").write_bytes(b"damaged")
    refused(folder, tmp_path, "cannot be read")


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"d_model": "x"}, r"holds no config\.json that transformers can read"),
        ({"decoder_start_token_id": None}, "decoder_start_token_id in the .* a token from 0 to 50, not None"),
        ({"decoder_start_token_id": 51}, "decoder_start_token_id in the .* a token from 0 to 50, not 51"),
        ({"eos_token_id": None}, "eos_token_id in the .* a token from 0 to 50, not None"),
    ],
)
def test_a_damaged_configuration_is_refused(write_model, tmp_path, changes, match):
    folder = write_model()
    change_config(folder, **changes)
    refused(folder, tmp_path, match)


def test_answers_that_the_model_has_no_weights_for_are_refused(write_model, transformers, tmp_path):
    folder = write_model(vocab_size=4)
    refused(folder, tmp_path, "has token 4 for 'No', but its weights have 4 tokens")


@pytest.fixture
def without(write_model, transformers):
    """Writes a model whose weights of some names are missing."""
    from safetensors import numpy as safetensors

    def write(*names, **config):
        folder = write_model()
        path = folder / "model.safetensors"
        weights = {
            key: tensor for key, tensor in safetensors.load_file(path).items() if not key.startswith(names)
        }
        safetensors.save_file(weights, path, metadata={"format": "pt"})
        change_config(folder, **config)
        return folder

    return write


def change_config(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize(
    ("names", "first"),
    [
        (
            ("encoder.block.1.layer.0.SelfAttention.q",),
            r"encoder\.block\.1\.layer\.0\.SelfAttention\.q\.weight: 1 ",
        ),
        (("decoder", "lm_head"), r"decoder\.block\.0\.layer\.0\.SelfAttention\.k\.weight: 30 "),
    ],
)
def test_weights_that_lack_some_are_refused(without, tmp_path, names, first):
    refused(without(*names), tmp_path, f"lack {first}")


@pytest.mark.parametrize("name", ["lm_head", "shared"])
def test_an_untied_model_without_its_head_or_embedding_is_refused(without, tmp_path, name):
    # As the published Flan-T5 have it; transformers 5 writes otherwise.
    refused(without(name, tie_word_embeddings=False), tmp_path, rf"lack .*{name}\.weight")


def test_a_tied_model_holds_no_head(without, tmp_path):
    from vista_stream.export.flan_t5 import export_flan_t5

    folder = without("lm_head", tie_word_embeddings=True, scale_decoder_outputs=True)
    assert export_flan_t5(str(folder), tmp_path / "model").name == folder.name


def test_answers_of_several_tokens_are_refused(write_model, tmp_path):
    refused(write_model(pieces=("▁the", "ing")), tmp_path, "tokens of the answer 'Yes'")


def test_a_hub_that_cannot_be_reached_is_one_line(tmp_path, transformers, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    refused("google/flan-t5-nowhere", tmp_path, "not a folder here, and the hub cannot be asked")


def test_a_name_that_is_none_is_one_line(tmp_path, transformers):
    refused("no such/model/name", tmp_path, "neither a folder nor a model of the hub")


def test_a_full_disk_leaves_no_folder(published, tmp_path):
    from vista_stream.export.flan_t5 import export_flan_t5

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(OSError, match=r"File too large|Errno 27") as caught:
            export_flan_t5(str(published), tmp_path / "model")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert caught.value.errno == errno.EFBIG
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_quantization_is_refused(published, tmp_path):
    from vista_stream.export.flan_t5 import export_flan_t5

    with pytest.raises(ValueError, match="quantization must be one of none, int8, fp16"):
        export_flan_t5(str(published), tmp_path / "model", quantization="int4")
