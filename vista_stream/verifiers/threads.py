"""Settings of ONNX Runtime sessions: number of threads, how they wait, and exact integer products."""

from __future__ import annotations

import os
from typing import Any

from vista_stream.verifiers.products import overflow


def default_threads() -> int:
    """The CPUs that this process may use, at most 4."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cpus, 4)


def set_up(options: Any, threads: int) -> None:
    """Set the number of threads in an onnxruntime.SessionOptions, and avoid integer overflow.

    Threads spin within a run, which saves from a tenth to a half of its time. They do not spin between runs,
    where they would use the event loop's core. On CPUs where products overflow (`products.py`) they are made
    exact, which takes a quarter more time.
    """
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "1")
    options.add_session_config_entry("session.force_spinning_stop", "1")
    if overflow():
        options.add_session_config_entry("session.x64quantprecision", "1")
