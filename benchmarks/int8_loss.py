"""Measures the loss by int8: compares the shipped verifier with the same weights and unrounded activations.

    python -m benchmarks.int8_loss [--from-folder FOLDER] [--model FOLDER] [--sets PATTERN] [--limit N]

Both sides have the shipped weights, which are stored in four bits; the later training runs had them rounded
that way. One side has activations of eight bits, as shipped, the other of 32. Both score the same rows:
`--limit` of each set (300), drawn at random. Figures are ROC AUC of support, or three-way accuracy.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from benchmarks.accuracy import Bench
from benchmarks.evaluation_sets import Row, sets
from benchmarks.known_scores import CACHE, SHIPPED, KnownScores
from benchmarks.measures import entailed, three_way
from benchmarks.record import RESULTS, data_folder, save
from vista_stream.scoring.agreement import roc_auc
from vista_stream.scoring.whole_texts import support
from vista_stream.verifiers.model_files import digest
from vista_stream.verifiers.unpacking import load_whole

_OPSET, _IR = 21, 10
"""The first ONNX operator set with four-bit tensors, and the version of its files."""
SETS = r"true/(dialfact|q2|paws)|nli3/cad"


def widen(graph: onnx.GraphProto) -> int:
    """Replace each eight-bit product by one of 32 bits with the same weights; return how many there were."""
    held = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    makers = {output: node for node in graph.node for output in node.output}
    products = [node for node in graph.node if node.op_type == "MatMulInteger"]
    for number, node in enumerate(products):
        quantised = makers[node.input[0]]
        scaled = _user(graph, _user(graph, node.output[0]).output[0])
        scales = next(name for name in makers[scaled.input[1]].input if name in held)
        weights = _integers(graph, node.input[1]).astype(np.float32) * held[scales].astype(np.float32)
        graph.initializer.append(numpy_helper.from_array(weights, f"wide_{number}"))
        output, scaled.output[0] = scaled.output[0], f"unread_{number}"
        wide = helper.make_node("MatMul", [quantised.input[0], f"wide_{number}"], [output])
        graph.node.insert(list(graph.node).index(scaled), wide)
    while _prune(graph):
        pass
    return len(products)


def _prune(graph: onnx.GraphProto) -> bool:
    """Remove the nodes whose output nothing reads; return whether there were any."""
    read = {name for node in graph.node for name in node.input} | {output.name for output in graph.output}
    unread = [node for node in graph.node if read.isdisjoint(node.output)]
    for node in unread:
        graph.node.remove(node)
    return bool(unread)


def _user(graph: onnx.GraphProto, name: str) -> onnx.NodeProto:
    user: onnx.NodeProto = next(node for node in graph.node if name in node.input)
    return user


def _integers(graph: onnx.GraphProto, name: str) -> NDArray[np.int32]:
    """The integer weights of a product: stored as such, or unpacked by nodes without inputs."""
    stored = {tensor.name: tensor for tensor in graph.initializer}
    makers = {output: node for node in graph.node for output in node.output}
    needed, wanted = [], [name]
    while wanted:
        if (node := makers.get(wanted.pop())) is not None and node not in needed:
            needed.append(node)
            wanted += node.input
    if not needed:
        return np.asarray(numpy_helper.to_array(stored[name]).astype(np.int32))
    constants = [stored[given] for node in needed for given in node.input if given in stored]
    part = helper.make_graph(
        [node for node in graph.node if node in needed],
        "weights",
        [],
        [helper.make_tensor_value_info(name, onnx.TensorProto.INT8, None)],
        list({tensor.name: tensor for tensor in constants}.values()),
    )
    model = helper.make_model(part, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (weights,) = session.run([name], {})
    return np.asarray(weights.astype(np.int32))


def widened(model: Path, folder: Path) -> Path:
    """Write a copy of the model folder `model` to `folder`, with products of 32 bits; return it."""
    loaded = load_whole(model / "model.onnx")
    if not widen(loaded.graph):
        raise SystemExit(f"{model} has no product of eight bits to compare with")
    onnx.save(loaded, folder / "model.onnx")
    (folder / "tokenizer.json").write_bytes((model / "tokenizer.json").read_bytes())
    written = ("model.onnx", "tokenizer.json")  # weights and tables are in the graph
    manifest = json.loads((model / "manifest.json").read_text(encoding="utf-8"))
    manifest["name"] += ", activations of 32 bits"
    manifest["files"] = {name: digest(folder / name) for name in written}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def figure(bench: Bench, name: str, rows: Sequence[Row]) -> float:
    """One set's ROC AUC or accuracy, in percent."""
    scores = bench.score(rows, name)
    if name.startswith("nli3/"):
        return float(three_way(rows, scores)["accuracy"])
    return round(100 * roc_auc(entailed(rows), [support(triple) for triple in scores]), 2)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--from-folder", type=Path, help="the folder that holds eval/")
    parser.add_argument("--model", type=Path, help="a verifier's folder; the shipped one without it")
    parser.add_argument("--sets", default=SETS, help="regular expression of the sets' names")
    parser.add_argument("--limit", type=int, default=300, help="rows a set, drawn at random")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where scores are kept between runs")
    parser.add_argument("--out", type=Path, default=RESULTS / "int8_loss.json")
    arguments = parser.parse_args()
    folder = data_folder(arguments.from_folder, "eval/true/paws.jsonl.gz")
    shipped = arguments.model or SHIPPED
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as made:
        models = {"int8": shipped, "fp32": widened(shipped, Path(made))}
        benches = {
            kind: Bench(KnownScores.of(path, arguments.cache), folder) for kind, path in models.items()
        }
        for name, rows in sets(folder, arguments.sets, arguments.limit):
            found[name] = {kind: figure(bench, name, rows) for kind, bench in benches.items()}
            found[name]["lost"] = round(found[name]["fp32"] - found[name]["int8"], 2)
            print(name, found[name], flush=True)
    lost = round(statistics.fmean(figures["lost"] for figures in found.values()), 2)
    print("mean lost:", lost)
    save(arguments.out, {"rows a set": arguments.limit, "sets": found, "mean lost": lost})


if __name__ == "__main__":
    main()
