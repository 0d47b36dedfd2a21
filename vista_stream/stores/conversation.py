"""The conversation that a store keeps, and how a turn that ended changes it. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import uuid4

from vista_stream.amounts import is_number, is_whole
from vista_stream.core.common_ground import CommonGround, Statement, Superseded

_TURN_IDS = 512
"""Latest turns whose ids are kept, so that a turn written twice is added once. Other sessions may end many
turns while a write with an unknown outcome waits for its retry: with only 2 ids, a turn was added twice."""
_QUESTIONS = 1000
_DIGESTS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptStatement:
    """A statement, its place in the conversation, and whether it still holds."""

    statement: Statement
    place: int
    """Number in the conversation, from 0 in the order of adding; never reused."""
    withdrawn: bool = False
    """Whether its answer was discarded because the same question was asked again."""
    question: str | None = None
    """`EndedTurn.question` of its turn."""
    answer: str = ""
    """`EndedTurn.answer` of its turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """All that a store keeps of one conversation."""

    kept: Sequence[KeptStatement] = ()
    """Statements in the order in which they were added, also those that were superseded or withdrawn, and
    retractions; beyond the bounds the earliest are dropped."""
    turns: int = 0
    """Number of turns that ended."""
    places: int = 0
    """Number of statements ever added, which is the next statement's place."""
    references: Sequence[str] = ()
    """Digests (`Reference.digest`) of the reference texts that turns were checked against, latest last."""
    asked: Mapping[str, int] = field(default_factory=dict)
    """For the digest of each question, the place at which the latest answer to it begins."""
    ended: Sequence[str] = ()
    """Ids of the latest turns, latest last."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements that hold, each wording once."""
        return tuple(CommonGround(self.said))

    @property
    def said(self) -> tuple[Statement, ...]:
        """All that was not withdrawn, what was superseded or retracted included."""
        return tuple(entry.statement for entry in self.kept if not entry.withdrawn)

    @property
    def superseded(self) -> Sequence[Superseded]:
        """What holds no longer, in the order it was superseded or retracted."""
        return CommonGround(self.said).superseded

    def number(self, question: str | None) -> int:
        """The number of a turn that answers `question`: the next one, or its earlier answer's."""
        begin = None if question is None else self.asked.get(question)
        if begin is None:
            return self.turns
        since = (each.statement for each in self.kept if each.place >= begin)
        return next((each.turn for each in since if each.origin == "claim"), max(0, self.turns - 1))

    def asking(self, question: str | None, since: int, answer: str = "") -> Conversation:
        """The conversation for an `answer` to `question` that was asked when `places` was `since`.

        If the question was asked before, the statements of its earlier answer, and of all answers after that
        one up to `since`, are withdrawn; so are those of another answer to it that was under way at the same
        time. Retractions stay. Calling it again changes nothing, and neither does an answer that is replaced.
        """
        if question is None or self.replaced(question, since, answer):
            return self
        begin = self.asked.get(question, since)
        kept = [
            _withdrawn(entry)
            if begin <= entry.place < since or (entry.question == question and entry.answer != answer)
            else entry
            for entry in self.kept
        ]
        asked = self.asked
        if begin != since:
            asked = {other: place for other, place in asked.items() if place < begin}
        return replace(self, kept=kept, asked=_latest({**asked, question: since}))

    def replaced(self, question: str | None, since: int, answer: str) -> bool:
        """Whether another answer took this one's place: one that was asked for later, or that withdrew it."""
        if question is not None and self.asked.get(question, since) > since:
            return True
        return answer != "" and any(entry.withdrawn and entry.answer == answer for entry in self.kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedTurn:
    """What a turn adds to its conversation when it ends."""

    statements: Sequence[Statement] = ()
    id: str = field(default_factory=lambda: uuid4().hex[:16])
    """Identifies the turn; a turn with the same id is added once, however often it is written."""
    turn: int | None = None
    """The turn's number, from 0, which its statements get too; None takes the next number."""
    references: Sequence[str] = ()
    """Digests of the reference texts that it was checked against."""
    question: str | None = None
    """Digest of the question, where asking it again discards the earlier answer; else None."""
    since: int = 0
    """The conversation's `places` when the question was asked."""
    answer: str = ""
    """Identifies the answer that the turn is a text of; the texts of one answer have the same one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much a store keeps. Raises ValueError, naming the field, for a value that is not above 0."""

    ttl: float | None = 7 * 24 * 3600.0
    """Seconds from the last turn of a conversation until it is forgotten; None keeps it for ever."""
    conversations: int = 10_000
    """Most conversations; beyond it, the one whose last turn ended longest ago is forgotten."""
    statements: int = 1000
    """Most statements of one conversation; beyond it, the earliest are dropped."""
    characters: int = 500_000
    """Most code points of the statements of one conversation; beyond it, the earliest are dropped."""

    def __post_init__(self) -> None:
        for name in ("ttl", "conversations", "statements", "characters"):
            value = getattr(self, name)
            if name == "ttl" and value is None:
                continue
            is_kind, whole = (is_number, "") if name == "ttl" else (is_whole, "whole ")
            if not (is_kind(value) and value > 0):
                raise ValueError(f"{name} must be a {whole}number above 0, not {value!r}")


def after(conversation: Conversation, turn: EndedTurn, bounds: Bounds) -> Conversation:
    """The conversation with the ended turn; the same object where the turn was added before."""
    if turn.id in conversation.ended:
        return conversation
    number = conversation.turns if turn.turn is None else turn.turn
    asked = conversation.asking(turn.question, turn.since, turn.answer)
    new = [
        KeptStatement(
            statement=_numbered(statement, turn, number),
            place=place,
            question=turn.question,
            answer=turn.answer,
        )
        for place, statement in enumerate(turn.statements, conversation.places)
    ]
    if conversation.replaced(turn.question, turn.since, turn.answer):
        new = list(map(_withdrawn, new))
    return replace(
        asked,
        kept=_bounded([*asked.kept, *new], bounds),
        turns=max(conversation.turns, number + 1),
        places=conversation.places + len(new),
        references=tuple(dict.fromkeys([*_without(asked.references, turn.references), *turn.references]))[
            -_DIGESTS:
        ],
        ended=(*asked.ended, turn.id)[-_TURN_IDS:],
    )


def _withdrawn(entry: KeptStatement) -> KeptStatement:
    return entry if entry.statement.origin == "retraction" else replace(entry, withdrawn=True)


def _numbered(statement: Statement, turn: EndedTurn, number: int) -> Statement:
    return statement if statement.origin == "background" else replace(statement, turn=number)


def _without(digests: Sequence[str], others: Sequence[str]) -> list[str]:
    return [digest for digest in digests if digest not in others]


def _bounded(kept: list[KeptStatement], bounds: Bounds) -> list[KeptStatement]:
    """The latest statements that fit into the bounds."""
    begin, characters = len(kept), 0
    for entry in reversed(kept[-bounds.statements :]):
        characters += len(entry.statement.text)
        if characters > bounds.characters:
            break
        begin -= 1
    return kept[begin:]


def _latest(asked: Mapping[str, int]) -> dict[str, int]:
    return dict(list(asked.items())[-_QUESTIONS:])
