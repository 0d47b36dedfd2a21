"""What the user asked and the answer has not answered yet."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Self

from vista_stream.core.extraction.parsing import Parse, Tree
from vista_stream.core.extraction.questions import Question, answered_by, heard_in
from vista_stream.core.extraction.repair import repaired
from vista_stream.core.extraction.replies import stated
from vista_stream.core.text.stems import stem

_WORD = re.compile(r"\w{4,}")


@dataclass(frozen=True, slots=True)
class Exchange:
    """The open questions of a user's message, and whether the answer has begun."""

    questions: tuple[Question, ...] = ()
    told: str = ""
    begun: bool = False

    @classmethod
    def of(cls, heard: str) -> Self:
        """All that a message asks and tells."""
        return cls(*heard_in(heard))

    def asked(self, answer: str) -> Question | None:
        """The open question that a text without a verb answers; once others are answered only a sure one."""
        return answered_by(self.questions, answer, surely=self.begun)

    @property
    def first(self) -> str:
        """The first open question that no yes or no answers, or else the first; empty where there is none."""
        wanting = [each.text for each in self.questions if each.sort != "polar"]
        return next(iter((*wanting, *(each.text for each in self.questions))), "")

    def polar(self, last: str) -> str:
        """The first open question that yes or no answers; `last` where there is none."""
        return next((each.text for each in self.questions if each.sort == "polar"), last)

    def past(self, sentence: str) -> Self:
        """What is open after a sentence that states something; it answers the question most like it."""
        words = _stems(sentence)
        shared = [len(words & _stems(each.text)) for each in self.questions]
        at = shared.index(max(shared)) if shared else 0
        return replace(self, questions=self.questions[:at] + self.questions[at + 1 :], begun=True)

    def without(self, question: Question) -> Self:
        """What is open after an answer to this question."""
        left = tuple(each for each in self.questions if each.text != question.text)
        return replace(self, questions=left, begun=True)

    def claim(self, question: Question, answer: str, parse: Parse | None) -> str:
        """The statement that a question and its answer make, or both as they stand where they make none.

        They stand behind what the message tells besides: what a student pays is no answer for others.
        """
        told = self.told if question in self.questions else ""
        if parse is not None and not told and not answer.endswith("!"):
            statement = stated(Tree(repaired(parse(_sentence_of(question)))), answer)
            if statement:
                return statement
        return " ".join(filter(None, (told, _sentence_of(question), answer)))


def _stems(text: str) -> set[str]:
    return {stem(word) for word in _WORD.findall(text.casefold())}


def _sentence_of(question: Question) -> str:
    return question.text[:1].upper() + question.text[1:]
