"""A verifier that asks a pool, whichever way its requests are carried: retries, hedging, the fallback."""

from __future__ import annotations

import asyncio
import logging
import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from math import inf
from threading import Lock
from types import TracebackType
from typing import Any, Self, TypeVar
from weakref import WeakKeyDictionary

import anyio

from vista_stream.caching import current_scope
from vista_stream.claims import Importance, Pair, Scores
from vista_stream.core.judge import Thresholds
from vista_stream.core.pooling import Pooling
from vista_stream.errors import Overload, SessionStateError, VerifierError, VerifierUnreachable
from vista_stream.verifiers.pool.race import Refused, Unanswered, first_answer
from vista_stream.verifiers.pool.replicas import Replica, Replicas
from vista_stream.verifiers.pool.settings import PoolSettings
from vista_stream.verifiers.pool.wire import (
    Description,
    Refusal,
    decode_scores,
    encode_pairs,
    encode_windows,
    window_digest,
)
from vista_stream.verifiers.protocol import Reader, Verifier, reader_of

logger = logging.getLogger("vista_stream.pool")

T = TypeVar("T")

_REFUSALS = {"draining": Unanswered, "unauthorized": Refused, "not_found": Refused}
"""What a refusal becomes that says something of the replica, not of what was asked: another may answer."""
_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 0.5
_SLOW = 2.0
"""A call is slow, and may be hedged, once it took this many times the mean of the latest answers."""
_SOON = 0.5
"""Seconds after which a second replica is asked what the pool serves."""


class PoolVerifier(ABC):
    """Scores pairs by asking a pool of replicas.

    A call goes to the replica with the fewest calls under way. Where that gives no answer, refuses this
    client's token or sheds the call, the next one is asked: a second call changes nothing. Deadlines travel
    along, so a replica drops what nobody waits for. A replica that fails several times in a row is left
    alone for a while (`Breaker`), unless no other answers and there is no fallback. A call with a VITAL
    claim that is slow is also sent to a second replica, and the first answer counts.

    Where no replica answers, the fallback scores the pairs; without one VerifierUnreachable is raised, and
    the policy decides about the unresolved claims. Too much load raises Overload, as a local queue does.

    It runs on asyncio, with separate connections for each event loop; on trio it raises SessionStateError.
    Close it with `aclose()`, or use `async with`.
    """

    def __init__(
        self, description: Description, *, fallback: Verifier | None, settings: PoolSettings | None
    ) -> None:
        self._description = description
        self._fallback = fallback
        self._settings = PoolSettings() if settings is None else settings
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, Replicas] = WeakKeyDictionary()
        self._keeping = Lock()  # synchronous clients in threads have an event loop each

    @property
    def name(self) -> str:
        """The model's name, as the replicas say it."""
        return self._description.name

    @property
    def kind(self) -> str:
        """The name of the class of the replicas' verifier, such as EmbeddedVerifier."""
        return self._description.kind

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds from which the model's scores decide a category, as the replicas say them."""
        return self._description.thresholds

    @property
    def pooling(self) -> Pooling | None:
        """The model's pooling, as the replicas say it."""
        return self._description.pooling

    @property
    def reader(self) -> Reader | None:
        """This verifier where the replicas' model reads windows once, else None."""
        return self if self._description.reads else None

    async def score(self, pairs: Sequence[Pair]) -> list[Scores]:
        """One score triple for each pair, in the same order.

        Raises Overload, VerifierUnreachable, and InferenceError where the replica's verifier raised.
        """
        if not pairs:
            return []
        replicas = self._here()
        try:
            return await _insist(
                lambda: self._round(replicas, pairs),
                patience=0.0 if self._fallback is not None else self._settings.patience,
                deadline=_latest_deadline(pairs),
            )
        except VerifierUnreachable:
            if self._fallback is None:
                raise
            return list(await self._fallback.score(pairs))

    async def read(self, windows: Sequence[str]) -> None:
        """Have every replica read windows ahead; `score` sends what a replica does not hold."""
        replicas = self._here()
        asked = replicas.available() or replicas.available(last_resort=self._fallback is None)
        failures: list[VerifierError] = []

        async def tell(replica: Replica) -> None:
            try:
                with replica.call(lost=inf):
                    await _answer(replica, replica.ask("/read", encode_windows(windows)))
            except VerifierError as error:
                failures.append(error)
            else:
                for window in windows:
                    replica.told.put(window_digest(window), True)

        async with anyio.create_task_group() as tasks:
            for replica in asked:
                tasks.start_soon(tell, replica)
        if len(failures) < len(asked):
            return  # one has read them; the others are sent what they do not hold with the pairs
        raised = next((error for error in failures if not isinstance(error, Unanswered)), None)
        if raised is not None:
            raise raised
        if self._fallback is None:
            raise VerifierUnreachable(str(failures[-1]))
        if (reader := reader_of(self._fallback)) is not None:
            await reader.read(windows)

    async def aclose(self) -> None:
        """Close this event loop's connections; a later call opens new ones."""
        with self._keeping:
            replicas = self._loops.pop(asyncio.get_running_loop(), None)
        if replicas is not None:
            with anyio.CancelScope(shield=True):  # nobody else knows them any more
                await replicas.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    @abstractmethod
    def _open(self) -> Replicas:
        """The replicas, with connections for the running event loop."""

    def _here(self) -> Replicas:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise SessionStateError(f"{type(self).__name__} runs on asyncio alone") from None
        with self._keeping:
            found = self._loops.get(loop)
            if found is None:
                found = self._loops[loop] = self._open()
        return found

    async def _round(self, replicas: Replicas, pairs: Sequence[Pair]) -> list[Scores]:
        """Ask the available replicas, each once; without a fallback also those that are left alone."""
        asked = replicas.available(last_resort=self._fallback is None)
        if not asked:
            raise Unanswered("all replicas of the pool failed lately and are left alone for a while")
        slow = max(self._settings.hedge, _SLOW * replicas.pace.mean(len(pairs)))
        vital = any(pair.importance is Importance.VITAL for pair in pairs)
        return await first_answer(
            [partial(self._asked, replicas, replica, pairs, slow) for replica in asked],
            hedge=slow if vital or not asked[0].breaker.closed else inf,  # a probe may stay unanswered
        )

    async def _asked(
        self, replicas: Replicas, replica: Replica, pairs: Sequence[Pair], slow: float
    ) -> list[Scores]:
        begun = anyio.current_time()
        left = max(pair.deadline for pair in pairs) - begun
        within = inf if self._fallback is None else left / 2
        with replica.call(lost=min(slow, left)):
            body = await _answer(replica, _sent(replica, pairs, within=within))
            try:
                scores = decode_scores(body, len(pairs), self._description)
            except ValueError as error:
                raise Unanswered(f"{replica.name}: {error}") from error
        replicas.pace.note(len(pairs), anyio.current_time() - begun)
        return scores


