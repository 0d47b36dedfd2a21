"""Decomposition by an LLM, which is shown the conversation and the turn so far (VISTA, step 1)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vista_stream.claims import Draft, Utterance
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.kinds import is_courtesy, kind_of
from vista_stream.core.importance import content_words
from vista_stream.core.text.segmenter import Segment, SegmentKind
from vista_stream.errors import StageError
from vista_stream.stages.llm.client import LlmClient, Question
from vista_stream.stages.llm.form import Form
from vista_stream.stages.llm.locate import locate

HISTORY_CHARACTERS = 8_000
"""Code points of the conversation that are shown, from its end: what "he" or "that year" refers to was said
recently."""
SO_FAR_CHARACTERS = 4_000
"""Code points of the turn so far that are shown, from its end. Without a bound the whole turn would be sent
again with each sentence."""
_SPOKEN = [
    (re.compile(pattern, re.IGNORECASE), word)
    for pattern, word in (
        (r"\bthe assistant does\b", "I do"),
        (r"\bthe assistant is\b", "I am"),
        (r"\bthe assistant has\b", "I have"),
        (r"\bthe assistant's\b", "my"),
        (r"\bthe assistant\b", "I"),
        (r"\bthe user's\b", "your"),
        (r"\bthe user\b", "you"),
    )
]


class _Unclaimed(ValueError):
    """A reply leaves out what the passage states."""


class LlmDecompose:
    """Implements the Decompose stage; a segment may be a sentence or a whole turn.

    A sentence that states something by its wording is never without claims. Where the LLM finds none twice,
    or none with a word of the sentence, its claims are told by the wording alone.
    """

    def __init__(self, client: LlmClient) -> None:
        self._client = client

    def begin(self) -> LlmDiscourse:
        """New, empty state for one conversation."""
        return LlmDiscourse(self._client)


class LlmDiscourse:
    """The state of one conversation: what the LLM is shown of it."""

    def __init__(self, client: LlmClient) -> None:
        self._client = client
        self._wording = Discourse(None)
        self._heard: list[Utterance] = []
        self._so_far = ""
        self._index = -1
        """Of the latest sentence of the turn."""

    async def hear(self, utterance: Utterance) -> None:
        """Take in a finished utterance; the assistant's own replaces the sentences decomposed since."""
        self._wording.hear(utterance)
        if utterance.role == "user":
            self._end_turn()
        self._so_far = ""
        self._keep(utterance)

    async def decompose(self, sentence: Segment) -> Sequence[Draft]:
        """The claims of the turn's next sentence; raises StageError where the LLM gives no usable answer."""
        stated = self._wording.decompose(sentence)
        if sentence.kind is not SegmentKind.SENTENCE or not sentence.text.strip():
            return []
        if sentence.index <= self._index:  # of another turn, for which no words of the user were heard
            self._end_turn()
        self._index = sentence.index
        fields = {
            "history": _talk(self._heard),
            "so_far": _end(self._so_far, SO_FAR_CHARACTERS),
            "passage": sentence.text,
        }
        # The sentence is part of the turn even where asking for its claims fails.
        self._so_far = _end(f"{self._so_far} {sentence.text.strip()}".strip(), HISTORY_CHARACTERS)
        # No passage makes more atomic claims than it has words.
        form = Form(most=len(sentence.text.split()))
        question = Question("decompose", fields, form)

        def read(answers: Sequence[str]) -> list[str]:
            if stated and not any(_is_of(answer, sentence.text) for answer in answers):
                raise _Unclaimed("the passage states something, and no answer has a word of it")
            return list(dict.fromkeys(answers))

        try:
            texts = await self._client.ask(question, read)
        except StageError as error:
            if not isinstance(error.__cause__, _Unclaimed):
                raise
            return stated
        return [Draft(text=text, span=locate(text, sentence), kind=kind_of(_spoken(text))) for text in texts]

    def _end_turn(self) -> None:
        if self._so_far:
            self._keep(Utterance(role="assistant", text=self._so_far))
        self._so_far, self._index = "", -1

    def _keep(self, utterance: Utterance) -> None:
        """Add an utterance; those before it that are shown no longer are dropped."""
        self._heard.append(utterance)
        while sum(len(each.text) for each in self._heard[1:]) >= HISTORY_CHARACTERS:
            del self._heard[0]


def _talk(heard: Sequence[Utterance]) -> str:
    """The latest utterances, one a line, oldest first; the first one may be shortened to its end."""
    room, lines = HISTORY_CHARACTERS, list[str]()
    for utterance in reversed(heard):
        if room <= 0:
            break
        lines.append(f"{utterance.role}: {_end(utterance.text, room)}")
        room -= len(utterance.text)
    return "\n".join(reversed(lines))


def _end(text: str, most: int) -> str:
    """The text, or its last words where it has more than `most` code points."""
    if len(text) <= most:
        return text
    last = text[-most:]
    return "… " + (last.partition(" ")[2] or last)


def _is_of(claim: str, passage: str) -> bool:
    """Whether a claim has a word of its passage; "He did, yes." has none that a claim must repeat."""
    if len(passage.split()) == 1:  # one word, or a script without spaces
        return not set(filter(str.isalnum, passage)).isdisjoint(claim)
    wanted = {word for word in content_words(passage) if not is_courtesy(word)}
    return not wanted or not wanted.isdisjoint(content_words(claim))


def _spoken(claim: str) -> str:
    """A claim in the assistant's own words ("I", "you"), the form in which `kind_of` tells its kind."""
    for pattern, word in _SPOKEN:
        claim = pattern.sub(word, claim)
    return claim
