"""Which server requests are sent to."""

from __future__ import annotations

import pytest

pytest.importorskip("openai", reason="needs the extra llm")

from vista_stream.cli.llm import open_sender


@pytest.mark.parametrize("url", [None, "", "http://own/v1"])
@pytest.mark.parametrize("variable", [None, "", "http://variable/v1"])
def test_an_empty_address_is_none(
    url: str | None, variable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    if variable is not None:
        monkeypatch.setenv("OPENAI_BASE_URL", variable)
    sender = open_sender(url, timeout=1.0, option="--base-url")
    assert str(sender.base_url).rstrip("/") == (url or variable or "https://api.openai.com/v1")
