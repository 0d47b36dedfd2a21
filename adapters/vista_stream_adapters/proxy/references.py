"""Reference texts that clients upload: kept in memory by id, separately for each client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from threading import Lock
from uuid import uuid4

from vista_stream import Reference
from vista_stream_adapters.proxy.errors import ApiError
from vista_stream_adapters.proxy.settings import Limits

_INDEXED = 64


class UploadedReferences:
    """The reference texts from `POST /v1/references`, kept until deleted or until the process ends."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._kept: dict[str, dict[str, Reference]] = {}
        self._adding = Lock()  # each upload is added in a thread of its own

    def add(self, client: str, body: object) -> tuple[str, Reference]:
        """Keep `{"name": ..., "text": ...}`; returns its id and its Reference.

        Raises ApiError: 400 for another body, 413 for a text that is too long, 429 over the limit. Blocking:
        a long text takes some tenths of a second.
        """
        name, text = parse_text(body, where="", limits=self._limits)
        own = self._kept.setdefault(client, {})
        self._check_room(own)
        key = f"ref_{uuid4().hex}"
        reference = make_reference(text, name=name or key, client=client, where="text")
        with self._adding:
            self._check_room(own)  # again: uploads that came meanwhile may have taken it
            own[key] = reference
        return key, reference

    def _check_room(self, own: Mapping[str, Reference]) -> None:
        if len(own) >= self._limits.references:
            raise ApiError(
                429, f"{len(own)} references are kept: delete one first", code="too_many_references"
            )

    def all(self, client: str) -> Sequence[tuple[str, Reference]]:
        """A client's references by id, oldest first."""
        return list(self._kept.get(client, {}).items())

    def get(self, client: str, key: str) -> Reference:
        """One reference; ApiError 404 where the client has none with that id."""
        reference = self._kept.get(client, {}).get(key)
        if reference is None:
            raise ApiError(404, f"there is no reference {key[:64]!r}", code="reference_not_found")
        return reference

    def delete(self, client: str, key: str) -> None:
        """Delete one; ApiError 404 where the client has none with that id."""
        self.get(client, key)
        del self._kept[client][key]


def parse_text(entry: object, *, where: str, limits: Limits) -> tuple[str | None, str]:
    """Name (None where there is none) and text of `{"name", "text"}`; ApiError 400 or 413."""
    match entry:
        case {"text": str(text), **rest} if isinstance(rest.get("name", ""), str):
            name = rest.get("name") or None
        case _:
            raise ApiError(
                400,
                f'{where or "the body"} must be {{"name": "...", "text": "..."}}',
                code="invalid_reference",
                param=where or None,
            )
    check_length(text, "a reference", where=where or "text", limits=limits)
    return (str(name)[:200] if name else None), text


def check_length(text: str, what: str, *, where: str, limits: Limits) -> None:
    """Raise ApiError 413 for a text that is too long; `what` and `where` name it and its field."""
    if len(text) > limits.reference:
        raise ApiError(
            413,
            f"{what} may have {limits.reference} characters, not {len(text)}",
            code="reference_too_large",
            param=where,
        )


def make_reference(text: str, *, name: str, client: str, where: str) -> Reference:
    """A client's Reference; ApiError 400 where the text holds no sentence."""
    try:
        return _indexed(text, name, client)
    except ValueError as error:
        raise ApiError(400, str(error), code="invalid_reference", param=where) from error


@lru_cache(maxsize=_INDEXED)
def _indexed(text: str, name: str, client: str) -> Reference:
    """A Reference, cached: a text sent with every request of a conversation is split and indexed once.

    `client` keeps clients apart: none can learn by the time taken that another has sent a text.
    """
    return Reference(text, name=name)
