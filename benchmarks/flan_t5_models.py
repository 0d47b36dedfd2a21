"""Seeded random Flan-T5 models in the published shapes, and texts to score with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

SHAPES = {
    "small": {"d_model": 512, "d_ff": 1024, "num_layers": 8, "num_decoder_layers": 8, "num_heads": 6},
    "base": {"d_model": 768, "d_ff": 2048, "num_layers": 12, "num_decoder_layers": 12, "num_heads": 12},
    "large": {"d_model": 1024, "d_ff": 2816, "num_layers": 24, "num_decoder_layers": 24, "num_heads": 16},
}
"""The published shapes, by size; attention heads are 64 wide in all of them."""
SPREAD = 2.0
"""Standard deviation, over prompts, of the log-odds of yes; with it scores spread over 0..1."""

Prompt = tuple[str, str]
"""A premise and a hypothesis."""


class Texts:
    """Makes premises of wanted lengths from the sentences of some documents, with a seeded generator."""

    def __init__(self, folder: Path, tokenizer: Any, *, seed: int) -> None:
        text = " ".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt")))
        found = (sentence.strip() for sentence in re.split(r"(?<=[.!?])\s+", text))
        self.sentences = [" ".join(sentence.split()) for sentence in found if len(sentence) > 20]
        self._lengths = [len(tokenizer(sentence).input_ids) - 1 for sentence in self.sentences]
        self._random = np.random.default_rng(seed)

    def document(self, tokens: int) -> list[str]:
        """Sentences of about that many tokens together, no two neighbours the same."""
        chosen, total = [-1], 0
        while total < tokens:
            row = int(self._random.integers(len(self.sentences)))
            if row != chosen[-1]:
                chosen.append(row)
                total += self._lengths[row]
        return [self.sentences[row] for row in chosen[1:]]

    def premise(self, tokens: int) -> str:
        """A text of about that many tokens, the last sentence cut short."""
        words = " ".join(self.document(tokens)).split()
        per_word = sum(self._lengths) / sum(len(sentence.split()) for sentence in self.sentences)
        return " ".join(words[: max(round(tokens / per_word), 1)])

    def hypothesis(self) -> str:
        """One of the sentences."""
        return str(self._random.choice(self.sentences))

    def prompts(self, lengths: Sequence[int]) -> list[Prompt]:
        """Pairs with premises of about those lengths."""
        return [(self.premise(tokens), self.hypothesis()) for tokens in lengths]


def seeded_model(size: str, tokenizer_folder: Path, *, prompts: Sequence[str], seed: int) -> tuple[Any, Any]:
    """A model of random weights and its tokenizer.

    The head's rows for yes and no are drawn so that the log-odds have mean 0 and standard deviation SPREAD
    over the prompts. Without that, every score of a random model is 0 or 1.
    """
    import torch  # type: ignore[import-not-found, unused-ignore]
    import transformers  # type: ignore[import-not-found, unused-ignore]

    tokenizer = transformers.AutoTokenizer.from_pretrained(tokenizer_folder)
    config = transformers.T5Config.from_pretrained(tokenizer_folder, **SHAPES[size])
    torch.manual_seed(seed)
    model = transformers.T5ForConditionalGeneration(config).eval()
    model.lm_head.weight = torch.nn.Parameter(_head(model, tokenizer, prompts))
    return model, tokenizer


def _head(model: Any, tokenizer: Any, prompts: Sequence[str]) -> Any:
    import torch

    states = []
    for prompt in prompts:
        rows = tokenizer(prompt, return_tensors="pt").input_ids
        with torch.no_grad():
            encoded = model.encoder(input_ids=rows).last_hidden_state
            start = torch.full((1, 1), model.config.decoder_start_token_id)
            decoded = model.decoder(input_ids=start, encoder_hidden_states=encoded, use_cache=False)
        states.append(decoded.last_hidden_state[0, 0])
    seen = torch.stack(states)
    mean = seen.mean(dim=0)
    # A direction orthogonal to the mean state, scaled to the wanted spread.
    across = torch.randn_like(mean)
    across -= mean * (across @ mean) / (mean @ mean)
    across *= SPREAD / (seen @ across).std()
    head = torch.randn_like(model.lm_head.weight)
    yes, no = (tokenizer(text).input_ids[0] for text in ("Yes", "No"))
    head[yes], head[no] = across / 2, -across / 2
    return head
