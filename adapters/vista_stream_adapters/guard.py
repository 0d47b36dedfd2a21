"""`Guard`: the settings that all adapters share. It opens a guarded session for each text of an answer."""

from __future__ import annotations

import hashlib
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypeAlias, TypeVar

from anyio import to_thread

from vista_stream import Event, Policy, Reference, Session, Statement, TurnReport, Utterance, preload
from vista_stream.amounts import check_count
from vista_stream.arguments import check_callback, check_parts, check_policy, check_store
from vista_stream.caching import current_scope
from vista_stream.members import members
from vista_stream.stages import Stages
from vista_stream.stores import CommonGround, CommonGroundStore, ConversationStore
from vista_stream.stores.session_memory import store_errors
from vista_stream.verifiers import Verifier
from vista_stream_adapters.bounded_store import BoundedStore as BoundedStore
from vista_stream_adapters.course import Asked, Course, question_digest
from vista_stream_adapters.messages import Message as Message
from vista_stream_adapters.messages import message_text as message_text
from vista_stream_adapters.messages import retrieved_documents as retrieved_documents
from vista_stream_adapters.messages import utterance_of
from vista_stream_adapters.shared_turn import SharedTurn

logger = logging.getLogger("vista_stream")

T = TypeVar("T")

Documents: TypeAlias = Iterable[str | Path | Reference]
"""Reference texts as `Session.add_reference` takes them."""

Callback: TypeAlias = Callable[[Any], Awaitable[None] | None]
"""Takes one event; an exception that it raises cancels the turn."""

_INDEXED_TEXTS = 256
_COURSES = 1000
_NAMED = 8
"""Digits of a text's digest that name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one guarded text of an answer ended, or was left: its report and its token counts."""

    conversation: str | None
    report: TurnReport
    tokens_received: int
    """Tokens of this text that the upstream sent; an estimate of one token per four characters."""
    tokens_saved: int | None
    """Tokens that were never generated because the policy stopped the answer; an estimate.

    It is the mean length of this guard's texts that ran to their end, minus the tokens received. 0 for a
    text that was not stopped. None for a stopped text while no text has run to its end yet.
    """


