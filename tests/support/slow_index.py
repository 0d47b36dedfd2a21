"""Stages that take longer to index than a policy gives a claim."""

import anyio

from vista_stream.testing import ScriptedStages


class SlowIndex(ScriptedStages):
    """Takes 0.6 s to index, once."""

    indexed = False

    async def prepare(self, grounds):
        if not self.indexed:
            await anyio.sleep(0.6)
        self.indexed = True
