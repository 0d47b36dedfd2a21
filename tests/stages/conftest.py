"""Real HTTP servers on the loopback: one that replies by script, one with a small model."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import openai
import pytest

from vista_stream.stages.llm_client import LlmClient

Script = Callable[[dict[str, Any]], str | tuple[int, str]]


class ScriptedServer:
    """Speaks the chat completions API; `script` makes the reply, or a status and an error, of a request."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.script: Script = lambda request: "1. VERIFIED"
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._answerer())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def client(self, **keywords: Any) -> LlmClient:
        sender = openai.AsyncOpenAI(base_url=self.url, api_key="none", max_retries=keywords.pop("retries", 0))
        return LlmClient("scripted", client=sender, **keywords)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answerer(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Answerer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(request)
                reply = outer.script(request)
                status, body = reply if isinstance(reply, tuple) else (200, json.dumps(_completion(reply)))
                payload = body.encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Answerer


def _completion(text: str) -> dict[str, Any]:
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107},
    }


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    scripted = ScriptedServer()
    yield scripted
    scripted.close()


@pytest.fixture(scope="session")
def local_model() -> Iterator[str]:
    """Base URL of a server with the small model that VISTA_STREAM_TEST_GGUF names."""
    path = os.environ.get("VISTA_STREAM_TEST_GGUF")
    if not path:
        pytest.skip("VISTA_STREAM_TEST_GGUF names no GGUF file")
    xllamacpp = pytest.importorskip("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx, params.n_parallel, params.port, params.verbosity = 8192, 1, 0, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    model = xllamacpp.Server(params)
    yield f"{model.listening_address}/v1"
    del model
