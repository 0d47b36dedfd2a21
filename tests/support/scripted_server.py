"""A real HTTP server on the loopback that replies by script."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import openai

from vista_stream.stages.llm.client import LlmClient

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
