"""Loads the verifiers and policies that command-line options name."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from vista_stream.cli import CommandError
from vista_stream.policy import Policy
from vista_stream.portal import blocking_portal
from vista_stream.verifiers.placement import CUDA_PROVIDER, Device, place
from vista_stream.verifiers.protocol import Verifier

_MODELS = "embedded, the default, the folder of an exported model,"
_OWN = "MODULE:NAME of a verifier of your own"
VERIFIERS_HERE = f"{_MODELS} or {_OWN}"
VERIFIERS = f"{_MODELS} {_OWN}, or a pool: http://HOST:PORT, more with commas, or ray://HOST:PORT/APP"
FALLBACK = "scores when no replica of the pool answers: embedded, a folder or MODULE:NAME (default: none)"
DEVICES = get_args(Device)
DEVICE = "where the model runs: cpu, the default; cuda, else the CPU with a warning; auto: CUDA if offered"
POLICIES = f"{', '.join(Policy.NAMES)}, or a TOML file"
POOL_TOKEN = "VISTA_STREAM_POOL_TOKEN"
"""The environment variable with the token that a pool asks for."""
_POOLS = ("http://", "https://", "ray://")
_connected: list[Any] = []
"""Verifiers with connections, which the command closes at its end."""


def load_verifier(
    name: str,
    *,
    fallback: str | None = None,
    threads: int | None = None,
    option: str = "--verifier",
    device: Device = "cpu",
) -> Verifier:
    """The verifier that an option names; `fallback` names one for when no replica of a pool answers.

    `threads` is how many a model takes in this process; None takes the CPUs, at most 4. `device` is where
    the model runs.

    Raises CommandError where there is none of this name, ModelLoadError if the model cannot be loaded,
    VerifierUnreachable if no replica of a pool answers and there is no fallback.
    """
    if name.startswith(_POOLS):
        _check_here(device)
        return _pool(name, option, None if fallback is None else load_verifier(fallback))
    if fallback is not None:
        raise CommandError("--verifier-fallback is for a pool: http://HOST:PORT or ray://HOST:PORT/APP")
    from vista_stream.verifiers.embedded import EmbeddedVerifier

    if name == "embedded":
        return EmbeddedVerifier.from_pretrained(threads=threads, device=device)
    if not Path(name).is_dir():
        _check_here(device)
        return _own(name, option)
    from vista_stream.verifiers.flan_t5_optimum import optimum_graphs

    folder = Path(name)
    kind = _kind(folder)
    if kind == "flan-t5" or (kind is None and optimum_graphs(folder) is not None):
        return _flan_t5(name, threads, device)
    return EmbeddedVerifier.from_pretrained(name, threads=threads, device=device)


def _check_here(device: Device) -> None:
    if device != "cpu":
        raise CommandError("--device is for a model that this process loads: embedded, or a folder")


def _flan_t5(name: str, threads: int | None, device: Device) -> Verifier:
    from vista_stream.verifiers.flan_t5 import FlanT5Verifier

    if place(device).device == "cpu":
        return FlanT5Verifier.from_pretrained(name, threads=threads)
    return FlanT5Verifier.from_pretrained(name, threads=threads, providers=[CUDA_PROVIDER])


async def close_verifiers() -> None:
    """Close the connections that this event loop has to pools."""
    while _connected:
        await _connected.pop().aclose()


def _pool(urls: str, option: str, fallback: Verifier | None) -> Verifier:
    try:
        from vista_stream.verifiers.pool.settings import PoolSettings

        settings = PoolSettings(token=os.environ.get(POOL_TOKEN) or None)
        with blocking_portal() as portal:
            verifier = portal.call(partial(_connect(urls), fallback=fallback, settings=settings))
    except (ValueError, ImportError) as error:
        raise CommandError(f"{option} {urls}: {error}") from error
    _connected.append(verifier)
    return verifier


def _connect(urls: str) -> Callable[..., Awaitable[Verifier]]:
    if urls.startswith("ray://"):
        from vista_stream.verifiers.pool.ray_verifier import RayVerifier

        return partial(RayVerifier.connect, urls)
    from vista_stream.verifiers.pool.remote import RemoteVerifier

    return partial(RemoteVerifier.connect, urls.split(","))


def _own(name: str, option: str) -> Verifier:
    """The verifier `NAME` of a module: an object, or a class or function that gives one without arguments."""
    module, colon, attribute = name.partition(":")
    if not colon or not all(part.isidentifier() for part in (*module.split("."), attribute)):
        raise CommandError(f"{option} takes {VERIFIERS}: there is no {name!r}")
    sys.path.insert(0, "")  # modules of the working directory too, as `python -m` finds them
    try:
        found = getattr(import_module(module), attribute)
        makes = isinstance(found, type) or (callable(found) and not isinstance(found, Verifier))
        made = found() if makes else found
    except Exception as error:  # the user's code may raise anything
        told = f"{option} {name}: {type(error).__name__}: {error}"
        raise CommandError(told) from error
    finally:
        sys.path.remove("")
    if not isinstance(made, Verifier):
        raise CommandError(f"{option} {name} must be a verifier, or give one: an object with score(pairs)")
    return made


def _kind(folder: Path) -> object:
    """The `kind` in a folder's manifest; None without a readable manifest (the verifier then says why)."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest.get("kind") if isinstance(manifest, dict) else None


def load_policy(name: str | None) -> Policy:
    """The policy of a name or TOML file, None the default one; raises CommandError where there is none."""
    if name is None or name in Policy.NAMES:
        return Policy.named(name or "default")
    try:
        return Policy.from_toml(name)
    except FileNotFoundError as error:
        raise CommandError(f"--policy takes {POLICIES}; {name}: {error.strerror}") from error
    except OSError as error:
        raise CommandError(f"--policy {name!r}: {error.strerror or error}") from error
    except ValueError as error:
        raise CommandError(f"--policy {name}: {error}") from error
