"""The options `--second…` of `check` and `serve`: a stronger verifier for unsure vital claims."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from vista_stream.cli import CommandError
from vista_stream.cli.llm import open_sender
from vista_stream.cli.loading import load_verifier
from vista_stream.stages.protocols import Verify
from vista_stream.stages.stages import Stages
from vista_stream.verifiers.protocol import Verifier

if TYPE_CHECKING:
    from vista_stream.stages.escalate import Budget, Unsure

T = TypeVar("T", int, float)

_TIMEOUT = 60.0
"""Seconds that a server has for a reply; a claim's deadline is shorter as a rule."""


def add_second(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--second", metavar="NAME", help="for unsure vital claims: llm, or what --verifier takes")
    add("--second-model", metavar="NAME", help="the LLM's name on its server")
    add("--second-url", metavar="URL", help="the LLM's server (default: OPENAI_BASE_URL, or OpenAI's own)")
    add(
        "--second-when",
        type=_when,
        metavar="LOW,HIGH",
        help="the scores between which a claim is unsure (default: 0.2,0.9)",
    )
    add(
        "--second-budget",
        type=_budget,
        metavar="TURN,MINUTE",
        help="most questions a turn, and a minute in all (default: 8,60)",
    )


class Staged(NamedTuple):
    """A session's stages, and what to leave when no session uses them any more."""

    stages: Stages | None
    """None where no second verifier is wanted."""
    closing: AbstractAsyncContextManager[object] = nullcontext()


def second_stages(args: argparse.Namespace, first: Verifier | None = None) -> Staged:
    """The default stages around `first`, with the second verifier that the options name.

    Raises CommandError for options that do not go together, ModelLoadError for a model that cannot be loaded.
    """
    for option in ("model", "url", "when", "budget"):
        given = getattr(args, f"second_{option}") is not None
        if given and not (args.second if option in ("when", "budget") else args.second == "llm"):
            needed = "--second" if option in ("when", "budget") else "--second llm"
            raise CommandError(f"--second-{option} needs {needed}")
    if args.second is None:
        return Staged(None)
    from vista_stream.stages.defaults import default_stages
    from vista_stream.stages.escalate import escalated

    second, closing = _second(args)
    made = escalated(default_stages(first), second, when=args.second_when, budget=args.second_budget)
    return Staged(made, closing)


def _second(args: argparse.Namespace) -> tuple[Verify | Verifier, AbstractAsyncContextManager[object]]:
    if args.second != "llm":
        return load_verifier(args.second, option="--second"), nullcontext()
    if not args.second_model:
        raise CommandError("--second llm needs --second-model NAME: name the LLM on its server")
    sender = open_sender(args.second_url, timeout=_TIMEOUT, option="--second-url")
    from vista_stream.stages.llm.client import LlmClient
    from vista_stream.stages.llm.verify import LlmVerify

    client = LlmClient(args.second_model, client=sender)
    return LlmVerify(client), client


def _when(value: str) -> Unsure:
    from vista_stream.stages.escalate import Unsure

    low, high = _pair(value, float)
    with _bad_argument():
        return Unsure(low=low, high=high)


def _budget(value: str) -> Budget:
    from vista_stream.stages.escalate import Budget

    turn, minute = _pair(value, int)
    with _bad_argument():
        return Budget(turn=turn, minute=minute)


def _pair(value: str, number: type[T]) -> tuple[T, T]:
    try:
        first, second = map(number, value.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"takes two numbers with a comma, not {value!r}") from None
    return first, second


@contextmanager
def _bad_argument() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
