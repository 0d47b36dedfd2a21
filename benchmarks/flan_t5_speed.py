"""Timing: compares ways of doing the same; measures the machine's arithmetic limit and operators' shares."""

from __future__ import annotations

import collections
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from vista_stream.verifiers.threads import set_up

Times = dict[str, list[float]]
"""Seconds of each repeat, by way."""


def in_turns(ways: Mapping[str, Callable[[], object]], *, repeats: int, warm: bool = False) -> Times:
    """Run all ways in turns, so that noise affects all alike; unless `warm`, each first runs once untimed."""
    for way in () if warm else ways.values():
        way()
    times: Times = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            begin = time.perf_counter()
            way()
            times[name].append(time.perf_counter() - begin)
    return times


def summary(times: Times, *, baseline: str) -> dict[str, dict[str, float]]:
    """For each way, median, least and greatest milliseconds, and the speedup over the baseline's median."""
    reference = statistics.median(times[baseline])
    return {
        name: {
            "median_ms": round(statistics.median(taken) * 1e3, 2),
            "min_ms": round(min(taken) * 1e3, 2),
            "max_ms": round(max(taken) * 1e3, 2),
            "speedup": round(reference / statistics.median(taken), 2),
        }
        for name, taken in times.items()
    }


def arithmetic_limit(threads: int) -> dict[str, float]:
    """GFLOP/s of one fp32 matrix product (512 x 768 x 2048), by library, best of 20."""
    import torch  # type: ignore[import-not-found, unused-ignore]

    rows, inner, columns = 512, 768, 2048
    random = np.random.default_rng(0)
    left = random.normal(size=(rows, inner)).astype(np.float32)
    right = random.normal(size=(inner, columns)).astype(np.float32)
    session = _product(right, threads)
    tensors = torch.from_numpy(left), torch.from_numpy(right)
    ways: dict[str, Callable[[], object]] = {
        "onnxruntime": lambda: session.run(None, {"x": left}),
        "torch": lambda: tensors[0] @ tensors[1],
        "numpy": lambda: left @ right,
    }
    times = in_turns(ways, repeats=20)
    return {name: round(2e-9 * rows * inner * columns / min(taken), 1) for name, taken in times.items()}


def _product(right: np.ndarray[Any, Any], threads: int) -> Any:
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "right"], ["y"])],
        "product",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", right.shape[0]])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", right.shape[1]])],
        [numpy_helper.from_array(right, "right")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return _session(model.SerializeToString(), threads)


def _session(model: bytes | str, threads: int, *, profile: str | None = None) -> Any:
    import onnxruntime  # type: ignore[import-untyped, unused-ignore]

    options = onnxruntime.SessionOptions()
    set_up(options, threads)
    if profile:
        options.enable_profiling = True
        options.profile_file_prefix = profile
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def graph_flops(config: Any, tokens: int) -> float:
    """Floating-point operations of the exported graph for one row, products only."""
    inner = config.num_heads * config.d_kv
    linear = 4 * config.d_model * inner + 3 * config.d_model * config.d_ff
    encoder = config.num_layers * (2 * tokens * linear + 4 * tokens**2 * inner)
    # The decoder has one token: each weight is used once; then two products of heads x tokens x width.
    row = config.d_model**2 + 4 * config.d_model * inner + 3 * config.d_model * config.d_ff
    decoder = config.num_decoder_layers * (2 * row + 4 * config.num_heads * tokens * config.d_model)
    return float(encoder + decoder)


def operator_shares(model: Path, tokens: int, threads: int) -> dict[str, float]:
    """Share of the run time by operator, of one row; those below 1 % left out."""
    with tempfile.TemporaryDirectory() as folder:
        session = _session(str(model), threads, profile=f"{folder}/profile")
        rows = np.random.default_rng(1).integers(3, 30000, (1, tokens))
        for _ in range(5):
            session.run(None, {"tokens": rows, "lengths": np.array([tokens])})
        events = json.loads(Path(session.end_profiling()).read_text())
    spent: collections.Counter[str] = collections.Counter()
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("kernel_time"):
            spent[event["args"]["op_name"]] += event["dur"]
    total = sum(spent.values())
    return {name: round(taken / total, 3) for name, taken in spent.most_common() if taken >= 0.01 * total}


def released_stages(model: Any, tokens: int, repeats: int) -> dict[str, float]:
    """Milliseconds of the released code's parts for one row: `generate`, and in it the encoder alone."""
    import torch

    rows = torch.from_numpy(np.random.default_rng(1).integers(3, 30000, (1, tokens)))
    with torch.inference_mode():
        times = in_turns(
            {
                "generate": lambda: model.generate(
                    rows, output_scores=True, return_dict_in_generate=True, max_new_tokens=1
                ),
                "encoder": lambda: model.encoder(input_ids=rows),
            },
            repeats=repeats,
        )
    return {name: round(statistics.median(taken) * 1e3, 2) for name, taken in times.items()}
