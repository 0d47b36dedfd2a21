"""The package's exceptions. Every one is a VistaError, except BadDelta, a ValueError:

VistaError
├── SessionStateError   a call that the session or turn does not allow now (also a RuntimeError)
├── VerifierError       verification cannot be done
│   ├── ModelLoadError  a model file is missing, damaged or of the wrong kind
│   ├── InferenceError  a loaded model or verifier raised, or returned malformed scores
│   ├── Overload        too much was waiting, so this claim was not scored
│   ├── VerifierUnreachable  no replica of a verifier pool answers
│   └── LanguageUnsupported  the claim is in a language that the verifier does not judge
├── StoreError          the common ground cannot be read or written
├── StageError          what a stage returned cannot be used
├── UpstreamError       the source of deltas raised; `__cause__` is its exception
└── TurnWithheld        the policy's action is raise; carries the verdict

A bad argument raises a plain ValueError, which names the argument and what it takes. BadDelta is the
ValueError that only a running turn can find.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vista_stream.claims import Verdict


def missing_extra(need: str, extra: str) -> str:
    """An error message: `need` says what is missing, the rest how to install `extra` from a checkout."""
    return f'{need}: from a checkout, pip install ".[{extra}]"'


def kind_of(value: object) -> str:
    """The type of a bad argument, for the message that refuses it."""
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


class VistaError(Exception):
    """Base class of the package's own exceptions."""


class SessionStateError(VistaError, RuntimeError):
    """A call was made that the session or turn does not allow in its present state."""


class VerifierError(VistaError):
    """Verification cannot be done."""


class ModelLoadError(VerifierError):
    """A model cannot be loaded; the message names the file and what was expected of it."""


class InferenceError(VerifierError):
    """A verifier raised, or returned something that is not one score triple for each pair."""


class Overload(VerifierError):
    """Too much waits to be checked: this claim or sentence could not be checked before its deadline."""


class VerifierUnreachable(VerifierError):
    """No replica of a verifier pool answers."""


class LanguageUnsupported(VerifierError):
    """The claim is in a language that the verifier does not judge."""


class StoreError(VistaError):
    """The common ground cannot be read or written."""


class StageError(VistaError):
    """What a stage returned cannot be used: a wrong type, or an LLM's bad answer, also after one repair."""


class UpstreamError(VistaError):
    """The source of deltas raised; `__cause__` is its exception."""


class BadDelta(ValueError):
    """The source yielded something that is not text; the message names its type."""


class TurnWithheld(VistaError):
    """The policy's action for a verdict is raise.

    Attributes:
        verdict: the verdict that triggered it; None where an unresolved claim did.
    """

    def __init__(self, message: str, verdict: Verdict | None = None) -> None:  # unpickling gives the message
        super().__init__(message)
        self.verdict = verdict
