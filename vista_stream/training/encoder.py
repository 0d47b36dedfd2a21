"""The transformer encoder that is trained here: MPNet or BERT weights in one small torch module.

It is written out, rather than taken from a model library, so that the exported graph is small: query,
key and value are one product, and the relative position bias is looked up by distance.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import Tensor, nn


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Sizes of an encoder."""

    layers: int
    width: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    first_position: int
    """Index of the first token's position embedding: 2 for MPNet, 0 for BERT."""
    buckets: int
    """Buckets of the relative position bias; 0 for none (BERT)."""
    epsilon: float

    @classmethod
    def of(cls, config: dict[str, Any]) -> Shape:
        """From a model's config.json; ValueError for an architecture other than mpnet and bert."""
        kind = config.get("model_type")
        if kind not in ("mpnet", "bert"):
            raise ValueError(f"model_type must be mpnet or bert, not {kind!r}")
        return cls(
            layers=config["num_hidden_layers"],
            width=config["hidden_size"],
            heads=config["num_attention_heads"],
            inner=config["intermediate_size"],
            vocabulary=config["vocab_size"],
            positions=config["max_position_embeddings"],
            first_position=2 if kind == "mpnet" else 0,
            buckets=config.get("relative_attention_num_buckets", 32) if kind == "mpnet" else 0,
            epsilon=config["layer_norm_eps"],
        )


class Layer(nn.Module):
    """One block: attention and feed-forward, each with its residual and normalisation after it."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = shape.heads, dropout
        self.qkv = nn.Linear(shape.width, 3 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.up = nn.Linear(shape.width, shape.inner)
        self.down = nn.Linear(shape.inner, shape.width)
        self.norm_after = nn.LayerNorm(shape.width, eps=shape.epsilon)

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        """(batch, length, width) and additive (batch or 1, heads or 1, length, length) to the former."""
        batch, length, width = states.shape
        qkv = self.qkv(states).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        rate = self.dropout if self.training else 0.0
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=rate)
        mixed = mixed.transpose(1, 2).reshape(batch, length, width)
        states = self.norm(states + F.dropout(self.out(mixed), self.dropout, self.training))
        inner = self.down(F.gelu(self.up(states)))
        return self.norm_after(states + F.dropout(inner, self.dropout, self.training))


class Encoder(nn.Module):
    """Token ids to states."""

    def __init__(self, shape: Shape, *, dropout: float = 0.1) -> None:
        super().__init__()
        self.shape, self.dropout = shape, dropout
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.relative = nn.Embedding(shape.buckets, shape.heads) if shape.buckets else None
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))
        reach = shape.positions - shape.first_position
        distances = torch.arange(-reach + 1, reach)
        self.register_buffer("bucket_of", _buckets(distances, shape.buckets or 32), persistent=False)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """(batch, length) ids and mask of 1 and 0 to the last layer's states, (batch, length, width)."""
        length = ids.shape[1]
        order = torch.arange(length, device=ids.device)
        states = self.norm(self.words(ids) + self.places(order + self.shape.first_position))
        states = F.dropout(states, self.dropout, self.training)
        bias = (1.0 - mask[:, None, None, :].to(states.dtype)) * -10000.0
        if self.relative is not None:
            reach = self.shape.positions - self.shape.first_position
            distance = order[None, :] - order[:, None] + (reach - 1)
            by_distance = self.relative(self.bucket_of)
            bias = bias + by_distance[distance].permute(2, 0, 1)[None]
        for layer in self.layers:
            states = layer(states, bias.to(states.dtype))
        return states

    def keep_layers(self, kept: list[int]) -> None:
        """Cut the encoder to these of its layers."""
        self.layers = nn.ModuleList(self.layers[index] for index in kept)
        self.shape = Shape(**{**asdict(self.shape), "layers": len(kept)})

    @classmethod
    def from_folder(cls, folder: Path, *, dropout: float = 0.0) -> Encoder:
        """Read config.json and model.safetensors of an MPNet or BERT model."""
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        shape = Shape.of(config)
        encoder = cls(shape, dropout=dropout)
        weights = load_file(folder / "model.safetensors")
        names = _mpnet_names if config["model_type"] == "mpnet" else _bert_names
        encoder.load_state_dict(names(weights, shape), strict=True)
        return encoder


def _buckets(distances: Tensor, buckets: int) -> Tensor:
    """Bucket of each signed distance: half a side, exact when near, logarithmic up to 128."""
    half = buckets // 2
    near = half // 2
    far = distances.abs().clamp(min=1).float()
    scale = (half - near) / math.log(128 / near)
    large = (near + (far / near).log() * scale).long().clamp(max=half - 1)
    bucket = torch.where(distances.abs() < near, distances.abs(), large)
    return bucket + half * (distances > 0).long()


def _block(weights: dict[str, Tensor], old: str, new: str) -> dict[str, Tensor]:
    return {f"{new}.{part}": weights[f"{old}.{part}"] for part in ("weight", "bias")}


def _joined(weights: dict[str, Tensor], old: list[str], new: str) -> dict[str, Tensor]:
    parts = ("weight", "bias")
    return {f"{new}.{part}": torch.cat([weights[f"{name}.{part}"] for name in old]) for part in parts}


def _mpnet_names(weights: dict[str, Tensor], shape: Shape) -> dict[str, Tensor]:
    named = {
        "words.weight": weights["embeddings.word_embeddings.weight"],
        "places.weight": weights["embeddings.position_embeddings.weight"],
        "relative.weight": weights["encoder.relative_attention_bias.weight"],
        **_block(weights, "embeddings.LayerNorm", "norm"),
    }
    for index in range(shape.layers):
        old, new = f"encoder.layer.{index}", f"layers.{index}"
        named |= _joined(weights, [f"{old}.attention.attn.{x}" for x in "qkv"], f"{new}.qkv")
        named |= _block(weights, f"{old}.attention.attn.o", f"{new}.out")
        named |= _block(weights, f"{old}.attention.LayerNorm", f"{new}.norm")
        named |= _feed_forward(weights, old, new)
    return named


def _bert_names(weights: dict[str, Tensor], shape: Shape) -> dict[str, Tensor]:
    # Only one segment type is used, so its embedding can live in the position embeddings.
    places = weights["embeddings.position_embeddings.weight"]
    named = {
        "words.weight": weights["embeddings.word_embeddings.weight"],
        "places.weight": places + weights["embeddings.token_type_embeddings.weight"][0],
        **_block(weights, "embeddings.LayerNorm", "norm"),
    }
    for index in range(shape.layers):
        old, new = f"encoder.layer.{index}", f"layers.{index}"
        self_attention = [f"{old}.attention.self.{x}" for x in ("query", "key", "value")]
        named |= _joined(weights, self_attention, f"{new}.qkv")
        named |= _block(weights, f"{old}.attention.output.dense", f"{new}.out")
        named |= _block(weights, f"{old}.attention.output.LayerNorm", f"{new}.norm")
        named |= _feed_forward(weights, old, new)
    return named


def _feed_forward(weights: dict[str, Tensor], old: str, new: str) -> dict[str, Tensor]:
    return {
        **_block(weights, f"{old}.intermediate.dense", f"{new}.up"),
        **_block(weights, f"{old}.output.dense", f"{new}.down"),
        **_block(weights, f"{old}.output.LayerNorm", f"{new}.norm_after"),
    }
