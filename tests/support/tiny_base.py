"""A BERT of two layers and random weights, in the form of a base model's folder."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

NOUNS = [f"thing{number}" for number in range(40)]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "is", "not", "red", "blue", "tall", *NOUNS]
CONFIG = {
    "model_type": "bert",
    "num_hidden_layers": 2,
    "hidden_size": 32,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "vocab_size": len(WORDS),
    "max_position_embeddings": 512,
    "layer_norm_eps": 1e-5,
}


def bert_weights() -> dict:
    torch.manual_seed(0)
    width, inner = CONFIG["hidden_size"], CONFIG["intermediate_size"]

    def linear(name: str, rows: int, columns: int) -> dict:
        return {f"{name}.weight": torch.randn(rows, columns) * 0.1, f"{name}.bias": torch.zeros(rows)}

    def norm(name: str) -> dict:
        return {f"{name}.weight": torch.ones(width), f"{name}.bias": torch.zeros(width)}

    weights = {
        "embeddings.word_embeddings.weight": torch.randn(len(WORDS), width),
        "embeddings.position_embeddings.weight": torch.randn(512, width) * 0.1,
        "embeddings.token_type_embeddings.weight": torch.randn(2, width) * 0.1,
        **norm("embeddings.LayerNorm"),
    }
    for index in range(CONFIG["num_hidden_layers"]):
        layer = f"encoder.layer.{index}"
        for part in ("query", "key", "value"):
            weights |= linear(f"{layer}.attention.self.{part}", width, width)
        weights |= linear(f"{layer}.attention.output.dense", width, width)
        weights |= norm(f"{layer}.attention.output.LayerNorm") | norm(f"{layer}.output.LayerNorm")
        weights |= linear(f"{layer}.intermediate.dense", inner, width)
        weights |= linear(f"{layer}.output.dense", width, inner)
    return weights


def write(folder: Path) -> Path:
    """config.json, model.safetensors and tokenizer.json."""
    (folder / "config.json").write_text(json.dumps(CONFIG))
    save_file(bert_weights(), folder / "model.safetensors")
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder
