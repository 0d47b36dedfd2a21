"""`vista-stream check`: guards an answer, and writes the text that may be shown to standard output."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio

from vista_stream.checking import CHECK_DEADLINE
from vista_stream.cli import COMMANDS, CommandError
from vista_stream.cli.event_lines import event_line
from vista_stream.cli.inputs import (
    input_name,
    read_background,
    read_history,
    standard_input,
    standard_output,
    stream_text,
)
from vista_stream.cli.loading import POLICIES, VERIFIERS, close_verifiers, load_policy, load_verifier
from vista_stream.cli.second import add_second, second_stages
from vista_stream.cli.summary import summary_lines
from vista_stream.core.text.segmenter import Segmenter, SegmentKind
from vista_stream.core.text.surrogates import encodable
from vista_stream.errors import TurnWithheld, UpstreamError
from vista_stream.events import Event, TextReleased, TextReplaced, TextRetracted, TextWithheld, TurnEnded
from vista_stream.policy import Policy
from vista_stream.session import Session
from vista_stream.source import Deltas

EPILOG = """\
The answer is FILE, or standard input as it arrives. Standard output gets the text that may be shown, as
soon as it may be; with --json one event a line instead, its type first. Standard error gets the summary.

--history takes JSON lines, oldest first: {"role": "user" or "assistant", "text": "..."}
--background takes plain text, one fact a line.
--policy takes a name: observing, vital, default, strict or grounded, the most lenient first. Or it takes a
TOML file: mode, deadline, and a table a category with an action an importance, such as
  [contradicted]
  vital = "stop"
  okay = { action = "annotate", text = " [disputed]" }
mode = "optimistic" releases text at once and may retract it, so it needs --json.

Exit status: 0 nothing was withheld or replaced, 1 something was, 2 bad usage or input.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "check",
        help=COMMANDS["check"],
        description="Stream an answer through a guard.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "answer", nargs="?", metavar="FILE", default="-", help="the answer; - is standard input (default)"
    )
    parser.add_argument(
        "--reference",
        nargs="+",
        action="extend",
        metavar="FILE",
        default=[],
        help="text that the answer must agree with",
    )
    parser.add_argument("--query", metavar="Q", help="what was asked; it decides which claims are vital")
    parser.add_argument("--history", metavar="FILE", help="the conversation so far")
    parser.add_argument(
        "--background", metavar="FILE", action="append", default=[], help="facts that hold from the start"
    )
    parser.add_argument("--policy", metavar="NAME|FILE", help=f"what is done with which claims: {POLICIES}")
    parser.add_argument("--verifier", metavar="NAME", default="embedded", help=VERIFIERS)
    parser.add_argument(
        "--deadline", type=float, metavar="S", help="for each claim (default: the policy's; of a file 60)"
    )
    parser.add_argument("--json", action="store_true", help="write events in place of text")
    parser.add_argument(
        "--chunk",
        type=_chunk,
        metavar="N",
        help="feed at most N characters at a time",
    )
    add_second(parser)


def _chunk(value: str) -> int:
    if not value.isdecimal() or int(value) < 1:
        raise argparse.ArgumentTypeError(f"takes a whole number of characters, 1 or more, not {value!r}")
    return int(value)


def run(args: argparse.Namespace, *, session: Callable[..., Session] = Session) -> int:
    """Guard the answer and return the exit status: 1 if text was withheld or replaced, else 0."""
    standard_output()
    verifier = None if args.verifier == "embedded" else load_verifier(args.verifier)
    second = second_stages(args, verifier)
    parts = {"verifier": verifier} if second.stages is None else {"stages": second.stages}
    with _answer(args.answer) as (descriptor, name):
        finished = stat.S_ISREG(os.fstat(descriptor).st_mode)
        guarded = _session(args, partial(session, **parts), finished=finished)
        deltas = _not_empty(stream_text(descriptor, name=name, chunk=args.chunk), name)

        async def guard() -> int:
            async with second.closing:
                return await _guard(guarded, deltas, args.query, args.json)

        return anyio.run(guard)


