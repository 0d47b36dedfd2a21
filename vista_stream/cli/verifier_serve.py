"""`vista-stream verifier-serve`: one replica of a verifier pool, which scores pairs for other machines."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from functools import partial

import anyio

from vista_stream.cli import COMMANDS, CommandError
from vista_stream.cli.loading import DEVICE, DEVICES, VERIFIERS_HERE, load_verifier
from vista_stream.cli.serve import adapter
from vista_stream.verifiers.pool.service import ReplicaSettings

TOKENS = "VISTA_STREAM_TOKENS"

_RAY = ("replicas", "ongoing", "num_cpus", "num_gpus", "batch", "batch_wait")
"""Options that need --engine ray."""

EPILOG = f"""\
Clients name it as their verifier, several replicas with commas:
  vista-stream serve --verifier http://10.0.0.5:8800,http://10.0.0.6:8800
  vista-stream serve --verifier ray://auto/vista_stream

With --engine ray the pool runs on Ray Serve: in the cluster of RAY_ADDRESS, or in a Ray that is started here.

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
    add("--verifier", metavar="NAME", default="embedded", help=VERIFIERS_HERE)
    add("--device", choices=DEVICES, default="cpu", help=DEVICE)
    add("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    add("--port", type=int, default=8800, help="port to listen on (default: 8800; 0 takes a free one)")
    add("--token-file", metavar="FILE", help="bearer tokens for clients, one a line")
    add("--open-network", action="store_true", help="serve other machines although no token is asked for")
    add("--max-tokens", type=int, metavar="N", help="of a batch (default: 512; on CUDA 16384)")
    add("--max-wait", type=float, metavar="S", help="for a batch to fill (default: 0.002)")
    add("--max-queue", type=int, metavar="N", help="pairs that wait; over it load is shed (default: 512)")
    add("--cache", type=int, metavar="N", help="pairs whose scores are kept (default: 4096)")
    add("--max-body", type=int, metavar="BYTES", help="of a request (default: 4 MiB)")
    add("--engine", choices=("here", "ray"), default="here", help="a server in this process, or Ray Serve")
    add("--replicas", type=_replicas, metavar="N|MIN-MAX", help="Ray: how many, autoscaled (default: 1)")
    add("--ongoing", type=float, metavar="N", help="Ray: requests a replica above which one is added (16)")
    add("--num-cpus", type=float, metavar="N", help="Ray: CPUs and threads of a replica (default: 1)")
    add("--num-gpus", type=float, metavar="N", help="Ray: GPUs of a replica (default: 0)")
    add("--batch", type=int, metavar="N", help="Ray: requests handed over together (default: 8)")
    add("--batch-wait", type=float, metavar="S", help="Ray: for such a batch to fill (default: 0)")
    add("--drain", type=float, metavar="S", help="for calls to end after SIGTERM (default: 30)")


def run(args: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT, then return the exit status 0."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    try:
        anyio.run(_on_ray(args) if args.engine == "ray" else _here(args))
    except (OSError, ValueError, ImportError) as error:
        raise CommandError(str(error)) from error
    return 0


def _here(args: argparse.Namespace) -> Callable[[], Awaitable[None]]:
    if unused := [name for name in _RAY if getattr(args, name) is not None]:
        raise ValueError(f"--{unused[0].replace('_', '-')} needs --engine ray")
    from vista_stream.verifiers.pool.server import make_app, serve

    settings = _settings(args)  # before the model is loaded, which takes longer
    app = make_app(load_verifier(args.verifier, device=args.device), settings)
    return partial(serve, app, host=args.host, port=args.port, announce=_announce)


def _on_ray(args: argparse.Namespace) -> Callable[[], Awaitable[None]]:
    from vista_stream.verifiers.pool.ray_replica import RayOptions, pool, run_pool

    settings = _settings(args)
    if not args.port:
        raise ValueError("--port must be above 0 with --engine ray")
    given = {name: value for name in _RAY if (value := getattr(args, name)) is not None}
    least, most = given.pop("replicas", (1, 1))
    options = RayOptions(least=least, most=most, **given)
    threads = max(1, int(options.num_cpus))
    make = partial(load_verifier, args.verifier, threads=threads, device=args.device)
    app = pool(make, settings=settings, options=options)
    return partial(run_pool, app, host=args.host, port=args.port, announce=_announce)


def _replicas(value: str) -> tuple[int, int]:
    least, dash, most = value.partition("-")
    most = most if dash else least
    if not least.isdecimal() or not most.isdecimal():
        raise argparse.ArgumentTypeError(f"takes a number of replicas, or MIN-MAX, not {value!r}")
    return int(least), int(most)


def _settings(args: argparse.Namespace) -> ReplicaSettings:
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
