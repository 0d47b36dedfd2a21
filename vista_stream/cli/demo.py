"""`vista-stream demo`: plays answers of a language model, and shows how false statements are blocked."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator, Callable, Sequence
from io import TextIOWrapper
from time import monotonic

import anyio
from rich.console import Console
from rich.live import Live
from rich.text import Text

from vista_stream.claims import Utterance
from vista_stream.cli import COMMANDS, screen
from vista_stream.cli.inputs import standard_output
from vista_stream.cli.material import load_scenes
from vista_stream.cli.play import Play
from vista_stream.session import Session
from vista_stream.stores.memory import MemoryStore

TOKENS_A_SECOND = {"chat": 22.0, "fast": float("inf")}

_INTRODUCTION = (
    "A small language model answered questions about documents. Each sentence of its answers is held back "
    "until its claims are checked against the document and the conversation so far; what contradicts them "
    "is not shown."
)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "demo",
        help=COMMANDS["demo"],
        description="Play shipped answers of a language model, some with an altered fact, through a guard.",
    )
    parser.add_argument(
        "--speed", choices=TOKENS_A_SECOND, default="chat", help="of a chat (default), or as fast as it goes"
    )


def run(args: argparse.Namespace, *, session: Callable[..., Session] = Session) -> int:
    """Play all scenes and return the exit status 0."""
    out = standard_output()
    if isinstance(out, TextIOWrapper):
        out.reconfigure(errors="replace")  # a terminal may lack the signs
    console = Console(highlight=False)
    anyio.run(_show, console, session, TOKENS_A_SECOND[args.speed])
    return 0


async def _show(console: Console, session: Callable[..., Session], speed: float) -> None:
    scenes = load_scenes()
    plays: list[Play] = []
    console.print(Text(_INTRODUCTION))
    console.print(f"Models loaded in {await _load_models(session):.1f} s.", style="dim")
    if _is_plain(console):
        perform = _read_out
    else:
        console.print(screen.legend())
        perform = _perform
    store = MemoryStore()
    for number, scene in enumerate(scenes, start=1):
        play = Play(scene)
        earlier = [played for played in plays if played.scene.conversation == scene.conversation]
        guarded = session(store=store, conversation=scene.conversation, history=_history(earlier))
        if scene.document is not None:
            guarded.add_reference(scene.document[1], name=scene.document[0])
        console.print(screen.heading(play, number, len(scenes)))
        await perform(console, guarded, play, speed)
        plays.append(play)
    console.print(screen.closing(plays))


async def _load_models(session: Callable[..., Session]) -> float:
    """Guard one sentence, so that all models are loaded; return the seconds it took."""
    started = monotonic()
    guarded = session()
    guarded.add_reference("The show has begun.")
    async with guarded.turn(["The show has begun."]) as turn:
        await turn.drain()
    return monotonic() - started


def _is_plain(console: Console) -> bool:
    return not console.is_terminal or console.no_color or console.is_dumb_terminal


def _history(plays: Sequence[Play]) -> list[Utterance]:
    return [
        utterance
        for play in plays
        for utterance in (
            Utterance(role="user", text=play.scene.query),
            Utterance(role="assistant", text=play.shown),
        )
    ]


async def _perform(console: Console, session: Session, play: Play, speed: float) -> None:
    with Live(screen.stage(play), console=console, auto_refresh=False) as live:
        await _guard(session, play, speed, lambda: live.update(screen.stage(play), refresh=True))


async def _read_out(console: Console, session: Session, play: Play, speed: float) -> None:
    told = 0

    def tell() -> None:
        nonlocal told
        for piece in play.pieces[told:]:
            for line in screen.transcript(piece):
                console.print(Text(line), soft_wrap=True)
        told = len(play.pieces)

    await _guard(session, play, speed, tell)


async def _guard(session: Session, play: Play, speed: float, refresh: Callable[[], None]) -> None:
    async def typing() -> AsyncIterator[str]:
        for token in play.scene.tokens:
            play.type(token)
            refresh()
            yield token
            await anyio.sleep(1 / speed)

    async with session.turn(typing(), query=play.scene.query) as turn:
        async for event in turn:
            play.take(event)
            refresh()
