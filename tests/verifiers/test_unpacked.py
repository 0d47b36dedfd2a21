"""What loading the verifier that ships takes, and which weights stay with a session."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from vista_stream.verifiers.unpacked import keep_if_used

_LOAD = """
from vista_stream.verifiers.embedded import EmbeddedVerifier
def peak():
    return int(next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]) // 1024
before = peak()
EmbeddedVerifier.from_pretrained()
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells the most memory that a process had")
def test_loading_the_shipped_verifier_takes_little_memory():
    """ONNX Runtime took 1,500 MiB when it folded the nodes that unpack the weights."""
    found = subprocess.run([sys.executable, "-c", _LOAD], capture_output=True, text=True, check=True)
    assert int(found.stdout) < 350


class Session:
    """A session that reads the weights where they are, or its own copy."""

    def __init__(self, weights: np.ndarray) -> None:
        self._weights = weights

    def get_inputs(self):
        return [SimpleNamespace(name="input_ids")]

    def run(self, outputs, feed):
        return [feed["input_ids"].sum() * self._weights]


@pytest.mark.parametrize("copied", [False, True])
def test_weights_stay_with_the_session_that_reads_them(copied):
    given = {"w": np.arange(9, dtype=np.int8)}
    session = Session(given["w"].copy() if copied else given["w"])
    keep_if_used(session, given)
    assert hasattr(session, "vista_stream_weights") is not copied
    assert session._weights.tolist() == list(range(9))
