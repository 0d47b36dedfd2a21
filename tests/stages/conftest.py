"""A real HTTP server on the loopback with a small model."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def local_model() -> Iterator[str]:
    """Base URL of a server with the small model that VISTA_STREAM_TEST_GGUF names."""
    path = os.environ.get("VISTA_STREAM_TEST_GGUF")
    if not path:
        pytest.skip("VISTA_STREAM_TEST_GGUF names no GGUF file")
    xllamacpp = pytest.importorskip("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx, params.n_parallel, params.port, params.verbosity = 8192, 1, 0, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    model = xllamacpp.Server(params)
    yield f"{model.listening_address}/v1"
    del model
