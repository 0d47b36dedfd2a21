"""Runs the commands of the Dockerfile without Docker: in a folder, with this Python, under a free port.

    python deploy/try_dockerfile.py

What RUN installs goes into a new virtual environment, so it takes a minute and a package index. Then
ENTRYPOINT and CMD are started, HEALTHCHECK must say that they are healthy, and SIGTERM must end them with
status 0.
What needs a container, such as the user, is left out and named.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PORT = "8700"
START_SECONDS = 120
_INSTRUCTION = re.compile(r"^([A-Z]+) ((?:.*\\\n)*.*)$", re.MULTILINE)
_IN_A_CONTAINER = ("useradd",)


class Image:
    """The instructions of the Dockerfile, with paths of the image moved into a folder."""

    def __init__(self, folder: Path) -> None:
        text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
        self._instructions = [(kind, told.replace("\\\n", " ")) for kind, told in _INSTRUCTION.findall(text)]
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = str(free.getsockname()[1])
        self._environment = dict(os.environ)
        for told in self.all("ARG"):
            name, _, value = told.partition("=")
            self._environment[name] = value

    def all(self, kind: str) -> list[str]:
        """The arguments of every instruction of this kind."""
        return [told for found, told in self._instructions if found == kind]

    def build(self) -> None:
        """Copy what the image copies and run what it runs; raises CalledProcessError where that fails."""
        source = self._folder / "source"
        source.mkdir()
        (self._folder / "opt").mkdir()
        for copied in (
            word for told in self.all("COPY") if "--from" not in told for word in told.split()[:-1]
        ):
            copy = shutil.copytree if (ROOT / copied).is_dir() else shutil.copy
            copy(ROOT / copied, source / copied)
        for command in self.all("RUN"):
            if command.startswith(_IN_A_CONTAINER):
                print(f"left out: RUN {command}")
                continue
            print(f"RUN {command}", flush=True)
            subprocess.run(self._moved(command), shell=True, check=True, env=self._environment)

    def serve(self) -> None:
        """Start the image's command, await its health, end it; exits with one line where it fails."""
        words = [word for kind in ("ENTRYPOINT", "CMD") for word in json.loads(self.all(kind)[0])]
        command = [self._port if word == PORT else word for word in words]
        print(" ".join(command), flush=True)
        program = self._folder / "opt/vista-stream/bin" / command[0]
        given = {**self._environment, "VISTA_STREAM_TOKENS": "tried"}
        with subprocess.Popen([str(program), *command[1:]], env=given, cwd=self._folder) as served:
            due = time.monotonic() + START_SECONDS
            while not self.healthy():
                if served.poll() is not None or time.monotonic() > due:
                    served.kill()
                    sys.exit("HEALTHCHECK never said that it is healthy")
                time.sleep(0.5)
            served.terminate()
            if served.wait(60):
                sys.exit(f"SIGTERM ended it with status {served.returncode}, not 0")
        if self.healthy():
            sys.exit("HEALTHCHECK says that a server is healthy that has ended")

    def healthy(self) -> bool:
        """What HEALTHCHECK says."""
        words = json.loads(self.all("HEALTHCHECK")[0].split("CMD ", 1)[1].replace(PORT, self._port))
        python = self._folder / "opt/vista-stream/bin" / words[0]
        return subprocess.run([str(python), *words[1:]], stderr=subprocess.DEVNULL).returncode == 0

    def _moved(self, command: str) -> str:
        moved = re.sub(r"(?<![\w.])/(opt|source)\b", lambda path: f"{self._folder}{path[0]}", command)
        return re.sub(r"^python\b", sys.executable, moved)


def main() -> int:
    """Command line."""
    with tempfile.TemporaryDirectory(prefix="vista-stream-") as folder:
        image = Image(Path(folder))
        image.build()
        image.serve()
    print("the commands of the Dockerfile work")
    return 0


if __name__ == "__main__":
    sys.exit(main())
