"""The baseline without a guard: every delta is released as it comes, and nothing is checked."""

from __future__ import annotations

from collections.abc import AsyncIterator

import driver

NAME = "passthrough"
PACKAGES: list[str] = []
SETTINGS = {"documented": "no guard at all"}
OWN_VERIFIER = None


class Passthrough:
    """Releases the source as it is."""

    async def stream(self, source: AsyncIterator[str], run: driver.Run) -> AsyncIterator[str]:
        """Each delta, at once."""
        async for delta in source:
            yield delta


async def open_guard(setting: str, verifier: str) -> Passthrough:
    """Nothing to open."""
    return Passthrough()