@contextmanager
def _answer(path: str) -> Iterator[tuple[int, str]]:
    """The descriptor of the answer, and what to call it."""
    if path == "-":
        yield standard_input().fileno(), input_name(path)
        return
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error
    try:
        yield descriptor, path
    finally:
        os.close(descriptor)


async def _not_empty(deltas: AsyncIterator[str], name: str) -> AsyncIterator[str]:
    """The deltas; raises CommandError where they hold no text, since nothing would have been checked."""
    told = False
    async for delta in deltas:
        told = told or bool(delta.strip())
        yield delta
    if not told:
        raise CommandError(f"the answer is empty: {name} holds no text")


def _session(args: argparse.Namespace, session: Callable[..., Session], *, finished: bool) -> Session:
    history = read_history(args.history) if args.history else []
    background = [fact for path in args.background for fact in read_background(path)]
    if not args.reference and not background:
        raise CommandError("nothing to check against: give --reference FILE or --background FILE")
    policy = _policy(args.policy, as_json=args.json)
    if args.deadline is not None:
        policy = _at(policy, args.deadline)
    elif finished and (args.policy is None or args.policy in Policy.NAMES):
        policy = _at(policy, CHECK_DEADLINE)  # as `check` does: nobody reads along
    guarded = session(policy=policy, background=background, history=history)
    for path in args.reference:
        try:
            guarded.add_reference(Path(path))
        except (OSError, ValueError) as error:
            told = f"{path}: {error.strerror or error}" if isinstance(error, OSError) else str(error)
            raise CommandError(told) from error
    return guarded


def _policy(name: str | None, *, as_json: bool) -> Policy:
    policy = load_policy(name)
    if policy.mode == "optimistic" and not as_json:
        raise CommandError(f"{name}: mode 'optimistic' needs --json: printed text cannot be taken back")
    return policy


def _at(policy: Policy, deadline: float) -> Policy:
    try:
        return replace(policy, deadline=deadline)
    except ValueError as error:
        raise CommandError(f"--deadline: {error}") from error


async def _guard(session: Session, deltas: Deltas, query: str | None, as_json: bool) -> int:
    blocked, summary = 0, list[str]()  # told at the end: of bad input standard error gets the error alone
    try:
        await _prepare(session)
        async with session.turn(deltas, query=query) as turn:
            async for event in turn:
                _write(f"{event_line(event)}\n" if as_json else _shown(event))
                blocked += _blocked(event)
                if isinstance(event, TurnEnded):
                    summary += summary_lines(event.report, blocked)
    except TurnWithheld as error:
        print(*summary, error, sep="\n", file=sys.stderr)
        return 1
    except UpstreamError as error:
        if isinstance(error.__cause__, CommandError):
            raise error.__cause__ from None
        raise
    finally:
        await close_verifiers()
    print(*summary, sep="\n", file=sys.stderr)
    return 1 if blocked else 0


async def _prepare(session: Session) -> None:
    """Index the references before the turn: during it, claims would wait for that and miss their deadline."""
    if sys.stderr.isatty():
        length = sum(len(reference.text) for reference in session.references)
        print(f"indexing {length:,} characters of reference text", file=sys.stderr, flush=True)
    await session.prepare()


def _blocked(event: Event) -> int:
    """How many sentences an event blocks: one event tells of all the text after a stop."""
    match event:
        case TextReplaced():
            return 1
        case TextWithheld(text=text) | TextRetracted(text=text):
            segmenter = Segmenter()
            found = [*segmenter.feed(text), *segmenter.finish()]
            sentences = sum(each.kind is SegmentKind.SENTENCE for each in found)
            return max(sentences, any(map(str.isalnum, text)))  # "5." by itself is a list's marker
        case _:
            return 0


def _shown(event: Event) -> str:
    """What an event adds to the text that the user sees."""
    match event:
        case TextReleased(text=text, mark=mark):
            return text + mark
        case TextReplaced(replacement=replacement):
            return replacement
        case _:
            return ""


def _write(text: str) -> None:
    if text:
        sys.stdout.buffer.write(encodable(text).encode())
        sys.stdout.buffer.flush()
