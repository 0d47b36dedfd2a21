"""An ONNX Runtime that pretends to have CUDA and computes on the CPU: no GPU is at hand."""

from __future__ import annotations

from typing import Any

import onnxruntime

CUDA, CPU = "CUDAExecutionProvider", "CPUExecutionProvider"


class PretendedCuda:
    """Patches onnxruntime; notes the providers and options that sessions are opened with."""

    def __init__(self, patch: Any, *, refused: Exception | None = None, falls_back: bool = False) -> None:
        self.opened: list[list[str]] = []
        self.bound = 0
        """Runs with IO binding."""
        self._real = onnxruntime.InferenceSession
        self._refused = refused
        self._falls_back = falls_back
        patch.setattr(onnxruntime, "get_available_providers", lambda: [CUDA, CPU])
        patch.setattr(onnxruntime, "InferenceSession", self._open)

    def _open(self, model: Any, options: Any = None, *, providers: list[str], **settings: Any) -> Any:
        self.opened.append(providers)
        if CUDA in providers and self._refused is not None:
            raise self._refused
        session = self._real(model, options, providers=[CPU], **settings)
        return _Session(session, self) if CUDA in providers and not self._falls_back else session


class _Session:
    def __init__(self, session: Any, cuda: PretendedCuda) -> None:
        self._session = session
        self._cuda = cuda

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def get_providers(self) -> list[str]:
        return [CUDA, CPU]

    def run_with_iobinding(self, binding: Any) -> None:
        self._cuda.bound += 1
        self._session.run_with_iobinding(binding)
