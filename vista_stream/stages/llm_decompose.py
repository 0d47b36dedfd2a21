"""Decomposition by an LLM: it sees the conversation and the turn so far (VISTA, step 1)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vista_stream.claims import Draft, Utterance
from vista_stream.core.kinds import kind_of
from vista_stream.core.segmenter import Segment, SegmentKind
from vista_stream.stages.llm_client import LlmClient, Question
from vista_stream.stages.llm_form import Form
from vista_stream.stages.locate import locate

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


class LlmDecompose:
    """Fulfils the Decompose stage; a segment may be a sentence or a whole turn."""

    def __init__(self, client: LlmClient) -> None:
        self._client = client

    def begin(self) -> LlmDiscourse:
        """A fresh memory for one conversation."""
        return LlmDiscourse(self._client)


class LlmDiscourse:
    """One conversation, as an LLM is told it."""

    def __init__(self, client: LlmClient) -> None:
        self._client = client
        self._heard: list[Utterance] = []
        self._so_far = ""

    async def hear(self, utterance: Utterance) -> None:
        """Take in a finished utterance; the assistant's own replaces the sentences split since."""
        if utterance.role == "user" and self._so_far:
            self._heard.append(Utterance(role="assistant", text=self._so_far))
        self._so_far = ""
        self._heard.append(utterance)

    async def decompose(self, sentence: Segment) -> Sequence[Draft]:
        """The claims of the turn's next sentence; raises StageError where the LLM gave none to use."""
        if sentence.kind is not SegmentKind.SENTENCE or not sentence.text.strip():
            return []
        fields = {
            "history": "\n".join(f"{u.role}: {u.text}" for u in self._heard),
            "so_far": self._so_far,
            "passage": sentence.text,
        }
        # It was said, also where its claims cannot be had.
        self._so_far = f"{self._so_far} {sentence.text.strip()}".strip()
        # No passage makes more atomic claims than it has words.
        form = Form(most=len(sentence.text.split()))
        texts = await self._client.ask(Question("decompose", fields, form), _distinct)
        return [Draft(text=text, span=locate(text, sentence), kind=kind_of(_spoken(text))) for text in texts]


def _distinct(answers: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(answers))


def _spoken(claim: str) -> str:
    """A claim as the assistant would say it, which is how kinds are told."""
    for pattern, word in _SPOKEN:
        claim = pattern.sub(word, claim)
    return claim
