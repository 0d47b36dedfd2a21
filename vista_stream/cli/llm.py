"""Connects the commands to a language model's server."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from vista_stream.cli import CommandError
from vista_stream.errors import missing_extra

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_VARIABLE = "OPENAI_BASE_URL"
_OPENAI = "https://api.openai.com/v1"


def open_sender(url: str | None, *, timeout: float, option: str) -> AsyncOpenAI:
    """What sends requests to the server at `url`, else that of OPENAI_BASE_URL or OpenAI's own; "" is none.

    Raises CommandError for a missing package or key, and, naming the option or variable, for a bad address.
    """
    try:
        import openai
    except ImportError as error:
        raise CommandError(missing_extra("an LLM needs the openai package", "llm")) from error
    # A local server needs no key, but the openai package requires one.
    own_server = url or os.environ.get(_VARIABLE)
    key = os.environ.get("OPENAI_API_KEY") or ("none" if own_server else None)
    address = own_server or _OPENAI
    _check_address(address, option if url else _VARIABLE)
    try:
        return openai.AsyncOpenAI(base_url=address, api_key=key, timeout=timeout)
    except openai.OpenAIError as error:
        raise CommandError(str(error)) from error


def _check_address(url: str, given_as: str) -> None:
    try:
        parts = urlsplit(url)
        named = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        reason = "" if named else "it must begin with http:// or https:// and name a host"
    except ValueError as error:
        reason = str(error)
    if reason:
        raise CommandError(f"{given_as} {url!r} is no server's address: {reason}")
