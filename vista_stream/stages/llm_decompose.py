"""Decomposition by an LLM: it sees the conversation and the turn so far (VISTA, step 1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from vista_stream.claims import ClaimKind, Draft, Span, Utterance
from vista_stream.core.segmenter import Segment, SegmentKind
from vista_stream.retrieval.lexical import words
from vista_stream.stages.llm_client import LlmClient, Question
from vista_stream.stages.llm_form import Form

_PIECE = re.compile(r"[^.!?\n]+[.!?]*")
_FORM = Form()


def _fact(claim: str) -> ClaimKind:
    return ClaimKind.FACT


class LlmDecompose:
    """Fulfils the Decompose stage; a segment may be a sentence or a whole turn.

    `kind_of` tells a claim's kind from its wording, for a categoriser that goes by it.
    """

    def __init__(self, client: LlmClient, *, kind_of: Callable[[str], ClaimKind] = _fact) -> None:
        self._client = client
        self._kind_of = kind_of

    def begin(self) -> LlmDiscourse:
        """A fresh memory for one conversation."""
        return LlmDiscourse(self._client, self._kind_of)


class LlmDiscourse:
    """One conversation, as an LLM is told it."""

    def __init__(self, client: LlmClient, kind_of: Callable[[str], ClaimKind]) -> None:
        self._client = client
        self._kind_of = kind_of
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
        texts = await self._client.ask(Question("decompose", fields, _FORM), _distinct)
        self._so_far = f"{self._so_far} {sentence.text.strip()}".strip()
        return [Draft(text=text, span=locate(text, sentence), kind=self._kind_of(text)) for text in texts]


def locate(claim: str, segment: Segment) -> Span:
    """Where in the turn a claim most likely comes from: the sentence that holds most of its words."""
    wanted = set(words(claim))
    best, span = 0.0, segment.span
    for match in _PIECE.finditer(segment.text):
        held = set(words(match[0]))
        overlap = len(wanted & held) / (len(held) or 1) ** 0.5
        if overlap > best:
            start = segment.span.start + match.start() + len(match[0]) - len(match[0].lstrip())
            best, span = overlap, Span(start, segment.span.start + match.end())
    return span


def _distinct(answers: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(answers))
