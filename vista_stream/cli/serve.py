"""`vista-stream serve`: a guarding proxy for any OpenAI-compatible service, and a page to watch it."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import anyio

from vista_stream.cli import COMMANDS, CommandError
from vista_stream.cli.inputs import read_background
from vista_stream.cli.loading import FALLBACK, POLICIES, POOL_TOKEN, VERIFIERS, load_policy, load_verifier
from vista_stream.cli.material import Scene, load_scenes
from vista_stream.cli.second import add_second, second_stages
from vista_stream.errors import missing_extra
from vista_stream.stores import Bounds, CommonGroundStore, open_store
from vista_stream.stores.select import STORES

TOKENS = "VISTA_STREAM_TOKENS"
UPSTREAM_KEY = "VISTA_STREAM_UPSTREAM_KEY"
STORE = "VISTA_STREAM_STORE"

EPILOG = f"""\
Clients reach it as they reach OpenAI: base URL http://127.0.0.1:8700/v1. The page is at /.

A request names its conversation with the header X-Vista-Conversation; turns of one conversation share
their common ground. It may send reference texts of its own in the extra body:
  {{"vista": {{"references": [{{"name": "...", "text": "..."}}, "ref_..."]}}}}
where ref_... is the id that POST /v1/references gave to an uploaded text.

Secrets come by file or environment, never on the command line:
  {TOKENS}        bearer tokens that clients must show one of, one a line
  {UPSTREAM_KEY}  the key that is sent to the upstream
  {POOL_TOKEN}    the token that a verifier pool asks for
  {STORE}         the same as --store, for a URL with a password