@dataclass(kw_only=True)
class Guard:
    """How requests are guarded. Share one between all requests of an application.

    Raises ValueError for a policy in optimistic mode, since these protocols cannot take text back, and for
    the other fields where a value is not allowed, or a policy's thresholds where the stages take none.
    """

    references: Documents | Callable[[Sequence[Message]], Documents | str | Path | Reference] = ()
    """Reference texts of every request, or a callable that takes a request's messages and returns one or
    more reference texts, such as `retrieved_documents`. A text of the iterable is named by its place
    ("reference 1"), one of the callable by the first 8 digits of its `Reference.digest`."""
    policy: Policy = field(default_factory=Policy)
    background: Sequence[str] = ()
    """Facts that hold in every conversation from its start."""
    verifier: Verifier | None = None
    """None takes the embedded verifier. Give this or `stages`, not both."""
    stages: Stages | None = None
    store: CommonGroundStore = field(default_factory=BoundedStore)
    """Keeps the common ground by conversation key; a request without a key keeps none. With SqliteStore and
    RedisStore other processes can continue a conversation."""
    callbacks: Sequence[tuple[type[Event], Callback]] = ()
    """Event types and their callbacks, registered with `Session.on` in every session."""
    on_outcome: Callable[[Outcome], None] | None = None
    """Called when a guarded text has ended, was left or failed. Then an error that it raises is logged."""
    tool_call_arguments: Literal["pass", "guard"] = "pass"
    """With "guard", values in tool-call arguments and the input of custom tools are guarded like text.
    With "pass" they are sent on unguarded."""
    json_values: Literal["pass", "guard"] = "guard"
    """With "guard", numbers and booleans of a JSON document are claims ("the price is 120 eur"), and one that
    the policy holds back becomes `null`. With "pass" only strings are guarded."""
    finish_reason: Literal["content_filter", "stop"] | None = None
    """The `finish_reason` of a chat completion that the policy stopped. The `vista` field of its last chunk
    has `stopped` as well.

    None stands for `content_filter`, with one exception: `stop` where the official client's `stream()` or
    `parse()` asks for text. On `content_filter` these raise ContentFilterFinishReasonError and do not return
    the released text. An answer to a JSON schema ends with `content_filter` there as well, since a shortened
    answer need not fulfil the schema.

    In the responses API a stopped response has the status `incomplete`, and for `stop` the status
    `completed`. Under `guarded_provider` None stands for `stop`, because the Agents SDK treats an incomplete
    response as an error.
    """
    history: int = 20
    """How many of the latest earlier messages are used to resolve pronouns and other references."""
    show_withheld: bool = False
    """Whether verdicts in `chunk.vista` include the wording of claims from sentences that were not released.
    Callbacks always get the wording."""
    log_text: bool = False
    """Whether log lines at DEBUG (logger `vista_stream`) quote text; without it they have numbers only."""

    def __post_init__(self) -> None:
        self._check_parts()
        self._check_choices()
        self.background = members("background", self.background, str)
        self.callbacks = members("callbacks", self.callbacks, tuple)
        for pair in self.callbacks:
            if len(pair) != 2:
                raise ValueError(f"callbacks must hold pairs of an event class and a callback, not {pair!r}")
            check_callback(*pair)
        if not callable(self.references):
            self.references = _texts(self.references)
        self._indexed: OrderedDict[str, Reference] = OrderedDict()
        self._courses: OrderedDict[str, Course] = OrderedDict()
        self._keeping = Lock()
        self._finished = 0
        self._finished_tokens = 0

    def _check_parts(self) -> None:
        check_policy(self.policy)
        check_store(self.store)
        check_parts(self.verifier, self.policy, self.stages, self.store, None)
        if self.policy.mode == "optimistic":
            raise ValueError("policy must be in mode 'verify_first': a sent delta cannot be taken back")
        if self.stages is not None:
            self.stages.at(self.policy.thresholds)  # raises now what each session would

    def _check_choices(self) -> None:
        for name in ("tool_call_arguments", "json_values"):
            if getattr(self, name) not in ("pass", "guard"):
                raise ValueError(f"{name} must be 'pass' or 'guard', not {getattr(self, name)!r}")
        if self.finish_reason not in ("content_filter", "stop", None):
            raise ValueError(
                f"finish_reason must be 'content_filter', 'stop' or None, not {self.finish_reason!r}"
            )
        check_count("history", self.history, of="messages", least=0)
        if self.on_outcome is not None and not callable(self.on_outcome):
            raise ValueError(f"on_outcome must be callable, with an Outcome, not {self.on_outcome!r}")

    async def open_session(
        self, messages: Sequence[Message], conversation: str | None = None, *, keeps: bool = True
    ) -> tuple[Session, str | None]:
        """As `session_for`, but models are loaded and new reference texts are indexed in a thread."""
        if self.stages is None:
            await preload(self.verifier)
        documents = self._documents(messages)
        if all(isinstance(document, Reference) for document in documents):
            references = self._built(documents)
        else:
            references = await to_thread.run_sync(self._built, documents, abandon_on_cancel=True)
        return self.session_for(messages, conversation, keeps=keeps, references=references)

    def session_for(
        self,
        messages: Sequence[Message],
        conversation: str | None = None,
        *,
        keeps: bool = True,
        references: Sequence[Reference] | None = None,
    ) -> tuple[Session, str | None]:
        """A session for one guarded text that answers `messages`, and the query of its turn.

        The query is the last user message, and the history is what came before it. Sessions of one
        conversation share its common ground through the store. With `keeps=False` the session reads the
        common ground and adds nothing, as for an alternative answer.

        Messages that were answered before in the conversation ask for another answer. What the first answer
        and all later ones added then no longer holds. A guard knows the answers that it guarded itself; with
        a shared store, also those of other guards. With `references=None` the reference texts are
        `references_for(messages)`.

        Raises ModelLoadError where the embedded models cannot be loaded; loading takes some tenths of a
        second, once a process. Blocking where there is a new text to index.
        """
        heard = [utterance for message in messages if (utterance := utterance_of(message)) is not None]
        last = max((i for i, utterance in enumerate(heard) if utterance.role == "user"), default=None)
        earlier = heard if last is None else heard[:last]
        session = Session(
            self.verifier,
            policy=self.policy,
            background=self.background,
            history=earlier[-self.history :] if self.history else (),
            stages=self.stages,
            store=None if conversation is None else self._turn_store(messages, conversation, heard, keeps),
            conversation=conversation,
            log_text=self.log_text,
        )
        for reference in self.references_for(messages) if references is None else references:
            session.add_reference(reference)
        for event, callback in self.callbacks:
            session.on(event, callback)
        return session, None if last is None else heard[last].text

    async def common_ground(self, conversation: str) -> Sequence[Statement]:
        """What answers added to a conversation's common ground, without statements of discarded answers.

        Raises StoreError where the store cannot be read.
        """
        with store_errors():
            kept = await self.store.load(conversation)
        if isinstance(self.store, ConversationStore):
            return kept
        return tuple(CommonGround(self._course(conversation).left(kept)))

    def references_for(self, messages: Sequence[Message]) -> Sequence[Reference]:
        """The reference texts of a request; equal texts are indexed once. Blocking for a new text."""
        return self._built(self._documents(messages))

    def settle(self, report: TurnReport, conversation: str | None = None, *, whole: bool = True) -> Outcome:
        """Make the Outcome of a guarded text, and call `on_outcome` with it.

        `whole` is False for a text that was left or failed: another error is on its way, so that one of
        `on_outcome` is logged.
        """
        received = -(-report.received // 4)
        saved: int | None = 0
        if report.stopped:
            mean = self._finished_tokens // self._finished if self._finished else None
            saved = None if mean is None else max(0, mean - received)
        elif whole:
            self._finished += 1
            self._finished_tokens += received
        outcome = Outcome(
            conversation=conversation, report=report, tokens_received=received, tokens_saved=saved
        )
        if self.on_outcome is not None:
            try:
                self.on_outcome(outcome)
            except Exception:
                if whole:
                    raise
                logger.exception("on_outcome raised for a text that was left or failed")
        return outcome

    def _turn_store(
        self, messages: Sequence[Message], conversation: str, heard: Sequence[Utterance], keeps: bool
    ) -> CommonGroundStore:
        """The store for the session of one turn: it numbers the turn and hides discarded statements."""
        last = max((i for i, utterance in enumerate(heard) if utterance.role == "user"), default=len(heard))
        answers = [i for i, utterance in enumerate(heard) if utterance.role == "assistant"]
        # Without any answer it is the first request, or one of a client that sends its latest message alone.
        turn = sum(i < last for i in answers) if answers else None
        asked = messages if isinstance(messages, Asked) else None
        asks = keeps or asked is not None
        question = question_digest(messages, heard) if asks else None
        if isinstance(self.store, ConversationStore):
            return SharedTurn(self.store, asked=asked, question=question, turn=turn, keeps=keeps)
        course = self._course(conversation)
        return _OneTurn(self.store, course, asked=asked, question=question, turn=turn, keeps=keeps)

    def _course(self, conversation: str) -> Course:
        return self._latest(self._courses, conversation, Course(), limit=_COURSES)

    def _latest(self, kept: OrderedDict[str, T], key: str, new: T, *, limit: int) -> T:
        """The value kept under a key, else `new`, which is then kept.

        Over the limit the least recently used value is dropped.
        """
        with self._keeping:  # sessions in several threads share the mapping
            found = kept.setdefault(key, new)
            kept.move_to_end(key)
            if len(kept) > limit:
                kept.popitem(last=False)
        return found

    def _documents(self, messages: Sequence[Message]) -> Sequence[str | Path | Reference]:
        found = self.references(messages) if callable(self.references) else self.references
        return (found,) if isinstance(found, str | Path | Reference) else tuple(found)

    def _built(self, documents: Sequence[str | Path | Reference]) -> Sequence[Reference]:
        return [self._reference(document, number) for number, document in enumerate(documents, 1)]

    def _reference(self, document: str | Path | Reference, number: int) -> Reference:
        if isinstance(document, Reference):
            return document
        found = callable(self.references)
        scope = current_scope() if found else ""
        if isinstance(document, Path):
            # With the modification time in the key, a changed file is read again.
            key = f"{scope}:{document.stat().st_mtime_ns}:{document}"
            build = partial(Reference.from_path, document)
        else:
            # What a callable finds stands at another place in the next request: its name does not tell which.
            name = f"reference {_digest(document) if found else number}"
            key = f"{scope}:{name}:{document}"
            build = partial(Reference, document, name=name)
        reference = self._indexed.get(key)
        if reference is None:
            reference = build()
        return self._latest(self._indexed, key, reference, limit=_INDEXED_TEXTS)


def _texts(references: object) -> Sequence[str | Path | Reference]:
    if isinstance(references, str | Path | Reference) or not isinstance(references, Iterable):
        raise ValueError(
            "references must be an iterable of reference texts, or a callable, "
            f"not one {type(references).__name__}"
        )
    texts = tuple(references)
    for text in texts:
        if not isinstance(text, str | Path | Reference):
            raise ValueError(f"references must hold str, Path and Reference only, not {type(text).__name__}")
    return texts


def _digest(text: str) -> str:
    return hashlib.sha256(str(text).encode("utf-8", "backslashreplace")).hexdigest()[:_NAMED]


class _OneTurn:
    """A store for the session of one turn: it numbers the turn and hides discarded statements."""

    def __init__(
        self,
        store: CommonGroundStore,
        course: Course,
        *,
        asked: Asked | None,
        question: str | None,
        turn: int | None,
        keeps: bool,
    ) -> None:
        self._store = store
        self._course = course
        self._asked = Asked(()) if asked is None else asked
        self._question = question
        self._turn = turn
        self._keeps = keeps

    async def load(self, conversation: str) -> Sequence[Statement]:
        held = self._course.ground(await self._store.load(conversation), self._asked, self._question)
        if self._asked.turn is None:
            self._asked.turn = 1 + max((statement.turn for statement in held), default=-1)
        return held

    async def append(self, conversation: str, statements: Sequence[Statement]) -> None:
        if self._keeps:
            turn = (self._asked.turn or 0) if self._turn is None else self._turn
            numbered = [replace(statement, turn=turn) for statement in statements]
            await self._store.append(conversation, numbered)
