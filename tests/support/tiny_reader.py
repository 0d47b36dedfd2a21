"""A model that reads windows once, small enough to be added up by hand: sums instead of attention."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from vista_stream.verifiers.model_files import digest

WORDS = [
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "the",
    "mill",
    "was",
    "built",
    "in",
    "1840",
    "it",
    "stands",
    "kew",
    "sea",
    "roof",
    "red",
    ".",
    "one",
    "more",
]
WIDTH = 4
_OPSETS = [helper.make_opsetid("", 17)]


def write(folder: Path, *, longest: int = 64) -> Path:
    """Write words.onnx, reader.onnx, judge.onnx, tokenizer.json and manifest.json; one layer apart."""
    folder.mkdir(parents=True, exist_ok=True)
    table = np.random.default_rng(5).normal(size=(len(WORDS), WIDTH)).astype(np.float32)
    _save(
        folder / "words.onnx",
        [
            helper.make_node("Gather", ["table", "ids"], ["found"]),
            helper.make_node("Cast", ["places"], ["order"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["order", "step"], ["moved"]),
            helper.make_node("Unsqueeze", ["moved", "last"], ["shift"]),
            helper.make_node("Add", ["found", "shift"], ["states"]),
        ],
        {"ids": (TensorProto.INT64, [1, "n"]), "places": (TensorProto.INT64, [1, "n"])},
        ("states", [1, "n", WIDTH]),
        {"table": table, "step": np.float32(0.05), "last": np.array([-1])},
    )
    _save(
        folder / "reader.onnx",
        [
            helper.make_node("Cast", ["seen"], ["wide"], to=TensorProto.FLOAT),
            helper.make_node("ReduceSum", ["wide", "both"], ["total"]),
            helper.make_node("Add", ["states", "total"], ["mixed"]),
            helper.make_node("Concat", ["states", "states", "mixed"], ["reading"], axis=0),
        ],
        {"states": (TensorProto.FLOAT, [1, "n", WIDTH]), "seen": (TensorProto.FLOAT16, [2, "before", WIDTH])},
        ("reading", [3, "n", WIDTH]),
        {"both": np.array([0, 1])},
    )
    _save(
        folder / "judge.onnx",
        [
            helper.make_node("ReduceMean", ["joined"], ["mean"], axes=[1], keepdims=0),
            helper.make_node("MatMul", ["mean", "weights"], ["logits"]),
        ],
        {"joined": (TensorProto.FLOAT, [1, "n", WIDTH])},
        ("logits", [1, 3]),
        {"weights": np.eye(WIDTH, 3, dtype=np.float32)},
    )
    _tokenizer().save(str(folder / "tokenizer.json"))
    files = {path.name: digest(path) for path in sorted(folder.iterdir())}
    manifest = {"name": "tiny", "kind": "reader", "max_length": longest, "files": files}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, "<unk>"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def _save(path: Path, nodes: list, inputs: dict, output: tuple, constants: dict) -> None:
    graph = helper.make_graph(
        nodes,
        path.stem,
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
        [helper.make_tensor_value_info(output[0], TensorProto.FLOAT, output[1])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=_OPSETS, ir_version=10)
    onnx.checker.check_model(model)
    onnx.save(model, path)
