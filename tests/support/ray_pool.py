"""Ray Serve's local testing mode: real deployments and handles, in this process and without a cluster."""

from __future__ import annotations

import gc

import pytest

pytest.importorskip("ray.serve", reason="needs the extra ray")

from ray import serve
from ray.serve._private.common import DeploymentID, ReplicaID
from ray.serve._private.config import DeploymentConfig
from ray.serve.context import _set_internal_replica_context
from ray.serve.schema import ReplicaRank

from vista_stream.verifiers.pool.ray_replica import RayOptions, pool
from vista_stream.verifiers.pool.service import ReplicaSettings

UNCLOSED = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""Ray closes neither the event loop of a local handle nor those of its batches."""
_KEPT = []
"""Handles, kept so that their event loops are not collected."""


@pytest.fixture
def within_a_replica():
    """Serve's batching asks which replica it runs in; without a cluster nothing else says so."""
    deployment = DeploymentID(name="verifier", app_name="vista_stream")
    _set_internal_replica_context(
        replica_id=ReplicaID("local", deployment_id=deployment),
        servable_object=None,
        _deployment_config=DeploymentConfig(max_ongoing_requests=512),
        rank=ReplicaRank(rank=0, node_rank=0, local_rank=0),
        world_size=1,
    )
    yield
    gc.collect()  # now, and not in a test that does not expect Ray's unclosed event loops


def local_handle(verifier, *, options=None, **settings):
    """The handle of a pool around a verifier."""
    settings = ReplicaSettings(**({"cache": 0} | settings))
    app = pool(lambda: verifier, settings=settings, options=options or RayOptions())
    _KEPT.append(serve.run(app, name="vista_stream", route_prefix="/", _local_testing_mode=True))
    return _KEPT[-1]
