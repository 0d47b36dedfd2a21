"""A tiny Flan-T5 of seeded random weights, written by transformers; skipped where that is not installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

LETTERS = "abcdefghijklmnopqrstuvwxyzDIQYN.,?:\"'"
PIECES = ("▁Yes", "▁No", "▁Question", "▁the", "▁of", "▁imply", "ing", "er", "and", "th")


@pytest.fixture(scope="session")
def torch():
    return pytest.importorskip("torch", reason="the extra 'export' is not installed")


@pytest.fixture(scope="session")
def transformers(torch):
    return pytest.importorskip("transformers", reason="the extra 'export' is not installed")


@pytest.fixture(scope="session")
def write_model(tmp_path_factory, transformers, torch):
    """Writes a model folder; pieces are the tokenizer's, changes go to the configuration."""

    def write(*, pieces: tuple[str, ...] = PIECES, **changes: object) -> Path:
        folder = tmp_path_factory.mktemp("published")
        vocabulary = ["<pad>", "</s>", "<unk>", *pieces, "▁", *LETTERS]
        settings = {
            "vocab_size": len(vocabulary),
            "d_model": 64,
            "d_ff": 128,
            "d_kv": 16,
            "num_heads": 2,
            "num_layers": 2,
            "feed_forward_proj": "gated-gelu",
            "tie_word_embeddings": False,
            "decoder_start_token_id": 0,
        }
        torch.manual_seed(11)
        model = transformers.T5ForConditionalGeneration(transformers.T5Config(**settings | changes))
        model.lm_head.weight = torch.nn.Parameter(0.25 * torch.randn(model.config.vocab_size, 64))
        model.save_pretrained(folder)
        _tokenizer(transformers, vocabulary).save_pretrained(folder)
        return folder

    return write


@pytest.fixture(scope="session")
def published(write_model) -> Path:
    return write_model()


def _tokenizer(transformers, vocabulary):
    tokenizer = Tokenizer(models.Unigram([(piece, -(len(piece) ** -1.0)) for piece in vocabulary], unk_id=2))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single=["$A", "</s>"], special_tokens=[("</s>", 1)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
