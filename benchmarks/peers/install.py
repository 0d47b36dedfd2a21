"""Builds a virtual environment for each peer, with its own pinned packages and nothing else; it is kept."""

from __future__ import annotations

import ast
import hashlib
import json
import shutil
import subprocess
import sys
import time
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GUARDS = Path(__file__).parent / "guards"
ROOT = Path(__file__).parents[2]
VENVS = ROOT / ".work" / "peers"
OURS = "vista-stream"
_READY = "ready.json"
_INSTALL_LIMIT = 1800
_DIGITS = 12
_LITERALS = ("NAME", "PACKAGES", "SETTINGS", "OWN_VERIFIER")


class CannotInstall(Exception):
    """A peer's packages could not be installed; the message says why in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """The literals of a guard file, read without importing it."""

    name: str
    path: Path
    packages: tuple[str, ...]
    """Exact pins of the packages that the guard names, then those of the .txt file beside it, if any."""
    settings: dict[str, str]
    own_verifier: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where a peer is installed."""

    python: Path
    size_mb: float
    """Size of the packages on disk, in millions of bytes."""
    install_s: float


def peers() -> list[Peer]:
    """All guards: the one that checks nothing first, then ours, then the others by name."""
    found = [read(path) for path in sorted(GUARDS.glob("*.py")) if path.stem != "__init__"]
    order = {"passthrough": 0, OURS: 1}
    return sorted(found, key=lambda peer: (order.get(peer.name, 2), peer.name))


def read(path: Path) -> Peer:
    """One guard file's literals; ValueError names what is missing or is not a literal."""
    found: dict[str, Any] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        target, value = _assigned(node)
        if target in _LITERALS and value is not None:
            found[target] = ast.literal_eval(value)
    missing = [name for name in _LITERALS if name not in found]
    if missing:
        raise ValueError(f"{path.name} must assign a literal to {', '.join(missing)}")
    pins = path.with_suffix(".txt")
    more = pins.read_text(encoding="utf-8").split("\n") if pins.exists() else []
    return Peer(
        name=found["NAME"],
        path=path,
        packages=(*found["PACKAGES"], *(line.strip() for line in more if line.strip() and line[0] != "#")),
        settings=found["SETTINGS"],
        own_verifier=found["OWN_VERIFIER"],
    )


def _assigned(node: ast.stmt) -> tuple[str | None, ast.expr | None]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=value):
            return name, value
    return None, None


def install(peer: Peer, venvs: Path) -> Home:
    """The peer's environment; it replaces an older one unless that has the same pins.

    Raises CannotInstall with the installer's last line.
    """
    folder = venvs / f"{peer.name}-{_fingerprint(peer)}"
    ready = folder / _READY
    if not ready.exists():
        for old in venvs.glob(f"{peer.name}-{'[0-9a-f]' * _DIGITS}"):
            shutil.rmtree(old)
        begun = time.perf_counter()
        _build(folder, [_requirement(package) for package in peer.packages])
        kept = {"size_mb": _size(folder), "install_s": round(time.perf_counter() - begun, 1)}
        ready.write_text(json.dumps(kept), encoding="utf-8")
    return Home(python=_python(folder), **json.loads(ready.read_text(encoding="utf-8")))


def _fingerprint(peer: Peer) -> str:
    parts = [sys.version, *peer.packages]
    if peer.name == OURS:
        sources = [path for path in sorted((ROOT / OURS.replace("-", "_")).rglob("*")) if path.is_file()]
        parts += [f"{path} {path.stat().st_mtime_ns}" for path in sources if path.suffix != ".pyc"]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_DIGITS]


def _requirement(package: str) -> str:
    """The requirement to install: this project from the checkout, everything else from where pip finds it."""
    return f"{ROOT}{package.removeprefix(OURS)}" if package.startswith(OURS) else package


def _build(folder: Path, requirements: list[str]) -> None:
    venv.create(folder, with_pip=False)
    if not requirements:
        return
    pip = [sys.executable, "-m", "pip", "--python", str(_python(folder)), "install", "--quiet"]
    try:
        done = subprocess.run(
            [*pip, *requirements], capture_output=True, text=True, timeout=_INSTALL_LIMIT, check=False
        )
    except subprocess.TimeoutExpired as late:
        raise CannotInstall(f"not installed after {_INSTALL_LIMIT} s") from late
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "ERROR" in line] or done.stderr.splitlines()
        raise CannotInstall((lines or [f"pip ended with {done.returncode}"])[-1][:200])


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def _size(folder: Path) -> float:
    sizes = (path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return round(sum(sizes) / 1e6, 1)
