"""Flan-T5 as optimum exports it: an encoder and a decoder, which are run for one step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from vista_stream.errors import InferenceError, ModelLoadError
from vista_stream.verifiers.flan_t5_manifest import FlanT5Manifest, Quantization
from vista_stream.verifiers.flan_t5_question import ANSWERS, TEMPLATES, answer_tokens
from vista_stream.verifiers.flan_t5_session import Provider, load_graph
from vista_stream.verifiers.onnx import open_tokenizer

_PLACES = ("", "onnx")
"""Folders below the model's in which published exports keep their graphs."""
_VARIANTS: dict[str, Quantization] = {"": "none", "_fp16": "fp16", "_quantized": "int8"}
_DECODERS = ("decoder_model", "decoder_model_merged")
"""In the order in which they are taken; decoder_with_past_model cannot make the first step."""


class OptimumGraphs(NamedTuple):
    """The graphs of an export that are used."""

    encoder: Path
    decoder: Path
    quantization: Quantization


def optimum_graphs(folder: Path) -> OptimumGraphs | None:
    """The most exact encoder and decoder in a folder or in its `onnx`; None where there are none."""
    for place in _PLACES:
        for variant, quantization in _VARIANTS.items():
            encoder = folder / place / f"encoder_model{variant}.onnx"
            for name in _DECODERS:
                decoder = folder / place / f"{name}{variant}.onnx"
                if encoder.is_file() and decoder.is_file():
                    return OptimumGraphs(encoder, decoder, quantization)
    return None


def read_optimum(folder: Path, graphs: OptimumGraphs) -> tuple[FlanT5Manifest, int]:
    """What a manifest would say of an export, and the decoder's first token.

    They come from its config.json and tokenizer.json. Raises ModelLoadError, naming the file, where one is
    missing or is not that of a Flan-T5.
    """
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelLoadError(
            f"{path} is missing: an export of optimum holds it ({error.strerror})"
        ) from error
    except ValueError as error:
        raise ModelLoadError(f"{path} is not JSON: {error}") from error
    kind = config.get("model_type") if isinstance(config, dict) else None
    if kind != "t5" or config.get("feed_forward_proj") != "gated-gelu":
        raise ModelLoadError(f"{path} must be that of a Flan-T5: model_type t5, feed_forward_proj gated-gelu")
    known = _number(config, "vocab_size", path, below=1 << 31)
    tokenizer = _tokenizer(folder / "tokenizer.json")
    name = folder.resolve().name
    manifest = FlanT5Manifest(
        name=name,
        revision=None,
        licence=None,
        quantization=graphs.quantization,
        files={},
        answers=ANSWERS,
        answer_tokens=answer_tokens(tokenizer, known=known, name=name),
        end_token=_number(config, "eos_token_id", path, below=known),
        templates=TEMPLATES,
        max_length=_number({"n_positions": 512, **config}, "n_positions", path, below=1 << 31),
    )
    return manifest, _number(config, "decoder_start_token_id", path, below=known)


def _number(config: dict[str, Any], name: str, path: Path, *, below: int) -> int:
    value = config.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < below:
        raise ModelLoadError(f"{name} in {path} must be a whole number below {below}, not {value!r}")
    return value


def _tokenizer(path: Path) -> Tokenizer:
    if not path.is_file():
        raise ModelLoadError(f"{path} is missing: an export of optimum with a fast tokenizer holds it")
    return open_tokenizer(path)


class OptimumSession:
    """The two loaded graphs; may be used from many threads."""

    def __init__(
        self,
        graphs: OptimumGraphs,
        *,
        manifest: FlanT5Manifest,
        start_token: int,
        providers: Sequence[Provider] | None,
        threads: int | None,
    ) -> None:
        """Load the graphs. Blocking; raises ModelLoadError and ValueError as AnswerSession does."""
        self._encoder, self.on_cpu = load_graph(graphs.encoder, providers=providers, threads=threads)
        self._decoder, _ = load_graph(graphs.decoder, providers=providers, threads=threads)
        self._answers = list(manifest.answer_tokens)
        self._start = start_token
        inputs = {each.name: each for each in self._decoder.get_inputs()}
        missing = {"input_ids", "encoder_hidden_states", "encoder_attention_mask"} - inputs.keys()
        if missing:
            raise ModelLoadError(f"{graphs.decoder} has no input {min(missing)}: it is no decoder of optimum")
        self._past = [each for name, each in inputs.items() if name.startswith("past_key_values")]
        self._branches = "use_cache_branch" in inputs

    def run(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The answers' logits, shape (len(rows), 2). Blocking; raises InferenceError."""
        longest = max(map(len, rows))
        tokens = np.zeros((len(rows), longest), dtype=np.int64)
        mask = np.zeros((len(rows), longest), dtype=np.int64)
        for number, row in enumerate(rows):
            tokens[number, : len(row)] = row
            mask[number, : len(row)] = 1
        try:
            (encoded,) = self._encoder.run(
                ["last_hidden_state"], {"input_ids": tokens, "attention_mask": mask}
            )
            feeds = {
                "input_ids": np.full((len(rows), 1), self._start, dtype=np.int64),
                "encoder_hidden_states": encoded,
                "encoder_attention_mask": mask,
            }
            (logits,) = self._decoder.run(["logits"], {**feeds, **self._no_past(len(rows), encoded.dtype)})
        except Exception as error:  # ONNX Runtime's exceptions share no base class but this one
            raise InferenceError(f"ONNX Runtime: {error}") from error
        return np.asarray(logits[:, 0, self._answers], dtype=np.float32)

    def _no_past(self, count: int, kind: np.dtype[Any]) -> dict[str, NDArray[Any]]:
        """What a merged decoder takes besides at its first step, and does not read."""
        feeds: dict[str, NDArray[Any]] = {
            each.name: np.zeros((count, each.shape[1], 1, each.shape[3]), dtype=kind) for each in self._past
        }
        return feeds | ({"use_cache_branch": np.array([False])} if self._branches else {})
