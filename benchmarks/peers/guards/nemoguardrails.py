"""nemoguardrails: output rails on a rolling buffer of tokens, released before the rail runs or after it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import AsyncIterator
from typing import Any

os.environ["NEMO_GUARDRAILS_NO_USAGE_STATS"] = "1"

from driver import Blocked, Run
from nemoguardrails import LLMRails, RailsConfig
from nemoguardrails.actions import action
from nemoguardrails.actions.rail_outcome import RailOutcome

NAME = "nemoguardrails"
PACKAGES = ["nemoguardrails==0.24.1"]
SETTINGS = {
    "documented": "pages Streaming and Output rail streaming: a custom output rail, streaming enabled, its "
    "defaults (chunk_size 200, context_size 50, stream_first)",
    "verify-first": "the same with stream_first: false, as the page advises where nothing unsafe may show",
    "best": "stream_first: false, chunk_size 40, context_size 20: about a sentence is judged at a time",
}
OWN_VERIFIER = None  # its fact-checking rails ask a server or an LLM

_COLANG = """
define flow check contradiction
  $outcome = execute check_contradiction
  if $outcome.is_blocked
    bot refuse to respond
    stop
"""
_STREAMING: dict[str, dict[str, Any]] = {
    "documented": {},
    "verify-first": {"stream_first": False},
    "best": {"stream_first": False, "chunk_size": 40, "context_size": 20},
}


@action(is_system_action=True)
async def check_contradiction(context: dict[str, Any], **others: Any) -> RailOutcome:
    """The rail's action; the buffer is the bot message, and the context holds the run."""
    false = await context["run"].stub.check(context["bot_message"])
    return RailOutcome.block(reason="contradicted") if false else RailOutcome.allow()


class Guard:
    """One LLMRails for all streams."""

    def __init__(self, setting: str) -> None:
        streaming = {"enabled": True, **_STREAMING[setting]}
        output = {"flows": ["check contradiction"], "streaming": streaming}
        config = RailsConfig.from_content(
            colang_content=_COLANG, config={"models": [], "rails": {"output": output}}
        )
        self._rails = LLMRails(config)
        self._rails.register_action(check_contradiction, "check_contradiction")

    async def stream(self, source: AsyncIterator[str], run: Run) -> AsyncIterator[str]:
        """Tokens until an error object comes instead of one."""
        messages = [
            {"role": "context", "content": {"run": run}},
            {"role": "user", "content": run.query or "Answer."},
        ]
        pieces = self._rails.stream_async(messages=messages, generator=source)
        async with contextlib.aclosing(pieces):
            async for piece in pieces:
                if stopped := _error(piece):
                    raise Blocked(stopped)
                yield piece


def _error(piece: str) -> str | None:
    """The message of the JSON object that the package sends when a rail stops the stream."""
    if not piece.startswith('{"error"'):
        return None
    return str(json.loads(piece)["error"]["message"])


async def open_guard(setting: str, verifier: str) -> Guard:
    return Guard(setting)
