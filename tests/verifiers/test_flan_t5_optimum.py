"""Folders as optimum writes them, with graphs whose answers can be added up by hand."""

import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from tokenizers import Tokenizer, models, pre_tokenizers

from vista_stream.claims import Pair
from vista_stream.cli.loading import load_verifier
from vista_stream.errors import InferenceError, ModelLoadError
from vista_stream.export.writer import GraphWriter
from vista_stream.verifiers.flan_t5 import FlanT5Verifier
from vista_stream.verifiers.flan_t5_optimum import optimum_graphs
from vista_stream.verifiers.flan_t5_question import TEMPLATES

WORDS = (
    "<pad>",
    "</s>",
    "<unk>",
    "Yes",
    "No",
    "tin",
    "bee",
    "oak",
    "Question:",
    "imply",
    "contradict",
    "ash",
)
END, START = 1, 0
CONFIG = {
    "model_type": "t5",
    "feed_forward_proj": "gated-gelu",
    "vocab_size": len(WORDS),
    "eos_token_id": END,
    "decoder_start_token_id": START,
    "n_positions": 64,
}
TABLE = np.random.default_rng(3).normal(scale=0.3, size=(len(WORDS), 2)).astype(np.float32)
PAIRS = [Pair("tin bee.", "oak"), Pair("ash", "bee tin tin"), Pair("Yes ash oak bee", "No")]


def encoder():
    writer = GraphWriter()
    rows = writer.op("Gather", writer.constant(TABLE), "input_ids")
    shape = {"input_ids": ["batch", "length"], "attention_mask": ["batch", "length"]}
    return writer.model(shape, (rows, "last_hidden_state", ["batch", "length", 2]))


def decoder(*, merged):
    """The sum of the encoded tokens and of the first token's row, as logits of Yes and No.

    A merged decoder gives nonsense where it is told to use a past.
    """
    writer = GraphWriter()
    mask = writer.cast("encoder_attention_mask", TensorProto.FLOAT)
    seen = writer.op("Mul", "encoder_hidden_states", writer.op("Unsqueeze", mask, writer.integers(2)))
    summed = writer.op("ReduceSum", seen, writer.integers(1), keepdims=1)
    both = writer.op("Add", summed, writer.op("Gather", writer.constant(TABLE), "input_ids"))
    spread = np.zeros((2, len(WORDS)), np.float32)
    spread[0, WORDS.index("Yes")] = spread[1, WORDS.index("No")] = 1
    logits = writer.op("MatMul", both, writer.constant(spread))
    if merged:
        past = writer.op("ReduceMax", writer.cast("use_cache_branch", TensorProto.FLOAT), keepdims=0)
        wrong = np.random.default_rng(4).normal(scale=9, size=len(WORDS)).astype(np.float32)
        logits = writer.op("Add", logits, writer.op("Mul", past, writer.constant(wrong)))
    inputs = {
        "input_ids": ["batch", "one"],
        "encoder_hidden_states": ["batch", "length", 2],
        "encoder_attention_mask": ["batch", "length"],
    }
    model = writer.model(inputs, (logits, "logits", ["batch", "one", len(WORDS)]))
    model.graph.input[1].type.tensor_type.elem_type = TensorProto.FLOAT
    if merged:
        for kind in ("key", "value"):
            past = f"past_key_values.0.decoder.{kind}"
            shape = ["batch", 3, "past", 5]
            model.graph.input.append(helper.make_tensor_value_info(past, TensorProto.FLOAT, shape))
        model.graph.input.append(helper.make_tensor_value_info("use_cache_branch", TensorProto.BOOL, [1]))
    return model


