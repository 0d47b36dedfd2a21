"""How ONNX Runtime works: with how many threads, what they do while they wait, and with exact products."""

from __future__ import annotations

import os
from typing import Any

from vista_stream.verifiers.products import overflow


def default_threads() -> int:
    """The CPUs that this process may use, at most 4."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cpus, 4)


def set_up(options: Any, threads: int) -> None:
    """Give an onnxruntime.SessionOptions so many threads, and integer products that do not overflow.

    Threads spin within a run, which saves from a tenth to a half of its time, and not between runs, where
    they would take the event loop's core. Products that would overflow (`products.py`) are made exact, which
    takes a quarter more time on the CPUs where they would.
    """
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "1")
    options.add_session_config_entry("session.force_spinning_stop", "1")
    if overflow():
        options.add_session_config_entry("session.x64quantprecision", "1")
