"""A redis-server of a test's own: on a free port, in a folder, to be killed and started again."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

pytest.importorskip("redis", reason="needs the extra redis")
_BINARY = shutil.which("redis-server")
if _BINARY is None:
    pytest.skip("needs redis-server, such as Debian's package", allow_module_level=True)


class RedisServer:
    """Writes each change to the disk before it answers, so that what it acknowledged outlives a kill."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.running: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it, on what it kept, and wait until it answers."""
        options = ["--appendonly", "yes", "--appendfsync", "always", "--save", "", "--bind", "127.0.0.1"]
        self.running = subprocess.Popen(
            [str(_BINARY), "--port", str(self.port), "--dir", str(self._folder), *options],
            stdout=subprocess.DEVNULL,
        )
        for _ in range(500):
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                    connection.sendall(b"PING\r\n")
                    if connection.recv(16).startswith(b"+PONG"):
                        return
            except OSError:
                pass
            time.sleep(0.02)
        raise AssertionError("redis-server does not answer")

    def kill(self) -> None:
        """As a power cut would."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """It keeps its connections and answers nothing."""
        self.running.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.running.send_signal(signal.SIGCONT)

    def _end(self, number: signal.Signals) -> None:
        if self.running is not None:
            self.running.send_signal(number)
            self.running.wait(10)
            self.running = None
