"""Reads a Flan-T5 from the Hugging Face hub or from a folder, with transformers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import huggingface_hub
import numpy as np
import torch  # type: ignore[import-not-found, unused-ignore]
import transformers  # type: ignore[import-not-found, unused-ignore]
from huggingface_hub import errors as hub_errors

from vista_stream.errors import ModelLoadError
from vista_stream.export.precision import Matrix
from vista_stream.export.t5_graph import T5Shape

_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_TOKENIZERS = ("tokenizer.json", "spiece.model")
_PARTS = ("*.json", "spiece.model", "README.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A model as it was published."""

    name: str
    revision: str | None
    licence: str | None
    shape: T5Shape
    weights: Mapping[str, Matrix]
    distances: Matrix
    """The encoder's position bias by distance; for the shape see `write_t5`."""
    tokenizer: Any
    """A tokenizers.Tokenizer."""
    end_token: int
    max_length: int


def read_checkpoint(model: str) -> Checkpoint:
    """Read a model from a folder, or from the hub by its name. Blocking; downloads what is not cached.

    Raises ModelLoadError, with a one-line message, if there is no such model, the hub cannot be reached, the
    model is not a Flan-T5, or a part of it is missing.
    """
    local = Path(model).is_dir()
    folder = Path(model) if local else _download(model)
    config = _config(model, folder)
    for part, patterns in (("weights", _WEIGHTS), ("tokenizer", _TOKENIZERS)):
        if not any(list(folder.glob(pattern)) for pattern in patterns):
            raise ModelLoadError(f"{model} holds no {part}: one of {', '.join(patterns)} was expected")
    try:
        network, loading = transformers.T5ForConditionalGeneration.from_pretrained(
            folder, output_loading_info=True
        )
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    except Exception as error:  # damaged files raise errors of many types
        raise ModelLoadError(f"{model} cannot be read: {_line(error)}") from error
    _check_whole(model, folder, network=network, missing=loading["missing_keys"])
    return Checkpoint(
        name=model if not local else folder.resolve().name,
        revision=None if local else folder.name,
        licence=_licence(folder / "README.md"),
        shape=_shape(model, config),
        weights={key: value.numpy() for key, value in network.float().state_dict().items()},
        distances=_distances(network.encoder.block[0].layer[0].SelfAttention),
        tokenizer=tokenizer.backend_tokenizer,
        end_token=_token(model, config, name="eos_token_id"),
        max_length=getattr(config, "n_positions", 512),
    )


def _download(model: str) -> Path:
    try:
        return Path(huggingface_hub.snapshot_download(model, allow_patterns=[*_PARTS, _WEIGHTS[0]]))
    except (hub_errors.HFValidationError, hub_errors.RepositoryNotFoundError) as error:
        raise ModelLoadError(f"{model} is neither a folder nor a model of the hub") from error
    except Exception as error:  # the hub's client raises errors of its HTTP library, which differ by version
        raise ModelLoadError(
            f"{model} is not a folder here, and the hub cannot be asked for it: {_line(error)}"
        ) from error


def _config(model: str, folder: Path) -> Any:
    try:
        config = transformers.AutoConfig.from_pretrained(folder)
    except Exception as error:  # the error types of transformers differ by version
        raise ModelLoadError(f"{model} holds no config.json that transformers can read") from error
    if config.model_type != "t5":
        raise ModelLoadError(f"{model} is a {config.model_type} model, not a T5")
    if config.feed_forward_proj != "gated-gelu":
        raise ModelLoadError(
            f"{model} is a T5 with {config.feed_forward_proj} layers, not a Flan-T5 with gated-gelu ones"
        )
    return config


def _check_whole(model: str, folder: Path, *, network: Any, missing: Collection[str]) -> None:
    """Raise ModelLoadError for missing weights: transformers fills them with random numbers and warns."""
    if missing:
        raise ModelLoadError(f"the weights of {model} lack {min(missing)}: {len(missing)} are missing")
    # transformers 5 ties the head to the embedding if one of them is missing, whatever the config says.
    untied = transformers.T5Config.get_config_dict(folder)[0].get("tie_word_embeddings") is False
    if untied and network.lm_head.weight is network.shared.weight:
        raise ModelLoadError(f"the weights of {model} lack lm_head.weight or shared.weight")


def _shape(model: str, config: Any) -> T5Shape:
    return T5Shape(
        layers=config.num_layers,
        decoder_layers=config.num_decoder_layers,
        heads=config.num_heads,
        head_width=config.d_kv,
        epsilon=config.layer_norm_epsilon,
        start_token=_token(model, config, name="decoder_start_token_id"),
        # transformers 5 derives the scaling from tie_word_embeddings, and then sets that field to true.
        head_scale=config.d_model**-0.5
        if getattr(config, "scale_decoder_outputs", config.tie_word_embeddings)
        else 1.0,
    )


def _token(model: str, config: Any, *, name: str) -> int:
    token = getattr(config, name, None)
    if not isinstance(token, int) or not 0 <= token < config.vocab_size:
        raise ModelLoadError(
            f"{name} in the config.json of {model} must be a token from 0 to {config.vocab_size - 1}, "
            f"not {token!r}"
        )
    return token


def _distances(attention: Any) -> Matrix:
    reach = attention.relative_attention_max_distance
    buckets = attention._relative_position_bucket(
        torch.arange(-reach, reach + 1),
        bidirectional=True,
        num_buckets=attention.relative_attention_num_buckets,
        max_distance=reach,
    )
    biases: Matrix = attention.relative_attention_bias.weight.detach().numpy()
    return np.ascontiguousarray(biases[buckets.numpy()].T)


def _licence(card: Path) -> str | None:
    """The licence in the front matter of a model card; None if it cannot be read."""
    if not card.is_file():
        return None
    text = card.read_text(encoding="utf-8-sig", errors="replace")
    try:
        licence = huggingface_hub.ModelCard(text, ignore_metadata_errors=True).data.to_dict().get("license")
    except Exception:  # the card is written by hand, and the errors of the YAML reader are not ValueErrors
        return None
    return None if licence is None else str(licence)


def _line(error: BaseException) -> str:
    """The first line of an error's message, or its type if it has none."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
