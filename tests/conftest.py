"""Fixtures that every test may use: the event loops that the shell must run on."""

from __future__ import annotations

import importlib.util

import pytest

_BACKENDS: dict[str, object] = {
    "asyncio": ("asyncio", {"use_uvloop": False}),
    "trio": ("trio", {}),
}
if importlib.util.find_spec("uvloop"):
    _BACKENDS["uvloop"] = ("asyncio", {"use_uvloop": True})


@pytest.fixture(params=list(_BACKENDS.values()), ids=list(_BACKENDS))
def anyio_backend(request: pytest.FixtureRequest) -> object:
    """Each `@pytest.mark.anyio` test runs once a backend."""
    return request.param
