"""What a store keeps of a conversation, and what a turn that ended makes of it. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import uuid4

from vista_stream.core.common_ground import Statement

_TURN_IDS = 512
"""Turns whose id is kept, so that one that is written twice counts once. Others may end many turns while a
write that is not known to have arrived waits to be tried again: with 2 ids, a turn was there twice."""
_QUESTIONS = 1000
_DIGESTS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptStatement:
    """A statement and its standing in the conversation."""

    statement: Statement
    place: int
    """Number in the conversation, from 0 in the order of adding; none is given twice."""
    superseded: bool = False
    """Whether a newer statement took its place; it holds no longer, and is kept as such."""
    withdrawn: bool = False
    """Whether the answer that made it was thrown away: the same question was asked again."""

    @property
    def holds(self) -> bool:
        """Whether it is common ground."""
        return not (self.superseded or self.withdrawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """All that a store keeps of one conversation."""

    kept: Sequence[KeptStatement] = ()
    """In the order they were added; the earliest are left out beyond the store's bounds."""
    turns: int = 0
    """How many turns ended."""
    places: int = 0
    """How many statements were ever added: the next one's place."""
    references: Sequence[str] = ()
    """Digests (`Reference.digest`) of the reference texts that turns were held to, latest last."""
    asked: Mapping[str, int] = field(default_factory=dict)
    """Digest of each question, and the place at which the latest answer to it begins."""
    ended: Sequence[str] = ()
    """Ids of the turns that ended last."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements that hold."""
        return tuple(entry.statement for entry in self.kept if entry.holds)

    def asking(self, question: str | None, since: int) -> Conversation:
        """The conversation as another answer to a question finds it, made by who had read up to `since`.

        What the first answer and all after it had added by then is withdrawn. Doing so again changes nothing.
        """
        if question is None or self.asked.get(question) == since:
            return self
        begin = self.asked.get(question)
        asked, kept = self.asked, self.kept
        if begin is not None:
            asked = {other: place for other, place in asked.items() if place < begin}
            kept = [
                replace(entry, withdrawn=True) if begin <= entry.place < since else entry for entry in kept
            ]
        return replace(self, kept=kept, asked=_latest({**asked, question: since}))


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedTurn:
    """What a turn adds to its conversation when it ends."""

    statements: Sequence[Statement] = ()
    id: str = field(default_factory=lambda: uuid4().hex[:16])
    """A turn is added once, however often it is written."""
    turn: int | None = None
    """Its number, from 0; None takes the next one, also for the statements."""
    references: Sequence[str] = ()
    """Digests of the reference texts it was held to."""
    superseded: frozenset[int] = frozenset()
    """Places of the earlier statements that these supersede."""
    question: str | None = None
    """Digest of what was asked, where asking again throws away the first answer."""
    since: int = 0
    """The conversation's `places` when the question was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much a store keeps. Raises ValueError, naming the argument, for one that is not above 0."""

    ttl: float | None = 7 * 24 * 3600.0
    """Seconds from the last turn of a conversation until it is forgotten; None: never."""
    conversations: int = 10_000
    """Conversations; beyond it the one whose last turn ended longest ago is forgotten."""
    statements: int = 1000
    """Statements of one conversation; beyond it the earliest are forgotten."""
    characters: int = 500_000
    """The same, in code points of their texts."""

    def __post_init__(self) -> None:
        for name in ("ttl", "conversations", "statements", "characters"):
            value = getattr(self, name)
            if name == "ttl" and value is None:
                continue
            kind = int | float if name == "ttl" else int
            if isinstance(value, bool) or not isinstance(value, kind) or not value > 0:
                whole = "" if name == "ttl" else "whole "
                raise ValueError(f"{name} must be a {whole}number above 0, not {value!r}")


def after(conversation: Conversation, turn: EndedTurn, bounds: Bounds) -> Conversation:
    """The conversation once the turn has ended; the same one where the turn was added before."""
    if turn.id in conversation.ended:
        return conversation
    number = conversation.turns if turn.turn is None else turn.turn
    asked = conversation.asking(turn.question, turn.since)
    new = [
        KeptStatement(statement=_numbered(statement, turn, number), place=place)
        for place, statement in enumerate(turn.statements, conversation.places)
    ]
    return replace(
        asked,
        kept=_bounded([*_superseded(asked.kept, turn.superseded), *new], bounds),
        turns=max(conversation.turns, number + 1),
        places=conversation.places + len(new),
        references=tuple(dict.fromkeys([*_without(asked.references, turn.references), *turn.references]))[
            -_DIGESTS:
        ],
        ended=(*asked.ended, turn.id)[-_TURN_IDS:],
    )


def _numbered(statement: Statement, turn: EndedTurn, number: int) -> Statement:
    return statement if statement.origin == "background" else replace(statement, turn=number)


def _superseded(kept: Sequence[KeptStatement], places: frozenset[int]) -> list[KeptStatement]:
    return [replace(entry, superseded=True) if entry.place in places else entry for entry in kept]


def _without(digests: Sequence[str], others: Sequence[str]) -> list[str]:
    return [digest for digest in digests if digest not in others]


def _bounded(kept: list[KeptStatement], bounds: Bounds) -> list[KeptStatement]:
    """The latest statements, as many as the bounds allow."""
    begin, characters = len(kept), 0
    for entry in reversed(kept[-bounds.statements :]):
        characters += len(entry.statement.text)
        if characters > bounds.characters:
            break
        begin -= 1
    return kept[begin:]


def _latest(asked: Mapping[str, int]) -> dict[str, int]:
    return dict(list(asked.items())[-_QUESTIONS:])
