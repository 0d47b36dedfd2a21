"""The settings of `vista-stream serve`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from ipaddress import ip_address
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from vista_stream import Policy
from vista_stream.amounts import is_number
from vista_stream.members import check_tokens, members


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits on what clients may ask for. Raises ValueError for a limit that is not above 0."""

    body: int = 4 * 1024 * 1024
    """Most bytes of a request's body; over it, 413."""
    reference: int = 1_000_000
    """Most characters of one reference text; over it, 413."""
    references: int = 64
    """Most reference texts that one client may keep (over it, 429) or one request may send, with what
    its tools returned (over it, 400)."""
    sessions: int = 1000
    """Most conversations that are kept in memory; over it, 429 until one was idle for `timeouts.session`.

    A store has bounds of its own, and forgets a conversation for a new one. Give its number here too: `share`
    is a part of it."""
    streams: int = 256
    """Most answers in progress at a time; over it, 503."""
    share: float = 0.5
    """Most of `sessions` and of `streams` that one client may hold, as a part of 1; over it, 429. It counts
    where there are several tokens."""

    def __post_init__(self) -> None:
        _check_positive(self)
        if self.share > 1:
            raise ValueError(f"share must be a part of 1, not {self.share!r}")


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """Time-outs and intervals, all in seconds. Raises ValueError for one that is not above 0."""

    body: float = 30.0
    """Seconds to receive a request's body; after it, 408."""
    connect: float = 10.0
    """Seconds to connect to the upstream; after it, 504."""
    probe: float = 2.0
    """Seconds for the upstream to answer with its list of models, which `/readyz` asks for; after it, the
    proxy is not ready."""
    upstream: float = 60.0
    """Seconds of silence from the upstream; after it, 504, or an error event where the stream has begun."""
    keep_alive: float = 10.0
    """Seconds between two comments that are sent while text is held back."""
    client: float = 60.0
    """Seconds for which a client may leave a write unread; after it, the client is dropped."""
    idle: float = 75.0
    """Seconds in which a connection must send the whole head of its next request; after it, it is closed."""
    session: float = 3600.0
    """Seconds of idleness after which a conversation may be forgotten."""
    busy: float = 2.0
    """Seconds for which a request waits for its conversation's last answer to end; after it, 409."""
    drain: float = 30.0
    """Seconds for running answers to end after SIGTERM or SIGINT; after it, they are cancelled."""
    watch: float = 2.0
    """Seconds between two scans of the folder of references."""

    def __post_init__(self) -> None:
        _check_positive(self)


@dataclass(frozen=True, kw_only=True)
class ProxySettings:
    """The proxy's configuration. Its repr shows no secrets.

    Raises ValueError, naming the argument, for an upstream that is not an http(s) URL or holds a password,
    for tokens that are one str or hold an empty one, for an origin that no browser sends, for a port outside
    0..65535, and for an address other than loopback with neither tokens nor `open_network`.
    """

    upstream: str | None = None
    """Base URL of an OpenAI-compatible service, such as `http://127.0.0.1:8080/v1`; None serves only the
    page."""
    upstream_key: str | None = field(default=None, repr=False)
    """Bearer token for the upstream; the client's own token is never sent on."""
    tokens: frozenset[str] = field(default=frozenset(), repr=False)
    """Bearer tokens of which a client must send one; empty admits every client."""
    host: str = "127.0.0.1"
    port: int = 8700
    """TCP port; 0 takes a free one."""
    references: Path | None = None
    """Folder of reference texts for every request."""
    policy: Policy = field(default_factory=Policy)
    background: tuple[str, ...] = ()
    """Facts that hold at the start of every conversation."""
    tool_call_arguments: Literal["pass", "guard"] = "pass"
    """As in `Guard`: whether the values in tool calls' arguments are guarded."""
    json_values: Literal["pass", "guard"] = "guard"
    """As in `Guard`: whether numbers and booleans of a JSON answer are guarded."""
    finish_reason: Literal["content_filter", "stop"] | None = None
    """As in `Guard`: how an answer ends that the policy stopped."""
    origins: frozenset[str] = frozenset()
    """Web origins from which browsers may call (CORS); empty allows none but the proxy's own."""
    page: bool = True
    """Whether the page is served at `/`; it also shows text that the guard holds back."""
    log_text: bool = False
    """Whether logs may carry what users and models wrote."""
    open_network: bool = False
    """Whether to allow an address other than loopback without tokens."""
    limits: Limits = field(default_factory=Limits)
    timeouts: Timeouts = field(default_factory=Timeouts)

    def __post_init__(self) -> None:
        if self.upstream is not None:
            _check_upstream(self.upstream)
        check_tokens(self.tokens)
        _check_origins(self.origins)
        if not 0 <= self.port <= 65535:
            raise ValueError(f"port must be 0..65535, not {self.port!r}")
        if not self.loopback and not self.tokens and not self.open_network:
            raise ValueError(
                f"host {self.host} can be reached from other machines: give tokens (--token-file), "
                "or allow it with open_network=True (--open-network)"
            )

    def each(self, limit: int) -> int:
        """What one client may hold of a limit: its share, at least 1; all of it where there is one client."""
        return limit if len(self.tokens) < 2 else max(1, int(limit * self.limits.share))

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the host."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a host is "localhost", in any case and with or without a last dot, or a loopback address."""
    if host.lower().removesuffix(".") == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def read_secrets(*, file: str | None, variable: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Secrets, one a line, from a file or else from an environment variable; empty where neither is given.

    Raises ValueError for a file without a secret or not in UTF-8, and for a secret with a space or a
    character outside ASCII. Raises OSError where the file cannot be read.
    """
    try:
        text = environ.get(variable, "") if file is None else Path(file).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} must hold tokens in UTF-8, one a line") from error
    secrets = tuple(line.strip() for line in text.splitlines() if line.strip())
    if file is not None and not secrets:
        raise ValueError(f"{file} must hold a token a line: it is empty")
    if any(not secret.isascii() or " " in secret for secret in secrets):
        raise ValueError(f"{file or variable} must hold tokens of ASCII without spaces, one a line")
    return secrets


def _check_upstream(upstream: str) -> None:
    try:
        url = urlsplit(upstream)
        whole = url.scheme in ("http", "https") and url.hostname and url.port != 0
    except ValueError:  # no such port, or brackets without an address
        url, whole = urlsplit(""), False
    if not whole or url.query or url.fragment:
        raise ValueError("upstream must be an http or https URL, such as http://127.0.0.1:8080/v1")
    if url.username is not None or url.password is not None:
        raise ValueError("upstream must not hold a password: give the key by file or environment")


def _check_origins(origins: frozenset[str]) -> None:
    for origin in sorted(members("origins", origins, str)):
        if not _is_origin(origin):
            raise ValueError(
                "origins must be as a browser sends them, without a path or the scheme's own port, such as"
                f" https://example.org or http://127.0.0.1:3000, not {origin!r}"
            )


def _is_origin(text: str) -> bool:
    """Whether a browser may send the text in the header `Origin`."""
    try:
        url = urlsplit(text)
        own_port = (url.scheme, url.port) in (("http", 80), ("https", 443))
    except ValueError:
        return False
    whole = f"{url.scheme}://{url.netloc}".lower()
    return text == "null" or (bool(url.scheme and url.hostname) and text == whole and not own_port)


def _check_positive(limits: Limits | Timeouts) -> None:
    for entry in fields(limits):
        value = getattr(limits, entry.name)
        if not (is_number(value) and value > 0):
            raise ValueError(f"{entry.name} must be a number above 0, not {value!r}")