"""

_T = TypeVar("_T")
_EXTRA = missing_extra("serve needs the proxy's libraries", "proxy")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "serve",
        help=COMMANDS["serve"],
        description="Guard an OpenAI-compatible service; without --upstream, the page alone is served.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--upstream", metavar="URL", help="base URL of the service, such as http://127.0.0.1:8080/v1")
    add("--references", metavar="FOLDER", help="txt, md, html and pdf files for every request; watched")
    add("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    add("--port", type=int, default=8700, help="port to listen on (default: 8700; 0 takes a free one)")
    add("--policy", metavar="NAME|FILE", help=f"what is done with which claims: {POLICIES}")
    add("--background", metavar="FILE", help="facts that hold at the start of every conversation")
    add("--verifier", metavar="NAME", default="embedded", help=VERIFIERS)
    add("--verifier-fallback", metavar="NAME", help=FALLBACK)
    add("--store", metavar="URL", help=f"keeps conversations, for replicas to share: {STORES}")
    add("--tool-call-arguments", choices=("pass", "guard"), default="pass", help="of answers (default: pass)")
    add("--json-values", choices=("pass", "guard"), default="guard", help="numbers in JSON (default: guard)")
    add("--finish-reason", choices=("content_filter", "stop"), help="of an answer that the policy stopped")
    add("--token-file", metavar="FILE", help="bearer tokens for clients, one a line")
    add("--upstream-key-file", metavar="FILE", help="the key for the upstream")
    add("--allow-origin", metavar="ORIGIN", action="append", default=[], help="let a web page call (CORS)")
    add("--no-page", action="store_true", help="serve no page; it shows what the guard holds back")
    add("--log-text", action="store_true", help="let logs carry what users and models write")
    add("--open-network", action="store_true", help="serve other machines although no token is asked for")
    _add_numbers(parser)
    add_second(parser)


def _add_numbers(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--max-body", type=int, metavar="BYTES", help="of a request (default: 4 MiB)")
    add("--max-reference", type=int, metavar="CHARS", help="of one reference text (default: 1,000,000)")
    add("--max-references", type=int, metavar="N", help="a client or request (default: 64)")
    add("--max-sessions", type=int, metavar="N", help="conversations kept (default: 1000; store: 10,000)")
    add("--store-ttl", type=float, metavar="S", help="a stored conversation's idle life (default: 7 days)")
    add("--max-streams", type=int, metavar="N", help="answers under way at a time (default: 256)")
    add("--max-share", type=float, metavar="PART", help="of both, for one of several tokens (default: 0.5)")
    add("--upstream-timeout", type=float, metavar="S", help="of the upstream's silence (default: 60)")
    add("--keep-alive", type=float, metavar="S", help="between comments on a held-back stream (default: 10)")
    add("--drain", type=float, metavar="S", help="for streams to end after SIGTERM (default: 30)")


def run(args: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT, then return the exit status 0."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    if args.max_sessions is None and _store_url(args):
        args.max_sessions = Bounds().conversations
    settings = _settings(args)
    proxy = adapter("proxy")
    store = _store(args)
    verifier = None
    if args.verifier != "embedded" or args.verifier_fallback:
        verifier = load_verifier(args.verifier, fallback=args.verifier_fallback)
    second = second_stages(args, verifier)
    parts = {"verifier": verifier} if second.stages is None else {"stages": second.stages}

    async def serve(app: Any) -> None:
        async with second.closing:
            await proxy.serve(app, announce=_announce)

    try:
        scenes = [_row(scene) for scene in load_scenes()]
        app = proxy.make_app(settings, store=store, scenes=scenes, **parts)
        anyio.run(serve, app)
    except (OSError, ValueError) as error:
        raise CommandError(str(error)) from error
    return 0


def adapter(name: str) -> Any:
    """A module of the adapters; raises CommandError where their libraries are missing."""
    # The adapters are a package of their own that imports this one. Only this function imports them, by name.
    try:
        return import_module(f"vista_stream_adapters.{name}")
    except ModuleNotFoundError as error:
        raise CommandError(f"{_EXTRA} (there is no {error.name})") from error


def _settings(args: argparse.Namespace) -> Any:
    parts = adapter("proxy.settings")
    secrets: Callable[..., tuple[str, ...]] = partial(parts.read_secrets, environ=os.environ)
    try:
        keys = secrets(file=args.upstream_key_file, variable=UPSTREAM_KEY)
        if len(keys) > 1:
            raise ValueError(f"{args.upstream_key_file or UPSTREAM_KEY} must hold one key, not {len(keys)}")
        return parts.ProxySettings(
            upstream=args.upstream,
            upstream_key=keys[0] if keys else None,
            tokens=frozenset(secrets(file=args.token_file, variable=TOKENS)),
            host=args.host,
            port=args.port,
            references=Path(args.references) if args.references else None,
            policy=load_policy(args.policy),
            background=tuple(read_background(args.background)) if args.background else (),
            tool_call_arguments=args.tool_call_arguments,
            json_values=args.json_values,
            finish_reason=args.finish_reason,
            origins=frozenset(args.allow_origin),
            page=not args.no_page,
            log_text=args.log_text,
            open_network=args.open_network,
            limits=_given(args, parts.Limits, _LIMITS),
            timeouts=_given(args, parts.Timeouts, _TIMEOUTS),
        )
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}") from error
    except ValueError as error:
        raise CommandError(str(error)) from error


def _store_url(args: argparse.Namespace) -> str:
    return args.store or os.environ.get(STORE, "").strip()


def _store(args: argparse.Namespace) -> CommonGroundStore | None:
    """The store that replicas share; None keeps conversations in memory."""
    url = _store_url(args)
    if not url:
        if args.store_ttl is not None:
            raise CommandError("--store-ttl needs --store: conversations in memory have no time to live")
        return None
    try:
        if args.store and _holds_password(args.store):
            raise ValueError(f"--store must hold no password: give such a URL by {STORE}")
        given = {"conversations": args.max_sessions, "ttl": args.store_ttl}
        return open_store(
            url, bounds=Bounds(**{name: value for name, value in given.items() if value is not None})
        )
    except (ValueError, ImportError) as error:
        raise CommandError(str(error)) from error


def _holds_password(url: str) -> bool:
    """Whether a store's URL has a password, also one that is not percent-encoded, which no parser finds."""
    scheme, _, rest = url.partition("://")
    return scheme != "sqlite" and (":" in rest.rpartition("@")[0] or "password=" in rest)


_LIMITS = {
    "max_body": "body",
    "max_reference": "reference",
    "max_references": "references",
    "max_sessions": "sessions",
    "max_streams": "streams",
    "max_share": "share",
}
_TIMEOUTS = {"upstream_timeout": "upstream", "keep_alive": "keep_alive", "drain": "drain"}


def _given(args: argparse.Namespace, kind: type[_T], names: dict[str, str]) -> _T:
    """The limits or timeouts with the options that were given; `names` has the field of each option.

    Raises ValueError, naming the option, for a value that `kind` refuses.
    """
    given = {option: value for option in names if (value := getattr(args, option)) is not None}
    for option, value in given.items():
        try:
            kind(**{names[option]: value})
        except ValueError as error:
            raise ValueError(f"--{option.replace('_', '-')}: {error}") from error
    return kind(**{names[option]: value for option, value in given.items()})


def _row(scene: Scene) -> dict[str, Any]:
    """A shipped scene in the form that the page reads."""
    references = [] if scene.document is None else [{"name": scene.document[0], "text": scene.document[1]}]
    altered = scene.alteration
    return {
        "title": scene.title,
        "conversation": scene.conversation,
        "query": scene.query,
        "answer": scene.answer,
        "references": references,
        "altered": None if altered is None else {"was": altered.was, "now": altered.now},
    }


def _announce(url: str) -> None:
    print(f"vista-stream serves {url}", file=sys.stderr, flush=True)
