"""The proxy in front of a verifier pool."""

import asyncio

from aiohttp.test_utils import TestClient, TestServer

from pool_replicas import Numbers, replica
from vista_stream.verifiers.pool.remote import RemoteVerifier
from vista_stream_adapters.proxy.application import make_app
from vista_stream_adapters.proxy.settings import ProxySettings


def test_the_application_closes_the_verifiers_connections():
    class Watched(RemoteVerifier):
        closed = False

        async def aclose(self):
            self.closed = True
            await super().aclose()

    async def run():
        async with replica(Numbers()) as url:
            pool = await Watched.connect([url])
            async with TestClient(TestServer(make_app(ProxySettings(), verifier=pool))) as client:
                assert (await client.get("/readyz")).status == 200
                assert not pool.closed
            return pool

    assert asyncio.run(run()).closed
