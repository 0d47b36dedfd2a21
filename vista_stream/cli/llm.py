"""Connects the commands to a language model's server."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from vista_stream.cli import CommandError
from vista_stream.errors import missing_extra

if TYPE_CHECKING:
    from openai import AsyncOpenAI


def open_sender(url: str | None, *, timeout: float, option: str) -> AsyncOpenAI:
    """What sends requests to the server at `url`, None that of OPENAI_BASE_URL or OpenAI's own.

    Raises CommandError for a missing package or key, and, naming the option, for a bad address.
    """
    try:
        import openai
    except ImportError as error:
        raise CommandError(missing_extra("an LLM needs the openai package", "llm")) from error
    # A local server needs no key, but the openai package requires one.
    own_server = url or os.environ.get("OPENAI_BASE_URL")
    key = os.environ.get("OPENAI_API_KEY") or ("none" if own_server else None)
    _check_address(own_server, option)
    try:
        return openai.AsyncOpenAI(base_url=url, api_key=key, timeout=timeout)
    except openai.OpenAIError as error:
        raise CommandError(str(error)) from error


def _check_address(url: str | None, option: str) -> None:
    try:
        parts = urlsplit(url or "https://api.openai.com")
        named = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        reason = "" if named else "it must begin with http:// or https:// and name a host"
    except ValueError as error:
        reason = str(error)
    if reason:
        raise CommandError(f"{option} {url!r} is no server's address: {reason}")
