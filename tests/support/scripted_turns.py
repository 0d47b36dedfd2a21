"""A session whose verifier goes by script, and what its turns are fed with."""

import anyio
import anyio.lowlevel

from vista_stream.claims import Category, Importance
from vista_stream.policy import Policy
from vista_stream.session import Session
from vista_stream.testing import ScriptedStages

TEXT = "One is true. Two is FALSE. Three is true."
SCRIPT = {"FALSE": Category.CONTRADICTED}
ON_FALSE = (Category.CONTRADICTED, Importance.VITAL)


def session(policy: Policy | None = None, **scripted) -> Session:
    return Session(stages=ScriptedStages(SCRIPT, **scripted).stages(), policy=policy)


async def text_of(turn) -> str:
    async with turn:
        return "".join([piece async for piece in turn.text()])


async def all_decided(turn) -> None:
    """Wait until a turn that nobody reads has decided all its text."""
    with anyio.fail_after(5):
        while not turn._protocol.ended:
            await anyio.lowlevel.checkpoint()
    await anyio.sleep(0.01)


async def slowly(*deltas):
    """A source that goes on only when all that can be done ahead of its next delta is done or waits."""
    for delta in deltas:
        yield delta
        await anyio.wait_all_tasks_blocked()


class Source:
    """An async source that knows whether it was closed."""

    def __init__(self, deltas, *, error: BaseException | None = None, endless: bool = False):
        self.closed = 0
        self.given = 0
        self._deltas = deltas
        self._error = error
        self._endless = endless

    def __aiter__(self):
        self._run = self._generate()
        return self

    async def __anext__(self):
        return await anext(self._run)

    async def aclose(self):
        await self._run.aclose()
        self.closed += 1

    async def _generate(self):
        while True:
            for delta in self._deltas:
                await anyio.lowlevel.checkpoint()
                self.given += 1
                yield delta
            if self._error is not None:
                raise self._error
            if not self._endless:
                return
