"""The wire format of a verifier pool: JSON objects, version 1. No I/O.

A request to score: `{"version": 1, "pairs": [...], "windows": [...]}`. A pair has `hypothesis`, `premise`,
and where they are not the default `importance` and `remaining_ms`, the milliseconds in which somebody still
waits for its scores. The pair of a model that reads windows once names them by digest in `windows`, and has
no `premise` where that is only the windows joined by newlines. The request's `windows` are the texts that
the replica is not known to hold. `scope` stands where a client's scores are cached apart (`cache_scope`): a
digest of its name.

The answer: `{"version": 1, "digest": ..., "scores": [[entailment, neutral, contradiction], ...]}`, where
`digest` is the description's. A refusal: `{"version": 1, "error": {"code": ..., "message": ...}}`, with a
code of `STATUS`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from vista_stream.caching import SHARED
from vista_stream.claims import Importance, Pair, Scores
from vista_stream.core.judge import Thresholds
from vista_stream.core.pooling import Pooling
from vista_stream.errors import InferenceError, LanguageUnsupported, Overload, VerifierError
from vista_stream.verifiers.protocol import Verifier, name_of, pooling_of, reader_of, thresholds_of

VERSION = 1
STATUS = {
    "bad_request": 400,
    "unauthorized": 401,
    "not_found": 404,
    "unknown_windows": 409,
    "too_large": 413,
    "language": 422,
    "inference": 500,
    "overload": 503,
    "draining": 503,
    "deadline": 504,
}
"""HTTP status by the code of a refusal.

