"""A graph with the interface of an exported Flan-T5 whose answers can be added up by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto
from tokenizers import Tokenizer, models, pre_tokenizers

from vista_stream.export.writer import GraphWriter
from vista_stream.verifiers.flan_t5_manifest import FlanT5Manifest
from vista_stream.verifiers.model_files import digest

END = 1
WORDS = (
    "<pad>",
    "</s>",
    "<unk>",
    "tin",
    "bee",
    "oak",
    "fig",
    "elm",
    "rye.",
    "ash.",
    "implies",
    "denies",
    "ok",
)


@pytest.fixture(scope="session")
def answer_table() -> np.ndarray:
    """What each token adds to the logits of yes and no; shape (words, 2)."""
    return np.random.default_rng(3).normal(scale=0.3, size=(len(WORDS), 2)).astype(np.float32)


@pytest.fixture(scope="session")
def log_odds(answer_table) -> Callable[[str], float]:
    """Of yes against no, for the words of a prompt, the end token added."""

    def of(prompt: str) -> float:
        rows = answer_table[[WORDS.index(word) for word in prompt.split()] + [END]]
        return float(np.subtract(*rows.sum(axis=0, dtype=np.float64)))

    return of


@pytest.fixture
def write_flan_t5(tmp_path, answer_table) -> Callable[..., Path]:
    """Writes the folder; keywords replace fields of the manifest."""

    def write(**changes: object) -> Path:
        folder = tmp_path / "flan-t5"
        folder.mkdir()
        onnx.save(_graph(answer_table), folder / "model.onnx")
        tokenizer = Tokenizer(models.WordLevel({word: row for row, word in enumerate(WORDS)}, "<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer.save(str(folder / "tokenizer.json"))
        manifest = FlanT5Manifest(
            name="tiny",
            revision=None,
            licence="Apache-2.0",
            quantization="none",
            files={path.name: digest(path) for path in folder.iterdir()},
            answers=("Yes", "No"),
            answer_tokens=(4, 5),
            end_token=END,
            templates={
                "entailment": "{premise} implies {hypothesis}",
                "contradiction": "{premise} denies {hypothesis}",
            },
        )
        (folder / "manifest.json").write_text(replace(manifest, **changes).to_json(), encoding="utf-8")
        return folder

    return write


@pytest.fixture
def change_manifest() -> Callable[..., None]:
    """Edits the JSON itself, past the checks of the class."""

    def change(folder: Path, **changes: object) -> None:
        path = folder / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


def _graph(table: np.ndarray) -> onnx.ModelProto:
    """Sums the rows of the tokens that `lengths` says are there."""
    writer = GraphWriter()
    rows = writer.op("Gather", writer.constant(table), "tokens")
    length = writer.op("Squeeze", writer.op("Shape", "tokens", start=1, end=2))
    places = writer.op("Range", writer.integer(0), length, writer.integer(1))
    present = writer.op("Less", places, writer.op("Unsqueeze", "lengths", writer.integers(1)))
    weight = writer.op("Unsqueeze", writer.cast(present, TensorProto.FLOAT), writer.integers(2))
    logits = writer.op("ReduceSum", writer.op("Mul", rows, weight), writer.integers(1), keepdims=0)
    return writer.model(
        {"tokens": ["batch", "length"], "lengths": ["batch"]}, (logits, "logits", ["batch", 2])
    )
