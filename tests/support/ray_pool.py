"""Ray Serve's local testing mode: real deployments and handles, in this process and without a cluster."""

from __future__ import annotations

import pytest

pytest.importorskip("ray.serve", reason="needs the extra ray")

from ray import serve

from vista_stream.verifiers.pool.ray_replica import RayOptions, pool
from vista_stream.verifiers.pool.service import ReplicaSettings


def local_handle(verifier, *, options=None, **settings):
    """The handle of a pool around a verifier."""
    settings = ReplicaSettings(**({"cache": 0} | settings))
    app = pool(lambda: verifier, settings=settings, options=options or RayOptions())
    return serve.run(app, name="vista_stream", route_prefix="/", _local_testing_mode=True)
