"""Verifiers: they score pairs of premise and hypothesis.

`stages` sends pairs and gets score triples back. `embedded` and `flan_t5` run ONNX graphs in threads.
`batching` and `cached` wrap any verifier. Any object with `async def score(pairs)` is a verifier.
"""

from vista_stream.claims import Pair
from vista_stream.verifiers.protocol import Embedder, Verifier

__all__ = ["Embedder", "Pair", "Verifier"]