@pytest.fixture
def write(tmp_path):
    """Writes an export: the graphs by the names of their files, changes to its config.json."""

    def to(*names, place=".", **changes):
        folder = tmp_path / "tiny-flan"
        (folder / place).mkdir(parents=True)
        for name in names or ("encoder_model.onnx", "decoder_model.onnx"):
            graph = encoder() if name.startswith("encoder") else decoder(merged="merged" in name)
            onnx.save(graph, folder / place / name)
        (folder / "config.json").write_text(json.dumps({**CONFIG, **changes}))
        tokenizer = Tokenizer(models.WordLevel({word: row for row, word in enumerate(WORDS)}, "<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer.save(str(folder / "tokenizer.json"))
        return folder

    return to


def p_entail(pair):
    """By hand: the sum of the rows of the prompt, its end and the decoder's first token."""
    prompt = TEMPLATES["entailment"].format(premise=pair.premise, hypothesis=pair.hypothesis)
    known = [WORDS.index(word) if word in WORDS else 2 for word in prompt.split()]
    yes, no = TABLE[[*known, END, START]].sum(axis=0)
    return 1 / (1 + np.exp(no - yes))


@pytest.mark.parametrize(
    ("names", "place"),
    [
        (("encoder_model.onnx", "decoder_model.onnx"), "."),
        (("encoder_model.onnx", "decoder_model.onnx", "decoder_with_past_model.onnx"), "."),
        (("encoder_model.onnx", "decoder_model_merged.onnx"), "onnx"),
        (("encoder_model_fp16.onnx", "decoder_model_merged_fp16.onnx"), "onnx"),
        (("encoder_model_quantized.onnx", "decoder_model_quantized.onnx"), "."),
    ],
)
def test_each_kind_of_export_loads_and_answers(write, names, place):
    verifier = FlanT5Verifier.from_pretrained(write(*names, place=place), threads=1)
    expected = [p_entail(pair) for pair in PAIRS]
    assert verifier.p_entail_each(PAIRS) == pytest.approx(expected, abs=1e-6)
    assert max(expected) - min(expected) > 0.05
    assert verifier.name == "tiny-flan"


@pytest.mark.anyio
async def test_scores_come_in_the_order_of_the_pairs(write):
    verifier = FlanT5Verifier.from_pretrained(write(), threads=1)
    together = await verifier.score(PAIRS)
    alone = [verifier.score_sync([pair])[0] for pair in PAIRS]
    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_the_most_exact_graphs_are_taken(write):
    folder = write(
        *(f"{part}{kind}.onnx" for part in ("encoder_model", "decoder_model") for kind in ("", "_quantized")),
        "decoder_model_merged.onnx",
    )
    encoder, decoder, quantization = optimum_graphs(folder)
    assert (encoder.name, decoder.name, quantization) == ("encoder_model.onnx", "decoder_model.onnx", "none")


def test_a_quantised_export_runs_each_pair_alone(write):
    names = ("encoder_model_quantized.onnx", "decoder_model_quantized.onnx")
    verifier = FlanT5Verifier.from_pretrained(write(*names))
    assert verifier._manifest.quantization == "int8"


def test_a_decoder_with_past_alone_is_no_export(write):
    folder = write("encoder_model.onnx", "decoder_with_past_model.onnx")
    assert optimum_graphs(folder) is None
    with pytest.raises(ModelLoadError, match=r"manifest\.json is missing"):
        FlanT5Verifier.from_pretrained(folder)


def test_the_command_line_knows_such_a_folder(write):
    assert isinstance(load_verifier(str(write())), FlanT5Verifier)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"model_type": "bart"}, r"config\.json must be that of a Flan-T5"),
        ({"feed_forward_proj": "relu"}, r"config\.json must be that of a Flan-T5"),
        ({"vocab_size": "many"}, r"vocab_size in .*config\.json must be a whole number"),
        ({"vocab_size": 3}, "has token 3 for 'Yes', but its weights have 3 tokens"),
        ({"eos_token_id": -1}, "eos_token_id in .* must be a whole number below 12, not -1"),
        ({"decoder_start_token_id": None}, "decoder_start_token_id in .* must be a whole number"),
        ({"n_positions": True}, "n_positions in .* must be a whole number"),
    ],
)
def test_a_config_that_does_not_fit_is_told(write, changes, told):
    with pytest.raises(ModelLoadError, match=told):
        FlanT5Verifier.from_pretrained(write(**changes))


@pytest.mark.parametrize("text", ["{", "[]", "null"])
def test_a_config_that_is_no_object_is_told(write, text):
    folder = write()
    (folder / "config.json").write_text(text)
    with pytest.raises(ModelLoadError, match=r"config\.json"):
        FlanT5Verifier.from_pretrained(folder)


def test_missing_and_damaged_parts_are_named(write):
    folder = write()
    (folder / "decoder_model.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelLoadError, match=r"decoder_model\.onnx cannot be loaded"):
        FlanT5Verifier.from_pretrained(folder)
    onnx.save(encoder(), folder / "decoder_model.onnx")
    with pytest.raises(ModelLoadError, match="has no input encoder_attention_mask: it is no decoder"):
        FlanT5Verifier.from_pretrained(folder)
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelLoadError, match=r"tokenizer\.json is not a tokenizer"):
        FlanT5Verifier.from_pretrained(folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelLoadError, match=r"tokenizer\.json is missing"):
        FlanT5Verifier.from_pretrained(folder)
    (folder / "config.json").unlink()
    with pytest.raises(ModelLoadError, match=r"config\.json is missing"):
        FlanT5Verifier.from_pretrained(folder)


def test_a_run_that_fails_is_an_inference_error(write):
    folder = write()
    graph = onnx.load(folder / "encoder_model.onnx")
    graph.graph.output[0].name = graph.graph.node[-1].output[0] = "something_else"
    onnx.save(graph, folder / "encoder_model.onnx")
    with pytest.raises(InferenceError, match="ONNX Runtime"):
        FlanT5Verifier.from_pretrained(folder).score_sync(PAIRS[:1])
