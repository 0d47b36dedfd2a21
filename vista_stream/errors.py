"""What can go wrong, as a tree.

VistaError
├── SessionStateError   a call that the session or turn does not allow now (also a RuntimeError)
├── VerifierError       verification cannot be done
│   ├── ModelLoadError  a model file is missing, damaged or of the wrong kind
│   ├── InferenceError  a loaded model or verifier raised, or gave scores that are not scores
│   ├── Overload        a shared verifier's queue was full, so this claim was not scored
│   └── LanguageUnsupported  the claim is in a language that the verifier does not judge
├── StoreError          the common ground cannot be read or written
├── StageError          an LLM stage's answer cannot be used
├── UpstreamError       the source of deltas broke; `__cause__` is its exception
└── TurnWithheld        the policy says raise; carries the verdict

A bad argument is a plain ValueError that names the argument and what it takes; BadDelta is one that only the
running turn can find.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vista_stream.claims import Verdict


def missing_extra(need: str, extra: str) -> str:
    """One line that says what is missing, and what to install for it from a checkout of the project."""
    return f'{need}: from a checkout, pip install ".[{extra}]"'


class VistaError(Exception):
    """Root of every error that this package raises on purpose."""


class SessionStateError(VistaError, RuntimeError):
    """A call was made that the session or turn does not allow in its present state."""


class VerifierError(VistaError):
    """Verification cannot be done."""


class ModelLoadError(VerifierError):
    """A model cannot be loaded; the message names the file and what was expected of it."""


class InferenceError(VerifierError):
    """A verifier raised, or gave something that is not one score triple a pair."""


class Overload(VerifierError):
    """There is more to check than can be checked before its deadline: this was not."""


class LanguageUnsupported(VerifierError):
    """The claim is in a language that the verifier does not judge."""


class StoreError(VistaError):
    """The common ground cannot be read or written."""


class StageError(VistaError):
    """An LLM stage gave an answer that cannot be used, also after one repair."""


class UpstreamError(VistaError):
    """The source of deltas raised; `__cause__` is what it raised."""


class BadDelta(ValueError):
    """The source yielded something that is not text; the message names its type."""


class TurnWithheld(VistaError):
    """The policy's action for a verdict is raise.

    Attributes:
        verdict: the verdict that triggered it; None where an unresolved claim did.
    """

    def __init__(self, message: str, verdict: Verdict | None) -> None:
        super().__init__(message)
        self.verdict = verdict
