"""Decomposition on this machine, without an LLM. It runs off the event loop."""

from __future__ import annotations

from collections.abc import Sequence, Set
from copy import copy
from dataclasses import dataclass, replace

from vista_stream.claims import ClaimKind, Draft, Utterance
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsed_text import heard_text, to_parse
from vista_stream.core.text.legible import legible_text
from vista_stream.core.text.segmenter import Segment, SegmentKind
from vista_stream.stages.embedded.kinds import EmbeddedKinds
from vista_stream.stages.embedded.parser import expected, load_parse
from vista_stream.verifiers.offload import SENTENCE, offload_brief

_BRIEF = 400
"""Code points of the longest utterance that is parsed together with others: a question, not an article."""


class EmbeddedDecompose:
    """Implements the Decompose stage by rules over a dependency parse; without a parser, over the wording.

    `kinds` tells each claim's kind; without it, the certain rules do.
    """

    def __init__(self, kinds: EmbeddedKinds | None = None) -> None:
        self._kinds = kinds

    def begin(self) -> EmbeddedDiscourse:
        """New, empty state for one conversation; the parser loads when it is first needed."""
        return EmbeddedDiscourse(self._kinds)


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence that was decomposed, with the states before and after it."""

    sentence: Segment
    before: Discourse | None
    after: Discourse
    drafts: list[Draft]


class EmbeddedDiscourse:
    """The state of one conversation.

    Each call works on a copy in a thread and replaces the state when it is done. A cancelled call therefore
    changes nothing.
    """

    def __init__(self, kinds: EmbeddedKinds | None = None) -> None:
        self._kinds = kinds
        self._state: Discourse | None = None
        self._foreseen: _Read | None = None

    async def hear(self, utterance: Utterance) -> None:
        """Take in a finished utterance, so that later references to it resolve."""

        def heard() -> Discourse:
            state = self._copied()
            state.hear(utterance)
            return state

        brief = len(utterance.text) <= _BRIEF
        with expected(heard_text(utterance) if brief else ""):  # what waits in all turns is parsed together
            self._state = await offload_brief(heard, urgency=SENTENCE)

    async def decompose(self, sentence: Segment) -> Sequence[Draft]:
        """The atomic claims of the assistant's next sentence; empty where it makes none."""

        read = self._known(sentence) or await self._read(sentence)
        self._foreseen, self._state = None, read.after
        return read.drafts

    async def foresee(self, sentence: Segment) -> Sequence[Draft]:
        """The claims of a sentence that is probably the next one; `decompose` then has nothing left to do."""
        return (await self._read(sentence)).drafts

    async def _read(self, sentence: Segment) -> _Read:
        """The sentence as the next one, read in a thread; the same one is not read again."""

        def read() -> _Read:
            # A sentence that came meanwhile waited for this thread: what was foreseen is looked up here too.
            if (known := self._known(sentence)) is not None:
                return known
            before, state = self._state, self._copied()
            drafts = state.decompose(sentence)
            drafts = self._of_kind(drafts, sentence, asserted=state.asserted)
            self._foreseen = _Read(sentence, before, state, drafts)
            return self._foreseen

        wanted = to_parse(sentence.text) if sentence.kind is SegmentKind.SENTENCE else ""
        with expected(wanted):
            return await offload_brief(read, urgency=SENTENCE)

    def _known(self, sentence: Segment) -> _Read | None:
        """What was foreseen, if it is for this sentence in the present state."""
        known = self._foreseen
        return known if known and known.sentence == sentence and known.before is self._state else None

    def _of_kind(self, drafts: list[Draft], sentence: Segment, *, asserted: Set[str]) -> list[Draft]:
        """The drafts with the kinds of the classification head; refusals and certain facts stay."""
        if self._kinds is None:
            return drafts
        start = sentence.span.start
        spans = (sentence.text[d.span.start - start : d.span.end - start] for d in drafts)
        words = [legible_text(said).strip() or d.text for d, said in zip(drafts, spans, strict=True)]
        kinds = self._kinds.told([draft.text for draft in drafts], words)
        return [
            draft if draft.kind is ClaimKind.REFUSAL or draft.text in asserted else replace(draft, kind=kind)
            for draft, kind in zip(drafts, kinds, strict=True)
        ]

    def _copied(self) -> Discourse:
        return Discourse(load_parse()) if self._state is None else copy(self._state)
