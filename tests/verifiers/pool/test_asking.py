import anyio
import pytest

pytest.importorskip("aiohttp", reason="needs the extra pool")

from pool_replicas import Numbers
from vista_stream.verifiers.pool.asking import PoolVerifier
from vista_stream.verifiers.pool.replicas import Replicas
from vista_stream.verifiers.pool.wire import Description


class Slow(Replicas):
    """No replicas, whose closing takes a while."""

    closed = False

    async def close(self):
        await anyio.lowlevel.checkpoint()
        self.closed = True


class Asking(PoolVerifier):
    def _open(self):
        return Slow([])


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_leaving_it_while_cancelled_closes_its_connections():
    with anyio.CancelScope() as scope:
        async with Asking(Description.of(Numbers()), fallback=None, settings=None) as verifier:
            replicas = verifier._here()
            scope.cancel()
            await anyio.lowlevel.checkpoint()
    assert replicas.closed
