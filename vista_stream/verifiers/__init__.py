"""Verifiers: they score pairs of premise and hypothesis.

Pairs come from `stages`, score triples go back. `embedded` and `flan_t5` run ONNX graphs in threads,
`batching` and `cached` wrap any verifier; an object of your own with `async def score(pairs)` is one.
"""

from vista_stream.verifiers.protocol import Embedder, Verifier

__all__ = ["Embedder", "Verifier"]
