"""The requests of one conversation: detects that an answer was discarded and is asked for again. No I/O."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from vista_stream import Statement, Utterance

_QUESTIONS = 1000
"""Latest requests of a conversation that are known again."""


class Asked(list[Mapping[str, Any]]):
    """The messages of one request. All guarded texts of its answer share this object."""

    def __init__(self, messages: Sequence[Mapping[str, Any]], *, place: str | None = "") -> None:
        super().__init__(messages)
        self.answer = uuid4().hex[:16]
        self.place: str | None = messages.place if isinstance(messages, Asked) else place
        """What the request says of its place in the conversation, besides the messages; None where it goes on
        at a place that it does not tell."""
        self.since: int | None = None
        """Statements in the store when the answer's first text read it; None before that."""
        self.turn: int | None = None
        """The turn's number, from 0, in a request without earlier answers; None until the store was read."""


class Course:
    """The requests of one conversation, and which stored statements were discarded.

    A request that repeats an earlier one word for word asks for a new answer in place of the earlier answer.
    Statements stored since the earlier request are then discarded. Turn numbers cannot show this, because a
    client may send only the latest messages. Statements are identified by their position in the store, which
    keeps them in order. A store that replicas share tracks this itself.
    """

    def __init__(self) -> None:
        self._asked: list[tuple[str, int]] = []
        self._thrown: set[int] = set()

    def ground(self, statements: Sequence[Statement], asked: Asked, question: str | None) -> list[Statement]:
        """The stored statements that hold for a request, whose answer's first text asks `question`."""
        if self._asked and len(statements) < self._asked[-1][1]:
            self._asked, self._thrown = [], set()  # the store has dropped the conversation meanwhile
        if question is not None and asked.since is None:
            asked.since = len(statements)
            for number, (earlier, start) in enumerate(self._asked):
                if earlier == question:
                    self._thrown.update(range(start, len(statements)))
                    del self._asked[number:]
                    break
            self._asked.append((question, len(statements)))
            del self._asked[:-_QUESTIONS]
        return self.left(statements)

    def left(self, statements: Sequence[Statement]) -> list[Statement]:
        """The stored statements that were not discarded; retractions always stay."""
        return [
            statement
            for at, statement in enumerate(statements)
            if at not in self._thrown or statement.origin == "retraction"
        ]


def question_digest(messages: Sequence[Mapping[str, Any]], heard: Sequence[Utterance]) -> str | None:
    """A digest that identifies a request: of all utterances before the answer, and of its `Asked.place`.

    None for a request that is never the same as an earlier one, since it does not tell its place.
    """
    place = messages.place if isinstance(messages, Asked) else ""
    if place is None:
        return None
    said = [(utterance.role, utterance.text) for utterance in heard]
    words = json.dumps([place, *said] if place else said)
    return hashlib.sha256(words.encode()).hexdigest()
