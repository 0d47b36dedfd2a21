"""`vista-stream verifier-serve`: one replica of a verifier pool, which scores pairs for other machines."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from functools import partial
from typing import Any

import anyio

from vista_stream.cli import COMMANDS, CommandError
from vista_stream.cli.loading import VERIFIERS, load_verifier
from vista_stream.cli.serve import adapter

TOKENS = "VISTA_STREAM_TOKENS"

EPILOG = f"""\
Clients name it as their verifier, several replicas with commas:
  vista-stream serve --verifier http://10.0.0.5:8800,http://10.0.0.6:8800

Secrets come by file or environment, never on the command line:
  {TOKENS}   bearer tokens that clients must show one of, one a line
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "verifier-serve",
        help=COMMANDS["verifier-serve"],
        description="Serve a verifier over HTTP, until SIGTERM or SIGINT.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--verifier", metavar="NAME", default="embedded", help=VERIFIERS)
    add("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    add("--port", type=int, default=8800, help="port to listen on (default: 8800; 0 takes a free one)")
    add("--token-file", metavar="FILE", help="bearer tokens for clients, one a line")
    add("--open-network", action="store_true", help="serve other machines although no token is asked for")
    add("--max-tokens", type=int, metavar="N", help="of a batch (default: 512)")
    add("--max-wait", type=float, metavar="S", help="for a batch to fill (default: 0.002)")
    add("--max-queue", type=int, metavar="N", help="pairs that wait; over it load is shed (default: 512)")
    add("--cache", type=int, metavar="N", help="pairs whose scores are kept (default: 4096)")
    add("--max-body", type=int, metavar="BYTES", help="of a request (default: 4 MiB)")
    add("--drain", type=float, metavar="S", help="for calls to end after SIGTERM (default: 30)")


def run(args: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT, then return the exit status 0."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    try:
        from vista_stream.verifiers.pool.server import make_app, serve

        settings = _settings(args)
        app = make_app(load_verifier(args.verifier), settings)
        anyio.run(partial(serve, app, host=args.host, port=args.port, announce=_announce))
    except (OSError, ValueError, ImportError) as error:
        raise CommandError(str(error)) from error
    return 0


def _settings(args: argparse.Namespace) -> Any:
    from vista_stream.verifiers.pool.service import ReplicaSettings

    access = adapter("proxy.settings")
    tokens = access.read_secrets(file=args.token_file, variable=TOKENS, environ=os.environ)
    if not 0 <= args.port <= 65535:
        raise ValueError(f"--port must be 0..65535, not {args.port}")
    if not tokens and not args.open_network and not access.is_loopback(args.host):
        raise ValueError(
            f"--host {args.host} can be reached from other machines: give --token-file, or --open-network"
        )
    names = ("max_tokens", "max_wait", "max_queue", "cache", "max_body", "drain")
    given = {name: value for name in names if (value := getattr(args, name)) is not None}
    return ReplicaSettings(tokens=frozenset(tokens), **given)


def _announce(url: str) -> None:
    print(f"vista-stream serves the verifier at {url}", file=sys.stderr, flush=True)
