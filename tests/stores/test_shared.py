import anyio
import pytest

from vista_stream.stores.shared import SharedStore


class Slow(SharedStore):
    """One whose closing takes a while."""

    place = "the store"
    closed = False

    async def aclose(self):
        await anyio.lowlevel.checkpoint()
        self.closed = True

    async def _fetch(self, conversation):
        return None

    async def _swap(self, conversation, change):
        change(None)

    def _passes(self, error):
        return False


@pytest.mark.anyio
async def test_leaving_it_while_cancelled_closes_it():
    with anyio.CancelScope() as scope:
        async with Slow(bounds=None, attempt=1.0, patience=0.0) as store:
            scope.cancel()
            await anyio.lowlevel.checkpoint()
    assert store.closed
