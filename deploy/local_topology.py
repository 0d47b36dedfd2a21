"""Starts the services of compose.yaml as processes of this machine: replicas, a store, a stub for the model.

    python deploy/local_topology.py [--replicas N] [--store URL] [--pool] [--upstream URL] [--pace TOKENS]
                                    [--policy NAME]

Without --store, a redis-server is started where one is installed, else the replicas share a SQLite file.
--pool starts a verifier pool of two, as compose.yaml does. Without --upstream, stub_upstream.py stands in for
the model: it says what it is asked to say. Ctrl-C stops everything.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

TOKEN = "local"
"""The bearer token of the replicas' clients."""
START_SECONDS = 300.0
VISTA_STREAM = (sys.executable, "-m", "vista_stream")


class Part:
    """One process; it keeps its port and its log when it is killed and started again."""

    def __init__(self, name: str, command: Sequence[str], *, port: int, ready: Callable[[], bool], log: Path):
        self.name, self.port = name, port
        self.url = f"http://127.0.0.1:{port}"
        self._command, self._ready, self._log = command, ready, log
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it without waiting for it."""
        with self._log.open("ab") as log:
            self._running = subprocess.Popen(
                self._command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=_environment()
            )

    def wait(self, within: float = START_SECONDS) -> None:
        """Wait until it answers; raises RuntimeError, with the end of its log, if it ends or is too slow."""
        due = time.monotonic() + within
        while not self._ready():
            if self._running is None or self._running.poll() is not None or time.monotonic() > due:
                raise RuntimeError(f"{self.name} does not answer:\n{self._log.read_text()[-2000:]}")
            time.sleep(0.1)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it as `docker compose stop` would."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._running is not None:
            self._running.send_signal(how)
            try:
                self._running.wait(60)
            except subprocess.TimeoutExpired:
                self._running.kill()
                self._running.wait()
            self._running = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is started; None for `store` and `upstream` starts one here."""

    replicas: int = 2
    store: str | None = None
    """`sqlite:///PATH` or `redis://…`; `redis` starts a redis-server, `sqlite` makes a file."""
    pool: bool = False
    upstream: str | None = None
    """Base URL of an OpenAI-compatible service."""
    pace: float = 50.0
    """Tokens a second of the stub."""
    policy: str | None = None
    """As `serve --policy` takes it."""


@dataclass(frozen=True, kw_only=True)
class Topology:
    """The parts that run."""

    parts: dict[str, Part]
    """By name: upstream, redis, verifier-1, proxy-1, proxy-2 and so on."""
    store: str

    @property
    def proxies(self) -> list[Part]:
        """The replicas."""
        return [part for name, part in self.parts.items() if name.startswith("proxy-")]


@contextmanager
def started(plan: Plan, folder: Path) -> Iterator[Topology]:
    """All parts, which answer; at the end they are stopped. Logs and files stand in the folder.

    Raises RuntimeError if a part does not come up.
    """
    token = folder / "token.txt"
    token.write_text(TOKEN)
    with ExitStack() as stack:
        parts: dict[str, Part] = {}

        def add(part: Part) -> str:
            parts[part.name] = part
            part.start()
            stack.callback(part.stop)
            return part.url

        upstream = plan.upstream or f"{add(_upstream(folder, plan.pace))}/v1"
        store = _store(plan.store, folder, add)
        pool = [add(_verifier(folder, f"verifier-{number}")) for number in (1, 2) if plan.pool]
        for each in parts.values():
            each.wait()
        options = serve_options(upstream, token, store, pool)
        options += ["--policy", plan.policy] if plan.policy else []
        for number in range(1, plan.replicas + 1):
            add(_proxy(folder, f"proxy-{number}", options))
        for each in parts.values():
            each.wait()
        yield Topology(parts=parts, store=store)


def serve_options(upstream: str, token_file: Path, store: str, pool: Sequence[str]) -> list[str]:
    """What each replica of the proxy is told, as in compose.yaml, besides where it listens."""
    options = ["--upstream", upstream, "--token-file", str(token_file), "--store", store, "--no-page"]
    return [*options, "--verifier", ",".join(pool)] if pool else options


def _upstream(folder: Path, pace: float) -> Part:
    port = _free_port()
    script = Path(__file__).with_name("stub_upstream.py")
    command = [sys.executable, str(script), "--port", str(port), "--pace", str(pace)]
    return _served("upstream", command, port=port, path="/v1/models", folder=folder)


def _store(wanted: str | None, folder: Path, add: Callable[[Part], str]) -> str:
    """The store's URL; starts a redis-server where none is given and one is installed."""
    server = shutil.which("redis-server")
    if wanted is None:
        wanted = "redis" if server else "sqlite"
    if wanted == "sqlite":
        return f"sqlite:///{folder / 'conversations.db'}"
    if wanted != "redis":
        return wanted
    if server is None:
        raise RuntimeError("redis-server is not installed; Debian's package redis-server has it")
    port = _free_port()
    command = [server, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""]
    command += ["--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"]
    add(Part("redis", command, port=port, ready=lambda: _pongs(port), log=folder / "redis.log"))
    return f"redis://127.0.0.1:{port}/0"


def _verifier(folder: Path, name: str) -> Part:
    port = _free_port()
    command = [*VISTA_STREAM, "verifier-serve", "--host", "127.0.0.1", "--port", str(port)]
    return _served(name, command, port=port, path="/healthz", folder=folder)


def _proxy(folder: Path, name: str, options: Sequence[str]) -> Part:
    port = _free_port()
    command = [*VISTA_STREAM, "serve", "--host", "127.0.0.1", "--port", str(port), *options]
    return _served(name, command, port=port, path="/readyz", folder=folder)


def _served(name: str, command: Sequence[str], *, port: int, path: str, folder: Path) -> Part:
    url = f"http://127.0.0.1:{port}{path}"
    return Part(name, command, port=port, ready=lambda: _answers(url), log=folder / f"{name}.log")


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _pongs(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
        connection.sendall(b"PING\r\n")
        return connection.recv(16).startswith(b"+PONG")
    return False


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def _environment() -> dict[str, str]:
    """The environment without what would override the options."""
    return {name: value for name, value in os.environ.items() if not name.startswith("VISTA_STREAM_")}


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add = parser.add_argument
    add("--replicas", type=int, default=2, help="of the proxy (2)")
    add("--store", metavar="URL", help="sqlite, redis, sqlite:///PATH or redis://…")
    add("--pool", action="store_true", help="verify in a pool instead of in the replicas")
    add("--upstream", metavar="URL", help="an OpenAI-compatible service, such as http://127.0.0.1:8080/v1")
    add("--pace", type=float, default=50.0, help="tokens a second of the stub (50)")
    add("--policy", metavar="NAME|FILE", help="of the replicas, as serve --policy takes it")
    plan = Plan(**vars(parser.parse_args()))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="vista-stream-") as folder,
            started(plan, Path(folder)) as topology,
        ):
            for name, part in topology.parts.items():
                print(f"{name:10} {part.url}")
            print(f"store      {topology.store}\ntoken      {TOKEN}\nCtrl-C stops all of it.", flush=True)
            signal.pause()
    except KeyboardInterrupt:
        return 0
    except RuntimeError as error:
        print(error, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
