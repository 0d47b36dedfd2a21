"""The command line: one module for each command, imported only when the command is called.

Commands read arguments and files (`inputs`) and write released text, JSON lines and summaries. A wrong
argument or file gives one line on standard error and the exit status 2.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import NoReturn

from vista_stream.errors import VistaError

COMMANDS = {
    "demo": "watch false statements being blocked in a chat, on shipped answers of a language model",
    "check": "stream standard input through a guard",
    "verify": "score pairs of premise and hypothesis, one JSON object a line",
    "score": "the papers' numbers for a file of finished dialogues",
    "tune": "thresholds of a policy, chosen on your own examples",
    "serve": "a guarding proxy for OpenAI-compatible services, and a page to watch it",
    "verifier-serve": "one replica of a verifier pool: scores pairs for other machines",
    "export": "turn a published Flan-T5 into a folder for verify --verifier",
}
"""Help line by command. The command's module in this package has `add_parser(subparsers)` and `run(args)`."""

INTERRUPTED = 130
BROKEN_PIPE = 141
_UNWRITABLE = (errno.EBADF, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class CommandError(Exception):
    """Bad usage or input; the message is one line that says what is wrong."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; 2 with one line on standard error for bad input."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(_parser(arguments).parse_args(arguments))
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(args: argparse.Namespace) -> int:
    try:
        _open_streams()
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except (CommandError, VistaError) as error:
        print(f"vista-stream {args.command}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        _abandon_output()
        return BROKEN_PIPE
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        _abandon_output()
        where = error.filename or "standard output"
        print(f"vista-stream {args.command}: {where}: {error.strerror}", file=sys.stderr)
        return 2


def _open_streams() -> None:
    """Give standard streams that were closed at the start a file, so that no other file gets their number.

    Messages go nowhere then; to write to standard output fails, as it does on a full disk.
    """
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _abandon_output() -> None:
    """Redirect standard output to the null device: Python flushes it at exit, which would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(prog="vista-stream", description="A streaming factuality guardrail.")
    parser.add_argument("--version", action="version", version=f"vista-stream {version('vista-stream')}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command, summary in COMMANDS.items():
        if command in arguments[:1]:
            module = import_module(f"vista_stream.cli.{command.replace('-', '_')}")
            module.add_parser(subparsers)
            parser.set_defaults(run=module.run)
        else:
            subparsers.add_parser(command, help=summary)
    return parser