`unknown_windows` lists the digests in `missing`: the request is sent again with their texts. `overload`: it
would be late. `draining`: the replica is ending. `deadline`: nobody waits for the scores any more."""
_ERRORS: dict[str, type[VerifierError]] = {
    "unauthorized": VerifierError,
    "language": LanguageUnsupported,
    "overload": Overload,
    "deadline": Overload,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a replica says of its verifier; replicas of one pool must say the same."""

    name: str
    kind: str
    """The name of its class, such as EmbeddedVerifier."""
    thresholds: Thresholds
    reads: bool
    """Whether its model reads windows once."""
    pooling: Pooling | None = None

    def decides_as(self, other: Description) -> bool:
        """Whether the same scores mean the same for both."""
        return (self.thresholds, self.pooling) == (other.thresholds, other.pooling)

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that differ between verifiers."""
        return _digest_of(self)

    @classmethod
    def of(cls, verifier: Verifier) -> Description:
        """The description of a verifier; one without a name goes by its class."""
        return cls(
            name=name_of(verifier),
            kind=type(verifier).__name__,
            thresholds=thresholds_of(verifier),
            reads=reader_of(verifier) is not None,
            pooling=pooling_of(verifier),
        )

    def to_json(self) -> dict[str, Any]:
        """The JSON object."""
        return {"version": VERSION, **asdict(self), "digest": self.digest}

    @classmethod
    def from_json(cls, body: Any) -> Description:
        """The description in a JSON object; raises ValueError where it is none of this version."""
        _check_version(body)
        match body:
            case {"name": str(name), "kind": str(kind), "reads": bool(reads), "thresholds": dict(thresholds)}:
                try:
                    levels, pooling = Thresholds(**thresholds), Pooling.of(body.get("pooling"))
                except TypeError as error:
                    raise ValueError(f"thresholds or pooling: {error}") from error
                return cls(name=name, kind=kind, reads=reads, thresholds=levels, pooling=pooling)
        raise ValueError("it must have name, kind, thresholds and reads")


class Refusal(Exception):
    """A replica's refusal: a code of `STATUS`, a message, and digests of unknown windows."""

    def __init__(self, code: str, message: str, *, missing: Collection[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.missing = frozenset(missing)

    def to_json(self) -> dict[str, Any]:
        """The JSON object."""
        body: dict[str, Any] = {"version": VERSION, "error": {"code": self.code, "message": str(self)}}
        return body | ({"missing": sorted(self.missing)} if self.missing else {})

    @classmethod
    def from_json(cls, body: Any) -> Refusal:
        """The refusal in a JSON object; raises ValueError where it is none of this version."""
        _check_version(body)
        match body:
            case {"error": {"code": str(code), "message": str(message)}} if code in STATUS:
                return cls(code, message, missing=_texts("missing", body.get("missing", [])))
        raise ValueError("it must have an error with a known code and a message")

    @classmethod
    def of(cls, error: Exception) -> Refusal:
        """The refusal for what a verifier raised."""
        codes = {LanguageUnsupported: "language", Overload: "overload"}
        code = next((code for kind, code in codes.items() if isinstance(error, kind)), "inference")
        told = str(error) if isinstance(error, VerifierError) else f"{type(error).__name__}: {error}"
        return cls(code, told)

    @property
    def error(self) -> VerifierError:
        """The exception that the client raises."""
        return _ERRORS.get(self.code, InferenceError)(str(self))


class WindowTexts:
    """Texts by digest, of at most `size` characters together; drops the least recently used first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._taken = 0
        self._texts: OrderedDict[str, str] = OrderedDict()

    def keep(self, text: str) -> str:
        """Keep a text and return its digest."""
        digest = window_digest(text)
        if digest not in self._texts:
            self._taken += len(text)
        self._texts[digest] = text
        self._texts.move_to_end(digest)
        while self._taken > self._size:
            self._taken -= len(self._texts.popitem(last=False)[1])
        return digest

    def get(self, digest: str) -> str | None:
        """The text, which becomes the most recently used; None where it is not kept."""
        if digest in self._texts:
            self._texts.move_to_end(digest)
        return self._texts.get(digest)


def window_digest(text: str) -> str:
    """The name of a window's text: sixteen hexadecimal digits of its SHA-256."""
    return _digest(text)


def encode_pairs(
    pairs: Sequence[Pair], now: float, *, known: Callable[[str], bool], scope: str = SHARED
) -> dict[str, Any]:
    """The request to score pairs; `known` tells whether the replica holds the window of a digest.

    `now` is event-loop time in seconds, `scope` the `cache_scope` in which the scores are cached.
    """
    texts = {window_digest(window): window for pair in pairs for window in pair.windows}
    unknown = [text for digest, text in texts.items() if not known(digest)]
    body = {"version": VERSION, "pairs": [_row(pair, now) for pair in pairs], "windows": unknown}
    return body if scope == SHARED else body | {"scope": _digest(scope)}


def _row(pair: Pair, now: float) -> dict[str, Any]:
    row: dict[str, Any] = {"hypothesis": pair.hypothesis}
    if pair.windows:
        row["windows"] = [window_digest(window) for window in pair.windows]
    if not pair.windows or pair.premise != "\n".join(pair.windows):
        row["premise"] = pair.premise
    if pair.importance is not Importance.OKAY:
        row["importance"] = pair.importance.value
    if not math.isinf(pair.deadline):
        row["remaining_ms"] = round(1000 * (pair.deadline - now), 3)
    return row


def decode_pairs(body: Any, now: float, *, held: WindowTexts) -> list[Pair]:
    """The pairs of a request, with deadlines in this event loop's time; its windows are kept in `held`.

    Raises Refusal: `bad_request` for what is no such request, `unknown_windows`, and `deadline` where the
    deadline of all pairs has passed.
    """
    try:
        _check_version(body)
        sent = {held.keep(text): text for text in _texts("windows", body.get("windows", []))}
        rows = body.get("pairs")
        if not isinstance(rows, list) or not rows:
            raise ValueError("pairs must be a list of objects")
        asked = {digest for row in rows for digest in _names(row)}
        texts = {digest: sent.get(digest) or held.get(digest) for digest in asked}
        if missing := [digest for digest, text in texts.items() if text is None]:
            raise Refusal("unknown_windows", "some windows are not held: send their texts", missing=missing)
        found = {digest: text for digest, text in texts.items() if text is not None}
        pairs = [_pair(number, row, now, found) for number, row in enumerate(rows)]
    except ValueError as error:
        raise Refusal("bad_request", str(error)) from error
    if all(pair.deadline <= now for pair in pairs):
        raise Refusal("deadline", "the deadline has passed")
    return pairs


def decode_scope(body: Any) -> str:
    """The scope of a request to score pairs; raises Refusal `bad_request` for what is none."""
    scope = body.get("scope", SHARED)
    if not isinstance(scope, str):
        raise Refusal("bad_request", f"scope must be a string, not {scope!r}")
    return scope


def _names(row: Any) -> list[str]:
    return _texts("windows", row.get("windows", [])) if isinstance(row, dict) else []


def _pair(number: int, row: Any, now: float, texts: Mapping[str, str]) -> Pair:
    windows = tuple(texts[digest] for digest in _names(row))
    match row:
        case {"hypothesis": str(hypothesis), "premise": str(premise)}:
            pass
        case {"hypothesis": str(hypothesis)} if windows and "premise" not in row:
            premise = "\n".join(windows)
        case _:
            raise ValueError(f"pairs[{number}] must have hypothesis, and premise or windows, as strings")
    left = _milliseconds(f"pairs[{number}].remaining_ms", row.get("remaining_ms", math.inf))
    importance = Importance(row.get("importance", Importance.OKAY))
    return Pair(premise, hypothesis, windows=windows, importance=importance, deadline=now + left / 1000)


def _milliseconds(name: str, told: Any) -> float:
    try:
        left = math.nan if isinstance(told, bool | str) else float(told)
    except (TypeError, OverflowError):  # JSON's integers have no end
        left = math.nan
    if math.isnan(left):
        raise ValueError(f"{name} must be a number of milliseconds, not {told!r}")
    return left


def encode_windows(windows: Sequence[str]) -> dict[str, Any]:
    """The request to read windows ahead of the claims about them."""
    return {"version": VERSION, "windows": list(windows)}


def decode_windows(body: Any, *, held: WindowTexts) -> list[str]:
    """The windows of a request to read them, which are kept in `held`; raises Refusal `bad_request`."""
    try:
        _check_version(body)
        windows = _texts("windows", body.get("windows"))
    except ValueError as error:
        raise Refusal("bad_request", str(error)) from error
    for window in windows:
        held.keep(window)
    return windows


def encode_scores(scores: Sequence[Scores], description: Description) -> dict[str, Any]:
    """The answer to a request to score pairs."""
    return {"version": VERSION, "digest": description.digest, "scores": [list(each) for each in scores]}


def decode_scores(body: Any, count: int, description: Description) -> list[Scores]:
    """The scores of `count` pairs in an answer; raises ValueError for anything else.

    An answer of a replica with another description is refused too: its scores mean something else.
    """
    _check_version(body)
    if body.get("digest") != description.digest:
        raise ValueError(f"it does not serve {description.name}, or with other thresholds")
    rows = body.get("scores")
    if not isinstance(rows, list) or len(rows) != count:
        raise ValueError(f"scores must be a list of {count}")
    try:
        return [Scores(*map(float, row)).check() for row in rows]
    except (TypeError, OverflowError) as error:
        raise ValueError(f"scores must be lists of three numbers: {error}") from error


def _check_version(body: Any) -> None:
    if not isinstance(body, dict) or body.get("version") != VERSION:
        raise ValueError(f"it must be a JSON object of version {VERSION}")


def _texts(name: str, found: Any) -> list[str]:
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise ValueError(f"{name} must be a list of strings")
    return found


@lru_cache(maxsize=8)  # it goes with every answer
def _digest_of(description: Description) -> str:
    return _digest(json.dumps(asdict(description), sort_keys=True))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
