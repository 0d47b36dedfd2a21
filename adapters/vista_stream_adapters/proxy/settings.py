"""The settings of `vista-stream serve`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from vista_stream import Policy


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What clients may ask for at most. Raises ValueError for one below 1."""

    body: int = 4 * 1024 * 1024
    """Bytes of a request's body; over it, 413."""
    reference: int = 1_000_000
    """Characters of one reference text; over it, 413."""
    references: int = 64
    """Reference texts that one client may keep or one request may send; over it, 429 or 400."""
    sessions: int = 1000
    """Conversations that are kept at a time; over it, 429 until one has been idle long enough."""
    streams: int = 256
    """Answers under way at a time; over it, 503."""

    def __post_init__(self) -> None:
        _check_positive(self)


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """Seconds. Raises ValueError for one that is not above 0."""

    body: float = 30.0
    """To receive a request's body; then 408."""
    connect: float = 10.0
    """To connect to the upstream; then 504."""
    probe: float = 2.0
    """For the upstream to answer `/readyz` through its list of models; then the proxy is not ready."""
    upstream: float = 60.0
    """Of silence from the upstream; then 504, or an error event where the stream has begun."""
    keep_alive: float = 10.0
    """Between two comments that are sent while text is held back."""
    client: float = 60.0
    """That a client may leave a write unread; then its stream is dropped."""
    session: float = 3600.0
    """Of idleness after which a conversation may be forgotten."""
    drain: float = 30.0
    """For streams under way to end after SIGTERM; then they are cancelled."""
    watch: float = 2.0
    """Between two looks at the folder of references."""

    def __post_init__(self) -> None:
        _check_positive(self)


@dataclass(frozen=True, kw_only=True)
class ProxySettings:
    """The proxy's configuration. Secrets stay out of its repr.

    Raises ValueError, naming the argument, for an upstream that is no http(s) URL, a port that cannot
    be, or an address other than loopback without a token.
    """

    upstream: str | None = None
    """Base URL of an OpenAI-compatible service, such as `http://127.0.0.1:8080/v1`; None: the page alone."""
    upstream_key: str | None = field(default=None, repr=False)
    """Bearer token for the upstream; the client's own is never sent on."""
    tokens: frozenset[str] = field(default=frozenset(), repr=False)
    """Bearer tokens that clients must show one of; empty lets every local client in."""
    host: str = "127.0.0.1"
    port: int = 8700
    """0 takes a free one."""
    references: Path | None = None
    """Folder of reference texts for every request."""
    policy: Policy = field(default_factory=Policy)
    background: tuple[str, ...] = ()
    """Facts that hold at the start of every conversation."""
    origins: frozenset[str] = frozenset()
    """Web origins that browsers may call from (CORS); empty: none."""
    page: bool = True
    """Whether the page is served at `/`; it shows text that the guard holds back."""
    log_text: bool = False
    """Whether logs may carry what users and models wrote."""
    open_network: bool = False
    """Whether an address other than loopback is served without a token."""
    limits: Limits = field(default_factory=Limits)
    timeouts: Timeouts = field(default_factory=Timeouts)

    def __post_init__(self) -> None:
        if self.upstream is not None:
            url = urlsplit(self.upstream)
            if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment:
                raise ValueError("upstream must be an http or https URL, such as http://127.0.0.1:8080/v1")
            if url.username is not None or url.password is not None:
                raise ValueError("upstream must not hold a password: give the key by file or environment")
        if not 0 <= self.port <= 65535:
            raise ValueError(f"port must be 0..65535, not {self.port!r}")
        if not self.loopback and not self.tokens and not self.open_network:
            raise ValueError(
                f"host {self.host} can be reached from other machines: give tokens (--token-file), "
                "or allow it with open_network=True (--open-network)"
            )

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the host."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def read_secrets(*, file: str | None, variable: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Secrets, one a line of a file, or else of an environment variable; empty where neither is given.

    Raises ValueError for a file that holds none or is not UTF-8, and OSError where it cannot be read.
    """
    text = environ.get(variable, "") if file is None else Path(file).read_text(encoding="utf-8")
    secrets = tuple(line.strip() for line in text.splitlines() if line.strip())
    if file is not None and not secrets:
        raise ValueError(f"{file} must hold a token a line: it is empty")
    if any(not secret.isascii() or " " in secret for secret in secrets):
        raise ValueError(f"{file or variable} must hold tokens of ASCII without spaces, one a line")
    return secrets


def _check_positive(limits: Limits | Timeouts) -> None:
    for entry in fields(limits):
        value = getattr(limits, entry.name)
        if not value > 0:
            raise ValueError(f"{entry.name} must be above 0, not {value!r}")
