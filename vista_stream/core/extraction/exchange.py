"""What the user asked and the answer has not answered yet."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Self

from vista_stream.core.extraction.answer_sorts import sort_of_answer
from vista_stream.core.extraction.answers import (
    TAG,
    WANTS,
    assent_of,
    denies,
    denies_by_verb,
    echo_in,
    is_polar,
    mark_behind_echo,
    parts_at_limit,
    polar_part,
)
from vista_stream.core.extraction.follow_ups import completed, depends, part_asked
from vista_stream.core.extraction.narrowing import narrowed
from vista_stream.core.extraction.parsing import Parse, Tree
from vista_stream.core.extraction.phrases import Clause
from vista_stream.core.extraction.question_words import written
from vista_stream.core.extraction.questions import (
    Heard,
    Question,
    answered_by,
    asks_again,
    heard_in,
    is_bare,
    is_whole,
    question_of,
)
from vista_stream.core.extraction.repair import repaired
from vista_stream.core.extraction.replies import stated
from vista_stream.core.extraction.shapes import imperative
from vista_stream.core.extraction.wrapped import stays_apart
from vista_stream.core.text.stems import stems_in

_WORD = re.compile(r"\w{4,}")
_VALUES = ("money", "time", "span", "count")
"""What of one sort may answer a question twice."""
_CHOOSES = re.compile(r",? (?:yes|no)[.!]*$", re.IGNORECASE)
_ASSENTS = re.compile(r"(?:yes|no)\b[,:;.!–—-]* ", re.IGNORECASE)
_WHERE = re.compile(r"(?:and )?where\b", re.IGNORECASE)
_MANNER = re.compile(r"how (?:do|does|can|could|should) ", re.IGNORECASE)
_PARTS = re.compile(r"(?:(?<=, no)|(?<=, yes)); ?", re.IGNORECASE)
"""What stands between two parts of an answer that each have a yes or no: "In winter, no; in summer, yes."."""
_JOINT = re.compile(r"(?:(?<=^yes)|(?<=^no)),? and (?=\w)|(?:;|,? and) (?=(?:yes|no)[.!]*$)", re.IGNORECASE)
"""What stands between a yes or no and another answer."""
_CERTAIN = re.compile(r"\b100 ?(?:%|per ?cent)\W*\Z", re.IGNORECASE)
"""How an answer to "Are you sure?" ends that says no more than that: "Yes, 100%."."""
_POINTING = re.compile(
    r"(?:it|they|that|those|these)(?:['’](?:s|re)| is| are| costs?| takes?| starts?| begins?| ends?| opens?"
    r"| closes?| comes? to) ",
    re.IGNORECASE,
)
"""The beginning of a sentence that answers a question by its subject's pronoun: "They're 10 euros"."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The questions of a user's message, open and answered."""

    questions: tuple[Question, ...] = ()
    """Those that are still open, in order."""
    told: str = ""
    """What the message tells besides."""
    answered: tuple[Question, ...] = ()
    """Those that the answer has answered, in the order in which it did."""
    topic: str = ""
    """The last whole question, which "And on weekends?" goes on with; empty after several in one message."""
    request: str = ""
    """What the user asked for after that: "Tell me of the blue bike."."""
    completed: str = ""
    """The message with its whole question, where it asks only a part of one: "And the pool?".

    A bare question alone, "And when?", without what leads up to it.
    """
    part: str = ""
    """The time, place or condition that the message asks about as a part: "on Sundays"."""
    last: Heard = field(default_factory=Heard)
    """What the last message asked and told that did more than doubt an answer."""
    wrapper: str = ""
    """The request that wraps one of the questions, which a yes or no answers: "Do you know when …?"."""
    doubted: bool = False
    """Whether the message only doubts an answer, "Are you sure?"; the `last` questions are open again."""

    def narrowed(self, clause: Clause) -> Clause:
        """A clause of the sentence that answers, with the part that the message asks about."""
        asked = self.questions[0].text if self.part and self.questions else ""
        return narrowed(clause, self.part, asked) if asked else clause

    @property
    def begun(self) -> bool:
        """Whether anything is answered."""
        return bool(self.answered)

    def followed_by(self, heard: str, parse: Parse | None, *, wrapper: str = "") -> Exchange:
        """All that the next message asks and tells; it may ask a part of the topic again.

        `wrapper` is the request that wraps one of its questions.
        """
        following = Exchange(*heard_in(heard), wrapper=wrapper)
        if following.questions and not following.told and all(map(_doubts, following.questions)):
            return Exchange(*self.last, topic=self.topic, request=self.request, last=self.last, doubted=True)
        following = following._without_doubts()
        asked = following.questions
        part = part_asked(heard, asked[0].text) if asked else ""
        text = completed(parse, self.topic, part) if part and self.topic and parse is not None else ""
        if text:
            asked = (question_of(text), *asked[1:])
            whole = " ".join((following.told, *(each.text for each in asked))).lstrip()
            following = replace(following, questions=asked, completed=whole)
        elif (part and depends(part, self.topic)) or (asked and is_bare(asked[0].text)):
            alone = asked[0].text if len(asked) == 1 and not (part or following.told) else ""
            told = f"{self.request or self.topic} {following.told}".strip()
            following = replace(following, told=told, completed=alone)
        if part and parse is not None and len(asked) == 1 and depends(part):
            following = replace(following, part=written(parse(part[:1].lower() + part[1:])))
        wholes = [each.text for each in asked if is_whole(each.text) and not _doubts(each)]
        topic = (wholes[0] if len(asked) == 1 else "") if wholes else self.topic
        request = "" if wholes else self.request
        if not asked and parse is not None and _is_request(following.told, parse):
            request = following.told
        last = Heard(asked, following.told) if heard else self.last
        return replace(following, topic=topic, request=request, last=last)

    def _without_doubts(self) -> Exchange:
        """Without questions such as "Are you sure?", which ask nothing new; but "It is open. Right?" does."""
        asking = tuple(each for each in self.questions if not _doubts(each))
        return replace(self, questions=asking) if asking else self

    def assured(self, answer: str, skipped: int) -> Self:
        """What is open for an answer, whose first `skipped` code points lead up to it.

        A yes to a doubt stands by what was said, and so answers no question for yes or no.
        """
        polar = next((each.text for each in self.questions if each.sort == "polar"), "")
        said = polar_part(answer, skipped, asked=polar) or assent_of(answer[:skipped])
        if not self.doubted or denies(said):
            return self
        left = tuple(each for each in self.questions if each.sort != "polar")
        return replace(self, questions=() if _CERTAIN.search(answer) else left if said else self.questions)

    def asked(self, answer: str) -> Question | None:
        """The question that a text without a verb answers; once others are answered only a sure one.

        A value may also answer one again: "What are the prices?" "80 euros. 120 euros." So may "Cats, no."
        """
        found = answered_by(self.questions, answer, surely=self.begun)
        if found is None and not self.begun:
            assented = _ASSENTS.sub("", answer)
            alone = self.questions if sort_of_answer(assented) in _VALUES and len(self.questions) == 1 else ()
            return answered_by(self.questions, assented) or next(iter(alone), None)
        if found is not None or not self.begun:
            return found
        if _CHOOSES.search(answer):
            return next((each for each in self.answered[::-1] if each.sort == "polar"), None)
        if sort_of_answer(answer) in _VALUES:
            return answered_by(self.answered[::-1], answer, surely=True)
        return None

    def joint(self, answer: str, parse: Parse | None) -> tuple[int, int] | None:
        """Where the first part of an answer in two ends and the second begins; None where it is in one.

        In code points. Each answers a question, or the second says something besides.
        """
        found = _JOINT.search(answer) if len(self.questions) > 1 else _PARTS.search(answer)
        if found or not self.questions:
            return found.span() if found else None
        return mark_behind_echo(answer) or (parts_at_limit(answer, parse) if parse is not None else None)

    def echo(self, answer: str) -> tuple[int, int] | None:
        """Where an answer to a question repeats its verb before a condition, in code points, if it does."""
        return echo_in(answer) if self.questions else None

    def meant(self, sentence: str) -> str:
        """The question of several whose subject a sentence means by its first word, if it means one."""
        pointing = _POINTING.match(sentence)
        if pointing is None or len(self.questions) == 1:
            return ""
        asked = answered_by(self.questions, sentence[pointing.end() :], surely=True)
        return asked.text if asked else ""

    @property
    def first(self) -> str:
        """The first open question that no yes or no answers, or else the first; empty where there is none."""
        wanting = [each.text for each in self.questions if each.sort != "polar"]
        return next(iter((*wanting, *(each.text for each in self.questions))), "")

    def polar(self, last: str) -> Question:
        """The first open question that yes or no answers, or what wraps another; else `last`."""
        asked = [each for each in self.questions if each.sort == "polar"]
        asked = asked or [Question(each, "polar") for each in (self.wrapper,) if each and self.questions]
        loose = [each for each in self.questions if each.sort == "thing" and not WANTS.match(each.text)]
        return next(iter((*asked, *loose)), Question(last, "polar"))

    def past(self, sentence: str) -> Self:
        """What is open after a sentence that states something; it answers the question most like it."""
        words = stems_in(sentence, _WORD)
        shared = [len(words & stems_in(each.text, _WORD)) for each in self.questions]
        if not shared:
            return self
        return self.without(self.questions[shared.index(max(shared))])

    def without(self, question: Question) -> Self:
        """What is open after an answer to this question."""
        left = tuple(each for each in self.questions if each.text != question.text)
        return replace(self, questions=left, answered=(*self.answered, question))

    def claim(self, question: Question, answer: str, parse: Parse | None) -> str:
        """The statement that a question and its answer make, or both as they stand where they make none.

        They stand behind what the message tells besides: what a student pays is no answer for others.
        """
        told = self.told if question in (*self.questions, *self.answered) else ""
        polar = is_polar(answer, asked=question.text)
        states = (polar or not answer.endswith("!")) and not stays_apart(question.text, polar=polar)
        if parse is not None and _MANNER.match(question.text) and _is_command(answer, parse):
            return answer
        if parse is not None and not told and states:
            said = Tree(repaired(parse(answer))) if _WHERE.match(question.text) else None
            asked = Tree(repaired(parse(TAG.sub("?", _sentence_of(question)))))
            statement = stated(asked, answer, said)
            if statement and not _is_unclear(question.text, answer):
                return statement
        return " ".join(filter(None, (told, _sentence_of(question), answer)))


def _doubts(question: Question) -> bool:
    return asks_again(question.text)


def _is_request(told: str, parse: Parse) -> bool:
    return bool(told) and imperative(Tree(repaired(parse(told))))


def _is_unclear(question: str, answer: str) -> bool:
    """Whether a yes may say either: "It isn't free, is it?" and "Yes."."""
    tag = TAG.search(question)
    negative = tag is not None and not denies(tag[0])
    return negative and is_polar(answer) and denies_by_verb(answer) is None and not denies(answer)


def _is_command(answer: str, parse: Parse) -> bool:
    """Whether an answer tells the user to do something: "Open Settings and choose Security."."""
    words = parse(f"You {answer[:1].lower()}{answer[1:]}")
    return len(words) > 1 and words[1].tag in ("VB", "VBP") and words[0].head == 1 and words[0].dep == "nsubj"


def _sentence_of(question: Question) -> str:
    return question.text[:1].upper() + question.text[1:]
