"""An adapter whose package is absent says in its error which extra brings it."""

from __future__ import annotations

import importlib
import sys

import pytest


@pytest.mark.parametrize(
    ("adapter", "package", "extra"),
    [
        ("langchain", "langchain_core", "langchain"),
        ("litellm", "litellm", "litellm"),
        ("agents", "agents", "agents"),
        ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
    ],
)
def test_the_error_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, adapter: str, package: str, extra: str
) -> None:
    name = f"vista_stream_adapters.{adapter}"
    for loaded in [each for each in sys.modules if each.split(".")[0] == package or each == name]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=rf"pip install \"\.\[{extra}\]\""):
        importlib.import_module(name)
