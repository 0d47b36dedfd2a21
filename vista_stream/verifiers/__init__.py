"""Verifiers: what scores pairs of premise and hypothesis."""

from vista_stream.verifiers.protocol import Embedder, Verifier

__all__ = ["Embedder", "Verifier"]
