"""The requests of one conversation: finds out that an answer was discarded and is asked for again. No I/O."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from vista_stream import Statement, Utterance

_answers = count()


class Asked(list[Mapping[str, Any]]):
    """The messages of one request, whose answer may be several guarded texts."""

    def __init__(self, messages: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(messages)
        self.answer = next(_answers)
        self.since: int | None = None
        """Statements that were in a shared store when the answer's first text read it; None before."""


class Course:
    """The requests of one conversation.

    A request that was made before word for word asks for another answer in the place of the first: what
    was stored since then was thrown away. Not by the turns' numbers, which say nothing where a client sends
    the latest messages only. Statements are known by their place in the store, which keeps them in order.
    A store that replicas share keeps this itself.
    """

    def __init__(self) -> None:
        self._asked: list[tuple[str, int]] = []
        self._thrown: set[int] = set()
        self._answer: int | None = None
        self._question: str | None = None

    def ask(self, messages: Sequence[Mapping[str, Any]], heard: Sequence[Utterance]) -> None:
        """Take in a request; another text of the same answer asks for nothing new."""
        answer = messages.answer if isinstance(messages, Asked) else None
        if answer is None or answer != self._answer:
            self._question = question_digest(heard)
        self._answer = answer

    def ground(self, statements: Sequence[Statement]) -> list[Statement]:
        """The statements of a store that hold for the request that was taken in last."""
        if self._asked and len(statements) < self._asked[-1][1]:
            self._asked, self._thrown = [], set()  # the store has forgotten the conversation meanwhile
        question, self._question = self._question, None
        if question is not None:
            for number, (earlier, start) in enumerate(self._asked):
                if earlier == question:
                    self._thrown.update(range(start, len(statements)))
                    del self._asked[number:]
                    break
            self._asked.append((question, len(statements)))
        return self.left(statements)

    def left(self, statements: Sequence[Statement]) -> list[Statement]:
        """The statements of a store that were not thrown away."""
        return [statement for at, statement in enumerate(statements) if at not in self._thrown]


def question_digest(heard: Sequence[Utterance]) -> str:
    """What tells a request from another: a digest of all that was said before the answer."""
    words = json.dumps([(utterance.role, utterance.text) for utterance in heard])
    return hashlib.sha256(words.encode()).hexdigest()