async def _sent(replica: Replica, pairs: Sequence[Pair], *, within: float) -> Any:
    """Send pairs and the windows that the replica was not sent; all windows where it dropped one."""

    async def send(known: Callable[[str], bool]) -> Any:
        body = encode_pairs(pairs, anyio.current_time(), known=known, scope=current_scope())
        return await replica.ask("/score", body, within=within)

    try:
        body = await send(lambda digest: replica.told.get(digest) is not None)
    except Refusal as refusal:
        if refusal.code != "unknown_windows":
            raise
        body = await send(lambda digest: False)
    for window in {window for pair in pairs for window in pair.windows}:
        replica.told.put(window_digest(window), True)
    return body


async def agreed(replicas: Replicas, fallback: Verifier | None, settings: PoolSettings) -> Description:
    """What a pool serves: its word, asked for `patience` seconds, else the fallback's.

    Raises VerifierUnreachable without either, and ValueError where the fallback decides at other thresholds.
    """
    try:
        description = await _insist(lambda: _described(replicas), patience=settings.patience, deadline=inf)
    except VerifierUnreachable as error:
        if fallback is None:
            raise
        logger.warning("the pool cannot be asked what it serves, so the fallback says it: %s", error)
        description = Description.of(fallback)
    if fallback is not None and not description.decides_as(Description.of(fallback)):
        raise ValueError(
            f"fallback must decide at the thresholds and with the pooling of the pool's {description.name}: "
            "give it the same model"
        )
    return description


def _latest_deadline(pairs: Sequence[Pair]) -> float:
    """Event-loop time after which nobody waits for any of the pairs; raises Overload where that is past."""
    deadline = max(pair.deadline for pair in pairs)
    if deadline <= anyio.current_time():
        raise Overload("the deadline passed before a replica was asked")
    return deadline


async def _insist(call: Callable[[], Awaitable[T]], *, patience: float, deadline: float) -> T:
    """What `call` gives; it is repeated, after a pause that doubles, while it raises Unanswered.

    `patience` seconds after the first time, or at the deadline (event-loop time), VerifierUnreachable is
    raised. How long the first time took does not count: a replica may die that had a call for long.
    """
    pause, until = _FIRST_PAUSE, None
    while True:
        try:
            return await call()
        except Unanswered as error:
            now = anyio.current_time()
            until = min(deadline, now + patience) if until is None else until
            if until - now < pause:
                raise VerifierUnreachable(str(error)) from error
        await anyio.sleep(pause * random.uniform(0.5, 1.0))
        pause = min(2 * pause, _LONGEST_PAUSE)


async def _described(replicas: Replicas) -> Description:
    """What the first replica that answers says of its verifier."""

    async def ask(replica: Replica) -> Description:
        body = await _answer(replica, replica.ask("/verifier"))
        try:
            return Description.from_json(body)
        except ValueError as error:
            raise Unanswered(f"{replica.name}: {error}") from error

    return await first_answer([partial(ask, replica) for replica in replicas.available()], hedge=_SOON)


async def _answer(replica: Replica, asked: Awaitable[Any]) -> Any:
    """What a replica answers; a refusal becomes the exception that a local verifier would raise."""
    try:
        return await asked
    except Refusal as refusal:
        if (kind := _REFUSALS.get(refusal.code)) is not None:
            raise kind(f"{replica.name}: {refusal}") from refusal
        raise refusal.error from refusal
