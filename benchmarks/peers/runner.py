"""Runs a guard's driver as a subprocess: sends requests, reads replies, and ends what takes too long."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

DRIVER = Path(__file__).parent / "driver.py"
OPEN_LIMIT = 180.0
"""Seconds to import a peer and open its guard."""
_SPARE = 30.0
"""Seconds that a reply may take beyond the limits of its runs."""
_QUIET = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "OTEL_SDK_DISABLED": "true",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "PYTHONWARNINGS": "ignore",
}


class DriverFailed(Exception):
    """A guard could not be opened, died, or did not answer; the message is one line that says which."""


class Driver:
    """One guard in one setting, in a process of its own: `with Driver(...) as driver`.

    Raises DriverFailed if it cannot be opened.
    """

    def __init__(self, python: Path, guard: Path, *, setting: str, verifier: str) -> None:
        self._command = [str(python), "-P", str(DRIVER), str(guard), setting, verifier]
        self._lines: queue.Queue[str] = queue.Queue()
        self._running: subprocess.Popen[str]
        self.described: dict[str, Any] = {}
        """Name, version, packages and import_s, as the driver gives them."""

    def __enter__(self) -> Self:
        self._home = tempfile.TemporaryDirectory(prefix="peer-", ignore_cleanup_errors=True)
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self._running = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=self._environment(),
            cwd=self._home.name,
            start_new_session=True,
        )
        assert self._running.stdout is not None
        threading.Thread(target=self._listen, args=(self._running.stdout,), daemon=True).start()
        try:
            self.described = self._answer(OPEN_LIMIT)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def ask(self, runs: list[dict[str, Any]], *, concurrent: bool = False) -> dict[str, Any]:
        """The driver's reply to runs, each with its `limit_s`; raises DriverFailed if none comes in time."""
        limits = [float(run["limit_s"]) for run in runs]
        limit = (max(limits) if concurrent else sum(limits)) + _SPARE
        return self._exchange({"runs": runs, "concurrent": concurrent}, limit)

    def score(self, pairs: list[tuple[str, str]], limit: float) -> dict[str, Any]:
        """Scores of pairs of premise and hypothesis by the guard's own verifier, and the seconds it took.

        `scores` is None if the guard gives no degrees. Raises DriverFailed after `limit` seconds.
        """
        return self._exchange({"score": pairs}, limit)

    def _exchange(self, request: dict[str, Any], limit: float) -> dict[str, Any]:
        assert self._running.stdin is not None
        try:
            self._running.stdin.write(json.dumps(request) + "\n")
            self._running.stdin.flush()
        except BrokenPipeError as error:
            raise DriverFailed(f"it has died: {self._last_words()}") from error
        return self._answer(limit)

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return kept | _QUIET | {"HOME": self._home.name}

    def _listen(self, out: IO[str]) -> None:
        for line in out:
            self._lines.put(line)
        self._lines.put("")

    def _answer(self, limit: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=limit)
        except queue.Empty:
            raise DriverFailed(f"no answer after {limit:.0f} s") from None
        if not line:
            raise DriverFailed(f"it has died: {self._last_words()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise DriverFailed(str(answer["error"]))
        return answer

    def _last_words(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._running.wait(1.0)
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines()
        return lines[-1][:200] if lines else f"exit status {self._running.poll()}"

    def _end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._running.pid, signal.SIGKILL)
        self._running.wait()
        for pipe in (self._running.stdin, self._running.stdout):
            with contextlib.suppress(BrokenPipeError):
                assert pipe is not None
                pipe.close()
        self._errors.close()
        self._home.cleanup()
