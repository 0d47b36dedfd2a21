"""Fixtures that every test may use: the event loops that the shell must run on, and tiny real models."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from blockbuster import blockbuster_ctx
from hypothesis import Phase, settings
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

if TYPE_CHECKING:
    from scripted_server import ScriptedServer

_BACKENDS: dict[str, object] = {
    "asyncio": ("asyncio", {"use_uvloop": False}),
    "trio": ("trio", {}),
}
if importlib.util.find_spec("uvloop"):
    _BACKENDS["uvloop"] = ("asyncio", {"use_uvloop": True})

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORDS = ("the", "dog", "cat", "sat", "on", "a", "mat", "ran", "not", "home", "red", "blue")

# That an example takes long on a busy machine is no failure; `tests/benchmarks/test_growth.py` measures time.
settings.register_profile("unhurried", settings.get_profile("default"), deadline=None)
# A check of a commit gives the same result each time; other runs look for new examples.
settings.register_profile("repeatable", settings.get_profile("unhurried"), derandomize=True)
settings.load_profile("repeatable" if os.environ.get("CI") else "unhurried")
# For mutants (`[tool.mutmut]` in pyproject.toml): the same few examples each time, and none is made smaller.
settings.register_profile(
    "mutants", settings.get_profile("ci"), max_examples=30, phases=[Phase.explicit, Phase.generate]
)


@pytest.fixture(params=list(_BACKENDS.values()), ids=list(_BACKENDS))
def anyio_backend(request: pytest.FixtureRequest) -> object:
    """Each `@pytest.mark.anyio` test runs once a backend."""
    return request.param


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """An OpenAI-compatible server on the loopback that replies by script."""
    from scripted_server import ScriptedServer  # it needs the client, which training's environments lack

    scripted = ScriptedServer()
    yield scripted
    scripted.close()


@pytest.fixture
def no_blocking_calls() -> Iterator[None]:
    """A call that blocks in a thread where an event loop runs (sleep, files, sockets, locks) raises."""
    with blockbuster_ctx():
        yield


@pytest.fixture(scope="session")
def word_rows() -> dict[str, np.ndarray]:
    """What each token adds to the tiny models' sums; shape (3,) each."""
    rows = np.random.default_rng(7).normal(size=(len(SPECIAL) + len(WORDS), 3)).astype(np.float32)
    return dict(zip(SPECIAL + WORDS, rows, strict=True))


@pytest.fixture(scope="session")
def verifier_folder(tmp_path_factory, word_rows) -> Path:
    """A cross-encoder whose logits are the sum of its tokens' rows of `word_rows`."""
    return _write_model(tmp_path_factory.mktemp("verifier"), word_rows, kind="cross-encoder")


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory, word_rows) -> Path:
    """A bi-encoder: the same sum, brought to length 1."""
    return _write_model(tmp_path_factory.mktemp("encoder"), word_rows, kind="bi-encoder")


def _write_model(folder: Path, rows: dict[str, np.ndarray], *, kind: str) -> Path:
    onnx.save(_graph(np.stack(list(rows.values())), unit=kind == "bi-encoder"), folder / "model.onnx")
    _tokenizer().save(str(folder / "tokenizer.json"))
    files = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in ("model.onnx", "tokenizer.json")
    }
    manifest = {"name": "tiny", "kind": kind, "files": files, "max_length": 12, "licence": "Apache-2.0"}
    if kind == "cross-encoder":
        manifest |= {"labels": ["contradiction", "entailment", "neutral"], "temperature": 2.0}
        manifest |= {"thresholds": {"entailment": 0.6, "contradiction": 0.7}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def _graph(table: np.ndarray, *, unit: bool) -> onnx.ModelProto:
    weights = [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(np.array([2]), "last"),
        numpy_helper.from_array(np.array([1]), "tokens"),
    ]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["wide"]),
        helper.make_node("Mul", ["rows", "wide"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "tokens"], ["sum"], keepdims=0),
    ]
    if unit:
        nodes.append(helper.make_node("LpNormalization", ["sum"], ["out"], axis=1, p=2))
    else:
        nodes.append(helper.make_node("Identity", ["sum"], ["out"]))
    takes = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    gives = [helper.make_tensor_value_info("out", TensorProto.FLOAT, ["batch", 3])]
    graph = helper.make_graph(nodes, "tiny", takes, gives, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def _tokenizer() -> Tokenizer:
    vocabulary = {word: row for row, word in enumerate(SPECIAL + WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.enable_padding(pad_id=0, pad_token="[PAD]", length=128)
    tokenizer.enable_truncation(8)
    return tokenizer
