"""The session: one conversation, which it guards turn by turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar
from uuid import uuid4

import anyio
import anyio.lowlevel
import anyio.to_thread

from vista_stream.arguments import (
    check_callback,
    check_deltas,
    check_parts,
    check_policy,
    checked_history,
)
from vista_stream.claims import Utterance, Verdict
from vista_stream.core.common_ground import Statement, Superseded
from vista_stream.core.talk import KEPT, lines_of, lines_of_turn
from vista_stream.errors import SessionStateError, kind_of
from vista_stream.events import Event
from vista_stream.members import members
from vista_stream.policy import Policy, Severity, without_notices
from vista_stream.portal import blocking_portal, call_through, entered
from vista_stream.report import SessionReport, TurnReport
from vista_stream.retrieval.reference import Reference, names_file
from vista_stream.source import Deltas
from vista_stream.stages.protocols import Grounds
from vista_stream.stages.stages import Stages
from vista_stream.stores.memory import MemoryStore
from vista_stream.stores.protocol import CommonGroundStore
from vista_stream.stores.session_memory import SessionMemory
from vista_stream.turn import Turn
from vista_stream.turn_stages import Callback, TurnParts
from vista_stream.verifiers.protocol import Verifier

_EventT = TypeVar("_EventT", bound=Event)


class Session:
    """One conversation, with its reference texts, common ground and policy; its turns run one at a time.

    Args:
        verifier: scores claims against evidence; None takes the embedded verifier.
        policy: what is done with verdicts; None takes `Policy()`. It may be set between turns: a turn goes by
            the policy that it was made with.
        background: facts that hold from the start (VISTA, step 0); they join the common ground.
        history: utterances before this session, oldest first. Pronouns and other references are resolved
            with them. The guard's own notices are removed from their text.
        stages: replaces whole stages; cannot be given together with `verifier`.
        store: keeps the common ground of `conversation`; None keeps it in memory. A ConversationStore is
            read before each turn, so sessions in other processes can continue the conversation.
        conversation: key of the conversation in the store; None makes a new key.
        log_text: whether log lines at DEBUG quote the text of users, answers and references.

    Raises ValueError, which names the argument, for a bad argument, such as a policy's thresholds where the
    stages take none. Raises ModelLoadError where the embedded models are needed and cannot be loaded.
    Loading takes some tenths of a second, once per process, and blocks: a server calls `preload` as it
    starts, or makes its sessions with `Session.create`.
    """

    def __init__(  # noqa: PLR0913  all but the verifier are named, and each has a default
        self,
        verifier: Verifier | None = None,
        *,
        policy: Policy | None = None,
        background: Iterable[str] = (),
        history: Iterable[Utterance] = (),
        stages: Stages | None = None,
        store: CommonGroundStore | None = None,
        conversation: str | None = None,
        log_text: bool = False,
    ) -> None:
        check_parts(verifier, policy, stages, store, conversation)
        self._unheard = [replace(each, text=without_notices(each.text)) for each in checked_history(history)]
        self._talk = deque(lines_of(self._unheard), maxlen=KEPT)
        known = members("background", background, str)
        self._stages = _default_stages(verifier) if stages is None else stages
        self.policy = Policy() if policy is None else policy
        self._discourse = self._stages.decompose.begin()
        self._references: list[Reference] = []
        self._memory = SessionMemory(
            MemoryStore() if store is None else store,
            conversation or uuid4().hex,
            background=[Statement(text=text, origin="background", turn=-1) for text in known],
            on_error=self.policy.on_store_error,
        )
        self._preparing: anyio.Lock | None = None
        self._callbacks: list[tuple[type, Callback]] = []
        self._reports: list[TurnReport] = []
        self._busy = False
        self._log_text = log_text

    @classmethod
    async def create(cls, verifier: Verifier | None = None, **arguments: Any) -> Self:
        """`Session(verifier, **arguments)`, with its models loaded in a thread: the event loop goes on."""
        if arguments.get("stages") is None:
            await preload(verifier)
        return cls(verifier, **arguments)

    # -- references, callbacks and common ground

    def add_reference(self, reference: str | Path | Reference, *, name: str | None = None) -> Reference:
        """Add a reference text: a str is the text itself, a Path names a UTF-8 file.

        A Reference that was built before is shared and not indexed again; it keeps its own name. A str or
        Path is read and cut here, some milliseconds for each 1,000 characters: on an event loop, build the
        Reference of a long text in a thread. Raises ValueError for an empty text, for a file that is not
        UTF-8, and for a str that looks like a file name, such as "notes.txt". (To use such a text, build the
        Reference.) Raises OSError for a file that cannot be read.
        """
        if isinstance(reference, Path):
            reference = Reference.from_path(reference, name=name)
        elif isinstance(reference, str):
            if names_file(reference):
                raise ValueError(
                    f"reference {reference!r} names a file: a str is the text itself, give Path(...)"
                )
            if not reference.strip():
                raise ValueError("reference must be a text that holds more than white space")
            reference = Reference(reference, name=name or f"reference {len(self._references) + 1}")
        elif not isinstance(reference, Reference):
            raise ValueError(f"reference must be a str, Path or Reference, not {kind_of(reference)}")
        elif name is not None:
            raise ValueError(f"name must be None for a Reference: it has its own, {reference.name!r}")
        self._references.append(reference)
        return reference

    def on(
        self, event: type[_EventT], callback: Callable[[_EventT], Awaitable[None] | None]
    ) -> Callable[[_EventT], Awaitable[None] | None]:
        """Call `callback` with each event of this class, in order, before the reader gets the event.

        The callback is sync or async. If it raises, the turn is cancelled and the turn's reader gets the
        error. Raises ValueError where `event` is not an event class, or `callback` cannot be called with
        one event.
        """
        check_callback(event, callback)
        self._callbacks.append((event, callback))
        return callback

    def remove_reference(self, reference: Reference) -> None:
        """Remove a reference: later claims are not compared with it.

        Claims that it verified stay in the common ground. Raises ValueError for a reference that is not
        one of the session's.
        """
        if not any(each is reference for each in self._references):
            raise ValueError("reference must be one of the session's, as add_reference returned it")
        self._references = [each for each in self._references if each is not reference]

    async def retract(self, statement: Statement | str) -> None:
        """Take a statement, or the one of this text, out of the common ground, and out of the store's.

        It decides no later claim. It comes back when a later turn verifies and shows it again. Raises
        ValueError where the common ground has no such statement, SessionStateError while a turn of this
        session runs, and StoreError where the store cannot be read or written. Under
        `on_store_error="continue"` what this session knows is taken out at once, and of the store with the
        next turn; StoreError is then raised for what only a store that cannot be read may know.
        """
        if not isinstance(statement, Statement | str):
            raise ValueError(f"statement must be a Statement or its text, not {kind_of(statement)}")
        text = statement if isinstance(statement, str) else statement.text
        self._enter()
        try:
            held = self._memory.ground.get(text)
            if not await self._memory.retract(text):
                raise ValueError(f"statement must be in the common ground, and this is not: {text!r}")
            if held is not None and held.turn >= 0:  # read no longer what the assistant said then
                left = (each for each in self._talk if each.role == "user" or each.turn != held.turn)
                self._talk = deque(left, maxlen=KEPT)
        finally:
            self._leave()

    def retract_sync(self, statement: Statement | str) -> None:
        """`retract` for code without an event loop; raises as it does."""
        with blocking_portal() as portal:
            call_through(portal, self.retract, statement)

    @property
    def policy(self) -> Policy:
        """What is done with verdicts; a turn goes by the policy that it was made with.

        Setting it raises ValueError for what is no Policy, and for thresholds where the stages take none.
        """
        return self._policy

    @policy.setter
    def policy(self, policy: Policy) -> None:
        check_policy(policy)
        self._stages.at(policy.thresholds)  # raises now what a turn would
        self._policy = policy

    @property
    def references(self) -> Sequence[Reference]:
        """The reference texts, in the order they were added."""
        return tuple(self._references)

    @property
    def common_ground(self) -> Sequence[Statement]:
        """Background knowledge and settled claims, in the order they were added."""
        return tuple(self._memory.ground)

    @property
    def superseded(self) -> Sequence[Superseded]:
        """Statements that hold no longer, in the order they were superseded or retracted, and by what."""
        return self._memory.ground.superseded

    @property
    def report(self) -> SessionReport:
        """The report of the turns that have ended."""
        return SessionReport(turns=tuple(self._reports), before=self._memory.before)

    # -- turns

    def turn(self, deltas: Deltas, *, query: str | None = None) -> Turn:
        """Guard one assistant turn: `async with session.turn(deltas, query=…) as turn`.

        `deltas` is any async or sync iterable of str, or a text, as one delta; `query` is what the user
        asked. Raises SessionStateError while another turn of this session runs, and ValueError for a
        bad argument.
        """
        check_deltas(deltas)
        if not isinstance(query, str | None):
            raise ValueError(f"query must be a str or None, not {kind_of(query)}")
        self._check_free()
        policy = self.policy
        parts = TurnParts(
            policy=policy,
            stages=self._stages.at(policy.thresholds),
            discourse=self._discourse,
            grounds=partial(self._grounds, policy),
            callbacks=self._callbacks,
            log_text=self._log_text,
            prepare=self._prepare,
            number=self._number,
            on_end=partial(self._end, policy, query),
            on_enter=partial(self._begin, policy),
            on_leave=self._leave,
        )
        return Turn([deltas] if isinstance(deltas, str) else deltas, query=query, parts=parts)

    def turn_sync(self, deltas: Deltas, *, query: str | None = None) -> Iterator[str]:
        """Guard one turn without an event loop: iterate the text that the user may see.

        All such turns of a process share one event loop in a thread of its own, so a callback that blocks
        delays them all.

        Raises as `turn` does, and SessionStateError for an async source where an event loop is already
        running: that loop would wait for itself.
        """
        if hasattr(deltas, "__aiter__") and _in_event_loop():
            raise SessionStateError(
                "an event loop is running: use `async with session.turn(...)` for an async source"
            )
        return _shown_text(self.turn(deltas, query=query))

    async def prepare(self) -> None:
        """Index the references and read the store and the history now instead of in the first turn.

        Indexing runs in a thread; a 2,000-token reference takes some tenths of a second. Raises StoreError
        or VerifierError.
        """
        self._memory.on_error = self.policy.on_store_error
        await self._prepare(None)

    # -- called by the turns

    def _grounds(self, policy: Policy) -> Grounds:
        return Grounds(
            references=tuple(self._references),
            common_ground=tuple(self._memory.ground),
            on_disagreement=policy.on_disagreement,
            talk=tuple(self._talk),
        )

    async def _prepare(self, query: str | None) -> None:
        # One call at a time, or history would be heard twice. The lock is dropped when nobody waits for it,
        # because a lock belongs to one event loop and a session may move to another.
        lock = self._preparing = self._preparing or anyio.Lock()
        async with lock:
            try:
                await self._prepare_alone(query)
            finally:
                if not lock.statistics().tasks_waiting:
                    self._preparing = None

    async def _prepare_alone(self, query: str | None) -> None:
        await self._memory.recall()
        while self._unheard:
            await self._discourse.hear(self._unheard[0])
            del self._unheard[0]  # only once it was heard: a cancelled call must hear it again
        if query:
            await self._discourse.hear(Utterance(role="user", text=query))
        await self._stages.verify.prepare(self._grounds(self.policy))

    def _number(self) -> int:
        return self._memory.before + len(self._reports)

    async def _end(
        self, policy: Policy, query: str | None, report: TurnReport, said: Sequence[str]
    ) -> TurnReport:
        self._talk.extend(lines_of_turn(query or "", said, turn=self._number()))
        self._reports.append(report)
        digests = [each.digest for each in self._references]
        await self._memory.keep(report, shown=_shown(report, policy), references=digests)
        self._reports[-1] = replace(report, store_error=self._memory.error)
        return self._reports[-1]

    def _check_free(self) -> None:
        if self._busy:
            raise SessionStateError("a turn of this session is running: end it first")

    def _enter(self) -> None:
        # Here and not in turn(): a turn that is made and never entered would block all others for good.
        self._check_free()
        self._busy = True

    def _begin(self, policy: Policy) -> None:
        self._enter()
        self._memory.on_error = policy.on_store_error

    def _leave(self) -> None:
        self._busy = False


async def preload(verifier: Verifier | None = None) -> None:
    """Load in a thread what a `Session(verifier)` needs, once per process; sessions are instant afterwards.

    Raises ModelLoadError where the embedded models are needed and cannot be loaded, and ValueError for what
    is no verifier.
    """
    check_parts(verifier, None, None, None, None)
    await anyio.to_thread.run_sync(_default_stages, verifier)


def _shown(report: TurnReport, policy: Policy) -> list[Verdict]:
    """Verdicts on sentences that the reader saw; withheld or replaced text is no common ground."""
    settled = ((v.claim.sentence, policy.action_for(v)) for v in report.verdicts)
    open_ = (
        (u.claim.sentence, policy.action_unresolved(u.claim.importance, u.reason)) for u in report.unresolved
    )
    gone = {sentence for sentence, action in (*settled, *open_) if action.severity >= Severity.REPLACE}
    return [verdict for verdict in report.verdicts if verdict.claim.sentence not in gone]


def _shown_text(turn: Turn) -> Iterator[str]:
    with blocking_portal() as portal, entered(portal, turn):
        text = turn.text()
        while (piece := call_through(portal, anext, text, None)) is not None:
            yield piece


def _in_event_loop() -> bool:
    try:
        anyio.lowlevel.current_token()
    except RuntimeError:
        return False
    return True


def _default_stages(verifier: Verifier | None) -> Stages:
    # Imported here because importing the package must not load the models' libraries.
    from vista_stream.stages.defaults import default_stages

    return default_stages(verifier)
